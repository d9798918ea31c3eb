"""The operators' side: values and configurations of NVIDIA's device plugin, and what they become.

Follows the charts of NVIDIA/gpu-operator v26.7.0 (values.yaml), NVIDIA/k8s-device-plugin v0.20.0
and kubernetes-sigs/dra-driver-nvidia-gpu 0.5. AMD's operator cannot run both sides at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.edits.patches import object_patch
from dradsl.migrate.evidence import plugin_configs
from dradsl.migrate.result import FileMigration, Item, Outcome
from dradsl.records import dataclass, replace
from dradsl.text.paths import format_path, locate
from dradsl.values.digits import whole_number
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.edits.patches import ObjectPatch
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.result import Migration
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.json_types import JsonObject

__all__ = [
    "asking",
    "configuration_items",
    "driver_values_path",
    "installs_driver",
    "migrate_operator",
    "switches_of",
    "turns_off",
    "with_installed",
]

Chart = Literal["gpu-operator", "device-plugin"]

_GFD_NOTE = (
    "GPUCluster runs no feature discovery: labels nvidia.com/gpu.* are no longer kept up "
    "to date, and pods that select on them may find no node"
)


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting of the device plugin, and its replacement: gates and values of the driver, or a reason."""

    path: FieldPath
    before: str
    after: str | None
    reason: str
    question: str | None = None
    driver_values: tuple[tuple[str, object], ...] = ()
    turns_off: bool = False


def migrate_operator(
    source: SourceText, decide: Callable[[str, str], Decisions], *, has_driver: bool
) -> FileMigration | None:
    """The migration of the values of a chart that installs the device plugin; None if the file is
    something else. `has_driver` is whether the run has a release of the DRA driver."""
    documents = source.stream.documents
    chart = _chart(documents[0].data) if len(documents) == 1 else None
    if chart is None:
        return None
    document = documents[0]
    decisions = decide(source.name, chart)
    data: Any = document.data
    installed = _Installed(document, (), data, chart, f"values of the {chart} chart")
    settings = tuple(_settings(document.data, installed, decisions))
    items = tuple(_item(source, installed, setting) for setting in settings)
    before = source.stream.text
    if decisions.operator is None or decisions.asking or not settings:
        return FileMigration(source.name, "operator", before, before, items)
    try:
        text = edit_text(document.text, [_switches(installed, decisions)])
    except CannotEditError as error:
        failure = (f"the text cannot be edited safely: {error}",)
        return FileMigration(source.name, "operator", before, before, items, notes=failure)
    gpucluster = decisions.operator == "gpucluster"
    values = {} if gpucluster else _driver_values(settings)
    return FileMigration(
        source.name,
        "operator",
        before,
        before[: document.start] + text + before[document.end :],
        items,
        notes=_requirements(source.name, gpucluster=gpucluster, has_driver=has_driver),
        driver_values=values,
    )


def with_installed(
    source: SourceText,
    file: FileMigration,
    decide: Callable[[str, str], Decisions],
    evidence: Evidence,
    *,
    has_driver: bool,
) -> FileMigration:
    """The migration of a file of objects, with what becomes of the device plugins that they install:
    releases of Flux, Argo CD and k3s, and a ClusterPolicy."""
    charts = evidence.charts
    found = tuple(_installed(source, charts))
    if not found:
        return file
    items: list[Item] = []
    notes: list[str] = []
    values: dict[str, object] = {}
    for each in found:
        decisions = decide(source.name, each.title)
        settings = tuple(_settings(each.data, each, decisions))
        items += (_item(source, each, setting) for setting in settings)
        if not any(setting.after for setting in settings if setting.turns_off):
            continue
        gpucluster = decisions.operator == "gpucluster"
        notes += _requirements(source.name, gpucluster=gpucluster, has_driver=has_driver)
        if not gpucluster:
            values |= _driver_values((*settings, *_shares(source.name, decisions, evidence)))
    try:
        text, patches = _turned_over(source.name, file.text, decide, charts)
    except CannotEditError as error:
        refused = (f"the text cannot be edited safely: {error}",)
        return replace(file, items=(*file.items, *items), notes=(*file.notes, *refused))
    return replace(
        file,
        text=text,
        items=(*file.items, *items),
        notes=(*file.notes, *dict.fromkeys(notes)),
        patches=(*file.patches, *patches),
        driver_values=values,
    )


