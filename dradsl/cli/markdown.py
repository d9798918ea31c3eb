"""Markdown for a terminal: as much of it as rule documents use, wrapped, without markup noise."""

from __future__ import annotations

import re

from dradsl.lint.report.terminal import Style, wrap_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["render_markdown"]

_FENCE = re.compile(r"^`{3,}\w*(?P<attributes>.*)$")
_TITLE = re.compile(r'title="([^"]*)"')
_OTHER = re.compile(r'(?!title=)\b([a-z][a-z-]*)="([^"]*)"')
_ITEM = re.compile(r"^(?P<indent> *)(?P<mark>[-*]|\d+\.) (?P<text>.*)$")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def render_markdown(text: str, width: int, color: bool) -> str:
    """`text` for a terminal of `width` columns; code blocks and tables are never wrapped."""
    style = Style(color)
    return "\n".join(_lines(text.splitlines(), max(width, 40), style)).strip("\n") + "\n"


def _lines(lines: list[str], width: int, style: Style) -> Iterator[str]:
    paragraph: list[str] = []
    fence = ""
    for line in lines:
        if fence:
            if line.strip() == fence:
                fence = ""
            else:
                yield f"    {line}".rstrip()
            continue
        starts_block = line.startswith(("#", "```", "|")) or _ITEM.match(line)
        if paragraph and (not line.strip() or starts_block):
            yield from _paragraph(paragraph, width, style)
            paragraph = []
        if line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
            yield from _caption(line, style)
        elif line.startswith("#"):
            yield style("bold", line.lstrip("#").strip())
        elif line.startswith("|") or not line.strip():
            yield line.rstrip()
        else:
            paragraph.append(line)
    yield from _paragraph(paragraph, width, style)


def _caption(fence: str, style: Style) -> Iterator[str]:
    """What the fence says about the block: "bad (kube-version 1.36)"."""
    title = _TITLE.search(fence)
    if title is None:
        return
    options = ", ".join(f"{key} {value}" for key, value in _OTHER.findall(fence))
    yield style("bold", title[1] + (f" ({options})" if options else "") + ":")
    yield ""


def _paragraph(lines: list[str], width: int, style: Style) -> Iterator[str]:
    if not lines:
        return
    item = _ITEM.match(lines[0])
    first = below = ""
    if item:
        first = f"{item['indent']}{item['mark']} "
        below = " " * len(first)
        lines = [item["text"], *lines[1:]]
    text = " ".join(line.strip() for line in lines)
    text = _LINK.sub(lambda m: m[1] if m[2].startswith("#") else f"{m[1]} ({m[2]})", text)
    wrapped = wrap_prose(text, width, first, below)
    # Colour comes after wrapping, else its codes would count as columns.
    yield from _inline("\n".join(wrapped), style).split("\n")


def _inline(text: str, style: Style) -> str:
    text = _BOLD.sub(lambda m: _each_line(m[1], "bold", style), text)
    return _CODE.sub(lambda m: _each_line(m[1], "code", style) if style.on else m[0], text)


def _each_line(text: str, name: str, style: Style) -> str:
    return "\n".join(style(name, line) for line in text.split("\n"))
