"""Comparisons with a constant of another type than the name has."""

from __future__ import annotations

import re

from dradsl.cel.syntax.ast import Call, Select
from dradsl.drivers.abstract.texts import TESTS
from dradsl.drivers.abstract.values import literal_type
from dradsl.drivers.judge import selector_facts as facts
from dradsl.drivers.judge.comparisons.operators import EQUALITIES, OPERATORS
from dradsl.drivers.schema import device_plugin
from dradsl.drivers.schema.model import AttributeSchema
from dradsl.drivers.suggestions.names import VALUE_FIELDS
from dradsl.observations import Observation, Replacement
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver, SemverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import DeviceValue, Misuse
    from dradsl.drivers.judge.case import SelectorCase

__all__ = ["field_of_value", "wrong_type"]

_BOOLS = {"true": "true", "false": "false", "1": "true", "0": "false", "yes": "true", "no": "false"}


def wrong_type(case: SelectorCase, misuse: Misuse) -> Observation:
    place = misuse.other or misuse.node
    if _is_searched(misuse) and isinstance(misuse.node, Call):
        return _searched(case, misuse, misuse.node)
    is_amount = isinstance(misuse.constant, Quantity) and misuse.sym.type != "quantity"
    fix = None if is_amount else _type_fix(case, misuse)
    return Observation(_misused(case, misuse), span=place.span, fix=fix)


def _misused(case: SelectorCase, misuse: Misuse) -> facts.Cause:
    kind, name, operator = misuse.sym.type, misuse.sym.name[2], misuse.operator
    access, literal = case.source(misuse.sym.node), literal_type(misuse.constant)
    if kind == "version" and (literal == "string" or operator in TESTS):
        fix = _type_fix(case, misuse)
        return facts.VersionAsText(name, operator, None if fix is None else fix.text)
    known = misuse.constant is not None
    if literal == "quantity" != kind:
        meant = _of_capacity(case, misuse, access) if kind == "unknown" else None
        return facts.TypesDiffer(name, kind, operator, literal, meant)
    if kind in ("version", "quantity") and operator in OPERATORS and known:
        return facts.OperatorNotDefined(name, kind, operator, literal, access)
    if kind == "list":
        element = None if misuse.other is None else case.source(misuse.other)
        return facts.ListCompared(name, operator, literal, element, access)
    if kind == "string" and operator in ("isGreaterThan", "isLessThan", "compareTo"):
        return facts.TextAsVersion(name, operator, access)
    return facts.TypesDiffer(name, kind, operator, literal)


def _is_searched(misuse: Misuse) -> bool:
    """Whether the value is to the right of `in`."""
    return misuse.operator == "@in" and misuse.other is None


def _searched(case: SelectorCase, misuse: Misuse, node: Call) -> Observation:
    """`"H100" in productName`, where `in` takes a list."""
    access, element = case.source(misuse.sym.node), case.source(node.args[0])
    of_text = misuse.sym.type == "string"
    text = f"{access}.contains({element})" if of_text else f"{access} == {element}"
    found = facts.SearchedInValue(misuse.sym.name[2], misuse.sym.type)
    return Observation(found, span=misuse.sym.node.span, fix=Replacement(*node.span, text))


def _of_capacity(case: SelectorCase, misuse: Misuse, access: str) -> str | None:
    """The comparison with the capacity that is called like an attribute."""
    parent = case.parents.get(misuse.node)
    whole = parent if isinstance(parent, Call) and parent.function in OPERATORS else misuse.node
    text = case.source(whole)
    if misuse.other is not None:
        operator = OPERATORS[misuse.operator]
        text = f"{access}.compareTo({case.source(misuse.other)}) {operator} 0"
    capacity = access.replace("device.attributes", "device.capacity")
    is_told = capacity != access and misuse.operator != "@in"
    return text.replace(access, capacity) if is_told else None


def _type_fix(case: SelectorCase, misuse: Misuse) -> Replacement | None:
    """The comparison as it was meant, where the literal says enough."""
    kind, constant, other = misuse.sym.type, misuse.constant, misuse.other
    access = case.source(misuse.sym.node)
    if kind == "string" and misuse.operator in ("isGreaterThan", "isLessThan", "compareTo"):
        return Replacement(*misuse.sym.node.span, f"semver({access}, true)")
    if other is None or not isinstance(misuse.node, Call):
        return None
    mirrored = (
        bool(misuse.node.args) and misuse.node.args[0] is other and misuse.node.target is None
    )
    if kind == "list" and misuse.operator in ("_==_", "_!=_"):
        text = f"{case.source(other)} in {access}"
        text = text if misuse.operator == "_==_" else f"!({text})"
        return Replacement(*misuse.node.span, text)
    if kind == "version":
        return None if mirrored else _version_fix(case, misuse, other)
    if kind == "quantity" and misuse.operator in OPERATORS and not mirrored:
        amount = _quantity_text(case, constant, other)
        if amount is None or misuse.operator == "@in":
            return None
        text = f"{access}.compareTo({amount}) {OPERATORS[misuse.operator]} 0"
        return Replacement(*misuse.node.span, text)
    literal = _literal_fix(misuse, case.source(other))
    return Replacement(*other.span, literal) if literal else None


