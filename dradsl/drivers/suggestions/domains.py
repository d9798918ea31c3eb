"""A name that is where its domain belongs, compared as if it were the value: the whole access instead.

`device.attributes["model"] == "x"` compares all that is in a domain with a text, `device.attributes["memory"].value >=
quantity("40Gi")` an attribute with an amount: upstream's type checker rejects both.
"""

from __future__ import annotations

import re

from dradsl.cel.checker.advice import word_for_domain
from dradsl.cel.syntax.ast import Call, Ident, Literal, Select, walk
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.suggestions.literals import amounts
from dradsl.drivers.suggestions.names import VALUE_FIELDS, access_text, in_camel_case
from dradsl.drivers.suggestions.operators import METHODS, MIRRORED, amount_text, ranges_of
from dradsl.observations import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.model import DriverSchema

__all__ = ["with_domain"]

_ORDER = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">=", "_==_": "=="}


def with_domain(text: str, drivers: Iterable[DriverSchema]) -> Iterator[Replacement]:
    """Such names with their domains, where one of `drivers` publishes them; none that several do."""
    try:
        root = parse(text)
    except CelSyntaxError:
        return
    drivers = tuple(drivers)
    read = {node.operand for node in walk(root) if isinstance(node, Select)}
    calls = [node for node in walk(root) if isinstance(node, Call)]
    read |= {each for call in calls if call.function in ("_[_]", "@in") for each in call.args}
    amounts = {
        call.target
        for call in calls
        if call.function in METHODS and _is_quantity(next(iter(call.args), None))
    }
    for node in walk(root):
        found = _rewritten(text, node, drivers, is_read=node in read)
        if found is None and node not in read and (word := _word(node)) is not None:
            meant = _published(word, drivers, "capacity" if node in amounts else "attributes")
            found = (node.span, meant or "device.driver") if meant or word == "driver" else None
        if found is not None:
            yield Replacement(*found[0], found[1])


def _rewritten(
    text: str, node: Expr, drivers: tuple[DriverSchema, ...], *, is_read: bool
) -> tuple[tuple[int, int], str] | None:
    """The place and the text of a whole access or comparison with its domain."""
    found = None
    match node:
        case Call(function="_-_", args=(Select(operand=domain, field=head), Ident(name=tail))):
            meant = _published(in_camel_case(f"{head}-{tail}"), drivers)
            access = text[domain.span[0] : domain.span[1]]
            found = meant or f'{access}["{head}-{tail}"]'
        case Select(operand=Select(operand=Ident(name="device"), field="driver")):
            found = "device.driver"
        case Call(function="_[_]", args=(Select(operand=Ident(name="device")), Select() as key)):
            dotted = text[key.span[0] : key.span[1]]
            if re.fullmatch(r"[a-z0-9.]+", dotted):  # a domain without its quotes
                return key.span, f'"{dotted}"'
        case Call() if not is_read and (found := _flat(node, drivers)):
            pass
        case Call(function=name, target=target, args=(each,)) if name in METHODS and target:
            meant, amount = _amount_read(target, drivers), amount_text(each)
            is_one = _is_amount(each) or any(driver.device_types for driver in drivers)
            found = f"{meant}.{name}({amount})" if meant and amount and is_one else None
        case Call(function=function, target=None, args=(left, right)) if function in _ORDER:
            found = _compared(text, left, right, _ORDER[function], drivers)
            if found is None and _is_quantity(left):
                found = _compared(text, right, left, MIRRORED[_ORDER[function]], drivers)
    return None if found is None else (node.span, found)


def _word(node: Expr) -> str | None:
    """The name that is read without its domain, or even as a field of `device`."""
    match node:
        case Select(operand=Ident(name="device" | "gpu" | "nic"), field=word, test_only=False):
            return None if word in ("driver", "attributes", "capacity", "name") else word
    return word_for_domain(node)


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
            return meant if domain or kind == "capacity" or "." in word else None
    return None


def _is_quantity(node: Expr | None) -> bool:
    return isinstance(node, Call) and node.function == "quantity" and node.target is None


def _is_amount(node: Expr) -> bool:
    """Whether it is an amount by its unit: of a driver without schema nothing else tells."""
    value = node.value if isinstance(node, Literal) else None
    return _is_quantity(node) or (
        isinstance(value, str) and not value[-1:].isdigit() and bool(amounts(value))
    )


def _compared(
    text: str, left: Expr, right: Expr, operator: str, drivers: tuple[DriverSchema, ...]
) -> str | None:
    """`device.attributes["memory"].value >= quantity("40Gi")` as the comparison of a capacity."""
    if isinstance(left, Call) and left.function in METHODS:
        return None
    meant = _amount_read(left, drivers)
    if meant is None or (not any(each.device_types for each in drivers) and not _is_amount(right)):
        return None
    amount = amount_text(right, ranges_of(re.split(r"\W+", meant)[-1], drivers))
    if _is_quantity(right):
        amount = text[right.span[0] : right.span[1]]
    return f"{meant}.compareTo({amount}) {operator} 0" if amount else None


def _amount_read(node: Expr, drivers: tuple[DriverSchema, ...]) -> str | None:
    """The access to the capacity that is read, without its domain or as an attribute."""
    if isinstance(node, Select) and node.field in VALUE_FIELDS and _word(node.operand) is None:
        node = node.operand if not _is_domain(node.operand) else node
    inner = getattr(node, "operand", None) or getattr(node, "target", None) or node
    word = _word(node) or _word(inner)
    match node:
        case Call(function="_[_]", args=(Select(operand=Ident()), Literal(value=str() as key))):
            last = key.rpartition("/")[2]
            if "/" in key and "." not in last:
                word = in_camel_case(last)
            word = word or "memory"  # an amount is asked of all that is in a domain
    if isinstance(node, Select) and isinstance(node.operand, Call):
        word = word or node.field
    return None if word is None else _published(word, drivers, "capacity")


def _is_domain(node: Expr) -> bool:
    """Whether it is all that is in a domain: what is behind it is a name, whatever it is called."""
    match node:
        case Call(function="_[_]", args=(Select(operand=Ident()), Literal(value=str() as key))):
            return "/" not in key
    return False


def _published(word: str, drivers: Iterable[DriverSchema], what: str = "attributes") -> str | None:
    """The access to the attribute of that name, or of the one that it is known to be mistaken for.

    Of a driver without schema it is the name as it is written.
    """
    of_amounts, drivers = what == "capacity", tuple(drivers)
    if len(drivers) == 1 and not drivers[0].device_types:
        name = in_camel_case(word)
        return access_text(("capacity" if of_amounts else "attributes", drivers[0].name, name))
    found = {
        access_text(("capacity" if of_amounts else "attributes", entry.domain, entry.name))
        for driver in drivers
        for mistaken in (driver.mistaken.capacities if of_amounts else driver.mistaken.attributes,)
        for name in (word, mistaken.get(word))
        for kind in driver.device_types
        for entry in (kind.capacities if of_amounts else kind.attributes).values()
        if name is not None
        and entry.name.lower() == name.lower()
        and entry.lifetime.removed_in is None
    }
    return found.pop() if len(found) == 1 else None
