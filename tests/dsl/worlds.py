"""Random devices, random expressions on them, and what the expressions mean, said in plain Python.

The meaning does not go through CEL: a tree beside each expression is evaluated directly. A value
that is missing makes a comparison false, and its negation too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from dradsl.typing import (
    AttributeBool,
    AttributeInt,
    AttributeString,
    AttributeStrings,
    AttributeVersion,
    Capacity,
    DeviceType,
    Expression,
    Handle,
)
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

DRIVER = "test.example.com"
_ANY = DeviceType(DRIVER, classes=("big.example.com", "any.example.com"))
_BIG = DeviceType(DRIVER, "big", classes=("big.example.com",))


class Big(Handle):
    """A device of a made-up driver that has every type of value, always there and not."""

    __slots__ = ()
    __device__ = _BIG
    __shipped__ = "big.example.com"

    def _condition(self) -> Expression:
        kind = AttributeString(DRIVER, "type", always=_ANY)
        return kind == "big"

    model = AttributeString(DRIVER, "model", always=_BIG)
    mode = AttributeString(DRIVER, "mode")
    cores = AttributeInt(DRIVER, "cores", always=_BIG)
    node = AttributeInt("numa.example.com", "node")
    healthy = AttributeBool(DRIVER, "healthy", always=_ANY)
    spare = AttributeBool(DRIVER, "spare")
    version = AttributeVersion(DRIVER, "version", always=_BIG)
    firmware = AttributeVersion(DRIVER, "firmware")
    tags = AttributeStrings(DRIVER, "tags")
    memory = Capacity(DRIVER, "memory", always=_BIG)
    shares = Capacity(DRIVER, "shares")


big = Big()


class Odd(Handle):
    """A kind told by something that not every device publishes."""

    __slots__ = ()
    __device__ = DeviceType(DRIVER, "odd")

    def _condition(self) -> Expression:
        return AttributeString(DRIVER, "mode") == "A"


odd = Odd()

WORDS = ["", "A", "NVIDIA A100", 'quo"te', "back\\slash", "é {{x}}", "10", "1.2.3"]
VERSIONS = ["0.1.0", "1.0.0", "1.2.0", "550.54.15", "2.0.0-rc.1"]
AMOUNTS = ["0", "1", "8", "40Gi", "42949672960", "80Gi", "500m", "1e3"]
NUMBERS = [-1, 0, 1, 2, 10, 2**63 - 1]

Test = Callable[[Any], bool]


@dataclass(frozen=True)
class Meaning:
    """A tree: kind "and" or "or" with parts, "not" with one, or a leaf that asks the device."""

    kind: str
    parts: tuple[Meaning, ...] = ()
    holds: Callable[[dict[str, Any], bool], bool] = lambda device, negated: False

    def of(self, device: dict[str, Any], negated: bool = False) -> bool:
        if self.kind == "not":
            return self.parts[0].of(device, not negated)
        if self.kind == "leaf":
            return self.holds(device, negated)
        outcomes = [part.of(device, negated) for part in self.parts]
        return all(outcomes) if (self.kind == "and") is not negated else any(outcomes)


def _leaf(key: str, test: Test, default: Any = None) -> Meaning:
    def holds(device: dict[str, Any], negated: bool) -> bool:
        value = device["values"].get(key, default)
        return False if value is None else test(value) is not negated

    return Meaning("leaf", holds=holds)


def _yes_or_no(test: Callable[[dict[str, Any]], bool]) -> Meaning:
    return Meaning("leaf", holds=lambda device, negated: test(device) is not negated)


_ORDER = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def _is_big(device: dict[str, Any]) -> bool:
    return bool(device["driver"] == DRIVER and device["values"].get("type") == "big")


@st.composite
def _strings(draw: st.DrawFn) -> tuple[Expression, Meaning]:
    name = draw(st.sampled_from(["model", "mode"]))
    value: Any = getattr(big, name)
    word = draw(st.sampled_from(WORDS))
    default = draw(st.sampled_from([None, None, *WORDS]))
    if default is not None:
        value = value.or_else(default)
    match draw(st.integers(0, 6)):
        case 0:
            return value == word, _leaf(name, lambda v: v == word, default)
        case 1:
            return value != word, _leaf(name, lambda v: v != word, default)
        case 2:
            words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
            return value.in_(words), _leaf(name, lambda v: v in words, default)
        case 3:
            return value.startswith(word), _leaf(name, lambda v: v.startswith(word), default)
        case 4:
            return value.endswith(word), _leaf(name, lambda v: v.endswith(word), default)
        case 5:
            return value.contains(word), _leaf(name, lambda v: word in v, default)
    return value.matches("^N.*0$"), _leaf(name, lambda v: v[:1] == "N" and v[-1:] == "0", default)


@st.composite
def _ordered(draw: st.DrawFn) -> tuple[Expression, Meaning]:
    kinds: list[tuple[list[str], list[Any], Callable[[Any], Any]]] = [
        (["cores", "node"], NUMBERS, int),
        (["version", "firmware"], VERSIONS, Semver.parse),
        (["memory", "shares"], AMOUNTS, Quantity.parse),
    ]
    names, constants, read = draw(st.sampled_from(kinds))
    name = draw(st.sampled_from(names))
    value: Any = getattr(big, name)
    constant = draw(st.sampled_from(constants))
    default = draw(st.sampled_from([None, None, *constants]))
    known = None if default is None else read(default)
    if default is not None:
        value = value.or_else(default)
    right = read(constant)
    if draw(st.integers(0, 6)) == 0:
        return value.in_([constant]), _leaf(name, lambda v: v == right, known)
    compare = draw(st.sampled_from(_ORDER))
    return compare(value, constant), _leaf(name, lambda v: compare(v, right), known)


@st.composite
def _others(draw: st.DrawFn) -> tuple[Expression, Meaning]:
    match draw(st.integers(0, 6)):
        case 5:
            return odd, _yes_or_no(_is_odd)
        case 0:
            return big & big.healthy, _yes_or_no(_is_big_and_healthy)
        case 1:
            name = draw(st.sampled_from(["healthy", "spare"]))
            return getattr(big, name), _leaf(name, bool)
        case 2:
            name = draw(st.sampled_from(["healthy", "spare"]))
            wanted = draw(st.booleans())
            return getattr(big, name) == wanted, _leaf(name, lambda v: v is wanted)
        case 3:
            name = draw(st.sampled_from(["mode", "node", "spare", "firmware", "shares", "model"]))
            return getattr(big, name).exists(), _yes_or_no(lambda d: name in d["values"])
        case 4:
            word = draw(st.sampled_from(WORDS))
            return big.tags.contains(word), _leaf("tags", lambda v: word in v)
    return big, _yes_or_no(_is_big)


def _is_odd(device: dict[str, Any]) -> bool:
    return bool(device["driver"] == DRIVER and device["values"].get("mode") == "A")


def _is_big_and_healthy(device: dict[str, Any]) -> bool:
    return _is_big(device) and bool(device["values"]["healthy"])


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> tuple[Expression, Meaning]:
    """An expression and what it means."""
    kind = draw(st.sampled_from(["leaf", "leaf", "and", "or", "not"])) if depth else "leaf"
    if kind == "leaf":
        return draw(st.one_of(_strings(), _ordered(), _others()))
    left, meaning = draw(expressions(depth - 1))
    if kind == "not":
        return ~left, Meaning("not", (meaning,))
    right, other = draw(expressions(depth - 1))
    joined = left & right if kind == "and" else left | right
    return joined, Meaning(kind, (meaning, other))


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["big", "small"]),
    "model": st.sampled_from(WORDS),
    "mode": st.sampled_from(WORDS),
    "cores": st.sampled_from(NUMBERS),
    "node": st.sampled_from(NUMBERS),
    "healthy": st.booleans(),
    "spare": st.booleans(),
    "version": st.sampled_from(VERSIONS).map(Semver.parse),
    "firmware": st.sampled_from(VERSIONS).map(Semver.parse),
    "tags": st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    "memory": st.sampled_from(AMOUNTS).map(Quantity.parse),
    "shares": st.sampled_from(AMOUNTS).map(Quantity.parse),
}
_ALWAYS = {"type", "healthy"}
_ALWAYS_BIG = {"model", "cores", "version", "memory"}


@st.composite
def devices(draw: st.DrawFn) -> dict[str, Any]:
    """A device: its driver and its values by name; what the driver always publishes is there."""
    driver = draw(st.sampled_from([DRIVER, DRIVER, "other.example.com"]))
    kind = draw(_VALUES["type"])
    always = set()
    if driver == DRIVER:
        always = _ALWAYS | (_ALWAYS_BIG if kind == "big" else set())
    names = always | draw(st.sets(st.sampled_from(sorted(_VALUES))))
    values = {name: draw(_VALUES[name]) for name in sorted(names)}
    if "type" in values and driver == DRIVER:
        values["type"] = kind
    return {"driver": driver, "values": values}


def published(device: dict[str, Any]) -> dict[str, Any]:
    """The device as the API has it."""
    attributes: dict[str, Any] = {}
    capacity: dict[str, Any] = {}
    for name, value in device["values"].items():
        qualified = f"numa.example.com/{name}" if name == "node" else f"{DRIVER}/{name}"
        match value:
            case Quantity():
                capacity[qualified] = {"value": str(value)}
            case Semver():
                attributes[qualified] = {"version": str(value)}
            case list():
                attributes[qualified] = {"strings": value}
            case bool():
                attributes[qualified] = {"bool": value}
            case int():
                attributes[qualified] = {"int": value}
            case _:
                attributes[qualified] = {"string": value}
    return {"driver": device["driver"], "attributes": attributes, "capacity": capacity}
