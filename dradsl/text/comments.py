"""The comments of a YAML text: those that are comments, not `#` within a string."""

from __future__ import annotations

import re
from bisect import bisect_right

from dradsl.records import Record
from dradsl.text.pyyaml import EventParser, yaml
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Comment", "Scan", "find_comments"]

_SURROGATE = pattern("[\ud800-\udfff]")
_MARK = pattern(r"(?:^|(?<=[ \t\r\n]))#[^\r\n]*", re.MULTILINE)


class Comment(Record):
    """A comment from its `#` on; `own_line` if nothing is before it on its line."""

    start: int
    end: int
    text: str
    own_line: bool


class Scan(Record):
    """The comments looked for, and where all scalars stand: from their first character on."""

    comments: tuple[Comment, ...]
    scalars: tuple[tuple[int, int], ...]


def find_comments(chunk: str, pattern: re.Pattern[str]) -> Scan:
    """The comments of one document that `pattern` is found in.

    In text that is no YAML every `#` after white space counts. The document is scanned only if
    there is something to find.
    """
    candidates = [match for match in _MARK.finditer(chunk) if pattern.search(match[0])]
    if not candidates:
        return Scan((), ())
    scalars = list(_scalars(chunk))
    begins = [_content_start(chunk, *scalar) for scalar in scalars]
    comments = []
    for match in candidates:
        before = bisect_right(begins, match.start()) - 1
        if before < 0 or match.start() >= scalars[before][1]:
            line_start = chunk.rfind("\n", 0, match.start()) + 1
            own_line = not chunk[line_start : match.start()].strip()
            comments.append(Comment(match.start(), match.end(), match[0], own_line))
    return Scan(tuple(comments), tuple((start, end) for start, end, _ in scalars))


def _scalars(chunk: str) -> Iterator[tuple[int, int, str]]:
    # A byte that is no UTF-8 stands as a lone surrogate, which the parser does not take.
    parser: Any = EventParser(_SURROGATE.sub("\ufffd", chunk))
    try:
        while parser.check_event():
            event = parser.get_event()
            if event.__class__ is yaml.ScalarEvent:
                start: Any = event.start_mark
                end: Any = event.end_mark
                yield start.index, end.index, event.style or ""
    except yaml.YAMLError:
        # What was read up to the fault counts.
        return
    finally:
        parser.dispose()


def _content_start(chunk: str, start: int, end: int, style: str) -> int:
    """Where a scalar hides comments: a block scalar only below its header, which may have one."""
    if style not in ("|", ">"):
        return start
    line_end = chunk.find("\n", chunk.find(style, start, end))
    return end if line_end < 0 else line_end
