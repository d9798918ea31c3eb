"""What operators do to values: names of types, equality, order, membership, indexing.

Source: cel-go `common/types` and `interpreter/attributes.go`; Kubernetes' own types from
apiserver `pkg/cel`.
"""

from __future__ import annotations

from dradsl.cel.runtime.go_text import shown
from dradsl.cel.runtime.values import (
    INT_MAX,
    INT_MIN,
    NONE,
    CelPanicError,
    CelRuntimeError,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    key_of,
    value_of_key,
)
from dradsl.cel.runtime.work_limit import bound_tree
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "ComputedQuantity",
    "DefaultMap",
    "NativeMap",
    "check_hashable",
    "compare",
    "contains",
    "equal",
    "equal_elements",
    "entry",
    "go_type",
    "has_number",
    "index",
    "missing",
    "no_overload",
    "optional_step",
    "present",
    "shown",
    "size",
    "type_name",
]


class NativeMap(dict[Value, Value]):
    """A map of Go with strings for keys, where other keys are merely not found."""

    __slots__ = ()


class DefaultMap(NativeMap):
    """A map whose lookups never fail: an unknown key gives an empty map.

    Membership, size and iteration see the entries alone, as with the outer maps of a device
    (dynamic-resource-allocation `cel/compile.go`, newStringInterfaceMapWithDefault).
    """

    __slots__ = ()

    def __missing__(self, key: Value) -> Value:
        return NativeMap()


class ComputedQuantity(Quantity):
    """A sum or difference of quantities.

    Upstream hands those out as pointers, so they equal nothing when on the right of `==`.
    """

    __slots__ = ()

    @classmethod
    def of(cls, value: Quantity) -> ComputedQuantity:
        return cls(value.mantissa, value.scale, value.format, value.small)


_NAMES: Mapping[type, tuple[str, str]] = {
    bool: ("bool", "types.Bool"),
    int: ("int", "types.Int"),
    Uint: ("uint", "types.Uint"),
    float: ("double", "types.Double"),
    str: ("string", "types.String"),
    bytes: ("bytes", "types.Bytes"),
    type(None): ("null_type", "types.Null"),
    list: ("list", "*types.baseList"),
    tuple: ("list", "*types.baseList"),
    dict: ("map", "*types.baseMap"),
    NativeMap: ("map", "*types.baseMap"),
    DefaultMap: ("map", "cel.mapper"),
    Timestamp: ("google.protobuf.Timestamp", "types.Timestamp"),
    Duration: ("google.protobuf.Duration", "types.Duration"),
    Optional: ("optional_type", "*types.Optional"),
    TypeValue: ("type", "*types.Type"),
    Quantity: ("kubernetes.Quantity", "cel.Quantity"),
    ComputedQuantity: ("kubernetes.Quantity", "*cel.Quantity"),
    Semver: ("kubernetes.Semver", "cel.Semver"),
}


def type_name(value: Value) -> str:
    """The name of a value's type."""
    names = _NAMES.get(type(value))
    return names[0] if names else str(value.type_name)


def go_type(value: Value) -> str:
    """The name of the Go type behind a value, which some of upstream's messages print."""
    names = _NAMES.get(type(value))
    return names[1] if names else str(value.go_type)


def no_overload(function: str = "", *args: Value) -> CelRuntimeError:
    """The error of a call whose arguments fit no signature."""
    if not function:
        return CelRuntimeError("no such overload")
    if not args:
        return CelRuntimeError(f"no such overload: {function}")
    names = ", ".join([type_name(arg) for arg in args])
    return CelRuntimeError(f"no such overload: {function}({names})")


# -- equality ------------------------------------------------------------------------------


def equal_elements(left: Value, right: Value) -> bool:
    """As `equal`; what cannot be compared is unequal."""
    try:
        return equal(left, right)
    except CelRuntimeError:
        return False


def equal(left: Value, right: Value) -> bool:
    """`left == right`; types that do not go together are unequal, not an error.

    Raises:
        CelRuntimeError: if `left` is of a type that only compares with its own kind.
    """
    bound_tree(left)
    return _equal(left, right)