def _shares(name: str, decisions: Decisions, evidence: Evidence) -> Iterator[_Setting]:
    """Gate and value of the driver for sharing that other files of the run configure."""
    numbers = evidence.cluster_of(name).sharers("nvidia.com/gpu")
    shares = "unlimited" if decisions.sharing == "unlimited-shares" else next(iter(numbers), "")
    wanted = decisions.sharing in ("unlimited-shares", "consumable-shares")
    if wanted and numbers and (shares == "unlimited" or len(numbers) == 1):
        values = (("featureGates.ConsumableShares", True), ("consumableShares", shares))
        yield _Setting((), "", None, "", driver_values=values)


def switches_of(
    source: SourceText, name: str, decide: Callable[[str, str], Decisions], evidence: Evidence
) -> list[Operation]:
    """The changes that turn the plugin off in the one object of a source, which is built from the file `name`."""
    return [
        operation
        for each in _installed(source, evidence.charts)
        if not each.in_text
        for operation in _switches(each, decide(name, each.title))
    ]


@dataclass(frozen=True, slots=True)
class _Installed:
    """Something that installs the device plugin: values of a chart at a path, or a ClusterPolicy. Values in
    a text (`in_text`) are not edited."""

    document: Document
    path: FieldPath
    data: Mapping[str, object]
    chart: Chart
    title: str
    in_text: bool = False
    manifest: Manifest | None = None

    @property
    def is_policy(self) -> bool:
        return self.manifest is not None and self.manifest.kind == "ClusterPolicy"


def _installed(source: SourceText, charts: Mapping[tuple[str, str], str]) -> Iterator[_Installed]:
    from dradsl.migrate.cluster.releases import GPU_OPERATOR, NVIDIA_PLUGIN, releases_of
    from dradsl.tree.manifests.manifest import manifests_of

    manifests = tuple(manifests_of(source))
    for manifest in manifests:
        spec: Any = manifest.data.get("spec")
        policy = manifest.kind == "ClusterPolicy" and manifest.group == "nvidia.com"
        if policy and isinstance(spec, Mapping):
            path = (*manifest.prefix, "spec")
            yield _Installed(
                manifest.document, path, spec, "gpu-operator", manifest.title, manifest=manifest
            )
    for release in releases_of(source, charts):
        if release.chart in (GPU_OPERATOR, NVIDIA_PLUGIN) and release.title != "values":
            path = release.path
            owner = next(
                (
                    m
                    for m in manifests
                    if m.document is release.document and path[: len(m.prefix)] == m.prefix
                ),
                None,
            )
            if not release.values and not release.in_text and owner is not None:
                path = (*owner.prefix, "spec", "values")  # no values are written yet
            chart: Chart = "gpu-operator" if release.chart == GPU_OPERATOR else "device-plugin"
            yield _Installed(
                release.document, path, release.values, chart, release.title, release.in_text, owner
            )


def _turned_over(
    name: str,
    text: str,
    decide: Callable[[str, str], Decisions],
    charts: Mapping[tuple[str, str], str],
) -> tuple[str, list[ObjectPatch]]:
    """A text after the switches of all that is installed in it, and patches that do the same."""
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    source = SourceText(name, load(text.encode("utf-8", "surrogatepass")))
    by_document: dict[int, list[Any]] = {}
    documents: dict[int, Document] = {}
    patches: list[ObjectPatch] = []
    for each in _installed(source, charts):
        operations = [] if each.in_text else _switches(each, decide(name, each.title))
        if operations:
            documents[each.document.index] = each.document
            by_document.setdefault(each.document.index, []).append(operations)
            if each.manifest is not None:
                patches.append(object_patch(each.manifest, operations))
    parts: list[str] = []
    position = 0
    for index in sorted(documents):
        document = documents[index]
        parts += (text[position : document.start], edit_text(document.text, by_document[index]))
        position = document.end
    return "".join(parts) + text[position:], patches


