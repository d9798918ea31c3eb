"""Ignores: which findings a comment or an annotation hides, and which ignores hide nothing."""

from __future__ import annotations

from dradsl.lint.settings.selection import is_known, selects
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

    from dradsl.diagnostics import Finding, Span
    from dradsl.lint.input.manifests import Manifest
    from dradsl.text.ignores import Ignore

__all__ = [
    "ANNOTATION",
    "ObjectIgnore",
    "Suppressed",
    "UnusedIgnore",
    "object_ignore",
    "suppress",
]

ANNOTATION = "dradsl.dev/ignore"


@dataclass(frozen=True, slots=True)
class ObjectIgnore:
    """The annotation of an object: `covers` is the object, `span` the annotation."""

    codes: tuple[str, ...]
    covers: Span
    span: Span


@dataclass(frozen=True, slots=True)
class UnusedIgnore:
    """Codes of one ignore that hid nothing or that no rule has; none: it names nothing at all."""

    codes: tuple[str, ...]
    span: Span
    problem: Literal["unused", "unknown", "empty"]


@dataclass(frozen=True, slots=True)
class Suppressed:
    """The findings of a file apart: those to report, and those that an ignore hides."""

    kept: tuple[Finding, ...]
    ignored: tuple[Finding, ...]
    unused: tuple[UnusedIgnore, ...]


def object_ignore(manifest: Manifest) -> ObjectIgnore | None:
    """The ignore annotation of an object, if it has one that is text."""
    metadata = manifest.data.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    value = annotations.get(ANNOTATION) if isinstance(annotations, dict) else None
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
) -> Suppressed:
    """Apply the ignores of one file to its findings.

    `active` maps the codes of the rules that ran to their names: an ignore of a rule that did not
    run is not reported as unused. None means that all ran.
    """
    ignores: list[Ignore | ObjectIgnore] = [*comments, *objects]
    if not ignores:
        return Suppressed(tuple(findings), (), ())
    used: set[tuple[int, str]] = set()
    kept: list[Finding] = []
    ignored: list[Finding] = []
    for finding in findings:
        hits = _hits(finding, ignores)
        used.update(hits)
        (ignored if hits else kept).append(finding)
    return Suppressed(tuple(kept), tuple(ignored), _unused(ignores, used, active))


def _hits(finding: Finding, ignores: Sequence[Ignore | ObjectIgnore]) -> list[tuple[int, str]]:
    """All ignores that hide the finding, each as its index and the code as written."""
    return [
        (index, code)
        for index, ignore in enumerate(ignores)
        if _covers(ignore, finding.span)
        for code in ignore.codes
        if selects(code, finding.code, finding.name)
    ]


def _covers(ignore: Ignore | ObjectIgnore, span: Span) -> bool:
    if isinstance(ignore, ObjectIgnore):
        covers = ignore.covers
        start = (span.line, span.column)
        return (covers.line, covers.column) <= start < (covers.end_line, covers.end_column)
    return ignore.covers(span.line)


def _unused(
    ignores: Sequence[Ignore | ObjectIgnore],
    used: set[tuple[int, str]],
    active: Mapping[str, str] | None,
) -> tuple[UnusedIgnore, ...]:
    found = []
    for index, ignore in enumerate(ignores):
        if not ignore.codes:
            found.append(UnusedIgnore((), ignore.span, "empty"))
        idle = [code for code in ignore.codes if (index, code) not in used]
        unknown = tuple(code for code in idle if not is_known(code))
        unused = tuple(code for code in idle if code not in unknown and _ran(code, active))
        if unknown:
            found.append(UnusedIgnore(unknown, ignore.span, "unknown"))
        if unused:
            found.append(UnusedIgnore(unused, ignore.span, "unused"))
    return tuple(found)


def _ran(selector: str, active: Mapping[str, str] | None) -> bool:
    return active is None or any(selects(selector, code, name) for code, name in active.items())
