"""Pools as one node sees them: which slices count, complete or not, valid or not, in which order.

Follows GatherPools of `structured/internal/*/pools_*.go`.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from dradsl.allocator.inventory.nodes import (
    Node,
    ParsedNodeSelector,
    SelectorError,
    compile_selector,
)
from dradsl.releases.scheduling import AllocatorVariant, CounterScope, PoolModel, SearchOrder

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.slices import (
        CounterSetRecord,
        DeviceRecord,
        Inventory,
        PoolId,
        Slice,
        Traits,
    )
    from dradsl.allocator.switches import AllocatorFeatures

__all__ = ["DisputedPool", "GatherError", "Pool", "PoolGatherer"]


class GatherError(ValueError):
    """Pools could not be told apart; fatal for the whole scheduling attempt."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A pool from the view of one node.

    `slices` hold the candidates, in order. `linked` are all slices of the pool, on whatever node,
    whose allocated devices count against shared counters; `own` are the names of those that reach
    the node. `reason` says why an invalid pool is invalid. `announced` and `found` are slice
    counts. An unusable pool has no slices, except where the release uses it anyway.
    """

    id: PoolId
    slices: tuple[Slice, ...] = ()
    linked: tuple[Slice, ...] = ()
    own: frozenset[str] = frozenset()
    counter_sets: tuple[CounterSetRecord, ...] = ()
    incomplete: bool = False
    reason: str | None = None
    announced: int = 0
    found: int = 0

    @property
    def others(self) -> tuple[Slice, ...]:
        """The linked slices that do not reach the node."""
        return tuple(entry for entry in self.linked if entry.name not in self.own)

    @property
    def invalid(self) -> bool:
        return self.reason is not None

    @property
    def has_conditions(self) -> bool:
        return any(map(_has_conditions, self.slices))


@dataclass(frozen=True, slots=True, eq=False)
class _Generation:
    """The slices of one generation of a pool, wherever they are.

    `linked` ones have devices that use shared counters, `needs` are the counters by set; `counters`
    are slices that define some. `twice` are the names that several slices have.
    """

    count: int
    linked: tuple[Slice, ...]
    counters: tuple[Slice, ...]
    needs: frozenset[tuple[str, str]]
    twice: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What a node sees besides slices that name it: pools in order, their names, and the slices."""

    pools: tuple[Pool, ...]
    names: frozenset[PoolId]
    slices: frozenset[Slice]


class DisputedPool(NamedTuple):
    """A pool, or all of one name, whose allocated devices upstream looks up on one node and takes
    for granted on the others: what they leave of counters, or (`groups`) their compatibility groups.
    """

    driver: str
    pool: str
    groups: bool = False


class _LabelsRead:
    """What node selectors of slices and devices read of a node."""

    def __init__(self, slices: Iterable[Slice]) -> None:
        keys: dict[str, None] = {}
        names: set[str] = set()
        for entry in slices:
            selectors = [entry.node_selector]
            if entry.per_device:
                selectors += [device.traits.node_selector for device in entry.devices]
                names.update(device.traits.node_name or "" for device in entry.devices)
            for selector in filter(None, selectors):
                for term in selector.get("nodeSelectorTerms") or ():
                    for need in term.get("matchExpressions") or ():
                        keys[need.get("key") or ""] = None
                    for need in term.get("matchFields") or ():
                        names.update(need.get("values") or ())
        self._keys = tuple(keys)
        self._names = names

    def key(self, node: Node) -> Hashable:
        """Equal for nodes that no selector tells apart."""
        name = node.name if node.name in self._names else bool(node.name)
        return name, *map(node.labels.get, self._keys)


def _uses_counters(entry: Slice) -> bool:
    return any(device.traits.consumes for device in entry.devices)


def _differs_between_nodes(slices: Sequence[Slice]) -> bool:
    """Whether nodes may see different pools in these slices: they are not all for one node, and
    announce several generations or sizes, or fewer slices than there are."""
    if len({entry.node_name or None for entry in slices}) == 1 and slices[0].node_name:
        return False
    announced = {(entry.generation, entry.count) for entry in slices}
    return len(announced) > 1 or slices[0].count < len(slices)


