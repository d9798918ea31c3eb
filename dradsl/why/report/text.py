"""Answers as text, one screen each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.values.printable import printable
from dradsl.why.answer import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.why.answer import Answer, DeviceUse

__all__ = ["render"]

_LINES = 24


def render(
    answers: Sequence[Answer],
    unknown: Iterable[str],
    read: Mapping[str, int],
    release: str,
    out: TextIO,
) -> None:
    """Write the answers."""
    for answer in answers:
        out.writelines(f"{printable(line)}\n" for line in _lines(answer))
        out.write("\n")
    counted = ", ".join(f"{count} {kind}" for kind, count in read.items())
    lines = [f"cannot be known: {text}" for text in unknown]
    lines.append(f"read: {counted or 'nothing'}; judged as Kubernetes {release}")
    out.writelines(f"{printable(line)}\n" for line in lines)


def _lines(answer: Answer) -> Iterator[str]:
    yield f"{answer.subject}: {answer.state}"
    if answer.alike:
        more = ", …" if len(answer.alike) > 3 else ""
        yield f"  and {len(answer.alike)} more: {', '.join(answer.alike[:3])}{more}"
    yield f"  {'step' if answer.is_stopped else 'state'}: {answer.step} ({STEPS[answer.step]})"
    yield f"  why: {answer.cause}"
    yield from (f"    {line}" for line in answer.details[:_LINES])
    if len(answer.details) > _LINES:
        yield f"    … and {len(answer.details) - _LINES} more lines: --output-format json has all"
    told = {answer.cause, *answer.details}
    yield from _devices("has", answer.devices, told)
    yield from _devices("held by others", answer.holders, told)
    if answer.change:
        yield f"  smallest change (tried): {answer.change}"
    yield from (f"  {text}" for text in answer.said)


def _devices(title: str, uses: Sequence[DeviceUse], told: set[str]) -> Iterator[str]:
    for use in uses:
        model = f" ({use.model})" if use.model else ""
        admin = ", admin access" if use.admin else ""
        share = ", a share" if use.share else ""
        since = f" since {use.since}" if use.since else ""
        pods = f" for {', '.join(use.pods)}" if use.pods else ""
        yield f"  {title}: {use.name}{model} by claim {use.claim}{pods}{since}{admin}{share}"
        states = list(use.trouble)
        states += [f"taint {taint}" for taint in use.taints]
        if use.published is False:
            states.append("no slice publishes it any more")
        states += [line for line in use.leftover if line not in told]
        told.update(use.leftover)
        if title == "has" and not states:
            known = (
                "a slice publishes it"
                if use.published
                else "whether a slice publishes it is not known"
            )
            states.append(f"nothing is reported against it; {known}")
        yield from (f"    {state}" for state in states)
