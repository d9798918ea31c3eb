"""What the check thinks possible against what the evaluator really does, on devices made by the schema.

The law behind every finding: on a device that the schema allows, a selector does what one of the
explored worlds did. A check that knows every outcome never misses a failure, and never calls a
selector always or never true that is not.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from dradsl.cel.dra import compile_selector, device_view
from dradsl.cel.runtime.values import CelRuntimeError
from dradsl.cel.syntax.parse import parse
from dradsl.drivers.abstract.explore import explore
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.device_plugin import quote
from dradsl.drivers.schema.model import AttributeSchema, AttributeType
from dradsl.drivers.schema.shapes import Shape, Standing, shapes_of
from dradsl.releases import get_release

CATALOGUE = Catalogue()
RELEASE = get_release("1.36")
FEATURES = RELEASE.features({"DRAListTypeAttributes": True})
DRIVERS = ("gpu.nvidia.com", "gpu.amd.com", "dra.net", "dra.cpu", "gpu.intel.com", "spyre.ibm.com")
CONSTANTS: dict[str, list[Any]] = {
    "string": ["a", "b", "Hopper", "10"],
    "int": [0, 1, 2],
    "bool": [True, False],
    "version": ["1.0.0", "1.2.0", "9.0.0"],
    "strings": [["a"], ["a", "b"]],
}
AMOUNTS = ["1", "40Gi", "80Gi"]


@functools.cache
def shapes(driver: str) -> tuple[Shape, ...]:
    schema = CATALOGUE.get(driver)
    assert schema is not None
    return shapes_of(schema, CATALOGUE)


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return quote(value) if isinstance(value, str) else str(value)


def access(entry: Any, word: str) -> str:
    return f'device.{word}["{entry.domain}"].{entry.name.replace("<N>", "1")}'


@st.composite
def atoms(draw: st.DrawFn, driver: str) -> str:
    """A condition on one name of the driver, right or wrong."""
    shape = draw(st.sampled_from(shapes(driver)))
    kind = shape.device_type
    assert kind is not None
    # A name of which nothing is known, in an open domain, is taken to be there on purpose.
    attributes = [
        entry
        for entry in kind.attributes.values()
        if shape.standing(("attributes", entry.domain, entry.name)) is not Standing.UNKNOWN
    ]
    capacities = list(kind.capacities.values())
    if capacities and draw(st.integers(0, 3)) == 0:
        return draw(amount_conditions(access(draw(st.sampled_from(capacities)), "capacity")))
    entry = draw(st.sampled_from(attributes))
    name = access(entry, "attributes")
    if draw(st.integers(0, 5)) == 0:
        return f"has({name})"
    if draw(st.integers(0, 15)) == 0 and entry.domain == driver:
        return f"has({name}x)"
    return draw(conditions(entry, name))


@st.composite
def amount_conditions(draw: st.DrawFn, name: str) -> str:
    amount = f'quantity("{draw(st.sampled_from(AMOUNTS))}")'
    form = draw(
        st.sampled_from(
            ["{0}.compareTo({1}) >= 0", "{0}.compareTo({1}) == -1", "0 > {0}.compareTo({1})",
             "{0}.isGreaterThan({1})", "{0}.isLessThan({1})", "{0} == {1}", "has({0})"]
        )
    )  # fmt: skip
    return form.format(name, amount)


FORMS = {
    "string": [
        "{0} == {1}", "{1} != {0}", "{0} in [{1}, {2}]", "{0} < {1}", "{0}.startsWith({1})",
        "{0}.contains({1})", "{0}.matches({1})", "{0}.lowerAscii() == {1}", "{0}.size() > 1",
        "[{1}, {2}].exists(x, x == {0})", "[{1}, {2}].all(x, x != {0})", "{0} == 1",
        "cel.bind(v, {0}, v == {1} || v == {2})", "size({0}) == 1", "{0}.isGreaterThan(semver({1}))",
    ],
    "int": ["{0} == {1}", "{0} >= {1}", "{1} < {0}", "{0} in [{1}, {2}]", '{0} == "1"', '{0} < "1"',
            "{0} == {1}.0", "{0} + 1 > {1}"],
    "bool": ["{0}", "!{0}", "{0} == {1}", '{0} == "true"', "{0} != {1}", "{0} ? {0} : {1}"],
    "version": [
        "{0} == semver({1})", "semver({1}) == {0}", "{0}.isGreaterThan(semver({1}))",
        "{0}.compareTo(semver({1})) <= 0", "{0} == {1}", "{1} == {0}", "{0} != {1}", "{0} >= {1}",
        "{0}.major() == 1", "{0}.isLessThan({1})", "{0} in [semver({1}), semver({2})]",
        "{0}.major() > 0 && {0}.minor() < 2",
    ],
    "strings": ["{0} == {1}", '{0}.exists(x, x == "a")', "size({0}) > 1"],
}  # fmt: skip


@st.composite
def conditions(draw: st.DrawFn, entry: AttributeSchema, name: str) -> str:
    kind = entry.type.value
    pool = [*CONSTANTS.get(kind, ["a"]), *(entry.values or ())]
    one, two = (literal(draw(st.sampled_from(pool))) for _ in range(2))
    if kind == "strings":
        one = '"a"'
    text = draw(st.sampled_from(FORMS[kind])).format(name, one, two)
    match draw(st.integers(0, 7)):
        case 0 if kind in ("string", "int", "bool"):
            path, _, field = name.rpartition(".")
            return f"{path}.?{field}.orValue({one}) == {two}"
        case 1:
            return f"has({name}) && {text}"
        case 2:
            path, _, field = name.rpartition(".")
            return f'"{field}" in {path} && ({text})'
        case 3:
            path, _, field = name.rpartition(".")
            return f"{path}.?{field}.hasValue()"
        case 4:
            path, _, field = name.rpartition(".")
            return f"{path}.?{field}.optMap(v, v == {one}).orValue(false)"
    return text


def selectors(driver: str) -> st.SearchStrategy[str]:
    other = st.sampled_from([f'device.driver == "{driver}"', 'device.driver != "dra.net"', "true"])
    leaves = st.one_of(atoms(driver), atoms(driver), atoms(driver), other)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds("({}) && ({})".format, inner, inner),
            st.builds("({}) || ({})".format, inner, inner),
            st.builds("!({})".format, inner),
            st.builds("({}) ? ({}) : ({})".format, inner, inner, inner),
        ),
        max_leaves=5,
    )


@st.composite
def devices(draw: st.DrawFn, shape: Shape) -> dict[str, Any]:
    """A device as the schema allows it."""
    kind = shape.device_type
    assert kind is not None
    attributes, capacity = {}, {}
    for entry in kind.attributes.values():
        name = entry.name.replace("<N>", "1")
        standing = shape.standing(("attributes", entry.domain, name))
        if _there(draw, standing):
            values = entry.values or CONSTANTS[entry.type.value]
            if entry.type is AttributeType.STRING and entry.values is None:
                values = [*values, "zz", "", "other"]
            value = draw(st.sampled_from(list(values)))
            attributes[f"{entry.domain}/{name}"] = {entry.type.value: value}
    for each in kind.capacities.values():
        name = each.name.replace("<N>", "1")
        if _there(draw, shape.standing(("capacity", each.domain, name))):
            amount = draw(st.sampled_from(each.values or [*AMOUNTS, "0", "50Gi"]))
            capacity[f"{each.domain}/{name}"] = {"value": amount}
    return {"name": "d", "attributes": attributes, "capacity": capacity}


def _there(draw: st.DrawFn, standing: Standing) -> bool:
    if standing in (Standing.ALWAYS, Standing.NEVER):
        return standing is Standing.ALWAYS
    return draw(st.booleans())


@pytest.mark.parametrize("driver", DRIVERS)
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_happens_was_thought_possible(driver: str, data: st.DataObject) -> None:
    text = data.draw(selectors(driver))
    compiled = compile_selector(text, RELEASE, FEATURES, "stored")
    assume(compiled.error is None)
    notes = explore((), parse(text), shapes(driver))
    assume(notes.complete)
    for _ in range(4):
        shape = data.draw(st.sampled_from(shapes(driver)))
        device = data.draw(devices(shape))
        outcome: bool | None
        try:
            outcome = compiled.match(device_view(driver, device))
        except CelRuntimeError:
            outcome = None
        assert outcome in notes.outcomes[shape], (text, device)
