"""A node reduced to what decides the search: cells in candidate order, pools, counters.

A `Cell` is everything that matters about a device, its name and place left out. Devices that are
alike share one cell, nodes that are alike have equal problems, and equal problems have one answer,
in positions. This is what makes a fleet as cheap as its number of distinct nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.allocator.capacity import (
    CapacityCrashError,
    CapacityFaultError,
    Demand,
    Refusal,
    demand_of,
)
from dradsl.allocator.constraints import UNKNOWN, Value, lookup, value_of
from dradsl.allocator.eligibility import Eligibility, Fault, Projection
from dradsl.allocator.inventory import Amount, Attribute, Device, DeviceId, Slice, Traits
from dradsl.allocator.nodes import Node, SelectorError
from dradsl.allocator.switches import (
    AllocatorFeatures,
    CounterScope,
    Distinct,
    PoolModel,
    Variant,
)
from dradsl.allocator.taints import blocking_taint

if TYPE_CHECKING:
    from dradsl.allocator.plan import Ask, Plan
    from dradsl.allocator.pools import Pool, PoolGatherer
    from dradsl.allocator.state import AllocatedState

__all__ = ["Cell", "CellView", "Counters", "PoolState", "Problem", "ProblemBuilder"]

CounterName = tuple[str, str]
Counters = Mapping[CounterName, Amount]


@dataclass(frozen=True, slots=True, eq=False)
class CellView:
    """A device as one ask sees it.

    `room` holds per capacity the amount wanted and the amount left; None while the feature is off,
    False if the device can never or not any more meet the request.
    """

    eligible: bool | Fault
    tainted: bool
    room: tuple[tuple[str, Amount, Amount], ...] | Fault | bool | None
    fits_empty: bool | Fault
    consumed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """What the search needs to know of a device.

    `in_use` is by claims of other pods and as a whole; `shared` that a share of it is given out and
    counts against counters no more. `blocked` devices use something that is switched off. A cell
    with a `fault` is no device: reaching it ends the search.
    """

    number: int
    in_use: bool
    multiple: bool
    shared: bool
    blocked: bool
    uses: tuple[tuple[CounterName, Amount], ...]
    views: tuple[CellView, ...]
    groups: tuple[tuple[str, frozenset[str]], ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class PoolState:
    """A pool in a problem: the positions of its devices, and the counters left in it."""

    name: str
    incomplete: bool
    invalid: bool
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One node's search, in positions.

    `values` has one row a constraint of the plan; `derived` rows of their own for asks (constraint
    and ask are the key) that derive the attribute, in the same terms. `domains` says per position where its counters
    are summed up, `origins` whose counters they are; `available` is what is left there. `slices`
    are the bounds of each position's slice. Problems with equal keys have the same answer;
    `contested` ones have none of their own, because upstream mixes up pools of two drivers.
    """

    cells: tuple[Cell, ...]
    pools: tuple[PoolState, ...]
    values: tuple[tuple[Value, ...], ...]
    derived: Mapping[tuple[int, int], tuple[Value | Fault, ...]]
    domains: tuple[Any, ...]
    origins: tuple[Any, ...]
    available: Mapping[Any, Counters]
    groups: Mapping[Any, Mapping[str, tuple[frozenset[str], ...]]]
    slices: tuple[tuple[int, int], ...]
    places: tuple[tuple[Pool, Slice, Device], ...]
    gathered: tuple[Pool, ...]
    key: Any
    contested: bool = False

    def compared(self, constraint: int, ask: int) -> tuple[Value | Fault, ...]:
        """What a constraint compares when devices are taken for an ask, one value a position."""
        return self.derived.get((constraint, ask), self.values[constraint])

    def device_id(self, position: int) -> DeviceId:
        _, entry, device = self.places[position]
        return DeviceId(entry.driver, entry.pool, device.name)


