"""Which lists of an object are merged, and which kinds have no namespace, as Kustomize's OpenAPI data says it."""

from __future__ import annotations

import functools

from dradsl.records import dataclass
from dradsl.values.plain import list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.tree.nodes import ValueNode

__all__ = ["FieldSchema", "OpenApiSchema", "built_in_schema", "own_schema"]

_GVK = "x-kubernetes-group-version-kind"
_MOST_REFERENCES = 64


@dataclass(frozen=True, slots=True)
class FieldSchema:
    """What is known of a value: the `keys` by which its items are merged, none for a list of plain values, None
    for a list that is replaced; the type of the value or of its items."""

    keys: tuple[str, ...] | None
    type: str | None


@dataclass(frozen=True, slots=True)
class OpenApiSchema:
    """`types` are fields by type: merge keys and the type of the value; `kinds` are types by API version
    and kind."""

    types: Mapping[str, Mapping[str, tuple[tuple[str, ...] | None, str | None]]]
    kinds: Mapping[str, str]

    def of_object(self, node: ValueNode) -> FieldSchema | None:
        """The shape of a mapping that says its API version and kind."""
        version, kind = node.get("apiVersion"), node.get("kind")
        if version is None or kind is None or not (version.is_scalar and kind.is_scalar):
            return None
        found = self.kinds.get(f"{version.text} {kind.text}")
        return None if found is None else FieldSchema(None, found)

    def field(self, shape: FieldSchema | None, name: str) -> FieldSchema | None:
        """The shape of a field of a mapping, or of a value of a map."""
        if shape is None or shape.type is None:
            return None
        fields = self.types.get(shape.type, {})
        found = fields.get(name) or fields.get("*")
        return None if found is None else FieldSchema(*found)


@functools.cache
def built_in_schema() -> OpenApiSchema:
    """Kustomize's own schema, made when it is first asked for."""
    from dradsl.tree.kustomize.parts.tables import tables

    return OpenApiSchema(tables().types, tables().kinds)


def own_schema(data: object) -> OpenApiSchema:
    """The schema in a file that the field `openapi` of a kustomization names. It stands in place of the built-in one."""
    types: dict[str, dict[str, tuple[tuple[str, ...] | None, str | None]]] = {}
    kinds: dict[str, str] = {}
    for name, definition in mapping_at(data, "definitions").items():
        if not isinstance(definition, dict):
            continue
        _take(name, definition, types, 0)
        for each in list_at(definition.get(_GVK)):
            if isinstance(each, dict):
                group = each.get("group")
                prefix = f"{group}/" if isinstance(group, str) and group else ""
                kinds[f"{prefix}{each.get('version')} {each.get('kind')}"] = name
    return OpenApiSchema(types, kinds)


def _take(
    name: str,
    definition: Mapping[str, object],
    types: dict[str, dict[str, tuple[tuple[str, ...] | None, str | None]]],
    level: int,
) -> None:
    if level > _MOST_REFERENCES or name in types:
        return
    fields = types[name] = {}
    properties = definition.get("properties")
    every = dict(properties) if isinstance(properties, dict) else {}
    if isinstance(definition.get("additionalProperties"), dict):
        every["*"] = definition["additionalProperties"]
    for field, each in every.items():
        if isinstance(each, dict):
            fields[field] = (_keys(each), _target(f"{name}.{field}", each, types, level + 1))


def _target(
    name: str,
    schema: Mapping[str, object],
    types: dict[str, dict[str, tuple[tuple[str, ...] | None, str | None]]],
    level: int,
) -> str | None:
    if level > _MOST_REFERENCES:
        return None
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference.rpartition("/")[2]
    if schema.get("type") == "array":
        items = schema.get("items")
        return _target(name, items, types, level + 1) if isinstance(items, dict) else None
    _take(name, schema, types, level)
    return name


def _keys(schema: Mapping[str, object]) -> tuple[str, ...] | None:
    strategies = str(schema.get("x-kubernetes-patch-strategy", "")).split(",")
    if "merge" not in strategies:
        return None
    several = schema.get("x-kubernetes-list-map-keys")
    if isinstance(several, list):
        return tuple(str(each) for each in several)
    one = schema.get("x-kubernetes-patch-merge-key")
    return (one,) if isinstance(one, str) else ()
