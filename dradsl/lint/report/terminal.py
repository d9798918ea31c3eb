"""What a terminal can show: colour or not, its width, and the columns that a character takes."""

from __future__ import annotations

import os

from dradsl.values.printable import one_line, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

__all__ = [
    "Style",
    "character_width",
    "one_line",
    "printable",
    "terminal_width",
    "wants_color",
    "wrap_prose",
]

_CODES = {
    "bold": "1",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "code": "36",
    "gutter": "34",
}


_DIGITS = 9  # of a width; Python converts no more than 4,300


def wants_color(choice: str, stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to `stream`; `choice` is the --color option.

    "always" and "never" are obeyed; for "auto" NO_COLOR, then FORCE_COLOR (each when not empty),
    then TERM=dumb decide before the question whether `stream` is a terminal.
    """
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != "dumb" and stream.isatty()


def terminal_width(stream: TextIO, environ: Mapping[str, str] = os.environ) -> int:
    """Columns of the terminal behind `stream`; COLUMNS overrides; 0 where there is no terminal."""
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= _DIGITS and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0


class Style:
    """Colours text where it is `on`, else leaves it as it is."""

    __slots__ = ("on",)

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, name: str, text: str) -> str:
        """`text` in the style `name` ("bold", "gutter", a severity); no style leaves no trace."""
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self.on and text else text


def character_width(character: str) -> int:
    """Columns of a printable character: 0 for a combining one, 2 for a wide one, else 1."""
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrap_prose(text: str, width: int, first: str = "", below: str = "") -> list[str]:
    """Lines of at most `width` columns, begun with `first` and `below`.

    What is between backquotes is there to be copied, and stays on one line.
    """
    import re
    import textwrap  # lazily: most runs have nothing to wrap

    glue = "\0"  # no space to break at; printable text has none
    kept = re.sub(r"`[^`]+`", lambda match: match[0].replace(" ", glue), text)
    lines = textwrap.wrap(
        kept,
        width,
        initial_indent=first,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(glue, " ") for line in lines]
