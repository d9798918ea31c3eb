"""Charts among the files of a run whose templates get a place for claims, because their values need it."""

from __future__ import annotations

import posixpath
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.lint.input.sources import SourceText
from dradsl.lint.input.values import values_of
from dradsl.migrate.chart.hooks import places_for
from dradsl.migrate.chart.source import Chart
from dradsl.migrate.chart.switches import Switches, plan_switches
from dradsl.migrate.detection.charts.folders import chart_folders, plain
from dradsl.migrate.detection.charts.values import places_wanted
from dradsl.migrate.detection.helmfile import helmfile_values
from dradsl.migrate.result import BY_RECIPE, Outcome
from dradsl.records import dataclass, field, replace
from dradsl.text.documents import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.chart.switches import CountSaid
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.result import FileMigration, Item, Migration
    from dradsl.repository.surrounding import SurroundingKustomizations

__all__ = ["ChartPlaces", "chart_places"]

NOTHING: Mapping[str, str] = MappingProxyType({})
_TEMPLATES = (".yaml", ".yml", ".tpl")


@dataclass(frozen=True, slots=True)
class ChartPlaces:
    """The new texts of files of charts, by their names, and which chart each is of. `users` are the charts whose places
    the values in a file want."""

    texts: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)
    users: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def given(self, sources: Sequence[SourceText]) -> list[SourceText]:
        """The files as they are with the places and switches, new files too."""
        texts = {**self.texts, **self._switched()}
        made = [
            replace(each, stream=each.stream.reread(texts[each.name]))
            if each.name in texts
            else each
            for each in sources
        ]
        known = {each.name for each in sources}
        return made + [
            SourceText(name, load(text.encode()))
            for name, text in texts.items()
            if name not in known
        ]

    @property
    def keys(self) -> dict[str, str]:
        """The keys of the values that turn claims on, by the folders of the charts."""
        return {folder: each.key for folder, each in self.switches.charts.items()}

    def switched_files(self) -> frozenset[str]:
        """The files that are right only together because of a switch."""
        return frozenset(self._switched())

    def failed(self, migration: Migration) -> dict[str, str]:
        """The charts whose switch was taken back because of a fault, with the reason."""
        after = {file.path: file for file in migration.files}
        return {
            folder: next(iter(migration.faults), "the proof failed")
            for folder, each in self.switches.charts.items()
            for name in each.texts
            if name in after and after[name].text == after[name].before
        }

    def _switched(self) -> dict[str, str]:
        every = self.switches.charts.values()
        return {name: text for each in every for name, text in each.texts.items()}

    def told(
        self, files: Iterable[FileMigration], sources: Sequence[SourceText]
    ) -> tuple[FileMigration, ...]:
        """The files, with the places among the changes if values of the chart use them, and with the switches."""
        files = self._with_places(files, sources)
        if not self.switches.said:
            return files
        before = {each.name: each.stream.text for each in sources}
        switched = self._switched()
        made = []
        for file in files:
            if file.path in switched:
                file = replace(file, before=before.get(file.path, ""))
            said = self.switches.said.get(file.path)
            if said is not None:
                file = replace(file, items=tuple(_with_counts(file, said, before[file.path])))
            elif file.path in switched and file.path not in before:
                file = replace(file, items=(), notes=())
            made.append(file)
        return tuple(made)

    def _with_places(
        self, files: Iterable[FileMigration], sources: Sequence[SourceText]
    ) -> tuple[FileMigration, ...]:
        files = tuple(files)
        before = {each.name: each.stream.text for each in sources if each.name in self.texts}
        used = {folder for file in files if file.workloads for folder in self._of_values(file)}
        return tuple(
            replace(
                file,
                before=before[file.path],
                text=self.texts[file.path]
                if self.folders[file.path] in used
                else before[file.path],
            )
            if file.path in self.texts
            else file
            for file in files
        )

    def together(self, files: Iterable[FileMigration]) -> frozenset[str]:
        """The files that are right only together: the places, and the values of these charts."""
        files = tuple(files)
        changed = {
            self.folders[file.path] for file in files if file.path in self.texts and file.changed
        }
        return frozenset(
            file.path
            for file in files
            if file.changed
            and (self.folders.get(file.path) in changed or self._of_values(file) & changed)
        )

    def _of_values(self, file: FileMigration) -> set[str]:
        """The folders of the charts that a file may hold values of."""
        if file.path in self.users:
            return {*self.users[file.path]}
        if file.kind != "values":
            return set()
        folder = posixpath.dirname(plain(file.path))
        return {folder, posixpath.dirname(folder)} & {*self.folders.values()}


