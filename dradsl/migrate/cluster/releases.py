"""Charts that a run installs, with their values: by Flux, Argo CD, k3s, Kustomize, Helmfile, or as plain values.

A release names its chart. Plain values are recognised by their keys if they are those of NVIDIA's or Intel's
charts (NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/values.yaml, NVIDIA/k8s-device-plugin v0.20.0
deployments/helm/nvidia-device-plugin/values.yaml, intel/helm-charts charts/gpu-device-plugin/values.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dradsl.records import dataclass
from dradsl.text.paths import locate, value_at
from dradsl.tree.charts.recipes import find, is_values
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import list_at, mapping_at, member, string_at

if TYPE_CHECKING:
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "GPU_OPERATOR",
    "INTEL_PLUGIN",
    "NVIDIA_PLUGIN",
    "Release",
    "chart_of",
    "charts_named",
    "releases_of",
]

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

# The fields in which objects name a chart: beside the values, or by a reference to a source.
_VALUES = {
    "HelmRelease.helm.toolkit.fluxcd.io": ("spec.values",),
    "Application.argoproj.io": ("spec.source.helm", "spec.sources.*.helm"),
    "ApplicationSet.argoproj.io": (
        "spec.template.spec.source.helm",
        "spec.template.spec.sources.*.helm",
    ),
}


@dataclass(frozen=True, slots=True)
class Release:
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
        root = self.document.root
        line = 1 if root is None else locate(root, path).best_span.line
        return f"{self.source.name}:{line}"

    def value(self, *keys: str) -> object:
        """A value by its keys; None if it is not there."""
        return member(self.values, *keys)


def chart_of(values: object, named: str | None = None) -> str:
    """Which of these charts values belong to; "" for none. `named` is the chart's name in a release."""
    if named is not None:
        return _NAMES.get(_last(named), "")
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


def charts_named(sources: Iterable[SourceText]) -> Mapping[tuple[str, str], str]:
    """The charts of Flux's sources by kind and name, to which a release's `chartRef` refers."""
    found: dict[tuple[str, str], str] = {}
    for source in sources:
        for manifest in manifests_of(source):
            if manifest.group != "source.toolkit.fluxcd.io" or manifest.name is None:
                continue
            spec: Any = manifest.data.get("spec")
            key = "url" if manifest.kind == "OCIRepository" else "chart"
            name = member(spec, key)
            if isinstance(name, str):
                found[manifest.kind, manifest.name] = _last(name)
    return found


def releases_of(source: SourceText, charts: Mapping[tuple[str, str], str]) -> Iterator[Release]:
    """The releases in a file; `charts` are those of sources by kind and name."""
    for manifest in manifests_of(source):
        places = _VALUES.get(f"{manifest.kind}.{manifest.group}", ())
        for place in places:
            for path, data in find(manifest.data, place):
                named = _named(manifest.kind, manifest.data, path, charts)
                full = (*manifest.prefix, *path)
                yield from _release(source, manifest.document, full, data, manifest.title, named)
        if manifest.kind == "HelmRelease" and not any(find(manifest.data, "spec.values")):
            chart = chart_of(None, _named(manifest.kind, manifest.data, (), charts) or "")
            if chart:  # all values are the chart's defaults, or come from elsewhere
                yield Release(source, manifest.document, manifest.prefix, {}, manifest.title, chart)
        if manifest.kind in ("HelmChart", "HelmChartConfig") and manifest.group == "helm.cattle.io":
            spec: Any = manifest.data.get("spec")
            text = member(spec, "valuesContent")
            named = member(spec, "chart")
            if isinstance(text, str):
                full = (*manifest.prefix, "spec", "valuesContent")
                chart_name = named if isinstance(named, str) else manifest.name
                yield from _in_text(
                    source, manifest.document, full, text, manifest.title, chart_name
                )
        if manifest.kind == "ConfigMap":
            yield from _in_config_map(source, manifest.document, manifest.prefix, manifest.data)
    for document in source.stream.documents:
        yield from _without_object(source, document)


def _without_object(source: SourceText, document: Document) -> Iterator[Release]:
    data = document.data
    if is_kustomization(source.name):
        for path, item in find(data, "helmCharts.*"):
            if isinstance(item, Mapping) and isinstance(item.get("valuesInline"), Mapping):
                full = (*path, "valuesInline")
                yield from _release(
                    source, document, full, item["valuesInline"], "kustomization", item.get("name")
                )
        return
    if isinstance(data, Mapping) and isinstance(data.get("releases"), list):
        for path, item in find(data, "releases.*"):
            for index, each in enumerate(list_at(item, "values")):
                full = (*path, "values", index)
                yield from _release(source, document, full, each, "helmfile", item.get("chart"))
        return
    if isinstance(data, Mapping) and is_values(data):
        yield Release(source, document, (), data, "values", chart_of(data))
        for key, below in data.items():  # of a subchart
            if key in _NAMES and isinstance(below, Mapping):
                yield Release(source, document, (key,), below, f"values ({key})", _NAMES[key])


def _release(
    source: SourceText, document: Document, path: FieldPath, data: object, title: str, named: object
) -> Iterator[Release]:
    """A release whose values are data; with Argo CD they are one level below, as data or as a text."""
    name = string_at(named)
    if path and path[-1] == "helm" and isinstance(data, Mapping):
        if isinstance(data.get("valuesObject"), Mapping):
            yield from _release(
                source, document, (*path, "valuesObject"), data["valuesObject"], title, named
            )
        elif isinstance(data.get("values"), str):
            yield from _in_text(source, document, (*path, "values"), data["values"], title, name)
    elif isinstance(data, Mapping):
        yield Release(source, document, path, data, title, chart_of(data, name))


def _in_text(
    source: SourceText,
    document: Document,
    path: FieldPath,
    text: str,
    title: str,
    named: str | None,
) -> Iterator[Release]:
    from dradsl.text.documents import load

    for each in load(text.encode("utf-8", "replace")).documents:
        if isinstance(each.data, Mapping):
            yield Release(
                source, document, path, each.data, title, chart_of(each.data, named), in_text=True
            )


def _in_config_map(
    source: SourceText, document: Document, prefix: FieldPath, data: Mapping[str, object]
) -> Iterator[Release]:
    """Values that Flux takes from a ConfigMap (`valuesFrom`)."""
    for key, text in mapping_at(data, "data").items():
        if isinstance(text, str) and "values" in str(key) and "\n" in text:
            full = (*prefix, "data", key)
            for release in _in_text(source, document, full, text, f"ConfigMap {key}", None):
                if release.chart:
                    yield release


def _named(
    kind: str, data: Mapping[str, object], path: FieldPath, charts: Mapping[tuple[str, str], str]
) -> str | None:
    """The chart that a release names; None if it names none."""
    if kind == "HelmRelease":
        chart = member(data, "spec", "chart", "spec", "chart")
        reference = member(data, "spec", "chartRef")
        if isinstance(chart, str):
            return chart
        if isinstance(reference, Mapping):
            name = str(reference.get("name"))
            return charts.get((str(reference.get("kind")), name), name)
        return None
    found = member(value_at(data, path[:-1]), "chart")
    return found if isinstance(found, str) else None


def _last(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].lower()
