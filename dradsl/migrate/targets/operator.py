"""The operators' side: values and configurations of NVIDIA's device plugin, and what they become.

Follows the charts of NVIDIA/gpu-operator v26.7.0 (values.yaml), NVIDIA/k8s-device-plugin v0.20.0
and kubernetes-sigs/dra-driver-nvidia-gpu 0.5. AMD's operator cannot run both sides at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.evidence import plugin_configs
from dradsl.migrate.result import FileMigration, Item, Outcome
from dradsl.records import dataclass
from dradsl.text.paths import format_path, locate

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath

__all__ = ["configuration_items", "migrate_operator"]

Chart = Literal["gpu-operator", "device-plugin"]

_GFD_NOTE = (
    "GPUCluster runs no feature discovery: labels nvidia.com/gpu.* are no longer kept up "
    "to date, and pods that select on them may find no node"
)


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting of today, and what it is tomorrow: gates and values of the driver, or a reason."""

    path: FieldPath
    before: str
    after: str | None
    reason: str
    question: str | None = None
    driver_values: tuple[tuple[str, object], ...] = ()


def migrate_operator(
    source: SourceText, decide: Callable[[str, str], Decisions]
) -> FileMigration | None:
    """The migration of the values of a chart that installs the device plugin; None if the file is
    something else."""
    documents = source.stream.documents
    chart = _chart(documents[0].data) if len(documents) == 1 else None
    if chart is None:
        return None
    document = documents[0]
    decisions = decide(source.name, chart)
    settings = tuple(_settings(document.data, chart, decisions))
    items = tuple(_item(source, document, chart, setting) for setting in settings)
    before = source.stream.text
    if decisions.operator is None or not settings:
        return FileMigration(source.name, "operator", before, before, items)
    try:
        text = edit_text(document.text, [_switches(document.data, chart, decisions)])
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
        notes=_requirements(gpucluster),
        driver_values=values,
    )


def configuration_items(
    source: SourceText, decide: Callable[[str, str], Decisions]
) -> Iterator[Item]:
    """What becomes of configurations of the device plugin, on their own or in ConfigMaps."""
    for document in source.stream.documents:
        if _is_configuration(document.data):
            decisions = decide(source.name, _CONFIGURATION)
            for setting in _settings(document.data, None, decisions):
                yield _item(source, document, None, setting)


_CONFIGURATION = "device plugin configuration"


def _is_configuration(data: object) -> bool:
    if not isinstance(data, Mapping):
        return False
    is_config = data.get("kind") == "ConfigMap" or data.get("version") == "v1"
    return is_config and any(True for _ in plugin_configs(data))


def _chart(data: object) -> Chart | None:
    if not isinstance(data, Mapping):
        return None
    plugin = data.get("devicePlugin")
    if isinstance(plugin, Mapping) and "enabled" in plugin and "apiVersion" not in data:
        return "gpu-operator" if "operator" in data or "driver" in data else "device-plugin"
    return None


def _settings(data: Any, chart: Chart | None, decisions: Decisions) -> Iterator[_Setting]:
    if chart is not None:
        yield from _plugin(data, chart, decisions)
        yield from _mig(data, chart)
    for config in plugin_configs(data):
        yield from _sharing(config, decisions)


def _plugin(data: Any, chart: Chart, decisions: Decisions) -> Iterator[_Setting]:
    path = ("devicePlugin", "enabled")
    if data["devicePlugin"]["enabled"] is not True:
        return
    if decisions.operator is None:
        yield _Setting(
            path,
            "devicePlugin.enabled: true",
            None,
            "device plugin and DRA driver must not both hand out the same GPUs of a node; turning "
            "the plugin off stops every pod that still asks for nvidia.com/gpu without a class "
            "that answers it",
            "operator",
        )
        return
    if decisions.operator == "gpucluster" and chart == "device-plugin":
        yield _Setting(
            path,
            "devicePlugin.enabled: true",
            None,
            "GPUCluster belongs to the GPU operator; this chart has the way standalone only",
            "operator",
        )
        return
    after = "devicePlugin.enabled: false, and the driver's chart with GPUs turned on"
    if decisions.operator == "gpucluster":
        after = "clusterPolicy.deployCR: false, gpuCluster.deployCR: true"
    yield _Setting(path, "devicePlugin.enabled: true", after, "one of the two serves a node")


