"""`--add-ignores`: an ignore comment above every line with findings, so that a run is clean."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter

from dradsl.diagnostics import Edit, Span
from dradsl.lint.catalogue.rules import INTERNAL_ERROR, traits_of
from dradsl.records import replace
from dradsl.text.files import FileError
from dradsl.values.limits import ROUNDS_OF_IGNORES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine.workload import RunInput
    from dradsl.text.nodes import ScalarNode
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["add_ignores", "ignore_comment"]


def add_ignores(
    work: RunInput, findings: Sequence[Finding], check: Callable[[RunInput], Sequence[Finding]]
) -> tuple[int, list[Finding], list[FileError]]:
    """Write the comments into the files.

    `check` finds in changed files what a run would report. Returns how many comments were written,
    the findings that no comment can hide, and why files could not be written.

    A comment goes above the line, with its indentation. Inside a text of several lines `#` is text
    too: there it goes above the line on which the text begins, and applies to all of it. JSON has no
    comments. In text that is no YAML a comment may change what is wrong: one that does not hide
    just what it names is not written. Adding once more to the result adds nothing.
    """
    now, left = work, tuple(findings)
    for _ in range(ROUNDS_OF_IGNORES):
        before = now
        now, left = _commented(before, left, check)
        if now is before:
            break
    else:
        # Files that still change have no rest: they stay as they were.
        restless = {s.name for s, t in zip(now.sources, before.sources, strict=True) if s is not t}
        now = replace(
            now,
            sources=tuple(
                old if old.name in restless else new
                for old, new in zip(work.sources, now.sources, strict=True)
            ),
        )
        left = tuple(check(now))
    written = 0
    failures: list[FileError] = []
    for old, new in zip(work.sources, now.sources, strict=True):
        if new.stream.text != old.stream.text:
            try:
                old.rewrite(new.stream.text)
                written += new.stream.text.count("\n") - old.stream.text.count("\n")
            except FileError as error:
                failures.append(error)
    failed = {failure.path for failure in failures}
    # What no comment hides needs none.
    kept = [f for f in left if f.code != INTERNAL_ERROR and f.path not in failed]
    names = {source.name for source in work.sources}
    return written, [f for f in kept if f.path in names], failures


def _commented(
    work: RunInput, findings: Sequence[Finding], check: Callable[[RunInput], Sequence[Finding]]
) -> tuple[RunInput, tuple[Finding, ...]]:
    """`work` with the comments that hide what they name and nothing more, and what is found then.

    `work` itself if no comment does.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    drafts = [
        _Draft(source, lines, by_path[source.name])
        for source in work.sources
        if source.name in by_path and (lines := _lines(source, by_path[source.name]))
    ]
    tried, known = work, tuple(findings)
    # Halves of what does not work are tried until the lines are found that spoil it; all files at once.
    while any(draft.pending for draft in drafts):
        tried = _with(work, {draft.source.name: draft.trial() for draft in drafts})
        known = tuple(check(tried))
        found: dict[str, list[Finding]] = {}
        for finding in known:
            found.setdefault(finding.path, []).append(finding)
        for draft in drafts:
            if draft.pending:
                draft.judge(found.get(draft.source.name, ()))
    changed = {draft.source.name: draft.result() for draft in drafts if draft.accepted}
    if not changed:
        return work, tuple(findings)
    now = _with(work, changed)
    if all(a.stream.text == b.stream.text for a, b in zip(tried.sources, now.sources, strict=True)):
        return now, known
    return now, tuple(check(now))


def _with(work: RunInput, texts: Mapping[str, str]) -> RunInput:
    return replace(
        work,
        sources=tuple(
            replace(s, stream=s.stream.reread(texts[s.name])) if s.name in texts else s
            for s in work.sources
        ),
    )


