"""A handle stands for a kind of device in expressions: its driver, and what the driver publishes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, NoReturn

from dradsl.dsl.expressions.attributes import AttributeAny, Capacity
from dradsl.dsl.expressions.expression import Condition, Expression, hint_for
from dradsl.dsl.expressions.literals import int_of, quote, string_of
from dradsl.dsl.expressions.nodes import And, ConditionNode, DeviceType, Driver, Is, Or, Raw, joined
from dradsl.dsl.expressions.suggestions import did_you_mean, mistaken_names

__all__ = ["Handle", "all_of", "any_of", "cel_string", "driver", "raw_cel"]


class Handle(Expression):
    """A kind of device; by itself the condition that a device is of this kind.

    Subclasses, generated from driver schemas, hold what that kind publishes as members.
    """

    __slots__ = ()

    __device__: ClassVar[DeviceType]
    __shipped__: ClassVar[str | None] = None

    def _condition(self) -> Expression | None:
        """What tells this kind from the driver's others, if there are any."""
        return None

    def __node__(self) -> Is:
        node: ConditionNode = Driver(self.__device__.driver)
        condition = self._condition()
        if condition is not None:
            node = joined(And, (node, condition.__node__()))
        return Is(self.__device__, node)

    def __class_name__(self) -> str:
        """The DeviceClass that the driver ships for this kind."""
        if self.__shipped__ is None:
            driver = self.__device__.driver
            raise ValueError(
                f"the driver ships no class for {self!r} alone: name a DeviceClass that holds such "
                f"devices, and select them: Request(name, {driver!r}, select=...)"
            )
        return self.__shipped__

    @property
    def attributes(self) -> Attributes:
        """Any attribute by name: `gpu.attributes["x"]`, `gpu.attributes["dra.net/rdma"]`."""
        return Attributes(self.__device__.driver)

    @property
    def capacity(self) -> Capacities:
        """Any capacity by name: `gpu.capacity["memory"]`."""
        return Capacities(self.__device__.driver)

    @property
    def allowMultipleAllocations(self) -> Expression:  # noqa: N802 - the field of the API
        """The device can be shared out by capacity (feature gate DRAConsumableCapacity)."""
        return Condition(Raw("device.allowMultipleAllocations"))

    def __repr__(self) -> str:
        name = f" {self.__device__.name}" if self.__device__.name else ""
        return f"<device of {self.__device__.driver}{name}>"

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: object) -> NoReturn:
            # One handle serves the whole process.
            raise AttributeError(
                f"{self!r} cannot be changed; a comparison is `==`: .{name} == {value!r}"
            )

        def __getattr__(self, name: str) -> object:
            members = [m for m in dir(type(self)) if not m.startswith("_")]
            hint = did_you_mean(name, members, mistaken_names(self.__device__.driver))
            raise AttributeError(
                f'{self!r} publishes no "{name}"{hint} (known: {", ".join(members)})',
                name=name,
                obj=self,
            )


class _ByName:
    """What a driver publishes, by name."""

    __slots__ = ("_driver",)

    def __init__(self, driver: str) -> None:
        self._driver = driver

    def _split(self, name: str) -> tuple[str, str]:
        if not isinstance(name, str):
            raise TypeError(f"names are strings, not {name!r}")
        # A name without a domain belongs to the driver's own; the first slash ends a domain.
        domain, slash, rest = name.partition("/")
        return (domain, rest) if slash else (self._driver, name)


class Attributes(_ByName):
    """A driver's attributes by name, known ones and others."""

    __slots__ = ()

    def __getitem__(self, name: str) -> AttributeAny:
        return AttributeAny(*self._split(name))


class Capacities(_ByName):
    """A driver's capacities by name, known ones and others."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Capacity:
        return Capacity(*self._split(name))


def driver(name: str) -> Handle:
    """Any device of the driver `name`, of which nothing more is known."""

    class _Driver(Handle):
        __slots__ = ()
        __device__ = DeviceType(name)

        def __reduce__(self) -> tuple[object, tuple[str]]:
            return driver, (name,)  # a class of a function has no name to be found by

    return _Driver()


def raw_cel(text: str, *values: str | int | bool) -> Expression:
    """CEL as text, taken as it is; `dradsl build` checks it like any other.

    Args:
        text: the CEL; each `{}` in it stands for one of `values`, if there are any.
        values: what is put in, quoted as CEL: `raw_cel("device.driver == {}", name)`.

    Raises:
        ValueError: if there are more or fewer values than `{}`.
    """
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"raw_cel() takes a CEL expression as text, not {text!r}")
    if values:
        parts = text.split("{}")
        if len(parts) != len(values) + 1:
            raise ValueError(
                f"raw_cel() has {len(parts) - 1} places ({{}}) for {len(values)} values: {text!r}"
            )
        filled = zip(parts[1:], map(_literal, values), strict=True)
        text = parts[0] + "".join(f"{value}{part}" for part, value in filled)
    return Condition(Raw(text))


def cel_string(text: str) -> str:
    """`text` as a string of CEL, in quotes: nothing in it can end the string."""
    return quote(string_of(text, "the text for cel_string()"))


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int_of(value, "a value of raw_cel()"))
    return cel_string(string_of(value, "a value of raw_cel()"))


def all_of(*conditions: Expression | Iterable[Expression]) -> Expression:
    """All of the conditions hold; takes them one by one, or a list of them."""
    return _chain(And, conditions, "all_of")


def any_of(*conditions: Expression | Iterable[Expression]) -> Expression:
    """At least one of the conditions holds; takes them one by one, or a list of them."""
    return _chain(Or, conditions, "any_of")


def _chain(
    kind: type[And | Or], given: tuple[Expression | Iterable[Expression], ...], name: str
) -> Expression:
    parts: list[Expression] = []
    for one in given:
        if isinstance(one, Expression):
            parts.append(one)
        elif isinstance(one, Iterable) and not isinstance(one, str | bytes):  # type: ignore[unreachable] # callers without a type checker
            parts += one
        else:
            raise TypeError(f"{name}() takes expressions, not {one!r}{hint_for(one)}")
    for part in parts:
        if not isinstance(part, Expression):
            raise TypeError(f"{name}() takes expressions, not {part!r}{hint_for(part)}")
    if not parts:
        meant = "lets every device through" if kind is And else "lets no device through"
        raise ValueError(f"{name}() without conditions {meant}; leave it out if that is meant")
    if len(parts) == 1:
        return parts[0]
    return Condition(joined(kind, (part.__node__() for part in parts)))
