"""A migration from files in to files out: what kind each file is, and what is done with it."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dradsl.migrate.chart.places import ChartPlaces, chart_places
from dradsl.migrate.detection.chart_templates import scan_broken, scan_template
from dradsl.migrate.detection.recipes import recipe_book
from dradsl.migrate.detection.unjudged import (
    claims_without_pods,
    computed_names,
    named_values,
    profiles_in,
    values_elsewhere,
)
from dradsl.migrate.evidence import gather
from dradsl.migrate.kustomize.obstacles import named_patch, obstacle, renamed_values
from dradsl.migrate.kustomize.tree import build_tree, real_path
from dradsl.migrate.overlays.drafts import Place
from dradsl.migrate.overlays.loop import Built, Settled, migrate_tree
from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.planning.checklist import checklist_of
from dradsl.migrate.planning.gangs import with_claims, without_amounts
from dradsl.migrate.proof.prove import withdrawn
from dradsl.migrate.proof.runtimes import without_half_pods
from dradsl.migrate.result import FileMigration, Migration
from dradsl.migrate.targets.in_texts import (
    is_terraform,
    requests_in_terraform,
    requests_in_texts,
)
from dradsl.migrate.targets.kustomize import scan_json_patches, scan_kustomization, scan_patch_keys
from dradsl.migrate.targets.manifests import migrate_manifests
from dradsl.migrate.targets.operator import (
    asking,
    configuration_items,
    installs_driver,
    migrate_operator,
    turns_off,
    with_installed,
)
from dradsl.migrate.targets.text_values import TextValues, releases_of
from dradsl.records import cached, dataclass, field, replace
from dradsl.tree.charts.recipes import is_values
from dradsl.tree.charts.template_pods import helpers_in
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.values.deadline import NO_DEADLINE, Deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.recipes import RecipeBook
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.mapping.resource import Refusal
    from dradsl.migrate.overlays.controllers import Controller
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.result import Item
    from dradsl.migrate.targets.manifests import TextEdit
    from dradsl.migrate.targets.text_values import ValuesOf
    from dradsl.releases import Release
    from dradsl.text.documents import Document, Stream
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.recipes import Recipe
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["Options", "migrate"]

NOTHING: Mapping[Place, Refusal] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Options:
    """How to migrate. `inventory` are recorded objects, `separate` keeps new objects out of the
    manifests' own files, `recipes` go before the shipped ones. `around` are the kustomizations on disk
    around the files; without it only those among the files count. `renderer` renders both sides. A run that is not complete at the `deadline` ends without a result."""

    strategy: str = "claims"
    answers: Answers = field(default_factory=lambda: Answers({}))
    kube_version: str | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    separate: bool = False
    recipes: tuple[Recipe, ...] = ()
    prove: bool = True
    around: SurroundingKustomizations | None = None
    renderer: Renderer | None = None
    deadline: Deadline = NO_DEADLINE


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
    from dradsl.migrate.known_errors import known_errors
    from dradsl.values.failing import apart_from_failing

    migration, failed = apart_from_failing(
        sources, lambda some: _migrated(some, options, catalogue), known_errors()
    )
    return replace(migration, failed=tuple((source.name, error) for source, error in failed))


def _migrated(sources: Sequence[SourceText], options: Options, catalogue: Catalogue) -> Migration:
    """The migration; if something would still need a device plugin that goes off, the one in which that stays."""
    migration = _with_switches(sources, options, catalogue)
    answers = options.answers
    if answers.may_lack_titles:
        answers = replace(answers, any_namespace=True)
        _with_switches(sources, replace(options, answers=answers), catalogue)
    titles = answers.titles_found() if answers.rules else {}
    if titles:
        options = replace(options, answers=replace(options.answers, titles=titles))
        migration = _with_switches(sources, options, catalogue)
    waiting = asking(migration) if turns_off(migration) else ()
    if not waiting:
        return migration
    answers = replace(options.answers, asking=waiting)
    return _with_switches(sources, replace(options, answers=answers), catalogue)


def _with_switches(
    sources: Sequence[SourceText], options: Options, catalogue: Catalogue
) -> Migration:
    """The migration; if the switch of a chart turns out to be a fault, the one without it."""
    failed: dict[str, str] = {}
    while True:
        places = ChartPlaces()
        if options.strategy != "extended-resource":
            decide = options.answers.decide
            around = None if options.separate else options.around
            places = chart_places(sources, decide, around, failed)
        migration = _with_chart_places(sources, places, options, catalogue)
        more = places.failed(migration)
        if not more:
            return migration
        failed |= more


def _with_chart_places(
    original: Sequence[SourceText], places: ChartPlaces, options: Options, catalogue: Catalogue
) -> Migration:
    sources = places.given(original)
    run = _Run(
        options,
        gather(sources, options.inventory, options.around),
        catalogue,
        build_tree(sources, options.around, catalogue),
        recipe_book(sources, options.recipes),
        releases_of(sources),
        *_controllers(sources, options),
        has_driver=installs_driver(sources),
        helpers=helpers_in([s.stream.text for s in sources if "define" in s.stream.text]),
        named=named_values(sources),
    )
    built = Built(())
    if options.strategy == "extended-resource":
        built = Built(_by_class(sources, run))
    elif run.builds:
        built = _built(sources, run)
    else:
        grouped = without_amounts([_migrate_file(source, run) for source in sources], sources)
        built = Built(grouped.files, groups=grouped.groups)
    migration = Migration(
        built.files, options.strategy, together=built.together, faults=built.faults
    )
    if options.strategy != "extended-resource":
        migration = _read_again(migration, sources, run)
        migration = without_half_pods(migration, sources)
        if options.strategy == "plan":
            migration = replace(migration, files=_with_classes(sources, migration.files, run))
        migration = _with_groups(migration, built)
    from dradsl.migrate.detection.names import names_in

    told = {file.path for file in migration.files if file.items}
    quiet = [each for each in original if each.name not in told and not _is_template(each)]
    migration = replace(migration, names=tuple(names_in(quiet, catalogue)))
    migration = replace(
        migration,
        files=places.told(migration.files, original),
        together=migration.together | places.switched_files(),
    )
    idle = options.answers.unmatched(item.before for item in migration.items())
    in_builds = [each for side in built.sides for each in side.workloads]
    checklist = checklist_of(sources, migration, in_builds)
    migration = replace(migration, checklist=(*idle, *checklist))
    if not options.prove:
        return _with_claims_once(migration, sources, run)
    from dradsl.migrate.proof.prove import prove

    if options.renderer is not None and options.strategy != "extended-resource":
        migration = _rendered(migration, sources, built, options.renderer, run, places.keys)
    parts = frozenset(source.name for source in sources if run.tree.holds(source.name))
    proven = prove(
        migration,
        options.inventory,
        options.kube_version,
        catalogue,
        unbuilt=parts - built.covered,
        covered=built.covered,
        sides=built.sides if migration.together or not built.together else (),
        complete=run.tree.complete,
        deadline=options.deadline,
    )
    proven = _with_claims_once(_with_groups(proven, built), sources, run)
    return replace(proven, files=places.told(proven.files, original))


def _with_groups(migration: Migration, built: Built) -> Migration:
    """The migration without edits of groups whose pods still ask for the removed amounts, since their file was withdrawn."""
    files = {file.path: file for file in migration.files}
    faults: list[str] = []
    waiting = True
    while waiting:
        waiting = False
        for group in with_claims(tuple(files.values()), built.groups):
            file = files[group.manifest.path]
            if file.text != file.before:
                fault = (
                    f"{group.manifest.title}: a pod of this group still asks for {group.keys[0]}"
                )
                files[file.path] = withdrawn(file, [fault])
                faults.append(fault)
                waiting = True
    if not faults:
        return migration
    return replace(
        migration,
        files=tuple(files.values()),
        faults=(*migration.faults, *faults),
        together=migration.together - {path for path, f in files.items() if not f.changed},
    )


def _controllers(
    sources: Sequence[SourceText], options: Options
) -> tuple[tuple[Controller, ...], dict[str, Stream]]:
    """What Flux and Argo CD build of the folders on disk, by their objects in the run and in its Git repositories; with
    the files of those that are not of the run."""
    from dradsl.migrate.overlays.controllers import find_controllers
    from dradsl.migrate.overlays.drafts import Draft
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.kustomize.surrounding import builders_around, top_of

    if options.around is None or options.separate:
        return (), {}
    texts = {path: s.stream.text for s in sources if (path := real_path(s.name)) is not None}
    folders = dict.fromkeys(str(Path(path).parent) for path in texts)
    tops = tuple(dict.fromkeys((*options.around.roots, *map(top_of, folders))))
    read = {str(Path(s.top).resolve()) for s in sources if s.top is not None}
    open_tops = [top for top in tops if top not in read and Path(top, ".git").exists()]
    found = builders_around(open_tops, texts)
    outside = {path: stream for path, stream in found if not options.around.is_ignored(path)}
    every = {**texts, **{path: stream.text for path, stream in outside.items()}}
    return find_controllers(every, Draft(Files(tops), texts).files(), tops), outside


def _rendered(
    migration: Migration,
    sources: Sequence[SourceText],
    built: Built,
    renderer: Renderer,
    run: _Run,
    switches: Mapping[str, str],
) -> Migration:
    """The migration, with both sides rendered by the caller's programs."""
    from dradsl.migrate.overlays.planned import Planner
    from dradsl.migrate.proof.programs import with_programs

    options = run.options
    planner = Planner(options.answers.decide_built, run.evidence, run.catalogue, run.book)
    return with_programs(
        migration,
        sources,
        built,
        planner,
        renderer,
        options.kube_version,
        options.inventory,
        options.deadline,
        switches,
    )


