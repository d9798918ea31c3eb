"""The pods and objects that the app-template chart makes of its values.

Source: bjw-s-labs/helm-charts, charts/other/app-template 3.7.3 to 4.6.2 and its library, charts/library/common 3.7.3
to 5.3.0: templates/lib/pod/_getOption.tpl and _spec.tpl, lib/container/_valuesToObject.tpl,
lib/common/_determineResourceNameFromValues.tpl, lib/chart/_names.tpl, classes/_rawResource.tpl,
app-template templates/common.yaml. Versions after 4.2.0 pass `resourceClaims` on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dradsl.kube.pods.claim_entries import SOURCES
from dradsl.records import replace
from dradsl.text.paths import FieldPath
from dradsl.tree.charts.chart_objects import RELEASE_NAME, ChartObject
from dradsl.values.plain import list_at, mapping_at, member

__all__ = ["NAME", "is_shaped", "objects_made_of"]

NAME = "app-template"

_POD: FieldPath = ("spec", "template", "spec")
# Options of a pod that go into it from the defaults or from the controller. `claims` is not one of them, but it
# is what people write for `resourceClaims`.
_OPTIONS = ("resourceClaims", "claims", "resources", "nodeSelector", "tolerations", "schedulerName")
_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "deployment": "Deployment",
        "statefulset": "StatefulSet",
        "daemonset": "DaemonSet",
        "cronjob": "CronJob",
        "job": "Job",
    }
)
_REPLICATED = frozenset({"Deployment", "StatefulSet"})
_NAME_LENGTH = 63


def is_shaped(values: Mapping[str, object]) -> bool:
    """Whether values have the shape of this chart's: controllers with containers, both by their names."""
    controllers = values.get("controllers")
    if not isinstance(controllers, dict):
        return False
    lists = [each.get("containers") for each in controllers.values() if isinstance(each, dict)]
    return any(
        isinstance(found, dict) and any(isinstance(each, dict) for each in found.values())
        for found in lists
    )


def objects_made_of(
    values: Mapping[str, object], at: FieldPath, release: str | None, *, known: bool
) -> Iterator[ChartObject]:
    """The workloads and raw resources that the values at the path `at` of a release make."""
    workloads = [
        _workload(values, at, str(name), controller)
        for name, controller in mapping_at(values, "controllers").items()
        if isinstance(controller, dict) and controller.get("enabled") is not False
    ]
    uses = [frozenset(_used(made.data)) for made in workloads]
    for index, made in enumerate(workloads):
        others = frozenset().union(*(used for i, used in enumerate(uses) if i != index))
        yield replace(made, used=others, known=known)
    raw = {
        key: each
        for key, each in mapping_at(values, "rawResources").items()
        if isinstance(each, dict) and each.get("enabled") is not False
    }
    for key, each in raw.items():
        names = _names(values, each, str(key), len(raw), release)
        found = _raw(each, (*at, "rawResources", key), names)
        if found is not None:
            yield replace(found, known=known)


def _workload(
    values: Mapping[str, object], at: FieldPath, name: str, controller: Mapping[str, object]
) -> ChartObject:
    place: FieldPath = (*at, "controllers", name)
    places: dict[FieldPath, FieldPath] = {(): place, _POD: (*place, "pod")}
    spec: dict[str, object] = {}
    defaults, own = mapping_at(values, "defaultPodOptions"), mapping_at(controller, "pod")
    merged = values.get("defaultPodOptionsStrategy") == "merge"
    for option in dict.fromkeys((*_OPTIONS, *_of_claims(defaults), *_of_claims(own))):
        value, default = own.get(option), defaults.get(option)
        if isinstance(value, dict) and isinstance(default, dict) and merged:
            spec[option] = {**default, **value}
            places[*_POD, option] = (*place, "pod", option)
        elif value or isinstance(value, bool | dict):
            spec[option] = value
            places[*_POD, option] = (*place, "pod", option)
        elif default or isinstance(default, bool):
            spec[option] = default
            places[*_POD, option] = (*at, "defaultPodOptions", option)
    for part in ("initContainers", "containers"):
        spec[part] = list(_containers(controller, part, place, places))
    kind = _KINDS.get(str(controller.get("type", "deployment")).lower(), "Deployment")
    above: dict[str, object] = {"template": {"spec": spec}}
    if kind in _REPLICATED and "replicas" in controller:
        above["replicas"] = controller["replicas"]
        places["spec", "replicas"] = (*place, "replicas")
    return ChartObject(f"controller {name}", {"kind": kind, "spec": above}, places)


