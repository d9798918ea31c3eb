"""The operators of comparisons, and a comparison that cannot be right."""

from __future__ import annotations

from dradsl.drivers.judge.suspects import Otherwise, Suspect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.syntax.ast import Expr
    from dradsl.observations import Observation

__all__ = ["EQUALITIES", "OPERATORS", "suspect"]

EQUALITIES = ("_==_", "_!=_", "@in")
OPERATORS = {
    "_==_": "==",
    "_!=_": "!=",
    "_<_": "<",
    "_<=_": "<=",
    "_>_": ">",
    "_>=_": ">=",
    "@in": "in",
}


def suspect(
    node: Expr,
    observation: Observation,
    otherwise: Otherwise = Otherwise.MISLEADS,
    *,
    guess: bool = False,
    lasting: bool = True,
) -> Suspect:
    """A comparison that cannot be right; it counts as right if it may come out in any way."""
    return Suspect(observation, (node,), observation.facts, otherwise, guess, lasting)
