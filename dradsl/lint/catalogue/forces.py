"""What the force of an observation makes of its rule's severity and reason.

An error is for what decides: because of it the request gets nothing. A part that misleads is a warning
at most, and one that changes nothing an info.
"""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.observations import Force

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.lint.catalogue.words import Words
    from dradsl.observations import Observation

__all__ = ["severity_of", "why_of"]

_MOST = {Force.MISLEADS: Severity.WARNING, Force.IDLE: Severity.INFO}
_MISLEADS = "this part does not do what it seems to do, although the rest of the selector may let devices through"
_FAILS = (
    "a device for which this part is reached makes the selector fail, and the scheduler gives up on the "
    "whole pod"
)
_NEVER = "no device passes this selector, and no error says so: a pod that needs it stays pending"
_IDLE = "this part changes nothing: the rest of the selector decides alone"


def severity_of(code: str, severity: Severity | None, observed: Observation) -> Severity | None:
    """The severity of what was observed; None is the one of the rule."""
    most = _MOST.get(observed.force)
    if most is None:
        return severity
    from dradsl.lint.catalogue.rules import RULES

    given = severity or RULES[code].severity
    return most if given.rank < most.rank else severity


def why_of(code: str, words: Words, observed: Observation) -> str | None:
    """Why it matters, where that is not what the document of the rule says."""
    from dradsl.lint.catalogue.rules import RULES

    if RULES[code].severity is not Severity.ERROR:
        return None
    if observed.force is Force.IDLE:
        return _IDLE
    if observed.force is Force.MISLEADS:
        return _FAILS if words.upstream and observed.fails else _MISLEADS
    if words.upstream and not observed.fails:
        return _NEVER  # behind a guard such as `has`, nothing ends in an error
    return None
