"""Which files of a run make dradsl fail, so that the others are worked on all the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from dradsl.diagnostics import Finding
from dradsl.lint.engine.state import RunInput
from dradsl.lint.input.reading import internal_error
from dradsl.records import replace
from dradsl.tree.inputs.sources import SourceText

__all__ = ["without_failing"]


def without_failing(
    work: RunInput, check: Callable[[RunInput], object], error: Exception
) -> RunInput:
    """`work` without the files that make `check` fail as it did, each of them a failure of the run.

    A file may fail by itself, or only beside others: then it stays to be looked into. With the
    variable DRADSL_DEBUG set, and where no file is to blame, `error` is raised.
    """
    if os.environ.get("DRADSL_DEBUG") or _failure(check, _only(work, ())) is not None:
        raise error
    broken: dict[str, Finding] = {}
    for source in (*work.sources, *work.context):
        failure = _failure(check, _only(work, (source,)))
        if failure is not None:
            broken[source.name] = internal_error(source.name, failure)
    work = replace(
        work,
        sources=tuple(s for s in work.sources if s.name not in broken),
        context=tuple(s for s in work.context if s.name not in broken),
    )
    beside = tuple(_failing_beside(work, check, work.sources)) if _failure(check, work) else ()
    for source, failure in beside:
        broken[source.name] = internal_error(source.name, failure)
    return replace(
        work,
        sources=tuple(s for s in work.sources if s.name not in broken),
        context=(*work.context, *(replace(source, context=True) for source, _ in beside)),
        failures=(*work.failures, *broken.values()),
    )


def _only(work: RunInput, sources: tuple[SourceText, ...]) -> RunInput:
    return replace(work, sources=sources, context=(), failures=())


def _failing_beside(
    work: RunInput, check: Callable[[RunInput], object], suspects: Sequence[SourceText]
) -> Iterable[tuple[SourceText, Exception]]:
    """Those of `suspects` that fail while all other files are looked into; halved until they show."""
    pending = [suspects]
    while pending:
        group = pending.pop()
        names = {source.name for source in group}
        others = tuple(replace(s, context=True) for s in work.sources if s.name not in names)
        failure = _failure(
            check, replace(work, sources=tuple(group), context=(*work.context, *others))
        )
        if failure is None:
            continue
        if len(group) == 1:
            yield group[0], failure
        else:
            middle = len(group) // 2
            pending += [group[:middle], group[middle:]]


def _failure(check: Callable[[RunInput], object], work: RunInput) -> Exception | None:
    try:
        check(work)
    except Exception as error:  # noqa: BLE001 - whatever it is, one file is to blame for it
        return error
    return None
