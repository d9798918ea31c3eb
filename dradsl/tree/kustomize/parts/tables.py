"""What Kustomize v5 knows of Kubernetes: which lists it merges, which fields it writes.

The rows are in `tables.json`, written by tests/tree/builds/record_tables.py from sigs.k8s.io/kustomize
api v0.21.2 and kyaml v0.21.2.
"""

from __future__ import annotations

import functools
import json
import os

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MergedLists", "SpecRow", "Tables", "tables"]

SpecRow = tuple[str, str, str, str, bool]
"""Group, version, kind, path, and whether the field is made where it is absent."""
MergedLists = dict[str, dict[str, tuple[tuple[str, ...] | None, str | None]]]
"""Fields by type: the keys by which a list is merged, None for no list; the type of the value."""


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
