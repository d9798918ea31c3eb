"""Settings of NVIDIA's device plugin in the files of a run: they stay, and the report says what each means for DRA.

The plugin goes off in the last stage of a rollout (`dradsl migrate --plan`), when nothing asks it any more: on a node
either the plugin or the driver hands out the devices. Follows the charts of NVIDIA/gpu-operator v26.7.0 (values.yaml),
NVIDIA/k8s-device-plugin v0.20.0 and kubernetes-sigs/dra-driver-nvidia-gpu 0.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.migrate.cluster.facts import plugin_configs
from dradsl.migrate.cluster.releases import (
    GPU_OPERATOR,
    NVIDIA_PLUGIN,
    Release,
    chart_of,
    releases_of,
)
from dradsl.migrate.result import Item, Outcome
from dradsl.records import replace
from dradsl.text.paths import format_path, locate
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.digits import whole_number
from dradsl.values.plain import mappings_at, member

if TYPE_CHECKING:
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.installed import Fetched
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["installs_driver", "is_plugin_values", "plugin_settings"]

_STAYS = (
    "it stays on while pods ask it: one of plugin and DRA driver serves a node. dradsl migrate --plan DIR writes the "
    "stages in which the driver comes, the workloads move, and the plugin goes"
)


def is_plugin_values(source: SourceText) -> bool:
    """Whether a file holds the values of a chart that installs the device plugin."""
    documents = source.stream.documents
    return len(documents) == 1 and chart_of(documents[0].data) in (GPU_OPERATOR, NVIDIA_PLUGIN)


def plugin_settings(source: SourceText, fetched: Fetched) -> tuple[Item, ...]:
    """The lines of the report for the settings of the plugin in a file."""
    return tuple(
        _item(each, path, before, said)
        for each in _installed(source, fetched)
        for path, before, said in (
            *(_of_chart(each) if each.chart else ()),
            *(found for config in plugin_configs(each.values) for found in _sharing(config)),
        )
    )


def _installed(source: SourceText, fetched: Fetched) -> Iterator[Release]:
    """What installs the device plugin: values of a chart, or a ClusterPolicy; and configurations of the plugin alone,
    which have no chart."""
    for manifest in manifests_of(source):
        spec: Any = manifest.data.get("spec")
        if (manifest.kind, manifest.group) == ("ClusterPolicy", "nvidia.com") and isinstance(
            spec, Mapping
        ):
            path = (*manifest.prefix, "spec")
            yield Release(source, manifest.document, path, spec, manifest.title, GPU_OPERATOR)
    for release in releases_of(source, fetched):
        is_sure = release.title != "values" or is_plugin_values(source)
        if release.chart in (GPU_OPERATOR, NVIDIA_PLUGIN) and is_sure:
            title = f"values of the {release.chart} chart" if not release.path else release.title
            yield replace(release, title=title)
    for document in source.stream.documents:
        data: Any = document.data
        if member(data, "kind") == "ConfigMap" or member(data, "version") == "v1":
            yield Release(source, document, (), data, "device plugin configuration", "")


_Setting = tuple["FieldPath", str, "tuple[Outcome, str]"]


def _of_chart(installed: Release) -> Iterator[_Setting]:
    """Whether the plugin runs, which is the default of the charts and of a ClusterPolicy, and its MIG strategy."""
    enabled = installed.value("devicePlugin", "enabled")
    if installed.value("clusterPolicy", "deployCR") is not False and enabled is not False:
        written = "" if enabled is not None else " (not written: the default)"
        before = f"devicePlugin.enabled: true{written}"
        yield (*installed.path, "devicePlugin", "enabled"), before, (Outcome.LEFT, _STAYS)
    path: FieldPath = ("mig", "strategy") if installed.chart == GPU_OPERATOR else ("migStrategy",)
    strategy = installed.value(*map(str, path))
    layout = installed.value("migManager", "config", "default")
    if strategy == "mixed":
        said = "the driver publishes the same partitions, as devices of class mig.nvidia.com with a profile"
    elif strategy == "single" and layout not in ("", "all-disabled"):
        said = (
            "where GPUs are divided every request for nvidia.com/gpu is one for a MIG device and must "
            "name its profile: migrate the workloads with the answer mig-profile"
        )
    else:
        return  # no GPU is divided
    yield (*installed.path, *path), f"{format_path(path)}: {strategy}", (Outcome.LEFT, said)


def _sharing(config: Mapping[str, object]) -> Iterator[_Setting]:
    for strategy in ("timeSlicing", "mps"):
        for item in mappings_at(config, "sharing", strategy, "resources"):
            name, replicas = item.get("name"), item.get("replicas")
            said = _shared(strategy, str(replicas).strip())
            yield (), f"{strategy} of {name}, replicas: {replicas}", said


def _shared(strategy: str, replicas: str) -> tuple[Outcome, str]:
    if strategy == "mps":
        return Outcome.REJECTED, (
            "no equivalent: MPS by GpuConfig (gate MPSSupport) is for the containers of one claim, "
            "and it cannot be combined with ConsumableShares"
        )
    if not replicas.isdecimal() or (whole_number(replicas) or 0) < 2:
        return Outcome.REJECTED, (
            f"{replicas} is no usable number of replicas: the device plugin takes 2 and more, and so does "
            "what shares devices in DRA"
        )
    return Outcome.LEFT, (
        "pods share a GPU in DRA by ConsumableShares (alpha, off): values of the driver with "
        f'featureGates.ConsumableShares: true and consumableShares: "{replicas}" or "unlimited", not by an object; '
        "GpuConfig TimeSlicing is no equivalent: it sets an interval among the containers of one claim"
    )


def _item(installed: Release, path: FieldPath, before: str, said: tuple[Outcome, str]) -> Item:
    source, root = installed.source, installed.document.root
    place = None if root is None else locate(root, installed.path if installed.in_text else path)
    span = installed.document.span if place is None else place.best_span
    if not path and root is not None:
        span = source.stream.lines.span(root.start, root.start)
    where = format_path(path[len(installed.path) :]) or "sharing"
    return Item(source.name, span, installed.title, where, before, *said, about="setting")


_DRIVER = re.compile(
    r"(?:^|[ \t{,-])(?:chart|url|repoURL|path|repository|name):[ \t]*[\"']?(?:[^\s,\"'}]*/)?"
    r"(?:dra-driver-nvidia-gpu|nvidia-dra-driver-gpu)/?(?=[\s,\"'}]|$)",
    re.MULTILINE,
)
_RELEASES = (
    "HelmRelease",
    "Application",
    "HelmChart",
    "OCIRepository",
    "helmCharts",
    "releases:",
    "dependencies:",
)


def installs_driver(sources: Iterable[SourceText]) -> bool:
    """Whether the run has a release of NVIDIA's DRA driver."""
    return any(
        any(sign in source.stream.text for sign in _RELEASES)
        and _DRIVER.search(source.stream.text) is not None
        for source in sources
    )
