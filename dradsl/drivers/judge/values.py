"""Values that a selector compares with: of the right type, within what devices publish?"""

from __future__ import annotations

import re
from itertools import permutations

from dradsl.cel.syntax.ast import Call, Literal, Select
from dradsl.drivers.abstract.conversions import failing_conversions
from dradsl.drivers.abstract.described import DRIVER
from dradsl.drivers.abstract.texts import TESTS, apply_steps
from dradsl.drivers.judge.reachable import class_of
from dradsl.drivers.judge.suspects import Otherwise, Suspect
from dradsl.drivers.meant.names import plausible
from dradsl.drivers.schema.model import Attribute, AttributeType, Capacity
from dradsl.later import later
from dradsl.observations import Observation, Replacement
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver, SemverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observe import Comparison, Misuse, ValueType
    from dradsl.drivers.judge import selector_facts as facts
    from dradsl.drivers.judge.case import Case
    from dradsl.drivers.schema import device_plugin, suggest
    from dradsl.drivers.schema.shapes import Name, Shape
else:
    facts = later("dradsl.drivers.judge.selector_facts")
    suggest = later("dradsl.drivers.schema.suggest")
    device_plugin = later("dradsl.drivers.schema.device_plugin")

__all__ = ["judge_values"]

_WORDS = 4
_EQUALITIES = ("_==_", "_!=_", "@in")
_OPERATORS = {
    "_==_": "==",
    "_!=_": "!=",
    "_<_": "<",
    "_<=_": "<=",
    "_>_": ">",
    "_>=_": ">=",
    "@in": "in",
}


def judge_values(case: Case) -> Iterator[Observation | Suspect]:
    """What is wrong with comparisons, one for each literal that cannot be right."""
    for misuse in case.notes.misuses.values():
        if _is_met(case, misuse.node, misuse.other):
            continue
        if misuse.sym.name != DRIVER and not _fits_elsewhere(case, misuse):
            yield _suspect(misuse.node, _misuse(case, misuse))
    yield from _conversions(case)
    for node, sym in case.notes.fields.items():
        yield _suspect(node, _field_of_value(node, sym.type))
    for comparison in case.notes.comparisons.values():
        if _is_met(case, comparison.node, comparison.literal):
            continue
        if comparison.sym.name[0] == "capacity":
            yield from _amount(case, comparison)
        elif comparison.sym.name != DRIVER:
            yield from _enumeration(case, comparison)
            yield from _pinned(comparison)
            yield from _unordered(case, comparison)
            yield from _wrong_end(case, comparison)
            yield from _version_text(case, comparison)


def _conversions(case: Case) -> Iterator[Suspect]:
    """Texts that are taken to pieces or converted in a way that no known value lets happen."""
    accesses = case.notes.accesses.values()
    for each in failing_conversions(case.text, case.parents, accesses, case.context.release):
        part = case.source(each.node)
        found = facts.FailsForKnownValues(each.access.name[2], part, each.error, each.values)
        yield _suspect(each.node, Observation(found, span=each.node.span))


def _suspect(
    node: Expr,
    observation: Observation,
    otherwise: Otherwise = Otherwise.MISLEADS,
    *,
    guess: bool = False,
    lasting: bool = True,
) -> Suspect:
    """A comparison that cannot be right; it counts as right if it may come out in any way."""
    return Suspect(observation, (node,), observation.facts, otherwise, guess, lasting)


def _is_met(case: Case, node: Expr, literal: Expr | None) -> bool:
    """Whether the literal stands for a missing value: `x.?mode.orValue("none") == "none"`."""
    return literal is not None and (node, literal) in case.notes.met


def _fits_elsewhere(case: Case, misuse: Misuse) -> bool:
    """Whether another shape has the name with a type that the operation is right for."""
    return any(
        seen.node is misuse.node and (misuse.other is None or seen.literal is misuse.other)
        for seen in case.notes.comparisons.values()
    )


