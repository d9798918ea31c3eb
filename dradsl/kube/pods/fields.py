"""Keys that can only mean claims, under whatever name and at whatever level: `claim` for `claims`, other capitals,
a list of claims a level too high."""

from __future__ import annotations

import functools
from collections import Counter

from dradsl.kube.pods.claim_entries import CLAIM_FIELDS, SOURCES, unknown
from dradsl.kube.pods.workloads import PLACES
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import FieldError, Path

__all__ = [
    "WORKLOADS",
    "lists_claims",
    "means_claims",
    "mentions_claims",
    "misplaced_claims",
    "of_container",
]

WORKLOADS = {kind: version for version, kind in PLACES}
"""Kubernetes' own kinds with pod specs, and the API version that serves each."""

_CLAIM_WORDS = ("claims", "claim", "resourceclaims", "resourceclaim")
_LETTERS = sorted("claims")
_DOMAIN = frozenset("./")  # in a name of a resource with a domain, or in a domain that has none
_OF_VOLUMES = "claimName"
_LONGEST = 40  # characters of a key that may mean claims
# Fields of pods and workloads that are about neither claims nor devices, whatever the keys below say; and maps of
# strings with keys that people choose.
_OF_OTHERS = frozenset({"managedFields", "env", "volumes", "volumeClaimTemplates"})
_MAPS = frozenset({"annotations", "labels", "nodeSelector", "selector", "matchLabels"})
_APART = _OF_OTHERS | _MAPS
_RESOURCES = frozenset({"limits", "requests", "claims"})
# As like as a word with one letter more, less or other.
_NEAR = 0.9


@functools.lru_cache(1024)
def means_claims(key: object) -> bool:
    """Whether a key can only mean a list of claims, or is the name of one."""
    if not isinstance(key, str) or key == _OF_VOLUMES:
        return False
    word = key.lower().replace("_", "").replace("-", "")
    if "volume" in word or "/" in word or len(word) > _LONGEST:
        return False
    if "claim" in word or sorted(word) == _LETTERS:
        return True
    letters = Counter(word)
    if not any(
        2 * sum((letters & Counter(each)).values()) >= _NEAR * (len(word) + len(each))
        for each in _CLAIM_WORDS
    ):
        return False
    import difflib  # only for a key with nearly the same letters: the import costs a few milliseconds

    return bool(difflib.get_close_matches(word, _CLAIM_WORDS, 1, _NEAR))


def mentions_claims(value: object, *, amounts: bool = False) -> bool:
    """Whether a pod spec, or an object with one, mentions claims, however the keys are written and wherever they
    are; with `amounts` also whether it mentions amounts of resources with a domain, which devices can be."""
    rest = [value]
    for each in rest:  # what is below it comes at the end: claims are near the top
        if isinstance(each, list):
            rest += each
        elif isinstance(each, dict):
            if _is_mention(tuple(each), amounts):
                return True
            if not _APART.isdisjoint(each):
                each = {k: _of_map(k, v) for k, v in each.items() if k not in _OF_OTHERS}
            rest += [inner for inner in each.values() if isinstance(inner, (dict, list))]
    return False


def _of_map(key: object, value: object) -> object:
    """What is under a key, without the strings of a map of strings."""
    if key not in _MAPS or not isinstance(value, dict):
        return value
    return {k: v for k, v in value.items() if isinstance(v, (dict, list))}


@functools.lru_cache(4096)
def _is_mention(keys: tuple[object, ...], amounts: bool) -> bool:
    """Whether one of the keys of a mapping is one."""
    return any(map(means_claims, keys)) or (
        amounts and any(not _DOMAIN.isdisjoint(str(key)) for key in keys)
    )


def misplaced_claims(
    value: Mapping[Any, Any], key: object, path: Path, suggestion: str | None = None
) -> list[FieldError]:
    """A list of claims under a key of another level or a misspelt one, in an object of any kind: only what can be
    nothing else counts. Without a suggestion it belongs into `resources` as `claims`."""
    entries = value.get(key)
    if key == suggestion:
        return []
    if not isinstance(entries, list) or not entries:
        return []
    wanted = SOURCES if suggestion == "resourceClaims" else ("name", "request")
    for entry in entries:
        if not isinstance(entry, dict) or not {"name", *CLAIM_FIELDS, "request"} >= entry.keys():
            return []
        if not any(field in entry for field in wanted):
            return []
    error = unknown(str(key), (), (*path, str(key)), entries)
    if suggestion is None:
        return [replace(error, reason="claims-outside-resources")]
    return [replace(error, suggestion=suggestion)]


def of_container(entries: object) -> bool:
    """Whether a list names claims of the pod, as containers do."""
    return (
        isinstance(entries, list)
        and bool(entries)
        and all(
            isinstance(each, dict) and "name" in each and {"name", "request"} >= each.keys()
            for each in entries
        )
    )


def lists_claims(key: object, resources: Mapping[Any, Any]) -> bool:
    """Whether a key of resources that is no field holds what `claims` would hold."""
    if not isinstance(key, str) or key.lower() in _RESOURCES or "claims" in resources:
        return False
    return of_container(resources[key])
