"""Helm values as the rules and the migration see them: files of their own, and parts of objects by
which Flux and Argo CD install charts."""

from __future__ import annotations

import os
import posixpath
from types import MappingProxyType

from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.files import SETTINGS_BYTES, FileError
from dradsl.text.paths import FieldPath, value_at
from dradsl.tree.charts.recipes import find, is_values
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.values.limits import MOST_VALUES_FILES
from dradsl.values.plain import list_at, mappings_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "INSTALLERS",
    "NAMING",
    "ValuesReference",
    "chart_beside",
    "is_installer",
    "namespace_in",
    "releases_of_values_files",
    "values_embedded",
    "values_of",
]

# Where objects hold values of a chart, and the keys that say to which namespace it goes.
INSTALLERS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "HelmRelease.helm.toolkit.fluxcd.io": (
            ("spec.values",),
            ("spec.targetNamespace", "metadata.namespace"),
        ),
        "Application.argoproj.io": (
            ("spec.source.helm.valuesObject", "spec.sources.*.helm.valuesObject"),
            ("spec.destination.namespace",),
        ),
        "ApplicationSet.argoproj.io": (
            (
                "spec.template.spec.source.helm.valuesObject",
                "spec.template.spec.sources.*.helm.valuesObject",
            ),
            ("spec.template.spec.destination.namespace",),
        ),
    }
)


def is_installer(data: object) -> bool:
    """Whether a document is an object by which Flux or Argo CD installs charts."""
    if not isinstance(data, dict):
        return False
    group = str(data.get("apiVersion")).partition("/")[0]
    return f"{data.get('kind')}.{group}" in INSTALLERS


def values_of(source: SourceText) -> Iterator[Manifest]:
    """The values in a file as Manifests without API version: of kind `values` and named by the file,
    or of kind `values of HelmRelease` and the like, with the name of that."""
    for document in source.stream.documents:
        if is_values(document.data):
            name = source.name.rpartition("/")[2].rpartition(".")[0]
            data: Any = document.data
            yield Manifest(source, document, (), data, "", "", "values", None, name or source.name)
    for manifest in manifests_of(source):
        places = INSTALLERS.get(f"{manifest.kind}.{manifest.group}")
        if places is not None:
            yield from _installed(manifest, *places)


def values_embedded(source: SourceText) -> Iterator[Manifest]:
    """The values within the ConfigMaps of a file, which Flux and others hand to charts."""
    from dradsl.tree.manifests.embedded import embedded_in

    for each in embedded_in(source):
        data: Any = each.document.data
        if is_values(data):
            name = each.key.rpartition(".")[0] or each.key
            yield Manifest(
                source, each.document, (), data, "", "", "values", each.host.namespace, name
            )


def namespace_in(manifest: Manifest, keys: tuple[str, ...]) -> str | None:
    """The first namespace at some paths of an object."""
    found = (value for key in keys for _, value in find(manifest.data, key))
    return next((value for value in found if isinstance(value, str) and value), None)


def _installed(
    manifest: Manifest, places: tuple[str, ...], namespaces: tuple[str, ...]
) -> Iterator[Manifest]:
    namespace = namespace_in(manifest, namespaces)
    for place in places:
        for path, data in find(manifest.data, place):
            if isinstance(data, dict):
                at, kind = (*manifest.prefix, *path), f"values of {manifest.kind}"
                source, document, name = manifest.source, manifest.document, manifest.name
                yield Manifest(source, document, at, data, "", "", kind, namespace, name)


def chart_beside(path: str) -> str | None:
    """The name of the chart whose Chart.yaml lies beside a file; None if there is none."""
    from dradsl.tree.files import Tree

    folder = os.path.dirname(path) or "."
    try:
        data = Tree.of(folder).read(os.path.join(folder, "Chart.yaml"), SETTINGS_BYTES)
    except FileError:
        return None
    for document in load(data).documents:
        if isinstance(document.data, dict):
            name = document.data.get("name")
            return name if isinstance(name, str) else None
    return None


