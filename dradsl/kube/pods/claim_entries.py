"""Lists that name claims, as the decoder of the API server reads them: entries, and what it refuses.

Sources: kubernetes/api core/v1 and scheduling/v1alpha2, v1alpha3, v1beta1 types at 0.34.12 to 0.37.2;
the texts are those of Go's JSON decoder and of apimachinery's strict decoding.
"""

from __future__ import annotations

from dradsl.kube.errors import DECODING, STRICT_DECODING, FieldError, Path
from dradsl.kube.fields.decoding import well_formed
from dradsl.records import dataclass, replace

__all__ = [
    "CLAIM_FIELDS",
    "SOURCES",
    "ListType",
    "mappings",
    "read_entries",
    "unknown",
    "wrong_type",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
CLAIM_FIELDS = ("name", *SOURCES)


@dataclass(frozen=True, slots=True)
class ListType:
    """What upstream calls a list's place and its items: struct, type, package; and their fields."""

    owner: str
    item: str
    fields: tuple[str, ...]
    package: str = "v1"


def mappings(value: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The mappings of a list, with their places in it."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield index, item


def read_entries(
    value: object, path: Path, of: ListType
) -> tuple[list[tuple[int, dict[str, str]]], list[FieldError]]:
    """The readable entries of a list of references, all fields strings, and what is not readable."""
    errors: list[FieldError] = []
    if value is None:
        return [], errors
    if not isinstance(value, list):
        return [], [wrong_type(path, value, of.owner, f"[]{of.package}.{of.item}")]
    entries = []
    for index, item in enumerate(value):
        at: Path = (*path, index)
        if item is None:
            item = {}
        if not isinstance(item, dict):
            errors.append(wrong_type(at, item, of.owner, f"{of.package}.{of.item}"))
            continue
        entry: dict[str, str] = {}
        readable = True
        for key, content in item.items():
            if key not in of.fields:
                errors.append(unknown(str(key), of.fields, (*at, key), content))
            elif isinstance(content, str):
                entry[key] = well_formed(content)
            elif content is not None:
                errors.append(wrong_type((*at, key), content, of.item, "string"))
                readable = False
        if readable:
            entries.append((index, entry))
    return entries, errors


def wrong_type(path: Path, value: object, owner: str, wanted: str) -> FieldError:
    """A value that does not fit into `wanted`, a type of Go, at a field of the struct `owner`."""
    kinds = {bool: "bool", str: "string", list: "array", int: "number", float: "number"}
    found = kinds.get(type(value), "object")
    names = ".".join((owner, *(element for element in path if isinstance(element, str))))
    detail = f"json: cannot unmarshal {found} into Go struct field {names} of type {wanted}"
    return FieldError(path, "wrong-type", DECODING, detail, value)


def unknown(key: str, fields: tuple[str, ...], path: Path, content: object) -> FieldError:
    """A key that is none of the `fields`, with the one that was probably meant."""
    from dradsl.values.gotext import quote

    shown = "".join(f"[{e}]" if isinstance(e, int) else f".{e}" for e in path).lstrip(".")
    error = FieldError(path, "unknown-field", STRICT_DECODING, f"unknown field {quote(shown)}", key)
    if key == "source" and isinstance(content, dict):
        inner = next((name for name in SOURCES if name in content), None)
        return replace(error, reason="old-claim-source", suggestion=inner)
    lowered = {field.lower(): field for field in fields}
    return replace(error, suggestion=lowered.get(key.lower()))
