"""Helm values as the rules and the migration see them: documents that are no Kubernetes object."""

from __future__ import annotations

from dradsl.charts.recipes import is_values
from dradsl.lint.manifests import Manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dradsl.lint.sources import SourceText

__all__ = ["values_of"]


def values_of(source: SourceText) -> Iterator[Manifest]:
    """The documents of a file that are no objects but values, in the clothes of one: without API
    version, of kind `values`, named by the file."""
    for document in source.stream.documents:
        if is_values(document.data):
            name = source.name.rpartition("/")[2].rpartition(".")[0]
            data: Any = document.data
            yield Manifest(source, document, (), data, "", "", "values", None, name or source.name)
