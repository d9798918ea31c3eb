"""What a change of our code is, for the command that measures how strong the recorded corpora are."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dradsl.releases import Release

__all__ = ["Mutant", "other_values", "shown"]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of our code: what it is called, whom it concerns, and how it is made.

    `change` is a context in which the change is in force; `row` replaces the release's row.
    `touches` tells the questions that could notice the change from those that surely do not, alike
    for all changes of a `group`. `unseen` is the reason why no question at all can notice it: such a change is not tried.
    """

    name: str
    subjects: tuple[str, ...]
    release: str
    change: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    row: Release | None = None
    touches: Callable[[Mapping[str, Any]], bool] | None = None
    group: str = ""
    unseen: str = ""


def other_values(value: Any) -> Iterator[Any]:
    """Every value that a switch could have instead, as far as its type tells."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, enum.Enum):
        yield from (other for other in type(value) if other is not value)
    elif isinstance(value, frozenset):
        yield from (value - {one} for one in sorted(value))
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, tuple) and value:
        yield value[:-1]


def shown(value: Any) -> str:
    """A value in the name of a change."""
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(value)) + "}"
    return str(value)
