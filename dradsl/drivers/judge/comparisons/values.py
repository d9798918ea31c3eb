"""Comparisons with values of attributes that there are not, or that mean something else than they say."""

from __future__ import annotations

import re
from itertools import permutations

from dradsl.cel.syntax.ast import Call, ListExpr, Literal
from dradsl.drivers.abstract.texts import TESTS, apply_steps
from dradsl.drivers.judge.comparisons.operators import EQUALITIES, suspect
from dradsl.drivers.judge.reachable import class_of
from dradsl.drivers.judge.suspects import Otherwise, Suspect
from dradsl.drivers.schema.model import AttributeSchema, AttributeType
from dradsl.observations import Observation, Replacement
from dradsl.values.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import ObservedComparison
    from dradsl.drivers.judge import selector_facts as facts
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.schema import device_plugin, suggest
    from dradsl.drivers.schema.shapes import Shape
    from dradsl.drivers.suggestions import products
    from dradsl.values import semver as versions
else:
    device_plugin = Later("dradsl.drivers.schema.device_plugin")
    facts = Later("dradsl.drivers.judge.selector_facts")
    products = Later("dradsl.drivers.suggestions.products")
    suggest = Later("dradsl.drivers.schema.suggest")
    versions = Later("dradsl.values.semver")

__all__ = ["judge_value"]

_WORDS = 4


def judge_value(case: SelectorCase, seen: ObservedComparison) -> Iterator[Observation | Suspect]:
    """What is wrong with a comparison of an attribute with a constant."""
    yield from _enumeration(case, seen)
    yield from _pinned(seen)
    yield from _unordered(case, seen)
    yield from _wrong_end(case, seen)
    yield from _version_text(case, seen)


def _entries(seen: ObservedComparison) -> list[AttributeSchema]:
    """What the shapes at hand say of the attribute."""
    found = (shape.entry(seen.sym.name) for shape in seen.shapes)
    return [each for each in found if isinstance(each, AttributeSchema)]


def _enumeration(case: SelectorCase, seen: ObservedComparison) -> Iterator[Suspect]:
    """A value that no device publishes under that name."""
    entries = _entries(seen)
    if not entries or (seen.operator not in EQUALITIES and seen.operator not in TESTS):
        return
    if seen.constant == "" and seen.operator in EQUALITIES and _is_negated(case, seen.node):
        return
    if (other := _of_another(case, seen, entries)) is not None:
        yield other
        return
    if any(_allows(entry, seen) for entry in entries):
        return
    elsewhere = _types_with(case, seen)
    if elsewhere:
        if not any(shape in case.notes.outcomes for shape in elsewhere):
            otherwise = Otherwise.NOTHING if _is_negated(case, seen.node) else Otherwise.NOTE
            hidden = _filtered_before(case, seen, elsewhere)
            yield suspect(seen.node, hidden, otherwise, lasting=False)
        return
    yield _unpublished(case, seen, entries)


def _of_another(
    case: SelectorCase, seen: ObservedComparison, entries: list[AttributeSchema]
) -> Suspect | None:
    """A value that another attribute of these drivers has: a profile in a product's name, an architecture for it."""
    if not isinstance(seen.constant, str) or seen.sym.steps or _may_be(seen, entries):
        return None
    drivers = {shape.driver.name for shape in seen.shapes if shape.driver is not None}
    having: dict[str, list[tuple[Shape, str]]] = {}
    values = [seen.constant, *_values(seen)]
    for shape in case.shapes:
        for entry in _others(seen, shape, drivers):
            asked = [_asked(case, seen, entry, value) for value in values]
            if asked[0] is not None:
                whole = " || ".join(each for each in asked[1:] if each)
                text = f"({whole})" if len(asked) > 2 and all(asked) else asked[0]
                having.setdefault(entry.name, []).append((shape, text))
    if len(having) != 1:
        return None
    ((name, asking),) = having.items()
    condition, shapes = asking[0][1], [shape for shape, _ in asking]
    here = any(shape in case.notes.outcomes for shape in shapes)
    other_class = None if here else class_of(shapes, case.catalogue)
    found = facts.ValueOfOther(
        seen.sym.name[2], seen.operator, seen.constant, name, condition, other_class
    )
    negated = _is_negated(case, seen.node) or not here
    fix = None if negated else Replacement(*seen.node.span, condition)
    said = Observation(found, span=seen.literal.span, fix=fix)
    return suspect(seen.node, said, guess=any(entry.values is None for entry in entries))


