"""What a device publishes, typed: comparing an attribute or a capacity gives an expression.

A value of the wrong type raises at once, and type checkers reject it: an ordering where it stands,
an `==` where its result is used (Python lets any two things be compared, so it becomes a `bool`).
"""

from __future__ import annotations

import operator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NoReturn, TypeVar, overload

from dradsl.dsl.expressions.expression import Condition, Expression, hint_for
from dradsl.dsl.expressions.literals import bool_of, int_of, quantity_of, string_of, version_of
from dradsl.dsl.expressions.nodes import (
    Comparison,
    ConditionNode,
    DeviceType,
    Exists,
    Op,
    Operand,
    ValueType,
)
from dradsl.dsl.expressions.placeholders import PlaceholderList
from dradsl.dsl.expressions.suggestions import did_you_mean, mistaken_values
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self


__all__ = [
    "Attribute",
    "AttributeAny",
    "AttributeBool",
    "AttributeBools",
    "AttributeInt",
    "AttributeInts",
    "AttributeString",
    "AttributeStrings",
    "AttributeVersion",
    "AttributeVersions",
    "Capacity",
]

T = TypeVar("T")
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    S = TypeVarWithDefault("S", bound=str, default=str)
else:
    S = TypeVar("S", bound=str)
_V = TypeVar("_V", bound="_Value")

_CHECKS: dict[str, Callable[[object, str], str | int | bool]] = {
    "string": string_of,
    "int": int_of,
    "bool": bool_of,
    "version": version_of,
    "quantity": quantity_of,
}


class _Value:
    """An attribute or capacity by its domain and name, and how a missing one is handled."""

    __slots__ = ("_default", "_guarded", "_operand", "_values")

    _source: ClassVar[Literal["attributes", "capacity"]] = "attributes"
    _type: ClassVar[ValueType]

    def __init__(
        self,
        domain: str,
        name: str,
        *,
        always: DeviceType | None = None,
        values: tuple[str, ...] = (),
        default: object = None,
        guarded: bool = True,
    ) -> None:
        """A value of devices.

        Args:
            domain: the domain of its name, mostly the driver's.
            name: its name in that domain.
            always: the device type of which every device has it.
            values: all that it can be, if that is known.
            default: what it is taken to be where it is missing.
            guarded: whether CEL asks for it before reading it.
        """
        self._operand = Operand(self._source, domain, name, self._type, always)
        self._values = values
        self._guarded = guarded
        self._default = None if default is None else self._check(default)

    @property
    def qualified(self) -> str:
        """Domain and name, as constraints name it: "resource.kubernetes.io/pcieRoot"."""
        return self._operand.qualified

    @property
    def domain(self) -> str:
        """The domain of its name: mostly the driver, "resource.kubernetes.io" for standard ones."""
        return self._operand.domain

    def exists(self) -> Expression:
        """The device publishes it."""
        return Condition(Exists(self._operand))

    @property
    def unguarded(self) -> Self:
        """The same, read without asking whether it is there: CEL fails on a device without it."""
        return self._but(guarded=False)

    def _but(self, **changes: object) -> Self:
        return self._as(type(self), **changes)

    def _as(self, kind: type[_V], **changes: object) -> _V:
        how: dict[str, Any] = {
            "always": self._operand.always,
            "values": self._values,
            "default": self._default,
            "guarded": self._guarded,
        }
        return kind(self._operand.domain, self._operand.name, **{**how, **changes})

    def _check(self, value: object) -> str | int | bool:
        checked = _CHECKS[self._operand.type](value, self.qualified)
        if self._values and checked not in self._values:
            mistaken = mistaken_values(self.domain, self._operand.name)
            hint = did_you_mean(str(checked), self._values, mistaken)
            known = ", ".join(self._values)
            word = "attributes" if self._source == "attributes" else "capacity"
            raise ValueError(
                f'{self.qualified} is never "{checked}"{hint} (known: {known}); for hardware that is '
                f'newer than this list, ask by name: .{word}["{self._operand.name}"]'
            )
        return checked

    def _compare(self, op: Op, value: object) -> Expression:
        return self._condition_on(op, self._check(value))

    def _condition_on(
        self, op: Op, value: str | int | bool | tuple[str | int | bool, ...]
    ) -> Expression:
        return Condition(self._node_of(op, value))

    def _node_of(
        self, op: Op, value: str | int | bool | tuple[str | int | bool, ...]
    ) -> ConditionNode:
        return Comparison(self._operand, op, value, self._default, self._guarded)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self.qualified} has no truth value in Python: compare it, or ask .exists(); write "
            "`x.in_([...])` for `x in [...]` and `(a <= x) & (x <= b)` for `a <= x <= b`"
        )

    if not TYPE_CHECKING:

        def __contains__(self, item: object) -> NoReturn:
            raise TypeError(
                f"`in` cannot be asked of {self.qualified}: for a text or a list write "
                f".contains({item!r})"
            )

        # `"40Gi" & gpu.memory` is what Python makes of `a >= "40Gi" & gpu.memory == b`.
        def _not_joined(self, other: object) -> NoReturn:
            raise TypeError(
                f"& and | join expressions: compare {self.qualified} first{hint_for(self)}"
            )

        __and__ = __rand__ = __or__ = __ror__ = _not_joined

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.qualified}>"


