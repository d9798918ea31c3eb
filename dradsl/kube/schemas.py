"""JSON Schemas for editors, one a release and API version, made from the field table, and what each field is for.

`python -m dradsl.kube.schemas` writes `schemas/kubernetes/<release>/<version>.json`. They know what
the table knows: fields, types, required flags and closed lists of values; a document is one of the
kinds that the release serves in the version. A test holds the files against the table.
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

from dradsl.data import data_path
from dradsl.kube.fields.table import GROUP, KINDS, VERSIONS, Category, Field, FieldType, fields_of
from dradsl.releases import RELEASES, Release, Served, validation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.values.json_types import JsonObject

__all__ = ["description_of", "main", "schema", "schema_files", "values_of"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Mapping[Category, Mapping[str, object]] = {
    Category.STRING: {"type": "string"},
    Category.BOOL: {"type": "boolean"},
    Category.INT32: {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    Category.INT64: {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    Category.QUANTITY: {"type": ["string", "number"]},
    Category.TIME: {"type": "string", "format": "date-time"},
    Category.RAW: {},
}
_VALUES: Mapping[str, tuple[str, ...]] = {
    "DeviceAllocationMode": ("ExactCount", "All"),
    "DeviceTolerationOperator": ("Equal", "Exists"),
    "AllocationConfigSource": ("FromClaim", "FromClass"),
    "SkipNodeOperation": ("NodePrepareResources", "NodeUnprepareResources", "*"),
    "ConditionStatus": ("True", "False", "Unknown"),
    "NodeSelectorOperator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
}


def schema(version: str, release: Release) -> dict[str, object] | None:
    """The schema of an API version in a release, or None if it serves nothing in that version."""
    kinds = [name for name in KINDS if release.serves(version, name) is not Served.NO]
    if not kinds:
        return None
    definitions: dict[str, object] = {}
    waiting = list(kinds)
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            fields = fields_of(name, version, release.name)
            definitions[name] = _struct(name, fields, version, release)
            waiting += [found for field in fields.values() for found in _structs(field.type)]
    return {
        "$schema": _DRAFT,
        "title": f"{GROUP}/{version} in Kubernetes {release.name}",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": dict(sorted(definitions.items())),
    }


def _structs(type_: FieldType) -> Iterator[str]:
    if type_.category is Category.STRUCT:
        yield type_.name
    elif type_.item is not None:
        yield from _structs(type_.item)


def _struct(
    name: str, fields: Mapping[str, Field], version: str, release: Release
) -> dict[str, object]:
    result: JsonObject = {
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: _field(name, field, release) for field in fields.values()},
    }
    required = [field.name for field in fields.values() if field.required_in(release.name)]
    if name in KINDS:
        result["properties"]["apiVersion"] = {"const": f"{GROUP}/{version}"}
        result["properties"]["kind"] = {"const": name}
        required = ["apiVersion", "kind", *required]
    if required:
        result["required"] = required
    return result


def _field(owner: str, field: Field, release: Release) -> dict[str, object]:
    described = _type(field.type, release)
    gates = f"Needs the feature gate {' and '.join(field.gates)}." if field.gates else None
    texts = [text for text in (description_of(owner, field.name), gates) if text]
    if texts:
        described["description"] = " ".join(texts)
    return described


def description_of(type_name: str, field: str) -> str | None:
    """What a field of a type of resource.k8s.io, or of the claims of a pod, is for, as Markdown."""
    return _descriptions().get(type_name, {}).get(field)


@functools.cache
def _descriptions() -> Mapping[str, Mapping[str, str]]:
    from dradsl.text.pyyaml import yaml

    text = Path(data_path("schemas", "field-descriptions.yaml")).read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, str]] = yaml.safe_load(text)
    return found


def _type(type_: FieldType, release: Release) -> dict[str, object]:
    if type_.category is Category.STRUCT:
        return {"$ref": f"#/$defs/{type_.name}"}
    if type_.category is Category.LIST and type_.item is not None:
        return {"type": "array", "items": _type(type_.item, release)}
    if type_.category is Category.MAP and type_.item is not None:
        return {"type": "object", "additionalProperties": _type(type_.item, release)}
    values = values_of(type_, release)
    result = dict(_SCALARS[type_.category])
    return {**result, "enum": list(values)} if values else result


def values_of(type_: FieldType, release: Release) -> tuple[str, ...]:
    """The closed list of values of a type; empty if it has none."""
    if type_.name == "DeviceTaintEffect":
        return tuple(validation_of(release.name).effects or ())
    return _VALUES.get(type_.name, ())


def schema_files() -> Iterator[tuple[str, str]]:
    """Path below `schemas/kubernetes` and text of every schema."""
    for release in RELEASES.values():
        for version in VERSIONS:
            found = schema(version, release)
            if found is not None:
                yield f"{release.name}/{version}.json", json.dumps(found, indent=1) + "\n"


def main() -> int:
    """Writes all files; old ones go."""
    folder = Path(data_path("schemas", "kubernetes"))
    wanted = dict(schema_files())
    for old in folder.rglob("*.json"):
        if old.relative_to(folder).as_posix() not in wanted:
            old.unlink()
    for name, text in wanted.items():
        path = folder / Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(wanted)} schemas in {folder}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