class _Draft:
    """The comments for one file: those that are known to work, and groups of lines yet to be tried."""

    def __init__(
        self, source: SourceText, lines: Mapping[int, set[str]], findings: Sequence[Finding]
    ) -> None:
        self.source = source
        self.accepted: set[int] = set()
        self.pending: list[list[int]] = [sorted(lines)]
        self._lines = lines
        self._findings = findings
        self._target = _targets(source)

    def trial(self) -> str:
        """The text with the accepted comments and those to be tried next."""
        return self._text(self._tried())

    def result(self) -> str:
        """The text with the accepted comments."""
        return self._text(self.accepted)

    def judge(self, found: Iterable[Finding]) -> None:
        """Accept what was tried if nothing is found in it but what is expected; else try its halves."""
        tried = self._tried()
        group = self.pending.pop()
        if Counter((f.code, f.span.line) for f in found) == self._expected(tried):
            self.accepted = tried
        elif len(group) > 1:
            middle = len(group) // 2
            self.pending += [group[middle:], group[:middle]]

    def _tried(self) -> set[int]:
        return self.accepted.union(*self.pending[-1:])

    def _text(self, lines: Iterable[int]) -> str:
        from dradsl.text.edits import apply

        edits = [_comment(self.source, line, self._lines[line]) for line in sorted(lines)]
        return apply(self.source.stream.text, edits)

    def _expected(self, lines: set[int]) -> Counter[tuple[str, int]]:
        """What is left to find once there are comments above `lines`, and where it then stands."""
        above = sorted(lines)
        return Counter(
            (f.code, f.span.line + bisect_right(above, f.span.line))
            for f in self._findings
            if not traits_of(f.code).ignore
            or self._target.get(f.span.line, f.span.line) not in lines
        )


def _lines(source: SourceText, findings: Iterable[Finding]) -> dict[int, set[str]]:
    """Line -> the codes to ignore there, of the findings that have a line for a comment."""
    lines: dict[int, set[str]] = {}
    if not source.stream.documents or _is_json(source.stream.text):
        return {}
    begins = _targets(source)
    for finding in findings:
        line = begins.get(finding.span.line, finding.span.line)
        if line not in begins and traits_of(finding.code).ignore:
            lines.setdefault(line, set()).add(finding.code)
    return lines


def ignore_comment(source: SourceText, finding: Finding) -> Edit | None:
    """The comment that hides a finding, above its line; None where no comment can stand."""
    lines = _lines(source, (finding,))
    return next((_comment(source, line, codes) for line, codes in lines.items()), None)


def _targets(source: SourceText) -> dict[int, int]:
    """Lines inside of texts of several lines, and where those begin."""
    return {
        line: scalar.span.line for scalar in _long_scalars(source) for line in _inner_lines(scalar)
    }


def _is_json(text: str) -> bool:
    """Whether a text is JSON, which has no comments; YAML in braces is not."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _long_scalars(source: SourceText) -> Iterable[ScalarNode]:
    from dradsl.text.nodes import MappingNode, ScalarNode, SequenceNode

    pending = [document.root for document in source.stream.documents]
    while pending:
        node = pending.pop()
        if isinstance(node, MappingNode):
            pending += [entry.value for entry in node.entries if not entry.merged]
        elif isinstance(node, SequenceNode):
            pending += node.items
        elif isinstance(node, ScalarNode) and node.span.line != node.span.end_line:
            yield node


def _inner_lines(scalar: ScalarNode) -> range:
    """The lines of a scalar after its first: nothing can be written between them."""
    return range(scalar.span.line + 1, scalar.span.end_line + 1)


def _comment(source: SourceText, line: int, codes: set[str]) -> Edit:
    lines = source.stream.lines
    text = lines.line(line)
    indent = text[: len(text) - len(text.lstrip(" "))]
    newline = "\r\n" if "\r\n" in source.stream.text else "\n"
    comment = f"{indent}# dradsl: ignore[{', '.join(sorted(codes))}]{newline}"
    return Edit(Span.point(line, 1), comment)
