"""What still fits on the devices of a fleet, counted as the allocator takes devices: one claim after the other.

A counter set stands for one physical device: partitions that consume of it are parts of that device.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.allocator.engine.capacity import (
    CapacityCrashError,
    CapacityFaultError,
    Demand,
    demand_of,
)
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.records import Record, dataclass, field

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.slices import Amount, DeviceRecord, Slice, Traits
    from dradsl.simulate.attempts import Simulation

__all__ = [
    "UNLIMITED",
    "DevicePart",
    "Room",
    "amount_of_memory",
    "counters_left",
    "model_of",
    "rooms_of",
]

UNLIMITED = -1
"""Stands for any number of shares: the device limits none of its capacities."""

_MODELS = ("productName", "model", "modelName", "product", "deviceName", "type", "profile")
_PROFILES = ("profile", "partitionProfile", "computePartition", "migProfile")
_EFFECTS = ("NoSchedule", "NoExecute")


class DevicePart(Record):
    """A device as it is published: perhaps a partition, or one that is given out in shares.

    `fits`: whether one more claim can get it. `physical` are the devices that it is a part of. `profile` is empty for a
    device that is neither a partition nor shared.
    """

    identity: DeviceId
    device: DeviceRecord
    entry: Slice
    profile: str
    physical: tuple[Hashable, ...]
    fits: bool


@dataclass(slots=True)
class Room:
    """A pool: its parts, and how many claims for one device of a profile still fit, by model and profile."""

    parts: list[DevicePart] = field(default_factory=list)
    fits: Counter[tuple[str, str]] = field(default_factory=Counter)


class _Pool:
    """A pool, and what is left of its counters."""

    def __init__(self, simulation: Simulation, slices: Sequence[Slice]) -> None:
        self._state, self._variant = simulation.state, simulation.variant
        self._features = simulation.allocator_features
        self.slices = slices
        self.whole = counters_left(slices, ())
        held = self._state.shares if self._variant.shares_hold_counters else ()
        self.left = counters_left(slices, {*self._state.exclusive, *held}) if self.whole else {}

    def claims(
        self, entry: Slice, device: DeviceRecord, left: dict[tuple[str, str], Amount]
    ) -> int:
        """How many more claims that name no capacity get the device; the counters that it needs are taken off `left`."""
        traits, identity = device.traits, DeviceId(entry.driver, entry.pool, device.name)
        tainted = "DeviceTaints" in self._features and any(
            taint.effect in _EFFECTS for taint in traits.taints
        )
        if tainted or identity in self._state.exclusive:
            return 0
        partitions = "PartitionableDevices" in self._features
        if traits.consumes and not partitions:
            return 0
        shared = bool(traits.allow_multiple) and "ConsumableCapacity" in self._features
        number = self._shares(identity, traits) if shared else 1
        begun = identity in self._state.shares
        for _ in range(2):  # the first claim, and whether others follow
            enough = all(amount <= left.get(key, 0) for key, amount in _needs(traits))
            if not enough and not (begun and self._variant.second_share_free):
                return min(number, 1) if begun and identity not in self._state.shares else 0
            if not begun and number:
                _take(left, traits)
                begun = True
        return number

    def _shares(self, identity: DeviceId, traits: Traits) -> int:
        """How many more claims the capacity of a device is enough for, each with the default of the request policy."""
        try:
            demand = demand_of(
                None,
                traits.capacity,
                fractional="FractionalCapacityRange" in self._features,
                strict=self._variant.capacity_is_fatal,
                step_format=self._variant.step_format,
            )
        except (CapacityFaultError, CapacityCrashError):
            return 0
        if not isinstance(demand, Demand):
            return 0
        used = self._state.consumed.get(identity, {})
        numbers = [
            max(0, whole - used.get(name, 0)) // wanted
            for name, wanted, whole in demand.amounts
            if wanted > 0
        ]
        return min(numbers) if numbers else UNLIMITED

    def profile(self, device: DeviceRecord) -> str:
        """What a claim gets of a physical device by getting this one."""
        own = {name.rpartition("/")[2]: value for name, (_, value) in device.attributes.items()}
        needs = list(_needs(device.traits))
        if not needs:
            return "default share" if device.traits.allow_multiple else ""
        if named := _first(own, _PROFILES):
            return named
        taken = dict(needs)
        sets = {key[0] for key in taken}
        if all(taken.get(key) == amount for key, amount in self.whole.items() if key[0] in sets):
            return "whole"
        return amount_of_memory(device) or "partition"


def model_of(device: DeviceRecord, *, with_profile: bool = False) -> str:
    """What kind of device it is, as far as attributes with usual names tell; with the profile of a partition."""
    own = {name.rpartition("/")[2]: value for name, (_, value) in device.attributes.items()}
    told = [_first(own, names) for names in (_MODELS, _PROFILES if with_profile else ())]
    return " ".join(dict.fromkeys(filter(None, told)))


def _first(own: Mapping[str, object], names: Iterable[str]) -> str:
    """The first of these attributes that is a string."""
    return next((one for name in names if isinstance(one := own.get(name), str)), "")


def counters_left(
    slices: Iterable[Slice], taken: Container[DeviceId]
) -> dict[tuple[str, str], Amount]:
    """What devices that are `taken` leave of the counters of a pool, by counter set and counter."""
    left: dict[tuple[str, str], Amount] = {}
    for entry in slices:
        for counters in entry.counters:
            left |= {(counters.name, name): amount for name, amount in counters.counters}
    if not left:
        return left
    for entry in slices:
        for device in entry.devices:
            if DeviceId(entry.driver, entry.pool, device.name) in taken:
                _take(left, device.traits)
    return left


def _needs(traits: Traits) -> Iterator[tuple[tuple[str, str], Amount]]:
    """What a device takes of counters."""
    for one in traits.consumes:
        for name, amount in one.counters:
            yield (one.counter_set, name), amount


def _take(left: dict[tuple[str, str], Amount], traits: Traits) -> None:
    for key, amount in _needs(traits):
        left[key] = left.get(key, 0) - amount


def amount_of_memory(device: DeviceRecord) -> str:
    """The capacity for memory as published; empty if there is none."""
    for name, capacity in device.traits.capacity.items():
        if name.rpartition("/")[2] == "memory":
            return str(capacity.get("value") or "")
    return ""


def rooms_of(simulation: Simulation) -> Iterator[Room]:
    """The complete pools of a simulation, with what still fits of them."""
    for slices in simulation.cluster.inventory.pools.values():
        newest = max(entry.generation for entry in slices)
        current = [entry for entry in slices if entry.generation == newest]
        if len(current) >= max(entry.count for entry in current):
            yield _room(_Pool(simulation, current))


def _room(pool: _Pool) -> Room:
    room = Room()
    left_by_profile: dict[tuple[str, str], dict[tuple[str, str], Amount]] = {}
    models: dict[Hashable, str] = {}  # a partition may tell its profile and nothing else
    for entry in pool.slices:
        for device in entry.devices:
            identity = DeviceId(entry.driver, entry.pool, device.name)
            sets = dict.fromkeys(one.counter_set for one in device.traits.consumes)
            scope = entry.pool_id
            physical: tuple[Hashable, ...] = tuple((scope, name) for name in sets) or (identity,)
            profile = pool.profile(device)
            fits = pool.claims(entry, device, dict(pool.left) if pool.left else {})
            room.parts.append(DevicePart(identity, device, entry, profile, physical, bool(fits)))
            if not profile:
                continue
            key = models.setdefault(physical[0], model_of(device) or entry.driver), profile
            left = left_by_profile.setdefault(key, dict(pool.left))
            more = pool.claims(entry, device, left) if fits else 0
            endless = UNLIMITED in (more, room.fits[key])
            room.fits[key] = UNLIMITED if endless else room.fits[key] + more
    return room
