"""Where in the user's Python an object was built, so that findings point at that call."""

from __future__ import annotations

import inspect
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.diagnostics import Span

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Place", "is_ours", "place_of_caller"]


@dataclass(frozen=True, slots=True)
class Place:
    """A call in a Python file."""

    path: str
    span: Span

    def __str__(self) -> str:
        return f"{self.path}:{self.span.line}"


def place_of_caller() -> Place | None:
    """The innermost call outside of dradsl that led here."""
    frame = inspect.currentframe()
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    return None if frame is None else Place(frame.f_code.co_filename, _span_of(frame))


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of dradsl."""
    # By module, not by file: the __init__ that dataclasses generate has no file.
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "dradsl"


def _span_of(frame: FrameType) -> Span:
    positions = next(
        itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4
    )
    line, end_line, column, end_column = positions
    if line is None or end_line is None or column is None or end_column is None:
        return Span.point(frame.f_lineno, 1)
    # Columns are counted in UTF-8 bytes here; who shows them reads the file and counts again.
    return Span(line, column + 1, end_line, end_column + 1)