def configuration_items(
    source: SourceText, decide: Callable[[str, str], Decisions]
) -> Iterator[Item]:
    """What becomes of configurations of the device plugin, on their own or in ConfigMaps."""
    for document in source.stream.documents:
        if _is_configuration(document.data):
            decisions = decide(source.name, _CONFIGURATION)
            configuration = _Installed(document, (), {}, "device-plugin", _CONFIGURATION)
            for setting in _settings(document.data, None, decisions):
                yield _item(source, configuration, setting)


_CONFIGURATION = "device plugin configuration"


def _is_configuration(data: object) -> bool:
    if not isinstance(data, Mapping):
        return False
    is_config = data.get("kind") == "ConfigMap" or data.get("version") == "v1"
    return is_config and any(True for _ in plugin_configs(data))


def _chart(data: object) -> Chart | None:
    """The chart of plain values, if it installs the plugin and they have a setting for that."""
    from dradsl.migrate.cluster.releases import GPU_OPERATOR, NVIDIA_PLUGIN, chart_of

    found = chart_of(data)
    if found == GPU_OPERATOR:
        return "gpu-operator"
    return "device-plugin" if found == NVIDIA_PLUGIN else None


def _settings(
    data: object, installed: _Installed | None, decisions: Decisions
) -> Iterator[_Setting]:
    if installed is not None:
        yield from _plugin(installed, decisions)
        yield from _mig(installed)
    for config in plugin_configs(data):
        yield from _sharing(config, decisions)


def _is_on(installed: _Installed) -> bool:
    """Whether the device plugin runs: that is the default of the charts and of a ClusterPolicy."""
    data = installed.data
    if member(data, "clusterPolicy", "deployCR") is False:
        return False
    return member(data, "devicePlugin", "enabled") is not False


def _plugin(installed: _Installed, decisions: Decisions) -> Iterator[_Setting]:
    if not _is_on(installed):
        return
    path = (*installed.path, "devicePlugin", "enabled")
    written = member(installed.data, "devicePlugin", "enabled") is not None
    before = "devicePlugin.enabled: true" + ("" if written else " (not written: the default)")
    if decisions.operator is None:
        yield _Setting(
            path,
            before,
            None,
            "device plugin and DRA driver must not both hand out the same GPUs of a node; turning "
            "the plugin off stops every pod that still asks for nvidia.com/gpu without a class "
            "that answers it",
            "operator",
        )
        return
    if decisions.asking:
        yield _Setting(path, before, None, _still_needed(decisions.asking))
        return
    refusal = _cannot_switch(installed, decisions)
    if refusal is not None:
        yield _Setting(path, before, None, *refusal)
        return
    after = "devicePlugin.enabled: false, and the driver's chart with GPUs turned on"
    if decisions.operator == "gpucluster":
        after = "clusterPolicy.deployCR: false, gpuCluster.deployCR: true"
    yield _Setting(path, before, after, "one of the two serves a node", turns_off=True)


def _still_needed(asking: tuple[str, ...]) -> str:
    more = f" and {len(asking) - _SHOWN} more" if len(asking) > _SHOWN else ""
    return (
        f"without the device plugin these would not run: {'; '.join(asking[:_SHOWN])}{more}. No values for the DRA "
        "driver are written either, since one of the two serves a node. Migrate these first, or take them out of "
        "the cluster, then run dradsl again"
    )


def _cannot_switch(installed: _Installed, decisions: Decisions) -> tuple[str, str | None] | None:
    """Why the switches of a decision cannot be set here, and the question that stays open."""
    gpucluster = decisions.operator == "gpucluster"
    if gpucluster and installed.chart == "device-plugin":
        return (
            "GPUCluster belongs to the GPU operator; this chart has the way standalone only",
            "operator",
        )
    if gpucluster and installed.is_policy:
        return (
            "a ClusterPolicy and a GPUCluster must not both exist: the values of the operator's chart say "
            "which one it makes, and this object goes",
            None,
        )
    if installed.in_text:
        lines = "devicePlugin.enabled: false"
        if gpucluster:
            lines = "clusterPolicy.deployCR: false and gpuCluster.deployCR: true"
        return f"these values are a text within the object: write {lines} there", None
    return None


