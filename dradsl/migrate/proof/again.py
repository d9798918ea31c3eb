"""A second look at a file after its migration: requests that are still there, although they were not refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.result import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.result import FileMigration, Item

__all__ = ["still_asked"]


def still_asked(first: FileMigration, second: FileMigration) -> Iterator[str]:
    """Requests that are in a file after its migration, although the migration was to remove them or did not report
    them; `second` is a run over the result.

    Amounts that a chart still reads are found again, but change nothing.
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
                continue  # removes a request of a base
            yield (
                f"{first.path}: {item.object}, {item.where} still asks for {item.before} after the "
                "migration"
            )


def _key(item: Item) -> tuple[str, str]:
    return item.object, item.before