# Types ----------------------------------------------------------------------------------------


def _misuse(case: Case, misuse: Misuse) -> Observation:
    place = misuse.other or misuse.node
    return Observation(_misused(case, misuse), span=place.span, fix=_type_fix(case, misuse))


def _misused(case: Case, misuse: Misuse) -> facts.Cause:
    kind, name, operator = misuse.sym.type, misuse.sym.name[2], misuse.operator
    access, literal = case.source(misuse.sym.node), _literal_type(misuse.constant)
    if kind == "version" and (literal == "string" or operator in TESTS):
        return facts.VersionAsText(name, operator)
    known = misuse.constant is not None
    if kind in ("version", "quantity") and operator in _OPERATORS and known:
        return facts.OperatorNotDefined(name, kind, operator, literal, access)
    if kind == "list":
        element = None if misuse.other is None else case.source(misuse.other)
        return facts.ListCompared(name, operator, literal, element, access)
    if kind == "string" and operator in ("isGreaterThan", "isLessThan", "compareTo"):
        return facts.TextAsVersion(name, operator, access)
    return facts.TypesDiffer(name, kind, operator, literal)


def _literal_type(constant: Any) -> facts.LiteralType:
    match constant:
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int"
        case float():
            return "double"
        case Semver():
            return "version"
        case Quantity():
            return "quantity"
    return "unknown"


def _type_fix(case: Case, misuse: Misuse) -> Replacement | None:
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
    if kind == "quantity" and misuse.operator in _OPERATORS and not mirrored:
        amount = _quantity_text(case, constant, other)
        if amount is None or misuse.operator == "@in":
            return None
        text = f"{access}.compareTo({amount}) {_OPERATORS[misuse.operator]} 0"
        return Replacement(*misuse.node.span, text)
    if kind == "string" and isinstance(constant, int | float) and not isinstance(constant, bool):
        return Replacement(*other.span, device_plugin.quote(case.source(other)))
    if kind == "int" and isinstance(constant, str) and re.fullmatch(r"-?[0-9]{1,18}", constant):
        return Replacement(*other.span, str(int(constant)))
    if kind == "bool" and constant in ("true", "false"):
        return Replacement(*other.span, str(constant))
    return None


def _version_fix(case: Case, misuse: Misuse, other: Expr) -> Replacement | None:
    access = case.source(misuse.sym.node)
    operator = _OPERATORS.get(misuse.operator)
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
    if misuse.operator in _EQUALITIES or misuse.operator in (
        "isGreaterThan",
        "isLessThan",
        "compareTo",
    ):
        return Replacement(*other.span, literal)
    if operator is not None:
        return Replacement(*misuse.node.span, f"{access}.compareTo({literal}) {operator} 0")
    return None


def _quantity_text(case: Case, constant: Any, other: Expr) -> str | None:
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


def _field_of_value(node: Expr, kind: ValueType) -> Observation:
    field, start = "", node.span[0]
    if isinstance(node, Select):
        field, start = node.field, node.operand.span[1]
    fix = Replacement(start, node.span[1], "")
    return Observation(facts.FieldOfValue(kind, field), span=(start + 1, node.span[1]), fix=fix)


# Values of attributes -------------------------------------------------------------------------


