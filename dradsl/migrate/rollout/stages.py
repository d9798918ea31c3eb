"""The stages of a rollout: prepare, driver, workloads, plugin off; each made in a copy of the tree, played and built.

Their words are filled in from `stages.yaml` with what moves. What is built is what Kustomize, Flux and Argo CD make of the
tree, and what stands alone.
"""

from __future__ import annotations

import os
import re
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.migrate.cluster.clusters import Clusters
from dradsl.migrate.edits.operations import CannotEditError, Remove, edit_text
from dradsl.migrate.files import is_template
from dradsl.migrate.output import claims_path, rendered_objects
from dradsl.migrate.result import Outcome
from dradsl.migrate.rollout.moves import moves_of
from dradsl.migrate.rollout.plan import Need, Rollout, RolloutStage
from dradsl.migrate.rollout.plugins import (
    DriverRelease,
    confined,
    driver_values,
    install,
    plugins_in,
    read_words,
    selector_of,
    turned_off,
)
from dradsl.migrate.rollout.work_copy import WorkCopy, applied_with_git
from dradsl.records import Record, dataclass, field, replace
from dradsl.tree.files import top_of
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.limits import MOST_OVERLAYS
from dradsl.values.plain import list_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.planning.answers import Answers, Options
    from dradsl.migrate.result import Migration
    from dradsl.migrate.rollout.moves import Move, Moves
    from dradsl.migrate.rollout.plugins import InstalledPlugin
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["roll_out"]


class BuiltTree(Record):
    """`objects` as plain data, `built` how many builds there are, `failed` those that do not build."""

    objects: tuple[Any, ...]
    built: int
    failed: tuple[str, ...]


def build_tree(sources: Sequence[SourceText], options: Options) -> BuiltTree:
    """Build everything that the files show to be applied."""
    from dradsl.tree.builds import Builds

    repository = Clusters(sources, options.around).repository
    builds = Builds(None, repository)
    objects: list[Any] = []
    failed: list[str] = []
    taken: set[str] = set()
    applied = repository.applied()[:MOST_OVERLAYS]
    for each in applied:
        options.deadline.check()
        made = [*builds.of([each.root], 1)]
        if not made and isinstance(each.root, str):
            overlay = builds.overlay(each.root)
            reason = overlay.rejected or next((u.message for u in overlay.unknowns), "not known")
            failed.append(f"{each.root}: {reason}")
        taken |= {*each.files} if made else set()
        objects += (one.data for build in made for one in build.overlay.objects)
    for source in sources:
        alone = os.path.realpath(source.name) not in taken and not is_kustomization(source.name)
        if alone and not is_template(source):
            objects += (manifest.data for manifest in manifests_of(source) if not manifest.is_patch)
    return BuiltTree(tuple(objects), len(applied) - len(failed), tuple(failed))


_CHECKS = ("before", "steps", "after", "back")


def stage_of(name: str, moves: Moves, commands: Sequence[str] = ()) -> RolloutStage:
    """A stage in words; `commands` install what no file of the tree installs."""
    words = read_words()[name]
    filling = _Filling(moves, tuple(commands))
    checks: dict[str, Any] = {each: tuple(filling.needs(words.get(each, ()))) for each in _CHECKS}
    texts: dict[str, Any] = {
        each: tuple(dict.fromkeys(need.text for need in filling.needs(words.get(each, ()))))
        for each in ("waiting", "notes")
    }
    return RolloutStage(0, name, words["title"], **checks, **texts)


