"""Many nodes at once: each distinct node is searched once, the others share its answer.

Nodes are grouped when the fleet is first used, by everything about their pools but names and the
attributes that nearly every device has another value of. A group has one answer for claims that do
not read those attributes and nodes whose devices in use stand at the same positions. The other
nodes are reduced to problems one by one, and equal problems still share an answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.allocator.layout import Layout, arrange
from dradsl.allocator.pools import GatherError, Pool, PoolGatherer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.allocate import Allocator, NodeResult
    from dradsl.allocator.inventory import Device, Inventory, PoolId
    from dradsl.allocator.nodes import Node
    from dradsl.allocator.problem import Problem
    from dradsl.allocator.search import Answer
    from dradsl.allocator.state import Use
    from dradsl.allocator.switches import AllocatorFeatures, Variant

__all__ = ["Fleet", "Group"]

# An attribute tells devices apart, rather than kinds of them, if it has more values than this.
_MANY_VALUES = 64
_MANY_SHARE = 1 / 8


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Nodes with one answer: `error` if their pools cannot be gathered, else `answer`."""

    nodes: tuple[Node, ...]
    answer: Answer | None
    error: str | None = None
    invalid: bool = False

    @property
    def fits(self) -> bool:
        from dradsl.allocator.search import Outcome

        return self.answer is not None and self.answer.outcome is Outcome.FITS


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """The devices of a pool that one node alone sees: number of the pool there, and positions."""

    node: str
    pool: int
    positions: Mapping[str, int]


class Fleet:
    """The nodes of an inventory with their pools, gathered once."""

    def __init__(self, inventory: Inventory, variant: Variant, features: AllocatorFeatures) -> None:
        self.inventory = inventory
        self.gatherer = PoolGatherer(inventory, variant, features)
        self._variant = variant
        self._pools: dict[str, tuple[Pool, ...] | GatherError] = {}
        self._layouts: dict[str, Layout] = {}
        self._shapes: dict[str, Any] | None = None
        self._identifying: frozenset[str] | None = None
        self._viewers: dict[PoolId, set[str]] | None = None
        self._places: dict[PoolId, _Places | None] = {}
        self._common: dict[int, bool] = {}

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
        self._ensure_shapes()
        self._ensure_viewers()

    def groups(self, allocator: Allocator, nodes: Sequence[Node]) -> Iterator[Group]:
        """The answers of `nodes`, alike ones together."""
        alone: Iterable[Node] = nodes
        if self._is_shareable(allocator):
            shapes = self._ensure_shapes()
            touched = self._touched(allocator.uses)
            together: dict[Any, list[Node]] = {}
            alone = []
            for node in nodes:
                shape = shapes.get(node.name)
                marks = touched.get(node.name, ())
                if shape is None or marks is None:
                    alone.append(node)
                else:
                    together.setdefault((shape, marks), []).append(node)
            for members in together.values():
                yield self._group(allocator, members)[0]
        by_answer: dict[Any, list[Node]] = {}
        kept: dict[Any, Group] = {}
        for node in alone:
            group, likeness = self._group(allocator, [node])
            key = (id(group.answer), group.error, group.invalid, likeness)
            by_answer.setdefault(key, []).append(node)
            kept[key] = group
        for key, members in by_answer.items():
            group = kept[key]
            yield Group(tuple(members), group.answer, group.error, group.invalid)

    def result(self, allocator: Allocator, group: Group, node: Node) -> NodeResult:
        """What a group's answer means on one of its nodes."""
        from dradsl.allocator.allocate import NodeResult

        if group.answer is None:
            return NodeResult(node.name, None, group.error, "fatal")
        problem = allocator.builder.build(node, self.layout(node))
        return allocator.conclude(node, problem, group.answer)

    def problem(self, allocator: Allocator, node: Node) -> Problem:
        """The problem that a node poses, with all its devices; raises GatherError."""
        return allocator.builder.build(node, self.layout(node), whole=True)

    def layout(self, node: Node) -> Layout:
        """The candidates of a node; raises GatherError."""
        found = self._layouts.get(node.name)
        if found is None:
            found = self._layouts[node.name] = arrange(self.pools(node), self._variant)
        return found

    def _group(self, allocator: Allocator, nodes: Sequence[Node]) -> tuple[Group, Any]:
        """The answer of nodes that are alike, and what only nodes like them have in common."""
        try:
            layout = self.layout(nodes[0])
        except GatherError as error:
            return Group(tuple(nodes), None, str(error)), None
        problem = allocator.builder.build(nodes[0], layout)
        invalid = any(pool.invalid for pool in layout.gathered)
        return Group(tuple(nodes), allocator.answer(problem), None, invalid), problem.likeness

    def _is_shareable(self, allocator: Allocator) -> bool:
        reads = allocator.eligibility.reads
        if reads is None or self.gatherer.contested_names:
            return False
        if any(ask.derived for ask in allocator.plan.asks):
            # What their expressions read is not known.
            return False
        wanted = {constraint.attribute for constraint in allocator.plan.constraints}
        names = {name.rpartition("/")[2] for name in (*reads, *wanted)}
        return "*" not in names and not any(
            name.rpartition("/")[2] in names for name in self._find_identifying()
        )

    def _touched(self, uses: Mapping[tuple[str, str], Mapping[str, Use]]) -> dict[str, Any]:
        """What is in use on nodes, by position; None on nodes that share a pool with others."""
        viewers = self._ensure_viewers()
        alone: dict[str, None] = {}
        marks: dict[str, list[Any]] = {}
        for pool, devices in uses.items():
            names = viewers.get(pool, ())  # type: ignore[call-overload]
            places = self._places_of(pool, names)
            if places is None:
                alone.update(dict.fromkeys(names))
                continue
            positions = places.positions
            found = [
                (places.pool, positions[name], use)
                for name, use in devices.items()
                if name in positions
            ]
            marks.setdefault(places.node, []).extend(found)
        return {
            **{name: tuple(sorted(found, key=_place)) for name, found in marks.items()},
            **dict.fromkeys(alone),
        }

    def _places_of(self, pool: Any, names: Collection[str]) -> _Places | None:
        """Where the devices of a pool stand on the one node that sees it."""
        if pool not in self._places:
            self._places[pool] = self._find_places(pool, names)
        return self._places[pool]

    def _find_places(self, pool: Any, names: Collection[str]) -> _Places | None:
        if len(names) != 1:
            return None
        (name,) = names
        pools = self._pools.get(name, ())
        if isinstance(pools, GatherError):
            return None
        number = next(i for i, entry in enumerate(pools) if entry.id == pool)
        slices = (*pools[number].slices, *pools[number].others)
        devices = [device.name for entry in slices for device in entry.devices]
        positions = {device: position for position, device in enumerate(devices)}
        # Where names are not unique, a name is no place.
        return _Places(name, number, positions) if len(positions) == len(devices) else None

    def _ensure_viewers(self) -> dict[PoolId, set[str]]:
        """The nodes that see a pool in which some node has slices of its own."""
        if self._viewers is None:
            viewers: dict[PoolId, set[str]] = {}
            for node in self.inventory.nodes:
                for pool in self._pools_or_none(node):
                    if not self._is_common(pool):
                        viewers.setdefault(pool.id, set()).add(node.name)
            self._viewers = viewers
        return self._viewers

    def _is_common(self, pool: Pool) -> bool:
        """Whether all nodes that see this record see the same devices in it."""
        found = self._common.get(id(pool))
        if found is None:
            found = not any(entry.node_name for entry in (*pool.slices, *pool.linked))
            self._common[id(pool)] = found
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

    def _ensure_shapes(self) -> dict[str, Any]:
        """A number per node; nodes without one stand alone."""
        if self._shapes is None:
            shapes = _Shapes(self._find_identifying())
            found: dict[str, Any] = {}
            known: dict[int, tuple[int | None, ...]] = {}
            numbers: dict[Any, int] = {}
            for node in self.inventory.nodes:
                try:
                    pools = self.pools(node)
                except GatherError:
                    continue
                # Nodes without slices of their own see one and the same list.
                shape = known.get(id(pools))
                if shape is None:
                    shape = tuple([shapes.of(p, node, self._is_common(p)) for p in pools])
                    if all(map(self._is_common, pools)):
                        known[id(pools)] = shape
                if None not in shape:
                    key = (shape, node.declared_features)
                    found[node.name] = numbers.setdefault(key, len(numbers))
            self._shapes = found
        return self._shapes


