"""A migration from files in to files out: what kind each file is, and what is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.charts.recipes import is_values
from dradsl.migrate.answers import Answers
from dradsl.migrate.chart_templates import scan_broken, scan_template, scan_value_texts
from dradsl.migrate.evidence import gather
from dradsl.migrate.manifests import migrate_manifests
from dradsl.migrate.operator import configuration_items, migrate_operator
from dradsl.migrate.result import FileMigration, Migration
from dradsl.records import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.charts.recipes import Recipe
    from dradsl.drivers.catalogue import Catalogue
    from dradsl.lint.sources import SourceText
    from dradsl.migrate.evidence import Evidence

__all__ = ["Options", "migrate"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to migrate. `inventory` are recorded objects, `separate` keeps new objects out of the
    manifests' own files, `recipes` go before the shipped ones."""

    strategy: str = "claims"
    answers: Answers = field(default_factory=lambda: Answers({}))
    kube_version: str | None = None
    inventory: tuple[Mapping[str, Any], ...] = ()
    separate: bool = False
    recipes: tuple[Recipe, ...] = ()
    prove: bool = True


def migrate(
    sources: Sequence[SourceText], options: Options, catalogue: Catalogue | None = None
) -> Migration:
    """Migrate files that were read already; nothing is written."""
    if catalogue is None:
        from dradsl.drivers.catalogue import shipped_catalogue

        catalogue = shipped_catalogue()
    evidence = gather(sources, options.inventory)
    if options.strategy == "extended-resource":
        files = _by_class(sources, options, evidence, catalogue)
    else:
        files = tuple(_migrate_file(source, options, evidence, catalogue) for source in sources)
    migration = Migration(files, options.strategy)
    if not options.prove:
        return migration
    from dradsl.migrate.prove import prove

    return prove(migration, options.inventory, options.kube_version, catalogue)


def _by_class(
    sources: Sequence[SourceText], options: Options, evidence: Evidence, catalogue: Catalogue
) -> tuple[FileMigration, ...]:
    from dradsl.migrate.extended import migrate_by_class
    from dradsl.releases import get_release, newest_release

    version = options.kube_version
    release = get_release(version) if version else newest_release()
    made: dict[str, dict[str, Any]] = {}
    return tuple(
        scan_template(source, catalogue)
        if _is_template(source)
        else migrate_by_class(
            source, options.answers.decide, evidence, catalogue, release, made, options.recipes
        )
        for source in sources
    )


def _is_template(source: SourceText) -> bool:
    documents = source.stream.documents
    return source.stream.is_template and not all(is_values(each.data) for each in documents)


def _migrate_file(
    source: SourceText, options: Options, evidence: Evidence, catalogue: Catalogue
) -> FileMigration:
    if _is_template(source):
        return scan_template(source, catalogue)
    operator = migrate_operator(source, options.answers.decide)
    if operator is not None:
        return operator
    file = migrate_manifests(
        source,
        options.answers.decide,
        evidence,
        catalogue,
        separate=options.separate,
        recipes=options.recipes,
    )
    more = (
        *configuration_items(source, options.answers.decide),
        *scan_broken(source, catalogue),
        *scan_value_texts(source, catalogue),
    )
    return replace(file, items=(*file.items, *more))
