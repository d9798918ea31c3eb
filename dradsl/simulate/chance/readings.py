"""What selectors may see of devices that publish one name twice, with and without the driver's domain.

CEL has one place for both, which upstream fills in the order of a Go map: the last one stays, and
which one that is differs each time. Follows DeviceMatches of dynamic-resource-allocation
cel/compile.go, 1.34 to 1.37. Our own view takes the names in the order in which they are published.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from dradsl.allocator.inventory.slices import DeviceRecord, Inventory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dradsl.allocator.inventory.slices import Slice, Traits

    T = TypeVar("T")

__all__ = ["doubled_names", "may_read", "readings"]

_TURNS = 3
"""Of so many devices of a slice that follow each other each combination is tried; from there on
they do as those before."""


def doubled_names(inventory: Inventory) -> frozenset[str]:
    """The names, with domain, that some device publishes twice with different values; capacities
    as "capacity/…"."""
    drivers = {entry.driver for entry in inventory.slices}
    candidates = {
        f"{driver}/{name}"
        for name in inventory.attribute_names
        if "/" not in name
        for driver in drivers
        if f"{driver}/{name}" in inventory.attribute_names
    }
    found: set[str] = set()
    looked_at: set[tuple[str, Traits]] = set()
    for entry, device in inventory.devices():
        if candidates:
            found.update(_doubled(device.attributes, entry.driver))
        key = entry.driver, device.traits  # which most devices share
        if key not in looked_at:
            looked_at.add(key)
            doubled = _doubled(device.traits.capacity, entry.driver)
            found.update(f"capacity/{name}" for name in doubled)
    return frozenset(found)


def may_read(reads: Collection[str] | None, names: Collection[str]) -> list[str]:
    """Those of the doubled names that selectors which read this may depend on."""
    return sorted(
        name.removeprefix("capacity/")
        for name in names
        # What is read of capacity is not told.
        if reads is None
        or name.startswith("capacity/")
        or name in reads
        or f"{name.partition('/')[0]}/*" in reads
    )


def readings(inventory: Inventory) -> Iterator[Inventory]:
    """The inventory with the doubled names in other orders, each of which decides what is seen."""
    for pattern in range(2**_TURNS):
        slices = [_arranged(entry, pattern) for entry in inventory.slices]
        yield Inventory(slices, inventory.nodes)


def _doubled(published: Mapping[str, T], driver: str) -> list[str]:
    domain = f"{driver}/"
    return [
        name
        for name, value in published.items()
        if name.startswith(domain)
        and (short := name.removeprefix(domain)) in published
        and published[short] != value
    ]


def _arranged(entry: Slice, pattern: int) -> Slice:
    devices, turn, known = [], 0, dict[tuple["Traits", bool], "Traits"]()
    for device in entry.devices:
        attributes, traits = device.attributes, device.traits
        names = _doubled(attributes, entry.driver)
        capacities = _doubled(traits.capacity, entry.driver)
        if names or capacities:
            bare = bool(pattern >> turn % _TURNS & 1)
            turn += 1
            key = traits, bare
            if capacities and key not in known:
                capacity = _ordered(traits.capacity, capacities, entry.driver, bare=bare)
                known[key] = replace(traits, capacity=capacity)
            attributes = _ordered(attributes, names, entry.driver, bare=bare)
            # Devices with one order of names are not like those with another one.
            traits = known.get(key, traits)
            device = DeviceRecord(device.name, attributes, traits, odd=True)
        devices.append(device)
    return replace(entry, devices=tuple(devices)) if turn else entry


def _ordered(
    published: Mapping[str, T], names: Collection[str], driver: str, *, bare: bool
) -> dict[str, T]:
    """The same, where of each doubled name the one without domain comes last (`bare`) or first."""
    shorts = [name.removeprefix(f"{driver}/") for name in names]
    last = shorts if bare else [*names]
    rest = {name: value for name, value in published.items() if name not in last}
    return rest | {name: published[name] for name in last}