def _mig(data: Any, chart: Chart) -> Iterator[_Setting]:
    if chart == "gpu-operator":
        mig = data.get("mig")
        path: FieldPath = ("mig", "strategy")
        strategy = mig.get("strategy") if isinstance(mig, Mapping) else None
        manager = data.get("migManager")
        config = manager.get("config") if isinstance(manager, Mapping) else None
        layout = config.get("default") if isinstance(config, Mapping) else None
        if strategy == "single" and layout in (None, "", "all-disabled"):
            return  # the chart's defaults: no GPU is divided
    else:
        path, strategy = ("migStrategy",), data.get("migStrategy")
    if strategy == "mixed":
        yield _Setting(
            path,
            f"{format_path(path)}: mixed",
            "the same partitions, as devices of class mig.nvidia.com with a profile",
            "the driver publishes static MIG devices; the MIG manager stays",
        )
    elif strategy == "single":
        yield _Setting(
            path,
            f"{format_path(path)}: single",
            None,
            "every request for nvidia.com/gpu is one for a MIG device and must name its profile: "
            "migrate the workloads with --mig-strategy single --mig-profile",
        )


def _sharing(config: Mapping[str, Any], decisions: Decisions) -> Iterator[_Setting]:
    sharing = config.get("sharing")
    if not isinstance(sharing, Mapping):
        return
    for strategy in ("timeSlicing", "mps"):
        found = sharing.get(strategy)
        items = found.get("resources") if isinstance(found, Mapping) else None
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping):
                yield _shared(strategy, item, decisions)


def _shared(strategy: str, item: Mapping[str, Any], decisions: Decisions) -> _Setting:
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
    if not number.isdecimal() or int(number) < 2:
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


def _switches(data: Any, chart: Chart, decisions: Decisions) -> list[Any]:
    if decisions.operator == "gpucluster":
        if chart != "gpu-operator":
            return []
        return [Put(("clusterPolicy", "deployCR"), False), Put(("gpuCluster", "deployCR"), True)]
    if data["devicePlugin"]["enabled"] is not True:
        return []
    return [Put(("devicePlugin", "enabled"), False)]


def _driver_values(settings: tuple[_Setting, ...]) -> dict[str, Any]:
    # Without these two the driver's chart hands out no GPUs at all.
    values: dict[str, Any] = {
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


def _requirements(gpucluster: bool) -> tuple[str, ...]:
    if not gpucluster:
        return ("the driver's chart refuses to render GPUs without gpuResourcesEnabledOverride",)
    return (
        _GFD_NOTE,
        "GPUCluster needs Kubernetes 1.34.2, GPU driver 580 and CDI; it is experimental, and a "
        "running cluster cannot be moved in place",
        "the class that GPUCluster makes carries no extendedResourceName: pods that go on asking "
        "for nvidia.com/gpu find nothing",
    )


def _item(source: SourceText, document: Document, chart: Chart | None, setting: _Setting) -> Item:
    root = document.root
    place = locate(root, setting.path) if root is not None else None
    span = document.span if place is None else place.best_span
    if not setting.path and root is not None:
        span = source.stream.lines.span(root.start, root.start)
    return Item(
        source.name,
        span,
        _CONFIGURATION if chart is None else f"values of the {chart} chart",
        format_path(setting.path) or "sharing",
        setting.before,
        Outcome.REFUSED if setting.after is None else Outcome.TRANSLATED,
        setting.reason,
        setting.after,
        question=setting.question,
    )
