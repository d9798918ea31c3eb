"""Glob patterns as regular expressions that cannot backtrack.

Between two wildcards the first place that fits is as good as any later one: what follows finds all
the more there. So nothing behind a wildcard has to make one before it give way, which the groups
`(?>...)` say. What is between two `**` counts as one such part.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ACROSS", "FOLDERS", "STAR", "character_class", "expression"]

STAR = "*"
"""The piece that stands for any characters but a slash."""

ACROSS = "**"
"""The piece that stands for any characters."""

FOLDERS = "**/"
"""The piece that stands for any folders, each with its slash; none is enough."""


def expression(pieces: Iterable[str], end: str = "") -> str:
    """The regular expression of a pattern: of wildcards, and expressions for all other pieces.

    `end` is the expression of what may follow the pattern.
    """
    parts = _parts(pieces)
    last = len(parts) - 1
    written = []
    for number, (crossing, inner) in enumerate(parts):
        if number == last:
            written.append(f"{crossing}{_translated(inner, last=True)}{end}")
        else:
            written.append(f"(?>{crossing}{_translated(inner, last=False)})")
    return "".join(written)


def _parts(pieces: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The pieces between wildcards that cross folders, each with the expression for what it crosses."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for piece in pieces:
        inner = parts[-1][1]
        if not piece.startswith(ACROSS):
            inner.append(piece)
        elif piece == FOLDERS and (not inner or inner[-1].endswith("/")):
            parts.append(("(?:[^/]*/)*?", []))
        else:
            parts.append((".*?", ["/"] if piece == FOLDERS else []))
    return parts


def _translated(pieces: Sequence[str], *, last: bool) -> str:
    """The expression of a part without `**`; the `last` one of all has to reach a name's end."""
    written: list[str] = []
    since_star: list[str] | None = None
    for piece in pieces:
        if piece != STAR:
            (written if since_star is None else since_star).append(piece)
        elif since_star is None:
            since_star = []
        elif since_star:
            written.append(f"(?>[^/]*?{''.join(since_star)})")
            since_star = []
    if since_star is not None:
        end = "".join(since_star)
        written.append(f"[^/]*{end}" if last else f"(?>[^/]*?{end})")
    return "".join(written)


def character_class(members: str, *, negated: bool) -> str:
    """The expression for one of `members`, a list of characters and ranges such as `a-z`."""
    ranges = re.findall(r".-.|.", members, re.DOTALL)
    escaped = "".join(
        f"{re.escape(one[0])}-{re.escape(one[2])}" if len(one) == 3 else re.escape(one)
        for one in ranges
    )
    return f"[^/{escaped}]" if negated else f"[{escaped}]"
