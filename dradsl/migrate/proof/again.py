"""A second look at a file after its migration: requests that are still there, although they were not rejected."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.files import migrate_file
from dradsl.migrate.proof.prove import ProofResult, with_results
from dradsl.migrate.result import Outcome
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.result import FileMigration, Item, Migration
    from dradsl.migrate.survey import RunEvidence

__all__ = ["still_asked", "without_open_requests"]


def without_open_requests(migration: Migration, survey: RunEvidence) -> Migration:
    """The migration, of which every changed file is read once more: a request that is still there, and was
    not rejected or left, is a fault."""
    by_name = {source.name: source for source in survey.sources}
    wrong: dict[str, list[str]] = {}
    for file in migration.files:
        source = by_name.get(file.path)
        if source is not None and file.text != file.before:
            after = replace(source, stream=source.stream.reread(file.text))
            found = list(still_asked(file, migrate_file(after, survey)))
            wrong |= {file.path: found} if found else {}
    return with_results(migration, ProofResult(wrong=wrong)) if wrong else migration


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
        elif item.outcome is Outcome.REJECTED or second.text != second.before:
            if _key(item)[1].endswith((": null", ": 0")):
                continue  # removes a request of a base, or asks for no device
            yield (
                f"{first.path}: {item.object}, {item.where} still asks for {item.before} after the "
                "migration"
            )


def _key(item: Item) -> tuple[str, str]:
    return item.object, item.before
