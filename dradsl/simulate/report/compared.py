"""A simulation before and after a change: two columns of pods, running claims, replicas that fit, and free devices."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.simulate.report.funnels import why_none_is_left
from dradsl.simulate.report.totals import device_totals
from dradsl.values.counted import first_of, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import Before, FitReport, SimulationOutcome

__all__ = [
    "ComparedRow",
    "claim_rows",
    "device_rows",
    "fit_rows",
    "headline",
    "pod_rows",
    "rows",
    "table",
]

_LONG = 40  # rows of pods; more are folded
_ABSENT = "not there"


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A line of the table. `answer` is that of a pod afterwards, empty for all else; `kind` is the same for pods
    that may be folded together."""

    name: str
    before: str
    after: str
    answer: str = ""
    kind: tuple[object, ...] = ()


def rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """The table for people: pods of one workload are one row if they are many, or if one stands for others."""
    pods = list(pod_rows(before, outcome))
    places = before.change.places
    moved = [row for row in pods if row.name in places]
    if len(moved) <= _LONG:
        yield from moved
    else:
        for _, run in itertools.groupby(moved, key=lambda row: row.kind):
            yield _folded(list(run))
    alike = any(one.alike for one in (*before.outcome.reports, *outcome.reports))
    if len(pods) - len(moved) <= _LONG and not alike:
        yield from (row for row in pods if row.name not in places)
    else:
        yield from _starting(before, outcome)
    yield from claim_rows(before)
    yield from fit_rows(before, outcome)
    yield from device_rows(before, outcome)


def _folded(run: list[ComparedRow]) -> ComparedRow:
    first, last = run[0], run[-1]
    if len(run) == 1:
        return first
    nodes = first_of(list(dict.fromkeys(row.after for row in run)), 2)
    return ComparedRow(
        f"{first.name} to {last.name}, {len(run):,} pods", first.before, nodes, first.answer
    )


def _starting(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """How many pods of each workload of the manifests start."""
    was, then = (
        _counts(report for report in reports if report.pod.label not in before.change.places)
        for reports in (before.outcome.reports, outcome.reports)
    )
    for name in dict.fromkeys((*was, *then)):
        cells = [f"{c[0]:,} of {c[1]:,}" if (c := of.get(name)) else _ABSENT for of in (was, then)]
        yield ComparedRow(f"{name}, pods that start", cells[0], cells[1])


def _counts(reports: Iterable[PodReport]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for report in reports:
        fits, count = found.get(report.pod.workload.label, (0, 0))
        more = 1 + report.alike
        found[report.pod.workload.label] = fits + more * report.fits, count + more
    return found


def pod_rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """Where each pod was and is."""
    earlier = {report.pod.label: report for report in before.outcome.reports}
    # A report may stand for those that follow.
    alike = {one.pod.workload.label: one for one in before.outcome.reports if one.alike}
    for report in outcome.reports:
        node = before.change.places.get(report.pod.label)
        known = earlier.pop(report.pod.label, None) or alike.get(report.pod.workload.label)
        was = node or (_ABSENT if known is None else _place(known, short=True))
        kind = was, report.prospect, report.reason
        yield ComparedRow(report.pod.label, was, _place(report), report.prospect.value, kind)
    alike = {one.pod.workload.label: one for one in outcome.reports if one.alike}
    for report in earlier.values():
        then = alike.get(report.pod.workload.label)
        after = _ABSENT if then is None else _place(then)
        answer = "" if then is None else then.prospect.value
        yield ComparedRow(report.pod.label, _place(report, short=True), after, answer)


def _place(report: PodReport, *, short: bool = False) -> str:
    if report.fits:
        return str(report.node)
    words = report.prospect.value
    if report.is_placed:
        return f"{report.node} ({words})"
    return words if short else f"{words}: {report.reason}"


def claim_rows(before: Before) -> Iterator[ComparedRow]:
    """The claims that hold devices and would not get them again."""
    for lost in before.lost:
        users = f" of {first_of(lost.users)}" if lost.users else ""
        said = "; ".join([lost.reason, *why_none_is_left(lost.funnels)])
        yield ComparedRow(f"claim {'/'.join(lost.key)}{users}", "matches", f"no match: {said}")


def fit_rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """How many replicas of each workload fit."""
    earlier = {fit.workload: fit for fit in before.outcome.fits}
    for fit in outcome.fits:
        was = earlier.get(fit.workload)
        yield ComparedRow(
            f"{fit.workload}, replicas that fit",
            _ABSENT if was is None else _count(was),
            _count(fit),
        )


def _count(fit: FitReport) -> str:
    at_least = "at least " if fit.stopped_by is None and not fit.whole else ""
    return f"{at_least}{fit.count:,}"


def device_rows(before: Before, outcome: SimulationOutcome) -> Iterator[ComparedRow]:
    """The free devices of each model, and what still fits of its profiles."""
    earlier = {row.model: row for row in device_totals(before.outcome.simulation)}
    later = {row.model: row for row in device_totals(outcome.simulation)}
    for model in dict.fromkeys((*earlier, *later)):
        was, then = earlier.get(model), later.get(model)
        free = [f"{row.free:,} of {row.total:,}" if row else "none" for row in (was, then)]
        yield ComparedRow(f"free {model}", free[0], free[1])
        fits = [row.fits_words if row else "" for row in (was, then)]
        if any(fits):
            yield ComparedRow(f"what still fits of {model}", fits[0] or "none", fits[1] or "none")


def headline(before: Before, outcome: SimulationOutcome) -> str:
    """What changes, and what comes of it in numbers."""
    change = before.change
    parts = []
    if change.nodes:
        own = [report for report in outcome.reports if report.pod.label in change.places]
        moved = sum(report.fits for report in own)
        ending = len(change.ending)
        more = f"; {plural(ending, 'pod')} of DaemonSets or ending" if ending else ""
        cannot = f"{len(own) - moved:,} cannot{more}"
        parts.append(
            f"without {', '.join(change.nodes)}: {plural(moved, 'pod')} can move, {cannot}"
        )
    if change.replaced:
        parts.append(f"replaced: {', '.join(change.replaced)}")
    if before.lost:
        parts.append(f"{plural(len(before.lost), 'running claim')} would not match again")
    elif change.replaced:
        parts.append("all running claims would match again")
    return "; ".join(parts) or "before and after"


def table(before: Before, outcome: SimulationOutcome) -> Iterator[str]:
    """The table as text."""
    yield headline(before, outcome)
    yield from _aligned([ComparedRow("", "before", "after"), *rows(before, outcome)])


def _aligned(listed: Iterable[ComparedRow]) -> Iterator[str]:
    found = list(listed)
    name = max(len(row.name) for row in found)
    was = max(len(row.before) for row in found)
    for row in found:
        yield f"  {row.name:{name}}  {row.before:{was}}  {row.after}"
