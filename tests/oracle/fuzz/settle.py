"""Whether upstream and dradsl agree on a question, also where upstream leaves something to chance.

One run of upstream is one draw. It counts as agreement if our code gives the same under the order
that was drawn: for allocations the order of slices is that of the question, and the pools may stand
in any order; for pods both are looked for. Nothing has to be asked again until chance happens to
draw what we take.
"""

from __future__ import annotations

import enum
import random
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.allocate import SPENT
from dradsl.releases import RELEASES
from tests.replay import QuestionError, answer_or_failure
from tests.verdicts import corpus
from tests.verdicts.arranged_pods import are_pods
from tests.verdicts.arrangements import is_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Settled", "not_asked", "ours", "settle"]

Line = dict[str, Any]

_TIMED_OUT = "timed out trying to allocate devices"


class Settled(enum.Enum):
    """How a run of upstream compares with our code."""

    SAME = "as ours"
    CHANCE = "ours under another order"
    GAVE_UP = "given up by us, answered by upstream"
    OPEN = "open: no order found, not every order tried"
    DIFFERS = "different"

    @property
    def agrees(self) -> bool:
        return self in (Settled.SAME, Settled.CHANCE)


def ours(subject: str, question: Mapping[str, Any], release: str) -> list[Line]:
    """Our answer, in the order by name."""
    return answer_or_failure(subject, dict(question), RELEASES[release])


def not_asked(lines: Sequence[Line]) -> bool:
    """Whether there is nothing to compare: no sense in the question, or too little time."""
    return any(line.get("errorKind") in ("timeout", "input") or _is_slow(line) for line in lines)


def _is_slow(line: Line) -> bool:
    """Whether a search took too long, or a pod waits for no driver, but for a busy machine."""
    waits = (line.get("preBind") or {}).get("code") == "Wait"
    if waits and "bindingConditions" not in str(line.get("claims")):
        return True
    return any(_TIMED_OUT in str(node.get("reasons")) for node in line.get("nodes") or ())


def settle(
    subject: str, release: str, question: Mapping[str, Any], lines: Sequence[Line]
) -> Settled:
    """How the lines of one run of upstream compare with our code."""
    mine = ours(subject, question, release)
    if any(line.get("errorKind") == "failure" for line in mine):
        return Settled.DIFFERS
    if not_asked(mine) or SPENT in str(mine):
        return Settled.GAVE_UP
    same = corpus.agree(subject, tuple((line,) for line in lines), mine)
    found: bool | None = same
    # Of allocations the order is known, so that ours has to be found under that very order.
    if subject == "alloc" and all("node" in line for line in lines):
        try:
            found = is_run(question, RELEASES[release], lines)
        except QuestionError:
            found = same
    elif subject == "schedule" and not same:
        found = are_pods(question, RELEASES[release], lines, random.Random(str(question.get("id"))))
    if found is None:
        return Settled.OPEN
    if not found:
        return Settled.DIFFERS
    return Settled.SAME if same else Settled.CHANCE
