"""Correct selectors of every driver are clean; what is done to them is caught, by kind of mistake.

The selectors are built from the schemas: one or more for each attribute and capacity of each device
type, in the forms that people write. Every mutation makes a selector wrong on all devices of its
type. Names in open domains are left out of the count: nobody knows what others publish there.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from dradsl.diagnostics import Severity
from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_selector
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.device_plugin import quote
from dradsl.drivers.schema.model import (
    AttributeSchema,
    AttributeType,
    CapacitySchema,
    DeviceTypeSchema,
    DriverSchema,
)
from dradsl.drivers.schema.shapes import KindOfName, Shape, Standing, shapes_of
from tests.drivers.codes import code_of, severity_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.observations import Observation

CATALOGUE = Catalogue()
SKIPPED = ("composable-dra-driver", "cni-dra-driver")


@dataclass(frozen=True)
class Selector:
    """A correct selector: `guard` and `condition`, in a request whose class selects the type."""

    schema: DriverSchema
    kind: DeviceTypeSchema
    entry: AttributeSchema | CapacitySchema
    before: tuple[str, ...]
    guard: str
    access: str
    condition: str

    @property
    def text(self) -> str:
        return self.guard + self.condition

    def check(self, text: str) -> list[Observation]:
        context = SelectorContext(before=self.before, class_name="c", class_known=True)
        return check_selector(text, CATALOGUE, context)


def access_of(entry: AttributeSchema | CapacitySchema, name: str) -> str:
    word = "attributes" if isinstance(entry, AttributeSchema) else "capacity"
    return f'device.{word}["{entry.domain}"].{name}'


def conditions(entry: AttributeSchema | CapacitySchema, access: str) -> Iterator[str]:
    if isinstance(entry, CapacitySchema):
        low = str(entry.range.minimum) if entry.range else "1"
        yield f"{access}.compareTo(quantity({quote(low)})) > 0"
        yield f"{access}.isLessThan(quantity({quote(low)}))"
        return
    known = [each for each in (*(entry.values or ()), *entry.examples) if each != ""]
    if entry.type is AttributeType.STRING:
        text = quote(str(known[0])) if known else None
        if text is None and entry.pattern is not None:
            return
        yield f"{access} != {text or quote('some-text')}"
        if len(known) > 2:  # two of two would let everything through
            yield f"{access} in [{quote(str(known[0]))}, {quote(str(known[1]))}]"
    elif entry.type is AttributeType.INT:
        yield f"{access} == {entry.range.minimum if entry.range else 1}"
        yield f"{access} >= 2"
    elif entry.type is AttributeType.BOOL:
        yield f"{access} == true"
        yield access
    elif entry.type is AttributeType.VERSION:
        yield f'{access}.compareTo(semver("{known[0] if known else "1.2.3"}")) >= 0'
        yield f'{access}.isGreaterThan(semver("{known[0] if known else "1.2.3"}"))'


@functools.cache
def selectors() -> tuple[Selector, ...]:
    """The originals; those that say nothing (a type that is given) are left out."""
    found = []
    for driver in CATALOGUE.names():
        schema = CATALOGUE.get(driver)
        if schema is None or driver in SKIPPED:
            continue
        for shape in shapes_of(schema, CATALOGUE):
            if shape.device_type is not None:
                found += list(_of_shape(schema, shape, shape.device_type))
    return tuple(found)


def _of_shape(schema: DriverSchema, shape: Shape, kind: DeviceTypeSchema) -> Iterator[Selector]:
    before = (f'device.driver == "{schema.name}"',)
    if kind.discriminator is not None:
        before = (f"{before[0]} && {kind.discriminator}",)
    entries: list[AttributeSchema | CapacitySchema] = [
        *kind.attributes.values(),
        *kind.capacities.values(),
    ]
    for entry in entries:
        if isinstance(entry, AttributeSchema) and (entry.deprecated or entry.unique == "cluster"):
            continue
        if entry.values is not None and len(entry.values) < 2:
            continue
        name = entry.name.replace("<N>", "2")
        word: KindOfName = "attributes" if isinstance(entry, AttributeSchema) else "capacity"
        standing = shape.standing((word, entry.domain, name))
        if standing not in (Standing.ALWAYS, Standing.USUALLY, Standing.SOMETIMES):
            continue
        access = access_of(entry, name)
        guard = f"has({access}) && " if standing is Standing.SOMETIMES else ""
        for condition in conditions(entry, access):
            yield Selector(schema, kind, entry, before, guard, access, condition)


# Mutations: the mutated text, or None where the mutation does not apply ----------------------


def misspelt(selector: Selector) -> str | None:
    """Two letters of the name change places, or its last one is doubled."""
    name = selector.access.rpartition(".")[2]
    pairs = [i for i in range(1, len(name) - 1) if name[i] != name[i + 1]]
    wrong = name + name[-1]
    if pairs:
        at = pairs[len(pairs) // 2]
        wrong = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    if _published(selector, wrong) or _open(selector):
        return None
    return selector.text.replace(selector.access, access_of(selector.entry, wrong))


def wrong_domain(selector: Selector) -> str | None:
    """The driver's domain without its first part."""
    domain = selector.entry.domain
    wrong = domain.partition(".")[2] if domain.count(".") > 1 else f"{domain}.io"
    if selector.schema.is_open(wrong) or wrong in selector.schema.domains():
        return None
    return selector.text.replace(f'["{domain}"]', f'["{wrong}"]')


