"""What the API server's validation rejects in a decoded pod spec as a whole: its single fields by a table, its volumes,
containers and places by the relations of `volumes`, `containers` and `placing`, and what concerns all of it.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2.
"""

from __future__ import annotations

from dradsl.kube.pods import containers, placing, volumes
from dradsl.kube.pods.containers import amount_errors, container_names
from dradsl.kube.pods.placing import placing_errors
from dradsl.kube.pods.spec import quantity_of
from dradsl.kube.pods.values import struct_errors, structs
from dradsl.kube.pods.volumes import valid_volumes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values import Findings

__all__ = ["RELATIONS", "pod_errors"]

RELATIONS = {**containers.RELATIONS, **placing.RELATIONS, **volumes.RELATIONS}
_MOST_SERVERS, _MOST_SEARCHES, _LONGEST_SEARCHES = 3, 32, 2048


def pod_errors(spec: Any, path: Path, found: Findings) -> None:
    """What is wrong in a pod spec; `found` says if it is that of a pod or of a template."""
    if found.release == "1.34":
        spec = _without_images(spec)
    found.pod = spec
    found.volumes = valid_volumes(spec, path, found)
    rest = {key: value for key, value in spec.items() if key != "volumes"}
    struct_errors(rest, "v1.PodSpec", path, found)
    if not spec.get("containers"):
        found.required((*path, "containers"))
    container_names(spec, path, found)
    if spec.get("ephemeralContainers"):
        text = "ephemeral containers not allowed in pod template"
        text = "cannot be set on create" if found.is_pod else text
        found.forbidden((*path, "ephemeralContainers"), text)
    _resources(spec, path, found)
    placing_errors(spec, path, found)
    _network(spec, path, found)
    if found.is_pod:
        _only_pods(spec, path, found)


def _without_images(spec: Any) -> Any:
    """A pod spec without volumes of images, which 1.34 drops: their gate is off."""
    every = spec.get("volumes") or ()
    dropped = {each.get("name") for each in every if each.get("image") is not None}
    if not dropped:
        return spec
    found = {**spec, "volumes": [each for each in every if each.get("image") is None]}
    for part in ("containers", "initContainers"):
        found[part] = [
            {
                **each,
                "volumeMounts": [
                    mount
                    for mount in each.get("volumeMounts") or ()
                    if mount.get("name") not in dropped
                ],
            }
            for each in spec.get(part) or ()
        ]
    return found


def _only_pods(spec: Any, path: Path, found: Findings) -> None:
    if spec.get("schedulingGates") and spec.get("nodeName"):
        text = "cannot be set until all schedulingGates have been cleared"
        found.forbidden((*path, "nodeName"), text)
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None:
        found.named((*path, "terminationGracePeriodSeconds"), grace, ">=0")
    for part in ("containers", "initContainers"):
        for at, container in structs(spec, part, path):
            image = container.get("image") or ""
            if image != image.strip():
                text = "must not have leading or trailing whitespace"
                found.invalid((*at, "image"), image, text)


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


def _network(spec: Any, path: Path, found: Findings) -> None:
    config, at = spec.get("dnsConfig"), (*path, "dnsConfig")
    servers = (config or {}).get("nameservers") or ()
    if spec.get("dnsPolicy") == "None" and not servers:
        text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        if config is None:
            found.required(at, "must provide `dnsConfig` when `dnsPolicy` is None")
        else:
            found.required((*at, "nameservers"), text)
    elif config:
        _dns(config, at, found)
    for place, alias in structs(spec, "hostAliases", path):
        _address(alias.get("ip") or "", (*place, "ip"), found)
        for index, name in enumerate(alias.get("hostnames") or ()):
            found.named((*place, "hostnames", index), name or "", "subdomain")
    override = spec.get("hostnameOverride")
    if override is not None and found.release != "1.34":  # its gate is off there
        at = (*path, "hostnameOverride")
        found.named(at, override, "subdomain")
        for key in ("setHostnameAsFQDN", "hostNetwork"):
            if spec.get(key):
                found.forbidden(at, f"may not be specified when {key} is true")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        text = "ShareProcessNamespace and HostPID cannot both be enabled"
        found.invalid((*path, "shareProcessNamespace"), True, text)
    if spec.get("hostUsers") is False:
        for key in ("HostPID", "HostIPC"):
            if spec.get(f"h{key[1:]}"):
                found.forbidden((*path, key), "when `hostUsers` is false")
    system = spec.get("os")
    if system is not None and not system.get("name"):
        found.required((*path, "os", "name"))
    elif system is not None:
        found.one_of((*path, "os"), system["name"], ("linux", "windows"))


def _dns(config: Any, at: Path, found: Findings) -> None:
    servers, searches = config.get("nameservers") or (), config.get("searches") or ()
    if len(servers) > _MOST_SERVERS:
        text = f"must not have more than {_MOST_SERVERS} nameservers"
        found.invalid((*at, "nameservers"), servers, text)
    for index, server in enumerate(servers):
        _address(server or "", (*at, "nameservers", index), found)
    if len(searches) > _MOST_SEARCHES:
        text = f"must not have more than {_MOST_SEARCHES} search paths"
        found.invalid((*at, "searches"), searches, text)
    if len(" ".join(each or "" for each in searches)) > _LONGEST_SEARCHES:
        text = f"must not have more than {_LONGEST_SEARCHES} characters (including spaces) in the"
        found.invalid((*at, "searches"), searches, f"{text} search list")
    for index, search in enumerate(searches):
        if search != ".":
            found.named((*at, "searches", index), (search or "").removesuffix("."), "search")
    for place, option in structs(config, "options", at):
        if not option.get("name"):
            found.required(place, "must not be empty")


def _address(text: str, place: Path, found: Findings) -> None:
    from ipaddress import ip_address

    try:
        ip_address(text.split("%")[0] + "%" * text.count("%"))
    except ValueError:
        # Zeros in front of numbers are legal there, if no gate forbids them.
        parts = text.split(".")
        if len(parts) != 4 or not all(each.isdecimal() and int(each) < 256 for each in parts):
            text_ = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
            found.invalid(place, text, text_)
