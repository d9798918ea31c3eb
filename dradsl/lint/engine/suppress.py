"""Ignores: which findings a comment or an annotation hides, and which ignores hide nothing."""

from __future__ import annotations

import math
from bisect import bisect_left

from dradsl.lint.settings.selection import is_known, selects
from dradsl.records import Record, once
from dradsl.values.plain import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal, TypeAlias

    from dradsl.diagnostics import Finding, Span
    from dradsl.lint.custom.model import CustomRule
    from dradsl.text.ignores import Ignore
    from dradsl.tree.manifests.manifest import Manifest

    _Place: TypeAlias = tuple[float, int]  # line and column

__all__ = [
    "ANNOTATION",
    "ObjectIgnore",
    "Suppressed",
    "UnusedIgnore",
    "object_ignore",
    "suppress",
]

ANNOTATION = "dradsl.dev/ignore"
_START: _Place = (0, 0)
_END: _Place = (math.inf, 0)


class ObjectIgnore(Record):
    """The annotation of an object: `covers` is the object, `span` the annotation."""

    codes: tuple[str, ...]
    covers: Span
    span: Span


class UnusedIgnore(Record):
    """Codes of one ignore that hid nothing or that no rule has; none: it names nothing at all."""

    codes: tuple[str, ...]
    span: Span
    problem: Literal["unused", "unknown", "empty"]


class Suppressed(Record):
    """The findings of a file that no ignore hides, and the ignores that hide none."""

    kept: tuple[Finding, ...]
    unused: tuple[UnusedIgnore, ...]


def object_ignore(manifest: Manifest) -> ObjectIgnore | None:
    """The ignore annotation of an object, if it has one that is text."""
    value = member(manifest.data, "metadata", "annotations", ANNOTATION)
    if not isinstance(value, str):
        return None
    codes = tuple(code for part in value.split(",") if (code := part.strip()))
    span = manifest.span(("metadata", "annotations", ANNOTATION))
    return ObjectIgnore(codes, manifest.node.span, span)


def suppress(
    findings: Sequence[Finding],
    comments: Iterable[Ignore] = (),
    objects: Iterable[ObjectIgnore] = (),
    active: Mapping[str, str] | None = None,
    own: Sequence[CustomRule] = (),
    unread: Sequence[tuple[int, int]] = (),
) -> Suppressed:
    """Apply the ignores of one file to its findings.

    `active` maps the codes of the rules that ran to their names: an ignore of a rule that did not
    run is not reported as unused. None means that all ran. `own` are the rules of the team.
    `unread` are the first and last lines of what could not be judged: whether an ignore there
    hides something is not known, so it is not reported as unused.
    """
    ignores: list[Ignore | ObjectIgnore] = [*comments, *objects]
    if not ignores:
        return Suppressed(tuple(findings), ())
    by_code = _by_code(ignores, own)
    used: set[tuple[int, str]] = set()
    hidden: set[int] = set()
    for rule, places in _by_rule(findings).items():
        for selector, covered in by_code.items():
            if selects(selector, *rule):
                used.update(_used(selector, covered, places))
                hidden.update(_hidden(covered, places))
    kept = tuple(f for index, f in enumerate(findings) if index not in hidden)
    unused = _unused(ignores, used, active, own)
    if unread:
        blind = {ignore.span for ignore in ignores if _meets(ignore, unread)}
        unused = tuple(u for u in unused if u.problem != "unused" or u.span not in blind)
    return Suppressed(kept, unused)


def _meets(ignore: Ignore | ObjectIgnore, parts: Sequence[tuple[int, int]]) -> bool:
    """Whether an ignore covers a line of one of these parts."""
    first, end = _covered(ignore)
    return any(first < (last + 1, 0) and (begin, 0) < end for begin, last in parts)


def _by_code(
    ignores: Sequence[Ignore | ObjectIgnore],
    own: Sequence[CustomRule],
) -> dict[str, list[tuple[_Place, _Place, int]]]:
    """What each code covers, in order: from the first place up to the second, and by which ignore.

    Only codes of rules: what names none hides nothing.
    """
    known: dict[str, bool] = {}
    found: dict[str, list[tuple[_Place, _Place, int]]] = {}
    for index, ignore in enumerate(ignores):
        first, end = _covered(ignore)
        for code in ignore.codes:
            if once(known, code, lambda code: is_known(code, own)):
                found.setdefault(code, []).append((first, end, index))
    return {code: sorted(covered) for code, covered in found.items()}


def _covered(ignore: Ignore | ObjectIgnore) -> tuple[_Place, _Place]:
    if isinstance(ignore, ObjectIgnore):
        covers = ignore.covers
        return (covers.line, covers.column), (covers.end_line, covers.end_column)
    if ignore.lines is None:
        return _START, _END
    return (ignore.lines[0], 0), (ignore.lines[1] + 1, 0)


def _by_rule(findings: Sequence[Finding]) -> dict[tuple[str, str], list[tuple[_Place, int]]]:
    """Where each rule found something, in order, and the index of the finding."""
    found: dict[tuple[str, str], list[tuple[_Place, int]]] = {}
    for index, each in enumerate(findings):
        place = (each.span.line, each.span.column)
        found.setdefault((each.code, each.name), []).append((place, index))
    return {rule: sorted(places) for rule, places in found.items()}


def _used(
    code: str, covered: Sequence[tuple[_Place, _Place, int]], places: Sequence[tuple[_Place, int]]
) -> Iterator[tuple[int, str]]:
    """The ignores in whose range there is a finding."""
    for first, end, index in covered:
        at = bisect_left(places, (first, -1))
        if at < len(places) and places[at][0] < end:
            yield index, code


def _hidden(
    covered: Sequence[tuple[_Place, _Place, int]], places: Sequence[tuple[_Place, int]]
) -> Iterator[int]:
    """The findings that lie in some range."""
    at, reach = 0, _START
    for place, index in places:
        while at < len(covered) and covered[at][0] <= place:
            reach = max(reach, covered[at][1])
            at += 1
        if place < reach:
            yield index


def _unused(
    ignores: Sequence[Ignore | ObjectIgnore],
    used: set[tuple[int, str]],
    active: Mapping[str, str] | None,
    own: Sequence[CustomRule],
) -> tuple[UnusedIgnore, ...]:
    found = []
    known: dict[str, bool] = {}
    ran: dict[str, bool] = {}
    for code in {code for ignore in ignores for code in ignore.codes}:
        known[code] = is_known(code, own)
        ran[code] = known[code] and _ran(code, active)
    for index, ignore in enumerate(ignores):
        if not ignore.codes:
            found.append(UnusedIgnore((), ignore.span, "empty"))
        idle = [code for code in ignore.codes if (index, code) not in used]
        unknown = tuple(code for code in idle if not known[code])
        unused = tuple(code for code in idle if ran[code])
        if unknown:
            found.append(UnusedIgnore(unknown, ignore.span, "unknown"))
        if unused:
            found.append(UnusedIgnore(unused, ignore.span, "unused"))
    return tuple(found)


def _ran(selector: str, active: Mapping[str, str] | None) -> bool:
    return active is None or any(selects(selector, code, name) for code, name in active.items())
