"""Comparisons with amounts that no device has, or just misses."""

from __future__ import annotations

import re

from dradsl.cel.syntax.ast import Call, Literal
from dradsl.drivers.abstract.described_device import DRIVER
from dradsl.drivers.judge.comparisons.operators import OPERATORS, suspect
from dradsl.drivers.judge.suspects import Otherwise, Suspect
from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema
from dradsl.drivers.suggestions.literals import plausible
from dradsl.drivers.suggestions.names import is_far_above
from dradsl.observations import Observation, Replacement
from dradsl.values.later import Later
from dradsl.values.quantity import Quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import ObservedComparison
    from dradsl.drivers.judge import selector_facts as facts
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.schema.shapes import Name
else:
    facts = Later("dradsl.drivers.judge.selector_facts")

__all__ = ["judge_amount"]


def judge_amount(case: SelectorCase, seen: ObservedComparison) -> Iterator[Observation | Suspect]:
    """What is wrong with a comparison of a capacity with an amount."""
    entries = [
        e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), CapacitySchema)
    ]
    if not entries or not isinstance(seen.constant, Quantity):
        return
    if all(entry.values is not None for entry in entries):
        yield from _settled(case, seen, entries)
        return
    sized = all(entry.unit in ("bytes", "bits-per-second") for entry in entries)
    if sized and (seen.operator == "_==_" or _relation(case, seen) == "=="):
        if not _is_only_amount(seen.constant, entries):
            yield _equal_amount(case, seen, entries)
        return
    implausible = _implausible(case, seen, entries)
    if implausible is not None:
        yield suspect(seen.node, implausible)
    else:
        yield from _just_misses(case, seen, entries)


_RELATIONS: Mapping[str, tuple[int, ...]] = {
    "==": (0,),
    "!=": (-1, 1),
    "<": (-1,),
    "<=": (-1, 0),
    ">": (1,),
    ">=": (0, 1),
}


def _settled(
    case: SelectorCase, seen: ObservedComparison, entries: list[CapacitySchema]
) -> Iterator[Observation | Suspect]:
    """A comparison that the few amounts that there are all pass, or all fail."""
    relation = OPERATORS.get(seen.operator) or _relation(case, seen)
    if relation is None or relation not in _RELATIONS:
        return
    amounts = dict.fromkeys(text for entry in entries for text in entry.values or ())
    passing = {Quantity.parse(each).cmp(seen.constant) in _RELATIONS[relation] for each in amounts}
    if len(passing) != 1:
        return
    meaning = next((entry.meaning for entry in entries if entry.meaning), None)
    reason = facts.AmountAlwaysMet if True in passing else facts.AmountNeverMet
    found = Observation(reason(seen.sym.name[2], tuple(amounts), meaning), span=seen.literal.span)
    yield found if True in passing else suspect(seen.node, found, Otherwise.NOTE)


def _is_only_amount(amount: Quantity, entries: list[CapacitySchema]) -> bool:
    """Whether it is the only amount that is known of these devices: nothing says that they differ."""
    known = [Quantity.parse(text) for entry in entries for text in (entry.examples or {}).values()]
    return bool(known) and all(each == amount for each in known)


def _equal_amount(
    case: SelectorCase, seen: ObservedComparison, entries: list[CapacitySchema]
) -> Observation:
    """Equality with a measured amount: a lower bound instead, below the parts that are called so."""
    access, amount = case.source(seen.sym.node), case.source(seen.literal)
    parts = {
        part: Quantity.parse(text) for e in entries for part, text in (e.examples or {}).items()
    }
    if any(has < seen.constant == _nominal(part) for part, has in parts.items()):
        whole = int(str(seen.constant).removesuffix("Gi"))
        amount = f'quantity("{whole * 7 // 8}Gi")'
    text = f"{access}.compareTo({amount}) >= 0"
    span = _comparison_node(case, seen).span
    found = facts.EqualAmount(seen.sym.name[2], text)
    return Observation(found, span=span, fix=Replacement(*span, text))


