"""Many nodes at once: each distinct node is searched once, the others share its answer.

Nodes are grouped when the fleet is first used, by everything about their pools but names and the
attributes that nearly every device has another value of. A group has one answer for claims that do
not read those attributes and nodes whose devices in use are at the same positions. The other
nodes are reduced to problems one by one, and equal problems still share an answer. Groups are kept
from claim to claim, see `grouping`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.layout import Layout, arrange
from dradsl.allocator.fleets.grouping import Grouping
from dradsl.allocator.fleets.node_sets import NodeList, NodeSet
from dradsl.allocator.inventory.pools import GatherError, Pool, PoolGatherer

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.engine.allocate import Allocator, NodeResult
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.engine.search import SearchAnswer
    from dradsl.allocator.inventory.allocated import PoolUses, UsedDevice
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import DeviceRecord, Inventory, PoolId, Slice
    from dradsl.allocator.switches import AllocatorFeatures
    from dradsl.releases.scheduling import AllocatorVariant

__all__ = ["GatheredFleet", "Group"]

# An attribute tells devices apart, rather than kinds of them, if it has more values than this.
_MANY_VALUES = 64
_MANY_SHARE = 1 / 8


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Nodes with one answer: `error` if their pools cannot be gathered, else `answer`.

    `alike`: their devices are of the same kinds, and the same ones are in use, by position.
    """

    nodes: Sequence[Node]
    answer: SearchAnswer | None
    error: str | None = None
    invalid: bool = False
    alike: bool = False

    @property
    def fits(self) -> bool:
        from dradsl.allocator.engine.search import SearchOutcome

        return self.answer is not None and self.answer.outcome is SearchOutcome.FITS


_Places = tuple[int, "Mapping[str, int]"]
"""Where devices stand that one node alone sees: the number of their pool there, and positions."""


