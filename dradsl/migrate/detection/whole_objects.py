"""Objects that are complete within values, such as those of a chart's `extraObjects`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.values.limits import MOST_LEVELS

if TYPE_CHECKING:
    from dradsl.text.paths import FieldPath

__all__ = ["kind_of", "objects_in"]


def kind_of(data: Mapping[str, Any]) -> tuple[str, str]:
    """The kind and the group of an object; two empty texts for anything else."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return "", ""
    return kind, version.rpartition("/")[0]


def objects_in(
    value: object, path: FieldPath = ()
) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """The mappings with a kind and an API version, and their paths."""
    if len(path) > MOST_LEVELS:
        return
    if isinstance(value, Mapping):
        if kind_of(value)[0]:
            yield path, value
            return
        for key, item in value.items():
            if isinstance(key, str):
                yield from objects_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from objects_in(item, (*path, index))
