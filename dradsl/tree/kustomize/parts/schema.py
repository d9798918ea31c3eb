"""Which lists of an object are merged, and which kinds have no namespace, as Kustomize's OpenAPI data says it."""

from __future__ import annotations

import functools

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.tree.nodes import ValueNode

__all__ = ["FieldSchema", "OpenApiSchema", "built_in_schema"]


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
