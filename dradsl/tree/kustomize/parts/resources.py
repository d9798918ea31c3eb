"""An object on its way through an overlay: what it is called, and what it was called before; what is known of kinds.

What Kustomize v5 knows of Kubernetes, which lists it merges and which fields it writes, is in `tables.json`, written by
tests/tree/builds/record_tables.py from sigs.k8s.io/kustomize api v0.21.2 and kyaml v0.21.2.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping

from dradsl.records import Record, dataclass, replace
from dradsl.text.files import SETTINGS_BYTES, read_bytes
from dradsl.tree.nodes import ValueNode, mapping, scalar, text_of

__all__ = [
    "FieldSchema",
    "GroupVersionKind",
    "Resource",
    "ResourceId",
    "split_version",
    "tables",
]

_NOT_NAMESPACED = "_non_namespaceable_"


class GroupVersionKind(Record):
    """A group, version and kind; what is empty in a selector means any."""

    group: str = ""
    version: str = ""
    kind: str = ""

    def selects(self, other: GroupVersionKind) -> bool:
        """Whether this selector takes the other."""
        return (
            (not self.group or self.group == other.group)
            and (not self.version or self.version == other.version)
            and (not self.kind or self.kind == other.kind)
        )

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


def split_version(api_version: str) -> tuple[str, str]:
    """Group and version."""
    group, slash, version = api_version.partition("/")
    return (group, version) if slash else ("", api_version)


class ResourceId(Record):
    """What identifies an object. Former ones never count as cluster-scoped, as in Kustomize."""

    kind: GroupVersionKind
    name: str
    namespace: str
    cluster: bool = False

    @property
    def effective_namespace(self) -> str:
        if self.cluster:
            return _NOT_NAMESPACED
        return self.namespace or "default"

    def equals(self, other: ResourceId) -> bool:
        return (
            self.name == other.name
            and self.kind == other.kind
            and self.effective_namespace == other.effective_namespace
        )


@dataclass(slots=True)
class Resource:
    """An object with the names that it had, as (name, namespace, kind), the oldest first.

    `incomplete` says that something of it is not known: a construct that cannot be built may change it.
    """

    node: ValueNode
    previous: tuple[tuple[str, str, str], ...] = ()
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    behavior: str | None = None
    hashed: bool = False
    incomplete: bool = False

    def copy(self) -> Resource:
        return replace(self)

    @property
    def has_marks(self) -> bool:
        """Whether Kustomize would keep annotations of its own on it by now."""
        return bool(self.previous or self.prefixes or self.suffixes or self.hashed or self.behavior)

    # Names

    @property
    def kind(self) -> GroupVersionKind:
        group, version = split_version(text_of(self.node.get("apiVersion")))
        return GroupVersionKind(group, version, text_of(self.node.get("kind")))

    @property
    def name(self) -> str:
        return self._metadata("name")

    @property
    def namespace(self) -> str:
        return self._metadata("namespace")

    def _metadata(self, name: str) -> str:
        return text_of(self.node.get("metadata", name))

    @property
    def id(self) -> ResourceId:
        kind = self.kind
        cluster = f"{kind.api_version} {kind.kind}" in tables().cluster_scoped
        return ResourceId(kind, self.name, self.namespace, cluster)

    @property
    def previous_ids(self) -> list[ResourceId]:
        own = self.kind
        return [
            ResourceId(GroupVersionKind(own.group, own.version, kind), name, namespace)
            for name, namespace, kind in self.previous
        ]

    @property
    def original_id(self) -> ResourceId:
        return self.previous_ids[0] if self.previous else self.id

    def ids(self) -> list[ResourceId]:
        """The former ones, and the one of now."""
        return [*self.previous_ids, self.id]

    def remember(self) -> None:
        """Keep the name of now as a former one."""
        now = self.id
        self.previous = (*self.previous, (now.name, now.effective_namespace, now.kind.kind))

    # Parts of metadata

    def strings(self, field_name: str) -> dict[str, str]:
        """Labels or annotations, as texts."""
        found = self.node.get("metadata", field_name)
        return {} if found is None else {name: each.text for name, each in found.fields.items()}

    def rename(self, name: str) -> None:
        """Give it another name, at the place of the old one."""
        metadata = self.node.get("metadata") or mapping({}, self.node.at)
        old = metadata.get("name")
        new = scalar(name, None if old is None else old.at, "")
        self.node = self.node.with_field("metadata", metadata.with_field("name", new))

    def normalize(self, *names: str) -> None:
        """Labels or annotations as Kustomize writes them anew: texts, and no field for none."""
        for name in names:
            metadata = self.node.get("metadata")
            found = metadata.get(name) if metadata is not None else None
            if metadata is None or found is None:
                continue
            if not found.fields:
                self.node = self.node.with_field("metadata", metadata.with_field(name, None))
                continue
            fields: Mapping[str, ValueNode] = found.fields
            if all(each.tag == "str" for each in fields.values()):
                continue
            made = {
                key: each if each.tag == "str" else scalar(each.text, each.at)
                for key, each in fields.items()
            }
            self.node = self.node.with_field(
                "metadata", metadata.with_field(name, mapping(made, found.at))
            )


# What is known of kinds

SpecRow = tuple[str, str, str, str, bool]
"""Group, version, kind, path, and whether the field is made where it is absent."""
MergedLists = dict[str, dict[str, tuple[tuple[str, ...] | None, str | None]]]
"""Fields by type: the keys by which a list is merged, None for no list; the type of the value."""


class FieldSchema(Record):
    """What is known of a value: the `keys` by which its items are merged, none for a list of plain values, None
    for a list that is replaced; the type of the value or of its items."""

    keys: tuple[str, ...] | None
    type: str | None


class Tables(Record):
    """Kustomize's built-in data.

    `types` are merged lists, `kinds` are types by API version and kind, `cluster_scoped` holds API version
    and kind; `field_specs` are rows by what writes them, `name_references` say who is referred to, as
    group, version and kind, and by which fields. `order` is that of kinds; others are at 0.
    """

    types: MergedLists
    kinds: Mapping[str, str]
    cluster_scoped: frozenset[str]
    field_specs: Mapping[str, list[SpecRow]]
    name_references: list[tuple[tuple[str, str, str], list[SpecRow]]]
    order: Mapping[str, int]

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
        data["order"],
    )
