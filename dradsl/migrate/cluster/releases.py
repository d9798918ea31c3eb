"""Charts that a run installs, with their values: by Flux, Argo CD, k3s, Kustomize, or as plain values.

Values are data or texts within objects: Argo CD has texts under `helm.values`, the controller of k3s under `valuesContent`,
Flux takes them from ConfigMaps. A release names its chart. Plain values are recognised by their keys if they are those of
NVIDIA's or Intel's charts (NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/values.yaml, NVIDIA/k8s-device-plugin
v0.20.0 deployments/helm/nvidia-device-plugin/values.yaml, intel/helm-charts charts/gpu-device-plugin/values.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.paths import locate
from dradsl.tree.charts.installed import (
    UNKNOWN,
    Fetched,
    Installed,
    fetched_in,
    installed_by,
    name_in_url,
)
from dradsl.tree.charts.recipes import find
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import EnclosingText, Manifest, manifests_of
from dradsl.tree.values.values import INSTALLERS, namespace_in, values_of
from dradsl.values.plain import find_at, mapping_at, member, string_at

if TYPE_CHECKING:
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "AboutValues",
    "GPU_OPERATOR",
    "INTEL_PLUGIN",
    "NVIDIA_PLUGIN",
    "Release",
    "about",
    "chart_of",
    "fetched_by",
    "referred",
    "place_of",
    "places_of_values",
    "read_values",
    "releases_of",
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
_EVERY = {**INSTALLERS, **_PLACES}

AboutValues: TypeAlias = "tuple[str, str | None, Installed]"
"""The title of values, their namespace, and their chart."""


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


def about(host: Manifest, path: FieldPath, fetched: Fetched) -> AboutValues:
    """What is known of the values at a path of an object."""
    namespace = namespace_in(host, _EVERY[f"{host.kind}.{host.group}"][1])
    return f"values of {host.kind}", namespace, installed_by(host.data, path, fetched)


def read_values(
    source: SourceText,
    host: Manifest,
    path: FieldPath,
    text: object,
    said: AboutValues,
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


GPU_OPERATOR = "gpu-operator"
NVIDIA_PLUGIN = "device-plugin"
INTEL_PLUGIN = "intel-gpu-plugin"

# The names of charts, mirrors among them.
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "gpu-operator": GPU_OPERATOR,
        "nvidia-gpu-operator": GPU_OPERATOR,
        "nvidia-device-plugin": NVIDIA_PLUGIN,
        "intel-device-plugins-gpu": INTEL_PLUGIN,
        "intel-gpu-plugin": INTEL_PLUGIN,
    }
)
# Keys of the GPU operator's values that no other of these charts has.
_OPERATOR_KEYS = frozenset(
    {
        "operator", "driver", "toolkit", "dcgm", "dcgmExporter", "mig", "migManager", "nodeStatusExporter",
        "validator", "vgpuManager", "vgpuDeviceManager", "vfioManager", "ccManager", "kataManager",
        "sandboxWorkloads", "sandboxDevicePlugin", "gpuCluster", "clusterPolicy",
    }
)  # fmt: skip
# Keys of which one alone identifies the operator.
_IDENTIFYING = _OPERATOR_KEYS - {
    "operator",
    "driver",
    "mig",
    "toolkit",
    "validator",
    "clusterPolicy",
}
_PLUGIN_KEYS = frozenset(
    {"migStrategy", "deviceListStrategy", "deviceIDStrategy", "compatWithCPUManager"}
)
# HAMi's chart has a device plugin of its own.
_OTHERS = frozenset({"deviceSplitCount", "deviceMemoryScaling", "schedulerName"})


def place_of(source: SourceText, document: Document, path: FieldPath) -> str:
    """File and line of what is at a path, or of the deepest step of the path that exists."""
    root = document.root
    return f"{source.name}:{1 if root is None else locate(root, path).best_span.line}"


class Release(Record):
    """Values of a chart that are installed, or might be: `chart` is one of the names in this module, or "". `path`
    leads from the document's root to the values, or to the text that holds them (`in_text`)."""

    source: SourceText
    document: Document
    path: FieldPath
    values: Mapping[str, object]
    title: str
    chart: str
    in_text: bool = False

    def place(self, *keys: str | int) -> str:
        """File and line of a key of the values, or of the deepest key on its path that exists."""
        path = self.path if self.in_text else (*self.path, *keys)
        return place_of(self.source, self.document, path)

    def value(self, *keys: str) -> object:
        """A value by its keys; None if it is not there."""
        return member(self.values, *keys)