def _mig(installed: _Installed) -> Iterator[_Setting]:
    data = installed.data
    if installed.chart == "gpu-operator":
        path: FieldPath = ("mig", "strategy")
        strategy = member(data, *map(str, path))
        layout = member(data, "migManager", "config", "default")
        if strategy == "single" and layout in ("", "all-disabled"):
            return  # no GPU is divided
    else:
        path, strategy = ("migStrategy",), data.get("migStrategy")
    full = (*installed.path, *path)
    if strategy == "mixed":
        yield _Setting(
            full,
            f"{format_path(path)}: mixed",
            "the same partitions, as devices of class mig.nvidia.com with a profile",
            "the driver publishes static MIG devices; the MIG manager stays",
        )
    elif strategy == "single":
        yield _Setting(
            full,
            f"{format_path(path)}: single",
            None,
            "where GPUs are divided every request for nvidia.com/gpu is one for a MIG device and must "
            "name its profile: migrate the workloads with the answer mig-profile",
        )


def _sharing(config: Mapping[str, object], decisions: Decisions) -> Iterator[_Setting]:
    sharing = config.get("sharing")
    if not isinstance(sharing, Mapping):
        return
    for strategy in ("timeSlicing", "mps"):
        found = sharing.get(strategy)
        items = found.get("resources") if isinstance(found, Mapping) else None
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping):
                yield _shared(strategy, item, decisions)


def _shared(strategy: str, item: Mapping[str, object], decisions: Decisions) -> _Setting:
    name, replicas = item.get("name"), item.get("replicas")
    before = f"{strategy} of {name}, replicas: {replicas}"
    if strategy == "mps":
        return _Setting(
            (),
            before,
            None,
            "no equivalent: MPS by GpuConfig (gate MPSSupport) is for the containers of one claim, "
            "and it cannot be combined with ConsumableShares",
        )
    number = str(replicas).strip()
    if not number.isdecimal() or (whole_number(number) or 0) < 2:
        return _Setting(
            (),
            before,
            None,
            f"{replicas} is no usable number of replicas: the device plugin takes 2 and more, and so does "
            "what shares devices in DRA",
        )
    unlimited = decisions.sharing == "unlimited-shares"
    if name != "nvidia.com/gpu" or not (unlimited or decisions.sharing == "consumable-shares"):
        return _Setting(
            (),
            before,
            None,
            "pods share a GPU in DRA by ConsumableShares (alpha, off) with consumableShares: "
            f'"{replicas}", not by an object; GpuConfig TimeSlicing is no equivalent: it sets an '
            "interval among the containers of one claim",
            "sharing" if name == "nvidia.com/gpu" else None,
        )
    shares = "unlimited" if unlimited else f"{replicas}"
    reason = "each device is published with that many shares, of which a request takes one"
    if unlimited:
        reason = "each device goes to any number of requests"
    return _Setting(
        (),
        before,
        f'featureGates.ConsumableShares: true, consumableShares: "{shares}"',
        reason,
        driver_values=(("featureGates.ConsumableShares", True), ("consumableShares", shares)),
    )


def _switches(installed: _Installed, decisions: Decisions) -> list[Operation]:
    if decisions.operator is None or decisions.asking or not _is_on(installed):
        return []
    if _cannot_switch(installed, decisions) is not None:
        return []
    path = installed.path
    if decisions.operator == "gpucluster":
        return [
            Put((*path, "clusterPolicy", "deployCR"), False),
            Put((*path, "gpuCluster", "deployCR"), True),
        ]
    return [Put((*path, "devicePlugin", "enabled"), False)]


