"""Who installs the charts of the tree, and with which files of values: HelmReleases, Applications, kustomizations."""

from __future__ import annotations

import itertools
import os
import posixpath
from typing import TYPE_CHECKING, Any

from dradsl.migrate.edits.operations import Append, CannotEditError, Put
from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.files import FileError
from dradsl.tree.charts.installed import chart_of
from dradsl.tree.charts.recipes import find
from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.kustomize.surrounding import top_of
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.values.values import INSTALLERS, namespace_in, releases_of_values_files
from dradsl.values.limits import MOST_BYTES_OUTSIDE, MOST_TEMPLATES_OUTSIDE
from dradsl.values.plain import find_at, list_at, mapping_at, mappings_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.installed import Installed
    from dradsl.tree.values.values import ValuesReference

__all__ = [
    "ChartInstall",
    "beside_applications",
    "chart_releases",
    "charts_of_kustomizations",
    "charts_with_values",
    "installs_of",
    "namespaces_of_charts",
    "plain",
    "read_outside",
]

_SIGNS = ("HelmRelease", "Application")


class ChartInstall(Record):
    """What installs a chart: a release, or values that stand for it.

    `path` is that of the chart, as it is written, from the top of the tree; `values` is where the values belong in the
    `document`. `namespace` is "" if none is written. `files` says that other files take the place of the chart's values.
    """

    source: SourceText
    document: Document
    title: str
    path: str
    values: FieldPath
    namespace: str = ""
    files: bool = False
    below: tuple[str, ...] = ()  # the keys within values that are a text

    @property
    def folder(self) -> str | None:
        """The real path of the chart; None if it is not in the tree, or a variable."""
        if "{{" in self.path or "${" in self.path or self.source.name.startswith("<"):
            return None
        beside = posixpath.dirname(self.source.name.replace("\\", "/"))
        top = top_of(os.path.realpath(beside or "."))
        real = os.path.realpath(f"{top}/{self.path.lstrip('/')}")
        return real if real == top or real.startswith(f"{top}/") else None

    def is_on(self, key: str) -> bool:
        """Whether the values have a key that is true."""
        data = find_at(self.document.data, self.values)
        listed = list_at(find_at(self.document.data, self.values[:-1]), "parameters")
        name = ".".join((*self.below, key))
        return any(member(each, key) is True for each in (data, *list_at(data))) or any(
            member(each, "name") == name and member(each, "value") == "true" for each in listed
        )

    def turn_on(self, key: str) -> Operation:
        """The change that makes a key of the values true.

        Raises:
            CannotEditError: if the values are a text that no parameters can complete.
        """
        helm = find_at(self.document.data, self.values[:-1]) if self.values else None
        is_text = bool(member(helm, "values")) and not member(helm, "valuesObject")
        if self.below or (is_text and self.values[-1] == "valuesObject"):
            if self.values[-2:-1] != ("helm",):
                raise CannotEditError("they are a text")
            # An object would take the place of the text.
            name = ".".join((*self.below, key))
            return Append((*self.values[:-1], "parameters"), {"name": name, "value": "true"})
        return Put((*self.values, key), True)


def installs_of(source: SourceText) -> Iterator[ChartInstall]:
    """The releases in a file that install a chart by its path, sets of Applications too."""
    if not any(sign in source.stream.text for sign in _SIGNS):
        return
    for manifest in manifests_of(source):
        installer = INSTALLERS.get(f"{manifest.kind}.{manifest.group}")
        if installer is None or manifest.within is not None or manifest.chart_output is not None:
            continue
        places, namespaces = installer
        # If a HelmRelease has no namespace, a Kustomization sets one.
        space = namespace_in(manifest, namespaces) or ""
        for place in places:
            for path, values, files in _charts(manifest.data, place):
                yield ChartInstall(
                    manifest.source, manifest.document, manifest.title, path,
                    (*manifest.prefix, *values), space, files,
                )  # fmt: skip