def chart_of(values: object, named: str | None = None) -> str:
    """Which of these charts values belong to; "" for none. `named` is the chart's name in a release."""
    if named is not None:
        return _NAMES.get(name_in_url(named).lower(), "")
    if not isinstance(values, Mapping) or "apiVersion" in values:
        return ""
    mapping = mapping_at(values, "devicePlugin")
    if not _OTHERS.isdisjoint(mapping) or not _OTHERS.isdisjoint(values):
        return ""
    keys = _OPERATOR_KEYS & values.keys()
    known = {key for key in keys if isinstance(values[key], Mapping)}
    if "config" in mapping or (known & _IDENTIFYING and (len(known) > 1 or mapping)):
        return GPU_OPERATOR
    if mapping and known and "enabled" in mapping:
        return GPU_OPERATOR
    if _PLUGIN_KEYS & values.keys() or (mapping and "enabled" in mapping):
        return NVIDIA_PLUGIN
    if "sharedDevNum" in values:
        return INTEL_PLUGIN
    return ""


def fetched_by(sources: Iterable[SourceText]) -> Fetched:
    """The charts that sources of Flux among the files fetch."""
    return fetched_in(
        manifest.data
        for source in sources
        if "source.toolkit.fluxcd.io" in source.stream.text
        for manifest in manifests_of(source)
    )


def referred(reference: object, fetched: Fetched) -> str:
    """The chart to which a `chartRef` refers: that of its source, or by the name of that."""
    name = str(member(reference, "name"))
    found = fetched.charts.get((str(member(reference, "kind")), name), UNKNOWN)
    return (found.chart or name).lower()


def releases_of(source: SourceText, fetched: Fetched) -> Iterator[Release]:
    """The releases in a file."""
    for each in every_values(source):
        title = "values" if each.kind == "values" else each.title.removeprefix("values of ")
        if each.within is not None:
            document, path, in_text = each.within.document, each.within.path, True
        else:
            document, path, in_text = each.document, each.prefix, False
        chart = chart_of(each.data, _named(document.data, path, fetched))
        if chart or each.kind != "ConfigMap":
            yield Release(source, document, path, each.data, title, chart, in_text)
        for key, below in each.data.items() if each.kind == "values" else ():  # of a subchart
            if key in _NAMES and isinstance(below, Mapping):
                yield Release(source, document, (key,), below, f"values ({key})", _NAMES[key])
    for manifest in manifests_of(source):
        if manifest.kind == "HelmRelease" and not any(find(manifest.data, "spec.values")):
            path = (*manifest.prefix, "spec", "values")
            chart = chart_of(None, _named(manifest.document.data, path, fetched) or "")
            if chart:  # all values are the chart's defaults, or come from elsewhere
                yield Release(source, manifest.document, path, {}, manifest.title, chart)


def _named(data: Any, path: FieldPath, fetched: Fetched) -> str | None:
    """The chart that is named nearest above the values at a path; None if none is."""
    for depth in range(len(path) - 1, 0, -1):
        above = find_at(data, path[:depth])
        reference = member(above, "chartRef")
        if isinstance(reference, Mapping):
            return referred(reference, fetched)
        if path[-1] == "valuesInline":
            return string_at(above, "name")
        for found in (member(above, "chart", "spec", "chart"), member(above, "chart")):
            if isinstance(found, str):
                return found
        if path[-1] == "valuesContent":
            return string_at(find_at(data, path[:-2]), "metadata", "name")
    return None
