"""Do recorded devices agree with a driver's schema? What is unknown, of another type, or missing."""

from __future__ import annotations

import re

from dradsl.drivers.schema.model import AttributeSchema, Presence
from dradsl.drivers.schema.shapes import Shape, shapes_of
from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Literal, TypeAlias

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import CapacitySchema, DriverSchema
    from dradsl.drivers.schema.recorded import RecordedDevice

__all__ = ["Conformance", "Mismatch", "best_shape", "conform", "conform_all", "fitting_versions"]

Reason: TypeAlias = "Literal['unknown', 'version', 'type', 'value', 'missing', 'list-form']"


class Mismatch(Record):
    """A name of a device that the schema does not explain.

    `reason`: the schema does not know it; knows it for other versions only; has another type or
    other values; or the device lacks what every device of its type has.
    """

    reason: Reason
    kind: Literal["attribute", "capacity"]
    name: str
    detail: str


class Conformance(Record):
    """A device, the device type that explains it best, and what remains unexplained."""

    device: RecordedDevice
    schema: DriverSchema | None
    device_type: str | None
    mismatches: tuple[Mismatch, ...]


def conform_all(devices: Iterable[RecordedDevice], catalogue: Catalogue) -> Iterator[Conformance]:
    """Each device against the schema of its driver."""
    for device in devices:
        schema = catalogue.get(device.driver)
        if schema is None:
            yield Conformance(device, None, None, ())
            continue
        shapes = shapes_of(schema, catalogue)
        yield conform(device, schema, shapes)


def conform(device: RecordedDevice, schema: DriverSchema, shapes: tuple[Shape, ...]) -> Conformance:
    """The device against the shape that explains it best."""
    shape = best_shape(device, shapes)
    if shape is None or shape.device_type is None:
        return Conformance(device, schema, None, ())
    return Conformance(device, schema, shape.device_type.name, tuple(_mismatches(device, shape)))


def fitting_versions(devices: Sequence[RecordedDevice], schema: DriverSchema) -> tuple[str, ...]:
    """The driver versions that leave least unexplained: from one of them the recording comes."""
    faults: dict[str, int] = {}
    for version in schema.version_order:
        shapes = tuple(Shape(schema, kind, (version,)) for kind in schema.device_types)
        shapes = tuple(
            each for each in shapes if each.device_type and each.exists(each.device_type.lifetime)
        )
        if shapes:
            faults[version] = sum(len(conform(each, schema, shapes).mismatches) for each in devices)
    least = min(faults.values(), default=0)
    return tuple(version for version, count in faults.items() if count == least)


def best_shape(device: RecordedDevice, shapes: tuple[Shape, ...]) -> Shape | None:
    """The device type that a device most likely is: fewest contradictions, then fewest unknowns."""
    return min(shapes, key=lambda shape: _mismatch_score(device, shape), default=None)


def _mismatch_score(device: RecordedDevice, shape: Shape) -> tuple[int, int]:
    found = list(_mismatches(device, shape))
    wrong = sum(1 for each in found if each.reason in ("value", "type", "unknown"))
    return wrong, len(found)


def _mismatches(device: RecordedDevice, shape: Shape) -> Iterator[Mismatch]:
    driver = shape.driver
    for key, (kind, value) in device.attributes.items():
        domain, _, name = key.partition("/")
        entry = shape.entry(("attributes", domain, name))
        if isinstance(entry, AttributeSchema):
            yield from _value(key, entry, kind.value, value)
        elif shape.entry_of_any_version(("attributes", domain, name)) is not None:
            yield Mismatch("version", "attribute", key, "published by other versions only")
        elif driver is not None and not driver.is_open(domain):
            yield Mismatch("unknown", "attribute", key, "not in the schema")
    for key in device.capacities:
        domain, _, name = key.partition("/")
        if shape.entry(("capacity", domain, name)) is None:
            known = shape.entry_of_any_version(("capacity", domain, name)) is not None
            detail = "published by other versions only" if known else "not in the schema"
            yield Mismatch("version" if known else "unknown", "capacity", key, detail)
    yield from _missing(device, shape)


def _value(key: str, entry: AttributeSchema, kind: str, value: Any) -> Iterator[Mismatch]:
    if kind not in (each.value for each in entry.types):
        detail = f"is {kind}, the schema says {' or '.join(e.value for e in entry.types)}"
        yield Mismatch("type", "attribute", key, detail)
    elif entry.values is not None and value not in entry.values:
        yield Mismatch("value", "attribute", key, f"has {value!r}, which is not one of its values")
    elif (
        entry.pattern is not None
        and isinstance(value, str)
        and not re.fullmatch(entry.pattern, value)
    ):
        detail = f"has {value!r}, which does not match {entry.pattern}"
        yield Mismatch("value", "attribute", key, detail)


def _missing(device: RecordedDevice, shape: Shape) -> Iterator[Mismatch]:
    if shape.device_type is None:
        return
    for key, attribute in shape.device_type.attributes.items():
        if _always(attribute, shape) and key not in device.attributes:
            yield Mismatch(
                "missing", "attribute", key, "missing; the schema says that every device has it"
            )
    for key, capacity in shape.device_type.capacities.items():
        if _always(capacity, shape) and key not in device.capacities:
            yield Mismatch(
                "missing", "capacity", key, "missing; the schema says that every device has it"
            )


def _always(entry: AttributeSchema | CapacitySchema, shape: Shape) -> bool:
    """Whether every version that the shape stands for publishes it on every device."""
    if entry.presence is not Presence.ALWAYS or "<N>" in entry.name or shape.driver is None:
        return False
    return all(shape.driver.exists(entry.lifetime, each) for each in shape.versions)
