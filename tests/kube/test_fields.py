"""The field table against the JSON Schemas that the package kubernetes-validate carries."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from dradsl.kube.fields.table import (
    KINDS,
    VERSIONS,
    Category,
    Field,
    FieldType,
    _blocks,
    fields_of,
    known_somewhere,
)
from dradsl.releases import RELEASES, Served

_PREFIXES = {
    "ObjectMeta": "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    "OwnerReference": "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
    "ManagedFieldsEntry": "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
    "Condition": "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
    "NodeSelector": "io.k8s.api.core.v1.NodeSelector",
    "NodeSelectorTerm": "io.k8s.api.core.v1.NodeSelectorTerm",
    "NodeSelectorRequirement": "io.k8s.api.core.v1.NodeSelectorRequirement",
}
_REFERENCES = {
    "Quantity": "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "Time": "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
    "RawExtension": "io.k8s.apimachinery.pkg.runtime.RawExtension",
    "FieldsV1": "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
}


@cache
def definitions(release: str) -> dict[str, Any]:
    root = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
    text = (root / f"v{release}.0-local" / "_definitions.json").read_text()
    loaded: dict[str, Any] = json.loads(text)["$defs"]
    return loaded


def definition_name(type_name: str, version: str) -> str:
    return _PREFIXES.get(type_name, f"io.k8s.api.resource.{version}.{type_name}")


def shape(schema: dict[str, Any], version: str) -> str:
    """A published schema in the spelling of `spell`."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        for known, reference in _REFERENCES.items():
            if name == reference:
                return known
        return str(name)
    kind = schema.get("type")
    kinds = [kind] if isinstance(kind, str) else [k for k in kind or () if k != "null"]
    if kinds == ["array"]:
        return f"[]{shape(schema['items'], version)}"
    if kinds == ["object"] and "additionalProperties" in schema:
        return f"map{shape(schema['additionalProperties'], version)}"
    if schema.get("format") in ("int32", "int64"):
        return str(schema["format"])
    if "oneOf" in schema or kinds == ["string", "number"]:
        return "Quantity"
    return {"boolean": "bool", "string": "string"}.get(kinds[0], kinds[0])


def spell(type_: FieldType, version: str) -> str:
    """A type of the table, names of structs as the published schemas have them."""
    if type_.category is Category.LIST and type_.item is not None:
        return f"[]{spell(type_.item, version)}"
    if type_.category is Category.MAP and type_.item is not None:
        return f"map{spell(type_.item, version)}"
    if type_.category is Category.STRUCT:
        return definition_name(type_.name, version)
    return "string" if type_.category is Category.STRING else type_.name


def reachable(release: str, version: str) -> set[str]:
    """Names of the types under the kinds that `release` serves in `version`."""
    found: set[str] = set()
    waiting = [k for k in KINDS if RELEASES[release].serves(version, k) is not Served.NO]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for field in fields_of(name, version, release).values():
            type_: FieldType | None = field.type
            while type_ is not None and type_.item is not None:
                type_ = type_.item
            if type_ is not None and type_.category is Category.STRUCT:
                waiting.append(type_.name)
    return found


CASES = [
    (release, version, name)
    for release in RELEASES
    for version in VERSIONS
    for name in sorted(reachable(release, version))
]


@pytest.mark.parametrize(("release", "version", "name"), CASES)
def test_type_equals_published_schema(release: str, version: str, name: str) -> None:
    published = definitions(release)[definition_name(name, version)]
    table = fields_of(name, version, release)
    assert set(table) == set(published["properties"])
    for field in table.values():
        schema = published["properties"][field.name]
        assert spell(field.type, version) == shape(schema, version), field.name
        assert list(field.keys) == schema.get("x-kubernetes-list-map-keys", []), field.name
    required = {f.name for f in table.values() if f.required_in(release)}
    assert required == set(published.get("required", ()))


@pytest.mark.parametrize("release", list(RELEASES))
def test_every_published_type_is_reached(release: str) -> None:
    """Nothing of the group is missing from the table, but for the list kinds."""
    for version in VERSIONS:
        prefix = f"io.k8s.api.resource.{version}."
        published = {
            name.removeprefix(prefix)
            for name in definitions(release)
            if name.startswith(prefix) and not name.endswith("List")
        }
        ours = {n for n in reachable(release, version) if n not in _PREFIXES}
        assert published == ours, version


def test_every_block_of_the_table_is_used() -> None:
    used = {
        name if f"{name}@{version}" not in _blocks() else f"{name}@{version}"
        for release in RELEASES
        for version in VERSIONS
        for name in reachable(release, version)
    }
    assert set(_blocks()) == used


def test_known_somewhere_sees_fields_of_other_releases() -> None:
    field = known_somewhere("DeviceAttribute", "v1", "ints")
    assert isinstance(field, Field)
    assert not field.exists_in("1.35")
    assert field.exists_in("1.36")
    assert known_somewhere("DeviceAttribute", "v1", "integers") is None


def test_gates_of_fields_are_in_the_table_of_releases() -> None:
    for release in RELEASES.values():
        for version in VERSIONS:
            for name in reachable(release.name, version):
                for field in fields_of(name, version, release.name).values():
                    assert set(field.gates) <= set(release.gates), (name, field.name)


def test_types_print_as_in_go() -> None:
    table = fields_of("Device", "v1", "1.37")
    assert str(table["attributes"].type) == "map[QualifiedName]DeviceAttribute"
    assert str(table["taints"].type) == "[]DeviceTaint"
    assert str(table["nodeName"].type) == "*string"
