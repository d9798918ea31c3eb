"""The charts among the files of a run: pods in templates, values, releases, and whether these pods can get claims."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.charts.installs import chart_releases, plain, read_outside
from dradsl.migrate.detection.pods import container_at, switched_off, uses_in
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.places import ContainerAt, PodAt
from dradsl.records import Record, field
from dradsl.text.documents import load
from dradsl.tree.charts.installed import Installed, chart_of
from dradsl.tree.charts.recipes import Match
from dradsl.tree.charts.template_pods import (
    helpers_in,
    is_built_in,
    pods_in,
    steps_of,
    whole_resources_in,
)
from dradsl.values.limits import MOST_CHARTS_OUTSIDE, MOST_CHARTS_WITHIN
from dradsl.values.plain import find_at, mapping_at, mappings_at, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.places import Use
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.template_pods import TemplateContainer, TemplatePod
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "BY_TEMPLATES",
    "Asked",
    "ChartFolders",
    "asked_of",
    "chart_folders",
    "question_of",
    "reason_of",
    "template_pods",
]


class TemplatePodAt(Record):
    """A pod in a template of the chart."""

    template: str
    pod: TemplatePod
    built_in: bool  # and not a hook, which would wait for a claim template that is created after it


class ChartFolder(Record):
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


class ChartFolders(Record):
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
    waiting += [(place, folder) for folder in charts for place in _written(folder, charts[folder])]
    while waiting:
        place, beside = waiting.pop()
        if place in charts or len(charts) - len(listed) >= MOST_CHARTS_OUTSIDE:
            continue
        for read in read_outside(place, beside):
            name = plain(read.name)
            texts[name] = read.stream.text
            if name == f"{place}/Chart.yaml":
                charts[place] = read
                waiting += [(each, place) for each in _written(place, read)]


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
            {
                _key(each): f"{each.get('name')} ({each.get('repository') or 'charts/'})"
                for each in _dependencies(source)
                if _key(each) not in within
            },
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
        data = find_at(data, path)
        if isinstance(data, str):
            inner = load(data.encode("utf-8", "surrogatepass")).documents
            data = inner[0].data if len(inner) == 1 else None
        if data is not None:
            found[folder] = (*found.get(folder, ()), data)
    return found


def _written(folder: str, source: SourceText) -> list[str]:
    """The folders of the charts that a chart depends on, as far as they are written as paths."""
    return [place for each in _dependencies(source) for place in _local(folder, each)]


def _local(folder: str, dependency: Mapping[str, Any]) -> Iterator[str]:
    """The folder of a chart that another one depends on, if that is written as a path."""
    repository = str(dependency.get("repository"))
    if repository.startswith("file://"):
        yield posixpath.normpath(f"{folder}/{repository.removeprefix('file://')}")


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
    """The folders among `charts` that a chart depends on, by the keys of their values."""
    for each in _dependencies(source):
        own = posixpath.normpath(f"{folder}/charts/{each.get('name')}")
        place = next((place for place in (own, *_local(folder, each)) if place in charts), None)
        if place is not None:
            yield _key(each), place


BY_TEMPLATES = "templates"
"""Takes the place of a recipe for a pod that is found in the templates of a chart among the files."""

PLACES = "chart-places"
"""The question whether places for claims may be written into the templates of a chart."""

_FIELDS = ("tolerations", "nodeSelector", "affinity")
_FOR_ALL = (
    "these values are those of every release of the chart: a claim template that they name would be in each of them, "
    "and Helm rejects the second one in a namespace. The templates can make claims from the limits, by a switch"
)


def template_pods(manifest: Manifest, folders: ChartFolders) -> Iterator[PodAt]:
    """The pods whose template takes claims, and the resources of containers as a whole, from the values."""
    is_release = manifest.within is not None or bool(manifest.prefix)
    start = manifest.prefix
    for below, data, chart in folders.levels(manifest):
        prefix = (*start, *below)
        for at in chart.pods:
            claims = _claims_path(at.pod)
            if claims is None:
                continue
            containers = [
                found
                for each in at.pod.containers
                for steps in map(steps_of, each.whole)
                if steps is not None
                and (found := _container(data, prefix, steps)) is not None
                and found.uses
            ]
            if not containers:
                continue
            known = {
                name: (*prefix, *steps)
                for name in _FIELDS
                if (steps := steps_of(at.pod.fields.get(name, ""))) is not None
            }
            fields: dict[str, FieldPath] = {**known, "resourceClaims": (*prefix, *claims)}
            spec = {
                name: value
                for name, path in fields.items()
                if (value := find_at(manifest.data, path[len(start) :])) is not None
            }
            yield PodAt(
                manifest,
                containers[0].path,
                spec,
                {},
                tuple(containers),
                ".".join(map(str, containers[0].path[len(start) :])),
                off=switched_off(manifest.data, containers[0].path[len(start) :]),
                blocked=(None if is_release else _FOR_ALL)
                or _shared(at, containers, chart.pods, len(prefix))
                or _set_twice(containers, manifest, folders.of(manifest)),
                question=None if is_release or chart.is_outside else PLACES,
                fields=fields,
                # Values for which the template has no place cannot be written.
                pod_fields=known.keys() == set(_FIELDS),
                rendered=True,
                match=Match(
                    BY_TEMPLATES,
                    Installed(chart.name or posixpath.basename(chart.folder) or None),
                    tested=False,
                ),
                notes=(f"{at.template} takes the claims of the pod from {'.'.join(claims)}",),
            )


def _container(data: Any, prefix: FieldPath, steps: tuple[str, ...]) -> ContainerAt | None:
    """The container whose resources are these values as a whole, under `resources` or any other key."""
    if steps[-1] == "resources":
        value = find_at(data, steps[:-1])
        here = (*prefix, *steps[:-1])
        return container_at(value, here, "main") if isinstance(value, Mapping) else None
    value, here = find_at(data, steps), (*prefix, *steps)
    if not isinstance(value, Mapping):
        return None
    return ContainerAt(here, steps[-1], "main", value, uses_in(value, here), ())


def _shared(
    at: TemplatePodAt, containers: Sequence[ContainerAt], every: Sequence[TemplatePodAt], depth: int
) -> str | None:
    """Why the resources of containers cannot have claims: other containers have the same ones."""
    paths = [tuple(map(str, (*each.path, *each.resources)))[depth:] for each in containers]
    if len({*paths}) < len(paths):
        return (
            f"several containers in {at.template} have these resources (line {at.pod.line + 1}): each asks for its "
            "own devices, and with claims they would share them"
        )
    for other in every:
        if other is at or _claims_path(other.pod) == _claims_path(at.pod):
            continue
        if any(steps_of(e) in paths for c in other.pod.containers for e in c.whole):
            return (
                f"{other.template} writes these resources too (line {other.pod.line + 1}), and its pod does not take "
                f"the claims of the pod in {at.template}"
            )
    return None


def _set_twice(
    containers: Sequence[ContainerAt], manifest: Manifest, chart: ChartFolder | None
) -> str | None:
    """Why values cannot have claims: those of the chart ask, a release says it again, and Helm merges both."""
    if chart is None:
        return None
    is_release = manifest.within is not None or bool(manifest.prefix)
    others = (chart.own,) if is_release else chart.given
    for each in containers:
        path = (*each.path, *each.resources)[len(manifest.prefix) :]
        for other in others:
            found = find_at(other, path)
            said = found.values() if isinstance(found, Mapping) else ()
            named = {str(key) for part in said if isinstance(part, Mapping) for key in part}
            if named & {use.resource for use in each.uses}:
                where = f"values.yaml of the chart ({chart.folder})" if is_release else "a release"
                return f"{where} says this too, and Helm merges both: keep it in one of them"
    return None


def reason_of(manifest: Manifest, folders: ChartFolders, path: FieldPath) -> str | None:
    """Why the values at a path cannot carry claims, by the chart's templates; None where there are none."""
    chart = folders.of(manifest)
    if chart is None:
        return None
    lacking = chart.missing.get(str(path[0])) if path else None
    if lacking is not None:
        folder = shlex.quote(chart.folder or ".")
        return (
            f"these values are for the chart {lacking}, which is not in this tree as a folder: whether claims come "
            f"through is not known. This puts it there: (cd {folder} && helm dependency build && for f in "
            'charts/*.tgz; do tar -xzf "$f" -C charts; done)'
        )
    has_pods = False
    for prefix, _, inner in folders.levels(manifest):
        has_pods = has_pods or bool(inner.pods)
        if path[: len(prefix)] == prefix:
            own = tuple(map(str, path[len(prefix) :]))
            found = ((at, c) for at in inner.pods for c in at.pod.containers if _writes(c, own))
            for at, container in found:
                beside = posixpath.dirname(manifest.source.name) or "."
                return _no_place(inner, at, container, shlex.join([beside, inner.folder]))
    written = _in_object(chart, tuple(map(str, path)))
    if written is not None or not has_pods:
        return written
    return (
        "no template was found that writes this as the resources of a container (what a `range` writes is not followed): "
        "whether claims would come through is not known"
    )


