"""Something about the input that the user should know."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something about the input that the user should know.

    `kind`: "dropped" (fields of disabled gates), "refused" (the API server would not take the
    object, so it is left out), "ignored", "assumed" (what the input lacks, or what a controller makes),
    "contradiction" (objects that do not agree), or "unhealthy" (devices that are reported to be).
    """

    kind: str
    subject: str
    text: str