def _equal(left: Value, right: Value) -> bool:
    kind = type(left)
    if kind is str or kind is bool:
        return type(right) is kind and bool(left == right)
    if left is None or right is None:
        return left is right
    if kind is int or kind is Uint or kind is float:
        return _equal_numbers(left, right)
    if kind is list or kind is tuple:
        return _equal_lists(left, right)
    if isinstance(left, dict):
        return _equal_maps(left, right)
    return _equal_others(left, right)


def _equal_numbers(left: Value, right: Value) -> bool:
    kind = type(right)
    if kind is int or kind is Uint:
        if type(left) is float:
            return _compare_double_int(left, right) == 0
        return int(left) == int(right)
    if kind is float:
        if type(left) is float:
            return bool(left == right)
        return _compare_double_int(right, left) == 0
    return False


def _compare_double_int(left: float, right: int) -> int:
    """-1, 0, 1; 2 for NaN. As upstream does, within the range the int becomes a double."""
    if left != left:
        return 2
    low, high = (0, 2**64 - 1) if type(right) is Uint else (INT_MIN, INT_MAX)
    if left < low:
        return -1
    if left > high:
        return 1
    other = float(right)
    return (left > other) - (left < other)


def _lenient(left: Value, right: Value) -> bool:
    """Equality within containers, where upstream takes an error for equal."""
    try:
        return _equal(left, right)
    except CelRuntimeError:
        return True


def _equal_lists(left: Value, right: Value) -> bool:
    if not isinstance(right, list | tuple) or len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):  # noqa: SIM110 - all() takes C stack
        if not _lenient(one, other):
            return False
    return True


def _equal_maps(left: Value, right: Value) -> bool:
    if not isinstance(right, dict) or len(left) != len(right):
        return False
    for key, value in left.items():
        found, other = entry(right, value_of_key(key))
        if not found or not _lenient(value, other):
            return False
    return True


def _equal_others(left: Value, right: Value) -> bool:
    kind = type(left)
    if kind is CelRuntimeError:
        raise CelRuntimeError(left.message)
    if kind is Optional:
        if type(right) is not Optional or left.present is not right.present:
            return False
        return not left.present or _equal(left.value, right.value)
    if kind in (bytes, Timestamp, Duration, TypeValue):
        return type(right) is kind and bool(left == right)
    if type(right) is CelRuntimeError:
        raise CelRuntimeError(right.message)
    if kind is Quantity or kind is ComputedQuantity:
        if type(right) is not Quantity:
            raise no_overload()
        return bool(left.cmp(right) == 0)
    if kind is Semver:
        if type(right) is not Semver:
            raise no_overload()
        return bool(left.cmp(right) == 0)
    return bool(left.equals(right))  # a library's own type


# -- order ---------------------------------------------------------------------------------

_ORDERED = frozenset({bool, int, Uint, float, str, bytes, Timestamp, Duration})
_RECEIVERS = frozenset({str, Timestamp, Duration})
"""Types whose failed operators upstream reports without the operator's name."""


