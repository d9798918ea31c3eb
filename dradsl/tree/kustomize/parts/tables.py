"""What Kustomize v5 knows of Kubernetes: which lists it merges, which fields it writes.

The rows are in `tables.json`, written by tests/tree/builds/record_tables.py from sigs.k8s.io/kustomize
api v0.21.2 and kyaml v0.21.2.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping

from dradsl.records import dataclass
from dradsl.tree.nodes import ValueNode

__all__ = ["FieldSchema", "MergedLists", "SpecRow", "Tables", "tables"]

SpecRow = tuple[str, str, str, str, bool]
"""Group, version, kind, path, and whether the field is made where it is absent."""
MergedLists = dict[str, dict[str, tuple[tuple[str, ...] | None, str | None]]]
"""Fields by type: the keys by which a list is merged, None for no list; the type of the value."""


@dataclass(frozen=True, slots=True)
class FieldSchema:
    """What is known of a value: the `keys` by which its items are merged, none for a list of plain values, None
    for a list that is replaced; the type of the value or of its items."""

    keys: tuple[str, ...] | None
    type: str | None


@dataclass(frozen=True, slots=True)
class Tables:
    """Kustomize's built-in data.

    `types` are merged lists, `kinds` are types by API version and kind, `cluster_scoped` holds API version
    and kind; `field_specs` are rows by what writes them, `name_references` say who is referred to, as
    group, version and kind, and by which fields.
    """

    types: MergedLists
    kinds: Mapping[str, str]
    cluster_scoped: frozenset[str]
    field_specs: Mapping[str, list[SpecRow]]
    name_references: list[tuple[tuple[str, str, str], list[SpecRow]]]

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
def tables() -> Tables:
    """The tables, read when they are first asked for."""
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    path = os.path.join(os.path.dirname(__file__), "tables.json")
    data = json.loads(read_bytes(path, SETTINGS_BYTES))
    types = {
        name: {
            field: (None if keys is None else tuple(keys), kind)
            for field, (keys, kind) in fields.items()
        }
        for name, fields in data["types"].items()
    }
    return Tables(
        types,
        data["kinds"],
        frozenset(data["clusterScoped"]),
        data["fieldSpecs"],
        data["nameReferences"],
    )
