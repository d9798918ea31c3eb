"""What a search has taken so far: devices, values of constraints, counters, amounts of capacity.

Follows allocateDevice of `structured/internal/*/allocator_*.go`. All that is taken can be given
back; where a release forgets to, so does the ledger, and it says so, because then a state does not
tell all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dradsl.allocator.engine.constraints import ConstraintState, make_constraint
from dradsl.allocator.engine.eligibility import Fault
from dradsl.allocator.inventory.pools import DisputedPool
from dradsl.releases.scheduling import AllocatorVariant, DistinctComparison

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence

    from dradsl.allocator.engine.constraints import Value
    from dradsl.allocator.engine.plan import ClaimsPlan, RequestData
    from dradsl.allocator.engine.problem import Counters, SearchProblem
    from dradsl.allocator.engine.signatures import CapacityLeft, DeviceSignature
    from dradsl.allocator.inventory.slices import Amount
    from dradsl.allocator.switches import AllocatorFeatures

__all__ = ["Chosen", "DeviceRollbackState", "Ledger"]


class Chosen(NamedTuple):
    """A device at `position`, taken for the request with index `request_data`."""

    request_data: int
    position: int


@dataclass(slots=True)
class DeviceRollbackState:
    """What `allocate_device` changed, so that `rollback_device` can undo it."""

    request_data: RequestData
    position: int
    counters_reserved: bool = False
    constraints_added: int = 0
    device_marked: bool = False
    consumed_capacity: tuple[tuple[str, Amount], ...] | None = None
    capacity_entry_existed: bool = False
    groups: dict[str, tuple[frozenset[str], ...]] | None = None


class Ledger:
    """What one search has allocated so far, and what is left.

    `chosen` are the devices taken per claim; `allocating_devices` has a bit per claim for each position whose
    device is taken as a whole. `fault` is what ends the search, with its position if it has one.
    """

    def __init__(
        self,
        plan: ClaimsPlan,
        problem: SearchProblem,
        variant: AllocatorVariant,
        features: AllocatorFeatures,
        counters_so_far: MutableMapping[DisputedPool, Any],
    ) -> None:
        self.chosen: list[list[Chosen]] = [[] for _ in plan.claims]
        self.allocating_devices = [0] * len(problem.signatures)
        self.fault: tuple[Fault, int | None] | None = None
        self._plan = plan
        self._problem = problem
        self._signatures = problem.signatures
        self._variant = variant
        self._lists = "ListTypeAttributes" in features
        self._capacity = "ConsumableCapacity" in features
        self._partitions = "PartitionableDevices" in features
        self._groups_on = "CompatibilityGroups" in features
        self._origins = problem.origins if problem.available else ()
        self._domains = problem.domains if problem.disputed_pools else self._origins
        self._slices = problem.slices if variant.checks_other_device else ()
        self._available: MutableMapping[Any, Counters] = {}
        self._disputed_pools = counters_so_far
        # In the order in which they were taken first, like all that is kept by position.
        self._touched: dict[int, None] = {}
        self._consumed_counters: dict[Any, dict[tuple[str, str], Amount]] = {}
        self._consumed_groups: dict[Any, dict[str, tuple[frozenset[str], ...]]] = {}
        self._allocating_capacity: dict[int, dict[str, Amount]] = {}
        self._constraints = [
            make_constraint(
                distinct=entry.distinct,
                lists=self._lists,
                mode=variant.distinct,
                undoes=variant.undoes_lists,
            )
            for entry in plan.constraints
        ]
        self._covering = [self._constraints_on(request_data) for request_data in plan.all_requests]
        self._classes: list[int] = []

    def _constraints_on(
        self, request_data: RequestData
    ) -> list[tuple[ConstraintState, Sequence[Value | Fault]]]:
        """The constraints on a request, each with what it compares at every position."""
        return [
            (
                self._constraints[entry.index],
                self._problem.compared(entry.index, request_data.index),
            )
            for entry in self._plan.constraints
            if request_data.index in entry.covered
        ]

    # Taking a device and giving it back

    # Upstream: allocator.allocateDevice (structured/internal/*/allocator_*.go)
    def allocate_device(
        self, request_data: RequestData, index: int, position: int, *, must: bool
    ) -> DeviceRollbackState | None:
        """Take a device as number `index` of a request; None if it cannot be had.

        `must`: constraints that turn it down are fatal.
        """
        signature, mark, bit = (
            self._signatures[position],
            self.allocating_devices[position],
            1 << request_data.claim,
        )
        if request_data.admin:
            if not signature.allow_multiple_allocations and mark & bit:
                return None
        elif signature.in_use or mark:
            return None
        if signature.blocked:
            return None
        taken = DeviceRollbackState(request_data, position)
        if signature.consumes_counters and not self._reserve_counters(signature, position, taken):
            return None
        if signature.matches[request_data.index].tainted:
            self._reject(taken, signature)
            return None
        for constraint, row in self._covering[request_data.index]:
            value = row[position]
            if isinstance(value, Fault):
                self.fault = value, position
                return None
            if not constraint.add(request_data.request_name, value):
                self._reject(taken, signature)
                if must:
                    self.fault = self._unsatisfied(request_data), position
                return None
            taken.constraints_added += 1
        if not signature.allow_multiple_allocations:
            self.allocating_devices[position] = mark | bit
            self._touched[position] = None
            taken.device_marked = True
        if self._capacity and not self._consume_capacity(signature, index, taken):
            return None
        self.chosen[request_data.claim].append(Chosen(request_data.index, position))
        return taken

    # Upstream: allocator.rollbackDevice (structured/internal/*/allocator_*.go)
    def rollback_device(self, taken: DeviceRollbackState) -> None:
        """Give back the device that was taken last."""
        signature = self._signatures[taken.position]
        self.chosen[taken.request_data.claim].pop()
        if taken.consumed_capacity is not None:
            self._remove_capacity(taken)
        if taken.device_marked:
            self._unmark_device(taken)
        if taken.constraints_added:
            self._remove_constraints(taken)
        if taken.counters_reserved and not (
            self._variant.leaks and signature.allow_multiple_allocations
        ):
            self._deallocate_counters(signature, taken)
        self._restore_compatibility_groups(taken)

    def _reject(
        self, taken: DeviceRollbackState, signature: DeviceSignature, *, late: bool = False
    ) -> None:
        """Undo the steps of a device that was turned down; the older releases leave traces."""
        leaks = self._variant.leaks
        if not leaks or not late:
            if taken.constraints_added:
                self._remove_constraints(taken)
            if taken.device_marked:
                self._unmark_device(taken)
        if taken.counters_reserved and not leaks:
            self._deallocate_counters(signature, taken)
        self._restore_compatibility_groups(taken)

    def _unmark_device(self, taken: DeviceRollbackState) -> None:
        position = taken.position
        self.allocating_devices[position] &= ~(1 << taken.request_data.claim)
        if not self.allocating_devices[position]:
            self._touched.pop(position, None)

    def _remove_constraints(self, taken: DeviceRollbackState) -> None:
        for constraint, _ in reversed(
            self._covering[taken.request_data.index][: taken.constraints_added]
        ):
            constraint.remove(taken.request_data.request_name)

    def _unsatisfied(self, request_data: RequestData) -> Fault:
        return Fault(
            f"claim {self._plan.claims[request_data.claim].label}, request {request_data.name}: cannot add device ",
            " because a claim constraint would not be satisfied",
        )

    # Capacity

    # Upstream: allocator.CmpRequestOverCapacity (structured/internal/*/allocator_*.go)
    # Upstream: allocator.allocatingCapacityForAnyClaim (structured/internal/*/allocator_*.go)
    def has_capacity(self, room: CapacityLeft, position: int) -> bool:
        """Whether the device has what a request wants of it besides what this search has taken."""
        if not isinstance(room, tuple):
            return False
        sums = self._allocating_capacity.get(position)
        if not sums:
            return True
        return all(sums.get(name, 0) + wanted <= left for name, wanted, left in room)

    # Upstream: ConsumedCapacityCollection.Insert, ConsumedCapacity.Add (structured/schedulerapi/types.go)
    # Upstream: ConsumedCapacityCollection.Insert (structured/internal/allocatedstate.go)
    # Upstream: ConsumedCapacity.Add (structured/internal/allocatedstate.go)
    def _consume_capacity(
        self, signature: DeviceSignature, index: int, taken: DeviceRollbackState
    ) -> bool:
        checked = position = taken.position
        if self._slices:
            first, end = self._slices[position]
            checked = first + index
            if checked >= end:
                crash = "the scheduler crashes: the count is higher than the devices of a slice"
                self.fault = Fault(crash, crash=True), position
                return False
        if not self.has_capacity(
            self._signatures[checked].matches[taken.request_data.index].capacity, checked
        ):
            self._reject(taken, signature, late=True)
            return False
        if signature.allow_multiple_allocations:
            room = signature.matches[taken.request_data.index].capacity
            amounts = room if isinstance(room, tuple) else ()
            taken.consumed_capacity = tuple((name, wanted) for name, wanted, _ in amounts)
            taken.capacity_entry_existed = position in self._allocating_capacity
            sums = self._allocating_capacity.setdefault(position, {})
            for name, wanted in taken.consumed_capacity:
                sums[name] = sums.get(name, 0) + wanted
            self._touched[position] = None
        return True

    # Upstream: ConsumedCapacityCollection.Remove, ConsumedCapacity.Sub (structured/schedulerapi/types.go)
    # Upstream: ConsumedCapacity.Empty (structured/schedulerapi/types.go)
    # Upstream: ConsumedCapacityCollection.Remove (structured/internal/allocatedstate.go)
    # Upstream: ConsumedCapacity.Sub, ConsumedCapacity.Empty (structured/internal/allocatedstate.go)
    def _remove_capacity(self, taken: DeviceRollbackState) -> None:
        """Upstream's Remove (structured/schedulerapi/types.go), which drops a device whose sums are
        zero. Since 1.36 the share that found none before it is the one that takes the device off."""
        if not taken.consumed_capacity and self._variant.leaks:
            # A share of a device without capacities stays noted as one.
            return
        sums = self._allocating_capacity.get(taken.position)
        if sums is None:
            return
        for name, amount in taken.consumed_capacity or ():
            # Names are gone once their sums were all zero, while an earlier share still stands.
            if name in sums:
                sums[name] -= amount
        if any(sums.values()):
            return
        if taken.capacity_entry_existed and not self._variant.leaks:
            sums.clear()
        else:
            del self._allocating_capacity[taken.position]
            self._touched.pop(taken.position, None)

    # Counters

    # Upstream: allocator.checkAvailableCounters (structured/internal/*/allocator_*.go)
    def _reserve_counters(
        self, signature: DeviceSignature, position: int, taken: DeviceRollbackState
    ) -> bool:
        if not self._partitions:
            return False
        if (
            self._variant.second_share_free
            and signature.allow_multiple_allocations
            and (signature.shared or position in self._allocating_capacity)
        ):
            return True
        if self._groups_on and not self._consume_compatibility_groups(signature, position, taken):
            return False
        domain = self._domains[position]
        running = self._consumed_counters.setdefault(domain, {})
        for name, amount in signature.consumes_counters:
            running[name] = running.get(name, 0) + amount
        taken.counters_reserved = True
        left = self._available_counters(position, domain)
        if any(left[name] < running.get(name, 0) for name in left):
            self._deallocate_counters(signature, taken)
            self._restore_compatibility_groups(taken)
            return False
        return True

    def _available_counters(self, position: int, domain: Any) -> Counters:
        """What is available; where it is carried on from node to node, what is found first."""
        cache = self._disputed_pools if isinstance(domain, DisputedPool) else self._available
        found = cache.get(domain)
        if found is None:
            found = cache[domain] = self._problem.available[self._origins[position]]
        return found

    def _groups_of(self, position: int, domain: Any) -> Mapping[str, tuple[frozenset[str], ...]]:
        """The compatibility groups of allocated devices, carried on like what is available."""
        own = self._problem.groups.get(self._origins[position], {})
        if not isinstance(domain, DisputedPool):
            return own
        found: Mapping[str, tuple[frozenset[str], ...]] = self._disputed_pools.setdefault(
            domain._replace(groups=True), own
        )
        return found

    # Upstream: allocator.deallocateCountersForDevice (structured/internal/*/allocator_*.go)
    def _deallocate_counters(self, signature: DeviceSignature, taken: DeviceRollbackState) -> None:
        running = self._consumed_counters[self._domains[taken.position]]
        for name, amount in signature.consumes_counters:
            running[name] -= amount

    # Upstream: allocator.checkAndConsumeCompatibilityGroups (structured/internal/*/allocator_*.go)
    # Upstream: compatibilityGroupIntersection.* (structured/internal/*/compatibility_groups.go)
    def _consume_compatibility_groups(
        self, signature: DeviceSignature, position: int, taken: DeviceRollbackState
    ) -> bool:
        """Devices on one counter set need a compatibility group in common, or all have none."""
        domain = self._domains[position]
        before = self._consumed_groups.get(domain)
        if before is None:
            before = dict(self._groups_of(position, domain))
        after = dict(before)
        for counter_set, groups in signature.groups:
            members = after.get(counter_set, ())
            if not _compatible(members, groups):
                return False
            after[counter_set] = (*members, groups)
        self._consumed_groups[domain] = after
        taken.groups = before
        return True

    def _restore_compatibility_groups(self, taken: DeviceRollbackState) -> None:
        if taken.groups is not None:
            self._consumed_groups[self._domains[taken.position]] = taken.groups

    # The state of the search

    @property
    def state_is_complete(self) -> bool:
        """True if `state` alone decides which devices can still be allocated; False for variants whose
        failed attempts leave side effects."""
        variant = self._variant
        traces = bool(self._problem.disputed_pools)
        if variant.leaks or variant.checks_other_device:
            traces = traces or not all(map(self._is_plain, self._signatures))
        for entry in self._plan.constraints:
            if entry.distinct:
                traces = traces or variant.distinct is not DistinctComparison.ALL
            else:
                traces = traces or (self._lists and not variant.undoes_lists)
        return not traces

    def _is_plain(self, signature: DeviceSignature) -> bool:
        """Whether nothing but being taken can happen to the device."""
        if (
            self._partitions and signature.consumes_counters
        ) or signature.allow_multiple_allocations:
            return False
        if not (self._capacity and self._variant.checks_other_device):
            return True
        return all(isinstance(view.capacity, tuple) for view in signature.matches)

    def state(self, claim: int, start: int) -> tuple[Any, ...]:
        """A hashable for all that was taken, as far as it matters for what comes in a claim.

        Before `start`, and everywhere if the search goes on at the first device, only the classes
        of what is taken matter, not the places.
        """
        alike, placed = [], []
        if not self._classes:
            self._classes = self._classify()
        for position in self._touched:
            consumed = self._allocating_capacity.get(position)
            mark = (
                self.allocating_devices[position],
                () if consumed is None else (("", 0), *sorted(filter(_is_some, consumed.items()))),
            )
            if not start or position < start:
                alike.append((self._classes[position], mark))
            else:
                placed.append((position, mark))
        alike.sort()
        placed.sort()
        constraints = tuple(
            self._constraints[entry.index].state() for entry in self._plan.claims[claim].constraints
        )
        groups = self._consumed_groups and tuple(
            (domain, tuple(sorted(sets.items()))) for domain, sets in self._consumed_groups.items()
        )
        return tuple(alike), tuple(placed), constraints, groups or None

    def _classify(self) -> list[int]:
        """A number per position; equal numbers are devices that can stand in for each other."""
        numbers: dict[Any, int] = {}
        rows = (*self._problem.values, *self._problem.derived.values())
        classes = []
        for position, signature in enumerate(self._signatures):
            kind = (
                signature.number,
                self._domains[position] if signature.consumes_counters and self._domains else None,
                tuple(row[position] for row in rows),
                self._slices[position] if self._slices else None,
            )
            classes.append(numbers.setdefault(kind, len(numbers)))
        return classes


def _is_some(sum_of_one: tuple[str, Amount]) -> bool:
    """Whether a sum differs from none at all."""
    return sum_of_one[1] != 0


def _compatible(members: tuple[frozenset[str], ...], groups: frozenset[str]) -> bool:
    if not members:
        return True
    if not groups or not members[0]:
        return not groups and not members[0]
    common = frozenset.intersection(*(member for member in members if member))
    return bool(common & groups)
