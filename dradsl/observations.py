"""What a layer below lint found: a reason with its facts, and the place. Lint gives it a code and words."""

from __future__ import annotations

import enum

from dradsl.records import Record, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal


__all__ = ["Facts", "Impact", "Observation", "Replacement", "replaced"]


class Facts(Record):
    """Why something is worth a finding, and the data that belongs to it.

    Each kind of mistake is a subclass, its fields are what a message needs. Facts hold no rule code, no severity and no sentence: those are in `dradsl.lint.catalogue`.
    """


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put `text` in place of the code points from `start` to `end` of a text."""

    start: int
    end: int
    text: str
    applicability: Literal["safe", "unsafe"] = "unsafe"


def replaced(text: str, fixes: Iterable[Replacement]) -> str:
    """The text with all fixes that do not overlap."""
    last = len(text) + 1
    for each in sorted(fixes, key=lambda each: (-each.start, each.end)):
        if each.end <= last:
            text, last = f"{text[: each.start]}{each.text}{text[each.end :]}", each.start
    return text


class Impact(enum.Enum):
    """The effect of an observation on the whole that it is a part of."""

    FATAL = "fatal"
    """Because of it the whole fails, as far as can be seen."""
    MISLEADING = "misleading"
    """It is not what its author means, but the whole may hold all the same."""
    NO_EFFECT = "no effect"
    """It changes nothing."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that was found, at a field (`path`) of what was looked at.

    `span` are code points inside the text at `path` (the end exclusive). With `on_key` it is about
    the key that ends the path, not about its value. What would fix it: `fix` inside the text, or
    `instead`, the key or value to write; `written` is the whole condition around it as it must be, where that
    is known; `fails` says whether it ends in an error when it runs, where the facts are of a kind that may.
    """

    facts: Facts
    path: tuple[str | int, ...] = ()
    span: tuple[int, int] | None = None
    on_key: bool = False
    fix: Replacement | None = None
    instead: str | None = None
    written: str | None = None
    impact: Impact = Impact.FATAL
    fails: bool = True
