"""A second look at a file after its migration: requests that are still there, and were not refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.result import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.result import FileMigration, Item

__all__ = ["still_asked"]


def still_asked(first: FileMigration, second: FileMigration) -> Iterator[str]:
    """What a file asks for after its migration that the migration was to remove or did not report; `second` is what a run
    over the result gives.

    Amounts that a chart goes on reading are found again, but change nothing.
    """
    known = Counter(map(_key, (i for i in first.items if i.outcome is not Outcome.TRANSLATED)))
    known += Counter(map(_key, (i for i in first.items if i.doubt is not None)))
    for item in second.items:
        if item.outcome is Outcome.LEFT:
            continue
        key = _key(item)
        if known[key] > 0:
            known[key] -= 1
        elif item.outcome is Outcome.REFUSED or second.text != second.before:
            if _key(item)[1].endswith(": null"):
                continue  # takes a request of a base away
            yield (
                f"{first.path}: {item.object}, {item.where} still asks for {item.before} after the "
                "migration"
            )


def _key(item: Item) -> tuple[str, str]:
    return item.object, item.before
