"""The charts among the files of a run, and what is known of each: pods in templates, values, releases."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.charts.installs import chart_releases, read_outside
from dradsl.records import dataclass, field
from dradsl.text.documents import load
from dradsl.tree.charts.template_pods import helpers_in, is_built_in, pods_in, whole_resources_in
from dradsl.values.limits import MOST_CHARTS_OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.template_pods import TemplatePod
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["ChartFolders", "TemplatePodAt", "chart_folders", "plain"]


@dataclass(frozen=True, slots=True)
class TemplatePodAt:
    """A pod in a template of the chart."""

    template: str
    pod: TemplatePod
    built_in: bool  # and not a hook, which would wait for a claim template that is created after it


@dataclass(frozen=True, slots=True)
class ChartFolders:
    """The charts of a run by their folders: the pods in their templates, their names, the folders of the
    charts in them by the keys of their values.
    `released` are the folders of charts by the places of the values of releases (file, document, path), `missing` the
    charts that a chart depends on and that are not in the tree, by the keys of their values, `own` the values of each
    chart, `outside` the charts that stand in the tree but not among the files, `given` the values of releases by the
    folders of their charts, `kinds` the values that templates write whole as resources: template, line, values, group,
    kind."""

    pods: Mapping[str, tuple[TemplatePodAt, ...]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    released: Mapping[tuple[str, int, FieldPath], str] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    given: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    kinds: Mapping[str, tuple[tuple[str, int, str, str, str], ...]] = field(default_factory=dict)

    def of(self, manifest: Manifest) -> str | None:
        """The folder of the chart that contains a file of values."""
        if manifest.api_version:
            return None
        if manifest.within is not None:
            at = (manifest.source.name, manifest.within.document.index, manifest.within.path)
            return self.released.get(at)
        if manifest.prefix:
            return self.released.get(
                (manifest.source.name, manifest.document.index, manifest.prefix)
            )
        name = plain(manifest.source.name)
        for folder in (posixpath.dirname(name), posixpath.dirname(posixpath.dirname(name))):
            if folder in self.pods:
                return folder
        return None


def _read_charts_outside(
    charts: dict[str, SourceText],
    texts: dict[str, str],
    released: Mapping[tuple[str, int, FieldPath], str],
) -> None:
    """Add charts that releases install, or charts depend on: they may stand elsewhere in the tree."""
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
    pods: dict[str, tuple[TemplatePodAt, ...]] = {}
    kinds: dict[str, tuple[tuple[str, int, str, str, str], ...]] = {}
    within: dict[str, Mapping[str, str]] = {}
    missing: dict[str, Mapping[str, str]] = {}
    own: dict[str, Any] = {}
    for folder, source in charts.items():
        start = f"{folder}/templates/" if folder else "templates/"
        templates = {name: text for name, text in texts.items() if name.startswith(start)}
        helpers = helpers_in(list(templates.values()))
        pods[folder] = tuple(
            TemplatePodAt(name, pod, is_built_in(text, pod.line) and "helm.sh/hook" not in text)
            for name, text in templates.items()
            if not name.endswith(".tpl")
            for pod in pods_in(text, helpers)
        )
        kinds[folder] = tuple(
            (name, *each)
            for name, text in templates.items()
            for each in whole_resources_in(text, helpers)
        )
        within[folder] = dict(_within(folder, source, charts))
        missing[folder] = dict(_missing(source, within[folder]))
        documents = load(texts.get(f"{folder}/values.yaml", "").encode()).documents
        own[folder] = documents[0].data if documents else None
    names = {folder: known for folder, source in charts.items() if (known := _name(source))}
    return ChartFolders(
        pods,
        names,
        within,
        {place: folder for place, folder in released.items() if folder in charts},
        missing,
        own,
        frozenset(charts.keys() - listed),
        _given(sources, released),
        kinds,
    )


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
        for step in path:
            try:
                data = data[step]
            except (KeyError, IndexError, TypeError):
                data = None
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
        key = str(each.get("alias") or each.get("name"))
        if key not in within:
            yield key, f"{each.get('name')} ({each.get('repository') or 'charts/'})"


def _dependencies(source: SourceText) -> list[Any]:
    documents = source.stream.documents
    data: Any = documents[0].data if documents else None
    listed = data.get("dependencies") if isinstance(data, Mapping) else None
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _name(source: SourceText) -> str | None:
    documents = source.stream.documents
    data: Any = documents[0].data if documents else None
    name = data.get("name") if isinstance(data, Mapping) else None
    return name if isinstance(name, str) else None


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
                yield str(each.get("alias") or name), place
                break


def plain(name: str) -> str:
    """The name of a file with slashes, and without `./` at its start."""
    return posixpath.normpath(name.replace("\\", "/")).removeprefix("./")