def _enumeration(case: Case, seen: Comparison) -> Iterator[Suspect]:
    """A value that no device publishes under that name."""
    entries = [e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), Attribute)]
    if not entries or (seen.operator not in _EQUALITIES and seen.operator not in TESTS):
        return
    if _asks_for_text(case, seen) or any(_allows(entry, seen) for entry in entries):
        return
    elsewhere = _types_with(case, seen)
    if elsewhere:
        if not any(shape in case.notes.outcomes for shape in elsewhere):
            otherwise = Otherwise.NOTHING if _is_negated(case, seen.node) else Otherwise.NOTE
            hidden = _filtered_before(case, seen, elsewhere)
            yield _suspect(seen.node, hidden, otherwise, lasting=False)
        return
    meant = None
    if seen.operator not in TESTS:
        meant = _meant_value(entries, seen.constant) or _meant_value(
            _of_all_types(case, seen), seen.constant
        )
    known = (value for entry in entries for value in (entry.values or entry.examples))
    closed = all(entry.values is not None for entry in entries)
    newest = None
    drivers = {shape.driver.name: shape.driver for shape in seen.shapes if shape.driver is not None}
    if closed and len(drivers) == 1:
        newest = case.newest(next(iter(drivers.values())))
    found = facts.ValueNotPublished(
        name=seen.sym.name[2],
        operator=seen.operator,
        value=seen.constant,
        closed=closed,
        values=tuple(known),
        meant=meant,
        note=next((entry.note for entry in entries if entry.note), None),
        newest=newest,
    )
    fix = None
    if isinstance(seen.literal, Literal) and meant is not None:
        text = device_plugin.quote(meant) if isinstance(meant, str) else str(meant)
        fix = Replacement(*seen.literal.span, text)
    otherwise = Otherwise.NOTE if closed and meant is None else Otherwise.MISLEADS
    said = Observation(found, span=seen.literal.span, fix=fix)
    yield _suspect(seen.node, said, otherwise, guess=meant is None and newest is not None)


def _is_negated(case: Case, node: Expr) -> bool:
    """Whether a condition counts by being false: after `!`, in `!=`, compared with `false`."""
    negated = isinstance(node, Call) and node.function == "_!=_"
    while (parent := case.parents.get(node)) is not None:
        if isinstance(parent, Call):
            if parent.function == "!_":
                negated = not negated
            elif parent.function in ("_==_", "_!=_"):
                other = parent.args[1] if parent.args[0] is node else parent.args[0]
                wanted = parent.function == "_==_"
                if isinstance(other, Literal) and other.value is not wanted:
                    negated = not negated
        node = parent
    return negated


def _asks_for_text(case: Case, seen: Comparison) -> bool:
    """Whether the condition is that the value is not empty: needless, but true."""
    return seen.constant == "" and seen.operator in _EQUALITIES and _is_negated(case, seen.node)


def _allows(entry: Attribute, seen: Comparison) -> bool:
    """Whether a device may publish a value that satisfies the comparison."""
    constant, steps = seen.constant, seen.sym.steps
    values = entry.values
    if seen.operator in TESTS:
        test = TESTS[seen.operator](constant)
        if values is None or test is None:
            return True
        return any(test(str(apply_steps(steps, each))) for each in values)
    if values is not None:
        typed = (_typed(entry, each) for each in values)
        return any(apply_steps(steps, each) == constant for each in typed)
    if steps or not isinstance(constant, str) or (not constant and entry.pattern is None):
        return True
    if constant in (entry.mistaken_values or ()):
        return False
    if entry.pattern is not None and not re.fullmatch(entry.pattern, constant):
        return False
    return constant in entry.examples or not any(
        device_plugin.label_form(str(each)) == constant or str(each).lower() == constant.lower()
        for each in entry.examples
    )


def _typed(entry: Attribute, value: Any) -> Any:
    return Semver.parse(value, normalize=True) if entry.type is AttributeType.VERSION else value


def _types_with(case: Case, seen: Comparison) -> list[Shape]:
    """Shapes of the same drivers that did not come here but may have the value."""
    drivers = {shape.driver.name for shape in seen.shapes if shape.driver is not None}
    found = []
    for shape in case.shapes:
        if shape.driver is None or shape.driver.name not in drivers or shape in seen.shapes:
            continue
        entry = shape.entry(seen.sym.name)
        if isinstance(entry, Attribute) and entry.values is not None and _allows(entry, seen):
            found.append(shape)
    return found


