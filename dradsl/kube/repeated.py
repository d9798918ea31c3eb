"""Admissions of objects that are alike but for their names: worked out once.

Sets of manifests repeat themselves: a claim template for every job of a team. Nothing that the
server checks depends on an object's own name or namespace where these are plain labels, except for
what the namespace's labels allow, so equal content gives the same answer under another name.
"""

from __future__ import annotations

import marshal

from dradsl.kube.admission import Admission, admit
from dradsl.records import replace
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.validation import CelCost, CompileCel
    from dradsl.releases import Features, Release

__all__ = ["Admissions"]

# Legal as the name of every kind of the group, and as a namespace.
_PLAIN = pattern(r"[a-z](?:[-a-z0-9]{0,40}[a-z0-9])?")
_FLAT = 2  # the version of marshal's form that is the same for equal values
_MOST = 10_000  # contents remembered; what comes after is worked out each time


class Admissions:
    """Creates of one run: the same release, features, and judge of expressions."""

    __slots__ = ("_compile_cel", "_cost", "_features", "_known", "_release")

    def __init__(
        self, release: Release, features: Features, compile_cel: CompileCel, cel_cost: CelCost
    ) -> None:
        self._release = release
        self._features = features
        self._compile_cel = compile_cel
        self._cost = cel_cost
        self._known: dict[bytes, Admission] = {}

    def admit(
        self, obj: Mapping[str, Any], namespace_labels: Mapping[str, str] | None
    ) -> Admission:
        """As `admission.admit`; parts of the resulting object may be shared with another one's."""
        key = _content(obj, namespace_labels)
        known = None if key is None else self._known.get(key)
        if known is not None:
            return _renamed(known, obj["metadata"])
        admission = admit(
            obj,
            self._release,
            self._features,
            namespace_labels=namespace_labels,
            compile_cel=self._compile_cel,
            cel_cost=self._cost,
        )
        # Problems may quote what they are about: only what has none is used again.
        if key is not None and admission.accepted and len(self._known) < _MOST:
            self._known[key] = admission
        return admission


def _content(obj: Mapping[str, Any], labels: Mapping[str, str] | None) -> bytes | None:
    """All of the object but its name and namespace; None where these might matter."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not _is_plain(metadata.get("name")):
        return None
    blank = {**metadata, "name": ""}
    if "namespace" in metadata:
        if not _is_plain(metadata["namespace"]):
            return None
        blank["namespace"] = ""
    try:
        return marshal.dumps(
            [{**obj, "metadata": blank}, None if labels is None else dict(labels)], _FLAT
        )
    except ValueError:  # a value of no plain type, or one too deep
        return None


def _is_plain(name: object) -> bool:
    return isinstance(name, str) and _PLAIN.fullmatch(name) is not None


def _renamed(admission: Admission, metadata: Mapping[str, Any]) -> Admission:
    stored = admission.object
    if stored is None:
        return admission
    names = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
    own = {**stored["metadata"], **names}
    if "namespace" not in stored["metadata"]:
        own.pop("namespace", None)  # of a kind without namespaces
    return replace(admission, object={**stored, "metadata": own})