class Attribute(_Value):
    """An attribute of any type: what constraints compare."""

    __slots__ = ()

    def published(self, value: object) -> tuple[str, object]:
        """How a slice writes `value`: the field of its type, and what is there.

        Raises:
            TypeError, ValueError: for a value that the attribute never has.
        """
        kind = self._operand.type
        if kind.endswith("s"):
            if not isinstance(value, list | tuple):
                raise TypeError(f"{self.qualified} is a list, not {value!r}")
            check = _CHECKS[kind.removesuffix("s")]
            return kind, [check(one, self.qualified) for one in value]
        return kind, self._check(value)


class _Equal(_Value, Generic[T]):
    """A value that equals a constant or does not; `T` is what it can be compared with."""

    __slots__ = ()

    # Comparing makes an expression: the types say so, whatever `object` promises.
    def __eq__(self, other: T) -> Expression:  # type: ignore[override] # an expression
        return self._compare(Op.EQ, other)

    def __ne__(self, other: T) -> Expression:  # type: ignore[override] # an expression
        return self._compare(Op.NE, other)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def is_(self, value: T) -> Expression:
        """It equals `value`, as `==` says it; editors complete known texts here."""
        return self == value

    def in_(self, values: Iterable[T]) -> Expression:
        """It equals one of `values`."""
        if isinstance(values, str):
            raise TypeError(f"in_() takes a list of values, not the string {values!r}")
        # A set has another order in every run of Python; manifests must not.
        ordered = sorted(values, key=str) if isinstance(values, AbstractSet) else values
        checked = tuple(map(self._check, ordered))
        if isinstance(values, PlaceholderList):
            if self._operand.type not in ("string", "int"):
                raise TypeError(f"{self.qualified}.in_() takes no list that a chart leaves open")
            values.rules.setdefault("minItems", 1)
            checked = values
        if not checked:
            raise ValueError(f"{self.qualified}.in_() without values would never hold")
        return self._condition_on(Op.IN, checked)

    def or_else(self, default: T) -> Self:
        """The same, taken to be `default` on a device that does not publish it."""
        return self._but(default=default)


class _Ordered(_Equal[T]):
    """A value that is also less or greater than a constant."""

    __slots__ = ()

    # A bool is an int to type checkers; the first overload sends it where no expression comes out.
    @overload
    def __lt__(self, other: bool) -> bool: ...  # type: ignore[overload-overlap] # a bool is an int
    @overload
    def __lt__(self, other: T) -> Expression: ...
    def __lt__(self, other: object) -> Expression | bool:
        return self._compare(Op.LT, other)

    @overload
    def __le__(self, other: bool) -> bool: ...  # type: ignore[overload-overlap] # a bool is an int
    @overload
    def __le__(self, other: T) -> Expression: ...
    def __le__(self, other: object) -> Expression | bool:
        return self._compare(Op.LE, other)

    @overload
    def __gt__(self, other: bool) -> bool: ...  # type: ignore[overload-overlap] # a bool is an int
    @overload
    def __gt__(self, other: T) -> Expression: ...
    def __gt__(self, other: object) -> Expression | bool:
        return self._compare(Op.GT, other)

    @overload
    def __ge__(self, other: bool) -> bool: ...  # type: ignore[overload-overlap] # a bool is an int
    @overload
    def __ge__(self, other: T) -> Expression: ...
    def __ge__(self, other: object) -> Expression | bool:
        return self._compare(Op.GE, other)


