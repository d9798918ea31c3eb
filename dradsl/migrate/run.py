"""A migration from files in to files out: what kind each file is, and what is done with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dradsl.migrate.answers import Answers
from dradsl.migrate.evidence import gather
from dradsl.migrate.manifests import migrate_manifests
from dradsl.migrate.result import FileMigration, Migration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.drivers.catalogue import Catalogue
    from dradsl.lint.sources import SourceText
    from dradsl.migrate.evidence import Evidence

__all__ = ["Options", "migrate"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to migrate. `inventory` are recorded objects, `separate` keeps new objects out of the
    manifests' own files."""

    strategy: str = "claims"
    answers: Answers = field(default_factory=lambda: Answers({}))
    kube_version: str | None = None
    inventory: tuple[Mapping[str, Any], ...] = ()
    separate: bool = False
    prove: bool = True


def migrate(
    sources: Sequence[SourceText], options: Options, catalogue: Catalogue | None = None
) -> Migration:
    """Migrate files that were read already; nothing is written."""
    if catalogue is None:
        from dradsl.drivers.catalogue import shipped_catalogue

        catalogue = shipped_catalogue()
    evidence = gather(sources)
    files = tuple(_migrate_file(source, options, evidence, catalogue) for source in sources)
    return Migration(files, options.strategy)


def _migrate_file(
    source: SourceText, options: Options, evidence: Evidence, catalogue: Catalogue
) -> FileMigration:
    return migrate_manifests(
        source, options.answers.decide, evidence, catalogue, separate=options.separate
    )