def _place(mark: tuple[int, int, Use]) -> tuple[int, int]:
    return mark[0], mark[1]


class _Shapes:
    """Numbers for what pools look like without their names and `hidden` attributes."""

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self._kinds: dict[Any, int] = {}
        self._numbers: dict[Any, int] = {}
        self._common: dict[int, int | None] = {}

    def of(self, pool: Pool, node: Node, common: bool) -> int | None:
        """A number; None where more than the node's own slices decide. `common` pools look the
        same from everywhere."""
        if common and id(pool) in self._common:
            return self._common[id(pool)]
        shape = self._shape(pool, node)
        number = None if shape is None else self._numbers.setdefault(shape, len(self._numbers))
        if common:
            self._common[id(pool)] = number
        return number

    def _shape(self, pool: Pool, node: Node) -> tuple[Any, ...] | None:
        slices = []
        for entry in pool.slices:
            own = entry.node_name == node.name and entry.per_device is None
            terms = (entry.node_selector or {}).get("nodeSelectorTerms") or ()
            if not own and (entry.per_device or len(terms) > 1):
                return None
            # Slices of other places are told apart one by one: their devices are shared.
            slices.append(
                (
                    None if own else id(entry),
                    entry.driver,
                    bool(entry.skip_node_operations),
                    tuple([self._kind(device) for device in entry.devices]),
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
            id(pool.linked) if pool.linked else 0,
            pool.counter_sets,
        )

    def _kind(self, device: Device) -> int:
        key = (
            id(device.traits),
            device.odd and id(device),
            tuple([item for item in device.attributes.items() if item[0] not in self._hidden]),
        )
        return self._kinds.setdefault(key, len(self._kinds))
