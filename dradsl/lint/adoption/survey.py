"""What the files of a tree name that a configuration wants to know, each with the place where it is named."""

from __future__ import annotations

from dradsl.records import dataclass, field, replace
from dradsl.text.documents import expand_list
from dradsl.text.paths import values_named
from dradsl.values.patterns import pattern
from dradsl.values.plain import mapping_at, mappings_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

__all__ = ["Named", "Survey", "survey"]

# Charts and images that run a driver, and whether their version is the driver's. Sources: the charts of
# kubernetes-sigs/dra-driver-nvidia-gpu (before: NVIDIA/k8s-dra-driver-gpu), ROCm/k8s-gpu-dra-driver,
# intel/intel-resource-drivers-for-kubernetes, kubernetes-sigs/dranet, kubernetes-sigs/dra-example-driver.
_NVIDIA = ("gpu.nvidia.com", "compute-domain.nvidia.com")
_CHARTS: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "dra-driver-nvidia-gpu": (_NVIDIA, True),
    "nvidia-dra-driver-gpu": (_NVIDIA, True),
    "k8s-gpu-dra-driver": (("gpu.amd.com",), True),
    "intel-gpu-resource-driver-chart": (("gpu.intel.com",), False),
    "intel-gaudi-resource-driver-chart": (("gaudi.intel.com",), False),
    "intel-qat-resource-driver-chart": (("qat.intel.com",), False),
    "dranet": (("dra.net",), False),
    "dra-example-driver": (("gpu.example.com",), False),
}
_IMAGES: Mapping[str, tuple[str, ...]] = {
    "dra-driver-nvidia-gpu": _NVIDIA,
    "k8s-dra-driver-gpu": _NVIDIA,
    "k8s-gpu-dra-driver": ("gpu.amd.com",),
    "intel-gpu-resource-driver": ("gpu.intel.com",),
    "intel-gaudi-resource-driver": ("gaudi.intel.com",),
    "intel-qat-resource-driver": ("qat.intel.com",),
    "dranet": ("dra.net",),
}
_RELEASE = pattern(r"v?1\.(?P<minor>[0-9]{1,3})(?![0-9])")
_NODE_IMAGES = pattern(
    r"(?:kindest/node|rancher/k3s|siderolabs/kubelet):v1\.(?P<minor>[0-9]{1,3})(?![0-9])"
)
_IMAGE = pattern(
    r"""^[ \t-]*["']?image["']?:[ \t]*["']?(?P<name>[\w./-]{1,200}):(?P<tag>v?[\w.-]{1,100})""", 8
)
_WORKLOADS = ("Pod", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob")
_CLAIM_MARKS = ("resourceClaims", "ResourceClaim")


@dataclass(frozen=True, slots=True)
class Named:
    """Something that a file names: the value, the file, and in what."""

    value: str
    path: str
    by: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found, in the order of the files.

    `releases` are minor numbers; `gates` feature gates by name; `drivers` those that objects name; `versions`
    their versions by charts and images; `recorded` are files of recorded slices.
    """

    files: int = 0
    releases: list[Named] = field(default_factory=list)
    gates: dict[str, list[Named]] = field(default_factory=dict)
    drivers: dict[str, Named] = field(default_factory=dict)
    versions: dict[str, list[Named]] = field(default_factory=dict)
    unversioned: dict[str, Named] = field(default_factory=dict)
    charts: list[str] = field(default_factory=list)
    kustomizations: list[str] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)
    cluster_kinds: list[Named] = field(default_factory=list)
    workloads: list[Named] = field(default_factory=list)


def survey(sources: Iterable[SourceText], catalogue: Catalogue) -> Survey:
    """Look through files that were read."""
    found = Survey(files=0)
    index = catalogue.index()
    names = catalogue.names()
    count = 0
    for source in sources:
        count += 1
        text, path = source.stream.text, source.name
        name = path.replace("\\", "/").rpartition("/")[2]
        if name in ("kustomization.yaml", "kustomization.yml", "Kustomization"):
            found.kustomizations.append(path)
        for match in _NODE_IMAGES.finditer(text):
            found.releases.append(Named(match["minor"], path, "the image of a node"))
        for match in _IMAGE.finditer(text):
            for driver in _IMAGES.get(match["name"].rpartition("/")[2], ()):
                _version(found, driver, match["tag"], path, "the image of the driver")
        for document in source.stream.documents:
            if isinstance(document.data, dict):
                for _, data in expand_list(document.data):
                    if isinstance(data, dict):
                        _look(found, data, path, name)
        if "resource.k8s.io" in text or any(mark in text for mark in _CLAIM_MARKS):
            for driver in names:
                if driver in text and driver not in found.drivers and _is_named(driver, text):
                    found.drivers[driver] = Named(driver, path, "its name")
            for word in dict.fromkeys(_words(text)):
                driver_of = index.classes.get(word)
                if driver_of is not None:
                    found.drivers.setdefault(driver_of, Named(driver_of, path, f"the class {word}"))
    return replace(found, files=count)


_CLASS = pattern(r"deviceClassName[\"']?:[ \t]*[\"']?(?P<name>[a-z0-9.-]{1,253})")


def _words(text: str) -> Iterator[str]:
    for match in _CLASS.finditer(text):
        yield match["name"]


def _is_named(driver: str, text: str) -> bool:
    """Whether the name stands by itself, and not within a longer one."""
    start = text.find(driver)
    while start >= 0:
        around = text[max(start - 1, 0) : start] + text[start + len(driver) :][:1]
        if not any(c.isalnum() or c in "-." for c in around):
            return True
        start = text.find(driver, start + 1)
    return False


def _look(found: Survey, data: JsonMapping, path: str, name: str) -> None:
    kind, version = data.get("kind"), data.get("apiVersion")
    kind = kind if isinstance(kind, str) else ""
    version = version if isinstance(version, str) else ""
    spec = mapping_at(data, "spec")
    if name == "Chart.yaml" and isinstance(data.get("name"), str):
        found.charts.append(path)
        for each in mappings_at(data, "dependencies"):
            _chart(found, each.get("name"), each.get("version"), path, "the chart's dependency")
    _look_at_cluster(found, data, kind, version, spec, path)
    _look_at_installs(found, kind, version, spec, path)
    if version.startswith("resource.k8s.io/"):
        if kind == "ResourceSlice" and member(data, "metadata", "uid"):
            if path not in found.recorded:
                found.recorded.append(path)
        elif kind in ("DeviceClass", "ResourceSlice", "DeviceTaintRule"):
            found.cluster_kinds.append(Named(kind, path, kind))
        elif kind in ("ResourceClaim", "ResourceClaimTemplate"):
            found.workloads.append(Named(kind, path, kind))
    elif kind in _WORKLOADS and next(values_named(spec, "resourceClaims"), None) is not None:
        found.workloads.append(Named(kind, path, kind))


def _look_at_installs(
    found: Survey, kind: str, version: str, spec: Mapping[str, object], path: str
) -> None:
    """The charts that Flux, k3s and Argo CD install."""
    if kind == "HelmRelease":
        chart = member(spec, "chart", "spec")
        if isinstance(chart, dict):
            _chart(found, chart.get("chart"), chart.get("version"), path, "the HelmRelease")
    if kind == "HelmChart" and version.startswith("helm.cattle.io/"):
        _chart(found, spec.get("chart"), spec.get("version"), path, "the HelmChart")
    if kind == "Application" and version.startswith("argoproj.io/"):
        for each in [mapping_at(spec, "source"), *mappings_at(spec, "sources")]:
            _chart(found, each.get("chart"), each.get("targetRevision"), path, "the Application")


def _look_at_cluster(
    found: Survey,
    data: Mapping[str, object],
    kind: str,
    version: str,
    spec: Mapping[str, object],
    path: str,
) -> None:
    """Releases and gates of the objects by which clusters are made."""
    if version.startswith(("kind.x-k8s.io/", "kubelet.config.k8s.io/")):
        _gates(found, data.get("featureGates"), path, f"the {kind} of {version.partition('/')[0]}")
    elif version.startswith("kubeadm.k8s.io/"):
        _release(found, data.get("kubernetesVersion"), path, f"the {kind} of kubeadm")
    elif version.startswith("eksctl.io/"):
        _release(found, member(data, "metadata", "version"), path, "the ClusterConfig of eksctl")
    elif kind in ("KubeadmControlPlane", "RKE2ControlPlane", "KThreesControlPlane"):
        _release(found, spec.get("version"), path, f"the {kind}")
    elif kind == "Cluster" and version.startswith("cluster.x-k8s.io/"):
        _release(found, member(spec, "topology", "version"), path, "the topology of the Cluster")
    elif kind == "Plan" and version.startswith("upgrade.cattle.io/"):
        _release(found, spec.get("version"), path, "the upgrade Plan")
    elif kind == "KubernetesUpgrade":
        _release(found, member(spec, "kubernetes", "version"), path, "the KubernetesUpgrade")


def _release(found: Survey, value: object, path: str, by: str) -> None:
    match = _RELEASE.match(value) if isinstance(value, str) else None
    if match is not None:
        found.releases.append(Named(match["minor"], path, by))


def _gates(found: Survey, value: object, path: str, by: str) -> None:
    if isinstance(value, dict):
        for name, on in value.items():
            if isinstance(name, str) and isinstance(on, bool):
                found.gates.setdefault(name, []).append(Named(str(on).lower(), path, by))


def _chart(found: Survey, name: object, version: object, path: str, by: str) -> None:
    if not isinstance(name, str):
        return
    chart = name.rpartition("/")[2]
    drivers, same = _CHARTS.get(chart, ((), False))
    for driver in drivers:
        if same and isinstance(version, str):
            _version(found, driver, version, path, f"{by}, chart {chart}")
        else:
            found.unversioned.setdefault(driver, Named(chart, path, by))


def _version(found: Survey, driver: str, version: str, path: str, by: str) -> None:
    found.versions.setdefault(driver, []).append(Named(version, path, by))
