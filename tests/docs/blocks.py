"""The fenced blocks of the pages, with the place and the file title of each."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("README.md")),
)

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<head>[^`\n]*)\n(?P<body>.*?)^(?P=indent)(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
_TITLE = re.compile(r'\btitle="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, the name of the file that it shows, its text."""

    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for match in _FENCE.finditer(text):
        head = match["head"].strip()
        title = _TITLE.search(head)
        yield Block(
            page=name_of(page),
            line=text.count("\n", 0, match.start()) + 1,
            language=head.partition(" ")[0],
            title=title[1] if title else "",
            text=textwrap.dedent(match["body"]),
        )


BLOCKS = tuple(block for page in PAGES for block in blocks_of(page))


def fences(text: str) -> int:
    """How many lines begin or end a block: twice the number of blocks, if each has its end."""
    return len(re.findall(r"^ *`{3}(?!`)", text, re.MULTILINE))