def _no_place(
    chart: ChartFolder, at: TemplatePodAt, container: TemplateContainer, folders: str
) -> str:
    """Why the pod of a container takes no claims from the values, and what to do if its template can make claims."""
    said = (
        f"{at.template} writes these resources whole (line {(container.at or 0) + 1}), but the pod "
        f"has no place for claims (line {at.pod.line + 1})"
    )
    if not _wants(at):
        return said
    if chart.is_outside:
        return f"{said}: dradsl migrate --set chart-places=write {folders} gives it a switch"
    return f"{said}: --set chart-places=write makes claims of the limits, by a switch"


_AMOUNTS = frozenset({"resources", "limits", "requests"})


def _in_object(chart: ChartFolder, own: tuple[str, ...]) -> str | None:
    """What a template makes of these values, if it writes them into an object whose pods it does not write itself."""
    for template, line, expression, group, kind in chart.kinds:
        steps = steps_of(expression)
        if steps is None or steps[: len(own)] != own or {*steps[len(own) :]} - _AMOUNTS:
            continue
        said = f"{template} writes these into the resources of a {kind} (line {line + 1})"
        row = row_of(group, kind)
        if row is not None and row.verdict in ("drops", "rejects"):
            why = f": {row.why}" if row.why else ""
            return f"{said}, which {row.verdict} claims there{why}"
        return (
            f"{said}, where dradsl writes no claims: write resourceClaims and resources.claims into the template by hand, "
            "or migrate what the chart renders"
        )
    return None


