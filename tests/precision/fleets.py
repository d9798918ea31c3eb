"""Devices and nodes that conform to driver schemas, made at random: every world that a schema allows."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.model import AttributeSchema, AttributeType, CapacitySchema
from dradsl.drivers.schema.shapes import Shape, Standing, shapes_of
from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

    from dradsl.drivers.schema.shapes import Name

__all__ = [
    "CATALOGUE",
    "NOBODY",
    "Constants",
    "Named",
    "device",
    "drivers",
    "name_of",
    "node",
    "shapes",
    "unknown_device",
]

CATALOGUE = Catalogue()

Json = dict[str, Any]
Constants = dict[str, list[Any]]
"""Literals by type of attribute, and those of `quantity`."""

Named = tuple[str, str, str]
"""A name that a selector reads: attributes or capacity, domain, key."""

NOBODY = "accelerator.vendor.net"
"""A driver without a schema."""

POOL: Constants = {
    "string": ["a", "Hopper", "10", "", "zz"],
    "int": [0, 1, 2, 7],
    "bool": [True, False],
    "version": ["0.0.1", "1.2.0", "8.0.0", "9.0.0", "580.1.2"],
    "quantity": ["1", "10Gi", "40Gi", "79Gi", "80Gi", "200Gi"],
}


BEYOND: Constants = {
    "int": [-1000, 1000],
    "version": ["0.0.0", "9999.0.0"],
    "quantity": ["0", "900Ti"],
}
"""Below and above all constants that selectors compare with."""


@functools.cache
def drivers() -> tuple[str, ...]:
    """Every driver with a schema, but for those whose names stand for any driver."""
    names = [name for name in CATALOGUE.names() if not name.endswith(".example.com")]
    return tuple(name for name in names if shapes(name))


@functools.cache
def shapes(driver: str) -> tuple[Shape, ...]:
    schema = CATALOGUE.get(driver)
    assert schema is not None
    return shapes_of(schema, CATALOGUE)


def device(random: Random, shape: Shape, constants: Constants, named: Iterable[Named] = ()) -> Json:
    """A device of a shape; values may be `constants`, where the schema leaves them open.

    `named` are names (domain and key) that a selector reads: in an open domain anybody may publish them.
    """
    kind = shape.device_type
    assert kind is not None
    attributes: Json = {}
    capacity: Json = {}
    for entry in kind.attributes.values():
        key = entry.name.replace("<N>", "1")
        if not _is_there(random, shape.standing(("attributes", entry.domain, key))):
            continue
        if not shape.exists(entry.lifetime):
            continue
        attributes[f"{entry.domain}/{key}"] = _attribute(random, entry, constants)
    for amount in kind.capacities.values():
        key = amount.name.replace("<N>", "1")
        if not _is_there(random, shape.standing(("capacity", amount.domain, key))):
            continue
        if shape.exists(amount.lifetime):
            capacity[f"{amount.domain}/{key}"] = {"value": _amount(random, amount, constants)}
    for word, domain, key in named:
        names = capacity if word == "capacity" else attributes
        if (
            shape.standing(name_of(word, domain, key)) is not Standing.UNKNOWN
            or random.random() < 0.3
        ):
            continue
        if word == "capacity":
            names[f"{domain}/{key}"] = {"value": random.choice(_pool("quantity", constants))}
        else:
            form = random.choice(["string", "int", "bool", "version"])
            names[f"{domain}/{key}"] = {form: random.choice(_pool(form, constants))}
    return {"name": "d", "attributes": attributes, "capacity": capacity}


def unknown_device(random: Random, constants: Constants, named: Iterable[Named]) -> Json:
    """A device of a driver of which nothing is known: it may publish any name of any domain."""
    attributes: Json = {}
    capacity: Json = {}
    for kind, domain, key in named:
        if random.random() < 0.2:
            continue
        form = random.choice(["string", "string", "int", "bool", "version"])
        if kind == "capacity":
            form = "quantity"
        value = random.choice(_pool(form, constants))
        if kind == "capacity":
            capacity[f"{domain}/{key}"] = {"value": value}
        else:
            attributes[f"{domain}/{key}"] = {form: value}
    return {"name": "d", "attributes": attributes, "capacity": capacity}


def name_of(word: str, domain: str, key: str) -> Name:
    return ("capacity" if word == "capacity" else "attributes", domain, key)


def _pool(form: str, constants: Constants) -> list[Any]:
    own = constants.get(form, [])
    longer = [f"0{each}zz" for each in own] if form == "string" else []
    longer += [f"{each}zz" for each in own] if form == "string" else []
    if form == "quantity":  # what lies between two bounds
        amounts = sorted({each for text in own if (each := _whole(text)) is not None})
        longer += [str((low + high) // 2) for low, high in itertools.pairwise(amounts)]
    return [*own, *own, *longer, *POOL[form], *BEYOND.get(form, [])]


def _whole(text: str) -> int | None:
    try:
        return Quantity.parse(text).value()
    except QuantityError:
        return None


def node(random: Random, name: str, devices: Sequence[tuple[str, Json]]) -> Iterator[Json]:
    """A node and a slice for each driver that has devices there."""
    yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    by_driver: dict[str, list[Json]] = {}
    for number, (driver, each) in enumerate(devices):
        by_driver.setdefault(driver, []).append({**each, "name": f"d{number}"})
    order = list(by_driver.items())
    random.shuffle(order)
    for driver, members in order:
        yield _slice(driver, name, members)


def _slice(driver: str, node_name: str, devices: list[Json]) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node_name}-{driver}"},
        "spec": {
            "driver": driver,
            "nodeName": node_name,
            "pool": {"name": node_name, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def _is_there(random: Random, standing: Standing) -> bool:
    if standing is Standing.USUALLY:
        return random.random() < 0.8
    return standing is Standing.ALWAYS or (standing is Standing.SOMETIMES and random.random() < 0.5)


def _attribute(random: Random, entry: AttributeSchema, constants: Constants) -> Json:
    kind = random.choice(entry.types)
    if kind.is_list:
        scalar = AttributeType(kind.value[:-1])
        return {kind.value: [_value(random, entry, scalar, constants)]}
    return {kind.value: _value(random, entry, kind, constants)}


def _value(
    random: Random, entry: AttributeSchema, kind: AttributeType, constants: Constants
) -> Any:
    if entry.values is not None:
        return random.choice(list(entry.values))
    pool = [*entry.examples, *_pool(kind.value, constants)]
    if entry.pattern is not None:
        start = entry.pattern.removesuffix(".+")
        if start != entry.pattern:  # what is behind the start may be anything
            pool += [f"{start}{each}" for each in pool]
        pool += [re.sub("[0-9]", "7", str(each), count=1) for each in pool]
        shaped = [each for each in pool if re.fullmatch(entry.pattern, str(each))]
        pool = shaped or list(entry.examples) or pool
    value = random.choice(pool)
    return str(value)[:64] if kind in (AttributeType.STRING, AttributeType.VERSION) else value


def _amount(random: Random, entry: CapacitySchema, constants: Constants) -> str:
    if entry.values is not None:
        return random.choice(list(entry.values))
    examples = list((entry.examples or {}).values())
    return str(random.choice([*examples, *_pool("quantity", constants)]))