class GatheredFleet:
    """The nodes of an inventory with their pools, gathered once."""

    def __init__(
        self, inventory: Inventory, variant: AllocatorVariant, features: AllocatorFeatures
    ) -> None:
        self.inventory = inventory
        self.gatherer = PoolGatherer(inventory, variant, features)
        self._variant = variant
        self._pools: dict[str, tuple[Pool, ...] | GatherError] = {}
        self._layouts: dict[str, Layout] = {}
        self._kinds: dict[Slice, tuple[int, ...]] = {}
        self._shapes: tuple[dict[str, int], frozenset[int]] | None = None
        self._identifying: frozenset[str] | None = None
        self.every = NodeList(inventory.nodes)
        self._kept_grouping: Grouping | None = None
        self._viewers: dict[PoolId, list[str]] | None = None
        self._own_pools: dict[str, list[PoolId]] = {}
        self._places: dict[PoolId, _Places | None] = {}
        self._marked: dict[PoolId, tuple[Mapping[str, UsedDevice], int | None]] = {}
        self._mark_numbers: dict[tuple[Any, ...], int] = {}
        self._common: dict[Pool, bool] = {}

    def pools(self, node: Node) -> tuple[Pool, ...]:
        """The pools of a node.

        Raises:
            GatherError: for a node selector that does not parse.
        """
        found = self._pools.get(node.name)
        if found is None:
            try:
                found = self.gatherer.gather(node)
            except GatherError as error:
                found = error
            self._pools[node.name] = found
        if isinstance(found, GatherError):
            raise found
        return found

    def prepare(self) -> None:
        """Gather the pools of all nodes and group the nodes: the cost of loading a fleet."""
        self._ensure_grouping()

    def groups(self, allocator: Allocator, nodes: Sequence[Node]) -> Iterator[Group]:
        """The answers of `nodes`, alike ones together."""
        alone: Iterable[Node] = nodes
        if self._is_shareable(allocator):
            grouping, bits = self._grouping(nodes)
            together, alone = grouping.split(allocator.uses, bits)
            for likes in together:
                yield self._group(allocator, likes, by_kind=True)[0]
        by_answer: dict[Any, list[Node]] = {}
        kept: dict[Any, Group] = {}
        for node in alone:
            group, node_key = self._group(allocator, [node], by_kind=False)
            key = (group.answer, group.error, group.invalid, node_key)
            by_answer.setdefault(key, []).append(node)
            kept[key] = group
        for key, members in by_answer.items():
            group = kept[key]
            yield Group(tuple(members), group.answer, group.error, group.invalid)

    def result(self, allocator: Allocator, group: Group, node: Node) -> NodeResult:
        """What a group's answer means on one of its nodes."""
        from dradsl.allocator.engine.allocate import NodeResult

        if group.answer is None:
            return NodeResult(node.name, None, group.error, "fatal")
        problem = allocator.builder.build(node, self.layout(node))
        return allocator.conclude(node, problem, group.answer)

    def problem(self, allocator: Allocator, node: Node) -> SearchProblem:
        """The problem that a node poses, with all its devices; raises GatherError."""
        return allocator.builder.build(node, self.layout(node), whole=True)

    def layout(self, node: Node) -> Layout:
        """The candidates of a node; raises GatherError."""
        found = self._layouts.get(node.name)
        if found is None:
            found = self._layouts[node.name] = arrange(self.pools(node), self._variant, self._kinds)
        return found

    def _group(
        self, allocator: Allocator, nodes: Sequence[Node], *, by_kind: bool
    ) -> tuple[Group, Any]:
        """The answer of nodes that are alike, and what only nodes like them have in common."""
        try:
            layout = self.layout(nodes[0])
        except GatherError as error:
            return Group(nodes, None, str(error)), None
        problem = allocator.builder.build(nodes[0], layout, by_kind=by_kind)
        invalid = any(pool.invalid for pool in layout.gathered)
        node_key = None if by_kind else problem.node_key
        return Group(nodes, allocator.answer(problem), None, invalid, by_kind), node_key

    def _is_shareable(self, allocator: Allocator) -> bool:
        reads = allocator.eligibility.reads
        if reads is None or self.gatherer.disputed_pools:
            return False
        if any(request_data.derived for request_data in allocator.plan.all_requests):
            # What their expressions read is not known.
            return False
        wanted = {constraint.attribute for constraint in allocator.plan.constraints}
        names = {name.rpartition("/")[2] for name in (*reads, *wanted)}
        return "*" not in names and not any(
            name.rpartition("/")[2] in names for name in self._find_identifying()
        )

    def _grouping(self, nodes: Sequence[Node]) -> tuple[Grouping, int]:
        """The groups of nodes, kept for those of the inventory, and which of them are meant."""
        if isinstance(nodes, NodeSet) and nodes.every.nodes is self.inventory.nodes:
            return self._ensure_grouping(), nodes.bits
        if nodes is self.inventory.nodes:
            return self._ensure_grouping(), self.every.all_bits
        others = NodeList(nodes)
        return self._new_grouping(others), others.all_bits

    def _ensure_grouping(self) -> Grouping:
        if self._kept_grouping is None:
            self._kept_grouping = self._new_grouping(self.every)
        return self._kept_grouping

    def _new_grouping(self, every: NodeList) -> Grouping:
        shapes, unlike = self._ensure_shapes()
        return Grouping(every, shapes, unlike, self._ensure_viewers(), self._marks)

    def _marks(self, uses: PoolUses, node: Node) -> tuple[int, ...] | None:
        """What is in use on a node, by position; None where it shares such a pool with others.

        Equal marks are equal numbers: those of all nodes are compared for each claim.
        """
        found = []
        for pool in self._own_pools.get(node.name, ()):
            used = uses.get(pool)
            if used:
                known = self._marked.get(pool)
                if known is None or known[0] is not used:
                    # From one claim to the next most pools are as they were, and the same record.
                    marks = self._marks_in(pool, used)
                    number = None if marks is None else self._numbered(marks)
                    known = self._marked[pool] = used, number
                if known[1] is None:
                    return None
                found.append(known[1])
        return tuple(found)

    def _numbered(self, marks: tuple[Any, ...]) -> int:
        return self._mark_numbers.setdefault(marks, len(self._mark_numbers))

    def _marks_in(self, pool: PoolId, used: Mapping[str, UsedDevice]) -> tuple[Any, ...] | None:
        places = self._places_of(pool)
        if places is None:
            return None
        number, positions = places
        marks = [(positions[name], use) for name, use in used.items() if name in positions]
        return number, tuple(sorted(marks, key=itemgetter(0)))

    def _places_of(self, pool: PoolId) -> _Places | None:
        """Where the devices of a pool are on the one node that sees it."""
        if pool not in self._places:
            self._places[pool] = self._find_places(pool)
        return self._places[pool]

    def _find_places(self, pool: PoolId) -> _Places | None:
        names = self._ensure_viewers()[pool]
        if len(names) != 1:
            return None
        pools = self._pools[names[0]]
        if isinstance(pools, GatherError):
            return None
        number = next(i for i, entry in enumerate(pools) if entry.id == pool)
        slices = (*pools[number].slices, *pools[number].others)
        devices = [device.name for entry in slices for device in entry.devices]
        positions = {device: position for position, device in enumerate(devices)}
        # Where names are not unique, a name is no place.
        return (number, positions) if len(positions) == len(devices) else None

    def _ensure_viewers(self) -> dict[PoolId, list[str]]:
        """The nodes that see a pool in which some node has slices of its own."""
        if self._viewers is None:
            viewers: dict[PoolId, list[str]] = {}
            for node in self.inventory.nodes:
                own = [p.id for p in self._pools_or_none(node) if not self._is_common(p)]
                for pool in own:
                    viewers.setdefault(pool, []).append(node.name)
                self._own_pools[node.name] = own
            self._viewers = viewers
        return self._viewers

    def _is_common(self, pool: Pool) -> bool:
        """Whether all nodes that see this record see the same devices in it."""
        found = self._common.get(pool)
        if found is None:
            found = not any(entry.node_name for entry in (*pool.slices, *pool.linked))
            self._common[pool] = found
        return found

    def _pools_or_none(self, node: Node) -> tuple[Pool, ...]:
        try:
            return self.pools(node)
        except GatherError:
            return ()

    def _find_identifying(self) -> frozenset[str]:
        """The attributes that have another value on nearly every device."""
        if self._identifying is None:
            # Devices that have the same attributes make a table; a column is read at once.
            tables: dict[tuple[str, ...], list[Iterable[Any]]] = {}
            for _, device in self.inventory.devices():
                row = device.attributes
                tables.setdefault(tuple(row), []).append(row.values())
            values: dict[str, set[Any]] = {}
            counts: Counter[str] = Counter()
            for names, rows in tables.items():
                for name, column in zip(names, zip(*rows, strict=True), strict=True):
                    counts[name] += len(column)
                    values.setdefault(name, set()).update(column)
            self._identifying = frozenset(
                name
                for name, found in values.items()
                if len(found) > max(_MANY_VALUES, counts[name] * _MANY_SHARE)
            )
        return self._identifying

    def _ensure_shapes(self) -> tuple[dict[str, int], frozenset[int]]:
        """A number per node (nodes without one stand alone), and the numbers of single nodes."""
        if self._shapes is None:
            shapes = _Shapes(self._find_identifying(), self._kinds)
            found: dict[str, int] = {}
            known: dict[Hashable, tuple[int | None, ...]] = {}
            numbers: dict[Any, int] = {}
            for node in self.inventory.nodes:
                try:
                    pools = self.pools(node)
                except GatherError:
                    continue
                # Nodes without slices of their own see one and the same list.
                view = self.gatherer.shared_view(node)
                shape = None if view is None else known.get(view)
                if shape is None:
                    shape = tuple([shapes.of(p, node, self._is_common(p)) for p in pools])
                    if view is not None and all(map(self._is_common, pools)):
                        known[view] = shape
                if None not in shape:
                    key = (shape, node.declared_features)
                    found[node.name] = numbers.setdefault(key, len(numbers))
            counts = Counter(found.values())
            unlike = frozenset(number for number, count in counts.items() if count == 1)
            self._shapes = found, unlike
        return self._shapes


