"""Field specs: which fields a transformer writes, by default and by files under `configurations`.

Upstream: kustomize api/internal/plugins/builtinconfig, api/types/fieldspec.go.
"""

from __future__ import annotations

import functools

from dradsl.records import Record
from dradsl.tree.kustomize.parts.resources import GroupVersionKind, tables
from dradsl.tree.nodes import KustomizeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from dradsl.values.json_types import JsonMapping

__all__ = [
    "EMPTY",
    "FieldSpec",
    "TransformerConfig",
    "default_config",
    "merged",
    "read_config",
    "read_spec",
]

_LISTS = (
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "volumeClaimTemplateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
)


class FieldSpec(Record):
    """A field of objects of a kind; `create` makes it where it is not there."""

    kind: GroupVersionKind
    path: str
    create: bool = False


class TransformerConfig(Record):
    """The field specs of each transformer, and who refers to whom by name."""

    lists: Mapping[str, tuple[FieldSpec, ...]]
    references: tuple[tuple[GroupVersionKind, tuple[FieldSpec, ...]], ...] = ()

    def of(self, name: str) -> tuple[FieldSpec, ...]:
        return self.lists.get(name, ())


EMPTY = TransformerConfig({})


@functools.cache
def default_config() -> TransformerConfig:
    """What Kustomize does by itself."""
    lists = {
        name: _sorted(FieldSpec(GroupVersionKind(*row[:3]), row[3], row[4]) for row in rows)
        for name, rows in tables().field_specs.items()
    }
    references = tuple(
        (
            GroupVersionKind(*kind),
            tuple(FieldSpec(GroupVersionKind(*row[:3]), row[3], row[4]) for row in rows),
        )
        for kind, rows in tables().name_references
    )
    return TransformerConfig(lists, _sorted_references(references))


def merged(config: TransformerConfig, more: TransformerConfig) -> TransformerConfig:
    """Both together.

    Raises:
        KustomizeError: if they contradict each other.
    """
    if more is config or not (more.lists or more.references):
        return config
    if not (config.lists or config.references):
        return more
    lists = {
        name: _sorted(merged_specs(config.of(name), more.of(name)))
        for name in _LISTS
        if config.of(name) or more.of(name)
    }
    references = list(config.references)
    for kind, specs in more.references:
        found = [index for index, (own, _) in enumerate(references) if own == kind]
        for index in found:
            references[index] = (kind, merged_specs(references[index][1], specs))
        if not found:
            references.append((kind, specs))
    return TransformerConfig(lists, _sorted_references(references))


def merged_specs(specs: tuple[FieldSpec, ...], more: Iterable[FieldSpec]) -> tuple[FieldSpec, ...]:
    """Specs without those that others already mean."""
    made = list(specs)
    paths: dict[str, list[FieldSpec]] = {}
    for each in made:
        paths.setdefault(each.path, []).append(each)
    for each in more:
        for known in paths.get(each.path, ()):
            if each.kind.selects(known.kind):
                if known.create != each.create:
                    raise KustomizeError("conflicting fieldspecs")
                break
        else:
            made.append(each)
            paths.setdefault(each.path, []).append(each)
    return tuple(made)


def read_config(data: object) -> TransformerConfig:
    """The configuration in a file.

    Raises:
        KustomizeError: if it has another shape.
    """
    if data is None:
        return EMPTY
    if not isinstance(data, dict):
        raise KustomizeError("expected a mapping")
    lists: dict[str, tuple[FieldSpec, ...]] = {}
    references: list[tuple[GroupVersionKind, tuple[FieldSpec, ...]]] = []
    for key, value in data.items():
        name = next(
            (each for each in (*_LISTS, "nameReference") if each.lower() == key.lower()), None
        )
        if name is None:
            raise KustomizeError(f"unknown field {key!r}")
        rows = value if isinstance(value, list) else [] if value is None else None
        if rows is None or not all(isinstance(row, dict) for row in rows):
            raise KustomizeError(f"{key}: expected a list of mappings")
        if name == "nameReference":
            for row in rows:
                specs = row.get("fieldSpecs")
                each = tuple(read_spec(spec) for spec in specs) if isinstance(specs, list) else ()
                references.append((_kind(row), each))
        else:
            lists[name] = _sorted(read_spec(row) for row in rows)
    return TransformerConfig(lists, _sorted_references(references))


def read_spec(data: Any) -> FieldSpec:
    """A field spec as data.

    Raises:
        KustomizeError: if it has another shape.
    """
    if not isinstance(data, dict):
        raise KustomizeError("expected a mapping")
    path, create = data.get("path", ""), data.get("create", False)
    if not isinstance(path, str) or not isinstance(create, bool):
        raise KustomizeError("path: expected a string, create: expected true or false")
    return FieldSpec(_kind(data), path, create)


def _kind(data: JsonMapping) -> GroupVersionKind:
    found = [data.get(name) or "" for name in ("group", "version", "kind")]
    if not all(isinstance(each, str) for each in found):
        raise KustomizeError("group, version, kind: expected strings")
    return GroupVersionKind(*found)


def kind_order(kind: GroupVersionKind) -> tuple[int, str]:
    """The order in which Kustomize sorts kinds."""
    text = f"{kind.group or '~G'}_{kind.version or '~V'}_{kind.kind or '~K'}"
    return tables().order.get(kind.kind, 0), text


def _sorted(specs: Iterable[FieldSpec]) -> tuple[FieldSpec, ...]:
    return tuple(sorted(specs, key=lambda each: kind_order(each.kind)))


def _sorted_references(
    references: Iterable[tuple[GroupVersionKind, tuple[FieldSpec, ...]]],
) -> tuple[tuple[GroupVersionKind, tuple[FieldSpec, ...]], ...]:
    return tuple(sorted(references, key=lambda each: kind_order(each[0])))
