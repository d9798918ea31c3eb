"""A simulation before and after a change: two columns of pods, running claims, replicas that fit, and free devices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dradsl.simulate.report.funnels import why_none_is_left
from dradsl.simulate.report.totals import device_totals
from dradsl.values.counted import first_of, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import Before, SimulationOutcome

__all__ = ["ComparedRow", "headline", "pod_rows", "rows", "table"]

_ABSENT = "not there"


class ComparedRow(NamedTuple):
    """A line of the table. `answer` is that of a pod afterwards, empty for all else."""

    name: str
    before: str
    after: str
    answer: str = ""


def rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """The table for people: each pod that moves, and how many pods of each workload of the manifests start."""
    places = before.change.places
    yield from (row for row in pod_rows(before, outcome) if row.name in places)
    was, then = (_starting(one.reports, places) for one in (before.outcome, outcome))
    yield from _both("{}, pods that start", was, then)
    for lost in before.lost:
        users = f" of {first_of(lost.users)}" if lost.users else ""
        said = "; ".join(["no match: " + lost.reason, *why_none_is_left(lost.funnels)])
        if lost.unseen:
            said = "unknown: its devices go with their node, and no pod that uses it is recorded"
        yield ComparedRow(f"claim {'/'.join(lost.key)}{users}", "matches", said)
    was, then = (
        {
            fit.workload: f"{fit.count:,}{'' if fit.stopped_by or fit.whole else ' at least'}"
            for fit in one.fits
        }
        for one in (before.outcome, outcome)
    )
    yield from _both("{}, replicas that fit", was, then)
    models = [device_totals(one.simulation) for one in (before.outcome, outcome)]
    was, then = ({one.model: f"{one.free:,} of {one.total:,}" for one in each} for each in models)
    yield from _both("free {}", was, then)
    was, then = ({one.model: one.fits_words for one in each if one.fits} for each in models)
    yield from _both("what still fits of {}", was, then)


def _both(name: str, was: dict[str, str], then: dict[str, str]) -> Iterator[ComparedRow]:
    for each in dict.fromkeys((*was, *then)):
        yield ComparedRow(name.format(each), was.get(each, _ABSENT), then.get(each, _ABSENT))


def _starting(reports: Iterable[PodReport], places: dict[str, str]) -> dict[str, str]:
    """How many pods of each workload start, without those that move."""
    every: Counter[str] = Counter()
    good: Counter[str] = Counter()
    for report in reports:
        if report.pod.label not in places:
            every[report.pod.workload.label] += 1 + report.alike
            good[report.pod.workload.label] += report.fits
    return {name: f"{good[name]:,} of {number:,}" for name, number in every.items()}


def pod_rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """Where each pod was and is. A report may stand for those that follow."""
    was, then = ({one.pod.label: one for one in each.reports} for each in (before.outcome, outcome))
    alike_was, alike_then = (
        {one.pod.workload.label: one for one in each.values() if one.alike} for each in (was, then)
    )
    for label in dict.fromkeys((*then, *was)):
        workload = (then.get(label) or was[label]).pod.workload.label
        earlier = was.get(label) or alike_was.get(workload)
        later = then.get(label) or alike_then.get(workload)
        place = before.change.places.get(label) or _place(earlier, short=True)
        yield ComparedRow(label, place, _place(later), later.prospect.value if later else "")


def _place(report: PodReport | None, *, short: bool = False) -> str:
    if report is None or report.fits:
        return _ABSENT if report is None else str(report.node)
    words = report.prospect.value
    if report.is_placed:
        return f"{report.node} ({words})"
    return words if short else f"{words}: {report.reason}"


def headline(before: Before, outcome: SimulationOutcome) -> str:
    """What changes, and what comes of it in numbers."""
    change = before.change
    parts = []
    if change.nodes:
        own = [report for report in outcome.reports if report.pod.label in change.places]
        moved, ending = sum(report.fits for report in own), len(change.ending)
        more = f"; {plural(ending, 'pod')} of DaemonSets or ending" if ending else ""
        can = f"{plural(moved, 'pod')} can move, {len(own) - moved:,} cannot{more}"
        parts.append(f"without {', '.join(change.nodes)}: {can}")
    if change.replaced:
        parts.append(f"replaced: {', '.join(change.replaced)}")
    unseen = sum(lost.unseen for lost in before.lost)
    if unseen:
        parts.append(f"{plural(unseen, 'claim')} of pods that are not recorded")
    if known := len(before.lost) - unseen:
        parts.append(f"{plural(known, 'running claim')} would not match again")
    elif change.replaced and not unseen:
        parts.append("all running claims would match again")
    return "; ".join(parts) or "before and after"


def table(before: Before, outcome: SimulationOutcome) -> Iterator[str]:
    """The table as text."""
    yield headline(before, outcome)
    found = [ComparedRow("", "before", "after"), *rows(before, outcome)]
    name, was = (max(len(row[column]) for row in found) for column in (0, 1))
    for row in found:
        yield f"  {row.name:{name}}  {row.before:{was}}  {row.after}"
