"""Static types of CEL, and how upstream prints them.

`str(type)` is the form of result types ("google.protobuf.Any"), `type.shown` the form used in
the checker's messages ("any"). Source: cel-go `common/types/types.go`, `checker/format.go`.

Types share their parts: a short expression can have a type whose text would fill the memory.
So whatever walks over types meets each part, or each pair of parts, once; see `every_pair`.
"""

from __future__ import annotations

import functools

from dradsl.records import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Type):
            return NotImplemented
        return self is other or every_pair(self, other, _equal)

    def __hash__(self) -> int:
        return hash((self.kind, self.name, len(self.params)))

    @property
    def is_dyn(self) -> bool:
        """Whether the checker lets it go with everything: dyn and any."""
        return self.kind == "dyn" or self.kind == "any"

    @property
    def is_dyn_or_error(self) -> bool:
        """Whether nothing is checked against it: dyn, any, or a part that did not check."""
        return self.kind in ("dyn", "any", "error")

    @property
    def is_optional(self) -> bool:
        """Whether it is `optional_type(T)`."""
        return self.kind == "opaque" and self.name == "optional_type"

    @property
    def declared_name(self) -> str:
        """The name as in declarations; a type that may be null is a wrapper."""
        return f"wrapper({self.name})" if self.nullable else self.name

    @property
    def shown(self) -> str:
        """As upstream's checker prints it; long ones are cut short with an ellipsis."""
        return _written(self, _shown_head)

    def __str__(self) -> str:
        return _written(self, _head)

    def accepts(self, other: Type) -> bool:
        """Whether a value of type `other` may stand for this one, type parameters aside."""
        return every_pair(self, other, _accepts)


def every_pair(first: Type, second: Type, judge: Callable[[Type, Type], bool | None]) -> bool:
    """Whether `judge` says so of two types and of all their parameters, taken in pairs.

    `judge` answers None where the parameters decide, which then are as many on both sides.
    It must hold for a type and itself. No pair is looked at twice.
    """
    answer = judge(first, second)
    if answer is not None or not first.params:
        return answer is not False
    seen = set()
    stack = list(zip(first.params, second.params, strict=True))
    while stack:
        one, other = stack.pop()
        pair = (id(one), id(other))
        if one is other or pair in seen:
            continue
        seen.add(pair)
        answer = judge(one, other)
        if answer is False:
            return False
        if answer is None:
            stack.extend(zip(one.params, other.params, strict=True))
    return True


def _equal(first: Type, second: Type) -> bool | None:
    if first.kind != second.kind or first.name != second.name:
        return False
    return None if len(first.params) == len(second.params) else False


def _accepts(wanted: Type, given: Type) -> bool | None:
    if wanted.nullable and given.kind == "null":
        return True
    if wanted.kind in ("dyn", "any", "param"):
        return True
    return _equal(wanted, given)


_LONGEST_TEXT = 2000


def _written(type_: Type, head: Callable[[Type], str]) -> str:
    """The text of a type, from the names that `head` gives."""
    if not type_.params:
        return head(type_)
    pieces: list[str] = []
    length = 0
    stack: list[Type | str] = [type_]
    while stack:
        part = stack.pop()
        piece = part if isinstance(part, str) else head(part)
        pieces.append(piece)
        length += len(piece)
        if length > _LONGEST_TEXT:
            return "".join(pieces)[:_LONGEST_TEXT] + "..."
        if not isinstance(part, str) and part.params and part.kind not in _SHOWN:
            stack.append(")")
            for index, param in enumerate(reversed(part.params)):
                stack += [", ", param] if index else [param]
            stack.append("(")
    return "".join(pieces)


def _head(type_: Type) -> str:
    return f"<{type_.name}>" if type_.kind == "param" else type_.declared_name


def _shown_head(type_: Type) -> str:
    if type_.kind in _SHOWN:
        return _SHOWN[type_.kind]
    if type_.params or type_.kind == "param":
        return type_.name
    return type_.declared_name


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
    """`list(element)`."""
    return Type("list", "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """`map(key, value)`."""
    return Type("map", "map", (key, value))


def optional_of(value: Type) -> Type:
    """`optional_type(value)`."""
    return Type("opaque", "optional_type", (value,))


def opaque(name: str, *params: Type) -> Type:
    """An opaque type such as `net.IP`, with type parameters."""
    return Type("opaque", name, params)


def struct(name: str) -> Type:
    """A message type, by its full name."""
    return Type("struct", name)


def type_param(name: str) -> Type:
    """A type parameter of a declaration, such as `T`."""
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