class AttributeString(_Equal[S], Attribute, Generic[S]):
    """A text. It has no order: "9" is greater than "10".

    `S` are the texts that it can be, for editors and type checkers.
    """

    __slots__ = ()
    _type = "string"

    def startswith(self, prefix: str) -> Expression:
        """It begins with `prefix`."""
        return self._text(Op.STARTS, prefix)

    def endswith(self, suffix: str) -> Expression:
        """It ends with `suffix`."""
        return self._text(Op.ENDS, suffix)

    def contains(self, part: str) -> Expression:
        """It holds `part` somewhere."""
        return self._text(Op.CONTAINS, part)

    def matches(self, pattern: str) -> Expression:
        """The RE2 pattern matches somewhere in it; anchor with `^` and `$` to match all of it."""
        from dradsl.regexp import PatternError, compile_pattern

        try:
            compile_pattern(string_of(pattern, f"the pattern for {self.qualified}"))
        except PatternError as error:
            reason = str(error).removeprefix("error parsing regexp: ")
            raise ValueError(f"{pattern!r} is no RE2 pattern: {reason}") from error
        return self._text(Op.MATCHES, pattern)

    def _text(self, op: Op, value: str) -> Expression:
        # Not _check: a prefix need not be one of the known values.
        return self._condition_on(op, string_of(value, self.qualified))

    def _no_order(self, other: object) -> NoReturn:
        raise TypeError(
            f"{self.qualified} is a string and has no order; compare with == or in_(), and a "
            "version only where the driver publishes one"
        )

    if not TYPE_CHECKING:
        __lt__ = __le__ = __gt__ = __ge__ = _no_order


class AttributeInt(_Ordered[int], Attribute):
    """A whole number of 64 bits."""

    __slots__ = ()
    _type = "int"


class AttributeVersion(_Ordered[str | Semver], Attribute):
    """A semantic version; compare with a string: `>= "550.54"` means 550.54.0 and later."""

    __slots__ = ()
    _type = "version"


class Capacity(_Ordered[str | int | Quantity]):
    """An amount that the device has; compare with a quantity: `>= "40Gi"`, `>= 8`."""

    __slots__ = ("_key",)
    _source = "capacity"
    _type = "quantity"

    def __init__(
        self,
        domain: str,
        name: str,
        *,
        key: str | None = None,
        always: DeviceType | None = None,
        values: tuple[str, ...] = (),
        default: object = None,
        guarded: bool = True,
    ) -> None:
        """A capacity of devices.

        Args:
            domain: the domain of its name, mostly the driver's.
            name: its name in that domain.
            key: how requests spell it, if not by the name alone.
            always: the device type of which every device has it.
            values: all that it can be, if that is known.
            default: what it is taken to be where it is missing.
            guarded: whether CEL asks for it before reading it.
        """
        super().__init__(
            domain, name, always=always, values=values, default=default, guarded=guarded
        )
        self._key = key or name

    @property
    def request_key(self) -> str:
        """How a request for a part of it spells it: as the driver's slices do."""
        return self._key

    def _as(self, kind: type[_V], **changes: object) -> _V:
        return super()._as(kind, key=self._key, **changes)


class AttributeBool(_Equal[bool], Attribute, Expression):
    """True or false, and so an expression by itself: `gpu.rdma & ...`, `~gpu.rdma`."""

    __slots__ = ()
    _type = "bool"

    if not TYPE_CHECKING:
        __and__, __rand__ = Expression.__and__, Expression.__rand__
        __or__, __ror__ = Expression.__or__, Expression.__ror__

    def __node__(self) -> ConditionNode:
        return self._node_of(Op.HOLDS, True)

    def __repr__(self) -> str:
        return _Value.__repr__(self)