def _of_all_types(case: Case, seen: Comparison) -> list[Attribute]:
    """The attribute on every device type of the same drivers."""
    drivers = {shape.driver.name for shape in seen.shapes if shape.driver is not None}
    return [
        entry
        for shape in case.shapes
        if shape.driver is not None and shape.driver.name in drivers
        if isinstance(entry := shape.entry(seen.sym.name), Attribute)
    ]


def _filtered_before(case: Case, seen: Comparison, elsewhere: list[Shape]) -> Observation:
    found = facts.ValueFilteredOut(
        name=seen.sym.name[2],
        value=seen.constant,
        types=tuple(dict.fromkeys(shape.label for shape in seen.shapes)),
        having=tuple(dict.fromkeys(shape.label for shape in elsewhere)),
        class_name=case.context.class_name,
        other_class=class_of(elsewhere, case.catalogue),
    )
    return Observation(found, span=seen.literal.span)


def _meant_value(entries: list[Attribute], constant: Any) -> Any:
    """The value that a wrong one most likely stands for."""
    if isinstance(constant, Semver):
        return None
    mistaken = {k: v for e in entries for k, v in (e.mistaken_values or {}).items()}
    if constant in mistaken:
        return mistaken[constant]
    values = [v for e in entries for v in (e.values or e.examples)]
    if isinstance(constant, bool):
        return None
    if not isinstance(constant, str):
        return None
    texts = [str(each) for each in values]
    labelled = [
        each for each in texts if device_plugin.label_form(each).lower() == constant.lower()
    ]
    if len(set(labelled)) == 1:
        return labelled[0]
    inside = [each for each in dict.fromkeys(texts) if each and each in constant]
    if len(inside) == 1:
        return inside[0]
    return suggest.closest(constant, [each for each in texts if each])


def _pinned(seen: Comparison) -> Iterator[Observation]:
    """A value that one device of the cluster has; a bus id is that of one of each node, on purpose."""
    entries = [shape.entry(seen.sym.name) for shape in seen.shapes]
    unique = entries and all(isinstance(e, Attribute) and e.unique == "cluster" for e in entries)
    if unique and seen.operator in ("_==_", "@in") and not seen.sym.steps:
        yield Observation(facts.PinnedToDevice(seen.sym.name[2]), span=seen.literal.span)


def _unordered(case: Case, seen: Comparison) -> Iterator[Observation]:
    """A joined value compared as a whole, although its words come in any order."""
    entries = [e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), Attribute)]
    marks = {entry.separator for entry in entries}
    mark = next(iter(marks)) if len(marks) == 1 else None
    constant = seen.constant
    joined = mark is not None and isinstance(constant, str) and mark in constant
    if mark is None or not joined or seen.operator not in ("_==_", "@in") or seen.sym.steps:
        return
    if set(_orders(constant, mark)) <= _alternatives(case, seen):
        return
    access = case.source(seen.sym.node)
    text = " && ".join(
        f"{access}.contains({device_plugin.quote(word)})" for word in constant.split(mark)
    )
    fix = Replacement(*seen.node.span, text) if seen.operator == "_==_" else None
    found = facts.WordsInAnyOrder(seen.sym.name[2], constant, text)
    yield Observation(found, span=seen.literal.span, fix=fix)


def _orders(joined: str, mark: str) -> Iterator[str]:
    """The words of a value in every order; only as they are where there are many."""
    words = joined.split(mark)
    if len(words) > _WORDS:
        yield joined
        yield ""  # never written out
        return
    for order in permutations(words):
        yield mark.join(order)


def _alternatives(case: Case, seen: Comparison) -> set[object]:
    """What the value is compared with for equality, anywhere in the selector."""
    return {
        each.constant
        for each in case.notes.comparisons.values()
        if each.sym.name == seen.sym.name and each.operator in ("_==_", "@in")
    }