def _may_be(seen: ObservedComparison, entries: list[AttributeSchema]) -> bool:
    """Whether a known value, or one that may be meant, passes the comparison."""
    test = TESTS[seen.operator](seen.constant) if seen.operator in TESTS else None
    for entry in entries:
        known = [*map(str, entry.values or entry.examples)]
        known += entry.products.names if entry.products is not None else ()
        if not known or seen.constant in (entry.mistaken_values or ()):
            return True
        if any(map(test, known)) if test is not None else seen.constant in known:
            return True
    return bool(_near(entries, seen))


def _others(seen: ObservedComparison, shape: Shape, drivers: set[str]) -> Iterator[AttributeSchema]:
    if shape.driver is None or shape.device_type is None or shape.driver.name not in drivers:
        return
    for entry in shape.device_type.attributes.values():
        if entry.name != seen.sym.name[2] and shape.exists(entry.lifetime):
            yield entry


def _values(seen: ObservedComparison) -> list[str]:
    """The texts that the attribute is compared with: those of a list to the right of `in`."""
    listed = seen.node.args[1] if seen.operator == "@in" and isinstance(seen.node, Call) else None
    nodes = listed.elements if isinstance(listed, ListExpr) else (seen.literal,)
    return [str(each.value) for each in nodes if isinstance(each, Literal)]


def _asked(
    case: SelectorCase, seen: ObservedComparison, entry: AttributeSchema, constant: str
) -> str | None:
    """The condition on another attribute that a value stands for, if it is a value of that one."""
    from dradsl.drivers.suggestions.names import access_text

    access = access_text(("attributes", entry.domain, entry.name))
    value = next(
        (each for each in entry.values or () if str(each).lower() == constant.lower()), None
    )
    if isinstance(value, str) and value:
        return f"{access} == {device_plugin.quote(value)}"
    if entry.products is not None:
        near = products.near_products(constant, entry.products.names)
        tests = products.tests_of_all(constant, near, entry.products.names)
        return " && ".join(f"{access}.{test}" for test in tests) or None
    if entry.pattern is not None and entry.examples and "+" in entry.pattern:
        found = re.search(entry.pattern, constant)
        if found is None:
            return None
        product = re.sub("[ -]*(MIG)?[ -]*$", "", constant[: found.start()])
        known = {name for e in _entries(seen) if e.products for name in e.products.names}
        beside = f"{case.source(seen.sym.node)} == {device_plugin.quote(product)} && " * (
            product in known
        )
        return f"{beside}{access} == {device_plugin.quote(found[0])}"
    return None


def _unpublished(
    case: SelectorCase, seen: ObservedComparison, entries: list[AttributeSchema]
) -> Suspect:
    """A value that none of the entries has, with the one that was probably meant."""
    near = _near(entries, seen)
    meant = near[0] if len(near) == 1 else None
    if seen.operator not in TESTS and not near:
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
        candidates=near,
        rare=next((r for e in entries if (r := _rare(e).get(str(seen.constant)))), None),
    )
    fix = _with_products(case, seen, entries) if len(near) > 1 else None
    if isinstance(seen.literal, Literal) and meant is not None:
        text = device_plugin.quote(meant) if isinstance(meant, str) else str(meant)
        fix = Replacement(*seen.literal.span, text)
    otherwise = Otherwise.NOTE if closed and meant is None else Otherwise.MISLEADS
    said = Observation(found, span=seen.literal.span, fix=fix)
    return suspect(seen.node, said, otherwise, guess=meant is None and newest is not None)


def _with_products(
    case: SelectorCase, seen: ObservedComparison, entries: list[AttributeSchema]
) -> Replacement | None:
    """A comparison with parts of products' names that lets all through that may be meant."""
    if seen.operator not in EQUALITIES or not isinstance(seen.node, Call):
        return None
    access = case.source(seen.sym.node)
    known = [name for each in entries if each.products for name in each.products.names]
    rare = {name for each in entries for name in _rare(each)}
    asked = []
    for value in _values(seen):
        meant = products.near_products(value, [each for each in known if each not in rare])
        meant = () if value in known and value not in rare else meant
        tests = " && ".join(
            f"{access}.{test}" for test in products.tests_of_all(value, meant, known)
        )
        others = (
            f"{access} in [{', '.join(map(device_plugin.quote, meant))}]" if len(meant) > 1 else ""
        )
        asked.append(tests or others or f"{access} == {device_plugin.quote(value)}")
    text = " || ".join(asked)
    text = f"({text})" if len(asked) > 1 else text
    if seen.operator == "_!=_":
        text = f"!{text}" if text.endswith(")") and "&&" not in text else f"!({text})"
    return Replacement(*seen.node.span, text)


