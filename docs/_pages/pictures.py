"""Drawings in pages: put into the page itself, so that they follow its colours."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

__all__ = ["with_pictures"]

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "pictures"
_IMAGE = re.compile(r'<p><img alt="([^"]*)" src="[^"]*assets/pictures/([\w-]+\.svg)" ?/?></p>')


def with_pictures(html: str) -> str:
    """The page with its drawings; the text for those who do not see them is the description."""

    def drawing(image: re.Match[str]) -> str:
        svg = (FOLDER / image[2]).read_text(encoding="utf-8")
        label = escape(unescape(image[1]), quote=True)
        named = svg.replace(' role="img"', f' role="img" aria-label="{label}"', 1)
        return f'<p class="picture">{named}</p>'

    return _IMAGE.sub(drawing, html)