class ProblemBuilder:
    """Builds problems for one plan and one state of allocations."""

    def __init__(
        self,
        plan: Plan,
        eligibility: Eligibility,
        gatherer: PoolGatherer,
        state: AllocatedState,
        variant: Variant,
        features: AllocatorFeatures,
    ) -> None:
        self._plan = plan
        self._eligibility = eligibility
        self._gatherer = gatherer
        self._state = state
        self._variant = variant
        self._features = features
        self._lists = "ListTypeAttributes" in features
        self._capacity = "ConsumableCapacity" in features and variant.stores_state
        self._partitions = "PartitionableDevices" in features
        self._cells: dict[Any, Cell] = {}
        self._numbers: dict[Any, int] = {}
        self._projections: dict[str, Projection | None] = {}
        self._demands: dict[tuple[int, int], Demand | Refusal | Fault] = {}

    def build(self, node: Node, pools: Sequence[Pool]) -> Problem:
        """The problem that `node` poses with these pools."""
        cells: list[Cell] = []
        places: list[tuple[Pool, Slice, Device]] = []
        bounds: list[tuple[int, int]] = []
        origins: list[Any] = []
        states: list[PoolState] = []
        for number, pool in enumerate(pools):
            start = len(cells)
            if pool.invalid and self._variant.pools is PoolModel.ON_NODE:
                cells.append(self._barrier(pool))
                places.append((pool, _NOWHERE, _NOTHING))
                bounds.append((start, start + 1))
                origins.append(None)
            elif self._searched(pool):
                for entry in pool.slices:
                    first = len(cells)
                    for device in entry.devices:
                        cells.append(self.cell(node, entry, device))
                        places.append((pool, entry, device))
                    bounds += [(first, len(cells))] * len(entry.devices)
                    origins += [self._origin(number, entry)] * len(entry.devices)
            states.append(PoolState(str(pool.id), pool.incomplete, pool.invalid, start, len(cells)))
        return self._finish(pools, cells, places, bounds, origins, states)

    def _barrier(self, pool: Pool) -> Cell:
        """A pool whose use is fatal: 1.34 fails when the search reaches an invalid pool."""
        fault = Fault(f"pool {pool.id.pool} is invalid: {pool.reason}")
        number = self._numbers.setdefault(fault, len(self._numbers))
        return Cell(number, False, False, False, False, (), (), fault=fault)

    def _searched(self, pool: Pool) -> bool:
        if self._variant.pools is PoolModel.ON_NODE:
            return not pool.invalid
        return not pool.invalid and not pool.incomplete

    def _finish(
        self,
        pools: Sequence[Pool],
        cells: list[Cell],
        places: list[tuple[Pool, Slice, Device]],
        bounds: list[tuple[int, int]],
        origins: list[Any],
        states: list[PoolState],
    ) -> Problem:
        available: dict[Any, Counters] = {}
        groups: dict[Any, Mapping[str, tuple[frozenset[str], ...]]] = {}
        contested = False
        for i, cell in enumerate(cells):
            if cell.uses and self._partitions and origins[i] not in available:
                pool, entry, _ = places[i]
                available[origins[i]] = self._available(pool, entry)
                groups[origins[i]] = self._group_baseline(pool)
                contested = contested or self._is_contested(pool)
        values, derived = self._all_values(places)
        key = (
            tuple(cell.number for cell in cells),
            tuple((pool.incomplete, pool.invalid, pool.start, pool.stop) for pool in states),
            values,
            tuple((origin, tuple(counters.items())) for origin, counters in available.items()),
            tuple((origin, tuple(sorted(g.items()))) for origin, g in groups.items() if g),
            tuple(origins) if available else None,
            tuple(bounds) if self._variant.checks_other_device else None,
            tuple(derived.items()),
        )
        return Problem(
            tuple(cells),
            tuple(states),
            values,
            derived,
            tuple(
                place[0].id.pool if contested and self._is_contested(place[0]) else origin
                for place, origin in zip(places, origins, strict=True)
            )
            if contested
            else tuple(origins),
            tuple(origins),
            available,
            groups,
            tuple(bounds),
            tuple(places),
            tuple(pools),
            key,
            contested,
        )

    # Devices

    def cell(self, node: Node, entry: Slice, device: Device) -> Cell:
        """The cell of a device of a slice that reaches the node."""
        reaches: bool | Fault = True
        if entry.per_device:
            try:
                reaches = self._gatherer.device_reaches(entry, device, node)
            except SelectorError as error:
                reaches = Fault(str(error))
        identity = DeviceId(entry.driver, entry.pool, device.name)
        in_use = identity in self._state.exclusive
        consumed = self._state.consumed.get(identity) if self._capacity else None
        share = self._capacity and identity in self._state.shares
        unready = bool(entry.skip_node_operations) and self._lacks_operations(node)
        projection = self._projection(entry.driver, device)
        key = (
            id(device) if projection is None else projection,
            id(device.traits),
            entry.driver,
            reaches,
            in_use,
            None if consumed is None else tuple(sorted(consumed.items())),
            share,
            unready,
        )
        cell = self._cells.get(key)
        if cell is None:
            cell = self._make_cell(entry, device, reaches, in_use, consumed, share, unready)
            self._cells[key] = cell
        return cell

    def _projection(self, driver: str, device: Device) -> tuple[Any, ...] | None:
        if driver not in self._projections:
            reads = self._eligibility.reads
            self._projections[driver] = None if reads is None else Projection(reads, driver)
        projection = self._projections[driver]
        return None if projection is None else projection.of(device)

    def _make_cell(
        self,
        entry: Slice,
        device: Device,
        reaches: bool | Fault,
        in_use: bool,
        consumed: Mapping[str, Amount] | None,
        share: bool,
        unready: bool,
    ) -> Cell:
        traits = device.traits
        uses = tuple(
            ((use.counter_set, name), amount)
            for use in traits.consumes
            for name, amount in use.counters
        )
        views = tuple(self._view(ask, entry, device, reaches, consumed) for ask in self._plan.asks)
        number = self._number(in_use, share or consumed is not None, unready, device, views, uses)
        return Cell(
            number=number,
            in_use=in_use,
            multiple=self._capacity and bool(traits.allow_multiple),
            shared=consumed is not None or (share and self._variant.share_is_in_use),
            blocked=unready or (bool(traits.consumes) and not self._partitions),
            uses=uses,
            views=views,
            groups=tuple((use.counter_set, use.compatibility_groups) for use in traits.consumes)
            if "CompatibilityGroups" in self._features
            else (),
        )

    def _number(
        self,
        in_use: bool,
        shared: bool,
        unready: bool,
        device: Device,
        views: tuple[CellView, ...],
        uses: tuple[Any, ...],
    ) -> int:
        """A number that equal cells have in common, however unlike the devices are otherwise."""
        identity = (
            in_use,
            shared,
            unready,
            device.traits.allow_multiple,
            bool(device.traits.consumes),
            tuple((use.counter_set, use.compatibility_groups) for use in device.traits.consumes),
            uses,
            tuple(
                (view.eligible, view.tainted, view.room, view.fits_empty, view.consumed)
                for view in views
            ),
        )
        return self._numbers.setdefault(identity, len(self._numbers))

    def _view(
        self,
        ask: Ask,
        entry: Slice,
        device: Device,
        reaches: bool | Fault,
        consumed: Mapping[str, Amount] | None,
    ) -> CellView:
        traits = device.traits
        eligible: bool | Fault
        if traits.binding_conditions and "DeviceBindingAndStatus" not in self._features:
            eligible = False
        else:
            projection = self._projection(entry.driver, device)
            eligible = self._eligibility.of(ask, entry.driver, device, projection)
            if eligible is True:
                eligible = reaches
        taint = (
            blocking_taint(traits.taints, ask.tolerations, self._variant.every_taint_blocks)
            if "DeviceTaints" in self._features
            else None
        )
        room, fits_empty, texts = self._room(ask, entry, device, consumed)
        return CellView(eligible, taint is not None, room, fits_empty, texts)

    def _room(
        self,
        ask: Ask,
        entry: Slice,
        device: Device,
        consumed: Mapping[str, Amount] | None,
    ) -> tuple[
        tuple[tuple[str, Amount, Amount], ...] | Fault | bool | None,
        bool | Fault,
        tuple[tuple[str, str], ...],
    ]:
        if not self._capacity:
            return None, True, ()
        demand = self.demand(ask, device)
        if isinstance(demand, Fault):
            return demand, demand, ()
        if isinstance(demand, Refusal):
            return False, False, ()
        used = consumed or {}
        room = tuple(
            (name, wanted, whole - used.get(name, 0)) for name, wanted, whole in demand.amounts
        )
        fits = all(wanted <= left for _, wanted, left in room)
        texts = demand.consumed if device.traits.allow_multiple else ()
        return (room if fits else False), demand.fits_empty, texts

    def demand(self, ask: Ask, device: Device) -> Demand | Refusal | Fault:
        """What the ask takes of the device by its request policies."""
        key = (ask.index, id(device.traits))
        found = self._demands.get(key)
        if found is None:
            try:
                found = demand_of(
                    ask.capacity,
                    device.traits.capacity,
                    fractional="FractionalCapacityRange" in self._features,
                    strict=self._variant.capacity_is_fatal,
                    step_format=self._variant.step_format,
                )
            except CapacityFaultError as error:
                label = self._plan.claims[ask.claim].label
                before = f"claim {label}, request {ask.name}: checking capacity for device "
                found = Fault(before, f": {error}")
            except CapacityCrashError as error:
                found = Fault(f"the scheduler crashes: {error}", crash=True)
            self._demands[key] = found
        return found

    def _lacks_operations(self, node: Node) -> bool:
        return self._variant.knows_operations and (
            "OptionalNodeOperations" not in self._features
            or "DRAOptionalNodeOperations" not in node.declared_features
        )

    # Constraints

    def _all_values(
        self, places: Sequence[tuple[Pool, Slice, Device]]
    ) -> tuple[tuple[tuple[Value, ...], ...], dict[tuple[int, int], tuple[Value | Fault, ...]]]:
        """One value a position for each constraint, and for each ask that derives it otherwise."""
        rows, derived = [], {}
        for constraint in self._plan.constraints:
            by_identity = constraint.distinct and self._variant.distinct is Distinct.IDENTITY
            name, terms = constraint.attribute, _Terms(self._lists, by_identity)
            static = [lookup(device, entry.driver, name) for _, entry, device in places]
            rows.append(terms.row(static))
            for index in sorted(constraint.asks):
                expression = self._plan.asks[index].derived.get(name)
                if expression is not None and "DerivedAttributes" in self._features:
                    derived[constraint.index, index] = terms.row(
                        [
                            self._eligibility.derived(name, expression, entry.driver, device)
                            for _, entry, device in places
                        ]
                    )
        return tuple(rows), derived

    # Counters

    def _origin(self, number: int, entry: Slice) -> Any:
        by_slice = self._variant.counters is CounterScope.SLICE
        return (number, entry.name) if by_slice else number

    def _is_contested(self, pool: Pool) -> bool:
        by_name = self._variant.counters is CounterScope.POOL_NAME
        return by_name and pool.id.pool in self._gatherer.contested_names

    def _available(self, pool: Pool, entry: Slice) -> Counters:
        """What allocated devices leave of the counters of a pool, or of a slice."""
        by_slice = self._variant.counters is CounterScope.SLICE
        sets = entry.counters if by_slice else pool.counter_sets
        left = {
            (counter_set.name, name): amount
            for counter_set in sets
            for name, amount in counter_set.counters
        }
        for other in (entry,) if by_slice else (*pool.slices, *pool.others):
            for device in other.devices:
                if device.traits.consumes and self._holds_counters(other, device):
                    for use in device.traits.consumes:
                        for name, amount in use.counters:
                            if (use.counter_set, name) in left:
                                left[use.counter_set, name] -= amount
        return left

    def _holds_counters(self, entry: Slice, device: Device) -> bool:
        identity = DeviceId(entry.driver, entry.pool, device.name)
        state = self._state
        if identity in state.exclusive:
            return True
        if not (self._variant.shares_hold_counters and self._variant.stores_state):
            return False
        return identity in state.shares or identity in state.consumed

    def _group_baseline(self, pool: Pool) -> Mapping[str, tuple[frozenset[str], ...]]:
        """The compatibility groups of allocated devices, by counter set (gate on only)."""
        found: dict[str, tuple[frozenset[str], ...]] = {}
        if "CompatibilityGroups" not in self._features:
            return found
        for entry in (*pool.slices, *pool.others):
            for device in entry.devices:
                if self._holds_counters(entry, device):
                    for use in device.traits.consumes:
                        known = found.get(use.counter_set, ())
                        found[use.counter_set] = (*known, use.compatibility_groups)
        return found


class _Terms:
    """Renames the values of one constraint so that only which are equal shows."""

    __slots__ = ("_by_identity", "_lists", "_names")

    def __init__(self, lists: bool, by_identity: bool) -> None:
        self._lists = lists
        self._by_identity = by_identity
        self._names: dict[Any, Any] = {}

    def row(self, attributes: Sequence[Attribute | Fault | None]) -> tuple[Value, ...]:
        values: list[Value] = []
        for position, attribute in enumerate(attributes):
            if isinstance(attribute, Fault):
                values.append(attribute)
                continue
            value = value_of(attribute, self._lists)
            if value is not None and value != UNKNOWN and not self._lists:
                names = self._names
                value = position if self._by_identity else names.setdefault(value, len(names))
            values.append(value)
        return tuple(values)


_NOWHERE = Slice("", "", "", 0, 0, None, False, None, None, (), ())
_NOTHING = Device("", {}, Traits({}, (), (), None, False, None, None, None, False, None))
