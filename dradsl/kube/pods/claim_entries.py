"""Lists that name claims, as the decoder of the API server reads them: entries, and what it rejects.

Sources: kubernetes/api core/v1 and scheduling/v1alpha2, v1alpha3, v1beta1 types at 0.34.12 to 0.37.2;
the texts are those of Go's JSON decoder and of apimachinery's strict decoding.
"""

from __future__ import annotations

from dradsl.kube.errors import (
    FieldError,
    Path,
    UnknownField,
    WrongType,
    unknown_field,
    wrong_type as wrong_type_error,
)
from dradsl.kube.fields.decoding import similar, well_formed
from dradsl.records import Record

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

    from dradsl.kube.errors import Wanted

SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
_OF_REQUESTS = ("deviceClassName", "exactly", "firstAvailable", "selectors", "devices")
CLAIM_FIELDS = ("name", *SOURCES)


class ListType(Record):
    """What upstream calls a list's place and its items: struct, type, package; and their fields."""

    owner: str
    item: str
    fields: tuple[str, ...]
    package: str = "v1"


def mappings(value: object) -> Iterator[tuple[int, Mapping[str, object]]]:
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
        go = f"[]{of.package}.{of.item}"
        return [], [wrong_type(path, value, of.owner, "list", go)]
    entries = []
    for index, item in enumerate(value):
        at: Path = (*path, index)
        if item is None:
            item = {}
        if not isinstance(item, dict):
            go = f"{of.package}.{of.item}"
            errors.append(wrong_type(at, item, of.owner, "mapping", go))
            continue
        entry: dict[str, str] = {}
        readable = True
        for key, content in item.items():
            if key not in of.fields:
                errors.append(unknown(str(key), of.fields, (*at, key), content))
            elif isinstance(content, str):
                entry[key] = well_formed(content)
            elif content is not None:
                place = (*at, key)
                errors.append(wrong_type(place, content, of.item, "text", "string"))
                readable = False
        if readable:
            entries.append((index, entry))
    return entries, errors


def wrong_type(path: Path, value: object, owner: str, wanted: Wanted, go: str) -> FieldError:
    """A value that does not fit into `go`, a type of Go, at a field of the struct `owner`."""
    kinds = {bool: "bool", str: "string", list: "array", int: "number", float: "number"}
    found = kinds.get(type(value), "object")
    fields = (element for element in path if isinstance(element, str))
    names = ".".join((owner, *fields))
    data = WrongType(wanted, go, found, f"Go struct field {names}")
    return wrong_type_error(path, "wrong-type", value, data)


def unknown(key: str, fields: tuple[str, ...], path: Path, content: object) -> FieldError:
    """A key that is none of the `fields`, with the one that was probably meant."""
    data = UnknownField(path)
    if key == "source" and isinstance(content, dict):
        inner = next((name for name in SOURCES if name in content), None)
        return unknown_field("old-claim-source", data, inner)
    if key in _OF_REQUESTS and SOURCES[0] in fields:
        return unknown_field("request-in-pod-claim", data)
    return unknown_field("unknown-field", data, similar(key, fields))