def _rare(entry: AttributeSchema) -> Mapping[str, str]:
    return entry.products.rare if entry.products is not None else {}


def _near(entries: list[AttributeSchema], seen: ObservedComparison) -> tuple[str, ...]:
    """The known products that the constant, which is none of them, may stand for."""
    constant = seen.constant
    known = [name for e in entries if e.products for name in e.products.names]
    if not known or not isinstance(constant, str) or not constant or seen.sym.steps:
        return ()
    names = tuple(dict.fromkeys(known))
    if seen.operator not in TESTS:
        rare = {name for entry in entries for name in _rare(entry)}
        if constant in names and constant not in rare:
            return ()
        return products.near_products(constant, tuple(name for name in names if name not in rare))
    test = TESTS[seen.operator](constant)
    if seen.operator == "matches" or test is None or any(map(test, names)):
        return ()
    return products.written_parts(constant, names)


def _is_negated(case: SelectorCase, node: Expr) -> bool:
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


def _allows(entry: AttributeSchema, seen: ObservedComparison) -> bool:
    """Whether a device may publish a value that satisfies the comparison."""
    constant, steps = seen.constant, seen.sym.steps
    values = entry.values
    if seen.operator in TESTS:
        test = TESTS[seen.operator](constant)
        if test is None or (values is None and not _near([entry], seen)):
            return True
        if values is None:
            return False
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
    if entry.products is not None:
        return not _near([entry], seen)
    return constant in entry.examples or not any(
        device_plugin.label_form(str(each)) == constant or str(each).lower() == constant.lower()
        for each in entry.examples
    )


def _typed(entry: AttributeSchema, value: Any) -> Any:
    if entry.type is not AttributeType.VERSION:
        return value
    return versions.Semver.parse(value, normalize=True)


def _types_with(case: SelectorCase, seen: ObservedComparison) -> list[Shape]:
    """Shapes of the same drivers that did not come here but may have the value."""
    drivers = {shape.driver.name for shape in seen.shapes if shape.driver is not None}
    found = []
    for shape in case.shapes:
        if shape.driver is None or shape.driver.name not in drivers or shape in seen.shapes:
            continue
        entry = shape.entry(seen.sym.name)
        if isinstance(entry, AttributeSchema) and entry.values is not None and _allows(entry, seen):
            found.append(shape)
    return found


def _of_all_types(case: SelectorCase, seen: ObservedComparison) -> list[AttributeSchema]:
    """The attribute on every device type of the same drivers."""
    drivers = {shape.driver.name for shape in seen.shapes if shape.driver is not None}
    return [
        entry
        for shape in case.shapes
        if shape.driver is not None and shape.driver.name in drivers
        if isinstance(entry := shape.entry(seen.sym.name), AttributeSchema)
    ]


def _filtered_before(
    case: SelectorCase, seen: ObservedComparison, elsewhere: list[Shape]
) -> Observation:
    found = facts.ValueFilteredOut(
        name=seen.sym.name[2],
        value=seen.constant,
        types=tuple(dict.fromkeys(shape.label for shape in seen.shapes)),
        having=tuple(dict.fromkeys(shape.label for shape in elsewhere)),
        class_name=case.context.class_name,
        other_class=class_of(elsewhere, case.catalogue),
    )
    return Observation(found, span=seen.literal.span)


def _with_the_form(entries: list[AttributeSchema], constant: str) -> str | None:
    """The part of a text that has the form of the attribute, if there is one and it is not the whole."""
    found = [re.search(each.pattern, constant) for each in entries if each.pattern is not None]
    parts = {each[0] for each in found if each is not None} - {constant}
    return parts.pop() if len(parts) == 1 else None


