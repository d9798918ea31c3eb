"""Admissions of objects that are made of what was seen before: put together, not worked out.

What the server says of an object is what it says of its outline and its parts (`parts`). Once an
object is accepted, so is every other one that is made of outlines and parts of accepted objects.
What it says of one that it refuses, or of which it drops fields, it says of equal ones too: those
that differ in nothing but plain names, labels and annotations.
"""

from __future__ import annotations

from dradsl.kube.server.admission import DEFAULT_NAMESPACE, Admission, admit
from dradsl.kube.server.parts import (
    SplitObject,
    joined_spec,
    parts_are_independent,
    split_object,
    stored_parts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from dradsl.kube.context import Context
    from dradsl.kube.server.parts import ObjectPart
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
        "_specs",
        "_wholes",
    )

    def __init__(self, release: Release, context: Context) -> None:
        self._release = release
        self._context = context
        self._outlines: dict[bytes, Admission] = {}
        self._parts: dict[Hashable, dict[str, object]] = {}
        self._shapes: dict[Hashable, dict[str, object]] = {}
        self._wholes: dict[bytes, Admission] = {}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._specs: dict[Hashable, dict[str, object]] = {}

    def admit(
        self, obj: Mapping[str, object], namespace_labels: Mapping[str, str] | None
    ) -> Admission:
        """As `admission.admit`; parts of the resulting object may be shared with another one's."""
        split = split_object(obj, namespace_labels)
        known = None if split is None else self._join(split) or self._equal(split)
        if known is not None:
            return known
        admission = admit(
            obj,
            self._release,
            self._context,
            namespace=DEFAULT_NAMESPACE,
            namespace_labels=namespace_labels,
        )
        if split is not None:
            self._remember(split, admission)
        return admission

    def _join(self, split: SplitObject) -> Admission | None:
        """The admission of an object of known pieces; None if one is new."""
        outline = self._outlines.get(split.outline)
        if outline is None or outline.stored is None:
            return None
        key = split.content() if split.parts else None
        spec = None if key is None else self._specs.get(key)
        if key is None or spec is not None:
            return self._like(outline, split, spec)
        lists: dict[str, list[Mapping[str, object]]] = {}
        for name, parts in split.parts.items():
            found = lists[name] = []
            for part in parts:
                stored = self._stored(part)
                if stored is None:
                    return None
                found.append({**stored, **part.own})
        spec = joined_spec(outline.stored, lists)
        if len(self._specs) < _MOST:
            self._specs[key] = spec
        return self._like(outline, split, spec)

    def _like(
        self, known: Admission, split: SplitObject, spec: dict[str, object] | None
    ) -> Admission:
        """What is said of a known object, of another one: its own are the metadata, and the spec if there is one."""
        names = tuple(split.ignored_metadata)
        own = self._names.setdefault(names, names), *split.ignored_metadata.values()
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

    def _equal(self, split: SplitObject) -> Admission | None:
        """The admission of an object that an equal one did not pass unharmed."""
        known = self._wholes.get(split.whole()) if self._wholes else None
        if known is None or known.stored is None:
            return known
        return self._like(known, split, None)

    def _remember(self, split: SplitObject, admission: Admission) -> None:
        """Keep the pieces of an accepted object; one that has something said of it is kept whole."""
        stored = admission.object
        # What was dropped and what is warned of is said of a place, and places change.
        moves = split.parts and (admission.dropped or admission.warnings)
        if stored is None or not admission.accepted or moves or not parts_are_independent(stored):
            whole = split.whole()
            if len(self._wholes) < _MOST and len(whole) <= _LARGEST:
                self._wholes[whole] = admission
            return
        if len(self._outlines) < _MOST and len(split.outline) <= _LARGEST:
            self._outlines[split.outline] = admission
        if len(self._parts) < _MOST:
            for part, kept in stored_parts(stored, split):
                self._parts[part.key] = kept
                if part.shape is not None:
                    self._shapes[part.shape] = kept
