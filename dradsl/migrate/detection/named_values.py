"""Which chart a file of values is for, according to a kustomization or the Chart.yaml beside it."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.charts.folders import plain
from dradsl.records import dataclass
from dradsl.tree.charts.installed import Installed, chart_of
from dradsl.tree.charts.recipes import find
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import list_at, mappings_at, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.tree.inputs.sources import SourceText

__all__ = ["beside_applications", "charts_of_kustomizations", "charts_within", "values_files"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A chart of a kustomization, the namespace that it goes to, and the files of its values."""

    installed: Installed
    namespace: str | None
    files: tuple[str, ...]


def charts_of_kustomizations(
    sources: Sequence[SourceText],
) -> dict[str, list[tuple[Installed, str]]]:
    """The charts for which kustomizations (`helmCharts`) take each file of values, by its plain name, with
    the files of these kustomizations."""
    found: dict[str, list[tuple[Installed, str]]] = {}
    for source in sources:
        if "helmCharts" not in source.stream.text or not is_kustomization(source.name):
            continue
        folder = posixpath.dirname(plain(source.name))
        for document in source.stream.documents:
            for entry in _entries(document.data):
                for file in entry.files:
                    where = posixpath.normpath(posixpath.join(folder, file))
                    found.setdefault(where, []).append((entry.installed, source.name))
    return found


def values_files(data: object) -> Iterator[tuple[str, str | None]]:
    """The files of values that the charts of a kustomization name, with the namespaces of these charts."""
    for entry in _entries(data):
        for file in entry.files:
            yield file, entry.namespace


def beside_applications(sources: Sequence[SourceText]) -> Iterator[str]:
    """The files of values that an Application of Argo CD takes from a folder which it applies as well: the objects
    in that folder go to the namespace of the chart."""
    ends: set[str] = set()
    for source in sources:
        if "valueFiles" in source.stream.text:
            for manifest in manifests_of(source):
                if manifest.group == "argoproj.io":
                    ends.update(_of_application(manifest.data))
    for source in sources if ends else ():
        steps = plain(source.name).split("/")
        if any("/".join(steps[at:]) in ends for at in range(len(steps) - 1)):
            yield source.name


def _of_application(data: Any) -> Iterator[str]:
    every = [
        entry
        for place in ("spec.sources.*", "spec.template.spec.sources.*")
        for _, entry in find(data, place)
        if isinstance(entry, dict)
    ]
    folders = {
        str(each["ref"]): posixpath.normpath(each["path"])
        for each in every
        if "ref" in each and isinstance(each.get("path"), str)
    }
    for each in every:
        for text in list_at(each, "helm", "valueFiles"):
            name, _, rest = str(text).removeprefix("$").partition("/")
            file = posixpath.normpath(rest)
            if str(text).startswith("$") and folders.get(name) == posixpath.dirname(file):
                yield file


def charts_within(sources: Sequence[SourceText]) -> dict[str, Mapping[str, Installed]]:
    """The charts that a chart depends on, by its folder and by the keys of their values."""
    found: dict[str, Mapping[str, Installed]] = {}
    for source in sources:
        name = plain(source.name)
        if posixpath.basename(name) != "Chart.yaml":
            continue
        documents = source.stream.documents
        data: Any = documents[0].data if documents else None
        inner: dict[str, Installed] = {}
        for each in mappings_at(data, "dependencies"):
            key = each.get("alias") or each.get("name")
            if isinstance(key, str):
                inner[key] = chart_of(each)
        found[posixpath.dirname(name)] = inner
    return found


def _entries(data: object) -> Iterator[_Entry]:
    for each in mappings_at(data, "helmCharts"):
        more: Any = each.get("additionalValuesFiles")
        named = (each.get("valuesFile"), *(list_at(more)))
        files = tuple(file for file in named if isinstance(file, str) and file)
        namespace = each.get("namespace")
        if files:
            yield _Entry(
                chart_of(each),
                string_at(namespace),
                files,
            )
