"""Paths that options name: which of them is not there, and by which option."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["missing_path"]

_FLAGS = {
    "recordings": "--slices",
    "slices": "--slices",
    "additions": "--what-if",
    "context": "--context",
    "driver_schema": "--driver-schema",
    "params_files": "--params",
    "baseline": "--baseline",
}


def missing_path(options: dict[str, Any]) -> str | None:
    """What to say of the first path that is not there, among the values of options that name some.

    Patterns (`*`), standard input (`-`), options that are not given and a baseline that is to be written are passed
    over.
    """
    for name, flag in _FLAGS.items():
        value = None if name == "baseline" and options.get("write") else options.get(name)
        for path in () if value is None else value if isinstance(value, tuple) else (value,):
            text = os.fspath(path)
            signs = "*?[@" if name == "additions" else "*?["  # DRIVER@VERSION
            if text == "-" or any(sign in text for sign in signs):
                continue
            if not os.path.lexists(text):  # of a link that leads nowhere its reader speaks
                return f"{flag}: no such file or directory: {text}"
    return None
