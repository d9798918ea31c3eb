"""What the API server's validation rejects in a decoded pod spec as a whole: its single fields by a table, its volumes,
containers and places by the relations of `volumes`, `containers` and `placing`, and what concerns all of it.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2.
"""

from __future__ import annotations

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

__all__ = ["RELATIONS", "pod_errors"]

_MOST_SERVERS, _MOST_SEARCHES, _LONGEST_SEARCHES = 3, 32, 2048


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
    amount_errors(resources, path, found, of_pod=True)
    limits = resources.get("limits") or {}
    for index, (_, container) in enumerate(structs(spec, "containers", path)):
        of_container = (container.get("resources") or {}).get("limits") or {}
        for name, value in of_container.items():
            limit, amount = quantity_of(limits.get(name)), quantity_of(value)
            if name not in limits or isinstance(limit, str) or isinstance(amount, str):
                continue
            if amount > limit:
                at = (*path, "containers", index, f"[{name}].limits")
                text = f"must be less than or equal to pod limits of {limit}"
                found.invalid(at, str(amount), text)


def _dns(config: Any, at: Path, found: Findings) -> None:
    servers, searches = config.get("nameservers") or (), config.get("searches") or ()
    if len(servers) > _MOST_SERVERS:
        text = f"must not have more than {_MOST_SERVERS} nameservers"
        found.invalid((*at, "nameservers"), servers, text)
    if len(searches) > _MOST_SEARCHES:
        text = f"must not have more than {_MOST_SEARCHES} search paths"
        found.invalid((*at, "searches"), searches, text)
    if len(" ".join(each or "" for each in searches)) > _LONGEST_SEARCHES:
        text = f"must not have more than {_LONGEST_SEARCHES} characters (including spaces) in the"
        found.invalid((*at, "searches"), searches, f"{text} search list")
    for index, search in enumerate(searches):
        if search != ".":
            found.named((*at, "searches", index), (search or "").removesuffix("."), "search")


RELATIONS: Mapping[str, Relation] = {
    **containers.RELATIONS,
    **placing.RELATIONS,
    **volumes.RELATIONS,
    "v1.PodDNSConfig": _dns,
}
