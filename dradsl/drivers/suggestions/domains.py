"""A name that is where its domain belongs, compared as if it were the value: the whole access instead.

`device.attributes["model"] == "x"` compares all that is in a domain with a text, `device.attributes["memory"].value >=
quantity("40Gi")` an attribute with an amount: upstream's type checker rejects both.
"""

from __future__ import annotations

import re

from dradsl.cel.checker.advice import word_for_domain
from dradsl.cel.syntax.ast import Call, Ident, Literal, Select, walk
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.suggestions.names import access_text, in_camel_case
from dradsl.observations import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.drivers.schema.model import DriverSchema

__all__ = ["with_domain"]

_ORDER = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}


def with_domain(text: str, drivers: Iterable[DriverSchema]) -> Replacement | None:
    """The first such name with its domain, if one of `drivers` publishes it; None if several do."""
    try:
        root = parse(text)
    except CelSyntaxError:
        return None
    drivers = tuple(drivers)
    read = {node.operand for node in walk(root) if isinstance(node, Select)}
    calls = (node for node in walk(root) if isinstance(node, Call))
    read |= {each for call in calls if call.function in ("_[_]", "@in") for each in call.args}
    for node in walk(root):
        if not isinstance(node, Call):
            continue
        match node:
            case Call(function="_-_", args=(Select(operand=domain, field=head), Ident(name=tail))):
                meant = _published(in_camel_case(f"{head}-{tail}"), drivers)
                access = text[domain.span[0] : domain.span[1]]
                return Replacement(*node.span, meant or f'{access}["{head}-{tail}"]')
        flat = None if node in read else _flat(node, drivers)
        if flat is not None:
            return Replacement(*node.span, flat)
        if node.function in ("_==_", "_!=_") or node.target is not None:
            for each in node.args if node.target is None else (node.target,):
                word = word_for_domain(each)
                meant = None if word is None else _published(word, drivers)
                if meant is not None:
                    return Replacement(*each.span, meant)
        elif node.function in _ORDER:
            fixed = _compared(text, node, drivers)
            if fixed is not None:
                return Replacement(*node.span, fixed)
    return None


def _flat(node: Call, drivers: tuple[DriverSchema, ...]) -> str | None:
    """`device.attributes["gpu.nvidia.com/productName"]`, as constraints and slices write the name.

    Or `device.capacity["memory"]`, without its domain.
    """
    match node:
        case Call(
            function="_[_]",
            args=(
                Select(operand=Ident(name="device"), field="attributes" | "capacity" as kind),
                Literal(value=str() as word),
            ),
        ):
            domain, _, name = word.rpartition("/")
            if domain:
                own = tuple(each for each in drivers if each.name == domain)
                drivers = own or tuple(each for each in drivers if domain in each.mistaken.drivers)
                name = name if own or not drivers else in_camel_case(name)
            meant = _published(name.rpartition(".")[2], drivers, str(kind))
            if meant is None and domain and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                return access_text(
                    ("capacity" if kind == "capacity" else "attributes", domain, name)
                )
            return meant if domain or kind == "capacity" else None
    return None


def _compared(text: str, node: Call, drivers: tuple[DriverSchema, ...]) -> str | None:
    """`device.attributes["memory"].value >= quantity("40Gi")` as the comparison of a capacity."""
    left, right = node.args
    word = word_for_domain(left) or word_for_domain(getattr(left, "operand", left))
    is_amount = isinstance(right, Call) and right.function == "quantity" and right.target is None
    if word is None or not is_amount:
        return None
    amount = text[right.span[0] : right.span[1]]
    found = {
        access_text(("capacity", entry.domain, entry.name))
        for driver in drivers
        for name in (word, driver.mistaken.capacities.get(word))
        for kind in driver.device_types
        for entry in kind.capacities.values()
        if entry.name == name and entry.lifetime.removed_in is None
    }
    return (
        f"{found.pop()}.compareTo({amount}) {_ORDER[node.function]} 0" if len(found) == 1 else None
    )


def _published(word: str, drivers: Iterable[DriverSchema], what: str = "attributes") -> str | None:
    """The access to the attribute of that name, or of the one that it is known to be mistaken for."""
    of_amounts = what == "capacity"
    found = {
        access_text(("capacity" if of_amounts else "attributes", entry.domain, entry.name))
        for driver in drivers
        for mistaken in (driver.mistaken.capacities if of_amounts else driver.mistaken.attributes,)
        for name in (word, mistaken.get(word))
        for kind in driver.device_types
        for entry in (kind.capacities if of_amounts else kind.attributes).values()
        if entry.name == name and entry.lifetime.removed_in is None
    }
    return found.pop() if len(found) == 1 else None
