"""One release's view of a long stream: of a part of the objects, or of all of them, one after another.

A rule asks for objects, claims and pods as ever. It gets those of the part that is looked at; what is remembered
for a whole run is worked out of all of them. What was worked out of an object is let go with its part.
"""

from __future__ import annotations

from collections.abc import Sequence

from dradsl.lint.input.manifests import RESOURCE_GROUP
from dradsl.lint.view.long_objects import LongObjects
from dradsl.lint.view.view import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
    from typing import Any, TypeVar

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import ClaimView, PodView

    T = TypeVar("T")

__all__ = ["LongRun"]

_MOST = 1_000  # objects of which something is kept while one after another is looked at


class LongRun(Run):
    """A run whose objects are never there all at once."""

    __slots__ = ("_part",)

    _part: _Part

    def __init__(self, **fields: Any) -> None:
        Run.__init__(self, **fields)
        object.__setattr__(self, "_part", _Part(self.reported))

    @property
    def manifests(self) -> Sequence[Manifest]:
        """The objects that are looked at now."""
        return self._part.manifests

    def look_at(self, manifests: tuple[Manifest, ...], *, more: bool = False) -> None:
        """Look at a few objects together from here on; `more` of those that were looked at."""
        if not more:
            self._let_go()
        self._part.turn_to(manifests, together=True)

    def walk(self, manifests: Sequence[Manifest]) -> None:
        """Look at very many objects from here on, one after another."""
        self._let_go()
        self._part.turn_to(manifests, together=False)

    def forget(self) -> None:
        """Forget what was worked out of the run so far."""
        self._kept.results.clear()

    def _let_go(self) -> None:
        kept = self._kept
        for each in (kept.admissions, kept.claims, kept.specs, kept.pods, kept.of_objects):
            each.clear()

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        kept = self._kept.results
        if key not in kept:
            before = self._part
            object.__setattr__(self, "_part", _Part(self.reported))
            try:
                kept[key] = make()
            finally:
                object.__setattr__(self, "_part", before)
        made: T = kept[key]
        return made

    def _each(self) -> Iterator[Manifest]:
        """The objects that are looked at; what is known of others is let go on the way."""
        part, kept = self._part, self._kept
        for manifest in part.manifests:
            if not part.together and len(kept.admissions) + len(kept.pods) > _MOST:
                self._let_go()
            yield manifest

    def claims(self) -> Sequence[ClaimView]:
        part = self._part
        if not part.together:
            return _OneByOne(self._each_claim)
        if part.claims is None:
            part.claims = tuple(self._each_claim())
        return part.claims

    def _each_claim(self) -> Iterator[ClaimView]:
        for manifest in self._each():
            if manifest.group == RESOURCE_GROUP:
                view = self.claim_of(manifest)
                if view is not None:
                    yield view

    def of_kind(self, kind: str) -> Sequence[Manifest]:
        part = self._part
        if not part.together:
            if part.manifests is self.reported:
                return _OneByOne(lambda: self._trimmed(self.index.kind(kind)))
            return _OneByOne(lambda: (each for each in self._each() if each.kind == kind))
        if part.by_kind is None:
            part.by_kind = {}
            for manifest in part.manifests:
                part.by_kind.setdefault(manifest.kind, []).append(manifest)
        return part.by_kind.get(kind, ())

    def of_other_groups(self, groups: Collection[str]) -> Iterable[Manifest]:
        objects = self.reported
        assert isinstance(objects, LongObjects)  # noqa: S101 - see `portions.long_run`
        return objects.of_other_groups(groups)

    def _trimmed(self, manifests: Sequence[Manifest]) -> Iterator[Manifest]:
        for manifest in manifests:
            if len(self._kept.admissions) > _MOST:
                self._let_go()
            yield manifest

    def pods(self) -> Sequence[PodView]:
        part = self._part
        if not part.together:
            return _OneByOne(self._each_pod)
        if part.pods is None:
            part.pods = tuple(self._each_pod())
        return part.pods

    def _each_pod(self) -> Iterator[PodView]:
        for manifest in self._each():
            if manifest.group != RESOURCE_GROUP:
                yield from self.pods_of(manifest)


class _Part:
    """The objects that are looked at: `together`, so that lists of them are kept, or one after another."""

    __slots__ = ("by_kind", "claims", "manifests", "pods", "together")

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        self.turn_to(manifests, together=False)

    def turn_to(self, manifests: Sequence[Manifest], *, together: bool) -> None:
        self.manifests = manifests
        self.together = together
        self.claims: Sequence[ClaimView] | None = None
        self.pods: Sequence[PodView] | None = None
        self.by_kind: dict[str, list[Manifest]] | None = None


class _OneByOne(Sequence["Any"]):
    """What can be walked through again and again, and is never there all at once."""

    __slots__ = ("_begin",)

    def __init__(self, begin: Callable[[], Iterator[Any]]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[Any]:
        return self._begin()

    def __len__(self) -> int:
        return sum(1 for _ in self._begin())

    def __bool__(self) -> bool:
        return any(True for _ in self._begin())

    def __getitem__(self, index: Any) -> Any:
        return tuple(self._begin())[index]
