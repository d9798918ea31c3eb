"""Static types of CEL, and how upstream prints them.

`str(type)` is the form of result types ("google.protobuf.Any"), `type.shown` the form used in
the checker's messages ("any"). Source: cel-go `common/types/types.go`, `checker/format.go`.
"""

from __future__ import annotations

import functools

from dradsl.records import dataclass, field

__all__ = [
    "ANY",
    "BOOL",
    "BYTES",
    "DOUBLE",
    "DURATION",
    "DYN",
    "ERROR",
    "INT",
    "NULL",
    "STRING",
    "TIMESTAMP",
    "TYPE",
    "UINT",
    "Type",
    "list_of",
    "map_of",
    "opaque",
    "optional_of",
    "parse_type",
    "split_types",
    "struct",
    "type_of",
    "type_param",
    "wrapper",
]


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `kind` is one of "bool", ..., "list", "map", "struct", "opaque", "param", "type".

    Two types are equal if upstream calls them exactly the same; whether a primitive may also
    be null (`nullable`, protobuf wrappers) does not count there.
    """

    kind: str
    name: str
    params: tuple[Type, ...] = ()
    nullable: bool = field(default=False, compare=False)

    @property
    def is_dyn(self) -> bool:
        """Whether the checker lets it go with everything: dyn and any."""
        return self.kind == "dyn" or self.kind == "any"

    @property
    def is_error(self) -> bool:
        return self.kind == "error"

    @property
    def is_dyn_or_error(self) -> bool:
        return self.kind in ("dyn", "any", "error")

    @property
    def is_optional(self) -> bool:
        return self.kind == "opaque" and self.name == "optional_type"

    @property
    def declared_name(self) -> str:
        return f"wrapper({self.name})" if self.nullable else self.name

    @property
    def shown(self) -> str:
        """As upstream's checker prints it."""
        if self.kind in _SHOWN:
            return _SHOWN[self.kind]
        if not self.params:
            return self.name if self.kind == "param" else self.declared_name
        return f"{self.name}({', '.join([param.shown for param in self.params])})"

    def __str__(self) -> str:
        if self.kind == "param":
            return f"<{self.name}>"
        if not self.params:
            return self.declared_name
        return f"{self.declared_name}({', '.join([str(param) for param in self.params])})"

    def accepts(self, other: Type) -> bool:
        """Whether a value of type `other` may stand for this one, type parameters aside."""
        if self.nullable and other.kind == "null":
            return True
        if self is other or self.kind in ("dyn", "any", "param"):
            return True
        if (self.kind, self.name) != (other.kind, other.name):
            return False
        if len(self.params) != len(other.params):
            return False
        return all(p.accepts(o) for p, o in zip(self.params, other.params, strict=True))


_SHOWN = {
    "any": "any",
    "duration": "duration",
    "error": "!error!",
    "null": "null",
    "timestamp": "timestamp",
}

ANY = Type("any", "google.protobuf.Any")
BOOL = Type("bool", "bool")
BYTES = Type("bytes", "bytes")
DOUBLE = Type("double", "double")
DURATION = Type("duration", "google.protobuf.Duration")
DYN = Type("dyn", "dyn")
ERROR = Type("error", "error")
INT = Type("int", "int")
NULL = Type("null", "null_type")
STRING = Type("string", "string")
TIMESTAMP = Type("timestamp", "google.protobuf.Timestamp")
TYPE = Type("type", "type")
UINT = Type("uint", "uint")

_NAMED = {
    "any": ANY,
    "bool": BOOL,
    "bytes": BYTES,
    "double": DOUBLE,
    "duration": DURATION,
    "dyn": DYN,
    "int": INT,
    "null": NULL,
    "string": STRING,
    "timestamp": TIMESTAMP,
    "type": TYPE,
    "uint": UINT,
}
# Types that upstream declares as opaque; other dotted names are structs.
_OPAQUE = frozenset({"net.IP", "net.CIDR"})


def list_of(element: Type) -> Type:
    return Type("list", "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", "map", (key, value))


def optional_of(value: Type) -> Type:
    return Type("opaque", "optional_type", (value,))


def opaque(name: str, *params: Type) -> Type:
    return Type("opaque", name, params)


def struct(name: str) -> Type:
    return Type("struct", name)


def type_param(name: str) -> Type:
    return Type("param", name)


def type_of(instance: Type) -> Type:
    """The type of the type value `instance`."""
    return Type("type", "type", (instance,))


def wrapper(primitive: Type) -> Type:
    """The protobuf wrapper of a primitive: it, or null."""
    return Type(primitive.kind, primitive.name, (), nullable=True)


@functools.cache
def parse_type(text: str) -> Type:
    """A type from its notation in the declaration tables: `map(K, list(string))`.

    Single capital letters are type parameters.
    """
    head, paren, rest = text.partition("(")
    if not paren:
        if head in _NAMED:
            return _NAMED[head]
        if len(head) == 1 and head.isupper():
            return type_param(head)
        return opaque(head) if head in _OPAQUE else struct(head)
    params = tuple([parse_type(part) for part in split_types(rest[:-1])])
    if head == "list":
        return list_of(*params)
    if head == "map":
        return map_of(*params)
    if head == "type":
        return type_of(*params)
    return opaque(head, *params)


def split_types(text: str) -> list[str]:
    """The texts between the commas outside parentheses."""
    parts, level, start = [], 0, 0
    for index, letter in enumerate(text):
        level += (letter == "(") - (letter == ")")
        if letter == "," and level == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    parts.append(text[start:].strip())
    return parts