class _Filling(Record):
    moves: Moves
    commands: tuple[str, ...]

    def needs(
        self, entries: Iterable[Mapping[str, Any]], more: Mapping[str, str] | None = None
    ) -> Iterator[Need]:
        """The entries that hold, once for each of their subjects."""
        moves, given = self.moves, more or {}
        pools = "pools" if "pool_labels" in moves.platform else "nodes"
        way = "unplanned" if not moves.moves else "bridged" if moves.bridged else "alone"
        for entry in entries:
            if not {pools, way}.issuperset(entry.get("if", "").split()):
                continue
            if "use" in entry:
                which = entry.get("which", "")
                if which == "the first node" and len(moves.moves) > 1:
                    which += " of each vendor"
                yield from self._list(
                    entry["use"], {**given, **({"which": which} if which else {})}
                )
                continue
            for subject in self._subjects(entry.get("each"), entry.get("only")):
                words = {**given, **subject}
                yield Need(_filled(entry["text"], words), _filled(entry.get("command", ""), words))

    def _list(self, name: str, more: Mapping[str, str]) -> Iterator[Need]:
        moves = self.moves
        if name == "needs":
            every = [moves.platform, *(move.driver for move in moves.moves)]
            yield from dict.fromkeys(Need(**n) for each in every for n in each.get("needs", ()))
        elif name == "notes":
            notes = [n for m in moves.moves for p in m.plugins for n in p.facts.get("notes", ())]
            yield from map(Need, notes)
        elif name == "commands":
            yield from (
                Need("install the driver with the values in this folder", c) for c in self.commands
            )
        else:
            yield from self.needs(read_words()["lists"][name], more)

    def _subjects(
        self, each: str | None, only: Sequence[str] | None
    ) -> Iterator[Mapping[str, str]]:
        """The words for every move, plugin or resource; no words for an entry that is said once."""
        if each is None:
            yield {}
        for move in self.moves.moves if each else ():
            if each == "resource":
                yield from ({"resource": resource} for resource in move.resources)
            elif each == "plugin":
                for plugin in move.plugins:
                    if not only or plugin.facts["confine"] in only:
                        yield {**_of_move(move, self.moves), **_of_plugin(plugin)}
            elif each == "move" or (not move.plugins and "pool_labels" not in self.moves.platform):
                yield _of_move(move, self.moves)


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"<(\w+)>", lambda found: words.get(found[1], found[0]), text).rstrip()


def _of_plugin(plugin: InstalledPlugin) -> Mapping[str, str]:
    pods = plugin.facts.get("pods")
    chosen = ",".join(f"{key}={value}" for key, value in plugin.node_selector.items())
    return {
        "plugin": plugin.facts["title"],
        "pods": f"-l {pods}" if pods else "",
        "selector": f"-l '{chosen}'" if chosen else "NODES",
    }


def _of_move(move: Move, moves: Moves) -> Mapping[str, str]:
    """The words of a driver: `over` are the labels that hand a node over in one request, `back` those that give it back."""
    driver = move.driver
    label, value = driver["label"], driver["label_value"]
    over, back = [f"{label}={value}"], [f"{label}-"]
    for facts in (plugin.facts for plugin in move.plugins[:1]):
        if facts["confine"] in ("selector", "pair"):
            back = [f"{label}=plugin"]
        if "label" in facts:
            over.append(f"{facts['label']}=false")
            back.append(f"{facts['label']}=true")
        over += facts.get("set_labels", ())
    pool = selector_of(move.plugins[0] if move.plugins else None, driver, moves.platform)
    return {
        "title": driver["title"],
        "driver": driver["driver"],
        "label": label,
        "value": value,
        "reason": move.alone,
        "over": " ".join(over),
        "back": " ".join(back),
        "pool": ",".join(f"{key}={each}" for key, each in pool.items()),
    }


def roll_out(
    paths: Sequence[str],
    options: Options,
    options_for: Callable[[list[SourceText]], Options],
    catalogue: Catalogue,
) -> Rollout:
    """The rollout for the files of the paths, in the tree that holds the first of them. Nothing is written there.

    Args:
        paths: files and folders.
        options: the options of the call, with its answers.
        options_for: the same for files of a copy.
        catalogue: the driver schemas.

    Raises:
        UsageProblem: if a path does not exist, or the tree is too large to copy.
        TimeOverError: if the deadline comes first.
    """
    first = os.path.realpath(paths[0])
    top = os.path.realpath(top_of(first if Path(first).is_dir() else str(Path(first).parent)))
    with tempfile.TemporaryDirectory(prefix="dradsl-") as folder:
        tree = WorkCopy(top, Path(folder, "tree"), options.deadline)
        places = [str(tree.root / os.path.relpath(os.path.realpath(path), top)) for path in paths]
        rules = tuple(
            each if each.file.startswith("*") else replace(each, file=str(tree.root / each.file))
            for each in options.answers.rules
        )
        answers = replace(options.answers, rules=rules)
        made = _Making(tree, places, answers, options_for, catalogue).rollout()
        stages = applied_with_git(made.stages, tree.originals, Path(folder, "patched"))
    return replace(made, stages=stages)


