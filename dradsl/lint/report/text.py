"""The report for people: one block a finding, with the source line and a caret."""

from __future__ import annotations

import functools
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from dradsl.data import data_folder
from dradsl.diagnostics import Finding
from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.places import SourceLines
from dradsl.lint.report.terminal import Style, wrap_prose
from dradsl.records import replace
from dradsl.text.files import read_bytes
from dradsl.tree.inputs.choice import PLAIN_PARTS
from dradsl.tree.inputs.sources import NotLinted
from dradsl.values.counted import plural
from dradsl.values.patterns import pattern
from dradsl.values.printable import printable

__all__ = ["reason_of", "render", "summary_line"]

_NAMED_PATHS = 3  # how many skipped files a note names
_PROSE = ("help", "why")  # our own words: these may be wrapped
_NARROWEST_PROSE = 30
_SECTION = pattern(r"^## Why it hurts\n\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE = pattern(r"(.+?)\.(?:\s|$)")


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write the findings, then notes, the summary and the hint on fixes."""
    style = Style(options.color)
    lines = SourceLines(report.sources)
    for number, finding in enumerate(_explained_once(report.findings)):
        block = "\n".join(_finding(finding, report, lines, options.width, style))
        yield f"\n{block}\n" if number else f"{block}\n"
    if options.quiet:
        return
    if report.findings:
        yield "\n"
    notes = (*report.notes, *_skipped_notes(report.skipped))
    yield from (f"{style('bold', 'note:')} {printable(note)}\n" for note in notes)
    yield summary_line(report) + "\n"
    hint = _fix_hint(report.findings)
    if hint:
        yield hint + "\n"


def _explained_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, the first of each rule with the reason why it hurts."""
    explained: set[str] = set()
    for finding in findings:
        if finding.why is None and finding.code not in explained:
            yield replace(finding, why=reason_of(finding.code))
        else:
            yield finding
        explained.add(finding.code)


def summary_line(report: Report) -> str:
    """Say in one line what was found in how much: "2 errors in 1 file (12 documents)"."""
    files = plural(report.files, "file")
    documents = plural(report.documents, "document")
    found = [plural(count, str(severity)) for severity, count in report.counts.items() if count]
    if found:
        return f"{', '.join(found)} in {files} ({documents})"
    if report.unfinished:
        return f"Nothing found in what was looked at: {files} ({documents})"
    if parts := sum(each.reason == PLAIN_PARTS for each in report.skipped if report.is_empty):
        return f"Nothing found outside of the braces of {plural(parts, 'template')}"
    if report.files == 0:
        return "Nothing to check: no manifests found"
    if report.is_empty:
        return f"Nothing was checked: no Kubernetes object in {files} ({documents})"
    return f"All good: {files} ({documents})"


def _finding(
    finding: Finding, report: Report, lines: SourceLines, width: int, style: Style
) -> Iterator[str]:
    span = finding.span
    place = f"{printable(finding.path)}:{span.line}:{span.column}:"
    rule = f"{finding.code} {finding.name} {style(finding.severity, finding.severity)}:"
    message, *more = printable(finding.message, keep_newlines=True).split("\n")
    yield f"{style('bold', place)} {rule} {message}"
    yield from (f"    {line}" for line in more)
    from dradsl.lint.report.excerpt import excerpt

    source = lines.line(finding.path, span.line)
    indent = len(str(span.line)) if source is not None else 1
    if source is not None:
        bar = style("gutter", " " * (indent + 1) + "|")
        shown = excerpt(source, span, width - indent - 3 if width else 0)
        yield bar
        number = style("gutter", f"{span.line} |")
        yield f"{number} {shown.line}".rstrip()
        yield f"{bar} {style(finding.severity, shown.carets)}"
    for label, text in _explanations(finding, report.releases):
        yield from _labelled(" " * (indent + 1), label, text, width, style)


def _explanations(finding: Finding, releases: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The lines below the excerpt, in the order in which a reader needs them."""
    if finding.help:
        yield "help", finding.help
    if finding.why:
        yield "why", f"{finding.why} (see `dradsl rule {finding.code}`)"
    if finding.upstream:
        yield "upstream", finding.upstream
    if finding.kubernetes and finding.kubernetes != releases:
        yield "kubernetes", ", ".join(finding.kubernetes)
    if finding.origin:
        yield "origin", finding.origin
    for place in finding.related:
        yield "related", f"{place.path}:{place.span.line}:{place.span.column}: {place.message}"
    for each in finding.folded:
        if each.code != finding.code:
            at = f"{each.path}:{each.span.line}:{each.span.column}"
            yield "follows", f"{at}: {each.code} {each.message}"


def _labelled(indent: str, label: str, text: str, width: int, style: Style) -> Iterator[str]:
    lines = printable(text, keep_newlines=True).split("\n")
    below = indent + " " * len(f"= {label}: ")
    if label in _PROSE and width:
        lines = [part for line in lines for part in _wrapped(line, width - len(below))]
    mark = style("gutter", "=")
    yield f"{indent}{mark} {style('bold', label + ':')} {lines[0]}"
    # The API server's own texts carry lines with a caret of their own: keep them aligned.
    yield from (f"{below}{line}".rstrip() for line in lines[1:])


def _wrapped(line: str, room: int) -> list[str]:
    """Prose in lines of at most `room` columns; on a terminal too narrow for that, as it is."""
    if room < _NARROWEST_PROSE or len(line) <= room:
        return [line]
    return wrap_prose(line, room)


def _skipped_notes(skipped: Iterable[NotLinted]) -> Iterator[str]:
    by_reason: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for file in skipped:
        by_reason[file.reason, file.named].append(file.name)
    for (reason, named), paths in by_reason.items():
        if not named:
            yield f"skipped {plural(len(paths), 'file')} ({reason}); --show-files lists them"
            continue
        names = ", ".join(paths[:_NAMED_PATHS])
        more = f" and {len(paths) - _NAMED_PATHS} more" if len(paths) > _NAMED_PATHS else ""
        yield f"skipped {plural(len(paths), 'file')} ({reason}): {names}{more}"


def _fix_hint(findings: Iterable[Finding]) -> str | None:
    fixes = Counter(finding.fix.applicability for finding in findings if finding.fix)
    safe, unsafe = fixes["safe"], fixes["unsafe"]
    if safe and unsafe:
        return f"{safe} fixable with --fix, {unsafe} more with --fix --unsafe-fixes"
    if safe:
        return f"{safe} fixable with --fix"
    if unsafe:
        return f"{unsafe} fixable with --fix --unsafe-fixes"
    return None


# Why a finding hurts. A report needs one sentence of a few documents: parsing these with their examples would cost more
# than the rest of the report.


def reason_of(code: str) -> str | None:
    """The first sentence of the rule's "Why it hurts", to be after a label; None without one."""
    folder = data_folder("rules")
    name = _documents(folder).get(code)
    path = None if name is None else os.path.join(folder, name)
    section = None if path is None else _SECTION.search(read_bytes(path).decode())
    if section is None:
        return None
    paragraph = " ".join(section[1].split())
    sentence = _SENTENCE.match(paragraph)
    return _as_clause(sentence[1] if sentence else paragraph)


@functools.cache
def _documents(folder: str) -> dict[str, str]:
    """The names of the rules' documents in a folder, by their codes."""
    return {name.partition("-")[0]: name for name in os.listdir(folder)}


def _as_clause(sentence: str) -> str:
    """A sentence without its capital and its full stop."""
    word = sentence.partition(" ")[0]
    lower = word.istitle() or word == "A"
    return (sentence[:1].lower() + sentence[1:] if lower else sentence).removesuffix(".")