# Which releases the files of values are for. A HelmRelease names a ConfigMap or a Secret, which a kustomization makes of
# a file. Paths of `valueFiles` count from the chart, or with `$name/` from the top of a tree.

_GENERATORS = MappingProxyType({"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"})
NAMING = ("valuesFrom", "valueFiles", *_GENERATORS.values())
"""What texts hold that name files of values, or say of which file a ConfigMap or a Secret is made."""


class ValuesReference(Record):
    """A release that takes values of a file: the object `by`, and the path of the settings for its chart."""

    by: Manifest
    path: FieldPath


def releases_of_values_files(
    sources: Sequence[SourceText], files: Iterable[str]
) -> dict[str, tuple[ValuesReference, ...]]:
    """The releases that take values of each of the `files`, as far as `sources` say it."""
    made = dict(_made_of_files(sources))
    ends: dict[str, list[ValuesReference]] = {}
    for source in sources:
        for manifest in manifests_of(source):
            for target, naming in _named(manifest, made):
                ends.setdefault(target, []).append(naming)
    if not ends or len(ends) > MOST_VALUES_FILES:
        return {}
    found: dict[str, tuple[ValuesReference, ...]] = {}
    for name in files:
        steps = _plain(name).split("/")
        tails = ("/".join(steps[at:]) for at in range(len(steps)))
        every = [naming for tail in tails for naming in ends.get(tail, ())]
        if every:
            found[name] = tuple(every)
    return found


def _named(
    manifest: Manifest, made: dict[tuple[str, str, str, str], str]
) -> Iterator[tuple[str, ValuesReference]]:
    installer = f"{manifest.kind}.{manifest.group}"
    if installer not in INSTALLERS:
        return
    if manifest.kind == "HelmRelease":
        folder = posixpath.dirname(_plain(manifest.path))
        for entry in mappings_at(manifest.data, "spec", "valuesFrom"):
            key = str(entry.get("valuesKey") or "values.yaml")
            file = made.get((folder, str(entry.get("kind")), str(entry.get("name")), key))
            if file is not None:
                yield file, ValuesReference(manifest, ())
        return
    for place in INSTALLERS[installer][0]:
        for path, helm in find(manifest.data, place.removesuffix(".valuesObject")):
            source = value_at(manifest.data, path[:-1])
            for text in list_at(helm, "valueFiles"):
                target = _of_argo_cd(source.get("path"), text)
                if target is not None:
                    yield target, ValuesReference(manifest, path)


def _of_argo_cd(path: object, text: object) -> str | None:
    """The path of a file of values from the top of its tree."""
    if not isinstance(text, str) or not text or "{{" in text or "://" in text:
        return None
    if text.startswith("$"):
        target = text.partition("/")[2]
    elif isinstance(path, str) and path and "{{" not in path:
        target = f"{path}/{text}"
    else:
        return None
    plain = posixpath.normpath(target.lstrip("/"))
    return None if plain.startswith("..") or "/" not in plain else plain


def _made_of_files(
    sources: Iterable[SourceText],
) -> Iterator[tuple[tuple[str, str, str, str], str]]:
    """The files of which kustomizations make ConfigMaps and Secrets, by folder, kind, name and key."""
    for source in sources:
        folder, file_name = posixpath.split(_plain(source.name))
        for document in source.stream.documents if is_kustomization(file_name) else ():
            for kind, generator in _GENERATORS.items():
                for entry in mappings_at(document.data, generator):
                    for text in list_at(entry, "files"):
                        if isinstance(text, str) and text:
                            key, _, file = text.rpartition("=")
                            key = key or posixpath.basename(file)
                            where = posixpath.normpath(posixpath.join(folder, file))
                            if where.startswith("../"):  # it may lead back to where this runs
                                where = posixpath.relpath(where)
                            yield (folder, kind, str(entry.get("name")), key), where


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/"))