def _of_claims(options: Mapping[str, object]) -> Iterator[str]:
    """The options that list claims of a pod, however their names are spelt."""
    for name in options:
        first = next(iter(list_at(options, name)), None)
        if isinstance(first, dict) and first.keys() & set(SOURCES):
            yield name


def _containers(
    controller: Mapping[str, object],
    part: str,
    place: FieldPath,
    places: dict[FieldPath, FieldPath],
) -> Iterator[Mapping[str, object]]:
    defaults = mapping_at(controller, "defaultContainerOptions")
    if (
        part == "initContainers"
        and controller.get("applyDefaultContainerOptionsToInitContainers") is False
    ):
        defaults = {}
    merged = controller.get("defaultContainerOptionsStrategy") == "merge"
    found = mapping_at(controller, part)
    enabled = [
        (key, each)
        for key, each in found.items()
        if isinstance(each, dict) and each.get("enabled") is not False
    ]
    for index, (key, container) in enumerate(enabled):
        here: FieldPath = (*_POD, part, index)
        places[here] = (*place, part, key)
        made: dict[str, object] = {"name": key}
        # Claims beside `resources` are misplaced. They stay where they are.
        for option in ("resources", "claims", "resourceClaims"):
            own, default = container.get(option), defaults.get(option)
            source = (*place, "defaultContainerOptions", option)
            if isinstance(own, dict) and isinstance(default, dict) and own and merged:
                made[option] = {**default, **own}
                for inner in default.keys() - own.keys():
                    places[*here, option, inner] = (*source, inner)
            elif own:
                made[option] = own
            elif default:
                made[option] = default
                places[*here, option] = source
        yield made


def _used(data: Mapping[str, object]) -> Iterator[str]:
    """The claims that containers of a workload name."""
    spec = mapping_at(data, "spec", "template", "spec")
    for part in ("initContainers", "containers"):
        for container in list_at(spec, part):
            for entry in list_at(container, "resources", "claims"):
                name = member(entry, "name")
                if isinstance(name, str):
                    yield name


def _raw(
    resource: Mapping[str, object], place: FieldPath, names: tuple[str, ...]
) -> ChartObject | None:
    """A raw resource: with its object under `manifest` (from 5.0.0), or its version and kind at its own level
    and all other fields of the object under `spec` (before)."""
    places: dict[FieldPath, FieldPath] = {(): place}
    inner = resource.get("manifest")
    if isinstance(inner, dict):
        places[()] = (*place, "manifest")
        metadata = mapping_at(inner, "metadata")
        data = {key: value for key, value in inner.items() if key != "metadata"}
    else:
        metadata = {}
        data = {key: resource[key] for key in ("apiVersion", "kind") if key in resource}
        for key, value in mapping_at(resource, "spec").items():
            data[key] = value
            places[(key,)] = (*place, "spec", key)
    if not all(isinstance(data.get(key), str) and data[key] for key in ("apiVersion", "kind")):
        return None
    kept = {"name": names[0]}
    namespace = metadata.get("namespace")
    if isinstance(namespace, str) and namespace:
        kept["namespace"] = namespace
    data["metadata"] = kept
    return ChartObject(f"raw resource {place[-1]}", data, places, names)


def _names(
    values: Mapping[str, object],
    resource: Mapping[str, object],
    key: str,
    count: int,
    release: str | None,
) -> tuple[str, ...]:
    """The names that a raw resource may get."""
    forced = resource.get("forceRename")
    if isinstance(forced, str) and forced:
        return (_lowered(forced),)
    name = _full_name(values, release)
    prefix, suffix = resource.get("prefix"), resource.get("suffix")
    if isinstance(prefix, str) and prefix and prefix != name:
        name = f"{prefix}-{name}"
    longer = name if name == key or name.endswith(f"-{key}") else f"{name}-{key}"
    names = [longer] if count > 1 else [name, longer]
    if isinstance(suffix, str) and suffix:
        names = [each if each.endswith(f"-{suffix}") else f"{each}-{suffix}" for each in names]
    return tuple(dict.fromkeys(map(_lowered, names)))


def _full_name(values: Mapping[str, object], release: str | None) -> str:
    everywhere = mapping_at(values, "global")
    full = everywhere.get("fullnameOverride") or values.get("fullnameOverride")
    own = release or RELEASE_NAME
    if isinstance(full, str) and full:
        name = full
    else:
        # Without an override the chart takes the name of the release.
        short = everywhere.get("nameOverride")
        given = isinstance(short, str) and short and short not in own
        name = f"{own}-{short}" if given else own
    return name if "{" in name else name[:_NAME_LENGTH].removesuffix("-")


def _lowered(name: str) -> str:
    """The name in lower case; the names of variables in it stay as they are."""
    return name if "{" in name else name.lower()
