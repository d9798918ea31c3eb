"""Charts among the files of a run whose templates get a place for claims, because their values need it."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.lint.input.values import values_of
from dradsl.migrate.chart.hooks import places_for
from dradsl.migrate.chart.source import Chart
from dradsl.migrate.detection.chart_values import chart_folders, places_wanted
from dradsl.records import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.result import FileMigration

__all__ = ["ChartPlaces", "chart_places"]

_TEMPLATES = (".yaml", ".yml", ".tpl")


@dataclass(frozen=True, slots=True)
class ChartPlaces:
    """The new texts of files of charts, by their names, and which chart each is of."""

    texts: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)

    def given(self, sources: Sequence[SourceText]) -> list[SourceText]:
        """The files as they are with the places."""
        return [
            replace(each, stream=each.stream.reread(self.texts[each.name]))
            if each.name in self.texts
            else each
            for each in sources
        ]

    def told(
        self, files: Iterable[FileMigration], sources: Sequence[SourceText]
    ) -> tuple[FileMigration, ...]:
        """The files, with the places among the changes if values of the chart use them."""
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
        if file.kind != "values":
            return set()
        folder = posixpath.dirname(_plain(file.path))
        return {folder, posixpath.dirname(folder)} & {*self.folders.values()}


def chart_places(
    sources: Sequence[SourceText], decide: Callable[[str, str], Decisions]
) -> ChartPlaces:
    """The places that the values of charts among these files need, as far as the answers allow them."""
    if not any(posixpath.basename(_plain(each.name)) == "Chart.yaml" for each in sources):
        return ChartPlaces()
    folders = chart_folders(sources)
    wanted: dict[str, set[tuple[str, int]]] = {}
    for source in sources:
        for manifest in values_of(source):
            for folder, template, line in places_wanted(manifest, folders):
                if decide(source.name, "values").chart_places == "write":
                    inside = posixpath.relpath(template, folder or ".")
                    wanted.setdefault(folder, set()).add((inside, line))
    names = {_plain(each.name): each for each in sources}
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
    return ChartPlaces(texts, owners)


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/")).removeprefix("./")
