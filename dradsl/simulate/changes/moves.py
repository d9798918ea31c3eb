"""Claims to move so that a pod fits that does not fit now: fragmentation undone with the fewest restarts.

A plan is only named after the pod was placed on the freed devices, and the pods that gave them up were placed anew on what
is left then: all by the allocator, with the rules of nodes.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from dradsl.allocator.inventory.pools import GatherError
from dradsl.kube.pods.workloads import PodSpecAt, pod_specs
from dradsl.records import Record
from dradsl.simulate.changes.objects import made_again, stays_with_its_node
from dradsl.simulate.changes.rematch import devices_of
from dradsl.simulate.input.workload import Workload
from dradsl.simulate.pods import Pod, PodClaimEntry, the_pod

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import PodStatusDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import Key
    from dradsl.simulate.input.workload import Running
    from dradsl.simulate.plugin.verdicts import PodReport

__all__ = ["ClaimMove", "MovePlan", "plan_moves"]

_NODES = 6
_TOGETHER = 3  # units that are tried in all combinations
_TRIALS = 60
_IN_FULL = 12  # of them, with all that moves


class ClaimMove(NamedTuple):
    """A pod, or a claim that no recorded pod uses, and where it goes. `claims` are those that are allocated anew."""

    name: str
    claims: tuple[str, ...]
    before: str
    after: str


class MovePlan(Record):
    """What has to move, and the node that the pod fits on then."""

    moves: tuple[ClaimMove, ...]
    node: str

    @property
    def text(self) -> str:
        """The plan in words."""
        said = (
            f"{name} (claim {', '.join(own)}) from {a} to {b}" for name, own, a, b in self.moves
        )
        return f"move {', '.join(said)}: then it fits on {self.node}"


class _Unit(NamedTuple):
    """Claims that move together, as the same pods use them."""

    keys: frozenset[Key]
    pods: tuple[Running, ...]


def plan_moves(report: PodReport, simulation: Simulation) -> MovePlan | None:
    """The smallest set of claims found whose move lets the pod fit; None if there is none among those tried."""
    verdicts = [one for one in report.verdicts if one.kind == "none" and one.allocator is not None]
    if report.fitting or not verdicts or report.pod.only or verdicts[0].allocator is None:
        return None
    wanted = [claim.document for claim in verdicts[0].allocator.plan.claims]
    units = list(_units(simulation))
    held = simulation.cluster.claims

    def fits(node: Node, units: Sequence[_Unit]) -> bool:
        """Whether the claims may get devices of a node once these units hold nothing. A share that others hold counts as
        free here: what is tried in full later decides."""
        free = (one for key in _keys(units) for one in devices_of(held[key]))
        state = simulation.state.without(free)
        return simulation.allocator(wanted, state=state).allocate(node).fits

    choices = []
    for node in (verdict.nodes[0] for verdict in verdicts[:_NODES]):
        try:
            seen = {pool.id for pool in simulation.fleet.pools(node)}
        except GatherError:
            continue
        own = [
            unit
            for unit in units
            if any(one[:2] in seen for key in unit.keys for one in devices_of(held[key]))
        ]
        if own and fits(node, own):
            choices.append((node, own))
    left, full = _TRIALS, _IN_FULL
    for count in range(1, _TOGETHER + 1):
        for node, own in choices:
            for chosen in itertools.islice(itertools.combinations(own, count), max(left, 0)):
                left -= 1
                if not full or not fits(node, chosen):
                    continue
                full -= 1
                if plan := _tried(report, simulation, chosen):
                    return plan
    for node, own in choices:
        # All of many; those that need not move are taken out again, the last ones first.
        for unit in own[::-1] if len(own) > _TOGETHER else ():
            fewer = [one for one in own if one is not unit]
            own = fewer if fits(node, fewer) else own
        if len(own) > _TOGETHER and (plan := _tried(report, simulation, own)):
            return plan
    return None


def _keys(units: Sequence[_Unit]) -> frozenset[Key]:
    return frozenset(key for unit in units for key in unit.keys)


def _units(simulation: Simulation) -> Iterator[_Unit]:
    """The recorded claims that can move, those of the same pods together."""
    users: dict[Key, frozenset[str]] = {}
    claims: dict[str, set[Key]] = {}
    for key, claim in simulation.cluster.claims.items():
        if devices_of(claim):
            consumers = (claim.get("status") or {}).get("reservedFor") or ()
            users[key] = frozenset(str(one.get("uid")) for one in consumers)
            for uid in users[key]:
                claims.setdefault(uid, set()).add(key)
    running = {pod.uid: pod for pod in simulation.cluster.running}
    for key, uids in users.items():
        keys = frozenset({key}.union(*(claims[uid] for uid in uids)))
        pods = tuple(running[uid] for uid in sorted(uids) if uid in running)
        stays = any(stays_with_its_node(pod.document) for pod in pods)
        if key == min(keys) and not stays and all(users[one] == uids for one in keys):
            yield _Unit(keys, pods)


def _tried(report: PodReport, simulation: Simulation, units: Sequence[_Unit]) -> MovePlan | None:
    """The plan, if the pod fits and all that moves is placed after it."""
    uids = {pod.uid for unit in units for pod in unit.pods}
    trial = simulation.without(_keys(units), uids)
    placed = trial.place(report.pod)
    moves = []
    for pod, before in _pods_of(units, simulation) if placed.fits else ():
        then = trial.place(pod)
        if not then.fits:
            return None
        own = tuple("/".join(entry.key) for entry in pod.claims if entry.key in _keys(units))
        moves.append(ClaimMove(pod.label, own, before, str(then.node)))
    return MovePlan(tuple(moves), str(placed.node)) if moves else None


def _pods_of(units: Sequence[_Unit], simulation: Simulation) -> Iterator[tuple[Pod, str]]:
    """The pods of units as they are made again, and where they are; a pod for each claim if none is recorded."""
    known = {"/".join(key) for key in simulation.cluster.claims}
    for unit in units:
        for key in () if unit.pods else sorted(unit.keys):
            workload = Workload("", key[1], key[0], PodSpecAt((), {"containers": []}, {}), "")
            place = devices_of(simulation.cluster.claims[key])[0].pool
            entry = PodClaimEntry("claim", key)
            yield Pod(key[1], key[0], workload.spec, (entry,), workload), place
        for running in unit.pods:
            document = made_again(running.document, known)
            (at,) = pod_specs(document)
            name = str(document["metadata"]["name"])
            status: PodStatusDict = document.get("status") or {}
            yield the_pod(Workload("Pod", name, running.namespace, at, "", status)), running.node
