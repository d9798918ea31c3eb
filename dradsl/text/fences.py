"""The fenced parts of a Markdown page that hold YAML or JSON, where they are in the page.

Fences are those of CommonMark (section 4.5, fenced code blocks), also inside list items. A part
that leaves something out is no document: one with a line `...`, or with `<name>` as a value.
"""

from __future__ import annotations

import re

from dradsl.text.splitting import split_indented
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dradsl.text.splitting import Chunk

__all__ = ["split_page"]

# A fence, with list items that open on its line; or a comment of HTML.
_OPENING = pattern(
    r"^(?P<before>(?:[ ]*(?:[-*+]|[0-9]{1,9}[.)])(?=[ ]))*[ ]*)"
    r"(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|(?P<comment><!--))",
    re.MULTILINE,
)
_CLOSING = pattern(r"^[ >\t]*(?P<fence>`{3,}|~{3,})[ \t\r]*$", re.MULTILINE)
_LANGUAGE = pattern(r"[\s{.]*(?:ya?ml|json)(?![\w-])", re.IGNORECASE)
# "...", "# ...", "key: ...", "- ...", "[...]", in quotes too; and values such as <name>.
_SHORTENED = pattern(
    r"""^[^\n"']*?(?<![^\s#:,\[{-])(?:\.\.\.|…)[ \t\r\]},]*(?:[ \t]#[^\n]*)?$|["'](?:\.\.\.|…)["']|[:-][ ]+["']?<[A-Za-z][\w .-]*>""",
    re.MULTILINE,
)


def split_page(text: str) -> Iterator[Chunk]:
    """The chunks of a Markdown page that hold a document each, in order.

    A fence that is not closed has none.
    """
    opening = _OPENING.search(text)
    while opening is not None:
        if opening["comment"]:
            end = text.find("-->", opening.end())
        else:
            end = yield from _fenced(text, opening)
        if end < 0:
            return
        opening = _OPENING.search(text, end)


def _fenced(text: str, opening: re.Match[str]) -> Generator[Chunk, None, int]:
    """The chunks of the block that `opening` begins; gives where it ends, -1 if it does not."""
    fence, info = opening["fence"], opening["info"]
    if fence[0] == "`" and "`" in info:
        return opening.end()  # code within a line
    closing = _CLOSING.search(text, opening.end())
    while closing is not None and not closing["fence"].startswith(fence):
        closing = _CLOSING.search(text, closing.end())
    if closing is None:
        return -1
    start = min(opening.end() + 1, closing.start())
    if _LANGUAGE.match(info):
        # What is indented as a whole is read as if it were not: its separators too.
        lines = text[start : closing.start()].split("\n")
        indents = [len(line) - len(line.lstrip(" ")) for line in lines[:-1] if line.strip()]
        width = max(len(opening["before"]), min(indents, default=0))
        for chunk in split_indented(text, start, closing.start(), width):
            if not _SHORTENED.search(text, chunk.start, chunk.end):
                yield chunk
    return closing.end()