class _State(Record):
    """The tree after a stage, as it is read and built."""

    sources: tuple[SourceText, ...]
    options: Options
    built: BuiltTree


@dataclass(slots=True)
class _Making:
    tree: WorkCopy
    paths: Sequence[str]
    answers: Answers
    options_for: Callable[[list[SourceText]], Options]
    catalogue: Catalogue
    _installed: dict[str, str] = field(default_factory=dict)
    _stages: list[RolloutStage] = field(default_factory=list)

    def rollout(self) -> Rollout:
        first = state = self._read()
        moves = moves_of(first.sources, first.options, self._migrated(first), self.catalogue)
        name = self.tree.name
        if moves.moves:
            self._add(self._prepared(moves), first, moves)
            state = self._add(self._with_drivers(moves), first, moves)
        migration = self._migrated(state)
        stage = self._with_claims(moves, migration)
        if moves.moves or stage.changes:
            state = self._add(stage, first, moves)
        asking = tuple(_asking(migration))
        if moves.moves and not asking:
            self._add(self._off(moves, state), first, moves)
        # The uses for which no DRA driver is known.
        staying = dict.fromkeys(
            f"{each.before}: {each.object} ({each.path}:{each.span.line})"
            for each in migration.items()
            if each.outcome is Outcome.LEFT and each.about == "use"
        )
        rejected = [stage for stage in self._stages if stage.lost]
        number = rejected[0].number if rejected else len(self._stages) + 1
        facts = [
            moves.platform,
            *(x for m in moves.moves for x in (m.driver, *(p.facts for p in m.plugins))),
        ]
        guides = [f"guide: {each['guide']}" for each in facts if each.get("guide")]
        return Rollout(
            moves.platform["platform"],
            tuple(stage for stage in self._stages if stage.number < number),
            tuple(
                f"{s.folder} would leave {each} without a device"
                for s in rejected
                for each in s.lost
            ),
            tuple(map(name, asking)),
            moves.unplanned,
            tuple(map(name, staying)),
            tuple(map(name, moves.evidence)),
            tuple(
                dict.fromkeys([*guides, *(s for each in facts for s in each.get("sources", ()))])
            ),
        )

    # The copy

    def _read(self) -> _State:
        from dradsl.migrate.call import is_usable, read_files

        sources = tuple(filter(is_usable, read_files(self.paths).sources))
        options = replace(self.options_for(list(sources)), answers=self.answers)
        return _State(sources, options, build_tree(sources, options))

    def _migrated(self, state: _State) -> Migration:
        from dradsl.migrate.run import migrate

        return migrate(state.sources, state.options, self.catalogue)

    def _path(self, file: str) -> str:
        return self.tree.name(os.path.realpath(file))

    def _add(self, stage: RolloutStage, first: _State, moves: Moves) -> _State:
        """Number a stage, and see what the tree is after it: what builds, and which pods have devices."""
        state = self._read()
        built = state.built
        broken = [self.tree.name(e) for e in built.failed if e not in first.built.failed]
        said = (f"{built.built} kustomizations build",) if built.built and not broken else ()
        stage = stage.more(proven=said, unproven=[f"does not build any more: {e}" for e in broken])
        if moves.moves:
            stage = stage.more(**moves.played(stage.name, first.built.objects, built.objects))
        self._stages.append(replace(stage, number=len(self._stages) + 1))
        return state

    # The stages

    def _prepared(self, moves: Moves) -> RolloutStage:
        by_hand: list[str] = []
        for move in moves.moves:
            for plugin in move.plugins:
                self._edit(plugin, partial(confined, driver=move.driver), by_hand)
        made = stage_of("prepare", moves)
        notes = tuple(map(self.tree.name, made.notes))
        before = tuple(replace(each, text=self.tree.name(each.text)) for each in made.before)
        return replace(
            made, changes=self.tree.stage(), by_hand=tuple(by_hand), notes=notes, before=before
        )

    def _edit(
        self,
        plugin: InstalledPlugin,
        change: Callable[[str, InstalledPlugin], str | None],
        by_hand: list[str],
    ) -> None:
        """Change the file of a plugin, or say that it has to be changed by hand."""
        file = self._path(plugin.file)
        try:
            text = change(self.tree.read(file), plugin)
            if text is None:
                self._unlist(file)
            self.tree.write(file, text)
        except CannotEditError as error:
            by_hand.append(f"{self.tree.name(plugin.place)}: {error}")

    def _with_drivers(self, moves: Moves) -> RolloutStage:
        made = [self._install(move, moves) for move in moves.moves]
        stage = stage_of("driver", moves, [each.command for each in made if each.command])
        files = {name: text for each in made for name, text in each.values.items()}
        by_hand = tuple(text for each in made for text in each.by_hand)
        return replace(stage, changes=self.tree.stage(), files=files, by_hand=by_hand)

    def _install(self, move: Move, moves: Moves) -> DriverRelease:
        plugin = move.plugins[0] if move.plugins else None
        if plugin is not None:
            plugin = replace(plugin, file=self._path(plugin.file))
        values = driver_values(plugin, move.driver, moves.platform, move.shares)
        text = rendered_objects([values])
        if move.installed:
            said = f"the tree has a release of {move.driver['chart']}: give it these values"
            return DriverRelease(by_hand=(f"{said}\n{text}",))
        try:
            made = install(
                plugin, move.driver, values, () if move.alone else move.classes, self.tree
            )
        except CannotEditError as error:
            said = f"{error}: install the driver with these values"
            return DriverRelease(by_hand=(f"{said}\n{text}",))
        self._installed[move.driver["driver"]] = made.path
        return made

    def _with_claims(self, moves: Moves, migration: Migration) -> RolloutStage:
        for file in migration.files:
            if file.text != file.before:
                self.tree.write(self._path(file.path), file.text)
            if file.added:
                beside = self._path(claims_path(file.path))
                before = self.tree.read(beside) if self.tree.exists(beside) else ""
                self.tree.write(
                    beside, (before and f"{before}---\n") + rendered_objects(file.added)
                )
        stage = stage_of("workloads", moves)
        notes = [self.tree.name(n) for n in migration.checklist if not n.startswith("order: ")]
        return replace(
            stage, changes=self.tree.stage(), notes=(*stage.notes, *notes),
            proven=tuple(map(self.tree.name, migration.evidence)), unproven=tuple(map(self.tree.name, migration.faults)),
        )  # fmt: skip

    def _off(self, moves: Moves, state: _State) -> RolloutStage:
        by_hand: list[str] = []
        drivers = {move.driver["driver"] for move in moves.moves}
        # From the end of a file to its start, so that the numbers of documents hold.
        for plugin in sorted(plugins_in(state.sources), key=lambda p: (p.file, -p.index)):
            facts = plugin.facts
            if facts["driver"] not in drivers or _is_moved(plugin, moves):
                continue
            self._edit(plugin, turned_off, by_hand)
            path = self._installed.get(facts["driver"], "")
            if "label" in facts and path:
                # The operator gives its label to new nodes; the plugin is off, so the driver need not avoid it.
                lines = self.tree.read(path).splitlines(keepends=True)
                self.tree.write(path, "".join(e for e in lines if f"{facts['label']}:" not in e))
        return replace(
            stage_of("plugin-off", moves), changes=self.tree.stage(), by_hand=tuple(by_hand)
        )

    def _unlist(self, file: str) -> None:
        """Take a file out of the kustomization that lists it."""
        found = self.tree.listing(file)
        if found is not None:
            path, number = found
            if len(list_at(self.tree.data(path), "resources")) == 1:
                raise CannotEditError(
                    f"{path} would list nothing: take its folder out where it is used"
                )
            removal = [[Remove(("resources", number))]]
            self.tree.write(path, edit_text(self.tree.read(path), removal))


def _is_moved(plugin: InstalledPlugin, moves: Moves) -> bool:
    """Whether an object is the one for nodes that have moved."""
    labels = {move.driver["label"]: move.driver["label_value"] for move in moves.moves}
    chosen = plugin.node_selector
    return any(chosen.get(label) == value for label, value in labels.items())


def _asking(migration: Migration) -> Sequence[str]:
    """The uses that a plugin has to serve after the migration, and files that could not be read."""
    found = {
        f"{each.object}: {each.before} ({each.path}:{each.span.line}): {each.reason}"
        + (f" (question: {each.question})" if each.question else ""): None
        for each in migration.items()
        if each.outcome is Outcome.REJECTED and each.about != "setting"
    }
    return [*found, *(f"{name} (not read)" for name, _ in migration.failed)]
