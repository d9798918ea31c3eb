"""`dradsl.sweep`: many workloads on many fleets, worked out by a standard executor, as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from dradsl.api.fleet import Fleet

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dradsl.api.objects import Objects
    from dradsl.api.simulating import _Scenario

__all__ = ["Sweep", "SweepRow", "sweep"]

_BATCH = 25  # workloads that a worker gets at a time, with their fleet


@dataclass(frozen=True, slots=True)
class SweepRow:
    """A workload on a fleet.

    Args:
        fleet: the name of the fleet.
        workload: the name of the workload.
        answer: the worst answer of its pods, as `PodResult.answer`; "error" if it cannot be worked out.
        pods: how many pods it has.
        starting: how many of them surely start.
        replicas: how many pods fit, of the workload that fits least often; None with an error or without pods.
        nodes: the nodes of the fleet.
        devices: its devices.
        reason: the first reason why not all is well.
    """

    fleet: str
    workload: str
    answer: str
    pods: int = 0
    starting: int = 0
    replicas: int | None = None
    nodes: int = 0
    devices: int = 0
    reason: str = ""

    @property
    def shown(self) -> str:
        """The number of replicas, or the answer if there is none."""
        return self.answer if self.replicas is None else f"{self.replicas:,}"


class Sweep(tuple[SweepRow, ...]):
    """The rows of a sweep, by fleet and workload in the order given."""

    __slots__ = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as plain data, for a data frame or JSON."""
        return [asdict(row) for row in self]

    def to_csv(self) -> str:
        """The table as comma-separated values."""
        out = io.StringIO()
        writer = csv.DictWriter(out, SweepRow.__slots__, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.to_dicts())
        return out.getvalue()

    def _lines(self) -> tuple[list[str], dict[str, list[SweepRow]]]:
        """The fleets, and the rows of each workload."""
        found: dict[str, list[SweepRow]] = {}
        for row in self:
            found.setdefault(row.workload, []).append(row)
        return list(dict.fromkeys(row.fleet for row in self)), found

    def to_markdown(self) -> str:
        """How many replicas fit, as a table of Markdown: a row for each workload, a column for each fleet."""
        fleets, found = self._lines()
        lines = [["workload", *fleets], ["---", *("---:" for _ in fleets)]]
        lines += [[name, *(row.shown for row in rows)] for name, rows in found.items()]
        cells = ([each.replace("|", "\\|") for each in line] for line in lines)
        return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def sweep(
    workloads: Mapping[str, Objects],
    fleets: Mapping[str, Fleet],
    *,
    executor: Executor | None = None,
    kube_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    limit: int = 1000,
    known_classes: bool = True,
) -> Sweep:
    """Place and count each of `workloads` on each of `fleets`, each for itself on the fleet as it is.

    A scenario that cannot be worked out is a row with the answer "error"; the others go on.

    Args:
        workloads: what `simulate` takes as objects, by name.
        fleets: fleets, by name; shapes of nodes are fleets as well (`Fleet.of`), and are added with `+`.
        executor: any `concurrent.futures.Executor`: of threads, of processes, or of Dask
            (`client.get_executor()`). It is not shut down. None: this thread.
        kube_version: the release whose scheduler is followed; that of the app, else the newest.
        feature_gates: gates that differ from the release's defaults.
        limit: where counting of replicas stops.
        known_classes: take classes that are missing as their drivers install them.

    Raises:
        TypeError: for arguments of other types.
        OSError: for a file that cannot be read.
    """
    from dradsl.api.simulating import _question_of

    for what, given in (("workloads", workloads), ("fleets", fleets)):
        if not isinstance(given, Mapping):
            raise TypeError(f"{what}: expected them by name, not {given!r}")
    # Files are read here, once: workers may not have them.
    asked = [
        (name, _question_of(one, Fleet(), kube_version, feature_gates, True, known_classes))
        for name, one in workloads.items()
    ]
    tasks: list[tuple[str, Fleet, list[tuple[str, _Scenario]], int]] = []
    for name, fleet in fleets.items():
        if not isinstance(fleet, Fleet):
            raise TypeError(f"fleets: expected a Fleet for {name!r}, not {fleet!r}")
        batches = (asked[start : start + _BATCH] for start in range(0, len(asked), _BATCH))
        tasks += [(name, fleet, batch, limit) for batch in batches]
    if executor is None:
        found = [_rows(*task) for task in tasks]
    else:
        futures = [executor.submit(_rows, *task) for task in tasks]
        found = [future.result() for future in futures]
    return Sweep(tuple(row for rows in found for row in rows))


def _rows(
    name: str, fleet: Fleet, asked: list[tuple[str, _Scenario]], limit: int
) -> list[SweepRow]:
    """What becomes of some workloads on a fleet: what a worker does."""
    found = []
    for workload, question in asked:
        row = SweepRow(name, workload, "error", nodes=len(fleet.nodes), devices=len(fleet))
        try:
            found.append(_worked_out(row, replace(question, recorded=fleet.documents), limit))
        except ValueError as error:
            found.append(replace(row, reason=str(error)))
    return found


def _worked_out(row: SweepRow, question: _Scenario, limit: int) -> SweepRow:
    from dradsl.api._cluster import count_fitting

    outcome = question.outcome("score", None)
    cluster, reports = outcome.simulation.cluster, outcome.reports
    counts = [count_fitting(outcome.simulation, one, limit, {}).count for one in cluster.workloads]
    reasons = [f"{one.subject}: {one.text}" for one in cluster.notes if one.kind == "rejected"]
    reasons += [report.reason for report in reports if not report.fits]
    return replace(
        row,
        answer=outcome.prospect.value,
        pods=sum(1 + report.alike for report in reports),
        starting=sum(report.fits for report in reports),
        replicas=min(counts, default=None),
        reason=next(iter(reasons), ""),
    )