def _literal_fix(misuse: Misuse, written: str) -> str | None:
    """The literal of the right type that is meant by one of another."""
    kind, constant = misuse.sym.type, misuse.constant
    if kind == "string" and isinstance(constant, int | float) and not isinstance(constant, bool):
        return device_plugin.quote(written)
    if kind == "int" and isinstance(constant, str) and re.fullmatch(r"-?[0-9]{1,18}", constant):
        return str(int(constant))
    if kind == "bool" and str(constant).lower() in _BOOLS:
        return _BOOLS[str(constant).lower()]
    meant = _mistaken(misuse).get(str(constant).lower()) if kind == "string" else None
    return device_plugin.quote(str(meant)) if meant else None


def _mistaken(misuse: Misuse) -> dict[object, object]:
    """The values that are known to be written for those of the attribute."""
    entries = (shape.entry(misuse.sym.name) for shape in misuse.shapes)
    listed = (each.mistaken_values for each in entries if isinstance(each, AttributeSchema))
    return {key: value for each in listed for key, value in (each or {}).items()}


def _version_fix(case: SelectorCase, misuse: Misuse, other: Expr) -> Replacement | None:
    access = case.source(misuse.sym.node)
    operator = OPERATORS.get(misuse.operator)
    constant = misuse.constant
    if (
        isinstance(constant, int)
        and not isinstance(constant, bool)
        and operator not in (None, "in")
    ):
        return Replacement(*misuse.node.span, f"{access}.major() {operator} {constant}")
    if isinstance(constant, Semver) and operator is not None:
        text = f"{access}.compareTo({case.source(other)}) {operator} 0"
        return Replacement(*misuse.node.span, text)
    if isinstance(constant, float) and re.fullmatch(r"[0-9]+\.[0-9]+", case.source(other)):
        constant = case.source(other)  # a version of two numbers
    if not isinstance(constant, str):
        return None
    major = re.fullmatch(r"([0-9]{1,9})\.?", constant)
    if misuse.operator == "startsWith" and major:
        return Replacement(*misuse.node.span, f"{access}.major() == {int(major[1])}")
    try:
        version = Semver.parse(constant, normalize=True)
    except SemverError:
        return None
    literal = f'semver("{version}")'
    if misuse.operator in EQUALITIES or misuse.operator in (
        "isGreaterThan",
        "isLessThan",
        "compareTo",
    ):
        return Replacement(*other.span, literal)
    if operator is not None:
        return Replacement(*misuse.node.span, f"{access}.compareTo({literal}) {operator} 0")
    return None


def _quantity_text(case: SelectorCase, constant: Any, other: Expr) -> str | None:
    if isinstance(constant, Quantity):
        return case.source(other)
    if isinstance(constant, bool):
        return None
    if isinstance(constant, int):
        return f'quantity("{constant}")'
    if isinstance(constant, str):
        try:
            Quantity.parse(constant)
        except ValueError:
            return None
        return f"quantity({device_plugin.quote(constant)})"
    return None


def field_of_value(case: SelectorCase, node: Expr, sym: DeviceValue) -> Observation:
    """A field behind a value; an amount that is read so is a capacity."""
    if not isinstance(node, Select):
        return Observation(facts.FieldOfValue(sym.type, ""), span=node.span)
    field, start = node.field, node.operand.span[1]
    capacity = case.source(node.operand).replace("device.attributes", "device.capacity", 1)
    if field in ("capacity", "quantity") and sym.type == "unknown":
        found = facts.FieldOfValue(sym.type, field, sym.name[2])
        return Observation(
            found, span=(start + 1, node.span[1]), fix=Replacement(*node.span, capacity)
        )
    # Another field is another mistake: the value alone need not be what is meant.
    is_of_slice = field in VALUE_FIELDS and not node.test_only
    fix = Replacement(start, node.span[1], "") if is_of_slice else None
    return Observation(facts.FieldOfValue(sym.type, field), span=(start + 1, node.span[1]), fix=fix)
