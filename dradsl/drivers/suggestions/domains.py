"""A name that stands where its domain belongs, compared as if it were the value: the whole access instead.

`device.attributes["model"] == "x"` compares all that is in a domain with a text, `device.attributes["memory"].value >=
quantity("40Gi")` an attribute with an amount: upstream's type checker refuses both.
"""

from __future__ import annotations

import re

from dradsl.cel.syntax.ast import Call, Ident, Literal, Select, walk
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.suggestions.names import access_text
from dradsl.observations import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.drivers.schema.shapes import Name

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
    for node in walk(root):
        if not isinstance(node, Call) or len(node.args) != 2:
            continue
        flat = None if node in read else _flat(node)
        if flat is not None:
            return Replacement(*node.span, access_text(flat))
        if node.function in ("_==_", "_!=_"):
            for each in node.args:
                word = _word(each)
                meant = None if word is None else _published(word, drivers)
                if meant is not None:
                    return Replacement(*each.span, meant)
        elif node.function in _ORDER:
            mended = _compared(text, node, drivers)
            if mended is not None:
                return Replacement(*node.span, mended)
    return None


def _flat(node: Call) -> Name | None:
    """`device.attributes["gpu.nvidia.com/productName"]`, as constraints and slices write the name."""
    match node:
        case Call(
            function="_[_]",
            args=(
                Select(operand=Ident(name="device"), field="attributes" | "capacity" as kind),
                Literal(value=str() as word),
            ),
        ):
            domain, slash, name = word.partition("/")
            if slash and domain and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                return ("capacity" if kind == "capacity" else "attributes", domain, name)
    return None


def _compared(text: str, node: Call, drivers: tuple[DriverSchema, ...]) -> str | None:
    """`device.attributes["memory"].value >= quantity("40Gi")` as the comparison of a capacity."""
    left, right = node.args
    word = _word(left.operand) if isinstance(left, Select) else None
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


def _word(node: Expr) -> str | None:
    match node:
        case Select(
            operand=Select(operand=Ident(name="device"), field="attributes"),
            field=word,
            test_only=False,
        ):
            return word
        case Call(
            function="_[_]",
            args=(
                Select(operand=Ident(name="device"), field="attributes"),
                Literal(value=str() as word),
            ),
        ) if "." not in word:
            return word
    return None


def _published(word: str, drivers: Iterable[DriverSchema]) -> str | None:
    """The access to the attribute of that name, or of the one that it is known to be mistaken for."""
    found = {
        access_text(("attributes", entry.domain, entry.name))
        for driver in drivers
        for name in (word, driver.mistaken.attributes.get(word))
        for kind in driver.device_types
        for entry in kind.attributes.values()
        if entry.name == name and entry.lifetime.removed_in is None
    }
    return found.pop() if len(found) == 1 else None