def _charts(data: Mapping[str, Any], place: str) -> Iterator[tuple[str, FieldPath, bool]]:
    """The paths of the charts whose values belong at a place of a release, with the place of each, and whether other
    files take the place of its values."""
    of_argo_cd = place.removesuffix(".helm.valuesObject")
    if of_argo_cd == place:
        chart = mapping_at(data, "spec", "chart", "spec")
        path = string_at(chart, "chart")
        if path and member(chart, "sourceRef", "kind") in ("GitRepository", "Bucket"):
            yield path, ("spec", "values"), bool(member(chart, "valuesFiles"))
        return
    for way, each in find(data, of_argo_cd):
        path = string_at(each, "path")
        if path:
            yield path, (*way, "helm", "valuesObject"), False


def namespaces_of_charts(sources: Sequence[SourceText]) -> dict[str, frozenset[str]]:
    """The namespaces to which releases among the files install the charts of the tree, by the paths of these; "" is one
    that is not written."""
    found: dict[str, set[str]] = {}
    for source in sources:
        for each in installs_of(source):
            if "template" not in each.values:
                path = posixpath.normpath(each.path.lstrip("/"))
                found.setdefault(path.removeprefix("./"), set()).add(each.namespace)
    return {path: frozenset(spaces) for path, spaces in found.items()}


def chart_releases(source: SourceText) -> Iterator[tuple[tuple[str, int, FieldPath], str]]:
    """The places of values of releases in a file (file, document, path), each with the folder of the chart in the
    tree, as the files of the run name folders: relative to the working directory, or from the root."""
    for each in installs_of(source):
        real = None if each.files or "template" in each.values else each.folder
        if real is None:
            continue
        named = real if source.name.startswith("/") else posixpath.normpath(os.path.relpath(real))
        places = [each.values]
        if each.values[-1] == "valuesObject":
            places.append((*each.values[:-1], "values"))
        for place in places:
            yield (source.name, each.document.index, place), named


def read_outside(folder: str, beside: str) -> Iterator[SourceText]:
    """The Chart.yaml, the templates and the values of a chart that is no file of the run, if it is in the tree
    that holds the folder `beside`. What a link brings in from elsewhere is left out."""
    tree = Tree((top_of(os.path.realpath(beside or ".")),))
    if tree.roots == (os.path.realpath(folder),) or not tree.is_file(f"{folder}/Chart.yaml"):
        return
    listed = itertools.islice(tree.files(f"{folder}/templates"), MOST_TEMPLATES_OUTSIDE)
    for path in (f"{folder}/Chart.yaml", f"{folder}/values.yaml", *sorted(listed)):
        if not path.endswith((".yaml", ".yml", ".tpl")):
            continue
        try:
            data = tree.read_found(path, MOST_BYTES_OUTSIDE)
        except FileError:
            continue
        yield SourceText(path.replace(os.sep, "/"), load(data))


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
            for entry, file in charts_with_values(document.data):
                where = posixpath.normpath(posixpath.join(folder, file))
                found.setdefault(where, []).append((chart_of(entry), source.name))
    return found


def beside_applications(sources: Sequence[SourceText]) -> Iterator[str]:
    """The files of values that an Application of Argo CD takes from a folder which it applies as well: the objects
    in that folder go to the namespace of the chart."""
    naming = [each for each in sources if "valueFiles" in each.stream.text]
    for name, releases in releases_of_values_files(naming, [each.name for each in sources]).items():
        folder = f"/{posixpath.dirname(plain(name))}"
        listed = (each for release in releases for each in _beside(release))
        if any(folder.endswith(f"/{posixpath.normpath(path)}") for path in listed):
            yield name


def _beside(release: ValuesReference) -> Iterator[str]:
    """The folders that an Application takes for their objects and for their files of values, beside a source."""
    for each in list_at(find_at(release.by.data, release.path[:-2])):
        path = string_at(each, "path")
        if path and member(each, "ref") is not None:
            yield path


def charts_with_values(data: object) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The charts of a kustomization, with each file of their values."""
    for each in mappings_at(data, "helmCharts"):
        for file in (each.get("valuesFile"), *list_at(each, "additionalValuesFiles")):
            if isinstance(file, str) and file:
                yield each, file


def plain(name: str) -> str:
    """The name of a file with slashes, and without `./` at its start."""
    return posixpath.normpath(name.replace("\\", "/")).removeprefix("./")
