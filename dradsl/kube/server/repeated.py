"""Admissions of objects that are made of what was seen before: put together, not worked out.

What the server says of an object is what it says of its outline and its parts (`parts`). Once an
object is accepted, so is every other one that is made of outlines and parts of accepted objects.
What it says of one that it rejects, or of which it drops fields, it says of equal ones too: those
that differ in nothing but plain names, labels and annotations.
"""

from __future__ import annotations

from dradsl.kube.server.admission import DEFAULT_NAMESPACE, Admission, admit
from dradsl.kube.server.parts import (
    joined_spec,
    parts_are_independent,
    stored_parts,
    without_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from dradsl.kube.context import Context
    from dradsl.kube.server.parts import NamelessObject, ObjectPart, SplitObject
    from dradsl.releases import Release

__all__ = ["Admissions"]

_MOST = 10_000  # outlines and parts remembered; what comes after is worked out each time
_LARGEST = 16 * 1024  # bytes of an outline: slices of many devices would fill the memory


class Admissions:
    """Creates of one server, in the namespace that requests without one go to."""

    __slots__ = (
        "_context",
        "_names",
        "_outlines",
        "_parts",
        "_release",
        "_shapes",
        "_wholes",
    )

    def __init__(self, release: Release, context: Context) -> None:
        self._release = release
        self._context = context
        self._outlines: dict[bytes, Admission] = {}
        self._parts: dict[Hashable, dict[str, object]] = {}
        self._shapes: dict[Hashable, dict[str, object]] = {}
        # What is known of a whole object, and the spec that it has instead of that one's.
        self._wholes: dict[bytes, tuple[Admission, dict[str, object] | None]] = {}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def admit(
        self, obj: Mapping[str, object], namespace_labels: Mapping[str, str] | None
    ) -> Admission:
        """As `admission.admit`; parts of the resulting object may be shared with another one's."""
        whole = without_names(obj, namespace_labels)
        known = None if whole is None else self._wholes.get(whole.content)
        split = None
        if whole is not None and known is None:
            split = whole.split()
            known = None if split is None else self._join(split)
            if known is not None:
                self._keep_whole(whole, *known)
        if whole is not None and known is not None:
            return self._like(*known, whole)
        admission = admit(
            obj,
            self._release,
            self._context,
            namespace=DEFAULT_NAMESPACE,
            namespace_labels=namespace_labels,
        )
        if whole is not None and split is not None:
            self._remember(whole, split, admission)
        return admission

    def _join(self, split: SplitObject) -> tuple[Admission, dict[str, object] | None] | None:
        """The admission of an object with the same outline, and the spec of this one; None if a piece is new."""
        outline = self._outlines.get(split.outline)
        if outline is None or outline.stored is None:
            return None
        if not split.parts:
            return outline, None
        lists: dict[str, list[Mapping[str, object]]] = {}
        for name, parts in split.parts.items():
            found = lists[name] = []
            for part in parts:
                stored = self._stored(part)
                if stored is None:
                    return None
                found.append({**stored, **part.own})
        return outline, joined_spec(outline.stored, lists)

    def _like(
        self, known: Admission, spec: dict[str, object] | None, whole: NamelessObject
    ) -> Admission:
        """What is said of a known object, of another one: its own are the metadata, and the spec if there is one."""
        if known.stored is None or not (whole.ignored_metadata or spec):
            return known
        names = tuple(whole.ignored_metadata)
        own = self._names.setdefault(names, names), *whole.ignored_metadata.values()
        return Admission(
            known.version,
            known.kind,
            known.problems,
            known.stored,
            known.dropped,
            known.warnings,
            own,
            spec,
        )

    def _stored(self, part: ObjectPart) -> dict[str, object] | None:
        """What a part becomes when it is stored; None if nothing like it was accepted."""
        stored = self._parts.get(part.key)
        if stored is None and part.shape in self._shapes:
            stored = part.like(self._shapes[part.shape])
            if len(self._parts) < _MOST:
                self._parts[part.key] = stored
        return stored

    def _keep_whole(
        self, whole: NamelessObject, admission: Admission, spec: dict[str, object] | None
    ) -> None:
        if len(self._wholes) < _MOST and len(whole.content) <= _LARGEST:
            self._wholes[whole.content] = admission, spec

    def _remember(self, whole: NamelessObject, split: SplitObject, admission: Admission) -> None:
        """Keep an object, and the pieces of an accepted one of which nothing is said."""
        self._keep_whole(whole, admission, None)
        stored = admission.object
        # What was dropped and what is warned of is said of a place, and places change.
        moves = split.parts and (admission.dropped or admission.warnings)
        if stored is None or not admission.accepted or moves or not parts_are_independent(stored):
            return
        if len(self._outlines) < _MOST and len(split.outline) <= _LARGEST:
            self._outlines[split.outline] = admission
        if len(self._parts) < _MOST:
            for part, kept in stored_parts(stored, split):
                self._parts[part.key] = kept
                if part.shape is not None:
                    self._shapes[part.shape] = kept
