"""What serves devices in a tree that people use: plugins and drivers as pods that choose nodes, read without dradsl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["at", "documents", "loaded", "served"]

Json = dict[str, Any]

# Charts and kinds: the vendor's driver, where values choose nodes, and what the chart itself chooses by default.
_CHARTS: Mapping[str, tuple[str, bool, str, Mapping[str, str]]] = {
    "gpu-operator": ("gpu.nvidia.com", False, "", {"nvidia.com/gpu.deploy.device-plugin": "true"}),
    "nvidia-device-plugin": ("gpu.nvidia.com", False, ".", {}),
    "intel-device-plugins-gpu": ("gpu.intel.com", False, ".", {"intel.feature.node.kubernetes.io/gpu": "true"}),
    "amd-gpu": ("gpu.amd.com", False, ".", {}),
    "dra-driver-nvidia-gpu": ("gpu.nvidia.com", True, "kubeletPlugin", {}),
    "intel-gpu-resource-driver-chart": ("gpu.intel.com", True, "kubeletPlugin", {}),
    "helm-charts-k8s": ("gpu.amd.com", True, "kubeletPlugin", {}),
}  # fmt: skip
_IMAGES = {
    "nvidia/k8s-device-plugin": "gpu.nvidia.com",
    "intel/intel-gpu-plugin": "gpu.intel.com",
    "rocm/k8s-device-plugin": "gpu.amd.com",
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """As YAML 1.2 reads it: a lone equals sign is a string."""


_Loader.add_constructor("tag:yaml.org,2002:value", yaml.SafeLoader.construct_yaml_str)


def loaded(text: str) -> Iterator[Json]:
    """The mappings of a stream."""
    yield from (each for each in yaml.load_all(text, _Loader) if isinstance(each, dict))


def at(data: Any, *keys: str) -> Any:
    """The value below some keys; None if it is not there."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def documents(folder: Path) -> Iterator[tuple[Path, Json]]:
    """The mappings in files that can be read; folders with a dot, and those of charts, are left out."""
    for path in sorted((*folder.rglob("*.yaml"), *folder.rglob("*.yml"))):
        inside = path.relative_to(folder).parts
        if any(each.startswith(".") or each == "templates" for each in inside):
            continue
        try:
            for data in loaded(path.read_text("utf-8")):
                yield path, data
        except (yaml.YAMLError, UnicodeDecodeError):
            continue


def served(folder: Path) -> Iterator[tuple[str, bool, Json]]:
    """For each plugin and driver that a tree installs: the vendor's driver, whether it is that, and how its pods choose nodes."""
    for _, data in documents(folder):
        spec = at(data, "spec") or {}
        sources = [at(spec, "source"), *(at(spec, "sources") or ())]
        entries = [
            (at(spec, "chart", "spec", "chart") or at(spec, "chartRef", "name"), at(spec, "values")),
            (at(data, "spec", "chart"), at(spec, "valuesContent")),
            *((_chart(s), at(s, "helm", "valuesObject") or at(s, "helm", "values")) for s in sources),
            *((at(c, "name"), at(c, "valuesInline")) for c in at(data, "helmCharts") or ()),
        ]  # fmt: skip
        for chart, values in entries:
            found = _CHARTS.get(str(chart).rpartition("/")[2])
            if found is not None:
                yield from _of_values(
                    *found, yaml.safe_load(values) if isinstance(values, str) else values
                )
        yield from _of_object(data, spec)


def _chart(source: Any) -> Any:
    return at(source, "chart") or at(source, "path")


def _of_values(
    vendor: str, is_driver: bool, place: str, own: Mapping[str, str], values: Any
) -> Iterator[tuple[str, bool, Json]]:  # fmt: skip
    if at(values, "devicePlugin", "enabled") is False:
        return
    chosen = values if place == "." else at(values, place) if place else {}
    made = {key: at(chosen, key) for key in ("affinity", "tolerations") if at(chosen, key)}
    if not place:
        made["tolerations"] = at(values, "daemonsets", "tolerations")
    selector = at(chosen, "nodeSelector") or at(chosen, "node_selector") or {}
    yield (
        vendor,
        is_driver,
        {**made, "nodeSelector": {k: v for k, v in {**own, **selector}.items() if v is not None}},
    )


def _of_object(data: Json, spec: Any) -> Iterator[tuple[str, bool, Json]]:
    kind = data.get("kind")
    if kind == "DaemonSet":
        pod = at(spec, "template", "spec") or {}
        for container in at(pod, "containers") or ():
            image = str(at(container, "image")).partition("@")[0].rpartition(":")[0] or str(
                at(container, "image")
            )
            vendor = next((v for name, v in _IMAGES.items() if image.endswith(name)), None)
            command = "".join(map(str, at(container, "command") or ()))
            # One image holds the plugin, feature discovery and the daemon of MPS.
            if vendor and ("plugin" in command or not command):
                yield (
                    vendor,
                    False,
                    {k: pod[k] for k in ("nodeSelector", "affinity", "tolerations") if k in pod},
                )
                return
    elif kind == "GpuDevicePlugin":
        yield (
            "gpu.intel.com",
            False,
            {k: spec[k] for k in ("nodeSelector", "tolerations") if k in spec},
        )
    elif kind == "ClusterPolicy" and at(spec, "devicePlugin", "enabled") is not False:
        yield (
            "gpu.nvidia.com",
            False,
            {"nodeSelector": {"nvidia.com/gpu.deploy.device-plugin": "true"}},
        )
    elif kind == "DeviceConfig":
        yield (
            "gpu.amd.com",
            at(spec, "draDriver", "enable") is True,
            {"nodeSelector": spec["selector"]},
        )
