"""What a migration did and left undone, as values for the reports."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.diagnostics import Span

__all__ = ["FileMigration", "Item", "Migration", "Outcome"]


class Outcome(enum.StrEnum):
    """How one use fared: `LEFT` stays with its device plugin, and nothing is open about it."""

    TRANSLATED = "translated"
    REFUSED = "refused"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Item:
    """One use: where it stands, what it was, what became of it and why.

    `object` names the workload, `where` the container or field in it. `question` is the id of the
    question that is open, `routes` are other ways to go.
    """

    path: str
    span: Span
    object: str
    where: str
    before: str
    outcome: Outcome
    reason: str
    after: str | None = None
    notes: tuple[str, ...] = ()
    question: str | None = None
    hint: str | None = None
    routes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileMigration:
    """A file after migration.

    `kind` is "manifests", "values", "template" or "operator". `added` are objects that do not stand
    in `text` but belong in a file of their own. `amounts` maps each migrated workload to the
    devices of a pod, before and after, by the name of the extended resource.
    """

    path: str
    kind: str
    before: str = field(repr=False)
    text: str = field(repr=False)
    items: tuple[Item, ...] = ()
    added: tuple[Mapping[str, Any], ...] = ()
    amounts: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.text != self.before or bool(self.added)


@dataclass(frozen=True, slots=True)
class Migration:
    """A run: its files in the order of reading, and the sentences that prove the result sound.

    `faults` are proofs that failed: the result is then not to be used.
    """

    files: tuple[FileMigration, ...]
    strategy: str = "claims"
    evidence: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    def items(self) -> Iterator[Item]:
        for file in self.files:
            yield from file.items

    def count(self, outcome: Outcome) -> int:
        return sum(item.outcome is outcome for item in self.items())

    @property
    def changed(self) -> bool:
        return any(file.changed for file in self.files)

    @property
    def open(self) -> bool:
        """Whether something was refused or a proof failed."""
        return self.count(Outcome.REFUSED) > 0 or bool(self.faults)
