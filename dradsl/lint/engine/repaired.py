"""Files that are no YAML and have obvious repairs: what is wrong with them is said, and what is wrong besides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from dradsl.diagnostics import Edit, Finding
from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine.after_shape_fixes import as_written
from dradsl.lint.engine.state import RunInput
from dradsl.lint.engine.textual import may_be_repaired, repairable, text_findings
from dradsl.lint.report.model import Report, sort_key
from dradsl.records import replace
from dradsl.text.edits import apply
from dradsl.text.original_places import OriginalPlaces
from dradsl.tree.inputs.sources import SourceText
from dradsl.values.limits import ROUNDS_OF_FIXES

__all__ = ["report_with_repairs"]


def report_with_repairs(
    work: RunInput,
    report: Report,
    lint: Callable[[RunInput], Report],
    left: frozenset[str] = frozenset(),
) -> Report | None:
    """The report on the files as their repairs leave them, with the places as they are; None without any.

    What `report`, that on the files as they are written, does not find is not repaired: a patch need not say what it
    is of. Files that are `left` are not repaired: a repaired line has a shape there that nobody can have meant.
    """
    written = {source.name: source.stream.text for source in work.sources}
    places = {name: OriginalPlaces(text) for name, text in written.items()}
    told: list[Finding] = []
    lines: set[tuple[str, int]] = set()
    shown = {(each.code, each.path, each.message) for each in report.findings}
    sources = [
        source if source.name in left else _repaired(source, shown, places, told, lines)
        for source in work.sources
    ]
    if not told:
        return None
    fixed = lint(replace(work, sources=(*sources,), failures=(*work.failures, *told)))
    now = {s.name: s.stream.text for s in sources if s.stream.text != written[s.name]}
    said = {*map(_identity, told)}
    findings = {
        _identity(there): there
        for each in fixed.findings
        for there in (
            as_written(each, now, places)
            if each.path in now and _identity(each) not in said
            else each,
        )
    }
    bad = {
        each.path
        for each in findings.values()
        if _identity(each) not in said
        and (each.path, each.span.line) in lines
        and traits_of(each.code).about == "shape"
        and traits_of(each.code).distorts
    }
    if bad:
        return report_with_repairs(work, report, lint, left | bad)
    ordered = tuple(sorted(findings.values(), key=sort_key))
    return replace(fixed, findings=ordered, sources={**fixed.sources, **written})


def _identity(found: Finding) -> tuple[object, ...]:
    return found.code, found.path, found.message, found.span


def _repaired(
    source: SourceText,
    shown: Collection[tuple[str, str, str]],
    places: Mapping[str, OriginalPlaces],
    told: list[Finding],
    lines: set[tuple[str, int]],
) -> SourceText:
    """A file with its repairs; what they repair goes to `told`, and their `lines`."""
    at = places[source.name]
    for _ in range(ROUNDS_OF_FIXES if may_be_repaired(source) else 0):
        text, edits, found = source.stream.text, *_next(source, shown)
        if not edits:
            break
        lines |= {(source.name, at.before(text, edit.span).line) for edit in edits}
        for each in found:
            there = as_written(each, {source.name: text}, places)
            if each.fix is not None:
                moved = [replace(e, span=at.before(text, e.span)) for e in each.fix.edits]
                there = replace(there, fix=replace(each.fix, edits=(*moved,)))
            told.append(there)
        at.edited(text, edits)
        source = replace(source, stream=source.stream.reread(apply(text, edits)))
    return source


def _next(
    source: SourceText, shown: Collection[tuple[str, str, str]]
) -> tuple[Sequence[Edit], Sequence[Finding]]:
    """The next repair of a file, and what is said of what it repairs: what to write, and at its line."""
    found = [*text_findings(source)]
    document, repair = next(repairable(source), (None, None))
    if document is None or repair is None:  # a field that says what the object is
        found = [each for each in found if (each.code, each.path, each.message) in shown]
        fixable = [(each.fix.edits, [each]) for each in found if each.fix is not None]
        return fixable[0] if fixable else ((), ())
    words, edits = repair.words(document), repair.edits_of(document)
    message = "this line is no part of the object" if words == "remove the line" else None
    return edits, [
        replace(
            each,
            message=message or each.message,
            help=words or each.help,
            span=min(each.span, edits[0].span, key=lambda span: span.line) if words else each.span,
        )
        for each in found
        if each.document == document.index
    ]
