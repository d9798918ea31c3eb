"""Checks a CEL selector against what drivers publish (family DRA2).

The selector runs on every shape of device that can come to it (`explore`); what was seen is judged
by `judge_names` (does the name exist here?), `judge_values` (can the value be had, is it of that
type?) and `judge_whole` (can it fail, can it hold at all?). Upstream's own verdict on the text is
not repeated: what does not parse gives nothing here.
"""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.drivers.judge.case import SelectorContext, case_of
from dradsl.drivers.judge.names import judge_names
from dradsl.drivers.judge.values import judge_values
from dradsl.drivers.judge.whole import judge_drivers, judge_failures, judge_outcome
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.drivers.judge.findings import CelFinding
    from dradsl.drivers.schema.catalogue import Catalogue

__all__ = ["check_selector"]


def check_selector(
    text: str, catalogue: Catalogue, context: SelectorContext | None = None
) -> list[CelFinding]:
    """Findings of family DRA2 in the selector `text`, in the order of their places."""
    case = case_of(text, catalogue, context or SelectorContext())
    if case is None:
        return []
    causes = [*judge_drivers(case), *judge_names(case), *judge_values(case)]
    found = [*causes, *judge_failures(case, causes)]
    found.extend(judge_outcome(case, found))
    if case.context.alternative:
        found = [_mild(finding) for finding in found]
    return _first_of_each(sorted(found, key=lambda each: (each.start, each.end, each.code)))


def _mild(finding: CelFinding) -> CelFinding:
    """A value that no device has may be meant, where another alternative follows."""
    if finding.code in ("DRA209", "DRA212"):
        return replace(finding, severity=Severity.INFO)
    return finding


def _first_of_each(found: list[CelFinding]) -> list[CelFinding]:
    """Without repetitions that leave nothing to mend at their place."""
    kept: list[CelFinding] = []
    said: set[tuple[str, str]] = set()
    for finding in found:
        key = (finding.code, finding.message)
        if finding.fix is None and key in said:
            continue
        said.add(key)
        if finding not in kept:
            kept.append(finding)
    return kept
