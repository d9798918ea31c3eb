"""Recorded slices as schema: what this cluster's devices really have goes before what drivers may do.

A name that every recorded device of a type has counts as always there; one that some lack must be
guarded, whatever the driver's schema says; names that only the slices show are added. Device types
of which the inventory has none are left as they are.
"""

from __future__ import annotations

from collections import defaultdict
from types import MappingProxyType

from dradsl.drivers.schema.conform import best_shape, conform_all
from dradsl.drivers.schema.infer import infer
from dradsl.drivers.schema.model import (
    AttributeSchema,
    CapacitySchema,
    Lifetime,
    Presence,
    Products,
)
from dradsl.drivers.schema.recorded import recorded_devices
from dradsl.drivers.schema.shapes import shapes_of
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeVar

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DeviceTypeSchema, DriverSchema
    from dradsl.drivers.schema.recorded import RecordedDevice

__all__ = ["opened", "sharpened"]


def sharpened(catalogue: Catalogue, devices: Iterable[RecordedDevice]) -> Catalogue:
    """A catalogue in which the schemas of the recorded drivers say what `devices` show."""
    by_driver: dict[str, list[RecordedDevice]] = defaultdict(list)
    for device in devices:
        by_driver[device.driver].append(device)
    schemas = []
    for driver, recorded in by_driver.items():
        known = catalogue.get(driver)
        if known is None:
            schemas.append(infer(driver, recorded))
        else:
            schemas.append(_sharpened(known, recorded, catalogue))
    return catalogue.with_schemas(schemas)


def opened(catalogue: Catalogue, slices: object) -> Catalogue:
    """A catalogue that does not know all names of a driver that is of another build, as a fork is.

    Its slices show names that the schema does not have.
    """
    opened: dict[str, DriverSchema] = {}
    for each in conform_all(recorded_devices(slices), catalogue):
        for mismatch in each.mismatches:
            schema = opened.get(each.device.driver, each.schema)
            if mismatch.reason == "unknown" and schema is not None:
                domain = mismatch.name.partition("/")[0] if "/" in mismatch.name else schema.name
                domains = tuple(dict.fromkeys((*schema.open_domains, domain)))
                opened[schema.name] = replace(schema, open_domains=domains)
    return catalogue.with_schemas(opened.values(), settled=False)


def _sharpened(
    schema: DriverSchema, devices: Sequence[RecordedDevice], catalogue: Catalogue
) -> DriverSchema:
    shapes = shapes_of(schema, catalogue)
    of_type: dict[str, list[RecordedDevice]] = defaultdict(list)
    for device in devices:
        shape = best_shape(device, shapes)
        if shape is not None:
            of_type[shape.label].append(device)
    seen = infer(schema.name, devices)
    shown = {
        key: attribute for kind in seen.device_types for key, attribute in kind.attributes.items()
    }
    kinds = tuple(
        _device_type(kind, of_type[kind.name], shown) if of_type.get(kind.name) else kind
        for kind in schema.device_types
    )
    return replace(schema, device_types=kinds)


def _device_type(
    kind: DeviceTypeSchema, devices: Sequence[RecordedDevice], shown: Mapping[str, AttributeSchema]
) -> DeviceTypeSchema:
    attributes = dict(kind.attributes)
    for key in dict.fromkeys(key for device in devices for key in device.attributes):
        domain, _, name = key.partition("/")
        known = kind.attribute(domain, name) or shown.get(key)
        if known is None:  # a name that the server rejects
            continue
        seen = [each.attributes[key][1] for each in devices if key in each.attributes]
        attributes[key] = replace(
            known,
            name=name,
            lifetime=Lifetime(),
            values=_extended(known.values, seen),
            products=_recorded_first(known.products, seen),
        )
    capacities = dict(kind.capacities)
    for key in dict.fromkeys(key for device in devices for key in device.capacities):
        domain, _, name = key.partition("/")
        capacity = kind.capacity(domain, name) or CapacitySchema(domain, name)
        amounts = [each.capacities[key] for each in devices if key in each.capacities]
        capacities[key] = replace(
            capacity, name=name, lifetime=Lifetime(), values=_extended(capacity.values, amounts)
        )
    counted = [set(device.attributes) for device in devices]
    measured = [set(device.capacities) for device in devices]
    return replace(
        kind,
        attributes=MappingProxyType(
            {k: _presence(each, k, counted) for k, each in attributes.items()}
        ),
        capacities=MappingProxyType(
            {k: _presence(each, k, measured) for k, each in capacities.items()}
        ),
    )


def _recorded_first(products: Products | None, seen: Iterable[object]) -> Products | None:
    """The products of the cluster before the others; none of them is rare."""
    if products is None:
        return None
    recorded = dict.fromkeys(each for each in seen if isinstance(each, str))
    rare = {name: why for name, why in products.rare.items() if name not in recorded}
    names = tuple(dict.fromkeys((*recorded, *products.names)))
    return replace(products, names=names, rare=MappingProxyType(rare))


if TYPE_CHECKING:
    _Value = TypeVar("_Value")


def _extended(
    values: tuple[_Value, ...] | None, seen: Iterable[_Value]
) -> tuple[_Value, ...] | None:
    """A closed list with what was recorded beside it: the driver may be newer than the schema."""
    return None if values is None else tuple(dict.fromkeys((*values, *seen)))


if TYPE_CHECKING:
    _Entry = TypeVar("_Entry", AttributeSchema, CapacitySchema)


def _presence(entry: _Entry, key: str, devices: Sequence[set[str]]) -> _Entry:
    having = sum(1 for names in devices if key in names)
    total = len(devices)
    if having == total:
        return replace(entry, presence=Presence.ALWAYS)
    if having == 0 and entry.presence is Presence.SOMETIMES:
        return entry
    note = f"{total - having} of {total} recorded devices lack it"
    return replace(entry, presence=Presence.SOMETIMES, always_before=None, note=note, gate=None)
