"""Prints issues as upstream does: position, message, the line and a caret (cel-go `common/error.go`)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["position", "render"]

_MAX_ISSUES = 100
_MAX_SNIPPET = 16384


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset; (-1, 0) for -1, which is no position."""
    if offset < 0:
        return -1, 0
    if not text:
        return 1, 0  # upstream's end of an empty text
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


def render(text: str, issues: Iterable[tuple[int, str]]) -> str:
    """All issues, given as offset and message, the way the API server shows them."""
    listed = list(issues)
    shown = [_issue(text, offset, message) for offset, message in listed[:_MAX_ISSUES]]
    if len(listed) > _MAX_ISSUES:
        shown.append(f"{len(listed) - _MAX_ISSUES} more errors were truncated")
    return "\n".join(shown)


def _issue(text: str, offset: int, message: str) -> str:
    line, column = position(text, offset)
    result = f"ERROR: <input>:{line}:{column}: {message}"
    lines = text.split("\n")
    if not text or line < 1 or line > len(lines):
        return result
    snippet = lines[line - 1]
    if len(snippet.encode("utf-8", "surrogatepass")) > _MAX_SNIPPET:
        return result
    snippet = snippet.replace("\t", " ")
    before = snippet[: max(column - 1, 0)]
    marks = "".join(["." if letter < "\x80" else "．" for letter in before])
    at = snippet[column - 1 : column] if column > 0 else snippet[:1]
    return f"{result}\n | {snippet}\n | {marks}{'＾' if at >= chr(0x80) else '^'}"