def _driver_values(settings: tuple[_Setting, ...]) -> dict[str, object]:
    # Without these two the driver's chart hands out no GPUs at all.
    values: JsonObject = {
        "gpuResourcesEnabledOverride": True,
        "resources": {"gpus": {"enabled": True}},
    }
    for setting in settings:
        for path, value in setting.driver_values:
            place = values
            *above, last = path.split(".")
            for part in above:
                place = place.setdefault(part, {})
            place[last] = value
    return values


def _requirements(name: str, *, gpucluster: bool, has_driver: bool) -> tuple[str, ...]:
    if not gpucluster:
        values = driver_values_path(name)
        install = (
            f"{values} are only values: nothing in these files installs the DRA driver, and without it no pod gets "
            "a GPU. Once the device plugin has left the nodes: helm upgrade --install dra-driver-nvidia-gpu CHART "
            f"--namespace dra-driver-nvidia-gpu --create-namespace --values {values}, with the chart "
            "dra-driver-nvidia-gpu of the driver's release as CHART"
        )
        if has_driver:
            install = (
                f"put the values of {values} into the release of the DRA driver in these files"
            )
        return (
            "the driver's chart refuses to render GPUs without gpuResourcesEnabledOverride",
            install,
        )
    return (
        _GFD_NOTE,
        "GPUCluster needs Kubernetes 1.34.2, GPU driver 580 and CDI; it is experimental, and a "
        "running cluster cannot be moved in place",
        "the class that GPUCluster makes carries no extendedResourceName: pods that go on asking "
        "for nvidia.com/gpu find nothing",
    )


def _item(source: SourceText, installed: _Installed, setting: _Setting) -> Item:
    root = installed.document.root
    path = installed.path if installed.in_text else setting.path
    place = locate(root, path) if root is not None else None
    span = installed.document.span if place is None else place.best_span
    if not setting.path and root is not None:
        span = source.stream.lines.span(root.start, root.start)
    where = setting.path[len(installed.path) :]
    return Item(
        source.name,
        span,
        installed.title,
        format_path(where) or "sharing",
        setting.before,
        Outcome.REFUSED if setting.after is None else Outcome.TRANSLATED,
        setting.reason,
        setting.after,
        question=setting.question,
        about="setting",
    )


_SHOWN = 20
# What NVIDIA's device plugin serves.
_SERVED = re.compile(r"nvidia\.com(?:/|~1)")
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


def turns_off(migration: Migration) -> bool:
    """Whether a migration turns a device plugin off."""
    return any(
        item.about == "setting"
        and item.outcome is Outcome.TRANSLATED
        and item.where.endswith("devicePlugin.enabled")
        for item in migration.items()
    )


def asking(migration: Migration) -> tuple[str, ...]:
    """What still needs NVIDIA's device plugin after a migration: uses that are not translated, and files that dradsl
    failed to read."""
    found = {
        f"{item.object} ({item.path}:{item.span.line})": None
        for item in migration.items()
        if item.outcome is not Outcome.TRANSLATED
        and (item.about == "unknown" or (item.about == "use" and _SERVED.search(item.before)))
    }
    return (*found, *(f"{name} (not read)" for name, _ in migration.failed))


def installs_driver(sources: Iterable[SourceText]) -> bool:
    """Whether the run has a release of NVIDIA's DRA driver."""
    return any(
        any(sign in source.stream.text for sign in _RELEASES)
        and _DRIVER.search(source.stream.text) is not None
        for source in sources
    )


def driver_values_path(path: str) -> str:
    """The file for the values of the DRA driver's chart: beside `path`, or beside the outermost chart that holds it,
    since Helm takes every file in the folder of a chart for a part of it."""
    given = Path(path)
    within = [each for each in given.parents if (each / "Chart.yaml").is_file()]
    stem = given.stem if given.suffix else given.name
    if not within:
        return str(given.with_name(f"{stem}.dra-driver-values.yaml"))
    chart = within[-1].resolve()
    above = within[-1].parent if within[-1].name not in ("", "..") else within[-1] / ".."
    return str(above / f"{chart.name}.{stem}.dra-driver-values.yaml")