def _implausible(
    case: SelectorCase, seen: ObservedComparison, entries: list[CapacitySchema]
) -> Observation | None:
    """An amount far outside what devices have: most often a unit was forgotten, or is another."""
    if seen.constant.sign() <= 0 or any(entry.range is None for entry in entries):
        return None
    lowest = min(Quantity.parse(str(e.range.minimum)) for e in entries if e.range)
    highest = max(Quantity.parse(str(e.range.maximum)) for e in entries if e.range)
    thousandfold: Quantity = seen.constant.shifted(3)
    above = seen.constant > highest.shifted(3)
    if seen.operator == "_==_" or _relation(case, seen) in ("==", ">", ">="):
        above = is_far_above(seen.constant, highest)
    if thousandfold >= lowest and not above:
        return None
    written = seen.literal.args[0] if isinstance(seen.literal, Call) and seen.literal.args else None
    fix = meant = None
    number = re.fullmatch(r"([0-9]+)[KMGTPE]?i?", str(getattr(written, "value", None)))
    if isinstance(written, Literal) and number is not None:
        meant = plausible(number[1], lowest, highest)
        if meant is not None:
            from dradsl.drivers.schema import device_plugin

            fix = Replacement(*written.span, device_plugin.quote(meant))
    found = facts.ImplausibleAmount(
        seen.sym.name[2], str(seen.constant), str(lowest), str(highest), meant
    )
    return Observation(found, span=seen.literal.span, fix=fix)


def _just_misses(
    case: SelectorCase, seen: ObservedComparison, entries: list[CapacitySchema]
) -> Iterator[Observation]:
    """A lower bound that a part misses by a hair, although its name says the amount."""
    relation = _relation(case, seen)
    if relation not in (">", ">="):
        return
    amount: Quantity = seen.constant
    for part, text in (pair for e in entries for pair in (e.examples or {}).items()):
        published = Quantity.parse(text)
        nominal = _nominal(part)
        if published < amount == nominal and _is_left_out(case, seen, part, published):
            below = facts.PartBelowNominal(part, text, int(str(nominal).removesuffix("Gi")))
            yield Observation(below, span=seen.literal.span)
            return
    if relation == ">" and not _asks_for_more(case, seen):
        for part, text in (pair for e in entries for pair in (e.examples or {}).items()):
            published = Quantity.parse(text)
            if published == amount and _is_left_out(case, seen, part, published):
                yield Observation(facts.PartAtLimit(part, text), span=seen.literal.span)
                return


def _nominal(part: str) -> Quantity | None:
    """The gigabytes in the name of a part, as drivers count them."""
    found = re.search(r"([0-9]{1,9})\s?GB", part)
    return Quantity.parse(f"{int(found[1])}Gi") if found else None


def _is_left_out(case: SelectorCase, seen: ObservedComparison, part: str, amount: Quantity) -> bool:
    """Whether the comparison alone keeps a part from passing the selector."""
    values: dict[Name, Any] = dict.fromkeys(_names_of_part(seen, part), part)
    values[seen.sym.name] = amount
    node = frozenset({_comparison_node(case, seen)})
    wanted = case.explored(node, values=values)
    return not wanted.never and wanted.complete and case.explored(frozenset(), values=values).never


def _names_of_part(seen: ObservedComparison, part: str) -> set[Name]:
    """The attributes that say which part a device is."""
    return {
        ("attributes", entry.domain, entry.name)
        for shape in seen.shapes
        if shape.device_type is not None
        for entry in shape.device_type.attributes.values()
        if part in entry.examples
    }


def _asks_for_more(case: SelectorCase, seen: ObservedComparison) -> bool:
    """Whether other conditions choose devices, of which it is not known whether the part meets them."""
    return any(
        each.sym.name[0] == "attributes"
        and len(_known(each, possible=True)) != 1
        and not any(
            each.sym.name in _names_of_part(seen, str(part))
            for part in _known(each, possible=False)
        )
        for each in case.notes.comparisons.values()
        if each.sym.name != DRIVER
    )


def _known(seen: ObservedComparison, *, possible: bool) -> set[object]:
    """The values of an attribute, where they are few and known; or examples of them."""
    entries = (shape.entry(seen.sym.name) for shape in seen.shapes)
    of_names = [each for each in entries if isinstance(each, AttributeSchema)]
    return {one for e in of_names for one in (e.values or () if possible else e.examples)}


def _relation(case: SelectorCase, seen: ObservedComparison) -> str | None:
    """How the capacity is to stand to the constant: ">", ">=", … or None."""
    if seen.operator in ("isGreaterThan", "isLessThan"):
        return ">" if seen.operator == "isGreaterThan" else "<"
    node = _comparison_node(case, seen)
    if seen.operator == "compareTo" and isinstance(node, Call) and node is not seen.node:
        operator, (left, right) = OPERATORS.get(node.function), node.args
        if left is seen.node and isinstance(right, Literal) and right.value == 0:
            return operator
    return None


def _comparison_node(case: SelectorCase, seen: ObservedComparison) -> Expr:
    """The whole comparison: `x.compareTo(q) >= 0` around its call."""
    if seen.operator != "compareTo":
        return seen.node
    parent = case.parents.get(seen.node)
    if isinstance(parent, Call) and parent.function in OPERATORS:
        return parent
    return seen.node
