"""The text of a first configuration: releases, gates, drivers and recorded slices that the files of a tree name."""

from __future__ import annotations

import json

from dradsl.drivers.charts import named_chart
from dradsl.records import dataclass, field
from dradsl.releases import RELEASES, UnknownGateError, get_release, known_gates, newest_release
from dradsl.text.documents import expand_list
from dradsl.text.paths import values_named
from dradsl.tree.charts.installed import Fetched, installed_by
from dradsl.values.counted import first_of, plural
from dradsl.values.patterns import pattern
from dradsl.values.plain import mapping_at, mappings_at, member, string_at
from dradsl.values.printable import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

    _Key = TypeVar("_Key")

__all__ = ["first_config"]

# Where objects by which clusters are made have the release: kubeadm, eksctl, Cluster API, system-upgrade-controller
# and tuppr, by the end of their API group.
_RELEASE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "kubeadm.k8s.io": ("kubernetesVersion",),
    "eksctl.io": ("metadata", "version"),
    "controlplane.cluster.x-k8s.io": ("spec", "version"),
    "cluster.x-k8s.io": ("spec", "topology", "version"),
    "upgrade.cattle.io": ("spec", "version"),
    "tuppr.home-operations.com": ("spec", "kubernetes", "version"),
}
_RELEASE = pattern(r"v?(1\.[0-9]{1,3})(?![0-9])")
_NODE_IMAGE = pattern(r"(?:kindest/node|rancher/k3s|siderolabs/kubelet):v(1\.[0-9]{1,3})(?![0-9])")
_OF_PLATFORMS = frozenset({"DeviceClass", "ResourceSlice", "DeviceTaintRule"})


@dataclass(frozen=True, slots=True)
class _Named:
    """What files name, each with these files."""

    releases: dict[str, list[str]] = field(default_factory=dict)
    gates: dict[str, dict[bool, list[str]]] = field(default_factory=dict)
    drivers: dict[str, list[str]] = field(default_factory=dict)
    versions: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    recorded: dict[str, list[str]] = field(default_factory=dict)
    sides: dict[str, list[str]] = field(default_factory=dict)


def first_config(
    sources: Sequence[SourceText], catalogue: Catalogue, preset: str | None = None
) -> str:
    """A configuration as YAML, with comments that name the files."""
    found = _Named()
    for source in sources:
        _read(found, source, catalogue)
    parts = (
        [
            f"# Written by `dradsl init` from {plural(len(sources), 'file')}. Check it, then keep it in the repository."
        ],
        _releases(found),
        _gates(found),
        _preset(found, preset),
        _drivers(found, catalogue),
        _slices(found),
    )
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _read(found: _Named, source: SourceText, catalogue: Catalogue) -> None:
    text, path = source.stream.text, source.name
    for match in _NODE_IMAGE.finditer(text):
        _add(found.releases, match[1], path)
    for name in catalogue.names():
        if name in text:
            _add(found.drivers, name, path)
    for document in source.stream.documents:
        if isinstance(document.data, dict):
            for _, data in expand_list(document.data):
                if isinstance(data, dict):
                    _read_object(found, data, path, catalogue)


def _read_object(found: _Named, data: JsonMapping, path: str, catalogue: Catalogue) -> None:
    kind = string_at(data, "kind") or ""
    group = (string_at(data, "apiVersion") or "").partition("/")[0]
    release = string_at(data, *_RELEASE_FIELDS.get(group, ("",)))
    if release is not None and (match := _RELEASE.match(release)) is not None:
        _add(found.releases, match[1], path)
    if group in ("kind.x-k8s.io", "kubelet.config.k8s.io"):
        for name, on in mapping_at(data, "featureGates").items():
            if isinstance(on, bool) and name in known_gates():
                _add(found.gates.setdefault(name, {}), on, path)
    for place in _helm_places(data, kind):
        chart = installed_by(data, place, Fetched())
        row = named_chart(chart.chart or "")
        for driver in row.drivers if row is not None and chart.version else ():
            _add(found.versions.setdefault(driver, {}), str(chart.version), path)
    for name in values_named(data, "deviceClassName"):
        of = catalogue.index().classes.get(name) if isinstance(name, str) else None
        if of is not None:
            _add(found.drivers, of, path)
    if kind == "ResourceSlice" and member(data, "metadata", "uid"):
        _add(found.recorded, path, path)
    elif group == "resource.k8s.io":
        _add(found.sides, "platform" if kind in _OF_PLATFORMS else "workload", path)
    elif next(values_named(data, "resourceClaims"), None) is not None:
        _add(found.sides, "workload", path)


