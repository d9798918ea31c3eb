"""Which chart a file of values is for, according to a kustomization, and which are beside applied objects."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.charts.folders import plain
from dradsl.tree.charts.installed import chart_of
from dradsl.tree.charts.recipes import find
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import list_at, mappings_at, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.tree.charts.installed import Installed
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["beside_applications", "charts_of_kustomizations", "values_files"]


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
            for entry, file in _entries(document.data):
                where = posixpath.normpath(posixpath.join(folder, file))
                found.setdefault(where, []).append((chart_of(entry), source.name))
    return found


def values_files(data: object) -> Iterator[tuple[str, str | None]]:
    """The files of values that the charts of a kustomization name, with the namespaces of these charts."""
    for entry, file in _entries(data):
        yield file, string_at(entry, "namespace")


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


def _entries(data: object) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The charts of a kustomization, with each file of their values."""
    for each in mappings_at(data, "helmCharts"):
        for file in (each.get("valuesFile"), *list_at(each, "additionalValuesFiles")):
            if isinstance(file, str) and file:
                yield each, file
