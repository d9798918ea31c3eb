"""What an expression may use: variables, types, functions, macros, limits.

An `Environment` is a value handed to parser, checker, cost estimate and compiler; none of them
knows of devices or of Kubernetes.
"""

from __future__ import annotations

from dradsl.cel.syntax.macro_names import ALL_MACROS, MacroKey
from dradsl.cel.types import (
    ANY,
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
    list_of,
    map_of,
    opaque,
    optional_of,
    struct,
    type_param,
    wrapper,
)
from dradsl.records import Record, dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cel.checker.functions import FunctionTable

__all__ = ["Dialect", "Environment", "Sized"]


class Sized(Record):
    """How large a value can be at most, for the cost estimate.

    `limit` counts the code points of a string or the entries of a container; `keys` and
    `items` describe what a container holds, `fields` what an object does. `any_field` answers
    for fields that are not listed, where upstream does so.
    """

    limit: int
    keys: Sized | None = None
    items: Sized | None = None
    fields: Mapping[str, Sized] = field(default_factory=dict)
    any_field: Sized | None = None


class Dialect(Record):
    """Where the versions of cel-go differ in behaviour."""

    name: str
    keeps_optionals: bool = False
    """An optional that a name stands for is not unwrapped to Go's own value and wrapped again."""
    backtick_names: bool = False
    """`a.`b-c`` selects the field "b-c"."""
    strict_or_value: bool = False
    """`or` and `orValue` on something that is no optional fail instead of returning it."""
    leading_dot_is_global: bool = False
    """`.x` never means a variable of a macro."""
    matches_function_cost: bool = False
    """`matches(s, p)` costs as much as `s.matches(p)`."""
    starts_with_costs_argument: bool = False
    """At run time `startsWith` and `endsWith` cost the length of their argument."""
    range_limit: int | None = None
    """The most elements that `lists.range` makes."""
    without: frozenset[str] = frozenset()
    """Overloads of the standard library that are gone."""


@dataclass(frozen=True, eq=False)
class Environment:
    """The names an expression may use, what they mean, and the limits it is held to.

    `name` identifies the environment in caches and messages. `results` are the types a whole
    expression may have, `results_text` how the message about another type names them; empty
    means any. `list_values`: what the variables hold may be lists where the types do not say.
    `cost_limit` is in upstream's units of cost; None: there is none.
    """

    name: str
    functions: FunctionTable
    variables: Mapping[str, Type]
    dialect: Dialect
    structs: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    sizes: Mapping[str, Sized] = field(default_factory=dict)
    macros: frozenset[MacroKey] = ALL_MACROS
    results: tuple[Type, ...] = ()
    results_text: str = ""
    cost_limit: int | None = None
    list_values: bool = True

    def type_named(self, name: str) -> Type | None:
        """The type that `name` denotes as a value: `int`, `google.protobuf.Duration`, ..."""
        found = _TYPES.get(name)
        if found is None and name in self.structs:
            return struct(name)
        return found

    def fields_of(self, name: str) -> Mapping[str, Type] | None:
        """The fields of a message type, None if there is no such type."""
        own = self.structs.get(name)
        return own if own is not None else _MESSAGES.get(name)


_A, _B = type_param("A"), type_param("B")

_TYPES: Mapping[str, Type] = {
    "bool": BOOL,
    "bytes": BYTES,
    "double": DOUBLE,
    "int": INT,
    "list": list_of(_A),
    "map": map_of(_A, _B),
    "null_type": NULL,
    "string": STRING,
    "type": TYPE,
    "uint": UINT,
    "timestamp": TIMESTAMP,
    "duration": DURATION,
    "optional_type": optional_of(_A),
    "net.IP": opaque("net.IP"),
    "net.CIDR": opaque("net.CIDR"),
    "google.protobuf.Any": ANY,
    "google.protobuf.BoolValue": wrapper(BOOL),
    "google.protobuf.BytesValue": wrapper(BYTES),
    "google.protobuf.DoubleValue": wrapper(DOUBLE),
    "google.protobuf.Duration": DURATION,
    "google.protobuf.Empty": struct("google.protobuf.Empty"),
    "google.protobuf.FloatValue": wrapper(DOUBLE),
    "google.protobuf.Int32Value": wrapper(INT),
    "google.protobuf.Int64Value": wrapper(INT),
    "google.protobuf.ListValue": list_of(DYN),
    "google.protobuf.StringValue": wrapper(STRING),
    "google.protobuf.Struct": map_of(STRING, DYN),
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.UInt32Value": wrapper(UINT),
    "google.protobuf.UInt64Value": wrapper(UINT),
    "google.protobuf.Value": DYN,
}

_MESSAGES: Mapping[str, Mapping[str, Type]] = {
    "google.protobuf.Any": {"type_url": STRING, "value": BYTES},
    "google.protobuf.BoolValue": {"value": BOOL},
    "google.protobuf.BytesValue": {"value": BYTES},
    "google.protobuf.DoubleValue": {"value": DOUBLE},
    "google.protobuf.Duration": {"seconds": INT, "nanos": INT},
    "google.protobuf.Empty": {},
    "google.protobuf.FloatValue": {"value": DOUBLE},
    "google.protobuf.Int32Value": {"value": INT},
    "google.protobuf.Int64Value": {"value": INT},
    "google.protobuf.ListValue": {"values": list_of(DYN)},
    "google.protobuf.StringValue": {"value": STRING},
    "google.protobuf.Struct": {"fields": map_of(STRING, DYN)},
    "google.protobuf.Timestamp": {"seconds": INT, "nanos": INT},
    "google.protobuf.UInt32Value": {"value": UINT},
    "google.protobuf.UInt64Value": {"value": UINT},
    "google.protobuf.Value": {
        "null_value": INT,
        "number_value": DOUBLE,
        "string_value": STRING,
        "bool_value": BOOL,
        "struct_value": map_of(STRING, DYN),
        "list_value": list_of(DYN),
    },
}