def _wrong_end(case: Case, seen: Comparison) -> Iterator[Suspect]:
    """`startsWith("H100")` on names that start with the vendor: no known value does, some hold it."""
    if seen.operator not in ("startsWith", "endsWith") or seen.sym.steps or not seen.constant:
        return
    entries = [e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), Attribute)]
    if any(entry.values is not None for entry in entries):
        return
    values = list(dict.fromkeys(str(each) for entry in entries for each in entry.examples))
    test = TESTS[seen.operator](seen.constant)
    holding = [each for each in values if seen.constant in each]
    if test is None or not holding or any(test(each) for each in values):
        return
    access = case.source(seen.sym.node)
    fix = Replacement(*seen.node.span, f"{access}.contains({case.source(seen.literal)})")
    found = facts.WrongEnd(seen.sym.name[2], seen.operator, seen.constant, tuple(holding))
    yield _suspect(seen.node, Observation(found, span=seen.literal.span, fix=fix))


def _version_text(case: Case, seen: Comparison) -> Iterator[Suspect]:
    """A text attribute that holds a version, ordered as text."""
    name = seen.sym.name[2]
    ordered = seen.operator in ("_<_", "_<=_", "_>_", "_>=_")
    if not (ordered and seen.sym.type == "string" and "version" in name.lower()):
        return
    if isinstance(seen.constant, str) and re.match(r"v?[0-9]", seen.constant):
        found = facts.VersionOrderedAsText(name, seen.operator, case.source(seen.sym.node))
        yield _suspect(seen.node, Observation(found, span=seen.literal.span))


# Amounts --------------------------------------------------------------------------------------


def _amount(case: Case, seen: Comparison) -> Iterator[Observation | Suspect]:
    entries = [e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), Capacity)]
    if not entries or not isinstance(seen.constant, Quantity):
        return
    if all(entry.values is not None for entry in entries):
        yield from _settled(case, seen, entries)
        return
    sized = all(entry.unit in ("bytes", "bits-per-second") for entry in entries)
    if seen.operator == "_==_" and sized:
        yield _equal_amount(case, seen, entries)
        return
    implausible = _implausible(seen, entries)
    if implausible is not None:
        yield _suspect(seen.node, implausible)
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
    case: Case, seen: Comparison, entries: list[Capacity]
) -> Iterator[Observation | Suspect]:
    """A comparison that the few amounts that there are all pass, or all fail."""
    relation = _OPERATORS.get(seen.operator) or _relation(case, seen)
    if relation is None or relation not in _RELATIONS:
        return
    amounts = dict.fromkeys(text for entry in entries for text in entry.values or ())
    passing = {Quantity.parse(each).cmp(seen.constant) in _RELATIONS[relation] for each in amounts}
    if len(passing) != 1:
        return
    meaning = next((entry.meaning for entry in entries if entry.meaning), None)
    reason = facts.AmountAlwaysMet if True in passing else facts.AmountNeverMet
    found = Observation(reason(seen.sym.name[2], tuple(amounts), meaning), span=seen.literal.span)
    yield found if True in passing else _suspect(seen.node, found, Otherwise.NOTE)


def _equal_amount(case: Case, seen: Comparison, entries: list[Capacity]) -> Observation:
    """Equality with a measured amount: a lower bound instead, below the parts that are called so."""
    access, amount = case.source(seen.sym.node), case.source(seen.literal)
    parts = {
        part: Quantity.parse(text) for e in entries for part, text in (e.examples or {}).items()
    }
    if any(has < seen.constant == _nominal(part) for part, has in parts.items()):
        whole = int(str(seen.constant).removesuffix("Gi"))
        amount = f'quantity("{whole * 7 // 8}Gi")'
    text = f"{access}.compareTo({amount}) >= 0"
    fix = Replacement(*seen.node.span, text)
    found = facts.EqualAmount(seen.sym.name[2], text)
    return Observation(found, span=seen.node.span, fix=fix)


