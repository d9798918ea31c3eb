"""A migration from files in to files out, in four stages.

Evidence (`survey`), the plan and the edits of each file (`files`), the edits of what is built of several (`overlays`),
and the proof (`proof`). Each takes the value that the stage before it made, and calls nothing of the caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.chart.switch import ChartPlaces
from dradsl.migrate.chart.switches import plan_switches
from dradsl.migrate.detection.texts import names_in
from dradsl.migrate.files import (
    claims_once,
    is_template,
    migrate_file,
)
from dradsl.migrate.planning.answers import Options
from dradsl.migrate.planning.checklist import checklist_of, with_waiting_groups
from dradsl.migrate.proof.prove import prove, without_half_pods, without_open_requests
from dradsl.migrate.result import EditedTree, Migration
from dradsl.migrate.survey import survey
from dradsl.migrate.whole_tree import migrate_tree
from dradsl.records import replace
from dradsl.values.limits import MOST_TRIES_OF_SWITCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["Options", "migrate"]


def migrate(
    sources: Sequence[SourceText], options: Options, catalogue: Catalogue | None = None
) -> Migration:
    """Migrate files that were read already; nothing is written.

    A file for which dradsl itself fails is left out and is among `failed`; the others are migrated
    as if it were not there.

    Raises:
        TimeOverError: if the deadline comes first.
    """
    if catalogue is None:
        from dradsl.drivers.schema.catalogue import shipped_catalogue

        catalogue = shipped_catalogue()
    from dradsl.migrate.call import known_errors
    from dradsl.values.failing import apart_from_failing

    migration, failed = apart_from_failing(
        sources, lambda some: _with_switches(some, options, catalogue), known_errors()
    )
    return replace(migration, failed=tuple((source.name, error) for source, error in failed))


def _with_switches(
    sources: Sequence[SourceText], options: Options, catalogue: Catalogue
) -> Migration:
    """The migration; if the switch of a chart turns out to be a fault, the one without it.

    Only the proof of everything shows such a fault, so a try without these switches follows; the last try has none.
    """
    failed: dict[str, str] = {}
    if not options.by_class:
        decide = options.answers.decide
        around = None if options.separate else options.around
        for _ in range(MOST_TRIES_OF_SWITCHES):
            places = plan_switches(sources, decide, around, failed)
            migration = _in_stages(sources, places, options, catalogue)
            more = places.failed(migration)
            if not more:
                return migration
            failed |= more
    return _in_stages(sources, ChartPlaces(), options, catalogue)


def _in_stages(
    original: Sequence[SourceText], places: ChartPlaces, options: Options, catalogue: Catalogue
) -> Migration:
    """Evidence, plan with edits, edits of builds, proof; the report is made for the files as they were."""
    known = survey(places.given(original), options, catalogue)
    edited = _edited(known)
    migration = _checked(edited, known)
    told = {file.path for file in migration.files if file.items}
    migration = replace(
        migration,
        names=tuple(names_in((s for s in original if not is_template(s)), told, catalogue)),
        files=places.told(migration.files, original),
        together=migration.together | places.texts.keys(),
    )
    # Answers that meet nothing, and what else in the input the migration concerns.
    idle = options.answers.unmatched(item.before for item in migration.items())
    in_builds = [each for side in edited.sides for each in side.workloads]
    checklist = (*idle, *checklist_of(known.sources, migration, in_builds))
    migration = replace(migration, checklist=checklist)
    if options.prove:
        if options.renderer is not None and not options.by_class:
            from dradsl.migrate.proof.programs import with_programs

            migration = with_programs(migration, edited, known, options.renderer, places.keys)
        migration = prove(migration, edited, known)
    files, faults = claims_once(migration.files, known)
    workloads = [
        *(each for file in files for each in file.workloads),
        *(each for side in edited.sides if migration.together for each in side.workloads),
    ]
    files = with_waiting_groups(files, known.sources, () if options.by_class else workloads)
    if options.prove:
        files = places.told(files, original)
    return replace(migration, files=files, faults=(*migration.faults, *faults))


def _edited(known: RunEvidence) -> EditedTree:
    """The files after the edits of each, and of what is built of several."""
    if known.options.by_class:
        made: dict[str, list[str]] = {}
        files = (migrate_file(source, known, made=made) for source in known.sources)
        return EditedTree(tuple(files))
    if known.builds:
        return migrate_tree(known)
    return EditedTree(tuple(migrate_file(source, known) for source in known.sources))


def _checked(edited: EditedTree, known: RunEvidence) -> Migration:
    """The edits as a migration, without those that a second look at the files takes back."""
    options = known.options
    decisions = options.answers.for_run
    migration = Migration(
        edited.files,
        decisions.strategy,
        together=edited.together,
        faults=edited.faults,
        form=decisions.form,
    )
    if options.by_class:
        return migration
    return without_half_pods(without_open_requests(migration, known), known.sources)
