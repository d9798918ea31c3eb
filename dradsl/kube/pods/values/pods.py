"""What the API server's validation rejects in a decoded pod spec as a whole: its single fields by a table, its volumes,
containers and places by the relations of `volumes`, `containers` and `placing`, and what concerns all of it.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2.
"""

from __future__ import annotations

from dradsl.kube.errors import MapKey
from dradsl.kube.pods.spec import quantity_of
from dradsl.kube.pods.values import containers, placing, volumes
from dradsl.kube.pods.values.containers import amount_errors, container_names
from dradsl.kube.pods.values.placing import placing_errors
from dradsl.kube.pods.values.structs import struct_errors, structs
from dradsl.kube.pods.values.volumes import valid_volumes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values.structs import Findings, Relation
    from dradsl.values.quantity import Quantity

__all__ = ["RELATIONS", "pod_errors"]

_HUGE = "hugepages-"


def pod_errors(spec: Any, path: Path, found: Findings) -> None:
    """What is wrong in a pod spec; `found` says of which kind the object is."""
    if found.release == "1.34":
        spec = _kept(spec)
    found.pod = spec
    found.volumes = valid_volumes(spec, path, found)
    rest = {key: value for key, value in spec.items() if key != "volumes"}
    struct_errors(rest, "v1.PodSpec", path, found)
    container_names(spec, path, found)
    _resources(spec, path, found)
    placing_errors(spec, path, found)
    if found.kind != "Pod":
        return
    for part in ("containers", "initContainers"):
        for at, container in structs(spec, part, path):
            image = container.get("image") or ""
            if image != image.strip():
                text = "must not have leading or trailing whitespace"
                found.invalid((*at, "image"), image, text)


def _kept(spec: Any) -> Any:
    """A pod spec without what 1.34 drops, where the gates are off: volumes of images, another name of the host, what
    containers do when they end."""
    every = spec.get("volumes") or ()
    dropped = {each.get("name") for each in every if each.get("image") is not None}
    found = {**spec, "volumes": [each for each in every if each.get("image") is None]}
    found.pop("hostnameOverride", None)
    for part in ("containers", "initContainers"):
        found[part] = []
        for each in spec.get(part) or ():
            container = {**each}
            container.pop("restartPolicyRules", None)
            if container.get("restartPolicy") != "Always":
                container.pop("restartPolicy", None)
            mounts = container.get("volumeMounts") or ()
            container["volumeMounts"] = [m for m in mounts if m.get("name") not in dropped]
            found[part].append(container)
    return found


def _resources(spec: Any, path: Path, found: Findings) -> None:
    """Amounts of the whole pod: those of its containers are within."""
    resources, path = spec.get("resources"), (*path, "resources")
    if not resources:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        found.forbidden(path, "may not be set for a windows pod")
        return
    limits, requests = _amounts(resources, "limits"), _amounts(resources, "requests")
    taken = {part: _of_containers(spec, part, found) for part in ("requests", "limits")}
    if found.kind == "Pod":  # the defaults; a template has none
        made = {key: each for key, each in taken["requests"].items() if not key.startswith(_HUGE)}
        requests = {**{key: made.get(key, each) for key, each in limits.items()}, **requests}
        resources = {**resources, "requests": {key: str(each) for key, each in requests.items()}}
    amount_errors(resources, path, found, of_pod=True)
    for part, whole in (("requests", requests), ("limits", limits)):
        for name, amount in taken[part].items():
            counts = part == "requests" or name.startswith(_HUGE)
            if counts and name in whole and amount > whole[name]:
                text = f"must be greater than or equal to aggregate container {part} of {amount}"
                found.invalid((*path, part, MapKey(name)), str(whole[name]), text)
    for index, (_, container) in enumerate(structs(spec, "containers", path)):
        for name, amount in _amounts(container.get("resources") or {}, "limits").items():
            if name in limits and amount > limits[name]:
                at = (*path, "containers", index, MapKey(name), "limits")
                text = f"must be less than or equal to pod limits of {limits[name]}"
                found.invalid(at, str(amount), text)


def _amounts(resources: Any, part: str) -> dict[str, Quantity]:
    found = {name: quantity_of(each) for name, each in (resources.get(part) or {}).items()}
    return {name: each for name, each in found.items() if not isinstance(each, str)}


def _of_containers(spec: Any, part: str, found: Findings) -> dict[str, Quantity]:
    """What containers and sidecars take together; those of a pod request by default what limits them."""
    total: dict[str, Quantity] = {}
    for name in ("containers", "initContainers"):
        for _, each in structs(spec, name, ()):
            resources = each.get("resources") or {}
            amounts = _amounts(resources, part)
            if part == "requests" and found.kind == "Pod":
                amounts = {**_amounts(resources, "limits"), **amounts}
            if name == "containers" or each.get("restartPolicy") == "Always":
                for key, amount in amounts.items():
                    total[key] = total[key] + amount if key in total else amount
    return total


RELATIONS: Mapping[str, Relation] = {
    **containers.RELATIONS,
    **placing.RELATIONS,
    **volumes.RELATIONS,
}