def _implausible(seen: Comparison, entries: list[Capacity]) -> Observation | None:
    """An amount far outside what devices have: most often a unit was forgotten."""
    if seen.constant.sign() <= 0 or any(entry.range is None for entry in entries):
        return None
    lowest = min(Quantity.parse(str(e.range.minimum)) for e in entries if e.range)
    highest = max(Quantity.parse(str(e.range.maximum)) for e in entries if e.range)
    thousandfold: Quantity = seen.constant.shifted(3)
    if thousandfold >= lowest and seen.constant <= highest.shifted(3):
        return None
    written = seen.literal.args[0] if isinstance(seen.literal, Call) and seen.literal.args else None
    fix = meant = None
    if isinstance(written, Literal) and re.fullmatch(r"[0-9]+", str(written.value)):
        meant = plausible(str(written.value), lowest, highest)
        if meant is not None:
            fix = Replacement(*written.span, device_plugin.quote(meant))
    found = facts.ImplausibleAmount(
        seen.sym.name[2], str(seen.constant), str(lowest), str(highest), meant
    )
    return Observation(found, span=seen.literal.span, fix=fix)


def _just_misses(case: Case, seen: Comparison, entries: list[Capacity]) -> Iterator[Observation]:
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
    found = re.search(r"([0-9]+)\s?GB", part)
    return Quantity.parse(f"{int(found[1])}Gi") if found else None


def _is_left_out(case: Case, seen: Comparison, part: str, amount: Quantity) -> bool:
    """Whether the comparison alone keeps a part from passing the selector."""
    values: dict[Name, Any] = dict.fromkeys(_names_of_part(seen, part), part)
    values[seen.sym.name] = amount
    node = frozenset({_comparison_node(case, seen)})
    wanted = case.explored(node, values=values)
    return not wanted.never and wanted.complete and case.explored(frozenset(), values=values).never


def _names_of_part(seen: Comparison, part: str) -> set[Name]:
    """The attributes that say which part a device is."""
    return {
        ("attributes", entry.domain, entry.name)
        for shape in seen.shapes
        if shape.device_type is not None
        for entry in shape.device_type.attributes.values()
        if part in entry.examples
    }


def _asks_for_more(case: Case, seen: Comparison) -> bool:
    """Whether other conditions choose devices, of which it is not known whether the part meets them."""
    return any(
        each.sym.name[0] == "attributes"
        and len(_possible(each)) != 1
        and not any(each.sym.name in _names_of_part(seen, str(part)) for part in _examples(each))
        for each in case.notes.comparisons.values()
        if each.sym.name != DRIVER
    )


def _possible(seen: Comparison) -> set[object]:
    """The values of an attribute, where they are few and known."""
    entries = [e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), Attribute)]
    return {value for entry in entries for value in entry.values or ()}


def _examples(seen: Comparison) -> set[object]:
    entries = [e for shape in seen.shapes if isinstance(e := shape.entry(seen.sym.name), Attribute)]
    return {value for entry in entries for value in entry.examples}


def _relation(case: Case, seen: Comparison) -> str | None:
    """How the capacity is to stand to the constant: ">", ">=", … or None."""
    if seen.operator in ("isGreaterThan", "isLessThan"):
        return ">" if seen.operator == "isGreaterThan" else "<"
    node = _comparison_node(case, seen)
    if seen.operator == "compareTo" and isinstance(node, Call) and node is not seen.node:
        operator, (left, right) = _OPERATORS.get(node.function), node.args
        if left is seen.node and isinstance(right, Literal) and right.value == 0:
            return operator
    return None


def _comparison_node(case: Case, seen: Comparison) -> Expr:
    """The whole comparison: `x.compareTo(q) >= 0` around its call."""
    if seen.operator != "compareTo":
        return seen.node
    parent = case.parents.get(seen.node)
    if isinstance(parent, Call) and parent.function in _OPERATORS:
        return parent
    return seen.node