def _with_counts(file: FileMigration, said: Sequence[CountSaid], before: str) -> Iterator[Item]:
    """The uses in a template as they were before it changed, with what becomes of its counts."""
    from dradsl.migrate.detection.chart_templates import scan_template

    source = SourceText(file.path, load(before.encode("utf-8", "surrogatepass")))
    by_line = {each.line: each for each in said}
    known = {(item.span.line, item.span.column) for item in file.items if item.proven}
    for item in scan_template(source, shipped_catalogue()).items:
        count = by_line.get(item.span.line - 1)
        if count is None:
            yield item
        elif count.off:
            yield replace(item, outcome=Outcome.LEFT, reason=count.reason, routes=())
        elif count.after is not None:
            made = replace(
                item,
                outcome=Outcome.TRANSLATED,
                reason="",
                after=count.after,
                notes=count.notes,
                routes=(),
            )
            proven = (item.span.line, item.span.column) in known
            yield replace(made, proven=proven, doubt=None if proven else BY_RECIPE)
        else:
            yield replace(item, reason=count.reason, question=count.question)


def chart_places(
    sources: Sequence[SourceText],
    decide: Callable[[str, str], Decisions],
    around: SurroundingKustomizations | None = None,
    failed: Mapping[str, str] = NOTHING,
) -> ChartPlaces:
    """The places that the values of charts among these files need, and switches for counts in their templates, as far
    as the answers allow them. Charts that `failed` get no switch."""
    places = _places(sources, decide)
    if not any(posixpath.basename(plain(each.name)) == "Chart.yaml" for each in sources):
        return places
    return replace(places, switches=plan_switches(sources, decide, places.texts, around, failed))


def _places(sources: Sequence[SourceText], decide: Callable[[str, str], Decisions]) -> ChartPlaces:
    if not any(posixpath.basename(plain(each.name)) == "Chart.yaml" for each in sources):
        return ChartPlaces()
    folders = chart_folders(sources)
    wanted: dict[str, set[tuple[str, int]]] = {}
    users: dict[str, frozenset[str]] = {}
    for source in sources:
        for manifest in (*values_of(source), *helmfile_values(source)):
            for folder, template, line in places_wanted(manifest, folders):
                if decide(source.name, "values").chart_places == "write":
                    inside = posixpath.relpath(template, folder or ".")
                    wanted.setdefault(folder, set()).add((inside, line))
                    users[source.name] = users.get(source.name, frozenset()) | {folder}
    names = {plain(each.name): each for each in sources}
    texts: dict[str, str] = {}
    owners: dict[str, str] = {}
    for folder, pods in wanted.items():
        start = f"{folder}/" if folder else ""
        chart = Chart(
            Path(folder),
            folder,
            {
                name.removeprefix(start): source.stream.text
                for name, source in names.items()
                if name.startswith(f"{start}templates/") and name.endswith(_TEMPLATES)
            },
            None,
            names[schema].stream.text
            if (schema := f"{start}values.schema.json") in names
            else None,
        )
        for inside, text in places_for(chart, pods).items():
            name = names[start + inside].name
            texts[name] = text
            owners[name] = folder
    return ChartPlaces(texts, owners, users=users)