def _meant_value(entries: list[AttributeSchema], constant: Any) -> Any:
    """The value that a wrong one most likely stands for."""
    if isinstance(constant, versions.Semver):
        return None
    mistaken = {k: v for e in entries for k, v in (e.mistaken_values or {}).items()}
    if constant in mistaken:
        return mistaken[constant]
    values = [v for e in entries for v in (e.values or e.examples)]
    if isinstance(constant, bool):
        return None
    if not isinstance(constant, str):
        return None
    part = _with_the_form(entries, constant)
    if part is not None:
        return part
    texts = [str(each) for each in values]
    labelled = [
        each for each in texts if device_plugin.label_form(each).lower() == constant.lower()
    ]
    if len(set(labelled)) == 1:
        return labelled[0]
    inside = [each for each in dict.fromkeys(texts) if each and each in constant]
    if len(inside) == 1:
        return inside[0]
    alike = [each for each in texts if each and products.is_same_model(each, constant)]
    return suggest.closest(constant, alike)  # another number is another generation


def _pinned(seen: ObservedComparison) -> Iterator[Observation]:
    """A value that one device of the cluster has; a bus id is that of one of each node, on purpose."""
    entries = [shape.entry(seen.sym.name) for shape in seen.shapes]
    unique = entries and all(
        isinstance(e, AttributeSchema) and e.unique == "cluster" for e in entries
    )
    if unique and seen.operator in ("_==_", "@in") and not seen.sym.steps:
        yield Observation(facts.PinnedToDevice(seen.sym.name[2]), span=seen.literal.span)


def _unordered(case: SelectorCase, seen: ObservedComparison) -> Iterator[Observation]:
    """A joined value compared as a whole, although its words come in any order."""
    entries = _entries(seen)
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


def _alternatives(case: SelectorCase, seen: ObservedComparison) -> set[object]:
    """What the value is compared with for equality, anywhere in the selector."""
    return {
        each.constant
        for each in case.notes.comparisons.values()
        if each.sym.name == seen.sym.name and each.operator in ("_==_", "@in")
    }


def _wrong_end(case: SelectorCase, seen: ObservedComparison) -> Iterator[Suspect]:
    """`startsWith("H100")` on names that start with the vendor: no known value does, some hold it.

    A part of a word is no name: of interfaces rdma0 and gpu0rdma0 both are usual.
    """
    if seen.operator not in ("startsWith", "endsWith", "matches") or not seen.constant:
        return
    entries = _entries(seen)
    if any(entry.values is not None for entry in entries):
        return
    examples = dict.fromkeys(str(each) for entry in entries for each in entry.examples)
    values = [str(apply_steps(seen.sym.steps, each)) for each in examples]
    test, core = TESTS[seen.operator](seen.constant), seen.constant.strip("^$")
    is_pattern, start = seen.operator == "matches", seen.operator == "startsWith"
    inside = TESTS["matches"](rf"\b(?:{core})") if is_pattern else TESTS["contains"](core)
    holding = [each for each in values if inside is not None and inside(each)]
    if test is None or not holding or any(test(each) for each in values) or _near(entries, seen):
        return
    if not is_pattern and all(_beside(each, core, start=start).isalnum() for each in holding):
        return
    target = seen.node.target if isinstance(seen.node, Call) else None
    method = "matches" if is_pattern else "contains"
    call = f"{case.source(target or seen.sym.node)}.{method}({device_plugin.quote(core)})"
    fix = Replacement(*seen.node.span, call)
    found = facts.WrongEnd(seen.sym.name[2], seen.operator, seen.constant, tuple(holding))
    yield suspect(seen.node, Observation(found, span=seen.literal.span, fix=fix))


def _beside(text: str, part: str, *, start: bool) -> str:
    """What stands before a part of a text, or behind it."""
    return text.split(part)[0][-1:] if start else text.split(part)[-1][:1]


def _version_text(case: SelectorCase, seen: ObservedComparison) -> Iterator[Suspect]:
    """A text attribute that holds a version, ordered as text."""
    name = seen.sym.name[2]
    ordered = seen.operator in ("_<_", "_<=_", "_>_", "_>=_")
    if not (ordered and seen.sym.type == "string" and "version" in name.lower()):
        return
    if isinstance(seen.constant, str) and re.match(r"v?[0-9]", seen.constant):
        found = facts.VersionOrderedAsText(name, seen.operator, case.source(seen.sym.node))
        yield suspect(seen.node, Observation(found, span=seen.literal.span))
