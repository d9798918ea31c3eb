"""Claims to move so that a pod fits that does not fit now: fragmentation undone with the fewest restarts.

A plan is only named after the pod was placed on the freed devices, and the pods that gave them up were placed anew on what
is left then: all by the allocator, with the rules of nodes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.kube.pods.workloads import PodSpecAt, pod_specs
from dradsl.simulate.input.changes import made_again, stays_with_its_node
from dradsl.simulate.input.workload import Workload
from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.simulate.pods import Pod, PodClaimEntry, the_pod
from dradsl.simulate.rematch import devices_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import Key
    from dradsl.simulate.input.workload import Running
    from dradsl.simulate.plugin.verdicts import PodReport

__all__ = ["Move", "MovePlan", "plan_moves"]

_NODES = 6
_MOST_TOGETHER = 3  # units that are tried in all combinations
_TRIALS = 60


@dataclass(frozen=True, slots=True)
class Move:
    """Pods, or a claim that no recorded pod uses, and where they go. `claims` are those that are allocated anew."""

    name: str
    claims: tuple[Key, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class MovePlan:
    """What has to move, and the node that the pod fits on then."""

    moves: tuple[Move, ...]
    node: str

    @property
    def text(self) -> str:
        """The plan in words."""
        said = (
            f"{one.name} (claim {', '.join('/'.join(key) for key in one.claims)}) from {one.before} to {one.after}"
            for one in self.moves
        )
        return f"move {', '.join(said)}: then it fits on {self.node}"


@dataclass(frozen=True, slots=True)
class _Unit:
    """Claims that move together, as the same pods use them."""

    keys: frozenset[Key]
    pods: tuple[Running, ...]
    devices: tuple[DeviceId, ...]


def plan_moves(report: PodReport, simulation: Simulation) -> MovePlan | None:
    """The smallest set of claims found whose move lets the pod fit; None if there is none among those tried."""
    verdicts = [one for one in report.verdicts if one.kind == "none" and one.allocator is not None]
    if report.fitting or not verdicts or report.pod.only:
        return None
    claims = [
        claim.document
        for one in verdicts[:1]
        if one.allocator
        for claim in one.allocator.plan.claims
    ]
    units = list(_units(simulation))
    trials = itertools.count()
    choices = []
    for verdict in verdicts[:_NODES]:
        node = verdict.nodes[0]
        seen = _devices_seen(simulation, node)
        own = [unit for unit in units if not seen.isdisjoint(unit.devices)]
        if own and _fits(simulation, claims, node, own):
            choices.append((node, own))
    for count in range(1, _MOST_TOGETHER + 1):
        for node, own in choices:
            for chosen in itertools.combinations(own, count):
                if next(trials) >= _TRIALS:
                    return None
                if _fits(simulation, claims, node, chosen) and (
                    found := _tried(report, simulation, chosen)
                ):
                    return found
    for node, own in choices:
        # All that are needed of many; those that need not move are taken out again, the last ones first.
        for unit in own[::-1] if len(own) > _MOST_TOGETHER else ():
            fewer = [one for one in own if one is not unit]
            own = fewer if _fits(simulation, claims, node, fewer) else own
        if len(own) > _MOST_TOGETHER and (found := _tried(report, simulation, own)):
            return found
    return None


def _units(simulation: Simulation) -> Iterator[_Unit]:
    """The recorded claims that can move, with those that the same pods use."""
    recorded = simulation.cluster.claims
    running = {pod.uid: pod for pod in simulation.cluster.running}
    users: dict[Key, set[str]] = {}
    claims_of_user: dict[str, set[Key]] = {}
    for key, claim in recorded.items():
        if allocation_of(claim) is None:
            continue
        users[key] = {
            str(one.get("uid")) for one in (claim.get("status") or {}).get("reservedFor") or ()
        }
        for uid in users[key]:
            claims_of_user.setdefault(uid, set()).add(key)
    done: set[Key] = set()
    for first in users:
        if first in done:
            continue
        keys, waiting = {first}, [first]
        for key in waiting:
            more = set().union(*(claims_of_user[uid] for uid in users[key])) - keys
            keys |= more
            waiting += more
        done |= keys
        pods = [
            running[uid]
            for uid in sorted(set().union(*map(users.__getitem__, keys)))
            if uid in running
        ]
        if any(stays_with_its_node(pod.document) for pod in pods):
            continue
        devices = tuple(one for key in sorted(keys) for one in devices_of(recorded[key]))
        yield _Unit(frozenset(keys), tuple(pods), devices)


def _devices_seen(simulation: Simulation, node: Node) -> set[DeviceId]:
    try:
        pools = simulation.fleet.pools(node)
    except GatherError:
        return set()
    return {
        DeviceId(entry.driver, entry.pool, device.name)
        for pool in pools
        for entry in pool.slices
        for device in entry.devices
    }


def _fits(
    simulation: Simulation, claims: Sequence[ResourceClaimDict], node: Node, units: Sequence[_Unit]
) -> bool:
    """Whether the pod's claims get devices of a node once these units hold nothing."""
    without = simulation.without(frozenset().union(*(unit.keys for unit in units)))
    return without.allocator(claims).allocate(node).fits


def _tried(report: PodReport, simulation: Simulation, units: Sequence[_Unit]) -> MovePlan | None:
    """The plan, if the pod fits and all that moves is placed after it."""
    keys = frozenset().union(*(unit.keys for unit in units))
    uids = {pod.uid for unit in units for pod in unit.pods}
    trial = simulation.without(keys, uids)
    placed = trial.place(report.pod)
    if not placed.fits:
        return None
    moves = []
    for unit in units:
        for pod, before in _pods_of(unit, simulation):
            then = trial.place(pod)
            if not then.fits:
                return None
            own = tuple(entry.key for entry in pod.claims if entry.key in unit.keys)
            moves.append(Move(pod.label, own, before, str(then.node)))
    return MovePlan(tuple(moves), str(placed.node))


def _pods_of(unit: _Unit, simulation: Simulation) -> Iterator[tuple[Pod, str]]:
    """The pods of a unit as they are made again, and where they are; a pod for each claim if none is recorded."""
    if not unit.pods:
        for key in sorted(unit.keys):
            at = PodSpecAt((), {"containers": []}, {})
            workload = Workload("ResourceClaim", key[1], key[0], at, "")
            pod = Pod(key[1], key[0], workload.spec, (PodClaimEntry("claim", key),), workload)
            places = {one.pool for one in devices_of(simulation.cluster.claims[key])}
            yield pod, ", ".join(sorted(places))
    known = {"/".join(key) for key in simulation.cluster.claims}
    for running in unit.pods:
        document = made_again(running.document, known)
        (at,) = pod_specs(document)
        name = str(document["metadata"]["name"])
        workload = Workload("Pod", name, running.namespace, at, "", document.get("status") or {})
        yield the_pod(workload), running.node