def other_map(selector: Selector) -> str | None:
    """A capacity read as an attribute, or an attribute as a capacity."""
    if _open(selector):
        return None
    old, new = ("attributes", "capacity")
    if isinstance(selector.entry, CapacitySchema):
        old, new = new, old
    return selector.text.replace(f"device.{old}", f"device.{new}")


def wrong_type(selector: Selector) -> str | None:
    """The literal is of another type."""
    entry = selector.entry
    if isinstance(entry, CapacitySchema):
        return None  # upstream's type checker sees it
    literal = {"string": "3", "int": '"3"', "bool": '"true"', "version": '"1.2.3"'}
    if entry.type.value not in literal:
        return None
    return f"{selector.guard}{selector.access} == {literal[entry.type.value]}"


def no_guard(selector: Selector) -> str | None:
    return selector.condition if selector.guard else None


def wrong_case(selector: Selector) -> str | None:
    """A value of a closed list in another case."""
    entry = selector.entry
    if not isinstance(entry, AttributeSchema) or entry.values is None:
        return None
    for value in entry.values:
        if isinstance(value, str) and value.swapcase() != value:
            if value.swapcase() in entry.values:
                continue
            return f"{selector.guard}{selector.access} == {quote(value.swapcase())}"
    return None


def _published(selector: Selector, name: str) -> bool:
    return any(
        kind.attribute(selector.entry.domain, name) or kind.capacity(selector.entry.domain, name)
        for kind in selector.schema.device_types
    )


def _open(selector: Selector) -> bool:
    return selector.schema.is_open(selector.entry.domain)


MUTATIONS = {
    "misspelt name": misspelt,
    "wrong domain": wrong_domain,
    "attribute for capacity": other_map,
    "wrong literal type": wrong_type,
    "missing guard": no_guard,
    "wrong case of a value": wrong_case,
}


def show_rate(text: str) -> None:
    """With `pytest -s`: the rates are the point."""
    print(text)  # noqa: T201 - shown on request


def test_correct_selectors_are_clean() -> None:
    assert len(selectors()) >= 300
    assert {each.schema.name for each in selectors()} == set(CATALOGUE.names()) - set(SKIPPED) - {
        "npu.furiosa.ai"  # publishes one known name, which pins a device
    }
    noise = [(each.text, found) for each in selectors() if (found := each.check(each.text))]
    assert noise == []


@pytest.mark.parametrize("kind", MUTATIONS)
def test_mutations_are_caught(kind: str) -> None:
    caught, missed = 0, []
    for selector in selectors():
        text = MUTATIONS[kind](selector)
        if text is None or text == selector.text:
            continue
        found = selector.check(text)
        if any(severity_of(each) is not Severity.INFO for each in found):
            caught += 1
        else:
            missed.append(text)
    total = caught + len(missed)
    show_rate(f"{kind}: {caught} of {total} ({caught / total:.1%})")
    assert total >= 20
    assert caught >= 0.99 * total, missed


def test_misspelt_names_are_errors() -> None:
    """A name that must be read, one slip from a known one: nothing passes, whatever the version."""
    mild, total = [], 0
    for selector in selectors():
        text = misspelt(selector)
        if text is None or text == selector.text:
            continue
        total += 1
        if not any(severity_of(each) is Severity.ERROR for each in selector.check(text)):
            mild.append(text)
    show_rate(f"misspelt name: {total - len(mild)} of {total} are errors")
    assert mild == []


def test_removed_names_are_caught() -> None:
    outcome = defaultdict(list)
    for driver in CATALOGUE.names():
        schema = CATALOGUE.get(driver)
        assert schema is not None
        newest = schema.version_order[-1] if schema.version_order else None
        for kind, entry in schema.attributes():
            if entry.lifetime.removed_in is None or newest is None:
                continue
            shapes = [s for s in shapes_of(schema, CATALOGUE) if s.device_type is kind]
            if any(each.entry(("attributes", entry.domain, entry.name)) for each in shapes):
                continue  # the newest release still has it; its successor is not out yet
            before = (f'device.driver == "{driver}"',)
            if kind.discriminator is not None:
                before = (f"{before[0]} && {kind.discriminator}",)
            context = SelectorContext(before=before, class_known=True)
            text = f"{access_of(entry, entry.name)} == {_literal(entry)}"
            codes = [code_of(each) for each in check_selector(text, CATALOGUE, context)]
            outcome["DRA214" in codes].append(text)
    caught, missed = len(outcome[True]), outcome[False]
    show_rate(f"removed name: {caught} of {caught + len(missed)}")
    assert caught >= 25
    assert missed == []


def _literal(entry: AttributeSchema) -> str:
    return {"int": "1", "bool": "true"}.get(entry.type.value, '"x"')


@pytest.mark.parametrize("kind", MUTATIONS)
def test_offered_fixes_mend(kind: str) -> None:
    """Round for round, as `--unsafe-fixes` applies them, until nothing more is offered."""
    corrected, broken = 0, []
    for selector in selectors():
        text = MUTATIONS[kind](selector)
        if text is None or text == selector.text:
            continue
        first = {code_of(each) for each in selector.check(text)}
        fixed = text
        for _ in range(4):
            fixes = [each.fix for each in selector.check(fixed) if each.fix is not None]
            if not fixes:
                break
            fixed = fixed[: fixes[0].start] + fixes[0].text + fixed[fixes[0].end :]
        if fixed == text:
            continue
        if first & {code_of(each) for each in selector.check(fixed)} - {"DRA209"}:
            broken.append((text, fixed))
        else:
            corrected += 1
    show_rate(f"{kind}: {corrected} corrected")
    assert corrected >= 20
    assert broken == []
