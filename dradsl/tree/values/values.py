"""Helm values as the rules and the migration see them: files of their own, and parts of objects by
which Flux and Argo CD install charts."""

from __future__ import annotations

import os
from types import MappingProxyType

from dradsl.tree.charts.recipes import find, is_values
from dradsl.tree.manifests.manifest import Manifest, manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.tree.inputs.sources import SourceText

__all__ = ["INSTALLERS", "chart_beside", "is_installer", "values_embedded", "values_of"]

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
            yield Manifest(
                source=source,
                document=document,
                prefix=(),
                data=data,
                api_version="",
                group="",
                kind="values",
                namespace=None,
                name=name or source.name,
            )
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
            yield Manifest(
                source=source,
                document=each.document,
                prefix=(),
                data=data,
                api_version="",
                group="",
                kind="values",
                namespace=each.host.namespace,
                name=each.key.rpartition(".")[0] or each.key,
            )


def _installed(
    manifest: Manifest, places: tuple[str, ...], namespaces: tuple[str, ...]
) -> Iterator[Manifest]:
    found = (value for key in namespaces for _, value in find(manifest.data, key))
    namespace = next((value for value in found if isinstance(value, str) and value), None)
    for place in places:
        for path, data in find(manifest.data, place):
            if isinstance(data, dict):
                yield Manifest(
                    source=manifest.source,
                    document=manifest.document,
                    prefix=(*manifest.prefix, *path),
                    data=data,
                    api_version="",
                    group="",
                    kind=f"values of {manifest.kind}",
                    namespace=namespace,
                    name=manifest.name,
                )


def chart_beside(path: str) -> str | None:
    """The name of the chart whose Chart.yaml lies beside a file; None if there is none."""
    from dradsl.text.documents import load
    from dradsl.text.files import SETTINGS_BYTES, FileError
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
