"""A simulation as JSON: pods, nodes, and AllocationResult objects as the API has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.allocator.explain.node import explain, pool_troubles
from dradsl.allocator.inventory.pools import GatherError
from dradsl.releases.scheduling import SearchOrder
from dradsl.simulate.changes.moves import plan_moves
from dradsl.simulate.report.compared import pod_rows
from dradsl.simulate.report.room import UNLIMITED
from dradsl.simulate.report.text import nearest
from dradsl.simulate.report.totals import count_pods, device_totals
from dradsl.values.printable import json_text

if TYPE_CHECKING:
    from dradsl.allocator.explain.node import Funnel
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport, Verdict
    from dradsl.simulate.report import Before, FitReport, SimulationOutcome

__all__ = ["as_document", "render"]


def render(outcome: SimulationOutcome, out: TextIO) -> None:
    """Write the outcome as one JSON object."""
    out.write(json_text(as_document(outcome), ascii_only=False) + "\n")


def as_document(outcome: SimulationOutcome) -> dict[str, object]:
    """The outcome as plain data."""
    simulation = outcome.simulation
    document: dict[str, object] = {
        "version": 1,
        "kubernetes": outcome.release.name,
        "allocator": {
            "patch": outcome.release.patch,
            "variant": simulation.variant.name,
            "ordered": simulation.variant.order is SearchOrder.SORTED,
        },
        "nodeOrder": outcome.node_order,
        "nodes": len(simulation.cluster.inventory.nodes),
        "notes": [
            {"kind": note.kind, "subject": note.subject, "text": note.text}
            for note in simulation.cluster.notes
        ],
        "pods": [_pod(report, simulation) for report in outcome.reports],
    }
    if outcome.fits:
        document["fits"] = [_fit(fit) for fit in outcome.fits]
    if outcome.before is not None:
        document["comparison"] = _comparison(outcome.before, outcome)
    devices = _device_totals(outcome.simulation)
    document["totals"] = {"pods": count_pods(outcome.reports), "devices": devices}
    document["answer"] = outcome.prospect.value
    return document


def _comparison(before: Before, outcome: SimulationOutcome) -> dict[str, object]:
    return {
        "without": list(before.change.nodes),
        "ending": list(before.change.ending),
        "replaced": list(before.change.replaced),
        "pods": [
            {"pod": row.name, "before": row.before, "after": row.after, "answer": row.answer}
            for row in pod_rows(before, outcome)
        ],
        "claims": [
            {
                "claim": "/".join(lost.key),
                "pods": list(lost.users),
                "devices": [str(device) for device in lost.devices],
                "reason": lost.reason,
                "answer": "unknown" if lost.unseen else "never",
                "requests": [_funnel(one) for one in lost.funnels],
            }
            for lost in before.lost
        ],
        "fits": [{"workload": fit.workload, "count": fit.count} for fit in before.outcome.fits],
        "devices": _device_totals(before.outcome.simulation),
    }


def _device_totals(simulation: Simulation) -> list[dict[str, object]]:
    return [
        {
            "model": row.model,
            "total": row.total,
            "usedBefore": row.used_before,
            "usedNow": row.used_now,
            "partlyUsed": row.partly,
            "shared": row.shared,
            "blocked": row.blocked,
            "free": row.free,
            "mostFreeOnOneNode": row.on_one_node,
            "mostFreeOnOnePCIeRoot": row.on_one_root,
            "stillFits": {
                profile: None if number == UNLIMITED else number for profile, number in row.fits
            },
        }
        for row in device_totals(simulation)
    ]


def _fit(fit: FitReport) -> dict[str, object]:
    stopped = fit.stopped_by
    return {
        "workload": fit.workload,
        "count": fit.count,
        "notKnown": list(fit.unknown),
        "limitReached": stopped is None and fit.count >= fit.limit,
        "devices": _device_totals(fit.simulation),
        "next": None if stopped is None else _pod(stopped, fit.simulation),
    }


def _pod(report: PodReport, simulation: Simulation) -> dict[str, object]:
    pod = report.pod
    document: dict[str, object] = {
        "namespace": pod.namespace,
        "name": pod.name,
        "answer": report.prospect.value,
        "node": report.node,
        "score": report.score,
        "claims": [
            {
                "name": name,
                "claim": (report.claims[name].get("metadata") or {}).get("name"),
                "allocation": allocation,
            }
            for name, allocation in report.allocations.items()
        ],
        "nodes": [_verdict(verdict, simulation) for verdict in report.verdicts],
    }
    if report.alike:
        document["alike"] = report.alike
    if report.problem is not None:
        document["problem"] = report.problem
    if report.reason:
        document["reason"] = report.reason
    if report.unknown:
        document["notKnown"] = list(report.unknown)
    if report.ignored:
        document["notConsidered"] = list(report.ignored)
    if report.extended is not None:
        document["extendedResources"] = [dict(one) for one in report.extended.mappings]
    rules = simulation.plugin.node_rules
    if report.takes and rules is not None:
        document["nodeAllocatableResourceClaimStatuses"] = [
            status.as_v1(rules) for status in report.takes
        ]
    if report.unstartable:
        document["neverStarts"] = list(report.unstartable)
    if report.never_binds is not None:
        document["neverBinds"] = report.never_binds
    elif not report.fitting and report.problem is None and not report.unseen:
        document["nearest"] = nearest(report, simulation)
        if (plan := plan_moves(report, simulation)) is not None:
            moves = [
                {"pod": name, "claims": list(own), "from": before, "to": after}
                for name, own, before, after in plan.moves
            ]
            document["moves"] = {"node": plan.node, "moves": moves}
    return document


def _verdict(verdict: Verdict, simulation: Simulation) -> dict[str, object]:
    document: dict[str, object] = {
        "names": [node.name for node in verdict.nodes],
        "verdict": verdict.kind,
    }
    if verdict.text:
        document["reason"] = verdict.text
    if verdict.error_kind:
        document["errorKind"] = verdict.error_kind
    if verdict.others:
        document["mayBe"] = sorted(verdict.others)
        document["because"] = verdict.doubt
    if verdict.kind == "fits":
        document["score"] = verdict.score
    elif verdict.kind == "none" and verdict.allocator is not None:
        try:
            problem = simulation.fleet.problem(verdict.allocator, verdict.nodes[0])
        except GatherError:
            return document
        document["pools"] = [
            {"pool": trouble.pool, "reason": trouble.text} for trouble in pool_troubles(problem)
        ]
        document["requests"] = [_funnel(one) for one in explain(verdict.allocator, problem)]
    return document


def _funnel(funnel: Funnel) -> dict[str, object]:
    return {
        "claim": funnel.claim,
        "request": funnel.request,
        "class": funnel.class_name,
        "mode": "All" if funnel.everything else "ExactCount",
        "wanted": funnel.wanted,
        "seen": funnel.seen,
        "left": [str(device) for device in funnel.left],
        "stages": [
            {
                "stage": stage.name,
                "devices": [str(device) for device in stage.devices],
                "detail": list(stage.detail),
                "clauses": [
                    {
                        "clause": clause.text,
                        "devices": [str(device) for device in clause.devices],
                        "values": {name: list(given) for name, given in clause.values},
                    }
                    for clause in stage.clauses
                ],
            }
            for stage in funnel.stages
        ],
        "constraints": [
            {
                "attribute": grouping.attribute,
                "distinct": grouping.distinct,
                "groups": dict(grouping.groups),
                "missing": grouping.missing,
                "largest": grouping.largest,
            }
            for grouping in funnel.groupings
        ],
    }
