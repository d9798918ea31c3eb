"""Folds findings that merely follow from another one below it, judged by their fields and by the pages of rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.catalogue.table import FOLLOWS
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.records import replace
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import find_at

__all__ = ["folded"]

_OF_PODS = ("resourceClaims", "containers", "initContainers")


def folded(found: Iterable[RuleFinding]) -> Iterator[RuleFinding]:
    """The findings in their order, each that follows from another one below that one (`folded`)."""
    by_manifest: defaultdict[Manifest, list[RuleFinding]] = defaultdict(list)
    for each in found:
        by_manifest[each.manifest].append(each)
    for together in by_manifest.values():
        yield from _of_one_object(together)


def _of_one_object(found: list[RuleFinding]) -> Iterator[RuleFinding]:
    if len(found) == 1:
        yield from found
        return
    causes = {id(each): cause for each, cause in _causes(found)}
    below: dict[int, list[RuleFinding]] = {}
    for each in found:
        root = each
        while id(root) in causes:
            root = causes[id(root)]
        if root is not each:
            below.setdefault(id(root), []).append(replace(each, folded=()))
    for each in found:
        if id(each) not in causes:
            more = below.get(id(each))
            yield replace(each, folded=(*each.folded, *more)) if more else each


def _causes(found: Sequence[RuleFinding]) -> Iterator[tuple[RuleFinding, RuleFinding]]:
    """The findings that follow from others, with these. A cause may follow from one that is before it, or that
    follows from none."""
    # A reference that cannot be looked up, where its very name is rejected, is the same mistake.
    rejected = {f.path: f for f in reversed(found) if _about(f) != "lookup" and _rank(f) == 0}
    wrong = {f.path: f for f in reversed(found) if _hides_names(f)}
    distorting = [f for f in found if RULES[f.code].traits.distorts]
    consequences = _Consequences(distorting) if distorting else None
    levels: dict[tuple[str, FieldPath], RuleFinding] = {}
    left: list[RuleFinding] = []
    for each in found:
        cause = None
        if _about(each) == "lookup":
            cause = rejected.get(each.path)
        elif _about(each) == "name" or _hides_names(each):
            # No driver can publish an invalid name, and two faults of a name are one mistake.
            cause = wrong.get(each.path)
        if (cause is None or cause is each) and consequences is not None:
            if RULES[each.code].traits.hides == "level":  # one edit moves all fields of a mapping
                cause = levels.setdefault((each.code, each.path[:-1]), each)
            if cause is None or cause is each:
                cause = consequences.cause_of(each)
        if cause is None or cause is each:
            left.append(each)
        else:
            yield each, cause
    yield from _by_rules(left)


def _by_rules(found: Sequence[RuleFinding]) -> Iterator[tuple[RuleFinding, RuleFinding]]:
    """What follows from others as the pages of rules say (`follows`), unless it is worse than its cause."""
    sought = {code for each in found for code, _ in FOLLOWS.get(each.code, ())}
    causes: dict[tuple[str, FieldPath], RuleFinding] = {}
    for each in found:
        if each.code in sought:
            for end in range(len(each.path) + 1):
                causes.setdefault((each.code, each.path[:end]), each)
    for each in found if causes else ():
        for code, scope in FOLLOWS.get(each.code, ()):
            cause = causes.get((code, _part(each.path, scope)))
            if cause is not None and cause is not each and _rank(cause) <= _rank(each):
                yield each, cause
                break


def _part(path: FieldPath, scope: str) -> FieldPath:
    """The part of an object in which the cause of a finding stands."""
    if scope == "pod":
        end = next((at for at, step in enumerate(path) if step in _OF_PODS), 0)
        return path[:end]
    return path if scope == "field" else path[:-1] if scope == "beside" else ()


def _rank(found: RuleFinding) -> int:
    return (found.severity or RULES[found.code].severity).rank


def _about(found: RuleFinding) -> str:
    return RULES[found.code].traits.about


def _hides_names(found: RuleFinding) -> bool:
    return RULES[found.code].traits.hides == "names"


class _Consequences:
    """What follows from the distorting findings of one object, looked up by their paths."""

    def __init__(self, causes: Sequence[RuleFinding]) -> None:
        self._at: dict[FieldPath, RuleFinding] = {}
        self._above: dict[FieldPath, RuleFinding] = {}
        self._beside: dict[FieldPath, RuleFinding] = {}
        # What stands a level too high is not missing where it belongs.
        self._moved: dict[FieldPath, RuleFinding] = {}
        self._without_claims: dict[FieldPath, RuleFinding] = {}
        # Pods of which a container's claims are under a key that is no field.
        self._without_uses: dict[FieldPath, RuleFinding] = {}
        for cause in causes:
            path, hides = cause.path, RULES[cause.code].traits.hides
            self._at.setdefault(path, cause)
            for end in range(len(path) + 1):
                self._above.setdefault(path[:end], cause)
            self._beside.setdefault(path[:-1], cause)
            if hides == "level" and path:
                self._moved.setdefault((*path[:-1], "exactly", path[-1]), cause)
            elif path and str(path[-1]).lower() == "resourceclaims":
                self._without_claims.setdefault(path[:-1], cause)
            if hides == "field" and path[-2:-1] == ("resources",):
                self._without_uses.setdefault(path[:-4], cause)

    def cause_of(self, each: RuleFinding) -> RuleFinding | None:
        """The finding from which another one follows."""
        path, traits = each.path, RULES[each.code].traits
        # Of two distorting findings at one place the first in order stays.
        lengths = range(len(path) if traits.distorts else len(path) + 1)
        above = _first(self._at, (path[:end] for end in lengths))
        if above is not None or traits.compares == "unknown-fields":
            return above
        if traits.compares == "pod-claims":  # the claims of the pod were not read
            return _first(self._without_claims, (path[:end] for end in range(len(path))))
        if traits.compares == "container-claims":  # nor were those of the container
            return _first(self._without_uses, (path[:end] for end in range(len(path))))
        written = _written(each)
        if len(written) < len(path):  # nothing is there, because it is beside it under another name
            return self._beside.get(written) or self._moved.get(path)
        if traits.about != "absence":
            return None
        # The absence is reported at the mapping (`requests[0]`) or at the field that is not there.
        return self._above.get(path) or self._beside.get(path[:-1]) or self._moved.get(path)


def _written(found: RuleFinding) -> FieldPath:
    """The part of a finding's path that the object has."""
    ends = range(len(found.path), 0, -1)
    there = (end for end in ends if find_at(found.manifest.data, found.path[:end]) is not None)
    return found.path[: next(there, 0)]


def _first(
    causes: Mapping[FieldPath, RuleFinding], paths: Iterable[FieldPath]
) -> RuleFinding | None:
    return next((causes[path] for path in paths if path in causes), None)