class PoolGatherer:
    """Gathers pools for one node after the other, from one inventory, as one variant does.

    Where upstream leaves the order of slices to chance, it is by name, or that of the inventory
    (`as_listed`).
    """

    def __init__(
        self,
        inventory: Inventory,
        variant: AllocatorVariant,
        features: AllocatorFeatures,
        *,
        as_listed: bool = False,
    ) -> None:
        self.inventory = inventory
        self._variant = variant
        self._listed = (
            {entry: place for place, entry in enumerate(inventory.slices)} if as_listed else None
        )
        self._partitions = "PartitionableDevices" in features
        self._groups = "CompatibilityGroups" in features or not variant.ignores_compatibility_groups
        self._selectors: dict[Slice | Traits, ParsedNodeSelector | SelectorError] = {}
        self._disputed_pools: Mapping[PoolId, DisputedPool] | None = None
        self._local: dict[str, list[Slice]] = {}
        self._selective: list[Slice] = []
        self._shared: dict[PoolId, list[Slice]] = {}
        self._everywhere: dict[PoolId, list[Slice]] = {}
        for entry in inventory.slices:
            if not self._hidden(entry):
                self._sort_in(entry)
        self._generations: dict[tuple[PoolId, int], _Generation] = {}
        self._newest = {
            name: max(entry.generation for entry in listed)
            for name, listed in inventory.pools.items()
        }
        self._read = _LabelsRead(self._selective)
        self._views: dict[Hashable, _View | GatherError] = {}

    # Upstream: sortPoolsByID, sortSlicesByName (structured/internal/*/pools_*.go)
    def _sort_in(self, entry: Slice) -> None:
        everywhere = self._variant.counter_slices_everywhere and entry.counters
        if entry.node_name and not everywhere:
            self._local.setdefault(entry.node_name, []).append(entry)
            return
        self._shared.setdefault(entry.pool_id, []).append(entry)
        if everywhere or entry.all_nodes:
            self._everywhere.setdefault(entry.pool_id, []).append(entry)
        else:
            self._selective.append(entry)

    # Upstream: GatherPools, addSlice (structured/internal/*/pools_*.go)
    def gather(self, node: Node) -> tuple[Pool, ...]:
        """The pools that reach `node`, in the order in which they are searched.

        Complete and valid pools without any device for the node are left out: they change nothing.
        Nodes that have no slices of their own and that selectors cannot tell apart get one object.

        Raises:
            GatherError: for a node selector that does not parse.
        """
        view = self._view(node)
        local = self._local.get(node.name)
        if not local:
            return view.pools
        own: dict[PoolId, list[Slice]] = {}
        for entry in local:
            own.setdefault(entry.pool_id, []).append(entry)
        pools = list(view.pools)
        if not view.names.isdisjoint(own):
            pools = [pool for pool in pools if pool.id not in own]
        for name, listed in own.items():
            pool = self._pool(name, [*listed, *self._shared_with(name, view.slices)])
            if pool is not None:
                insort(pools, pool, key=self._place)
        return tuple(pools)

    def shared_view(self, node: Node) -> Hashable | None:
        """Equal for nodes that get one object from `gather`; None for a node with slices of its own."""
        return None if self._local.get(node.name) else self._read.key(node)

    def _view(self, node: Node) -> _View:
        """What a node sees besides slices of its own; once for nodes that are alike in this."""
        key = self._read.key(node)
        found = self._views.get(key)
        if found is None:
            try:
                found = self._look(node)
            except GatherError as error:
                found = error
            self._views[key] = found
        if isinstance(found, GatherError):
            raise found
        return found

    def _look(self, node: Node) -> _View:
        reaching = [entry for entry in self._selective if self._reaches(entry, node)]
        always = [entry for listed in self._everywhere.values() for entry in listed]
        slices = frozenset((*always, *reaching))
        names = dict.fromkeys(entry.pool_id for entry in (*always, *reaching))
        pools = [
            pool for name in names if (pool := self._pool(name, self._shared_with(name, slices)))
        ]
        return _View(tuple(sorted(pools, key=self._place)), frozenset(names), slices)

    def _shared_with(self, name: PoolId, slices: frozenset[Slice]) -> list[Slice]:
        return [entry for entry in self._shared.get(name, ()) if entry in slices]

    def _place(self, pool: Pool) -> tuple[bool, PoolId]:
        last = pool.has_conditions and self._variant.order is not SearchOrder.CHANCE
        return last, pool.id

    def _pool(self, name: PoolId, relevant: list[Slice]) -> Pool | None:
        """The pool of the newest of these slices, None if it makes no difference."""
        if self._variant.order is not SearchOrder.SORTED:
            # Any order is possible upstream, and so is this one. All that follows keeps to it: the
            # first slice says how many there are, and the search meets the devices in it.
            relevant = sorted(relevant, key=self._chance)
            if self._variant.order is SearchOrder.CONDITIONS_LAST:
                relevant.sort(key=self.comes_last)
        newest = max(entry.generation for entry in relevant)
        kept = [entry for entry in relevant if entry.generation == newest]
        pool = self._build(name, kept)
        if pool is None or pool.incomplete or pool.invalid or pool.slices:
            return pool
        return None

    def _chance(self, entry: Slice) -> int | str:
        """What stands for chance in the order of slices."""
        return entry.name if self._listed is None else self._listed[entry]

    def comes_last(self, entry: Slice) -> bool:
        """Whether a slice is put behind others; those with counters everybody needs are not."""
        everywhere = self._variant.counter_slices_everywhere and entry.counters
        return not everywhere and _has_conditions(entry)

    @property
    def disputed_pools(self) -> Mapping[PoolId, DisputedPool]:
        """Pools whose slices differ between nodes, or whose name two drivers use, each with the key of
        the counters that the first node's result hands to the next.

        A node that sees as many slices as they announce takes these for the whole pool, whatever
        slices there are on other nodes.
        """
        if self._disputed_pools is None:
            self._disputed_pools = {name: self._counters_key(name) for name in self._disputed()}
        return self._disputed_pools

    def _counters_key(self, name: PoolId) -> DisputedPool:
        by_name = self._variant.counters is CounterScope.POOL_NAME
        return DisputedPool("" if by_name else name.driver, name.pool)

    def _disputed(self) -> Iterator[PoolId]:
        if self._variant.counters is CounterScope.SLICE:
            return
        pools = self.inventory.pools
        carriers = Counter(map(self._counters_key, pools))
        suspects = [
            name
            for name, listed in pools.items()
            if carriers[self._counters_key(name)] > 1 or _differs_between_nodes(listed)
        ]
        counted = [name for name in suspects if any(map(_uses_counters, pools[name]))]
        carriers = Counter(map(self._counters_key, counted))
        for name in counted:
            if carriers[self._counters_key(name)] > 1 or _differs_between_nodes(pools[name]):
                yield name

    def device_reaches(self, entry: Slice, device: DeviceRecord, node: Node) -> bool:
        """Whether a device of a slice that reaches the node does so itself.

        Raises:
            SelectorError: for a node selector that does not parse.
        """
        if not entry.per_device:
            return True
        traits = device.traits
        if traits.node_name:
            return node.name == traits.node_name
        return traits.all_nodes or self._matches(traits, node)

    def _hidden(self, entry: Slice) -> bool:
        if not self._partitions:
            whole = self._variant.pools is PoolModel.WHOLE
            if entry.per_device is not None or (whole and entry.counters):
                return True
        return not self._groups and _uses_groups(entry)

    # Upstream: NodeMatches, nodeMatches (structured/internal/*/pools_*.go)
    # Upstream: NodeMatches (structured/allocator.go)
    def _reaches(self, entry: Slice, node: Node) -> bool:
        """Whether a slice that names no node reaches this one."""
        if entry.node_selector is not None:
            try:
                return self._matches(entry, node)
            except SelectorError as error:
                text = f"failed to perform node selection for slice {entry.name}: {error}"
                raise GatherError(f"gather pool information: {text}") from error
        if not entry.per_device:
            return False
        for device in entry.devices:
            try:
                if self.device_reaches(entry, device, node):
                    return True
            except SelectorError as error:
                text = f"failed to perform node selection for device {device.name} in slice"
                raise GatherError(
                    f"gather pool information: {text} {entry.name}: {error}"
                ) from error
        return False

    def _matches(self, owner: Slice | Traits, node: Node) -> bool:
        """Whether the node selector of a slice, or of devices, picks the node."""
        if owner.node_selector is None:
            return False
        parsed = self._selectors.get(owner)
        if parsed is None:
            try:
                parsed = compile_selector(owner.node_selector)
            except SelectorError as error:
                parsed = error
            self._selectors[owner] = parsed
        if isinstance(parsed, SelectorError):
            raise parsed
        return parsed.matches(node)

    # Upstream: buildPool, checkSlicesInPool (structured/internal/*/pools_*.go)
    def _build(self, name: PoolId, kept: list[Slice]) -> Pool | None:
        """The pool of these slices; None if a newer generation exists on other nodes."""
        first = kept[0]
        announced = first.count
        everywhere: _Generation | None = None
        found = len(kept)
        if found != announced and self._variant.pools is not PoolModel.ON_NODE:
            if self._newest[name] > first.generation:
                return None
            everywhere = self._generation(name, first.generation)
            found = everywhere.count
        incomplete = found != announced
        if self._variant.order is SearchOrder.SORTED:
            kept = sorted(kept, key=attrgetter("name"))
        if self._variant.pools is not PoolModel.WHOLE:
            reason = _duplicate_device(kept)
            return Pool(
                name,
                tuple(kept),
                incomplete=incomplete,
                reason=reason,
                announced=announced,
                found=found,
            )
        if incomplete:
            return Pool(name, incomplete=True, announced=announced, found=found)
        return self._build_whole(name, kept, everywhere, announced)

    def _generation(self, name: PoolId, generation: int) -> _Generation:
        key = name, generation
        found = self._generations.get(key)
        if found is None:
            listed = [
                entry
                for entry in self.inventory.pools[name]
                if entry.generation == generation and (self._groups or not _uses_groups(entry))
            ]
            # The older releases look at devices in counter slices as well.
            older = self._variant.counter_slices_everywhere
            linked = tuple(e for e in listed if _needs((e,)) and (older or not e.counters))
            counters = () if older else tuple(entry for entry in listed if entry.counters)
            times = Counter(entry.name for entry in listed)
            twice = frozenset(one for one, count in times.items() if count > 1)
            found = _Generation(len(listed), linked, counters, _needs(linked), twice)
            self._generations[key] = found
        return found

    # Upstream: buildPool, getAndValidateCounterSets (structured/internal/*/pools_*.go)
    def _build_whole(
        self, name: PoolId, kept: list[Slice], everywhere: _Generation | None, announced: int
    ) -> Pool:
        own = frozenset(entry.name for entry in kept)
        with_counters = self._partitions
        devices = [entry for entry in kept if not (with_counters and entry.counters)]
        counters = [entry for entry in kept if with_counters and entry.counters]
        consumers = kept if self._variant.counter_slices_everywhere else devices
        needs = _needs(consumers) if with_counters else frozenset()
        linked: tuple[Slice, ...] = ()
        if with_counters and everywhere is not None and everywhere.count > len(kept):
            counters += [entry for entry in everywhere.counters if entry.name not in own]
            if own.isdisjoint(everywhere.twice):
                needs |= everywhere.needs
            else:
                # Upstream takes slices for looked at that only share a name with one on the node.
                needs |= _needs(entry for entry in everywhere.linked if entry.name not in own)
            linked = everywhere.linked
        reason = _duplicate_device(devices)
        sets = tuple(counter_set for entry in counters for counter_set in entry.counters)
        if with_counters and reason is None:
            reason = _wrong_counters(sets, needs)
        if reason is not None:
            return Pool(name, reason=reason, announced=announced, found=announced)
        return Pool(name, tuple(devices), linked, own, sets, announced=announced, found=announced)


