"""Looks: which objects are evaluated together, by which rules, and what becomes of the findings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence, Set as AbstractSet

from dradsl.lint.engine.state import RunObjects
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.records import dataclass

__all__ = ["Look", "identity_of"]


@dataclass(frozen=True, slots=True)
class Look:
    """Some objects that rules evaluate together. Producers make looks; `examine.check_release` evaluates them.

    The `objects` carry what is known around them as their context. `codes` are those of the rules. There are five kinds:

    - the objects as they are written;
    - with `patches` the patches among them alone;
    - with `sought` the objects with other values: findings that are not found again there are no findings;
    - with `title` objects that were `made` of the written ones ("built in", "rendered of"). `back` gives the
      findings as those of what was written, and leaves out those that are none there. What several of these looks
      find at one place is one finding with all titles;
    - with `team` the objects as they are written, by the rules of a team: those of the configuration of each file.
    """

    objects: RunObjects
    codes: AbstractSet[str] = frozenset()
    patches: bool = False
    sought: tuple[RuleFinding, ...] = ()
    made: str = ""
    title: str = ""
    back: Callable[[Sequence[RuleFinding]], Iterable[RuleFinding]] | None = None
    team: Callable[[str], LintConfig] | None = None


def identity_of(found: RuleFinding) -> Hashable:
    """What makes two findings of two looks the same one; of a variable, each value has words of its own."""
    message = "" if found.path in found.manifest.build_context.altered else found.message
    return found.code, found.manifest.key, found.path, message
