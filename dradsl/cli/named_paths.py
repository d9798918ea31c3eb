"""Paths that options name: which of them is not there, and by which option."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["missing_path"]


def missing_path(options: dict[str, Any], flags: dict[str, str]) -> str | None:
    """What to say of the first path that is not there; `flags` names the option of each value.

    Patterns (`*`), standard input (`-`) and options that are not given are passed over.
    """
    for name, flag in flags.items():
        value = options[name]
        for path in () if value is None else value if isinstance(value, tuple) else (value,):
            text = os.fspath(path)
            if text == "-" or any(sign in text for sign in "*?["):
                continue
            if not os.path.lexists(text):  # of a link that leads nowhere its reader speaks
                return f"{flag}: no such file or directory: {text}"
    return None
