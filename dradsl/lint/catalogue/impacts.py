"""What the impact of an observation makes of its rule's severity and reason.

An error is for what is fatal: because of it the request gets nothing. A misleading part is a warning
at most, and one without effect an info.
"""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.messages import Words
from dradsl.lint.catalogue.rules import RULES
from dradsl.observations import Impact, Observation

__all__ = ["severity_of", "why_of"]

_MOST = {Impact.MISLEADING: Severity.WARNING, Impact.NO_EFFECT: Severity.INFO}
_MISLEADING = "this part does not select what it names; other parts of the selector may still let devices through"
_FAILS = (
    "a device for which this part is reached makes the selector fail, and the scheduler gives up on the "
    "whole pod"
)
_NEVER = "no device passes this selector, and no error says so: a pod that needs it stays pending"
_NO_EFFECT = "this part changes nothing: the rest of the selector decides alone"


def severity_of(code: str, severity: Severity | None, observed: Observation) -> Severity | None:
    """The severity of what was observed; None is the one of the rule."""
    most = _MOST.get(observed.impact)
    if most is None:
        return severity
    given = severity or RULES[code].severity
    return most if given.rank < most.rank else severity


def why_of(code: str, words: Words, observed: Observation) -> str | None:
    """Why it matters, where that is not what the document of the rule says."""
    if RULES[code].severity is not Severity.ERROR:
        return None
    if observed.impact is Impact.NO_EFFECT:
        return _NO_EFFECT
    if observed.impact is Impact.MISLEADING:
        return _FAILS if words.upstream and observed.fails else _MISLEADING
    if words.upstream and not observed.fails:
        return _NEVER  # behind a guard such as `has`, nothing ends in an error
    return None