def without_trait(function: str, value: Value) -> CelRuntimeError:
    """The error of an operator that the type of its first operand does not have."""
    return no_overload("" if type(value) in _RECEIVERS else function)


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1.

    Raises:
        CelRuntimeError: if the values have no common order.
    """
    kind, other = type(left), type(right)
    if kind is int or kind is Uint or kind is float:
        if other is int or other is Uint or other is float:
            return _compare_numbers(left, right)
        if kind is float and left != left:
            raise CelRuntimeError("NaN values cannot be ordered")
    elif kind is other and kind in _ORDERED:
        return int(left > right) - int(left < right)
    raise no_overload()


def _compare_numbers(left: Value, right: Value) -> int:
    if left != left or right != right:
        raise CelRuntimeError("NaN values cannot be ordered")
    if type(left) is float and type(right) is not float:
        return _compare_double_int(left, right)
    if type(right) is float and type(left) is not float:
        return -_compare_double_int(right, left)
    return int(left > right) - int(left < right)


def is_ordered(value: Value) -> bool:
    """Whether values of this type can be compared at all."""
    return type(value) in _ORDERED


# -- containers ----------------------------------------------------------------------------


def size(value: Value) -> int:
    """The number of code points, bytes or entries."""
    kind = type(value)
    if kind is str or kind is bytes or kind is list or kind is tuple or isinstance(value, dict):
        return len(value)
    raise without_trait("size", value)


def contains(element: Value, container: Value) -> bool:
    """`element in container`."""
    if isinstance(container, dict):
        if container and type(container) is dict:
            check_hashable(element)
        return element in container if type(element) is str else _entry(container, element)[0]
    if not isinstance(container, list | tuple):
        raise no_overload()
    for item in container:
        try:
            if item is None or element is None:
                if item is element:
                    return True
            elif equal(element, item):
                return True
        except CelRuntimeError:
            continue  # unlike `==`, membership takes an error for unequal
    return False


def check_hashable(key: Value) -> None:
    """Stops what upstream cannot even look for in a map that CEL has made.

    Raises:
        CelPanicError: for bytes, versions and formats.
    """
    if type(key) is not str and go_type(key) in _UNHASHABLE:
        raise CelPanicError(
            f"internal error: runtime error: hash of unhashable type {go_type(key)}"
        )


_UNHASHABLE = frozenset({"types.Bytes", "cel.Semver", "cel.Format"})


def entry(container: Mapping[Value, Value], key: Value) -> tuple[bool, Value]:
    """Whether a map has a key, and what it holds there."""
    if type(key) is str and key in container:
        return True, container[key]
    return (True, container[key]) if isinstance(container, DefaultMap) else _entry(container, key)


def _entry(container: Mapping[Value, Value], key: Value) -> tuple[bool, Value]:
    """As `entry`, of what the map itself has.

    Whole numbers are also looked for as int and uint, but an int or uint not as a double.

    Upstream: cel-go `common/types/map.go`, refValMapAccessor.Find.
    """
    found = key_of(key)
    if found in container:
        return True, container[found]
    for other in _other_numbers(key) if type(container) is dict else ():
        found = key_of(other)
        if found in container:
            return True, container[found]
    return False, None


def has_number(container: Mapping[Value, Value], key: Value) -> bool:
    """Whether a map has a number as int or uint that is given as another number."""
    return any(key_of(other) in container for other in _other_numbers(key))


def _other_numbers(key: Value) -> Iterator[Value]:
    kind = type(key)
    if kind is int and key >= 0:
        yield Uint(key)
    elif kind is Uint and key <= INT_MAX:
        yield int(key)
    elif kind is float and -(2.0**63) < key < 2.0**64 and key == int(key):
        if key < 2.0**63:
            yield int(key)
        if key >= 0:
            yield Uint(key)


def missing(key: Value) -> CelRuntimeError:
    """The error for a key that a map does not have."""
    return CelRuntimeError(f"no such key: {shown(key)}")


def index(container: Value, key: Value) -> Value:
    """`container[key]`, which is also what `container.key` means.

    Raises:
        CelRuntimeError: if there is no such key or index, or nothing to index.
    """
    if type(container) is Optional:
        found, value = optional_step(container, key)
        return Optional(True, value) if found else NONE
    if type(key) not in _KEYS:
        raise CelRuntimeError(f"invalid qualifier type: {go_type(key)}")
    if isinstance(container, dict):
        found, value = entry(container, key)
        if not found:
            raise missing(key)
        return value
    if isinstance(container, list | tuple):
        position = _position(key)
        if 0 <= position < len(container):
            return container[position]
        raise CelRuntimeError(f"index out of bounds: {shown(key)}")
    raise missing(key)


_KEYS = frozenset({str, int, Uint, float, bool})


def optional_step(container: Value, key: Value) -> tuple[bool, Value]:
    """A lookup that may fail, in a value or in an optional one."""
    if type(container) is Optional:
        if not container.present:
            return False, None
        container = container.value
    return present(container, key)


def _position(key: Value) -> int:
    kind = type(key)
    if kind is int:
        return int(key)
    if kind is Uint or kind is float:
        whole = key == key and INT_MIN < key <= INT_MAX and int(key) == key
        if not whole:
            raise CelRuntimeError(f"unsupported index value {shown(key)} in list")
        return int(key)
    raise CelRuntimeError(f"unsupported index type '{type_name(key)}' in list")


def present(container: Value, key: Value) -> tuple[bool, Value]:
    """Whether `container` has `key`, and what it holds: the lookup of `has` and `.?`."""
    if type(key) not in _KEYS:
        raise CelRuntimeError(f"invalid qualifier type: {go_type(key)}")
    if isinstance(container, dict):
        return entry(container, key)
    if isinstance(container, list | tuple):
        position = _position(key)
        if 0 <= position < len(container):
            return True, container[position]
    return False, None
