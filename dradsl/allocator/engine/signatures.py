"""A device reduced to what decides the search, its name and place left out.

Devices that are alike share one signature. It is looked up by the few attributes that the claims
read; what the claims' selectors, tolerations and capacity requests make of the device is worked out
once for each distinct signature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.capacity import (
    CapacityCrashError,
    CapacityFaultError,
    CapacityRejection,
    Demand,
    demand_of,
)
from dradsl.allocator.engine.eligibility import Eligibility, Fault, Projection
from dradsl.allocator.engine.plan import ALL
from dradsl.allocator.inventory.allocated import UNUSED, UsedDevice
from dradsl.allocator.inventory.nodes import Node, SelectorError
from dradsl.allocator.inventory.slices import Amount, DeviceRecord, Slice, Traits
from dradsl.allocator.inventory.taints import blocking_taint

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from dradsl.allocator.engine.layout import SliceRow
    from dradsl.allocator.engine.plan import ClaimsPlan, RequestData
    from dradsl.allocator.inventory.pools import PoolGatherer
    from dradsl.allocator.switches import AllocatorFeatures
    from dradsl.releases.scheduling import AllocatorVariant

__all__ = ["CounterName", "DeviceSignature", "RequestMatch", "SignatureMaker"]

_NOTHING_USED: Mapping[str, UsedDevice] = {}

CounterName = tuple[str, str]
"""Counter set and counter."""

CapacityLeft = tuple[tuple[str, Amount, Amount], ...] | Fault | bool | None


@dataclass(frozen=True, slots=True, eq=False)
class RequestMatch:
    """A device as one request sees it.

    `capacity` holds per capacity the amount wanted and the amount left; None while the feature is off,
    False if the device can never or not any more meet the request.
    """

    eligible: bool | Fault
    tainted: bool
    capacity: CapacityLeft
    fits_empty: bool | Fault
    consumed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class DeviceSignature:
    """What the search needs to know of a device.

    Signatures with the same `number` are equal. `in_use` is by claims of other pods and as a whole;
    `shared` that a share of it is given out and counts against counters no more. `blocked` devices
    use something that is switched off. One with a `fault` is no device: reaching it ends the
    search. The search passes over `idle` ones whatever it does.
    """

    number: int
    in_use: bool
    allow_multiple_allocations: bool
    shared: bool
    blocked: bool
    consumes_counters: tuple[tuple[CounterName, Amount], ...]
    matches: tuple[RequestMatch, ...]
    groups: tuple[tuple[str, frozenset[str]], ...] = ()
    fault: Fault | None = None
    idle: bool = False


class SignatureMaker:
    """Makes the signatures for one plan and one state of allocations: `uses` by driver and pool."""

    def __init__(
        self,
        plan: ClaimsPlan,
        eligibility: Eligibility,
        gatherer: PoolGatherer,
        uses: Mapping[tuple[str, str], Mapping[str, UsedDevice]],
        variant: AllocatorVariant,
        features: AllocatorFeatures,
    ) -> None:
        self._plan = plan
        self._eligibility = eligibility
        self._gatherer = gatherer
        self._variant = variant
        self._features = features
        self._capacity = "ConsumableCapacity" in features
        self._partitions = "PartitionableDevices" in features
        self._uses = uses
        # All mode counts devices in use, and admin access has them.
        self._takes_used = any(
            request_data.mode == ALL or request_data.admin for request_data in plan.all_requests
        )
        self._plain: dict[str, tuple[Projection, dict[Any, DeviceSignature]]] = {}
        self._special: dict[Any, DeviceSignature] = {}
        self._made: dict[Any, DeviceSignature] = {}
        self._numbers: dict[Any, int] = {}
        self._demands: dict[tuple[int, Traits], Demand | CapacityRejection | Fault] = {}

    def row(self, node: Node, run: SliceRow, *, by_kind: bool) -> list[DeviceSignature]:
        """The signatures of devices of a slice that reaches the node.

        `by_kind`: devices of one kind differ in nothing that the plan reads.
        """
        entry = run.entry
        if run.fault is not None:
            number = self._numbers.setdefault(run.fault, len(self._numbers))
            return [DeviceSignature(number, False, False, False, False, (), (), fault=run.fault)]
        if entry.per_device or entry.skip_node_operations:
            return [self._special_signature(node, entry, device) for device in entry.devices]
        used = self._uses.get((entry.driver, entry.pool), _NOTHING_USED)
        projection, known = self._of_driver(entry.driver)
        kinds: Sequence[Hashable] | None = run.kinds if by_kind else None
        if kinds is None:
            kinds = [projection.of(device) for device in entry.devices]
        signatures = []
        for kind, device in zip(kinds, entry.devices, strict=True):
            name = device.name
            signature = known.get((kind, used[name]) if name in used else kind)
            if signature is None:
                use, read = used.get(name, UNUSED), projection.of(device)
                signature = self._make(entry.driver, device, read, True, use, False)
                known[(kind, use) if name in used else kind] = signature
            signatures.append(signature)
        return signatures

    def _special_signature(self, node: Node, entry: Slice, device: DeviceRecord) -> DeviceSignature:
        """The signature of a device for which more counts than what it is."""
        reaches: bool | Fault = True
        if entry.per_device:
            try:
                reaches = self._gatherer.device_reaches(entry, device, node)
            except SelectorError as error:
                reaches = Fault(str(error))
        use = self._uses.get((entry.driver, entry.pool), {}).get(device.name, UNUSED)
        unready = bool(entry.skip_node_operations) and self._lacks_operations(node)
        kind = self._of_driver(entry.driver)[0].of(device)
        key = (entry.driver, kind, reaches, use, unready)
        signature = self._special.get(key)
        if signature is None:
            signature = self._make(entry.driver, device, kind, reaches, use, unready)
            self._special[key] = signature
        return signature

    def _of_driver(self, driver: str) -> tuple[Projection, dict[Any, DeviceSignature]]:
        found = self._plain.get(driver)
        if found is None:
            published = self._gatherer.inventory.attribute_names
            projection = Projection(self._eligibility.reads, driver, published)
            found = self._plain[driver] = projection, {}
        return found

    def _lacks_operations(self, node: Node) -> bool:
        return self._variant.knows_operations and (
            "OptionalNodeOperations" not in self._features
            or "DRAOptionalNodeOperations" not in node.declared_features
        )

    # Upstream: allocator.isSelectable (structured/internal/*/allocator_*.go)
    def _make(
        self,
        driver: str,
        device: DeviceRecord,
        kind: Any,
        reaches: bool | Fault,
        use: UsedDevice,
        unready: bool,
    ) -> DeviceSignature:
        """The signature; where devices differ only in what selectors read, it is that of their answers."""
        eligible = tuple(
            self._is_eligible(request_data, driver, device, kind, reaches)
            for request_data in self._plan.all_requests
        )
        key = (device.traits, use, unready, eligible)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._new(device.traits, use, unready, eligible)
        return found

    def _new(
        self, traits: Traits, use: UsedDevice, unready: bool, eligible: tuple[bool | Fault, ...]
    ) -> DeviceSignature:
        consumed = use.consumed if self._capacity else None
        share = self._capacity and use.share
        matches = tuple(
            self._view(request_data, traits, each, consumed)
            for request_data, each in zip(self._plan.all_requests, eligible, strict=True)
        )
        consumes = tuple(
            ((part.counter_set, name), amount)
            for part in traits.consumes
            for name, amount in part.counters
        )
        return DeviceSignature(
            number=self._number(
                use.whole, share or consumed is not None, unready, traits, matches, consumes
            ),
            in_use=use.whole,
            allow_multiple_allocations=self._capacity and bool(traits.allow_multiple),
            shared=consumed is not None or (share and self._variant.share_is_in_use),
            blocked=unready or (bool(traits.consumes) and not self._partitions),
            consumes_counters=consumes,
            matches=matches,
            groups=tuple((part.counter_set, part.compatibility_groups) for part in traits.consumes)
            if "CompatibilityGroups" in self._features
            else (),
            idle=(use.whole and not self._takes_used)
            or all(map(self._passes_over, self._plan.all_requests, matches)),
        )

    def _passes_over(self, request_data: RequestData, view: RequestMatch) -> bool:
        """Whether the search for a request goes on at such a device, and nothing else happens."""
        if view.eligible is True:
            return view.capacity is False and request_data.mode != ALL
        return view.eligible is False

    def _number(
        self,
        in_use: bool,
        shared: bool,
        unready: bool,
        traits: Traits,
        matches: tuple[RequestMatch, ...],
        uses: tuple[Any, ...],
    ) -> int:
        """A number that equal signatures have in common, however unlike the devices are otherwise."""
        identity = (
            in_use,
            shared,
            unready,
            traits.allow_multiple,
            bool(traits.consumes),
            tuple((use.counter_set, use.compatibility_groups) for use in traits.consumes),
            uses,
            tuple(
                (view.eligible, view.tainted, view.capacity, view.fits_empty, view.consumed)
                for view in matches
            ),
        )
        return self._numbers.setdefault(identity, len(self._numbers))

    # Upstream: allocator.deviceInUse, allocator.deviceCapacityInUse (structured/internal/*/allocator_*.go)
    # Upstream: allocator.allocatingDeviceForAnyClaim (structured/internal/*/allocator_*.go)
    # Upstream: allocator.allocatingDeviceForClaim (structured/internal/*/allocator_*.go)
    def _is_eligible(
        self,
        request_data: RequestData,
        driver: str,
        device: DeviceRecord,
        kind: Any,
        reaches: bool | Fault,
    ) -> bool | Fault:
        if device.traits.binding_conditions and "DeviceBindingAndStatus" not in self._features:
            return False
        eligible = self._eligibility.of(request_data, driver, device, kind)
        return reaches if eligible is True else eligible

    def _view(
        self,
        request_data: RequestData,
        traits: Traits,
        eligible: bool | Fault,
        consumed: Sequence[tuple[str, Amount]] | None,
    ) -> RequestMatch:
        taint = (
            blocking_taint(
                traits.taints, request_data.tolerations, self._variant.every_taint_blocks
            )
            if "DeviceTaints" in self._features
            else None
        )
        room, fits_empty, texts = self._room(request_data, traits, dict(consumed or ()))
        return RequestMatch(eligible, taint is not None, room, fits_empty, texts)

    # Upstream: allocator.CmpRequestOverCapacity (structured/internal/*/allocator_*.go)
    def _room(
        self, request_data: RequestData, traits: Traits, used: Mapping[str, Amount]
    ) -> tuple[CapacityLeft, bool | Fault, tuple[tuple[str, str], ...]]:
        if not self._capacity:
            return None, True, ()
        demand = self.demand(request_data, traits)
        if isinstance(demand, Fault):
            return demand, demand, ()
        if isinstance(demand, CapacityRejection):
            return False, False, ()
        room = tuple(
            (name, wanted, whole - used.get(name, 0)) for name, wanted, whole in demand.amounts
        )
        fits = all(wanted <= left for _, wanted, left in room)
        texts = demand.consumed if traits.allow_multiple else ()
        return (room if fits else False), demand.fits_empty, texts

    def demand(
        self, request_data: RequestData, traits: Traits
    ) -> Demand | CapacityRejection | Fault:
        """What the request takes of the device by its request policies."""
        key = (request_data.index, traits)
        found = self._demands.get(key)
        if found is None:
            try:
                found = demand_of(
                    request_data.capacity,
                    traits.capacity,
                    fractional="FractionalCapacityRange" in self._features,
                    strict=self._variant.capacity_is_fatal,
                    step_format=self._variant.step_format,
                )
            except CapacityFaultError as error:
                label = self._plan.claims[request_data.claim].label
                before = (
                    f"claim {label}, request {request_data.name}: checking capacity for device "
                )
                found = Fault(before, f": {error}")
            except CapacityCrashError as error:
                found = Fault(f"the scheduler crashes: {error}", crash=True)
            self._demands[key] = found
        return found
