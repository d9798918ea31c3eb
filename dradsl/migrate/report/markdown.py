"""The report as Markdown, for a pull request or a wiki."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.migrate.report.sections import sections, verdict
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from dradsl.migrate.report.sections import Line
    from dradsl.migrate.result import Migration

__all__ = ["render"]


def render(migration: Migration, out: TextIO) -> None:
    """Write the report to `out`."""
    out.write("# Migration to resource claims\n\n")
    out.writelines(f"{_text(sentence)}\n" for sentence in verdict(migration))
    for section in sections(migration):
        out.write(f"\n## {section.title}\n\n")
        out.writelines(map(_item, section.lines))


def _item(line: Line) -> str:
    mark = "[ ] " if line.todo else ""
    text = f"`{printable(line.text)}`" if line.code else _text(line.text)
    return f"{'    ' * line.depth}- {mark}{text}\n"


def _text(text: str) -> str:
    """A text in which nothing is taken for a mark of Markdown."""
    return "".join(f"\\{each}" if each in "*`<[" else each for each in printable(text))
