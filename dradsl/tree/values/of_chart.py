"""The values that a chart brings itself, for the templates in it."""

from __future__ import annotations

import os

from dradsl.records import Record, once
from dradsl.text.documents import Document, load
from dradsl.text.files import SETTINGS_BYTES, FileError
from dradsl.text.paths import locate
from dradsl.tree.charts.template_values import value_of
from dradsl.tree.values.values import chart_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.diagnostics import Span
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["ValuesOfChart", "values_of_chart"]


class ValuesOfChart(Record):
    """The values that a chart brings, and the file."""

    path: str
    document: Document

    @property
    def data(self) -> Mapping[str, Any]:
        data = self.document.data
        return data if isinstance(data, dict) else {}

    def value(self, key: Sequence[str]) -> Any:
        """The value at a key; None if there is none."""
        return value_of(self.data, key)

    def span(self, key: Sequence[str]) -> Span | None:
        """Where a value is written, or the nearest mapping around it."""
        root = self.document.root
        return None if root is None else locate(root, tuple(key)).best_span


def values_of_chart(
    template: str,
    sources: Iterable[SourceText],
    known: dict[str, ValuesOfChart | None] | None = None,
) -> ValuesOfChart | None:
    """The values.yaml of the chart that a file of `templates/` is in, as it is among `sources`, or on the disk.

    `known` are those that were read before, by their paths; more come in.
    """
    parts = os.path.abspath(template).split(os.sep)
    if "templates" not in parts[:-1]:
        return None
    chart = os.sep.join(parts[: len(parts) - 1 - parts[::-1].index("templates")])
    path = os.path.join(chart, "values.yaml")
    return once(
        {} if known is None else known,
        path,
        lambda path: _read(
            path, sources, path if os.path.isabs(template) else os.path.relpath(path)
        ),
    )


def _read(path: str, sources: Iterable[SourceText], shown: str) -> ValuesOfChart | None:
    from dradsl.tree.files import Tree

    if chart_beside(path) is None:
        return None
    stream = next((each.stream for each in sources if os.path.abspath(each.name) == path), None)
    try:
        stream = stream or load(Tree.of(os.path.dirname(path)).read(path, SETTINGS_BYTES))
    except FileError:
        return None
    documents = [each for each in stream.documents if isinstance(each.data, dict)]
    # Of a key that is there twice programs take one or the other, or neither.
    alone = len(documents) == 1 and not documents[0].problems
    return ValuesOfChart(shown, documents[0]) if alone else None
