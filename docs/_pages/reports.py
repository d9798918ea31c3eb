"""Reports of lint in pages: the severity is coloured, and an excerpt with its marks scrolls as one piece."""

from __future__ import annotations

import re

__all__ = ["with_reports"]

_BLOCK = re.compile(r'(<div class="language-text[^"]*">.*?<code>)(.*?)(</code>)', re.DOTALL)
_HEAD = re.compile(r"^(\S+:\d+:\d+: DRA\d{3} [\w-]+ )(error|warning|info)(?=:)", re.MULTILINE)
_EXCERPT = re.compile(r"(?:^ *\d* \|.*\n)+", re.MULTILINE)
_MARKS = re.compile(r"(?m)(\^+)$")


def with_reports(html: str) -> str:
    """The page with its reports marked up; samples of anything else stay."""

    def block(found: re.Match[str]) -> str:
        text = found[2]
        if not _HEAD.search(text):
            return found[0]
        text = _HEAD.sub(r'\1<span class="report-\2">\2</span>', text)
        return found[1] + _EXCERPT.sub(excerpt, text) + found[3]

    def excerpt(found: re.Match[str]) -> str:
        lines = _MARKS.sub(r'<span class="report-error">\1</span>', found[0].removesuffix("\n"))
        return f'<span class="report-excerpt">{lines}</span>'

    return _BLOCK.sub(block, html)