# Upstream: validateDeviceNames, poolIsInvalid (structured/internal/*/pools_*.go)
def _duplicate_device(slices: Iterable[Slice]) -> str | None:
    names: set[str] = set()
    for entry in slices:
        for device in entry.devices:
            if device.name in names:
                return f"duplicate device name {device.name}"
            names.add(device.name)
    return None


# Upstream: validateDeviceCounterConsumption (structured/internal/*/pools_*.go)
def _wrong_counters(
    sets: Sequence[CounterSetRecord], needs: frozenset[tuple[str, str]]
) -> str | None:
    known: dict[str, frozenset[str]] = {}
    for counter_set in sets:
        if counter_set.name in known:
            return f"duplicate counter set name {counter_set.name}"
        known[counter_set.name] = frozenset(name for name, _ in counter_set.counters)
    for needed, counter in sorted(needs):
        if needed not in known:
            return f"counter set {needed} not found"
        if counter and counter not in known[needed]:
            return f"counter {counter} not found in counter set {needed}"
    return None


def _needs(slices: Iterable[Slice]) -> frozenset[tuple[str, str]]:
    """The counters that devices use, with their sets; an empty name stands for the set alone."""
    return frozenset(
        (use.counter_set, name)
        for entry in slices
        for device in entry.devices
        for use in device.traits.consumes
        for name in ("", *(name for name, _ in use.counters))
    )


# Upstream: poolHasBindingConditions, hasBindingConditions (structured/internal/*/pools_*.go)
def _has_conditions(entry: Slice) -> bool:
    return any(device.traits.binding_conditions is not None for device in entry.devices)


# Upstream: sliceUsesCompatibilityGroups (structured/internal/*/compatibility_groups.go)
# Upstream: slicesWithoutCompatibilityGroups (structured/internal/*/compatibility_groups.go)
def _uses_groups(entry: Slice) -> bool:
    return any(
        use.compatibility_groups for device in entry.devices for use in device.traits.consumes
    )
