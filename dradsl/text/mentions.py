"""What a text mentions: searches that say, before a text is worked on, that there is nothing to find in it.

A topic stands for names of fields, kinds and groups of the API, and holds the shortest words that are in all of
them, without the letters that differ in the first capital. A test derives the names from the tables of fields, and
looks with all topics open for findings that they would have hidden.
"""

from __future__ import annotations

from dradsl.records import Record

__all__ = [
    "CLAIM_LISTS",
    "CLAIM_SOURCES",
    "CLAIM_TEMPLATES",
    "CLAIM_VALUES",
    "CLASSES",
    "DEVICES",
    "GENERATORS",
    "KUSTOMIZE",
    "PATCHED",
    "PATCHES",
    "Topic",
]

_GROUP = "resource.k8s.io"
_LISTS = "laims"  # resourceClaims, claims; no persistentVolumeClaim


class Topic(Record):
    """Words of which a text has at least one, if it has to do with the topic."""

    words: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Whether a text may have to do with the topic; if not, it has not."""
        return any(map(text.__contains__, self.words))


CLAIM_LISTS = Topic((_LISTS, _GROUP))
"""Lists of claims in pods, and objects of group resource.k8s.io."""
CLAIM_TEMPLATES = Topic((_LISTS, _GROUP, "laimTemplate"))
"""The same, and references to claim templates by custom kinds."""
CLASSES = Topic((_LISTS, _GROUP, "deviceClassName"))
"""The same as CLAIM_LISTS, and requests of devices by their class."""
CLAIM_SOURCES = Topic(("esourceClaim", "esourceclaim", _GROUP, "eviceClass", "eviceclass"))
"""What brings claims; not what only uses them."""
CLAIM_VALUES = Topic(("laim", "draEnabled"))
"""Claims under any name, as in values of charts."""
DEVICES = Topic(("laim", "evice"))
"""Claims and devices under any name."""
PATCHED = Topic(("laim", "devices", "deviceClass", _GROUP))
"""Fields and paths by which patches change claims and requests."""
PATCHES = Topic(("atch",))
"""Patches in a kustomization, and in an object of Flux or Argo CD."""
GENERATORS = Topic(("enerator",))
"""Generators of ConfigMaps and Secrets in a kustomization."""
KUSTOMIZE = Topic(("ustom",))
"""Kustomizations and what builds them, by the text or the name of a file."""
