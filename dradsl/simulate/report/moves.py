"""A simulation before and after nodes go away: two columns of pods and of free devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.simulate.report.totals import device_totals
from dradsl.values.counted import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import Before, SimulationOutcome

__all__ = ["ComparedRow", "device_rows", "headline", "pod_rows", "table"]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A line of the table. `answer` is that of a pod afterwards, empty for devices."""

    name: str
    before: str
    after: str
    answer: str = ""


def pod_rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """Where each pod was and is."""
    earlier = {report.pod.label: report for report in before.outcome.reports}
    for report in outcome.reports:
        label = report.pod.label
        node = before.drain.places.get(label)
        if node is None:
            # A report may stand for those that follow.
            known = earlier.get(label)
            node = "never" if known is None else _place(known, short=True)
        more = f" and {report.alike:,} more" if report.alike else ""
        yield ComparedRow(f"{label}{more}", node, _place(report), report.prospect.value)


def _place(report: PodReport, *, short: bool = False) -> str:
    if report.fits:
        return str(report.node)
    words = report.prospect.value
    if report.is_placed:
        return f"{report.node} ({words})"
    return words if short else f"{words}: {report.reason}"


def device_rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """The free devices of each model."""
    later = {row.model: row for row in device_totals(outcome.simulation)}
    for row in device_totals(before.outcome.simulation):
        left = later.get(row.model)
        after = "none is left" if left is None else f"{left.free:,} of {left.total:,}"
        yield ComparedRow(f"free {row.model}", f"{row.free:,} of {row.total:,}", after)


def headline(before: Before, outcome: SimulationOutcome) -> str:
    """How many pods move, and how many cannot."""
    drain = before.drain
    own = [report for report in outcome.reports if report.pod.label in drain.places]
    moved = sum(report.fits for report in own)
    said = f"{plural(moved, 'pod')} can move, {len(own) - moved:,} cannot"
    ending = f"; {plural(len(drain.ending), 'pod')} of DaemonSets or ending" if drain.ending else ""
    return f"without {', '.join(drain.nodes)}: {said}{ending}"


def table(before: Before, outcome: SimulationOutcome) -> Iterator[str]:
    """The table as text."""
    yield headline(before, outcome)
    rows = [ComparedRow("pod", "before", "after"), *pod_rows(before, outcome)]
    rows += device_rows(before, outcome)
    name = max(len(row.name) for row in rows)
    was = max(len(row.before) for row in rows)
    for row in rows:
        yield f"  {row.name:{name}}  {row.before:{was}}  {row.after}"