def question_of(manifest: Manifest, folders: ChartFolders, path: FieldPath) -> str | None:
    """The question whose answer lets the chart's own templates give the values at a path a place for claims."""
    chart = folders.of(manifest)
    own = tuple(map(str, path))
    pods = () if chart is None or chart.is_outside else chart.pods
    wanted = any(_wants(at) and any(_writes(c, own) for c in at.pod.containers) for at in pods)
    return PLACES if wanted else None


class Asked(Record):
    """A request for devices in values: what a template writes whole at `steps` from the values of its chart, which are
    those of the manifest `below` some keys."""

    manifest: Manifest
    below: FieldPath
    steps: tuple[str, ...]
    use: Use
    has_place: bool

    @property
    def is_own(self) -> bool:
        """Whether the values are in a file in the folder of a chart, and not in a release."""
        return self.manifest.within is None and not self.manifest.prefix


def asked_of(manifest: Manifest, folder: str, folders: ChartFolders) -> Iterator[Asked]:
    """What values ask for in the chart of a folder, or in that of a chart which depends on it."""
    for below, data, chart in folders.levels(manifest):
        for each in chart.pods if chart.folder == folder else ():
            whole = (steps_of(text) for one in each.pod.containers for text in one.whole)
            for steps in {steps for steps in whole if steps is not None}:
                found = _container(data, (*manifest.prefix, *below), steps)
                for use in found.uses if found is not None else ():
                    yield Asked(manifest, below, steps, use, _claims_path(each.pod) is not None)


def _wants(at: TemplatePodAt) -> bool:
    """Whether a pod lacks a place for claims that can be written."""
    return at.built_in and _claims_path(at.pod) is None and at.pod.own_claims is None


def _writes(container: TemplateContainer, own: tuple[str, ...]) -> bool:
    """Whether a container's resources are the values at a path as a whole, or those below its `resources`."""
    return any(steps_of(each) in (own, (*own, "resources")) for each in container.whole)


def _claims_path(pod: TemplatePod) -> tuple[str, ...] | None:
    expression = pod.fields.get("resourceClaims")
    if expression is not None:
        return steps_of(expression)
    steps = steps_of(pod.passed[0]) if pod.passed else None
    return None if steps is None else (*steps, "resourceClaims")
