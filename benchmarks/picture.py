"""A picture of figures: bars, as SVG without any library."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.engines import Row

__all__ = ["bars", "shown"]

_WIDTH, _LEFT, _RIGHT, _ROW, _HEAD = 720, 210, 90, 26, 44
_STYLE = """\
text { font: 14px system-ui, sans-serif; fill: #222 }
.title { font-weight: 600 } .note { fill: #666 }
rect { fill: #9fa8da } rect.own { fill: #3f51b5 }
@media (prefers-color-scheme: dark) {
  text { fill: #eee } .note { fill: #aaa } rect { fill: #5c6bc0 } rect.own { fill: #9fa8da }
}"""


def shown(seconds: float) -> str:
    """A time as people read it: three digits at most."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            value = seconds / size
            return f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"
    raise AssertionError


def bars(groups: Sequence[tuple[str, Sequence[Row]]], note: str) -> str:
    """The picture: a group is a title and its rows; the longest bar of each group has the full length."""
    parts, y = [], 0
    for title, rows in groups:
        y += _HEAD
        parts.append(f'<text class="title" x="0" y="{y - 14}">{escape(title)}</text>')
        most = max(seconds for _, _, seconds in rows)
        for name, version, seconds in rows:
            length = max(2.0, (_WIDTH - _LEFT - _RIGHT) * seconds / most)
            kind = "own" if name.startswith("dradsl") else "other"
            parts += [
                f'<text x="0" y="{y + 14}">{escape(name)} <tspan class="note">{escape(version)}</tspan></text>',
                f'<rect class="{kind}" x="{_LEFT}" y="{y}" width="{length:.1f}" height="{_ROW - 8}"/>',
                f'<text x="{_LEFT + length + 6:.1f}" y="{y + 14}">{shown(seconds)}</text>',
            ]
            y += _ROW
    y += 24
    parts.append(f'<text class="note" x="0" y="{y - 4}">{escape(note)}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img">'
    alone = f"<title>{escape('; '.join(title for title, _ in groups))}</title>"
    return "\n".join([head, alone, f"<style>\n{_STYLE}\n</style>", *parts, "</svg>", ""])
