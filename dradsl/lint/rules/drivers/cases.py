"""The selectors of a run as they were judged, and which devices pass them: each is run on devices once."""

from __future__ import annotations

from dradsl.drivers.judge.case import SelectorCase, SelectorContext, case_of
from dradsl.drivers.judge.reachable import reachable
from dradsl.drivers.schema.shapes import Shape
from dradsl.lint.view.view import Run
from dradsl.records import replace

__all__ = ["case_in", "shapes_behind"]

_MOST = 1_000  # remembered: each holds all that was seen while its selector ran


def case_in(run: Run, text: str, context: SelectorContext) -> SelectorCase | None:
    """The case of a selector: what it does on devices is the same for classes of all names."""
    cases = _cases(run)
    key = (text, context.before)
    if key in cases:
        known = cases[key]
        return None if known is None else replace(known, context=context)
    case = case_of(text, run.drivers, context)
    if len(cases) < _MOST:
        cases[key] = case
    return case


def shapes_behind(run: Run, selectors: tuple[str, ...]) -> tuple[Shape, ...]:
    """The shapes of device that all `selectors` together may let through (`reachable`)."""
    return run.remember(("reachable", selectors), lambda: _shapes(run, selectors), by="schemas")


def _shapes(run: Run, selectors: tuple[str, ...]) -> tuple[Shape, ...]:
    case = _cases(run).get((selectors[-1], selectors[:-1])) if selectors else None
    passing = None if case is None else case.passing(among=len(selectors))
    return reachable(selectors, run.drivers) if passing is None else passing


def _cases(run: Run) -> dict[tuple[str, tuple[str, ...]], SelectorCase | None]:
    return run.remember("cases", dict, by="schemas")