class _Several(Attribute, Generic[T]):
    """A list of values (feature gate DRAListTypeAttributes)."""

    __slots__ = ()

    def contains(self, value: T) -> Expression:
        """One of the values equals `value`."""
        checked = _CHECKS[self._operand.type.removesuffix("s")](value, self.qualified)
        return self._condition_on(Op.CONTAINS, checked)

    if not TYPE_CHECKING:

        def _no_comparison(self, other: object) -> NoReturn:
            raise TypeError(f"{self.qualified} is a list: ask .contains(value)")

        __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _no_comparison
        __hash__ = object.__hash__


class AttributeStrings(_Several[str]):
    """A list of texts."""

    __slots__ = ()
    _type = "strings"


class AttributeInts(_Several[int]):
    """A list of whole numbers."""

    __slots__ = ()
    _type = "ints"


class AttributeBools(_Several[bool]):
    """A list of true and false."""

    __slots__ = ()
    _type = "bools"


class AttributeVersions(_Several[str | Semver]):
    """A list of semantic versions."""

    __slots__ = ()
    _type = "versions"


class AttributeAny(AttributeString[str]):
    """An attribute by name: the constant that it is compared with tells its type.

    A string is a string: for a version, compare with a `Semver` or take `.version` first.
    """

    __slots__ = ()

    @property
    def version(self) -> AttributeVersion:
        """The same, as a version."""
        return self._as(AttributeVersion)

    def published(self, value: object) -> tuple[str, object]:
        """As of an attribute of the value's type."""
        if isinstance(value, list | tuple) and value:
            fields, values = zip(*(self.published(one) for one in value), strict=True)
            if len({*fields}) > 1:
                raise TypeError(f"{self.qualified} has values of several types: {value!r}")
            return f"{fields[0]}s", list(values)
        for kind, field in _FIELD_BY_PYTHON_TYPE:
            if isinstance(value, kind):
                return field, self._check(value)
        raise TypeError(f"{self.qualified} cannot be {value!r}")

    def _typed(self, value: object) -> _Equal[Any]:
        for kind, attribute in _BY_PYTHON_TYPE:
            if isinstance(value, kind):
                return self._as(attribute)
        raise TypeError(f"{self.qualified} is compared with a constant, not with {value!r}")

    def _check(self, value: object) -> str | int | bool:
        checks = (check for kind, check in _CHECK_BY_PYTHON_TYPE if isinstance(value, kind))
        return next(checks, string_of)(value, self.qualified)

    # As in `_Equal`.
    def __eq__(self, other: str | int | Semver) -> Expression:  # type: ignore[override] # an expression
        return self._typed(other) == other

    def __ne__(self, other: str | int | Semver) -> Expression:  # type: ignore[override] # an expression
        return self._typed(other) != other

    def __hash__(self) -> int:
        return object.__hash__(self)

    def in_(self, values: Iterable[str | int | Semver]) -> Expression:
        """It equals one of `values`, which are all of one type."""
        given = values if isinstance(values, str | AbstractSet) else tuple(values)
        first = next(iter(given), "")
        return self._typed(first).in_(given)

    def or_else(self, default: str | int | Semver) -> Self:
        """The same, taken to be `default` on a device that does not publish it."""
        return self._but(default=default)

    def __lt__(self, other: int | Semver) -> Expression:
        return self._ordered(operator.lt, other)

    def __le__(self, other: int | Semver) -> Expression:
        return self._ordered(operator.le, other)

    def __gt__(self, other: int | Semver) -> Expression:
        return self._ordered(operator.gt, other)

    def __ge__(self, other: int | Semver) -> Expression:
        return self._ordered(operator.ge, other)

    def _ordered(self, compare: Callable[[Any, Any], Any], other: object) -> Expression:
        typed = self._typed(other)
        if not isinstance(typed, _Ordered):
            self._no_order(other)
        result: Expression = compare(typed, other)
        return result


_BY_PYTHON_TYPE: tuple[tuple[type, type[_Equal[Any]]], ...] = (
    (bool, AttributeBool),
    (int, AttributeInt),
    (str, AttributeString),
    (Semver, AttributeVersion),
)
_FIELD_BY_PYTHON_TYPE = ((bool, "bool"), (int, "int"), (str, "string"), (Semver, "version"))
_CHECK_BY_PYTHON_TYPE = ((bool, bool_of), (int, int_of), (str, string_of), (Semver, version_of))