def _read_again(migration: Migration, sources: Sequence[SourceText], run: _Run) -> Migration:
    """The migration, of which every changed file is read once more: a request that is still there, and was
    not refused or left, is a fault."""
    from dradsl.migrate.proof.again import still_asked

    by_name = {source.name: source for source in sources}
    faults: list[str] = []
    files: list[FileMigration] = []
    for file in migration.files:
        source = by_name.get(file.path)
        found: list[str] = []
        if source is not None and file.text != file.before:
            run.options.deadline.check()
            after = replace(source, stream=source.stream.reread(file.text))
            found = list(still_asked(file, _migrate_file(after, run)))
        faults += found
        files.append(withdrawn(file, found) if found else file)
    if not faults:
        return migration
    together = migration.together - {file.path for file in files if not file.changed}
    return replace(
        migration, files=tuple(files), faults=(*migration.faults, *faults), together=together
    )


def _with_claims_once(migration: Migration, sources: Sequence[SourceText], run: _Run) -> Migration:
    """The migration with each claim that several workloads name written once."""
    files, faults = _settled(migration.files, sources, run)
    return replace(migration, files=files, faults=(*migration.faults, *faults))


def _settled(
    files: tuple[FileMigration, ...], sources: Sequence[SourceText], run: _Run
) -> tuple[tuple[FileMigration, ...], tuple[str, ...]]:
    if not any(obj.get("kind") == "ResourceClaim" for file in files for obj in file.added):
        return files, ()
    from dradsl.migrate.namespaces import Namespaces
    from dradsl.migrate.planning.shared_claims import once

    namespaces = Namespaces(sources, run.options.around)

    def namespace_of(path: str, written: str | None) -> str | None:
        return namespaces.effective(path, written) or run.book.namespaces.get(path)

    return once(files, run.evidence, namespace_of, namespaces.is_built)