class _Shapes:
    """Numbers for what pools look like without their names and `hidden` attributes.

    `rows` receives the kinds of the devices of each slice.
    """

    def __init__(self, hidden: frozenset[str], rows: dict[Slice, tuple[int, ...]]) -> None:
        self._hidden = hidden
        self._rows = rows
        self._kinds: dict[Any, int] = {}
        self._numbers: dict[Any, int] = {}
        self._common: dict[Pool, int | None] = {}

    def of(self, pool: Pool, node: Node, common: bool) -> int | None:
        """A number; None where more than the node's own slices decide. `common` pools look the
        same from everywhere."""
        if common and pool in self._common:
            return self._common[pool]
        shape = self._shape(pool, node)
        number = None if shape is None else self._numbers.setdefault(shape, len(self._numbers))
        if common:
            self._common[pool] = number
        return number

    def _shape(self, pool: Pool, node: Node) -> tuple[Any, ...] | None:
        slices = []
        for entry in pool.slices:
            own = entry.node_name == node.name and entry.per_device is None
            selector = entry.node_selector
            terms = (selector.get("nodeSelectorTerms") if selector else None) or ()
            if not own and (entry.per_device or len(terms) > 1):
                return None
            # Slices of other places are told apart one by one: their devices are shared.
            kinds = self._rows[entry] = tuple([self._kind(device) for device in entry.devices])
            slices.append(
                (
                    None if own else entry,
                    entry.driver,
                    bool(entry.skip_node_operations),
                    kinds,
                    entry.counters,
                )
            )
        return (
            pool.id.driver,
            pool.incomplete,
            pool.reason is not None,
            len(pool.slices),
            tuple(slices),
            # Those that are not the node's own are the same for like nodes while none is in use.
            # They are all of a generation of a pool, so that the first tells which.
            pool.linked[:1],
            pool.counter_sets,
        )

    def _kind(self, device: DeviceRecord) -> int:
        key = (
            device.traits,
            device.odd and device,
            tuple([item for item in device.attributes.items() if item[0] not in self._hidden]),
        )
        return self._kinds.setdefault(key, len(self._kinds))
