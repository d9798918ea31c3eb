"""Pods of workloads placed one after the other, as long as the next one can fare otherwise.

Pods of a simulation take and never give back. So once one of a workload changes nothing, because it
is not placed, all further ones meet what it met: they have no claims but those that are made for
them, and are alike but for their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.simulate.controllers.daemon_sets import daemon_pods
from dradsl.simulate.plugin.verdicts import PodReport
from dradsl.simulate.pods import count_of, expand
from dradsl.values.deadline import NO_DEADLINE
from dradsl.values.limits import MOST_PODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import Workload
    from dradsl.values.deadline import Deadline

__all__ = ["place_workloads"]


def place_workloads(
    simulation: Simulation,
    workloads: Iterable[Workload],
    replicas: int | None = None,
    placed: int = 0,
    most: int = MOST_PODS,
    deadline: Deadline = NO_DEADLINE,
) -> Iterator[PodReport]:
    """What becomes of the pods of the workloads, in order: `replicas` of each, or as many as it says,
    when the run has `placed` some already.

    The last report of a workload may stand for pods that follow, see `PodReport.alike`: those that
    fare as it does, or that are not looked at, being more than `most` or later than `deadline`.
    """
    for workload in workloads:
        if workload.at.per_node:
            for pod in daemon_pods(workload, simulation.cluster.inventory.nodes):
                unseen = _why_unseen(placed, most, deadline)
                yield PodReport(pod, unseen=unseen) if unseen else simulation.place(pod)
                placed += 1
            continue
        count = count_of(workload, replicas)
        for number, pod in enumerate(expand(workload, replicas)):
            rest = count - number - 1
            if unseen := _why_unseen(placed, most, deadline):
                yield PodReport(pod, unseen=unseen, alike=rest)
                break
            report = simulation.place(pod)
            placed += 1
            if not (report.is_placed or report.claims):
                report.alike = rest
                yield report
                break
            yield report


def _why_unseen(placed: int, most: int, deadline: Deadline) -> str:
    if placed >= most:
        return f"not looked at: a run places {most:,} pods"
    return f"not looked at: {deadline.words}" if deadline.is_over else ""
