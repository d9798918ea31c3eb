"""What can be said of a pod: it fits, it depends on chance, it never starts, or it was not examined."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Attempt", "Prospect", "worst"]


class Prospect(enum.Enum):
    """What can be said of a pod: it starts, it depends on chance, it never does; or nothing, as it
    was not looked at."""

    FITS = "fits"
    CHANCE = "chance"
    UNKNOWN = "unknown"
    NEVER = "never"


class Attempt(Record):
    """What can be said of a pod. `said` is what some node says that has consequences beyond itself,
    and `rule` tells which; both are empty where nodes simply fit or do not."""

    prospect: Prospect
    said: str = ""
    rule: str = ""

    @property
    def reason(self) -> str:
        """Why, in words; empty if there is nothing to explain."""
        return "; ".join(filter(None, (self.said, self.rule)))


def worst(prospects: Iterable[Prospect]) -> Prospect:
    """The worst of several; that of none is that it fits."""
    order = list(Prospect)
    return max(prospects, key=order.index, default=Prospect.FITS)