def _settled_with_groups(
    files: tuple[FileMigration, ...], sources: Sequence[SourceText], run: _Run
) -> Settled:
    grouped = without_amounts(files, sources)
    settled, faults = _settled(grouped.files, sources, run)
    return Settled(settled, faults, grouped.groups)


def _built(sources: Sequence[SourceText], run: _Run) -> Built:
    """A tree with kustomizations, both sides of which are built."""
    from dradsl.migrate.overlays.planned import Planner
    from dradsl.migrate.proof.prove import side_faults
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations

    options = run.options
    return migrate_tree(
        sources,
        run.tree,
        options.around or SurroundingKustomizations(),
        run.controllers,
        run.outside,
        Planner(options.answers.decide_built, run.evidence, run.catalogue, run.book),
        lambda source, refused: _migrate_file(source, run, refused),
        lambda files: _settled_with_groups(files, sources, run),
        lambda side: (
            side_faults(side, options.kube_version, options.deadline) if options.prove else ()
        ),
        options.deadline.check,
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """What all files of a run have in common."""

    options: Options
    evidence: Evidence
    catalogue: Catalogue
    tree: KustomizationTree
    book: RecipeBook
    releases: Mapping[tuple[str, str], ValuesOf]
    controllers: tuple[Controller, ...] = ()
    outside: Mapping[str, Stream] = field(default_factory=dict)
    has_driver: bool = False
    helpers: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    @property
    def builds(self) -> bool:
        """Whether overlays are built: patches beside manifests that stay (`separate`) change no tree."""
        return bool(self.tree.folders or self.controllers) and not self.options.separate

    @cached
    def built_by(self) -> frozenset[tuple[str, int, FieldPath]]:
        """The objects of Flux and Argo CD that are built."""
        return frozenset(each.place for each in self.controllers)


def _by_class(sources: Sequence[SourceText], run: _Run) -> tuple[FileMigration, ...]:
    release = _release(run)
    made: dict[str, list[str]] = {}
    return tuple(_file_by_class(source, run, release, made) for source in sources)


def _with_classes(
    sources: Sequence[SourceText], files: tuple[FileMigration, ...], run: _Run
) -> tuple[FileMigration, ...]:
    """The files with DeviceClasses for what cannot have claims."""
    from dradsl.migrate.targets.both import with_classes
    from dradsl.migrate.targets.extended import pods_by_class

    release = _release(run)
    by_name = {source.name: source for source in sources}

    def by_class(name: str) -> Iterable[Any]:
        source = by_name.get(name)
        if source is None or _is_template(source) or is_kustomization(name):
            return ()
        if named_patch(run.tree, name):
            return ()
        decide = run.options.answers.decide
        return pods_by_class(source, decide, run.evidence, run.catalogue, release, run.book)

    return tuple(with_classes(files, by_class, run.evidence.may_share))


def _release(run: _Run) -> Release:
    from dradsl.releases import get_release, newest_release

    version = run.options.kube_version
    return get_release(version) if version else newest_release()


def _file_by_class(
    source: SourceText, run: _Run, release: Release, made: dict[str, list[str]]
) -> FileMigration:
    from dradsl.migrate.targets.extended import migrate_by_class

    options, catalogue = run.options, run.catalogue
    options.deadline.check()
    if is_terraform(source.name):
        return _terraform(source, catalogue)
    if _is_template(source):
        return _template(source, run)
    if is_kustomization(source.name):
        return _with_texts(source, _kustomization(source, run, by_class=True), run, by_class=True)
    decide = options.answers.decide
    file = migrate_by_class(source, decide, run.evidence, catalogue, release, made, run.book)
    more: tuple[Item, ...] = tuple(scan_json_patches(source, catalogue, run.tree, by_class=True))
    more = (*more, *values_elsewhere(source, run.named))
    return _with_texts(source, replace(file, items=(*file.items, *more)), run, by_class=True)


def _is_template(source: SourceText) -> bool:
    """Whether the file is rendered before it is applied.

    A file that can be read mentions Helm in strings only: charts render strings of their values, and any file may
    hold text about Helm. It counts as a template only among the templates of a chart.
    """
    if not source.stream.is_template:
        return False
    documents = source.stream.documents
    if "templates" in source.name.replace("\\", "/").split("/")[:-1]:
        return not all(is_values(each.data) for each in documents)
    return any(each.data is None and _has_content(each.text) for each in documents)


def _template(source: SourceText, run: _Run) -> FileMigration:
    file = scan_template(source, run.catalogue)
    return replace(file, items=(*file.items, *computed_names(source, run.helpers)))


def _has_content(text: str) -> bool:
    """Whether a document without data is more than comments."""
    lines = (line.strip() for line in text.splitlines())
    return any(line and not line.startswith(("#", "---")) for line in lines)


def _migrate_file(
    source: SourceText, run: _Run, refused: Mapping[Place, Refusal] = NOTHING
) -> FileMigration:
    options, catalogue = run.options, run.catalogue
    options.deadline.check()
    if is_terraform(source.name):
        return _terraform(source, catalogue)
    if _is_template(source):
        return _template(source, run)
    if is_kustomization(source.name):
        file = _kustomization(source, run, by_class=False)
        file = with_installed(
            source, file, options.answers.decide, run.evidence, has_driver=run.has_driver
        )
        return _with_texts(source, file, run)
    patch = named_patch(run.tree, source.name)
    decide = options.answers.decide
    operator = None if patch else migrate_operator(source, decide, has_driver=run.has_driver)
    if operator is not None:
        return _with_texts(source, operator, run)
    file = migrate_manifests(
        source,
        options.answers.decide,
        run.evidence,
        catalogue,
        run.book,
        separate=options.separate,
        obstacle=lambda manifest, pod: _obstacle(run, refused, manifest, pod),
        texts=_texts(run, refused),
    )
    more: tuple[Item, ...]
    if patch is not None:
        more = tuple(scan_patch_keys(source, catalogue, patch, file.items))
    else:
        more = (
            *configuration_items(source, options.answers.decide),
            *scan_json_patches(source, catalogue, run.tree),
        )
    more = (
        *more,
        *scan_broken(source, catalogue),
        *values_elsewhere(source, run.named),
        *claims_without_pods(source, run.book.folders),
        *profiles_in(source, catalogue),
    )
    file = replace(file, items=(*file.items, *more))
    if patch is None:
        file = with_installed(
            source, file, options.answers.decide, run.evidence, has_driver=run.has_driver
        )
    return _with_texts(source, file, run)


def _texts(
    run: _Run, refused: Mapping[Place, Refusal]
) -> Callable[[SourceText, Document], TextEdit | None]:
    """What edits the values of charts that are texts within a document."""
    return TextValues(
        run.options.answers.decide,
        run.evidence,
        run.catalogue,
        run.book,
        run.releases,
        lambda manifest, pod: _obstacle(run, refused, manifest, pod),
    ).edited


def _obstacle(
    run: _Run, refused: Mapping[Place, Refusal], manifest: Manifest, pod: PodAt
) -> Refusal | None:
    """Why a pod cannot be migrated in place: because of what is built of it, or because that is not known."""
    path = real_path(manifest.path)
    refusal = None if path is None else refused.get(Place(path, manifest.index))
    taken = () if manifest.api_version else run.book.taken.get(manifest.source.name, ())
    return (
        refusal
        or obstacle(run.tree, manifest, pod, built=run.builds, seen=run.built_by)
        or (renamed_values(run.tree, taken) if taken else None)
    )


def _kustomization(source: SourceText, run: _Run, *, by_class: bool) -> FileMigration:
    file = scan_kustomization(
        source,
        run.options.answers.decide,
        run.evidence,
        run.catalogue,
        run.tree,
        run.book,
        by_class=by_class,
        edited=run.builds and not by_class,
    )
    return replace(file, items=(*file.items, *scan_broken(source, run.catalogue)))


def _terraform(source: SourceText, catalogue: Catalogue) -> FileMigration:
    text = source.stream.text
    items = tuple(requests_in_terraform(source, catalogue))
    return FileMigration(source.name, "template", text, text, items)


def _with_texts(
    source: SourceText, file: FileMigration, run: _Run, *, by_class: bool = False
) -> FileMigration:
    found = requests_in_texts(source, run.catalogue, run.tree, by_class=by_class, read=file.read)
    return replace(file, items=(*file.items, *found))
