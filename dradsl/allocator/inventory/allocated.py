"""What is allocated already: devices taken, shares given out, capacity consumed.

Follows GatherAllocatedState of kubernetes `pkg/scheduler/framework/plugins/dynamicresources`
(allocateddevices.go) and `structured/schedulerapi`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, overload

from dradsl.allocator.inventory.slices import Amount, DeviceId, InventoryError, billionths
from dradsl.values.quantity import Quantity, QuantityError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.fields.typed_dicts import (
        DeviceRequestAllocationResultDict,
        ResourceClaimDict,
    )
    from dradsl.kube.pods.typed_dicts import ResourceListDict

__all__ = ["UNUSED", "AllocatedState", "DeviceShare", "UsedDevice", "PoolUses", "amount_of"]

_T = TypeVar("_T")
_Pool = tuple[str, str]

Consumed = Mapping[str, Amount]


class DeviceShare(NamedTuple):
    """A share of a device that a claim has, and what it consumes (None: nothing is recorded)."""

    driver: str
    pool: str
    device: str
    share: str
    consumed: tuple[tuple[str, Amount], ...] | None

    @classmethod
    def of(cls, result: DeviceRequestAllocationResultDict) -> DeviceShare:
        """The share of a result with a `shareID`."""
        given, share = result.get("consumedCapacity"), str(result.get("shareID") or "")
        amounts = None if given is None else tuple(_amounts(given, f"of share {share}").items())
        driver, pool, device = (result.get(key) or "" for key in ("driver", "pool", "device"))
        return cls(str(driver), str(pool), str(device), share, amounts)


class UsedDevice(NamedTuple):
    """How a device is in use: as a whole, by a share at least, and what is consumed of it."""

    whole: bool
    share: bool
    consumed: tuple[tuple[str, Amount], ...] | None


UNUSED = UsedDevice(False, False, None)
_WHOLE = UsedDevice(True, False, None)


class _History:
    """What is in use in each pool, with what was before: `log` names the pool of each change."""

    def __init__(self, records: Mapping[_Pool, Mapping[str, UsedDevice]]) -> None:
        self.records = {pool: [(0, record)] for pool, record in records.items()}
        self.log: list[_Pool] = []

    def add(self, pool: _Pool, record: Mapping[str, UsedDevice]) -> None:
        self.log.append(pool)
        self.records.setdefault(pool, []).append((len(self.log), record))


class PoolUses(Mapping[_Pool, Mapping[str, UsedDevice]]):
    """The devices in use by driver and pool, as they were at one time.

    Neither taking it nor keeping it copies anything; `changed_since` tells what another one of the
    same state has otherwise.
    """

    __slots__ = ("_history", "_time")

    def __init__(self, history: _History, time: int) -> None:
        self._history = history
        self._time = time

    @overload
    def get(self, key: _Pool, default: None = None, /) -> Mapping[str, UsedDevice] | None: ...

    @overload
    def get(
        self, key: _Pool, default: Mapping[str, UsedDevice] | _T, /
    ) -> Mapping[str, UsedDevice] | _T: ...

    def get(
        self, key: _Pool, default: Mapping[str, UsedDevice] | _T | None = None, /
    ) -> Mapping[str, UsedDevice] | _T | None:
        for time, record in reversed(self._history.records.get(key, ())):
            if time <= self._time:
                return record
        return default

    def __getitem__(self, pool: _Pool) -> Mapping[str, UsedDevice]:
        found = self.get(pool)
        if found is None:
            raise KeyError(pool)
        return found

    def __iter__(self) -> Iterator[_Pool]:
        records = self._history.records.items()
        return (pool for pool, known in records if known[0][0] <= self._time)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def changed_since(self, earlier: PoolUses) -> Collection[_Pool] | None:
        """The pools whose records may differ; None if the other one is not of the same state, or
        not an earlier one."""
        if self._history is not earlier._history or self._time < earlier._time:
            return None
        return set(self._history.log[earlier._time : self._time])


@dataclass(slots=True)
class AllocatedState:
    """Devices in use by name. `holders` says which claim has a device, for explanations.

    `consumed` has an entry, possibly without amounts, for each device whose capacity was charged.
    """

    exclusive: set[DeviceId] = field(default_factory=set)
    shares: dict[DeviceId, set[str]] = field(default_factory=dict)
    consumed: dict[DeviceId, dict[str, Amount]] = field(default_factory=dict)
    holders: dict[DeviceId, list[str]] = field(default_factory=dict)
    _history: _History | None = field(default=None, repr=False, compare=False)

    def copy(self) -> AllocatedState:
        return AllocatedState(
            set(self.exclusive),
            {device: set(ids) for device, ids in self.shares.items()},
            {device: dict(amounts) for device, amounts in self.consumed.items()},
            {device: list(names) for device, names in self.holders.items()},
            None if self._history is None else _History(self.by_pool()),
        )

    def by_pool(self) -> PoolUses:
        """The devices in use now, by driver and pool; it stays as it is when the state changes."""
        if self._history is None:
            names: dict[_Pool, dict[str, UsedDevice]] = {}
            for device in {*self.exclusive, *self.shares, *self.consumed}:
                names.setdefault(device[:2], {})[device.device] = self._use(device)
            self._history = _History(names)
        return PoolUses(self._history, len(self._history.log))

    def _use(self, device: DeviceId) -> UsedDevice:
        consumed = self.consumed.get(device)
        whole, share = device in self.exclusive, device in self.shares
        if consumed is None and whole and not share:
            return _WHOLE
        amounts = None if consumed is None else tuple(sorted(consumed.items()))
        return UsedDevice(whole, share, amounts)

    def _changed(self, device: DeviceId) -> None:
        if self._history is not None:
            pool, use = device[:2], self._use(device)
            records = self._history.records.get(pool)
            known = {} if records is None else records[-1][1]
            others = {name: other for name, other in known.items() if name != device.device}
            # A new record: the old one may be in use.
            self._history.add(pool, others if use == UNUSED else {**others, device.device: use})

    # Upstream: allocatedDevices.removeDevices (plugins/dynamicresources/allocateddevices.go)
    def without(self, devices: Iterable[DeviceId | DeviceShare]) -> AllocatedState:
        """The state once these devices, and shares of devices, are free."""
        changed = self.copy()
        for device in devices:
            if isinstance(device, DeviceShare):
                changed.give_back(device)
            else:
                changed.free(device)
        return changed

    def give_back(self, share: DeviceShare) -> None:
        """Take back one share; the device is free with the last one."""
        device = DeviceId(*share[:3])
        others = self.shares.get(device, set()) - {share.share}
        if not others:
            self.free(device)
            return
        self.shares[device] = others
        for name, amount in share.consumed or ():
            self.consumed[device][name] -= amount
        self._changed(device)

    def free(self, device: DeviceId) -> None:
        """Take back all that is recorded of a device."""
        self.exclusive.discard(device)
        self.shares.pop(device, None)
        self.consumed.pop(device, None)
        self.holders.pop(device, None)
        self._changed(device)

    def take(self, device: DeviceId, holder: str = "") -> None:
        """Record a device as taken as a whole."""
        self.exclusive.add(device)
        self._changed(device)
        self._hold(device, holder)

    def share(
        self, device: DeviceId, share: str, consumed: Consumed | None, holder: str = ""
    ) -> None:
        """Record one share of a device and what it consumes (None: nothing is recorded)."""
        self.shares.setdefault(device, set()).add(share)
        if consumed is not None:
            self.consume(device, consumed)
        self._changed(device)
        self._hold(device, holder)

    def consume(self, device: DeviceId, consumed: Consumed) -> None:
        """Add to the consumed capacity of a device."""
        sums = self.consumed.setdefault(device, {})
        for name, amount in consumed.items():
            sums[name] = sums.get(name, 0) + amount
        self._changed(device)

    def _hold(self, device: DeviceId, holder: str) -> None:
        if holder:
            self.holders.setdefault(device, []).append(holder)

    # Upstream: foreachAllocatedDevice (plugins/dynamicresources/allocateddevices.go)
    # Upstream: allocatedDevices.addDevices (plugins/dynamicresources/allocateddevices.go)
    # Upstream: claimTracker.GatherAllocatedState (plugins/dynamicresources/dra_manager.go)
    # Upstream: claimTracker.ListAllAllocatedDevices (plugins/dynamicresources/dra_manager.go)
    # Upstream: claimTracker.allInFlightAllocationsRLocked (plugins/dynamicresources/dra_manager.go)
    # Upstream: IsDeviceAllocated (structured/allocator.go)
    # Upstream: IsDeviceAllocated (structured/internal/allocatedstate.go)
    def add_claim(self, claim: ResourceClaimDict, consumable: bool) -> tuple[DeviceId, ...]:
        """Record the results in `status.allocation` of a claim; the devices it touched.

        Results with admin access do not count. `consumable` is the gate DRAConsumableCapacity:
        without it every other result takes its device as a whole.

        Raises:
            InventoryError: if an amount is no quantity.
        """
        metadata = claim.get("metadata") or {}
        holder = f"{metadata.get('namespace') or 'default'}/{metadata.get('name', '')}"
        allocation = (claim.get("status") or {}).get("allocation") or {}
        touched = []
        for result in (allocation.get("devices") or {}).get("results") or ():
            if result.get("adminAccess"):
                continue
            device = DeviceId(
                result.get("driver", ""), result.get("pool", ""), result.get("device", "")
            )
            touched.append(device)
            share = result.get("shareID")
            if consumable and share:
                given = result.get("consumedCapacity")
                amounts = None if given is None else _amounts(given, holder)
                self.share(device, share, amounts, holder)
            else:
                self.take(device, holder)
        return tuple(touched)

    @classmethod
    def of_claims(
        cls, claims: Iterable[ResourceClaimDict], *, consumable: bool = True
    ) -> AllocatedState:
        """The state that allocated claims leave; see `add_claim`."""
        state = cls()
        for claim in claims:
            state.add_claim(claim, consumable)
        return state


def amount_of(value: Any, at: str) -> Amount:
    """The exact amount of a quantity in JSON form.

    Raises:
        InventoryError: naming `at`, if it is no quantity.
    """
    try:
        return billionths(Quantity.decode(value))
    except (QuantityError, TypeError) as error:
        raise InventoryError(f"{at}: {error}") from error


def _amounts(given: ResourceListDict, holder: str) -> dict[str, Amount]:
    return {
        name: amount_of(value, f"ResourceClaim {holder}: consumedCapacity[{name}]")
        for name, value in given.items()
    }
