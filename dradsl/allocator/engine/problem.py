"""A node reduced to what decides the search: device signatures in candidate order, pools, counters.

Nodes that are alike have equal problems, and equal problems have one answer, in positions. This is
what makes a fleet as cheap as its number of distinct nodes. Devices that no search would touch are
left out: nodes that differ in nothing else are alike as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.constraints import UNKNOWN, Value, lookup, value_of
from dradsl.allocator.engine.eligibility import Eligibility, Fault
from dradsl.allocator.engine.plan import ALL
from dradsl.allocator.engine.signatures import CounterName, DeviceSignature, SignatureMaker
from dradsl.allocator.inventory.allocated import UNUSED, UsedDevice
from dradsl.allocator.inventory.slices import Amount, Attribute, DeviceId, DeviceRecord, Slice
from dradsl.releases.scheduling import AllocatorVariant, CounterScope, DistinctComparison

if TYPE_CHECKING:
    from dradsl.allocator.engine.capacity import CapacityRejection, Demand
    from dradsl.allocator.engine.layout import Layout, PoolState
    from dradsl.allocator.engine.plan import ClaimsPlan, RequestData
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.pools import DisputedPool, Pool, PoolGatherer
    from dradsl.allocator.inventory.slices import PoolId
    from dradsl.allocator.switches import AllocatorFeatures

__all__ = ["Counters", "ProblemBuilder", "SearchProblem"]

Counters = Mapping[CounterName, Amount]

Place = tuple["Pool", Slice, DeviceRecord]


@dataclass(slots=True, eq=False)
class SearchProblem:
    """One node's search, in positions. Nothing changes it once it is built.

    `values` has one row a constraint of the plan; `derived` rows of their own for requests (constraint
    and request are the key) that derive the attribute, in the same terms. `available` is what is left of
    counters, by origin. `kept` are the positions in the layout; None if all are there. Problems
    with equal keys have the same answer; those with `disputed_pools` pools have none of their own, because
    other nodes have a say in it. `all_signatures` are those of the layout.
    """

    layout: Layout
    kept: Sequence[int] | None
    signatures: Sequence[DeviceSignature]
    values: tuple[tuple[Value, ...], ...]
    derived: Mapping[tuple[int, int], tuple[Value | Fault, ...]]
    key: tuple[Any, ...]
    all_signatures: Sequence[DeviceSignature]
    available: Mapping[Any, Counters] = field(default_factory=dict)
    groups: Mapping[Any, Mapping[str, tuple[frozenset[str], ...]]] = field(default_factory=dict)
    disputed_pools: Mapping[PoolId, DisputedPool] = field(default_factory=dict)

    @property
    def node_key(self) -> tuple[int, ...]:
        """Equality key of a node over all its devices, including those excluded from the search."""
        return tuple([signature.number for signature in self.all_signatures])

    @property
    def places(self) -> Sequence[Place]:
        return self._pick(self.layout.places)

    @property
    def gathered(self) -> tuple[Pool, ...]:
        return self.layout.gathered

    @property
    def pools(self) -> tuple[PoolState, ...]:
        """The pools, with positions as they are in the problem."""
        kept = self.kept
        if kept is None:
            return self.layout.pools
        return tuple(
            replace(pool, start=bisect_left(kept, pool.start), stop=bisect_left(kept, pool.stop))
            for pool in self.layout.pools
        )

    @property
    def origins(self) -> tuple[Any, ...]:
        """Per position whose counters a device uses."""
        return self._pick([run.origin for run in self.layout.runs for _ in run.entry.devices])

    @property
    def domains(self) -> tuple[Any, ...]:
        """Per position where what is used of counters is summed up: mostly where they are from."""
        if not self.disputed_pools:
            return self.origins
        names = [pool.id for pool, _, _ in self.places]
        pairs = zip(names, self.origins, strict=True)
        return tuple(self.disputed_pools.get(name, origin) for name, origin in pairs)

    @property
    def slices(self) -> tuple[tuple[int, int], ...]:
        """Per position the bounds of its slice, in the layout."""
        runs = self.layout.runs
        return self._pick([(run.start, run.stop) for run in runs for _ in run.entry.devices])

    def _pick(self, listed: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(listed) if self.kept is None else tuple([listed[i] for i in self.kept])

    def compared(self, constraint: int, request_data: int) -> tuple[Value | Fault, ...]:
        """What a constraint compares when devices are taken for a request, one value a position."""
        return self.derived.get((constraint, request_data), self.values[constraint])

    def place(self, position: int) -> Place:
        return self.layout.places[position if self.kept is None else self.kept[position]]

    def device_id(self, position: int) -> DeviceId:
        _, entry, device = self.place(position)
        return DeviceId(entry.driver, entry.pool, device.name)


class ProblemBuilder:
    """Builds problems for one plan and one state of allocations: `uses` by driver and pool."""

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
        self._uses = uses
        self._variant = variant
        self._features = features
        self._signatures = SignatureMaker(
            plan, eligibility, gatherer, self._uses, variant, features
        )
        self._lists = "ListTypeAttributes" in features
        self._derives = "DerivedAttributes" in features
        self._partitions = "PartitionableDevices" in features
        self._by_place = variant.checks_other_device and "ConsumableCapacity" in features
        self._by_pool = any(request_data.mode == ALL for request_data in plan.all_requests)
        self._compared: dict[Any, Value] = {}

    def build(
        self, node: Node, layout: Layout, *, whole: bool = False, by_kind: bool = False
    ) -> SearchProblem:
        """The problem that `node` poses.

        Without the devices that the search passes over whatever it does, unless `whole`: an answer
        is one to the problem without them. `by_kind`: the plan reads no attribute that tells
        devices of one kind apart.
        """
        maker = self._signatures
        every: list[DeviceSignature] = []
        for run in layout.runs:
            every += maker.row(node, run, by_kind=by_kind)
        signatures, kept = every, None
        places: Sequence[Place] = layout.places
        if not whole and not self._by_place:
            kept = [position for position, signature in enumerate(every) if not signature.idle]
            signatures = [every[position] for position in kept]
            places = [places[position] for position in kept] if self._plan.constraints else ()
        numbers = tuple([signature.number for signature in signatures])
        values, derived = self._all_values(places)
        problem = SearchProblem(layout, kept, signatures, values, derived, (numbers, values), every)
        if self._partitions and any(signature.consumes_counters for signature in signatures):
            self._add_counters(problem)
        if self._by_pool or self._by_place or derived or problem.available:
            problem.key = (*problem.key, *self._special_key(problem))
        return problem

    def _special_key(self, problem: SearchProblem) -> tuple[Any, ...]:
        """What decides the answer of problems that are not plain."""
        return (
            tuple(
                [(pool.incomplete, pool.invalid, pool.start, pool.stop) for pool in problem.pools]
            )
            if self._by_pool
            else None,
            problem.slices if self._by_place else None,
            tuple(problem.derived.items()),
            problem.origins if problem.available else None,
            tuple([(key, tuple(left.items())) for key, left in problem.available.items()]),
            tuple([(key, tuple(sorted(sets.items()))) for key, sets in problem.groups.items()]),
        )

    def demand(
        self, request_data: RequestData, device: DeviceRecord
    ) -> Demand | CapacityRejection | Fault:
        """What the request takes of the device by its request policies."""
        return self._signatures.demand(request_data, device.traits)

    # Constraints

    def _all_values(
        self, places: Sequence[Place]
    ) -> tuple[tuple[tuple[Value, ...], ...], dict[tuple[int, int], tuple[Value | Fault, ...]]]:
        """One value a position for each constraint, and for each request that derives it otherwise."""
        rows, derived = [], {}
        found: dict[tuple[str, bool], tuple[_ValueNumbering, tuple[Value, ...]]] = {}
        for constraint in self._plan.constraints:
            name = constraint.attribute
            by_identity = (
                constraint.distinct and self._variant.distinct is DistinctComparison.IDENTITY
            )
            if (name, by_identity) not in found:
                terms = _ValueNumbering(self._lists, by_identity, self._compared)
                row = terms.row([lookup(device, e.driver, name) for _, e, device in places])
                found[name, by_identity] = terms, row
            terms, row = found[name, by_identity]
            rows.append(row)
            if not self._derives:
                continue
            for index in sorted(constraint.covered):
                expression = self._plan.all_requests[index].derived.get(name)
                if expression is not None:
                    derived[constraint.index, index] = terms.row(
                        [
                            self._eligibility.derived(name, expression, entry.driver, device)
                            for _, entry, device in places
                        ]
                    )
        return tuple(rows), derived

    # Counters

    def _add_counters(self, problem: SearchProblem) -> None:
        """Note what is left of the counters that devices of the problem use."""
        available: dict[Any, Counters] = {}
        groups: dict[Any, Mapping[str, tuple[frozenset[str], ...]]] = {}
        origins, places = problem.origins, problem.places
        for position, signature in enumerate(problem.signatures):
            if not signature.consumes_counters:
                continue
            pool, entry, _ = places[position]
            origin = origins[position]
            if origin not in available:
                available[origin] = self._available(pool, entry)
                baseline = self._group_baseline(pool)
                if baseline:
                    groups[origin] = baseline
                if pool.id in self._gatherer.disputed_pools:
                    problem.disputed_pools = self._gatherer.disputed_pools
        problem.available, problem.groups = available, groups

    # Upstream: allocator.checkAvailableCounters (structured/internal/*/allocator_*.go)
    def _available(self, pool: Pool, entry: Slice) -> Counters:
        """What allocated devices leave of the counters of a pool, or of a slice."""
        by_slice = self._variant.counters is CounterScope.SLICE
        sets = entry.counters if by_slice else pool.counter_sets
        left = {
            (counter_set.name, name): amount
            for counter_set in sets
            for name, amount in counter_set.counters
        }
        for device in self._holders((entry,) if by_slice else (*pool.slices, *pool.others)):
            for use in device.traits.consumes:
                for name, amount in use.counters:
                    if (use.counter_set, name) in left:
                        left[use.counter_set, name] -= amount
        return left

    def _holders(self, slices: Sequence[Slice]) -> Iterator[DeviceRecord]:
        """The devices of slices that are allocated and hold counters."""
        for entry in slices:
            used = self._uses.get((entry.driver, entry.pool), {})
            for device in entry.devices if used else ():
                if device.traits.consumes and self._holds(used.get(device.name, UNUSED)):
                    yield device

    def _holds(self, use: UsedDevice) -> bool:
        if use.whole:
            return True
        if not self._variant.shares_hold_counters:
            return False
        return use.share or use.consumed is not None

    # Upstream: allocator.compatibilityGroupsBaselineForPool (structured/internal/*/allocator_*.go)
    # Upstream: compatibilityGroupSet (structured/internal/*/compatibility_groups.go)
    def _group_baseline(self, pool: Pool) -> Mapping[str, tuple[frozenset[str], ...]]:
        """The compatibility groups of allocated devices, by counter set (gate on only)."""
        found: dict[str, tuple[frozenset[str], ...]] = {}
        if "CompatibilityGroups" not in self._features:
            return found
        for device in self._holders((*pool.slices, *pool.others)):
            for use in device.traits.consumes:
                known = found.get(use.counter_set, ())
                found[use.counter_set] = (*known, use.compatibility_groups)
        return found


class _ValueNumbering:
    """Replaces the attribute values of one constraint by integers; equal values get equal integers.

    `known` remembers what is compared of an attribute.
    """

    __slots__ = ("_by_identity", "_known", "_lists", "_names")

    def __init__(self, lists: bool, by_identity: bool, known: dict[Any, Value]) -> None:
        self._lists = lists
        self._by_identity = by_identity
        self._known = known
        self._names: dict[Value, int] = {}

    def row(self, attributes: Sequence[Attribute | Fault | None]) -> tuple[Value, ...]:
        values: list[Value] = []
        known, names = self._known, self._names
        for attribute in attributes:
            try:
                value = known[attribute]
            except KeyError:
                value = known[attribute] = self._compared(attribute)
            if type(value) is tuple and value is not UNKNOWN:
                value = names.setdefault(value, len(names))
            values.append(value)
        if self._by_identity:
            return tuple([p if type(v) is int else v for p, v in enumerate(values)])
        return tuple(values)

    def _compared(self, attribute: Attribute | Fault | None) -> Value | Fault:
        return attribute if isinstance(attribute, Fault) else value_of(attribute, self._lists)
