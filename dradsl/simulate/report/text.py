"""A simulation as text: where each pod runs and what it gets, or why it does not fit anywhere."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from dradsl.allocator.engine.search import STEPS_OF_A_TIMEOUT
from dradsl.allocator.explain.node import Funnel, explain, pool_troubles
from dradsl.allocator.inventory.pools import GatherError
from dradsl.releases.scheduling import SearchOrder
from dradsl.simulate.changes.moves import plan_moves
from dradsl.simulate.nodes.placement import NOT_CONSIDERED
from dradsl.simulate.nodes.requests import add
from dradsl.simulate.plugin.verdicts import nodes_label
from dradsl.simulate.prospect import Prospect
from dradsl.simulate.relax import relax
from dradsl.simulate.report.compared import table
from dradsl.simulate.report.funnels import funnel_lines
from dradsl.simulate.report.totals import count_pods, device_totals
from dradsl.values.counted import first_of, plural
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dradsl.allocator.inventory.allocated import DeviceShare
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import DeviceId
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        DeviceRequestAllocationResultDict,
    )
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport, Verdict
    from dradsl.simulate.relax import Relaxation
    from dradsl.simulate.report import FitReport, SimulationOutcome
    from dradsl.values.quantity import Quantity

__all__ = [
    "alike",
    "describe_pod",
    "fit_words",
    "nearest",
    "nearest_change",
    "render",
    "said_by_nodes",
    "totals",
]

_SHOWN_NODES = 6
_SHOWN_NAMES = 4
_IN_USE = "in use"
_MANY = {
    "fits": "fit",
    "chance": "fit by chance",
    "never": "never start",
    "unknown": "not looked at",
}
_LONG = 40  # reports; more are folded
_FIRST = 3  # of a run are shown
_FEW = 3  # pods need no totals


def render(outcome: SimulationOutcome, out: TextIO) -> None:
    """Write the outcome as text."""
    out.writelines(f"{printable(line)}\n" for line in _lines(outcome))


def _lines(outcome: SimulationOutcome) -> Iterator[str]:
    simulation = outcome.simulation
    told: dict[tuple[str, str], dict[str, None]] = {}
    for note in simulation.cluster.notes:
        told.setdefault((note.kind, note.text), {})[note.subject] = None
    for (kind, text), subjects in told.items():
        yield f"{kind}: {first_of([*subjects])}: {text}"
    if outcome.before is not None:
        yield from table(outcome.before, outcome)
        yield ""
    before: list[str] = []
    for report in _shown(outcome):
        if isinstance(report, str):
            yield report
            continue
        first, *rest = describe_pod(report, simulation)
        if rest and rest == before and not report.is_placed:
            yield f"{first}, for the same reasons"
        else:
            yield first
            yield from rest
            before = rest
        if report.alike:
            yield alike(report)
    for fit in outcome.fits:
        yield from _fit(fit)
    if outcome.reports or outcome.fits:
        yield ""
        yield from totals(outcome)
        yield from _footer(outcome)


def _shown(outcome: SimulationOutcome) -> Iterator[PodReport | str]:
    """The reports, and in the place of long runs of pods that fared alike what became of them."""
    reports = outcome.reports
    if outcome.verbose or len(reports) <= _LONG:
        yield from reports
        return

    def kind(report: PodReport) -> tuple[int, str, bool]:
        return id(report.pod.workload), report.prospect.value, report.is_placed

    for _, found in itertools.groupby(reports, key=kind):
        run = list(found)
        if len(run) <= _FIRST + 1:
            yield from run
            continue
        yield from run[:_FIRST]
        yield _folded(run[_FIRST:])


def _folded(run: Sequence[PodReport]) -> str:
    first, last = run[0], run[-1]
    names = f"{len(run):,} more pods, {first.pod.label} to {last.pod.label}"
    if first.is_placed:
        nodes = {report.node for report in run}
        on = f"node {first.node}" if len(nodes) == 1 else f"{len(nodes):,} nodes"
        return f"{names}: {_MANY[first.prospect.value]}, placed on {on}"
    more = sum(report.alike for report in run)
    also = f", and {more:,} that follow" if more else ""
    return f"{names}{also}: {_MANY[first.prospect.value]}"


def totals(outcome: SimulationOutcome, *, always: bool = False) -> Iterator[str]:
    """How many pods were placed and what is left, where that is not seen at a glance or `always`."""
    simulation = outcome.simulation
    if (
        (always and outcome.reports)
        or len(outcome.reports) > _FEW
        or any(report.alike > _FEW for report in outcome.reports)
    ):
        counts = count_pods(outcome.reports)
        said = ", ".join(f"{count:,} {_MANY[answer]}" for answer, count in counts.items())
        yield f"total: {sum(counts.values()):,} pods: {said}"
        yield from _device_totals(simulation, "")
    for fit in outcome.fits:
        yield from _device_totals(fit.simulation, f" with {fit.count} of {fit.workload}")


def _device_totals(simulation: Simulation, when: str) -> Iterator[str]:
    for row in device_totals(simulation):
        parts = [f"{row.used_before:,} used before", f"{row.used_now:,} used now"]
        parts += [f"{row.partly:,} partly used"] if row.partly else []
        parts += [f"{row.shared:,} shared"] if row.shared else []
        parts += [f"{row.blocked:,} blocked"] if row.blocked else []
        parts.append(f"{row.free:,} free")
        groups = f"most free on one node {row.on_one_node}"
        if row.on_one_root is not None:
            groups += f", on one PCIe root {row.on_one_root}"
        yield f"total{when}: {row.total:,} x {row.model}: {', '.join(parts)}; {groups}"
        if row.fits:
            yield f"total{when}: {row.model}, what still fits, each alone: {row.fits_words}"


def alike(report: PodReport) -> str:
    """What becomes of the pods that a report stands for besides its own."""
    pods = "1 more pod" if report.alike == 1 else f"{report.alike:,} more pods"
    return f"{pods} of {report.pod.workload.label}: the same, for the same reasons"


def _footer(outcome: SimulationOutcome) -> Iterator[str]:
    inventory = outcome.simulation.cluster.inventory
    variant = outcome.simulation.variant
    known = sum(node.known for node in inventory.nodes)
    source = "all from Node objects" if known else "derived from the slices"
    if 0 < known < len(inventory.nodes):
        source = f"{known} of them from Node objects"
    yield (
        f"Kubernetes {outcome.release.name} (allocator of {outcome.release.patch}, {variant.name}); "
        f"{plural(len(inventory.nodes), 'node')}, {source}; node chosen by {outcome.node_order}"
    )
    if variant.order is not SearchOrder.SORTED:
        yield (
            "note: this release visits pools and slices in random order; shown is the order by name"
        )
    yield f"not considered: {NOT_CONSIDERED}"


def describe_pod(report: PodReport, simulation: Simulation) -> Iterator[str]:
    """What became of a pod, in lines."""
    yield from _said_of_pod(report, simulation)
    if report.ignored and not report.unseen:
        yield f"  not considered, though it uses it: {', '.join(report.ignored)}"


def _said_of_pod(report: PodReport, simulation: Simulation) -> Iterator[str]:
    pod = report.pod
    if report.unseen:
        yield f"pod {pod.label}: {report.unseen}"
        return
    if report.problem is not None:
        yield f"pod {pod.label}: cannot be scheduled: {report.problem}"
        return
    if report.never_binds is not None:
        yield f"pod {pod.label}: never binds, though node {report.node} has the devices"
        yield f"  {report.never_binds}"
        if report.rejected is not None:
            yield f"  {report.rejected.remedy}"
        return
    fitting, count = report.fitting, len(simulation.cluster.inventory.nodes)
    count = 1 if pod.only else count
    where = f"{fitting} of {count} nodes"
    if count == 1:
        where = "its node" if pod.only else "the only node"
    if report.is_placed:
        yield from _placed(report, where)
    elif report.prospect is Prospect.CHANCE:
        yield f"pod {pod.label}: may fit by chance on {where}"
        yield from _reasons(report, simulation)
    elif fitting:
        yield f"pod {pod.label}: never starts, though {where} would do"
    else:
        none = where if count == 1 else f"any of {count} nodes"
        yield f"pod {pod.label}: does not fit on {none}"
        yield from _reasons(report, simulation)
    attempt = report.attempt
    by_chance = report.prospect is Prospect.CHANCE
    if fitting and attempt.said:
        yield f"  {'by chance: ' if by_chance else ''}{attempt.said}"
    if attempt.rule:
        yield f"  {attempt.rule}"


def _placed(report: PodReport, where: str) -> Iterator[str]:
    score = f", score {report.score}" if report.score else ""
    how = "fits by chance" if report.prospect is Prospect.CHANCE else "fits"
    how = "never starts, though it fits" if report.unstartable else how
    how = f"{how} by devices" if report.unknown and how == "fits" else how
    unknown = not_known(report.unknown, "node")
    yield f"pod {report.pod.label}: {how} on {where}, placed on {report.node}{score}{unknown}"
    yield from (f"  {text}" for text in report.unstartable)
    named = {entry.name: entry for entry in report.pod.claims}
    for name, allocation in report.allocations.items():
        entry = named.get(name)
        source = f" (template {entry.template[1]})" if entry and entry.template else ""
        yield f"  claim {name}{source}"
        for result in (allocation.get("devices") or {}).get("results") or ():
            yield f"    {result['request']}: {_device(result)}"
    for entry in report.pod.claims:
        if entry.name not in report.allocations:
            yield f"  claim {entry.name}: allocated before"
    for status in report.takes:
        taken: dict[str, Quantity] = {}
        add(taken, status.takes())
        shown = ", ".join(f"{name} {amount}" for name, amount in sorted(taken.items()))
        yield f"  takes of the node for {status.name}: {shown}"


def not_known(needs: Sequence[str], what: str) -> str:
    """What a pod needs and nodes do not state, as the end of a sentence; `what`: "node" or "nodes"."""
    if not needs:
        return ""
    verb = "is" if len(needs) == 1 else "are"
    return f"; {', '.join(needs)} of the {what} {verb} not known"


def _device(result: DeviceRequestAllocationResultDict) -> str:
    text = f"{result['driver']}/{result['pool']}/{result['device']}"
    consumed = result.get("consumedCapacity")
    if consumed:
        text += " (" + ", ".join(f"{name} {value}" for name, value in consumed.items()) + ")"
    elif result.get("shareID"):
        text += " (shared)"
    return text + (" (admin access)" if result.get("adminAccess") else "")


# Why not


def _reasons(report: PodReport, simulation: Simulation) -> Iterator[str]:
    for nodes, lines in said_by_nodes(report.verdicts, simulation).values():
        yield f"  {nodes_label(nodes)}: {lines[0]}"
        yield from lines[1:]
    text = nearest(report, simulation)
    if text:
        yield f"  nearest: {text}"
    plan = plan_moves(report, simulation)
    if plan is not None:
        yield f"  or (tried): {plan.text}"


def said_by_nodes(
    verdicts: Sequence[Verdict], simulation: Simulation
) -> dict[tuple[str, ...], tuple[list[Node], list[str]]]:
    """What nodes say, and which of them say it: nodes of which the same is printed stand together."""
    found: dict[tuple[str, ...], tuple[list[Node], list[str]]] = {}
    for verdict in verdicts:
        lines = [verdict.text]
        if verdict.kind not in ("filtered", "elsewhere") and len(found) < _SHOWN_NODES:
            lines += _no_devices(verdict, simulation)
        found.setdefault(tuple(lines), ([], lines))[0].extend(verdict.nodes)
    return found


def _no_devices(verdict: Verdict, simulation: Simulation) -> Iterator[str]:
    allocator, group = verdict.allocator, verdict.group
    if allocator is None or group is None or group.answer is None:
        return
    if verdict.kind == "error" and verdict.error_kind != "timeout":
        return
    try:
        problem = simulation.fleet.problem(allocator, verdict.nodes[0])
    except GatherError:
        return
    for trouble in pool_troubles(problem):
        yield f"    {trouble.pool}: {trouble.text}: not considered"
    for funnel in _of_all(explain(allocator, problem), verdict, simulation):
        yield from funnel_lines(funnel)
    if verdict.steps > STEPS_OF_A_TIMEOUT:
        yield f"    {verdict.steps:,} steps in the scheduler: it may time out"


def _of_all(
    funnels: Sequence[Funnel], verdict: Verdict, simulation: Simulation
) -> Sequence[Funnel]:
    """The funnels of the first node, with the holders of devices on some of the others: alike nodes
    have alike devices in use, but not by the same claims."""
    allocator = verdict.allocator
    if allocator is None or not any(s.name == _IN_USE for f in funnels for s in f.stages):
        return funnels
    held = [
        dict.fromkeys(d for s in f.stages if s.name == _IN_USE for d in s.detail) for f in funnels
    ]
    for node in itertools.islice(verdict.nodes, 1, _SHOWN_NAMES):
        others = explain(allocator, simulation.fleet.problem(allocator, node))
        for details, funnel in zip(held, others, strict=True):
            details.update(
                dict.fromkeys(d for s in funnel.stages if s.name == _IN_USE for d in s.detail)
            )
    more = ("…",) if len(verdict.nodes) > _SHOWN_NAMES else ()
    return [
        replace(
            funnel,
            stages=tuple(
                replace(stage, detail=(*details, *more)) if stage.name == _IN_USE else stage
                for stage in funnel.stages
            ),
        )
        for details, funnel in zip(held, funnels, strict=True)
    ]


def nearest(report: PodReport, simulation: Simulation) -> str | None:
    """The smallest change under which the pod would fit, and on which node."""
    found = nearest_change(report, simulation)
    return None if found is None else f"{found.node}: {found.text}"


def nearest_change(
    report: PodReport,
    simulation: Simulation,
    leftover: Collection[DeviceId | DeviceShare] = (),
    *,
    keep_selectors: bool = False,
    held: Sequence[Sequence[Collection[DeviceId | DeviceShare]]] = (),
) -> Relaxation | None:
    """The smallest change under which the pod would fit; `relax` explains the arguments."""
    candidates = [
        verdict
        for verdict in report.verdicts
        if verdict.kind in ("none", "error") and verdict.allocator is not None
    ]
    # One node of each distinct group is enough, the most promising ones first.
    candidates = candidates[:_SHOWN_NODES]
    if not candidates or candidates[0].allocator is None:
        return None
    documents = [claim.document for claim in candidates[0].allocator.plan.claims]

    def accepts(node: Node, allocations: Sequence[AllocationResultDict]) -> bool:
        return simulation.has_room(report.pod, node, allocations)

    # Of nodes that fare alike, the one whose devices the fewest have, and the one where the least is lost.
    inventory = simulation.cluster.inventory
    homes = {(entry.driver, entry.pool): entry.node_name for entry in inventory.slices}
    at = [[home for unit in one for home in {homes.get(each[:2]) for each in unit}] for one in held]
    busy = Counter(itertools.chain(*at))
    first = {home: number for number, one in reversed([*enumerate(at)]) for home in one}
    tried = [min(one.nodes, key=lambda node: busy[node.name]) for one in candidates]
    tried += [min(one.nodes, key=lambda node: first.get(node.name, len(at))) for one in candidates]
    nodes = [*{node.name: node for node in tried}.values()]
    return relax(
        simulation, documents, nodes, accepts, leftover, keep_selectors=keep_selectors, held=held
    )


def _fit(fit: FitReport) -> Iterator[str]:
    if fit.stopped_by is None:
        least = "" if fit.whole else "at least "
        yield f"{fit.workload}: {least}{fit.count} replicas fit{fit_words(fit)} ({fit.limit_words})"
        return
    yield f"{fit.workload}: {fit.count} replicas fit{fit_words(fit)}"
    lines = list(describe_pod(fit.stopped_by, fit.simulation))
    yield "  the next one:"
    yield from (f"  {line}" for line in lines)


def fit_words(fit: FitReport) -> str:
    """What limits the word "fit": the nodes do not state all that the pods need."""
    return " by devices" + not_known(fit.unknown, "nodes") if fit.unknown else ""
