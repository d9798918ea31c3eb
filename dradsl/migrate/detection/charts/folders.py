"""The charts among the files of a run, and what is known of each: pods in templates, values, releases."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.charts.installs import chart_releases, plain, read_outside
from dradsl.migrate.places import value_in
from dradsl.records import dataclass, field
from dradsl.text.documents import load
from dradsl.tree.charts.installed import chart_of
from dradsl.tree.charts.template_pods import helpers_in, is_built_in, pods_in, whole_resources_in
from dradsl.values.limits import MOST_CHARTS_OUTSIDE, MOST_CHARTS_WITHIN
from dradsl.values.plain import mapping_at, mappings_at, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.installed import Installed
    from dradsl.tree.charts.template_pods import TemplatePod
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["ChartFolder", "ChartFolders", "TemplatePodAt", "chart_folders"]


@dataclass(frozen=True, slots=True)
class TemplatePodAt:
    """A pod in a template of the chart."""

    template: str
    pod: TemplatePod
    built_in: bool  # and not a hook, which would wait for a claim template that is created after it


@dataclass(frozen=True, slots=True)
class ChartFolder:
    """A chart of a run: the pods in its templates, the folders of the charts in it by the keys of their values, and by these
    keys the charts that it `depends` on, and those of them that are `missing` in the tree.

    `own` are its values, `given` those of releases. `is_outside` says that it is in the tree but not among the files.
    `kinds` are the values that templates write whole as resources: template, line, values, group, kind.
    """

    folder: str
    name: str | None
    pods: tuple[TemplatePodAt, ...]
    within: Mapping[str, str]
    depends: Mapping[str, Installed]
    missing: Mapping[str, str]
    own: Any
    given: tuple[Any, ...]
    is_outside: bool
    kinds: tuple[tuple[str, int, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class ChartFolders:
    """The charts of a run by their folders, and those of the places of the values of releases (file, document, path)."""

    charts: Mapping[str, ChartFolder] = field(default_factory=dict)
    released: Mapping[tuple[str, int, FieldPath], str] = field(default_factory=dict)

    def of(self, manifest: Manifest) -> ChartFolder | None:
        """The chart that contains a file of values, or that a release with the values installs."""
        if manifest.api_version:
            return None
        name, place = manifest.source.name, manifest.prefix
        if manifest.within is not None:
            place = manifest.within.path
        if place:
            index = (manifest.within or manifest).document.index
            return self.charts.get(self.released.get((name, index, place), "-"))
        folder = posixpath.dirname(plain(name))
        return self.charts.get(folder) or self.charts.get(posixpath.dirname(folder))

    def levels(self, manifest: Manifest) -> Iterator[tuple[FieldPath, Any, ChartFolder]]:
        """The values for a chart, and those in them for the charts within it: the keys, the values, the chart."""
        chart = self.of(manifest)
        if chart is not None:
            yield from self._levels(manifest.data, chart, MOST_CHARTS_WITHIN)

    def _levels(
        self, data: Any, chart: ChartFolder, depth: int
    ) -> Iterator[tuple[FieldPath, Any, ChartFolder]]:
        yield (), data, chart
        for key, inner in chart.within.items() if depth else ():
            below = mapping_at(data, key)
            for path, value, found in self._levels(below, self.charts[inner], depth - 1):
                if below:
                    yield (key, *path), value, found


def _read_charts_outside(
    charts: dict[str, SourceText],
    texts: dict[str, str],
    released: Mapping[tuple[str, int, FieldPath], str],
) -> None:
    """Add charts that releases install, or charts depend on: they may be elsewhere in the tree."""
    listed = {*charts}
    waiting = [(folder, posixpath.dirname(at[0])) for at, folder in released.items()]
    waiting += [(place, folder) for folder in charts for place in _local(folder, charts[folder])]
    while waiting:
        place, beside = waiting.pop()
        if place in charts or len(charts) - len(listed) >= MOST_CHARTS_OUTSIDE:
            continue
        for read in read_outside(place, beside):
            name = plain(read.name)
            texts[name] = read.stream.text
            if name == f"{place}/Chart.yaml":
                charts[place] = read
                waiting += [(each, place) for each in _local(place, read)]


def chart_folders(sources: Sequence[SourceText]) -> ChartFolders:
    """The charts among the files of a run."""
    texts = {plain(source.name): source.stream.text for source in sources}
    charts = {
        posixpath.dirname(plain(source.name)): source
        for source in sources
        if posixpath.basename(plain(source.name)) == "Chart.yaml"
    }
    released = {place: folder for source in sources for place, folder in chart_releases(source)}
    listed = {*charts}
    _read_charts_outside(charts, texts, released)
    given = _given(sources, released)
    made: dict[str, ChartFolder] = {}
    for folder, source in charts.items():
        start = f"{folder}/templates/" if folder else "templates/"
        templates = {name: text for name, text in texts.items() if name.startswith(start)}
        helpers = helpers_in(list(templates.values()))
        within = dict(_within(folder, source, charts))
        own = f"{folder}/values.yaml" if folder else "values.yaml"
        documents = load(texts.get(own, "").encode()).documents
        made[folder] = ChartFolder(
            folder,
            string_at(_data(source), "name"),
            tuple(
                TemplatePodAt(name, pod, is_built_in(text, pod.line) and "helm.sh/hook" not in text)
                for name, text in templates.items()
                if not name.endswith(".tpl")
                for pod in pods_in(text, helpers)
            ),
            within,
            {_key(each): chart_of(each) for each in _dependencies(source)},
            dict(_missing(source, within)),
            documents[0].data if documents else None,
            given.get(folder, ()),
            folder not in listed,
            tuple(
                (name, *each)
                for name, text in templates.items()
                for each in whole_resources_in(text, helpers)
            ),
        )
    return ChartFolders(made, {at: folder for at, folder in released.items() if folder in made})


def _given(
    sources: Sequence[SourceText], released: Mapping[tuple[str, int, FieldPath], str]
) -> dict[str, tuple[Any, ...]]:
    """The values of releases by the folders of their charts; a text is read."""
    documents = {
        (source.name, document.index): document.data
        for source in sources
        for document in source.stream.documents
    }
    found: dict[str, tuple[Any, ...]] = {}
    for (name, index, path), folder in released.items():
        data: Any = documents.get((name, index))
        data = value_in(data, path)
        if isinstance(data, str):
            inner = load(data.encode("utf-8", "surrogatepass")).documents
            data = inner[0].data if len(inner) == 1 else None
        if data is not None:
            found[folder] = (*found.get(folder, ()), data)
    return found


def _local(folder: str, source: SourceText) -> list[str]:
    """The folders of the charts that a chart depends on, as far as they are written as paths."""
    return [
        posixpath.normpath(f"{folder}/{each['repository'].removeprefix('file://')}")
        for each in _dependencies(source)
        if str(each.get("repository")).startswith("file://")
    ]


def _missing(source: SourceText, within: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for each in _dependencies(source):
        if _key(each) not in within:
            yield _key(each), f"{each.get('name')} ({each.get('repository') or 'charts/'})"


def _dependencies(source: SourceText) -> list[Mapping[str, Any]]:
    return mappings_at(_data(source), "dependencies")


def _key(dependency: Mapping[str, Any]) -> str:
    """The key of the values for a chart that another one depends on."""
    return str(dependency.get("alias") or dependency.get("name"))


def _data(source: SourceText) -> object:
    documents = source.stream.documents
    return documents[0].data if documents else None


def _within(
    folder: str, source: SourceText, charts: Mapping[str, SourceText]
) -> Iterator[tuple[str, str]]:
    for each in _dependencies(source):
        name = each.get("name")
        if not isinstance(name, str):
            continue
        places = [f"{folder}/charts/{name}"]
        repository = each.get("repository")
        if isinstance(repository, str) and repository.startswith("file://"):
            places.append(f"{folder}/{repository.removeprefix('file://')}")
        for place in map(posixpath.normpath, places):
            if place in charts:
                yield _key(each), place
                break
