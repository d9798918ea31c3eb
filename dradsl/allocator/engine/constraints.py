"""Constraints over attributes: all devices share a value, or all differ.

Follows `structured/internal/*/constraint.go` and matchAttributeConstraint. A value is what
`value_of` makes of a device's attribute; constraints only ever compare such values, so a search
may rename them consistently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dradsl.releases.scheduling import DistinctComparison

if TYPE_CHECKING:
    from dradsl.allocator.inventory.slices import Attribute, DeviceRecord

__all__ = ["UNKNOWN", "Value", "lookup", "make_constraint", "value_of"]

Value = Any
"""None (the device lacks the attribute), UNKNOWN, any hashable, or a frozenset for lists."""

UNKNOWN = ("", None)
"""An attribute of a kind that the release cannot compare."""

_LIST_OF = {
    "ints": "int",
    "bools": "bool",
    "strings": "string",
    "versions": "version",
}


# Upstream: lookupAttribute, lookupStaticAttribute (structured/internal/*/allocator_*.go)
def lookup(device: DeviceRecord, driver: str, attribute: str) -> Attribute | None:
    """The attribute with this qualified name; a driver may leave out its own domain."""
    found = device.attributes.get(attribute)
    if found is None:
        domain, slash, name = attribute.partition("/")
        if slash and domain == driver:
            found = device.attributes.get(name)
    return found


# Upstream: attributeAsSet (structured/internal/*/allocator_*.go)
def value_of(attribute: Attribute | None, lists: bool) -> Value:
    """What a constraint compares; `lists` is the gate DRAListTypeAttributes."""
    if attribute is None:
        return None
    kind, value = attribute
    if not kind:
        return UNKNOWN
    if lists:
        elements = value if kind in _LIST_OF else (value,)
        if not elements:
            return UNKNOWN
        family = _LIST_OF.get(kind, kind)
        return frozenset((family, element) for element in elements)
    return UNKNOWN if kind in _LIST_OF else (kind, value)


class ConstraintState(Protocol):
    """One constraint while a search is running: devices are added and removed in turns."""

    def add(self, request: str, value: Value) -> bool:
        """Take a device in; False, without effect, if the constraint does not allow it."""
        ...

    def remove(self, request: str) -> None:
        """Take the device that was added last out again."""
        ...

    def state(self) -> Any:
        """A hashable that decides what `add` will answer from now on."""
        ...


# Upstream: matchAttributeConstraint.* (structured/internal/*/allocator_*.go)
class _MatchScalar:
    __slots__ = ("_count", "_value")

    def __init__(self) -> None:
        self._value: Value = None
        self._count = 0

    def add(self, request: str, value: Value) -> bool:
        del request
        if value is None:
            return False
        if not self._count:
            self._value = value
        elif value == UNKNOWN or value != self._value:
            return False
        self._count += 1
        return True

    def remove(self, request: str) -> None:
        del request
        self._count -= 1

    def state(self) -> Any:
        return self._value if self._count else None


# Upstream: matchAttributeConstraint.*, deviceAttributeListAsSet.* (structured/internal/*/allocator_*.go)
class _MatchList:
    """Lists match while they have an element in common.

    `undoes`: the intersection is restored when a device is removed. Before 1.37 it is not.
    """

    __slots__ = ("_count", "_stack", "_undoes")

    def __init__(self, undoes: bool) -> None:
        self._undoes = undoes
        self._stack: list[frozenset[Any]] = []
        self._count = 0

    def add(self, request: str, value: Value) -> bool:
        del request
        if value is None or value == UNKNOWN:
            return False
        if not self._count:
            self._stack = [value]
        else:
            common = self._stack[-1] & value
            if not common:
                return False
            self._stack.append(common)
        self._count += 1
        return True

    def remove(self, request: str) -> None:
        del request
        self._count -= 1
        if self._undoes:
            self._stack.pop()

    def state(self) -> Any:
        return self._stack[-1] if self._count else None


# Upstream: distinctAttributeConstraint.* (structured/internal/*/constraint.go)
class _DistinctAll:
    """Every device is compared with every other."""

    __slots__ = ("_lists", "_values")

    def __init__(self, lists: bool) -> None:
        self._lists = lists
        self._values: list[Value] = []

    def add(self, request: str, value: Value) -> bool:
        del request
        if value is None or not _differs(value, self._values, self._lists):
            return False
        self._values.append(value)
        return True

    def remove(self, request: str) -> None:
        del request
        self._values.pop()

    def state(self) -> Any:
        return frozenset(self._values)


# Upstream: distinctAttributeConstraint.* (structured/internal/*/constraint.go)
class _DistinctByRequest:
    """Only the last value of each request is remembered: kubernetes issue 140438."""

    __slots__ = ("_count", "_lists", "_values")

    def __init__(self, lists: bool) -> None:
        self._lists = lists
        self._values: dict[str, Value] = {}
        self._count = 0

    def add(self, request: str, value: Value) -> bool:
        if value is None:
            return False
        if self._count and not _differs(value, list(self._values.values()), self._lists):
            return False
        self._values[request] = value
        self._count += 1
        return True

    def remove(self, request: str) -> None:
        self._values.pop(request, None)
        self._count -= 1

    def state(self) -> Any:
        return self._count, frozenset(self._values.items())


def _differs(value: Value, others: list[Value], lists: bool) -> bool:
    if value == UNKNOWN:
        # Scalars of unknown kind clash with anything, lists of unknown kind even with nothing.
        return not lists and not others
    if lists:
        return all(other == UNKNOWN or not (value & other) for other in others)
    return value not in others


def make_constraint(
    *, distinct: bool, lists: bool, mode: DistinctComparison, undoes: bool
) -> ConstraintState:
    """A fresh constraint for a search.

    `lists` is the gate, `mode` and `undoes` are switches of the release. For DistinctComparison.IDENTITY the
    caller gives the device itself as value.
    """
    if distinct:
        return _DistinctAll(lists) if mode is DistinctComparison.ALL else _DistinctByRequest(lists)
    return _MatchList(undoes) if lists else _MatchScalar()
