"""Comments that silence findings: `# dradsl: ignore[DRA301] reason`, on the line or above it.

For a line on which a longer scalar begins (`expression: |`) they apply to all of its lines.
`# dradsl: ignore-file[DRA301]` is for the whole file. In Markdown a comment of HTML applies to the
fenced block below it: `<!-- dradsl: ignore[DRA301] -->`. Inside a CEL expression, where `#` is no
comment, `// dradsl: ignore[DRA201]` does the same for its line and the next.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from dradsl.records import Record
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.diagnostics import Span
    from dradsl.text.documents import Stream

__all__ = ["Ignore", "find_ignores"]

_DIRECTIVE = pattern(
    r"dradsl:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]\r\n]*)\]|(?P<open>\[?))[ \t]*(?P<reason>[^\r\n]*)"
)
_CODE = pattern(r"[A-Za-z0-9_-]+")
_CONTENT = pattern(r"^[ \t]*[^\s#]", re.MULTILINE)
_CEL = pattern(r"//[ \t]*(?=dradsl:\s*ignore)[^\r\n]*")

_HTML = pattern(r"<!--[ \t]*(?=dradsl:\s*ignore)[^\r\n<]*?(?=[ \t]*-->)")
_FENCE = pattern(
    r"[ \t]*-->[ \t\r]*\n(?:[ \t\r]*\n)*(?:[ ]*(?:[-*+]|[0-9]{1,9}[.)])(?=[ ]))*[ ]*"
    r"(?P<fence>`{3,}|~{3,})[^\n]*\n?"
)


class Ignore(Record):
    """One ignore comment.

    `codes` are codes, code prefixes or rule names as written, each with its place in `spans`; none
    means that the comment is faulty: what is ignored must be named. `lines` are the first and last
    line that it applies to, None for the whole file. `span` is the comment.
    """

    codes: tuple[str, ...]
    spans: tuple[Span, ...]
    reason: str
    span: Span
    lines: tuple[int, int] | None

    def covers(self, line: int) -> bool:
        """Whether a finding that begins on `line` is meant."""
        return self.lines is None or self.lines[0] <= line <= self.lines[1]


def find_ignores(stream: Stream, inner: Sequence[tuple[int, int]] = ()) -> tuple[Ignore, ...]:
    """The ignore comments of a file, in order.

    `inner` are parts of the text that hold YAML of their own within a string.
    """
    text = stream.text
    if "dradsl:" not in text:
        return ()
    chunks = [(chunk.start, chunk.end) for chunk in stream.splitter(text)]
    found = [ignore for start, end in (*chunks, *inner) for ignore in _of_yaml(stream, start, end)]
    if stream.is_page:
        found += _of_page(stream, [start for start, _ in chunks])
    taken = {ignore.span.line for ignore in found}
    for start, end in chunks:
        for match in _CEL.finditer(text, start, end):
            target = _next_line_if_alone(stream, match.start())
            ignore = _ignore(stream, match.start(), match[0], _last_line(stream, target, ()))
            if ignore is not None and ignore.span.line not in taken:
                found.append(ignore)
    return tuple(sorted(found, key=lambda ignore: ignore.span))


def _of_page(stream: Stream, starts: Sequence[int]) -> Iterator[Ignore]:
    """Comments of HTML; `starts` are those of the documents in the page."""
    text = stream.text
    for match in _HTML.finditer(text):
        fence = _FENCE.match(text, match.end())
        last = stream.lines.position(match.start())[0]
        if fence is not None:
            at = bisect_left(starts, fence.end())
            if at < len(starts) and not text[fence.end() : starts[at]].strip("- \t\r\n"):
                closing = re.compile(rf"^[ >\t]*{fence['fence']}", re.MULTILINE)
                end = closing.search(text, starts[at])
                last = stream.lines.position(end.start() if end else len(text))[0]
        ignore = _ignore(stream, match.start(), match[0], last)
        if ignore is not None:
            yield ignore


def _of_yaml(stream: Stream, first: int, end: int) -> Iterator[Ignore]:
    from dradsl.text.comments import find_comments

    text = stream.text
    scan = find_comments(text[first:end], _DIRECTIVE)
    scalars = [(first + start, first + stop) for start, stop in scan.scalars]
    content = -1
    last_lines: dict[int, int] = {}  # by target: a run of comments has one
    for comment in scan.comments:
        start = first + comment.start
        target = start
        if comment.own_line:
            # A comment alone applies to the next line with content, the same for a run of them.
            if content < start:
                match = _CONTENT.search(text, first + comment.end)
                content = match.start() if match else len(text)
            target = content
        if target not in last_lines:
            last_lines[target] = _last_line(stream, target, scalars)
        ignore = _ignore(stream, start, comment.text, last_lines[target])
        if ignore is not None:
            yield ignore


def _ignore(stream: Stream, start: int, comment: str, last_line: int) -> Ignore | None:
    """The directive in a comment; `last_line` is the last one that it is about."""
    match = _DIRECTIVE.search(comment)
    if match is None:
        return None
    lines = stream.lines
    codes = match["codes"] or ""
    base = start + match.start("codes")
    places = [(code[0], base + code.start(), base + code.end()) for code in _CODE.finditer(codes)]
    span = lines.span(start, start + len(comment.rstrip()))
    return Ignore(
        tuple(name for name, _, _ in places),
        tuple(lines.span(first, last) for _, first, last in places),
        match["reason"].strip(),
        span,
        None if match["file"] else (span.line, last_line),
    )


def _last_line(stream: Stream, target: int, scalars: Sequence[tuple[int, int]]) -> int:
    """The line at `target`, or the last line of a scalar that begins on it."""
    lines = stream.lines
    last = lines.position(target)[0]
    first_offset, stop = lines.offset(last, 1), lines.offset(last + 1, 1)
    at = bisect_left(scalars, (first_offset, 0))
    while at < len(scalars) and scalars[at][0] < stop:
        start, end = scalars[at]
        end = start + len(stream.text[start:end].rstrip())
        last = max(last, lines.position(end)[0])
        at += 1
    return last


def _next_line_if_alone(stream: Stream, offset: int) -> int:
    text, lines = stream.text, stream.lines
    alone = not text[text.rfind("\n", 0, offset) + 1 : offset].strip()
    return lines.offset(lines.position(offset)[0] + 1, 1) if alone else offset
