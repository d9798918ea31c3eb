"""`dradsl.sweep`: many workloads on many fleets, worked out by a standard executor, as a table and a picture."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from dradsl.api.fleet import Fleet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future
    from typing import Any

    from dradsl.api.objects import Objects
    from dradsl.api.simulating import Question

__all__ = ["Sweep", "SweepRow", "sweep"]

_BATCH = 25  # scenarios of one fleet that a worker gets at a time


@dataclass(frozen=True, slots=True)
class SweepRow:
    """A workload on a fleet.

    Args:
        fleet: the name of the fleet.
        workload: the name of the workload.
        answer: the worst that can be said of its pods, as `PodResult.answer`; "error" with `reason` if the
            scenario cannot be worked out.
        pods: how many pods it has.
        starting: how many of them surely start.
        replicas: how many pods fit, of the workload that fits least often; None without a pod, or with an error.
        nodes: the nodes of the fleet.
        devices: its devices.
        reason: why the first pod that does not surely start does not.
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


_COLUMNS = tuple(each.name for each in fields(SweepRow))


@dataclass(frozen=True, slots=True)
class Sweep:
    """The rows of a sweep, by fleet and workload in the order given. Iterating gives the rows."""

    rows: tuple[SweepRow, ...]

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as plain data, for a data frame or JSON."""
        return [asdict(row) for row in self.rows]

    def to_csv(self) -> str:
        """The table as comma-separated values."""
        out = io.StringIO()
        writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.to_dicts())
        return out.getvalue()

    def to_markdown(self) -> str:
        """How many replicas fit, as a table of Markdown: a row for each workload, a column for each fleet."""
        fleets, workloads, cells = self._grid()
        lines = [["workload", *fleets], ["---", *("---:" for _ in fleets)]]
        lines += [
            [name, *(_cell(cells.get((fleet, name))) for fleet in fleets)] for name in workloads
        ]
        return "".join(
            f"| {' | '.join(each.replace('|', chr(92) + '|') for each in line)} |\n"
            for line in lines
        )

    def to_svg(self) -> str:
        """The same table as a picture: the darker a cell, the more replicas fit."""
        fleets, workloads, cells = self._grid()
        most = max((row.replicas or 0 for row in self.rows), default=0) or 1
        left = 20 + 7 * max(map(len, workloads), default=0)
        wide = max(44, 16 + 7 * max(map(len, fleets), default=0))
        parts = []
        for x, fleet in enumerate(fleets):
            parts.append(_text(left + wide * x + wide / 2, 18, fleet, "middle"))
        for y, name in enumerate(workloads):
            parts.append(_text(left - 8, 44 + 26 * y, name, "end"))
            for x, fleet in enumerate(fleets):
                row = cells.get((fleet, name))
                share = (row.replicas or 0) / most if row else 0.0
                fill, ink = _colours(row, share)
                at = f'x="{left + wide * x}" y="{28 + 26 * y}" width="{wide - 2}" height="24"'
                why = f"{name} on {fleet}: {_cell(row)}{f'; {row.reason}' if row and row.reason else ''}"
                parts.append(f'<rect {at} fill="{fill}"><title>{html.escape(why)}</title></rect>')
                parts.append(
                    _text(left + wide * x + wide / 2 - 1, 44 + 26 * y, _cell(row), "middle", ink)
                )
        size = f'width="{left + wide * len(fleets) + 8}" height="{36 + 26 * len(workloads)}"'
        start = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
        return "\n".join(
            [start, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"]
        )

    def _grid(self) -> tuple[list[str], list[str], dict[tuple[str, str], SweepRow]]:
        fleets = list(dict.fromkeys(row.fleet for row in self.rows))
        workloads = list(dict.fromkeys(row.workload for row in self.rows))
        return fleets, workloads, {(row.fleet, row.workload): row for row in self.rows}


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
        executor: who works it out: any `concurrent.futures.Executor`, of threads, of processes, or of Dask
            (`client.get_executor()`). None: this thread. It is not shut down.
        kube_version: the release whose scheduler is followed; that of the app, else the newest.
        feature_gates: gates that differ from the release's defaults.
        limit: where counting of replicas stops.
        known_classes: take classes that are missing as their drivers install them.

    Raises:
        TypeError: for arguments of other types.
        OSError: for a file that cannot be read.
    """
    from dradsl.api.simulating import question_of

    for what, given in (("workloads", workloads), ("fleets", fleets)):
        if not isinstance(given, Mapping):
            raise TypeError(f"{what}: expected them by name, not {given!r}")
    # Files are read here, once: workers may not have them.
    nothing = Fleet()
    asked = [
        (name, question_of(one, nothing, kube_version, feature_gates, True, known_classes))
        for name, one in workloads.items()
    ]
    tasks = []
    for name, fleet in fleets.items():
        if not isinstance(fleet, Fleet):
            raise TypeError(f"fleets: expected a Fleet for {name!r}, not {fleet!r}")
        tasks += [
            _Task(name, fleet, tuple(asked[start : start + _BATCH]), limit)
            for start in range(0, len(asked), _BATCH)
        ]
    return Sweep(tuple(row for rows in _worked_out(tasks, executor) for row in rows))


