"""Wide tables in pages: each cell names its column, so that a phone can show a row as a card and cut nothing."""

from __future__ import annotations

import re
from html import escape, unescape

__all__ = ["with_cards"]

LEAST = 3  # columns; fewer fit beside each other
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td\b(.*?)>")
_TAG = re.compile(r"<[^>]+>")


def with_cards(html: str) -> str:
    """The page with `class="cards"` on its wide tables and `data-column` on their cells.

    Tables with expressions to copy are cards at any width: `tall`.
    """

    def table(found: re.Match[str]) -> str:
        columns = [unescape(_TAG.sub("", each)).strip() for each in _HEAD.findall(found[0])]
        if len(columns) < LEAST:
            return found[0]

        def row(cells: re.Match[str]) -> str:
            names = iter(columns)
            return _CELL.sub(
                lambda cell: f'<td data-column="{escape(next(names, ""), quote=True)}"{cell[1]}>',
                cells[0],
            )

        kind = "cards tall" if 'class="copied"' in found[0] else "cards"
        return _ROW.sub(row, found[0]).replace("<table>", f'<table class="{kind}">', 1)

    return _TABLE.sub(table, html)
