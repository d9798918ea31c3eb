"""Files that are no YAML and have obvious repairs: what is wrong with them is said, and what is wrong besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dradsl.diagnostics import Edit, Finding
from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine.after_shape_fixes import as_written
from dradsl.lint.engine.state import RunInput
from dradsl.lint.engine.textual import may_be_repaired, repairable, text_findings
from dradsl.lint.report.model import Report, sort_key
from dradsl.records import replace
from dradsl.text.documents import Document
from dradsl.text.edits import apply
from dradsl.text.original_places import OriginalPlaces
from dradsl.text.repairs import Repair

__all__ = ["report_with_repairs"]

_ROUNDS = 20  # repairs of a file


def _worded(found: Sequence[Finding], document: Document, repair: Repair) -> list[Finding]:
    """The findings about the document, with what to write and at its line."""
    words, edit = repair.words(document), repair.edits_of(document)[0]
    of_document = [
        replace(each, help=words or each.help) for each in found if each.document == document.index
    ]
    if not words:
        return of_document
    return [
        replace(each, span=edit.span) if edit.span.line < each.span.line else each
        for each in of_document
    ]


def report_with_repairs(
    work: RunInput, lint: Callable[[RunInput], Report], left: frozenset[str] = frozenset()
) -> Report | None:
    """The report on the files as their repairs leave them, with the places as they are; None without any.

    Files that are `left` are not repaired: a repaired line has a shape there that nobody can have meant.
    """
    written = {source.name: source.stream.text for source in work.sources}
    places = {name: OriginalPlaces(text) for name, text in written.items()}
    told: list[Finding] = []
    lines: set[tuple[str, int]] = set()
    sources = []
    for source in work.sources:
        for _ in range(_ROUNDS if source.name not in left and may_be_repaired(source) else 0):
            found = [*text_findings(source)]
            document, repair = next(repairable(source), (None, None))
            edits: Sequence[Edit] = ()
            if document is not None and repair is not None:
                edits, found = repair.edits_of(document), _worded(found, document, repair)
            else:  # a field that says what the object is
                fixed = next((each for each in found if each.fix is not None), None)
                if fixed is not None and fixed.fix is not None:
                    edits, found = fixed.fix.edits, [fixed]
            if not edits:
                break
            at, text = places[source.name], source.stream.text
            lines |= {(source.name, at.before(text, edit.span).line) for edit in edits}
            for each in found:
                there = as_written(each, {source.name: text}, places)
                if each.fix is not None:
                    moved = [replace(e, span=at.before(text, e.span)) for e in each.fix.edits]
                    there = replace(there, fix=replace(each.fix, edits=(*moved,)))
                told.append(there)
            at.edited(text, edits)
            source = replace(source, stream=source.stream.reread(apply(text, edits)))
        sources.append(source)
    if not told:
        return None
    report = lint(replace(work, sources=(*sources,), failures=(*work.failures, *told)))
    now = {source.name: source.stream.text for source in sources}
    said = {(each.code, each.message, each.span) for each in told}
    bad = {
        each.path
        for each in report.findings
        if each.path in places
        and (each.code, each.message, each.span) not in said
        and (traits := traits_of(each.code)).distorts
        and traits.about == "shape"
        and (each.path, places[each.path].before(now[each.path], each.span).line) in lines
    }
    if bad:
        return report_with_repairs(work, lint, left | bad)
    findings = [
        each
        if (each.code, each.message, each.span) in said
        else as_written(each, now, places)
        if now.get(each.path, "") != written.get(each.path, "")
        else each
        for each in report.findings
    ]
    unique = {(each.code, each.message, each.span): each for each in findings}
    ordered = tuple(sorted(unique.values(), key=sort_key))
    return replace(report, findings=ordered, sources={**report.sources, **written})
