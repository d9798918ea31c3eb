"""The values of charts in a file, wherever they stand: as data or text within objects, in kustomizations.

Argo CD has texts under `helm.values`, the controller of k3s under `valuesContent`, Flux takes them from ConfigMaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.text.documents import load
from dradsl.tree.charts.installed import UNKNOWN, Fetched, Installed, installed_by
from dradsl.tree.charts.recipes import find
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import EnclosingText, Manifest, manifests_of
from dradsl.tree.values.values import INSTALLERS, namespace_in, values_of

if TYPE_CHECKING:
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "about",
    "every_values",
    "places_of_values",
    "read_values",
    "texts_of",
    "values_in_texts",
    "values_of_charts",
]

_PLACES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Application.argoproj.io": (
        ("spec.source.helm.values", "spec.sources.*.helm.values"),
        ("spec.destination.namespace",),
    ),
    "ApplicationSet.argoproj.io": (
        (
            "spec.template.spec.source.helm.values",
            "spec.template.spec.sources.*.helm.values",
        ),
        ("spec.template.spec.destination.namespace",),
    ),
    "HelmChart.helm.cattle.io": (
        ("spec.valuesContent",),
        ("spec.targetNamespace", "metadata.namespace"),
    ),
    "HelmChartConfig.helm.cattle.io": (("spec.valuesContent",), ("metadata.namespace",)),
}


def every_values(source: SourceText) -> Iterator[Manifest]:
    """All values in a file, in the form of objects; those in ConfigMaps only by the name of their key."""
    yield from values_of(source)
    yield from values_in_texts(source)
    for document in source.stream.documents if is_kustomization(source.name) else ():
        yield from values_of_charts(source, document)
    for host in manifests_of(source):
        for path, text in find(host.data, "data.*") if host.kind == "ConfigMap" else ():
            if "values" in str(path[-1]) and "\n" in str(text):
                for values, _ in read_values(
                    source, host, path, text, ("ConfigMap", None, UNKNOWN)
                ):
                    yield values


def values_in_texts(source: SourceText) -> Iterator[Manifest]:
    """The values that objects of a file hold as texts."""
    for host in manifests_of(source):
        for path, text in texts_of(host):
            for manifest, _ in read_values(source, host, path, text, about(host, path, Fetched())):
                yield manifest


def places_of_values(host: Manifest) -> tuple[str, ...]:
    """The places where objects of a kind hold values, as data or as texts, in whatever group: older ones count too."""
    kind = f"{host.kind}."
    rows = (*INSTALLERS.items(), *_PLACES.items())
    return tuple(
        dict.fromkeys(each for name, row in rows if name.startswith(kind) for each in row[0])
    )


def texts_of(host: Manifest) -> Iterator[tuple[FieldPath, object]]:
    places, _ = _PLACES.get(f"{host.kind}.{host.group}", ((), ()))
    for place in places:
        yield from find(host.data, place)


def about(host: Manifest, path: FieldPath, fetched: Fetched) -> tuple[str, str | None, Installed]:
    """The title of values in a text, their namespace, and their chart."""
    namespace = namespace_in(host, _PLACES[f"{host.kind}.{host.group}"][1])
    return f"values of {host.kind}", namespace, installed_by(host.data, path, fetched)


def read_values(
    source: SourceText,
    host: Manifest,
    path: FieldPath,
    text: object,
    said: tuple[str, str | None, Installed],
) -> Iterator[tuple[Manifest, Installed]]:
    """The values in a text, in the form of an object at its place in the file."""
    if not isinstance(text, str):
        return
    title, namespace, installed = said
    documents = load(text.encode("utf-8", "surrogatepass")).documents
    data: Any = documents[0].data if len(documents) == 1 else None
    if not isinstance(data, dict):
        return
    yield (
        Manifest(
            source=source,
            document=documents[0],
            prefix=(),
            data=data,
            api_version="",
            group="",
            kind=title,
            namespace=namespace,
            name=host.name,
            within=EnclosingText(host.document, (*host.prefix, *path)),
        ),
        installed or UNKNOWN,
    )


def values_of_charts(source: SourceText, document: Document) -> Iterator[Manifest]:
    for path, data in find(document.data, "helmCharts.*"):
        values: Any = data.get("valuesInline") if isinstance(data, Mapping) else None
        if isinstance(values, Mapping):
            named = data.get("releaseName") or data.get("name")
            space = data.get("namespace")
            yield Manifest(
                source=source,
                document=document,
                prefix=(*path, "valuesInline"),
                data=values,
                api_version="",
                group="",
                kind="values of Kustomization",
                namespace=space if isinstance(space, str) and space else None,
                name=named if isinstance(named, str) else None,
            )
