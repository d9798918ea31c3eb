"""The one table of every kind and field of resource.k8s.io: types, required flags, releases, gates.

Everything that knows about the shape of an object reads it from here: strict decoding, semantic
equality, the editor JSON Schemas and the check of the pydantic models.

The rows are in `types.txt`. A type is a block there: its name (with `@VERSION` where one API version
differs from the others), then a line a field: name, type as Go spells it (`*` = pointer, so that "absent"
and "empty" differ; a leading `!` = required in the published schema), and options: `gate=` (feature gates
that guard it), `keys=` (map keys of a list). Since when and until when a field exists, and until when it
is required, say the pages of the releases (`schemas/releases`).

Sources: kubernetes/api `resource/{v1,v1beta2,v1beta1,v1alpha3}/types.go` at 0.34.12, 0.35.8, 0.36.5
and 0.37.2; apimachinery `meta/v1` and api `core/v1` for the shared types. The required flags are
those of the published JSON Schemas.
"""

from __future__ import annotations

import enum
import functools
from types import MappingProxyType

from dradsl.data import text_beside
from dradsl.records import Record, dataclass
from dradsl.releases import RELEASES
from dradsl.releases.table import NOT_REQUIRED_SINCE, REMOVED_IN, SINCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "GROUP",
    "KINDS",
    "VERSIONS",
    "Category",
    "Field",
    "Kind",
    "FieldType",
    "fields_of",
    "known_somewhere",
]

GROUP = "resource.k8s.io"
VERSIONS = ("v1", "v1beta2", "v1beta1", "v1alpha3")


class Category(enum.StrEnum):
    """What a value of a type looks like in JSON."""

    STRING = "string"
    BOOL = "bool"
    INT32 = "int32"
    INT64 = "int64"
    QUANTITY = "quantity"  # a string or a number
    TIME = "time"  # an RFC 3339 string
    RAW = "raw"  # any JSON value, not looked into
    STRUCT = "struct"
    LIST = "list"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class FieldType:
    """A Go type: `name` is the Go name of scalars and structs, `item` the element of lists and maps."""

    category: Category
    name: str
    pointer: bool = False
    item: FieldType | None = None

    def __str__(self) -> str:
        """As Go writes it, without the package."""
        star = "*" if self.pointer else ""
        if self.category is Category.LIST:
            return f"{star}[]{self.item}"
        if self.category is Category.MAP:
            return f"{star}map[{self.name}]{self.item}"
        return star + self.name


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a type: JSON name, type, and where and when it exists.

    `keys` are the fields that identify an item of a list with map semantics; `gates` must all be on
    for the server to keep the field.
    """

    name: str
    type: FieldType
    required: bool = False
    required_until: str | None = None
    since: str | None = None
    until: str | None = None
    gates: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def exists_in(self, release: str) -> bool:
        """Whether `release` ("1.36") knows the field."""
        order = tuple(RELEASES)
        index = order.index(release)
        after = self.since is None or index >= order.index(self.since)
        return after and (self.until is None or index <= order.index(self.until))

    def required_in(self, release: str) -> bool:
        """Whether the published schema of `release` lists the field as required."""
        if self.required_until is not None:
            order = tuple(RELEASES)
            return order.index(release) <= order.index(self.required_until)
        return self.required


class Kind(Record):
    """A kind of the group: namespaced or not, and whether it has a status that users cannot write."""

    name: str
    namespaced: bool
    status: bool


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind("DeviceClass", namespaced=False, status=False),
            Kind("ResourceClaim", namespaced=True, status=True),
            Kind("ResourceClaimTemplate", namespaced=True, status=False),
            Kind("ResourceSlice", namespaced=False, status=False),
            Kind("DeviceTaintRule", namespaced=False, status=True),
            Kind("ResourcePoolStatusRequest", namespaced=False, status=True),
        )
    }
)

ZEROS: Mapping[Category, object] = MappingProxyType(
    {
        Category.STRING: "",
        Category.BOOL: False,
        Category.INT32: 0,
        Category.INT64: 0,
        Category.QUANTITY: "0",
    }
)
"""What Go has for values of simple types that are not set."""

# Types that are neither texts nor structs.
_SCALARS: Mapping[str, Category] = MappingProxyType(
    {
        "bool": Category.BOOL,
        "int32": Category.INT32,
        "int64": Category.INT64,
        "Quantity": Category.QUANTITY,
        "Time": Category.TIME,
        "RawExtension": Category.RAW,
        "FieldsV1": Category.RAW,
    }
)


@functools.cache
def _type(text: str) -> FieldType:
    pointer = text.startswith("*")
    text = text.removeprefix("*")
    if text.startswith("[]"):
        return FieldType(Category.LIST, "", pointer, _type(text[2:]))
    if text.startswith("map["):
        key, _, item = text[4:].partition("]")
        return FieldType(Category.MAP, key, pointer, _type(item))
    text_or_struct = Category.STRUCT if text in _blocks() else Category.STRING
    return FieldType(_SCALARS.get(text, text_or_struct), text, pointer)


def _field(block: str, line: str) -> Field:
    name, type_text, *options = line.split()
    key = f"{block}.{name}"
    values = dict(option.split("=", 1) for option in options)
    return Field(
        name,
        _type(type_text.removeprefix("!")),
        required=type_text.startswith("!"),
        required_until=_before(NOT_REQUIRED_SINCE.get(key)),
        since=SINCE.get(key),
        until=_before(REMOVED_IN.get(key)),
        gates=tuple(values["gate"].split(",")) if "gate" in values else (),
        keys=tuple(values["keys"].split(",")) if "keys" in values else (),
    )


def _before(release: str | None) -> str | None:
    """The release before this one: the last one of what went with it."""
    order = tuple(RELEASES)
    return None if release is None else order[order.index(release) - 1]


@functools.cache
def _blocks() -> Mapping[str, list[str]]:
    """The lines of each type; one is read when it is asked for."""
    text = text_beside(__file__, "types.txt")
    blocks: dict[str, list[str]] = {}
    block: list[str] = []
    for line in text.splitlines():
        if line.startswith("  "):
            block.append(line)
        elif line:
            block = blocks[line] = []
    return blocks


@functools.cache
def _rows(type_name: str, version: str) -> tuple[Field, ...]:
    blocks = _blocks()
    name = f"{type_name}@{version}"
    if name not in blocks:
        name = type_name
    return tuple([_field(name, line) for line in blocks[name]])


@functools.cache
def fields_of(type_name: str, version: str, release: str) -> Mapping[str, Field]:
    """The fields of a type in API `version` as `release` knows them, by name, in the table's order."""
    return {field.name: field for field in _rows(type_name, version) if field.exists_in(release)}


def known_somewhere(type_name: str, version: str, name: str) -> Field | None:
    """The field called `name` in any release, for saying that it came later or was removed."""
    return next((field for field in _rows(type_name, version) if field.name == name), None)
