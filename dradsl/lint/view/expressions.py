"""CEL expressions as the API server judges them when an object is written."""

from __future__ import annotations

from dradsl.cel.dra import COST_LIMIT, compile_selector
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.dra import Mode, SelectorCache
    from dradsl.releases import Features, Release

__all__ = ["Refusal", "judge_expression"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an expression is refused: upstream's error type and text, and the code points meant."""

    type: str
    detail: str
    start: int | None = None
    end: int | None = None


def judge_expression(
    text: str, release: Release, features: Features, kind: Mode, cache: SelectorCache
) -> Refusal | None:
    """What the API server says of an expression; None if it takes it.

    `kind` is "new", "stored" or "derived" (the expression of a derived attribute).
    """
    compiled = compile_selector(text, release, features, kind, cache)
    if compiled.error is not None:
        first = compiled.issues[0] if compiled.issues else None
        return Refusal(
            compiled.error.type,
            compiled.error.detail,
            first.start if first else None,
            first.end if first else None,
        )
    if compiled.max_cost > COST_LIMIT:
        return Refusal("FieldValueForbidden", "too complex, exceeds cost limit")
    return None
