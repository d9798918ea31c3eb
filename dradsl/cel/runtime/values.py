"""Values of CEL as Python holds them.

| CEL | Python |
| --- | --- |
| null, bool, double, string, bytes | None, bool, float, str, bytes |
| int | int, always within 64 bits |
| uint | `Uint` |
| list | list or tuple |
| map | dict; keys that Python would take for others are a `Key` |
| timestamp, duration | `Timestamp`, `Duration` (nanoseconds) |
| optional | `Optional` |
| type | `TypeValue` |
| kubernetes.Quantity, kubernetes.Semver | `dradsl.values` |
| net.IP, net.CIDR, kubernetes.URL, kubernetes.NamedFormat | classes of the library that makes them |
"""

from __future__ import annotations

from dradsl.records import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

__all__ = [
    "INT_MAX",
    "INT_MIN",
    "NONE",
    "UINT_MAX",
    "CelPanicError",
    "CelRuntimeError",
    "Duration",
    "Key",
    "Optional",
    "Timestamp",
    "TypeValue",
    "Uint",
    "Value",
    "key_of",
    "value_of_key",
    "well_formed",
]

Value: TypeAlias = "Any"
"""Any value of the table above; the checker, not Python's typing, keeps them apart."""

INT_MIN = -(2**63)
INT_MAX = 2**63 - 1
UINT_MAX = 2**64 - 1


class CelRuntimeError(Exception):
    """An evaluation that failed; `start` and `end` bound the sub-expression that raised it."""

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end

    def at(self, span: tuple[int, int]) -> CelRuntimeError:
        """This error, placed at `span` unless it has a place already."""
        if not self.end:
            self.start, self.end = span
        return self


class CelPanicError(Exception):
    """A failure that ends the evaluation at once: no `||` absorbs it.

    The cost limit is one, and so are places where upstream's code panics. Programs turn it into
    a `CelRuntimeError`.
    """


def well_formed(text: str) -> str:
    """Without lone surrogates, for which a server that reads JSON has U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(["\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text])
    return text


class Uint(int):
    """A CEL uint: an int from 0 to 2**64 - 1 that remembers its type."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{int(self)}u"


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A moment, in nanoseconds since 1970-01-01 UTC.

    `offset` is the time zone it was written in, in seconds east of UTC; only its text shows it.
    """

    nanoseconds: int
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time in nanoseconds, within 64 bits."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """A value that may be absent; `NONE` is the absent one."""

    present: bool
    value: Value = None


NONE = Optional(present=False)


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: what `type(x)` gives."""

    name: str


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a map that is equal to those of its Go type with the same identity alone.

    In Go 1, 1u and 1.0 are three keys, and what Go holds by a pointer is the key of its own entry.
    """

    kind: type
    identity: object
    value: Value = field(compare=False)


_BY_VALUE = frozenset({type(None), Duration, TypeValue})


def key_of(value: Value) -> Value:
    """The dictionary key for a CEL map key, with the equality of Go's map of `ref.Val`."""
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is Uint or kind is bool:
        return Key(kind, int(value), value)
    if kind is float:
        return Key(kind, value if value == value else object(), value)
    if kind in _BY_VALUE or getattr(value, "by_value", False):
        return value
    if kind is Timestamp and not value.offset % 3600 and -12 <= value.offset // 3600 <= 14:
        return Key(kind, (value.nanoseconds, value.offset), value)  # zones that Go shares
    if value is NONE:
        return Key(kind, None, value)
    return Key(kind, id(value), value)


def value_of_key(key: Value) -> Value:
    """The CEL value of a dictionary key."""
    return key.value if type(key) is Key else key
