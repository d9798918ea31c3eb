"""The report for people at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.migrate.report.sections import sections, verdict
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from dradsl.migrate.result import Migration

__all__ = ["render"]


def render(migration: Migration, out: TextIO) -> None:
    """Write the report to `out`."""
    out.writelines(f"{printable(sentence)}\n" for sentence in verdict(migration))
    for section in sections(migration):
        out.write(f"\n{section.title}:\n")
        for line in section.lines:
            mark = "[ ] " if line.todo else ""
            out.write(f"  {'  ' * line.depth}{mark}{printable(line.text)}\n")
