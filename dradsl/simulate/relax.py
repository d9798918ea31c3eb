"""The smallest change to a pod's claims under which they fit a node, found by trying.

A relaxation is only named after the allocator has found devices for the changed claims on that very
node, in the same state.
"""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.explain.clauses import join_clauses, split_clauses
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.inventory.pools import GatherError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        DeviceSelectorDict,
        DeviceSubRequestDict,
        ExactDeviceRequestDict,
        ResourceClaimDict,
    )
    from dradsl.simulate.attempts import Simulation

__all__ = ["Relaxation", "relax"]

_MAX_TRIALS = 120
_BUDGET = 50_000

_Ask: TypeAlias = "ExactDeviceRequestDict | DeviceSubRequestDict"
Accepts: TypeAlias = "Callable[[Node, Sequence[AllocationResultDict]], bool]"


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """A change that makes the claims fit `node`: what to change, and the claims so changed.

    `frees`: instead of changing claims, devices that are in use now have to be free.
    """

    node: str
    changes: tuple[str, ...]
    claims: tuple[ResourceClaimDict, ...]
    frees: int = 0

    @property
    def text(self) -> str:
        """The changes in words, joined by "and"."""
        return " and ".join(self.changes)


@dataclass(frozen=True, slots=True)
class _Edit:
    """One change: which claim, what it does in words, and the change itself as a path and value.

    `value` None removes what `path` names.
    """

    claim: int
    text: str
    path: tuple[str | int, ...]
    value: Any = None


def relax(
    simulation: Simulation,
    claims: Sequence[ResourceClaimDict],
    nodes: Sequence[Node],
    accepts: Accepts | None = None,
) -> Relaxation | None:
    """The smallest relaxation that lets `claims` fit one of `nodes`; None if none was found.

    `accepts`: whether the node still does once the claims have got these allocations.

    One change is smaller than two; among single changes clauses go before constraints, counts,
    taints and capacities, and waiting for devices in use goes last.
    """
    trials = _Trials(simulation, accepts)
    edits = list(_edits(claims, simulation))
    for node in nodes:
        for edit in edits:
            if found := trials.attempt(claims, (edit,), node):
                return found
    for node in nodes:
        if found := trials.freed(claims, node):
            return found
    for node in nodes:
        for pair in itertools.combinations(edits, 2):
            if _compatible(*pair) and (found := trials.attempt(claims, pair, node)):
                return found
    return None


def _compatible(a: _Edit, b: _Edit) -> bool:
    """Whether two changes can be made together: not where one replaces or removes the other."""
    shorter = min(len(a.path), len(b.path))
    return a.claim != b.claim or a.path[:shorter] != b.path[:shorter]


class _Trials:
    def __init__(self, simulation: Simulation, accepts: Accepts | None) -> None:
        self._simulation = simulation
        self._accepts = accepts
        self._left = _MAX_TRIALS

    def attempt(
        self, claims: Sequence[ResourceClaimDict], edits: Sequence[_Edit], node: Node
    ) -> Relaxation | None:
        changed = [copy.deepcopy(claim) for claim in claims]
        # Later list items first, so that removals do not move what is still to be changed.
        for edit in sorted(edits, key=lambda one: _order(one.path), reverse=True):
            _apply(changed[edit.claim], edit)
        if not self._fits(changed, node, self._simulation.state):
            return None
        return Relaxation(node.name, tuple(edit.text for edit in edits), tuple(changed))

    def freed(self, claims: Sequence[ResourceClaimDict], node: Node) -> Relaxation | None:
        """Whether the claims fit once nothing is in use, and how few devices must become free."""
        state = self._simulation.state
        devices = [
            name
            for pool in self._pools(node)
            for entry in pool.slices
            for device in entry.devices
            if (name := _identity(entry, device)) in state.exclusive
            or name in state.shares
            or name in state.consumed
        ]
        if not devices or not self._fits(claims, node, AllocatedState()):
            return None
        for count in range(1, min(len(devices), 3) + 1):
            for names in itertools.islice(itertools.combinations(devices, count), 30):
                without = state.copy()
                for name in names:
                    without.free(name)
                if self._fits(claims, node, without):
                    freed = ", ".join(name.device for name in names)
                    text = f"wait until {freed} {'is' if count == 1 else 'are'} free"
                    return Relaxation(node.name, (text,), tuple(claims), count)
        text = f"wait until more of its {len(devices)} devices in use are free"
        return Relaxation(node.name, (text,), tuple(claims), len(devices))

    def _pools(self, node: Node) -> Sequence[Any]:
        try:
            return self._simulation.fleet.pools(node)
        except GatherError:
            return ()

    def _fits(self, claims: Sequence[ResourceClaimDict], node: Node, state: AllocatedState) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        simulation = self._simulation
        allocator = Allocator(
            simulation.cluster.inventory,
            simulation.cluster.classes,
            claims,
            state,
            simulation.selectors,
            simulation.variant,
            simulation.allocator_features,
            budget=_BUDGET,
            gatherer=simulation.fleet.gatherer,
        )
        result = allocator.allocate(node)
        if not result.fits or self._accepts is None:
            return result.fits
        return self._accepts(node, result.allocations or ())


