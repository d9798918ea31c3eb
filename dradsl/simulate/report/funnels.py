"""Where the devices of a node fall out, request by request, in lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.values.counted import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.allocator.explain.node import Funnel, Stage, ValueGroups

__all__ = ["funnel_lines", "why_none_is_left"]

_SHOWN_NAMES = 4


def why_none_is_left(funnels: Iterable[Funnel]) -> Iterator[str]:
    """What stops each request that does not get its devices, in one line each."""
    for funnel in funnels:
        if not funnel.enough:
            yield ", ".join(line.strip() for line in list(funnel_lines(funnel))[1:])


def _of_its_drivers(funnel: Funnel) -> Funnel:
    """The funnel without the devices of drivers that the class is not for, which most clusters have."""
    others = [
        stage
        for stage in funnel.stages
        if stage.name == "class"
        and all(name == "driver" for clause in stage.clauses for name, _ in clause.values)
        and all(clause.values for clause in stage.clauses)
    ]
    seen = funnel.seen - sum(len(stage.devices) for stage in others)
    if not seen or not others:
        return funnel
    stages = tuple(one for one in funnel.stages if one not in others)
    return replace(funnel, seen=seen, stages=stages)


def funnel_lines(funnel: Funnel) -> Iterator[str]:
    """A request in lines, without the devices of drivers that its class is not for."""
    funnel = _of_its_drivers(funnel)
    amount = "all" if funnel.everything else str(funnel.wanted)
    yield (
        f"    request {funnel.request}: {amount} x class {funnel.class_name}: "
        f"{plural(funnel.seen, 'device')} seen, {len(funnel.left)} left"
    )
    for stage in funnel.stages:
        yield from _stage(stage)
    for grouping in funnel.groupings if funnel.left else ():
        yield f"      {_grouping(grouping)}"


def _stage(stage: Stage) -> Iterator[str]:
    if not stage.clauses:
        detail = f": {_details(stage)}" if stage.detail else ""
        yield f"      {stage.name}: {len(stage.devices)} fail{detail}"
    for clause in stage.clauses:
        values = "; ".join(
            f"{'all ' if len(given) == 1 and len(clause.devices) > 1 else ''}"
            f"{name.rpartition('/')[2]} {', '.join(given)}"
            for name, given in clause.values
        )
        shown = f": {values}" if values else ""
        yield f"      {stage.name}: {len(clause.devices)} fail {clause.text}{shown}"


def _details(stage: Stage) -> str:
    """The details in words, what they begin with alike once."""
    begin = "held by "
    given = stage.detail[: _SHOWN_NAMES + 1]
    if len(given) > 1 and all(one.startswith(begin) or one == "…" for one in given):
        given = (given[0], *(one.removeprefix(begin) for one in given[1:]))
    return ", ".join(given)


def _grouping(grouping: ValueGroups) -> str:
    missing = f", {grouping.missing} without it" if grouping.missing else ""
    if grouping.distinct:
        return f"distinct {grouping.attribute}: {grouping.largest} values among those left{missing}"
    return f"same {grouping.attribute}: largest group {grouping.largest}{missing}"
