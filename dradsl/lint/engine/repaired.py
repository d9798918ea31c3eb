"""Files that are no YAML and have obvious repairs: what is wrong with them is said, and what is wrong besides."""

from __future__ import annotations

from collections.abc import Callable

from dradsl.diagnostics import Finding
from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine.after_shape_fixes import as_written
from dradsl.lint.engine.state import RunInput
from dradsl.lint.engine.textual import repairable, text_findings
from dradsl.lint.report.model import Report, sort_key
from dradsl.records import replace
from dradsl.text.edits import apply
from dradsl.text.original_places import OriginalPlaces

__all__ = ["report_with_repairs"]

_ROUNDS = 20  # repairs of a file


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
        for _ in range(_ROUNDS):
            document, repair = next(repairable(source), (None, None))
            if document is None or repair is None or source.name in left:
                break
            text, edits = source.stream.text, repair.edits_of(document)
            lines |= {(source.name, places[source.name].before(text, e.span).line) for e in edits}
            for each in text_findings(source):
                if each.document == document.index:
                    words = repair.words(document)
                    here = replace(each, help=words or each.help)
                    if words and edits[0].span.line < each.span.line:
                        here = replace(here, span=edits[0].span)
                    told.append(as_written(here, {source.name: text}, places))
            places[source.name].edited(text, edits)
            source = replace(source, stream=source.stream.reread(apply(text, edits)))
        sources.append(source)
    if not told:
        return None
    report = lint(replace(work, sources=(*sources,), failures=(*work.failures, *told)))
    now = {source.name: source.stream.text for source in sources}
    bad = {
        each.path
        for each in report.findings
        if each.path in places
        and (traits := traits_of(each.code)).distorts
        and traits.about == "shape"
        and (each.path, places[each.path].before(now[each.path], each.span).line) in lines
    }
    if bad:
        return report_with_repairs(work, lint, left | bad)
    said = {(each.code, each.message, each.span) for each in told}
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