def _helm_places(data: JsonMapping, kind: str) -> Iterator[tuple[str | int, ...]]:
    """Where objects of Flux and Argo CD have values of charts."""
    if kind == "HelmRelease":
        yield ("spec", "values")
    elif kind == "Application":
        yield ("spec", "source", "helm")
        for number in range(len(mappings_at(data, "spec", "sources"))):
            yield ("spec", "sources", number, "helm")


def _add(found: dict[_Key, list[str]], key: _Key, path: str) -> None:
    paths = found.setdefault(key, [])
    if path not in paths:
        paths.append(path)


def _releases(found: _Named) -> list[str]:
    lines = [
        f"# Kubernetes {name}: {_files(paths)}" for name, paths in sorted(found.releases.items())
    ]
    usable = _usable(found)
    if not usable:
        newest = newest_release().name
        lines.append(
            f"# No file names a known release of Kubernetes, so {newest} counts, the newest that dradsl knows."
        )
        return [*lines, f'# kube-version: "{newest}"']
    return [*lines, f'kube-version: "{", ".join(usable)}"']


def _usable(found: _Named) -> list[str]:
    return [name for name in RELEASES if name in found.releases]


def _gates(found: _Named) -> list[str]:
    lines = []
    for name, values in sorted(found.gates.items()):
        paths = [path for each in values.values() for path in each]
        on = next(iter(values))
        if len(values) == 1 and _is_taken(name, on, _usable(found)):
            lines.append(f"  {name}: {str(on).lower()}  # {_files(paths)}")
    return ["feature-gates:", *lines] if lines else []


def _is_taken(gate: str, on: bool, releases: Iterable[str]) -> bool:
    """Whether all releases let one turn a gate on or off so."""
    for name in releases or [newest_release().name]:
        try:
            get_release(name).features({gate: on})
        except UnknownGateError:
            return False
    return True


def _preset(found: _Named, preset: str | None) -> list[str]:
    if preset is not None:
        return [f"preset: {preset}"]
    if len(found.sides) != 1:
        return ["# If all that the cluster gets is here, this finds more:", "# preset: strict"]
    ((side, paths),) = found.sides.items()
    what = "objects of a platform" if side == "platform" else "claims and pods"
    return [f"# Only {what} are here: {_files(paths)}", f"preset: {side}"]


def _drivers(found: _Named, catalogue: Catalogue) -> list[str]:
    lines: list[str] = []
    for driver in sorted({*found.drivers, *found.versions}):
        schema = catalogue.get(driver)
        named = found.versions.get(driver, {})
        known = {
            version: paths
            for each, paths in named.items()
            if schema is not None and (version := schema.find_version(each)) is not None
        }
        if len(known) == 1:
            ((version, paths),) = known.items()
            lines.append(f'  {driver}: "{version}"  # {_files(paths)}')
        else:
            paths = [path for each in named.values() for path in each] or found.drivers[driver]
            order = ", ".join(schema.version_order) if schema is not None else ""
            lines.append(f"  # {driver}: one of {order or 'no known versions'}? {_files(paths)}")
    is_comment = all(line.startswith("  #") for line in lines)
    return [f"{'# ' if is_comment else ''}driver-versions:", *lines] if lines else []


def _slices(found: _Named) -> list[str]:
    if found.recorded:
        return ["slices:", *(f"  - {json.dumps(path)}" for path in found.recorded)]
    return [
        "# With recorded ResourceSlices dradsl says whether claims can be met:",
        "# `dradsl record --from-cluster -o inventory.yaml`",
        "# slices: [inventory.yaml]",
    ]


def _files(paths: Sequence[str]) -> str:
    return first_of([one_line(path) for path in paths])
