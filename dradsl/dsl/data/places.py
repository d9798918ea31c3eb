"""Where in the user's Python an object was built, so that findings point at that call."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import opcode
import re
from contextvars import ContextVar
from typing import TYPE_CHECKING

from dradsl.diagnostics import Span
from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["PythonPlace", "is_dropped", "is_ours", "note_made", "noting", "place_of_caller"]

# Code that others wrote: an installed library, Python's own modules, and what starts them.
_FOREIGN = re.compile(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3\.\d+[\\/]|^<")
_MOST_CALLERS = 6

_made: ContextVar[list[object] | None] = ContextVar("_made", default=None)


@dataclass(frozen=True, slots=True)
class PythonPlace:
    """A call in a Python file, and the calls that led there: the nearest first."""

    path: str
    span: Span
    callers: tuple[PythonPlace, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}:{self.span.line}"


def place_of_caller() -> PythonPlace | None:
    """The innermost call of the user's own that led here: not one of dradsl, nor of an installed
    library, unless there are no others."""
    frame = inspect.currentframe()
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    if frame is None:
        return None
    found: list[PythonPlace] = []
    library = frame
    while frame is not None and len(found) <= _MOST_CALLERS:
        if not is_ours(frame) and not _FOREIGN.search(frame.f_code.co_filename):
            found.append(PythonPlace(frame.f_code.co_filename, _span_of(frame)))
            if frame.f_code.co_name == "<module>":
                break  # what is beyond only imports it
        frame = frame.f_back
    if not found:
        return PythonPlace(library.f_code.co_filename, _span_of(library))
    return PythonPlace(found[0].path, found[0].span, tuple(found[1:]))


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of dradsl."""
    # By module, not by file: the __init__ that dataclasses generate has no file.
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "dradsl"


def is_dropped(frame: FrameType | None) -> bool:
    """Whether the user's call that runs in a frame is a statement by itself: its result goes nowhere."""
    if frame is None or is_ours(frame):
        return False
    code, at = frame.f_code.co_code, frame.f_lasti + 2
    while at < len(code) and code[at] == opcode.opmap["CACHE"]:
        at += 2
    return at < len(code) and code[at] == opcode.opmap["POP_TOP"]


@contextlib.contextmanager
def noting() -> Iterator[list[object]]:
    """Where the objects that are built are written down, in order."""
    made: list[object] = []
    token = _made.set(made)
    try:
        yield made
    finally:
        _made.reset(token)


def note_made(obj: object) -> None:
    """Write down an object that was built."""
    made = _made.get()
    if made is None:
        return
    frame = inspect.currentframe()
    while frame is not None and is_ours(frame):
        if frame.f_globals["__name__"].startswith("dradsl.devices."):
            return  # what drivers install
        frame = frame.f_back
    made.append(obj)


def _span_of(frame: FrameType) -> Span:
    positions = next(
        itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4
    )
    line, end_line, column, end_column = positions
    if line is None or end_line is None or column is None or end_column is None:
        return Span.point(frame.f_lineno, 1)
    # Columns are counted in UTF-8 bytes here; who shows them reads the file and counts again.
    return Span(line, column + 1, end_line, end_column + 1)