@dataclass(frozen=True, slots=True)
class _Task:
    """Some workloads on one fleet, as plain data: what a worker gets."""

    name: str
    fleet: Fleet
    asked: tuple[tuple[str, Question], ...]
    limit: int


def _worked_out(tasks: Sequence[_Task], executor: Executor | None) -> Iterable[list[SweepRow]]:
    if executor is None:
        return map(_rows, tasks)
    futures: list[Future[list[SweepRow]]] = [executor.submit(_rows, task) for task in tasks]
    return (future.result() for future in futures)


def _rows(task: _Task) -> list[SweepRow]:
    return [_row(task, name, question) for name, question in task.asked]


def _row(task: _Task, workload: str, question: Question) -> SweepRow:
    from dradsl.api._cluster import count_fitting
    from dradsl.api.simulating import pod_result
    from dradsl.simulate.replicas import place_workloads

    nodes, devices = len(task.fleet.nodes), len(task.fleet)
    asked = replace(question, recorded=task.fleet.documents)
    try:
        simulation = asked.simulation("score")
    except ValueError as error:
        return SweepRow(
            task.name, workload, "error", nodes=nodes, devices=devices, reason=str(error)
        )
    cluster = simulation.cluster
    counts = [count_fitting(simulation, one, task.limit, {}).count for one in cluster.workloads]
    pods = [pod_result(report) for report in place_workloads(simulation, cluster.workloads)]
    rejected = [f"{one.subject}: {one.text}" for one in cluster.notes if one.kind == "rejected"]
    order = ("fits", "chance", "unknown", "never")
    worst = max((pod.answer for pod in pods), key=order.index, default="fits")
    reasons = [*rejected, *(pod.reason for pod in pods if not pod.fits)]
    return SweepRow(
        task.name,
        workload,
        "never" if rejected else worst,
        sum(1 + pod.alike for pod in pods),
        sum(pod.fits for pod in pods),
        min(counts, default=None),
        nodes,
        devices,
        reasons[0] if reasons else "",
    )


def _cell(row: SweepRow | None) -> str:
    if row is None or row.replicas is None:
        return "" if row is None else row.answer
    return f"{row.replicas:,}"


def _colours(row: SweepRow | None, share: float) -> tuple[str, str]:
    """The colours of a cell and its text, with a contrast of 4.5 to 1 at least."""
    if row is None or row.replicas is None:
        return "#ffe2b8", "#1a1a1a"
    if row.replicas == 0:
        return "#f2f2f2", "#1a1a1a"
    light = round(90 - 60 * share)
    return f"hsl(217,70%,{light}%)", "#fff" if light < 46 else "#1a1a1a"


def _text(x: float, y: float, text: str, anchor: str, fill: str = "#1a1a1a") -> str:
    at = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}"'
    return f"<text {at}>{html.escape(text)}</text>"
