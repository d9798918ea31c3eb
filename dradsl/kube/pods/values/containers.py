"""What the API server's validation rejects in the containers of a decoded pod: names, ports, environment, probes and
handlers, amounts of resources without a domain, security contexts.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2. Paths are upstream's, also where these
name a list in place of its item. Claims and extended resources are judged by `spec`.
"""

from __future__ import annotations

from dradsl.kube.pods.spec import quantity_of
from dradsl.kube.pods.values.structs import structs
from dradsl.kube.pods.values.volumes import (
    field_errors,
    mount_errors,
    resource_errors,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values.structs import Findings, Relation

__all__ = ["RELATIONS", "amount_errors", "container_names"]

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_PLAIN = frozenset({"cpu", "memory", "ephemeral-storage"})
_STANDARD = _PLAIN | {
    *(f"{part}.{name}" for part in ("limits", "requests") for name in _PLAIN),
    *("pods", "services", "resourcequotas", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "storage", "requests.storage", "services.loadbalancers"),
    "services.nodeports",
}
_HUGE = "hugepages-"
_GRACE = 30  # seconds, the default of a pod


def container_names(spec: Any, path: Path, found: Findings) -> None:
    """Names and ports of the node that occur twice among the containers of a pod spec."""
    regular = {each.get("name") or "" for _, each in structs(spec, "containers", path)}
    for part in ("containers", "initContainers"):
        names = regular.copy() if part == "initContainers" else set()
        taken: set[str] = set()
        for at, container in structs(spec, part, path):
            name = container.get("name") or ""
            if name in names:
                found.duplicate((*at, "name"), name)
            elif name or part == "containers":
                names.add(name)
            if part == "containers":
                _host_ports(container, at, found, taken)
            else:  # one after the other; upstream's path leaves out which one
                _host_ports(container, (*path, part, 0), found, set())


def _host_ports(container: Any, at: Path, found: Findings, taken: set[str]) -> None:
    host = found.pod.get("hostNetwork")
    for place, port in structs(container, "ports", at):
        number, inner = port.get("hostPort") or 0, port.get("containerPort") or 0
        if host and number and number != inner and at[-2] == "containers":
            text = "must match `containerPort` when `hostNetwork` is true"
            found.invalid((*place, "hostPort"), number, text)
        number = number or (inner if host and found.kind == "Pod" else 0)
        key = f"{port.get('protocol') or 'TCP'}/{port.get('hostIP') or ''}/{number}"
        if number and key in taken:
            found.duplicate((*place, "hostPort"), key)
        taken.add(key)


def _container(container: Any, at: Path, found: Findings) -> Any:
    names: set[str] = set()
    for place, port in structs(container, "ports", at):
        name = port.get("name") or ""
        if name in names:
            found.duplicate((*place, "name"), name)
        elif name:
            names.add(name)
    mount_errors(container, at, found)
    resources = container.get("resources") or {}
    if found.kind == "Pod" and resources.get("limits"):  # a template has no such defaults
        requests = {**resources["limits"], **resources.get("requests", {})}
        resources = {**resources, "requests": requests}
    amount_errors(resources, (*at, "resources"), found)
    resized: set[str] = set()
    for place, policy in structs(container, "resizePolicy", at):
        if (name := policy.get("resourceName") or "") in resized:
            found.duplicate(place, name)
        resized.add(name)
    if at[-2] != "initContainers" or container.get("restartPolicy") == "Always":
        return container
    # A handler that may not be there is not looked into.
    runs = {key: {"exec": {"command": ["x"]}} for key in _PROBES if container.get(key) is not None}
    return {**container, **runs, "lifecycle": {} if container.get("lifecycle") else None}


def _variable(variable: Any, path: Path, found: Findings) -> Any:
    source, path = variable.get("valueFrom"), (*path, "valueFrom")
    if source is None:
        return variable
    if found.release == "1.34":  # The gate of files is off.
        source = {key: value for key, value in source.items() if key != "fileKeyRef"}
    chosen = [key for key, value in source.items() if value is not None]
    if not chosen:
        more = "" if found.release == "1.34" else ", `fileKeyRef`"
        names = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef`" + more
        head, _, last = names.rpartition(", ")
        found.invalid(path, "", f"must specify one of: {head} or {last}")
    elif variable.get("value"):
        found.invalid(path, "", "may not be specified when `value` is not empty")
    elif len(chosen) > 1:
        found.invalid(path, "", "may not have more than one field specified at a time")
    if source.get("fieldRef") is not None:
        field_errors(source["fieldRef"], (*path, "fieldRef"), found, "fields of environment")
    if source.get("resourceFieldRef") is not None:
        resource_errors(source["resourceFieldRef"], (*path, "resourceFieldRef"), found)
    return {**variable, "valueFrom": source}


def _probe(probe: Any, path: Path, found: Findings) -> Any:
    seconds = probe.get("terminationGracePeriodSeconds")
    if seconds is not None and seconds <= 0:
        found.invalid((*path, "terminationGracePeriodSeconds"), seconds, "must be greater than 0")
    return _handler(probe, path, found)


def _handler(handler: Any, path: Path, found: Findings) -> Any:
    chosen = [key for key in _HANDLERS if handler.get(key) is not None]
    if not chosen:
        found.required(path, "must specify a handler type")
        return handler
    for key in chosen[1:]:
        found.forbidden((*path, key), "may not specify more than 1 handler type")
    kind = chosen[0]
    action, at = handler[kind], (*path, kind)
    if kind == "sleep":
        grace = found.pod.get("terminationGracePeriodSeconds")
        grace, seconds = _GRACE if grace is None else grace, action.get("seconds") or 0
        if not 0 <= seconds <= grace:
            text = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
            found.invalid(at, seconds, text)
    elif kind != "exec":
        port = action.get("port") or (0 if action.get("port") != "" else "")
        found.named((*at, "port"), port, "portname" if isinstance(port, str) else "1..65535")
    return {key: value for key, value in handler.items() if key not in chosen[1:]}


def amount_errors(resources: Any, path: Path, found: Findings, *, of_pod: bool = False) -> None:
    """Amounts of resources without a domain, and all of those of a whole pod."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, value in sorted(amounts.items()):
            at: Path = (*path, f"{part}[{name}]")
            amount = quantity_of(value)
            if ("/" in name and not of_pod) or isinstance(amount, str):
                continue
            if of_pod or name not in _PLAIN:
                _resource_name(name, at, found, of_pod=of_pod)
            if amount.sign() < 0:
                found.invalid(at, str(amount), "must be greater than or equal to 0")
            is_huge = name.startswith(_HUGE)
            page = quantity_of(name.removeprefix(_HUGE)) if is_huge else ""
            if not isinstance(page, str) and page.sign() > 0:
                size, whole = page.milli_value(), amount.milli_value()
                if whole < size or whole % size:
                    text = f"{amount} is not positive integer multiple of {name}"
                    found.invalid(at, str(amount), text)
            limit = quantity_of(limits[name]) if name in limits else None
            if part == "limits" or isinstance(limit, str):
                continue
            if limit is None and is_huge:
                text = "Limit must be set for non overcommitable resources"
                found.required((*path, "limits"), text)
            elif limit is not None and (amount != limit if is_huge else amount > limit):
                text = "equal to" if is_huge else "less than or equal to"
                text = f"must be {text} {name} limit of {limit}"
                found.invalid((*path, "requests"), str(amount), text)
    names = {*limits, *requests}
    if any(name.startswith(_HUGE) for name in names) and not {"cpu", "memory"} & names:
        found.forbidden(path, "HugePages require cpu or memory")


def _resource_name(name: str, path: Path, found: Findings, *, of_pod: bool) -> None:
    before = len(found.errors)
    found.named(path, name, "labelname")
    standard = name in _STANDARD or name.startswith((_HUGE, "requests.hugepages-"))
    if len(found.errors) == before and "/" not in name and not standard:
        found.invalid(path, name, "must be a standard resource type or fully qualified")
    if name.startswith(_HUGE):
        return
    if not of_pod and name not in _PLAIN:
        found.invalid(path, name, "must be a standard resource for containers")
    elif of_pod and len(found.errors) == before and name not in ("cpu", "memory"):
        found.one_of(path, name, ("cpu", "hugepages-", "memory"))


def _security(context: Any, path: Path, found: Findings) -> None:
    added = (context.get("capabilities") or {}).get("add") or ()
    if context.get("allowPrivilegeEscalation") is False and "CAP_SYS_ADMIN" in added:
        text = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        found.invalid(path, context, text)


def _seccomp(profile: Any, path: Path, found: Findings) -> None:
    if profile.get("type") == "Localhost" and profile.get("localhostProfile") is not None:
        found.named((*path, "localhostProfile"), profile["localhostProfile"], "relative")


RELATIONS: Mapping[str, Relation] = {
    "v1.Container": _container,
    "v1.EnvVar": _variable,
    "v1.LifecycleHandler": _handler,
    "v1.Probe": _probe,
    "v1.SeccompProfile": _seccomp,
    "v1.SecurityContext": _security,
}