def _identity(entry: Any, device: Any) -> Any:
    from dradsl.allocator.inventory.slices import DeviceId

    return DeviceId(entry.driver, entry.pool, device.name)


def _order(path: tuple[str | int, ...]) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def _apply(document: ResourceClaimDict, edit: _Edit) -> None:
    place: Any = document
    for step in edit.path[:-1]:
        place = place[step]
    last = edit.path[-1]
    if edit.value is None:
        del place[last]
    else:
        place[last] = edit.value


def _edits(claims: Sequence[ResourceClaimDict], simulation: Simulation) -> Iterator[_Edit]:
    """Every single change worth trying, the mildest kinds first."""
    found: list[tuple[int, _Edit]] = []
    for number, claim in enumerate(claims):
        devices = (claim.get("spec") or {}).get("devices") or {}
        for place, request in enumerate(devices.get("requests") or ()):
            base: tuple[str | int, ...] = ("spec", "devices", "requests", place)
            asks: list[tuple[tuple[str | int, ...], str, _Ask]] = []
            name = str(request.get("name") or "")
            if request.get("exactly"):
                asks.append(((*base, "exactly"), name, request["exactly"]))
            for i, part in enumerate(request.get("firstAvailable") or ()):
                asks.append(((*base, "firstAvailable", i), f"{name}/{part.get('name')}", part))
            for path, label, ask in asks:
                found += _ask_edits(number, path, label, ask, simulation)
        for i, constraint in enumerate(devices.get("constraints") or ()):
            attribute = constraint.get("matchAttribute") or constraint.get("distinctAttribute")
            text = f"drop the constraint on {attribute}"
            found.append((1, _Edit(number, text, ("spec", "devices", "constraints", i))))
    found.sort(key=lambda pair: pair[0])
    yield from (edit for _, edit in found)


def _ask_edits(
    claim: int,
    path: tuple[str | int, ...],
    label: str,
    ask: _Ask,
    simulation: Simulation,
) -> Iterator[tuple[int, _Edit]]:
    for i, selector in enumerate(ask.get("selectors") or ()):
        yield from _clause_edits(claim, (*path, "selectors", i), label, selector)
    count = ask.get("count") or 1
    if ask.get("allocationMode") != "All":
        for fewer in range(min(count, 33) - 1, 0, -1):
            text = f"ask for {fewer} instead of {count} in request {label}"
            yield 2, _Edit(claim, text, (*path, "count"), fewer)
    yield from _taint_edits(claim, path, label, ask, simulation)
    if ask.get("capacity"):
        text = f"drop the capacity request of request {label}"
        yield 4, _Edit(claim, text, (*path, "capacity"))


def _clause_edits(
    claim: int, path: tuple[str | int, ...], label: str, selector: DeviceSelectorDict
) -> Iterator[tuple[int, _Edit]]:
    cel = selector.get("cel")
    expression = str(cel.get("expression") or "") if cel else ""
    clauses = split_clauses(expression)
    if len(clauses) < 2:
        yield 0, _Edit(claim, f"drop the selector `{expression}` of request {label}", path)
        return
    for i, clause in enumerate(clauses):
        rest = join_clauses([*clauses[:i], *clauses[i + 1 :]])
        text = f"drop the clause `{clause}` of request {label}"
        yield 0, _Edit(claim, text, path, {"cel": {"expression": rest}})
    text = f"drop the selector `{expression}` of request {label}"
    yield 5, _Edit(claim, text, path)


def _taint_edits(
    claim: int,
    path: tuple[str | int, ...],
    label: str,
    ask: _Ask,
    simulation: Simulation,
) -> Iterator[tuple[int, _Edit]]:
    if "DeviceTaints" not in simulation.allocator_features:
        return
    taints = {
        (taint.key, taint.effect)
        for _, device in simulation.cluster.inventory.devices()
        for taint in device.traits.taints
    }
    for key, effect in sorted(taints)[:4]:
        toleration = {"key": key, "operator": "Exists", "effect": effect}
        tolerations = [*(ask.get("tolerations") or ()), toleration]
        text = f"tolerate taint {key}:{effect} in request {label}"
        yield 3, _Edit(claim, text, (*path, "tolerations"), tolerations)
