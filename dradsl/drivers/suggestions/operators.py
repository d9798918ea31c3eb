"""Comparisons of amounts and versions by operator, as the methods that CEL has for them.

Quantities and versions have no `<`, `>=` or their like in CEL, their methods take no numbers or texts, and
`!=` of two quantities is beyond the cost limit: upstream rejects all of it when the object is written.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Ident, Literal, Select, walk
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.suggestions.literals import amounts, plausible
from dradsl.observations import Replacement
from dradsl.values.quantity import Quantity, exact_amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.model import DriverSchema, Range

__all__ = ["METHODS", "MIRRORED", "amount_text", "ranges_of", "with_methods"]

_OPERATORS = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">=", "_==_": "==", "_!=_": "!="}
METHODS = ("compareTo", "isGreaterThan", "isLessThan")
"""The comparisons of amounts and versions."""

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
"""The operator for the sides of a comparison in the other order."""


def with_methods(text: str, drivers: Iterable[DriverSchema] = ()) -> Iterator[Replacement]:
    """The comparisons of amounts and versions that upstream rejects, written as they must be.

    A bare number gets the unit that makes it an amount which devices of `drivers` have.
    """
    try:
        root = parse(text)
    except CelSyntaxError:
        return
    for node in walk(root):
        if isinstance(node, Call) and node.function in _OPERATORS and len(node.args) == 2:
            fixed = _fixed(text, node, tuple(drivers))
            if fixed is not None:
                yield Replacement(*node.span, fixed)
        match node:
            case Call(function="@in", args=(left, Literal(value=str() as listed))):
                from dradsl.drivers.schema.device_plugin import quote

                every = [quote(each.strip()) for each in listed.split(",")]
                other = f"in [{', '.join(every)}]" if len(every) > 1 else f"== {every[0]}"
                yield Replacement(*node.span, f"{_source(text, left)} {other}")
        if isinstance(node, Call) and node.function in METHODS and len(node.args) == 1:
            argument = node.args[0]
            if node.target is not None and _is_amount(node.target):
                amount = amount_text(argument)
                if amount is not None:
                    yield Replacement(*argument.span, amount)


def _fixed(text: str, node: Call, drivers: tuple[DriverSchema, ...]) -> str | None:
    operator = _OPERATORS[node.function]
    left, right = map(_itself, node.args)
    if not _is_amount(left) and not _is_version(left):
        left, right, operator = right, left, MIRRORED[operator]
    source, other = _source(text, left), _source(text, right)
    if _is_amount(left):
        if not _is_amount(right):
            amount = amount_text(right, ranges_of(getattr(left, "field", None), drivers))
            return None if amount is None else f"{source}.compareTo({amount}) {operator} 0"
        other = _exact(right) or other
        if operator == "==":
            return None
        if operator == "!=":
            return f"!({source} == {other})"
        return f"{source}.compareTo({other}) {operator} 0"
    if _is_version(left) and _is_version(right) and operator not in ("==", "!="):
        return f"{source}.compareTo({other}) {operator} 0"
    return None


def _exact(node: Expr) -> str | None:
    """`quantity("48GB")` as it must be, if the text is none."""
    text = node.args[0] if isinstance(node, Call) and node.function == "quantity" else None
    value = text.value if isinstance(text, Literal) and isinstance(text.value, str) else ""
    if exact_amount(value) is not None or not amounts(value):
        return None
    from dradsl.drivers.schema import device_plugin

    return f"quantity({device_plugin.quote(amounts(value)[0])})"


def _itself(node: Expr) -> Expr:
    """An amount without a field behind it (`.value`), or a conversion around it."""
    inner = node.operand if isinstance(node, Select) else node
    if isinstance(node, Call) and node.function in ("quantity", "int", "value"):
        inner = node.target or next(iter(node.args), node)
    return inner if _is_amount(inner) else node


def _source(text: str, node: Expr) -> str:
    return text[node.span[0] : node.span[1]]


def _is_amount(node: Expr) -> bool:
    """Whether a node is a quantity by its form: `quantity("…")`, or a capacity of the device."""
    if isinstance(node, Call) and node.function == "quantity" and node.target is None:
        return True
    match node:
        case Select(operand=domain, test_only=False):
            return _is_capacity(domain)
        case Call(function="_[_]", args=(domain, _)):
            return _is_capacity(domain)
    return False


def _is_capacity(domain: Expr) -> bool:
    match domain:
        case Call(function="_[_]", args=(_, Literal(value=str() as word))) if "." not in word:
            return False  # a name where its domain belongs
        case Select(operand=names):
            pass
        case Call(function="_[_]", args=(names, _)):
            pass
        case _:
            return False
    return (
        isinstance(names, Select)
        and names.field == "capacity"
        and isinstance(names.operand, Ident)
        and names.operand.name == "device"
    )


def _is_version(node: Expr) -> bool:
    return isinstance(node, Call) and node.function == "semver" and node.target is None


def ranges_of(key: object, drivers: Iterable[DriverSchema]) -> list[Range]:
    """What devices of the drivers have of a capacity."""
    return [
        entry.range
        for driver in drivers
        for kind in driver.device_types
        for entry in kind.capacities.values()
        if entry.name == key and entry.range is not None
    ]


def amount_text(node: Expr, ranges: Sequence[Range] = ()) -> str | None:
    """A literal as a quantity, also `80.GiB`, and one with the unit of another spelling."""
    match node:
        case Literal(value=str() | int() as value) if not isinstance(value, bool):
            number = str(value)
        case Select(operand=Literal(value=int() | float() as value), field=unit):
            number = f"{value:g}{unit}"
        case _:
            return None
    meant = [number] if exact_amount(number) is not None else amounts(number)
    if not meant:
        return None
    from dradsl.drivers.schema import device_plugin

    number = meant[-1]
    if ranges and number.isdigit():
        lowest = min(Quantity.parse(str(each.minimum)) for each in ranges)
        highest = max(Quantity.parse(str(each.maximum)) for each in ranges)
        if Quantity.parse(number).shifted(3) < lowest:
            number = plausible(number, lowest, highest) or number
    return f"quantity({device_plugin.quote(number)})"
