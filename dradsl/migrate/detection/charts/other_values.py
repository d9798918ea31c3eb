"""Values of a chart that stand apart from it: they are merged with the chart's own values."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dradsl.lint.input.values import values_of
from dradsl.migrate.detection.pods import uses_in

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dradsl.lint.input.sources import SourceText

__all__ = ["asked_elsewhere"]

_LEAST = 3  # keys that tell the values of a chart


def asked_elsewhere(
    sources: Sequence[SourceText], places: Mapping[str, Collection[tuple[str, ...]]]
) -> dict[str, str]:
    """The charts, by their folders, whose devices other values of the run ask for at the same place, with the file
    and line of the first such request.

    `places` are the paths of resources in the values, by the folder of the chart. Values in no chart's folder may
    be those of a chart if each of their keys is one of the chart's own values.
    """
    own: dict[str, frozenset[str]] = {}
    others: list[tuple[SourceText, Mapping[str, object]]] = []
    for source in sources:
        name = posixpath.normpath(source.name.replace("\\", "/"))
        folder, file = posixpath.split(name)
        if any(folder == each or folder.startswith(f"{each}/") for each in places if each):
            if file in ("values.yaml", "values.yml"):
                for manifest in values_of(source):
                    own[folder] = frozenset(manifest.data)
            continue
        others += [
            (source, manifest.data)
            for manifest in values_of(source)
            if not manifest.prefix and len(manifest.data) >= _LEAST
        ]
    found: dict[str, str] = {}
    for folder, paths in places.items():
        keys = own.get(folder, frozenset())
        for source, data in others:
            if folder in found or not keys.issuperset(data):
                continue
            for path in paths:
                asked = _uses_at(data, path)
                if asked:
                    found[folder] = f"{source.name} ({'.'.join((*path, *asked))})"
                    break
    return found


def _uses_at(data: Mapping[str, object], path: tuple[str, ...]) -> tuple[str, ...] | None:
    """The path of a request for devices in the resources at a path."""
    value: object = data
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping):
        return None
    uses = uses_in(value, ())
    return tuple(map(str, uses[0].path)) if uses else None
