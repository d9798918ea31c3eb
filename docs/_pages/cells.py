"""Texts as cells of a table in Markdown."""

from __future__ import annotations

__all__ = ["cell", "code_cell"]


def cell(text: str) -> str:
    """The text on one line, with nothing that ends a cell or starts an element."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def code_cell(text: str) -> str:
    """The text as code in a cell: Markdown escapes what is between the marks."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`"
