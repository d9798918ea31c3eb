"""Devices of recorded ResourceSlices, in any API version, as plain typed values.

Takes whole lists, single slices, and what documentation shows of them (a list of devices alone).
What cannot be read is counted, not guessed.
"""

from __future__ import annotations

from dradsl.drivers.schema.model import AttributeType
from dradsl.records import dataclass
from dradsl.values.plain import list_at, mapping_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = ["RecordedDevice", "recorded_devices"]

_TYPES = {kind.value: kind for kind in AttributeType}


@dataclass(frozen=True, slots=True)
class RecordedDevice:
    """A device as published: names are qualified with their domain."""

    driver: str
    pool: str | None
    name: str
    attributes: Mapping[str, tuple[AttributeType, Any]]
    capacities: Mapping[str, str]
    counters: tuple[str, ...]
    """Names of the counters that it consumes."""
    allows_multiple_allocations: bool
    qualified_capacities: tuple[str, ...]
    """The keys of its capacities as the slice spells them."""


def recorded_devices(objects: object, driver: str | None = None) -> Iterator[RecordedDevice]:
    """The devices in `objects`: a ResourceSlice, a List, a list of devices or of any of these.

    `driver` is in where a fragment does not say it; devices without one are left out.
    """
    if isinstance(objects, list):
        for each in objects:
            yield from recorded_devices(each, driver)
        return
    if not isinstance(objects, dict):
        return
    if isinstance(objects.get("items"), list):
        yield from recorded_devices(objects["items"], driver)
        return
    spec = objects.get("spec")
    if isinstance(spec, dict):
        named = spec.get("driver")
        pool = spec.get("pool")
        owner = named if isinstance(named, str) else driver
        name = member(pool, "name")
        for device in list_at(spec, "devices"):
            yield from _device(device, owner, str(name) if name is not None else None)
    elif isinstance(objects.get("devices"), list):
        for device in objects["devices"]:
            yield from _device(device, driver, None)
    elif "attributes" in objects or "basic" in objects:
        yield from _device(objects, driver, None)


def _device(device: object, driver: str | None, pool: str | None) -> Iterator[RecordedDevice]:
    if not isinstance(device, dict) or driver is None:
        return
    body = device.get("basic") if isinstance(device.get("basic"), dict) else device
    if not isinstance(body, dict):
        return
    capacity = mapping_at(body, "capacity")
    yield RecordedDevice(
        driver=driver,
        pool=pool,
        name=str(device.get("name", "")),
        attributes=dict(_attributes(body.get("attributes"), driver)),
        capacities=dict(_capacities(capacity, driver)),
        counters=tuple(_counters(body.get("consumesCounters"))),
        allows_multiple_allocations=body.get("allowMultipleAllocations") is True,
        qualified_capacities=tuple(str(key) for key in capacity or {}),
    )


def _attributes(plain: object, driver: str) -> Iterator[tuple[str, tuple[AttributeType, Any]]]:
    for key, value in mapping_at(plain).items():
        if not isinstance(value, dict):
            continue
        for kind, content in value.items():
            if kind in _TYPES and _has_type(content, _TYPES[kind]):
                yield _qualified(str(key), driver), (_TYPES[kind], content)


def _has_type(value: object, kind: AttributeType) -> bool:
    """Whether a recorded value can be one; others are of a broken recording and say nothing."""
    if kind.is_list:
        of_item = AttributeType(kind.value.removesuffix("s"))
        return isinstance(value, list) and all(_has_type(item, of_item) for item in value)
    wanted = {"int": int, "bool": bool}.get(kind.value, str)
    return type(value) is wanted


def _capacities(plain: object, driver: str) -> Iterator[tuple[str, str]]:
    for key, value in mapping_at(plain).items():
        amount = value.get("value") if isinstance(value, dict) else value
        if isinstance(amount, str | int | float):
            yield _qualified(str(key), driver), str(amount)


def _counters(plain: object) -> Iterator[str]:
    names: dict[str, None] = {}
    for consumed in list_at(plain):
        counters = member(consumed, "counters")
        names.update(dict.fromkeys(counters if isinstance(counters, dict) else ()))
    yield from (str(name) for name in names)


def _qualified(key: str, driver: str) -> str:
    return key if "/" in key else f"{driver}/{key}"
