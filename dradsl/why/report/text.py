"""Answers as text: the cause and the fix first, then what they rest on, then the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.values.counted import first_of
from dradsl.values.printable import printable
from dradsl.why.answer import steps
from dradsl.why.observed.pods import short_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.why.answer import Answer, DeviceUse

__all__ = ["render"]

_LINES = 24
_SHOWN = 8


def render(
    answers: Sequence[Answer],
    unknown: Iterable[str],
    read: Mapping[str, int],
    release: str,
    out: TextIO,
    *,
    diff: bool = False,
) -> None:
    """Write the answers; `diff`: how to make each change, and nothing else."""
    for answer in answers:
        own = _patch(answer) if diff else (*_lines(answer), "")
        out.writelines(f"{printable(line)}\n" for line in own)
    if diff:
        return
    counted = ", ".join(f"{count} {kind}" for kind, count in read.items())
    lines = [f"cannot be known: {text}" for text in unknown]
    lines.append(f"read: {counted or 'nothing'}; judged as Kubernetes {release}")
    out.writelines(f"{printable(line)}\n" for line in lines)


def _patch(answer: Answer) -> Iterator[str]:
    if answer.change is None:
        yield f"# {answer.subject}: no change was found: {answer.cause}"
        return
    yield f"# {answer.subject}: {answer.change.text}"
    lost = answer.change.gives_up or "nothing"
    yield f"# gives up: {lost}" if answer.change.tried else "# not tried"
    yield from answer.change.patch


def _lines(answer: Answer) -> Iterator[str]:
    since = f" since {answer.since}" if answer.since else ""
    yield f"{answer.subject}: {answer.state}{since}"
    if answer.alike:
        more = ", …" if len(answer.alike) > 3 else ""
        yield f"  and {len(answer.alike)} more: {', '.join(answer.alike[:3])}{more}"
    yield f"  why: {answer.cause}"
    if answer.change is not None:
        yield f"  fix ({'' if answer.change.tried else 'not '}tried): {answer.change.text}"
        lost = answer.change.gives_up
        if lost or answer.change.tried:
            yield f"    {f'gives up {lost}; keeps the rest' if lost else 'keeps all that was asked'}"
    yield f"  {'step' if answer.is_stopped else 'state'}: {answer.step} ({steps()[answer.step]})"
    for fact in answer.facts:
        text = short_reason(fact.text)
        yield f"  rests on: {fact.about}{'' if text in answer.cause else f': {text}'}"
    yield from (f"    {line}" for line in answer.details[:_LINES])
    if len(answer.details) > _LINES:
        yield f"    … and {len(answer.details) - _LINES} more lines: --output-format json has all"
    told = {answer.cause, *answer.details}
    yield from _devices("has", answer.devices, told)
    yield from _devices("held by others", answer.holders, told)


def _devices(title: str, uses: Sequence[DeviceUse], told: set[str]) -> Iterator[str]:
    """The devices of each claim in a line, with the trouble of each below it; what is held for one workload, or
    by pods of none, is one line."""
    folds: dict[tuple[str, ...], list[DeviceUse]] = {}
    for use in uses:
        alone = title == "has" or use.leftover or use.trouble
        by = (use.claim,) if alone else (use.owner, "")
        folds.setdefault((f"{use.driver}/{use.pool}", use.model, *by), []).append(use)
    for number, found in enumerate(folds.values()):
        if number == _SHOWN:
            yield f"  {title}: … {len(folds) - _SHOWN} more lines: --output-format json has all"
            return
        yield f"  {title}: {_holding(found)}"
        for use in found:
            states = [*use.trouble, *(f"taint {taint}" for taint in use.taints)]
            if use.published is False:
                states.append("no slice publishes it any more")
            states += [line for line in use.leftover if line not in told]
            told.update(use.leftover)
            device = f"{use.device}: " if len(found) > 1 else ""
            yield from (f"    {device}{state}" for state in states)


def _holding(found: Sequence[DeviceUse]) -> str:
    """Devices of one pool and model, and who holds them."""
    use, since = found[0], {one.since for one in found}
    given = (
        [one.device for one in found],
        [one.claim for one in found],
        [pod for one in found for pod in one.pods],
    )
    devices, claims, pods = (first_of(list(dict.fromkeys(names))) for names in given)
    words = [f"{use.driver}/{use.pool}/{devices}", *([f"({use.model})"] if use.model else [])]
    words += [f"by claim {claims}", *([f"for {pods}"] if pods else [])]
    words += [f"of {use.owner}"] if use.owner else []
    words += [f"since {use.since}"] if use.since and len(since) == 1 else []
    apart = [", admin access"] if use.admin else []
    apart += [", a share"] if use.share else []
    return " ".join(words) + "".join(apart)
