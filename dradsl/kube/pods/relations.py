"""What the API server's validation rejects in a decoded pod spec, between fields and between structs: names that occur
twice or nowhere, exactly one source, values that exclude each other.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2. Paths are upstream's, also where these
name a list in place of its item. Claims and extended resources are judged by `spec`.
"""

from __future__ import annotations

from dradsl.kube.pods.spec import quantity_of
from dradsl.kube.pods.values import constraint_errors
from dradsl.kube.validation.formats import label_value
from dradsl.values.patterns import pattern
from dradsl.values.quantity import Quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values import Findings

__all__ = ["pod_errors", "selector_errors", "volume_claim_errors"]

_ONE_TYPE = "may not specify more than 1 volume type"
_ONE_HANDLER = "may not specify more than 1 handler type"
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_DIVISORS = frozenset({"1"})
_ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"
_HEADER = pattern(r"[-A-Za-z0-9]+")
_FIELDS_OF_ENV = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName"),
    *("spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP"),
    "status.podIPs",
)
_FIELDS_OF_FILES = (
    *("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace"),
    "metadata.uid",
)
_SHORTEST_TOKEN = 600
_RESOURCES_OF_ENV = tuple(
    f"{part}.{name}"
    for part in ("limits", "requests")
    for name in ("cpu", "ephemeral-storage", "memory")
)
_IN_CONTAINERS = frozenset({"cpu", "memory", "ephemeral-storage"})
_STANDARD = frozenset(
    {
        *("cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory"),
        *("requests.ephemeral-storage", "limits.cpu", "limits.memory", "pods", "services"),
        *("limits.ephemeral-storage", "resourcequotas", "replicationcontrollers", "secrets"),
        *("configmaps", "persistentvolumeclaims", "storage", "requests.storage"),
        *("services.loadbalancers", "services.nodeports"),
    }
)
_HUGE = "hugepages-"
_NO_OPERATOR = "not a valid selector operator"


def pod_errors(spec: Any, path: Path, found: Findings, *, is_pod: bool) -> None:
    """What is wrong in a pod spec, which is that of a template unless it `is_pod`."""
    if found.release == "1.34":
        spec = _without_images(spec)
    constraint_errors(spec, "v1.PodSpec", path, found)
    volumes = _volumes(spec, path, found)
    _containers(spec, path, found, volumes, is_pod=is_pod)
    if spec.get("ephemeralContainers"):
        text = (
            "cannot be set on create"
            if is_pod
            else "ephemeral containers not allowed in pod template"
        )
        found.forbidden((*path, "ephemeralContainers"), text)
    _host_ports(spec, path, found, is_pod=is_pod)
    _pod_resources(spec, path, found)
    _security(spec.get("securityContext"), (*path, "securityContext"), found)
    _placing(spec, path, found)
    _network(spec, path, found)
    if is_pod:
        _only_pods(spec, path, found)


def _without_images(spec: Any) -> Any:
    """A pod spec without volumes of images, which 1.34 drops: their gate is off."""
    volumes = spec.get("volumes") or ()
    dropped = {each.get("name") for each in volumes if each.get("image") is not None}
    if not dropped:
        return spec
    found = {**spec, "volumes": [each for each in volumes if each.get("image") is None]}
    for part in ("containers", "initContainers"):
        if part in spec:
            found[part] = [
                {
                    **each,
                    "volumeMounts": [
                        m for m in each["volumeMounts"] if m.get("name") not in dropped
                    ],
                }
                if each.get("volumeMounts")
                else each
                for each in spec[part]
            ]
    return found


def _only_pods(spec: Any, path: Path, found: Findings) -> None:
    if spec.get("schedulingGates") and spec.get("nodeName"):
        text = "cannot be set until all schedulingGates have been cleared"
        found.forbidden((*path, "nodeName"), text)
    for part in ("containers", "initContainers"):
        for at, container in _items(spec, part, path):
            image = container.get("image") or ""
            if image != image.strip():
                text = "must not have leading or trailing whitespace"
                found.invalid((*at, "image"), image, text)


def _items(holder: Any, name: str, path: Path) -> Iterator[tuple[Path, Any]]:
    """The structs of a list and their places."""
    for index, each in enumerate(holder.get(name) or ()):
        yield (*path, name, index), {} if each is None else each


def _volumes(spec: Any, path: Path, found: Findings) -> dict[str, Any]:
    """The valid volumes by their names."""
    valid: dict[str, Any] = {}
    wrong = {error.path[: len(path) + 2] for error in found.errors}
    for at, volume in _items(spec, "volumes", path):
        before, name = len(found.errors), volume.get("name") or ""
        sources = [
            key for key, value in volume.items() if key != "name" and isinstance(value, dict)
        ]
        # None of them is an empty directory. Upstream asks in the order of its struct, which only says where the error is.
        for key in sorted(sources, key=_ORDER.index)[1:]:
            found.forbidden((*at, _OTHER_NAMES.get(key, key)), _ONE_TYPE)
        if name in valid:
            found.duplicate((*at, "name"), name)
        for key in sources:
            _volume_source(volume[key], key, (*at, key), found)
        if len(found.errors) == before and at not in wrong:
            valid[name] = volume
    return valid


_OTHER_NAMES = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_ORDER = (
    *("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret"),
    *("nfs", "iscsi", "glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs"),
    *("quobyte", "downwardAPI", "fc", "flexVolume", "configMap", "azureFile", "vsphereVolume"),
    *("photonPersistentDisk", "portworxVolume", "azureDisk", "storageos", "projected", "scaleIO"),
    *("csi", "ephemeral", "image"),
)
_HOST_PATHS = (
    *("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate"),
    "Socket",
)
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def _volume_source(source: Any, kind: str, path: Path, found: Findings) -> None:
    if kind == "emptyDir":
        limit = quantity_of(source["sizeLimit"]) if source.get("sizeLimit") is not None else None
        if isinstance(limit, Quantity) and limit.sign() < 0:
            text = "SizeLimit field must be a valid resource quantity"
            found.forbidden((*path, "sizeLimit"), text)
    elif kind == "hostPath" and source.get("path") and source.get("type") is not None:
        found.one_of((*path, "type"), source["type"], _HOST_PATHS)
    elif kind == "csi":
        driver = source.get("driver") or ""
        if not driver:
            found.required((*path, "driver"))
        else:
            found.named((*path, "driver"), driver.lower(), "subdomain")
    elif kind == "downwardAPI":
        _downward(source, path, found)
    elif kind == "projected":
        for at, projected in _items(source, "sources", path):
            if projected.get("downwardAPI"):
                _downward(projected["downwardAPI"], (*at, "downwardAPI"), found)
            token = projected.get("serviceAccountToken")
            seconds = (token or {}).get("expirationSeconds")
            if seconds is not None and seconds < _SHORTEST_TOKEN:
                text = "may not specify a duration less than 10 minutes"
                found.invalid((*at, "serviceAccountToken", "expirationSeconds"), seconds, text)
    elif kind == "ephemeral" and source.get("volumeClaimTemplate") is not None:
        claim_spec = source["volumeClaimTemplate"].get("spec") or {}
        volume_claim_errors(claim_spec, (*path, "volumeClaimTemplate", "spec"), found)


def _downward(source: Any, path: Path, found: Findings) -> None:
    """The files of the downward API; upstream's paths do not say which one."""
    for file in source.get("items") or ():
        name = file.get("path") or ""
        if not name:
            found.required((*path, "path"))
        found.named((*path, "path"), name, "reserved")
        if file.get("fieldRef") is not None:
            _field_ref(file["fieldRef"], (*path, "fieldRef"), found, _FIELDS_OF_FILES)
        elif file.get("resourceFieldRef") is None:
            found.required(path, "one of fieldRef and resourceFieldRef is required")


def volume_claim_errors(spec: Any, path: Path, found: Findings) -> None:
    """What is wrong with the spec of a volume claim template, besides its single fields."""
    modes = spec.get("accessModes") or []
    if not modes:
        found.required((*path, "accessModes"), "at least 1 access mode is required")
    for mode in modes:
        found.one_of((*path, "accessModes"), mode or "", _ACCESS_MODES)
    requests = (spec.get("resources") or {}).get("requests") or {}
    at: Path = (*path, "resources[storage]")
    if "storage" not in requests:
        found.required(at)
    else:
        amount = quantity_of(requests["storage"])
        if isinstance(amount, Quantity) and amount.sign() <= 0:
            found.invalid(at, str(amount), "must be greater than zero")


def _containers(
    spec: Any, path: Path, found: Findings, volumes: Mapping[str, Any], *, is_pod: bool
) -> None:
    if not spec.get("containers"):
        found.required((*path, "containers"))
    grace = spec.get("terminationGracePeriodSeconds")
    names: set[str] = set()
    regular = {c.get("name") or "" for _, c in _items(spec, "containers", path)}
    for part in ("containers", "initContainers"):
        names = regular.copy() if part == "initContainers" else set()
        for at, container in _items(spec, part, path):
            name = container.get("name") or ""
            if name in names:
                found.duplicate((*at, "name"), name)
            elif name or part == "containers":
                names.add(name)
            _container(container, at, found, volumes, spec, is_pod=is_pod)
            policy = container.get("restartPolicy")
            if part == "initContainers" and policy != "Always":
                for key in ("lifecycle", *_PROBES):
                    if container.get(key) is not None:
                        found.forbidden((*at, key), _ONLY_SIDECARS)
            else:
                _handlers(container, at, found, 30 if grace is None else grace)
            _restart_policy(container, at, found)


def _restart_policy(container: Any, at: Path, found: Findings) -> None:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules")
    if found.release == "1.34":
        return  # The gate is off: what is not `Always` is dropped.
    if policy is not None:
        found.one_of((*at, "restartPolicy"), policy, ("Always", "Never", "OnFailure"))
    elif rules:
        text = "must specify restartPolicy when restart rules are used"
        found.required((*at, "restartPolicy"), text)


def _container(
    container: Any,
    at: Path,
    found: Findings,
    volumes: Mapping[str, Any],
    spec: Any,
    *,
    is_pod: bool,
) -> None:
    constraint_errors(container, "v1.Container", at, found)
    names: set[str] = set()
    for place, port in _items(container, "ports", at):
        name = port.get("name") or ""
        if name in names:
            found.duplicate((*place, "name"), name)
        elif name:
            names.add(name)
    for place, variable in _items(container, "env", at):
        _value_from(variable, (*place, "valueFrom"), found)
    for _, source in _items(container, "envFrom", at):
        chosen = [key for key in ("configMapRef", "secretRef") if source.get(key) is not None]
        if not chosen:
            text = "must specify one of: `configMapRef` or `secretRef`"
            found.invalid((*at, "envFrom"), "", text)
        elif len(chosen) > 1:
            text = "may not have more than one field specified at a time"
            found.invalid((*at, "envFrom"), "", text)
    _mounts(container, at, found, volumes)
    resources = container.get("resources") or {}
    if is_pod and resources.get("limits"):  # the defaults of a pod, but not those of a template
        resources = {
            **resources,
            "requests": {**resources["limits"], **resources.get("requests", {})},
        }
    _resources(resources, (*at, "resources"), found)
    for policy in container.get("resizePolicy") or ():
        for key, known in _RESIZE:
            if not policy.get(key):
                found.required((*at, "resizePolicy"))
            else:
                found.one_of((*at, "resizePolicy"), policy[key], known)
    context = container.get("securityContext") or {}
    place = (*at, "securityContext")
    _security(container.get("securityContext"), place, found)
    if context.get("allowPrivilegeEscalation") is False and context.get("privileged"):
        text = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        found.invalid(place, context, text)
    if context.get("procMount") == "Unmasked" and spec.get("hostUsers") is not False:
        text = "`hostUsers` must be false to use `Unmasked`"
        found.invalid((*place, "procMount"), "Unmasked", text)


_RESIZE = (
    ("resourceName", ("cpu", "memory")),
    ("restartPolicy", ("NotRequired", "RestartContainer")),
)


def _value_from(variable: Any, path: Path, found: Findings) -> None:
    source = variable.get("valueFrom")
    if source is None:
        return
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
        _field_ref(source["fieldRef"], (*path, "fieldRef"), found)
    if source.get("resourceFieldRef") is not None:
        resource = source["resourceFieldRef"].get("resource") or ""
        at = (*path, "resourceFieldRef", "resource")
        if not resource:
            found.required(at)
        elif not resource.startswith(("limits.hugepages-", "requests.hugepages-")):
            found.one_of(at, resource, _RESOURCES_OF_ENV)
        divisor = quantity_of(source["resourceFieldRef"].get("divisor"))
        wrong = isinstance(divisor, Quantity) and divisor.sign() and str(divisor) not in _DIVISORS
        if resource.endswith(".cpu") and wrong and str(divisor) != "1m":
            text = "only divisor's values 1m and 1 are supported with the cpu resource"
            found.invalid((*at[:-1], "divisor"), resource, text)


_FIELDS = frozenset(
    {
        *_FIELDS_OF_ENV,
        *_FIELDS_OF_FILES,
        *("spec.restartPolicy", "spec.schedulerName", "spec.host", "status.phase"),
    }
)


def _field_ref(
    reference: Any, path: Path, found: Findings, known: Sequence[str] = _FIELDS_OF_ENV
) -> None:
    text = reference.get("fieldPath") or ""
    at = (*path, "fieldPath")
    if not text:
        found.required(at)
        return
    version = reference.get("apiVersion") or "v1"
    if version != "v1":
        found.invalid(at, text, f"error converting fieldPath: unsupported pod version: {version}")
        return
    head, bracket, key = text.partition("[")
    if bracket and key.startswith("'") and key.endswith("']"):
        if head in ("metadata.labels", "metadata.annotations"):
            inner = key[1:-2]
            found.named(
                path, inner.lower() if head.endswith("s") and "ann" in head else inner, "labelname"
            )
        else:
            found.invalid(
                at, text, "error converting fieldPath: field label does not support subscript"
            )
    elif text in _FIELDS:
        found.one_of(at, "spec.nodeName" if text == "spec.host" else text, known)
    else:
        found.invalid(at, text, f"error converting fieldPath: field label not supported: {text}")


def _mounts(container: Any, at: Path, found: Findings, volumes: Mapping[str, Any]) -> None:
    devices = {
        d.get("name") or "": d.get("devicePath") or ""
        for _, d in _items(container, "volumeDevices", at)
    }
    mounts = {
        m.get("name") or "": m.get("mountPath") or ""
        for _, m in _items(container, "volumeMounts", at)
    }
    lists: Path = (*at, "volumeMounts")
    seen: set[str] = set()
    privileged = (container.get("securityContext") or {}).get("privileged")
    for place, mount in _items(container, "volumeMounts", at):
        name, path = mount.get("name") or "", mount.get("mountPath") or ""
        if name not in volumes:
            found.not_found((*place, "name"), name)
        if path in seen:
            found.invalid((*place, "mountPath"), path, "must be unique")
        seen.add(path)
        if name in devices:
            found.invalid((*place, "name"), name, "must not already exist in volumeDevices")
        if path in devices.values():
            text = "must not already exist as a path in volumeDevices"
            found.invalid((*place, "mountPath"), path, text)
        for key in ("subPath", "subPathExpr"):
            if mount.get(key):
                found.named((*lists, key), mount[key], "relative")
        if mount.get("subPath") and mount.get("subPathExpr"):
            text = "subPathExpr and subPath are mutually exclusive"
            found.invalid((*place, "subPathExpr"), mount["subPathExpr"], text)
        propagation = mount.get("mountPropagation")
        if propagation is not None:
            known = ("Bidirectional", "HostToContainer", "None")
            found.one_of((*lists, "mountPropagation"), propagation, known)
        if propagation == "Bidirectional" and not privileged:
            text = "Bidirectional mount propagation is available only to privileged containers"
            found.forbidden((*lists, "mountPropagation"), text)
    taken: set[str] = set()
    for place, device in _items(container, "volumeDevices", at):
        name, path = device.get("name") or "", device.get("devicePath") or ""
        volume = volumes.get(name)
        if name and name in taken:
            found.invalid((*place, "name"), name, "must be unique")
        taken.add(name)
        if volume is None:
            found.not_found((*place, "name"), name)
        elif not {"persistentVolumeClaim", "ephemeral"} & volume.keys():
            text = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            found.invalid((*place, "name"), name, text)
        if name in mounts:
            found.invalid((*place, "name"), name, "must not already exist in volumeMounts")
        if path in mounts.values():
            text = "must not already exist as a path in volumeMounts"
            found.invalid((*place, "devicePath"), path, text)


def _resources(resources: Any, path: Path, found: Findings, *, of_pod: bool = False) -> None:
    """Amounts of resources without a domain; those with one are judged by `spec`."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, value in sorted(amounts.items()):
            at: Path = (*path, f"{part}[{name}]")
            amount = quantity_of(value)
            if ("/" in name and not of_pod) or isinstance(amount, str):
                continue
            _resource_name(name, at, found, of_pod=of_pod)
            if amount.sign() < 0:
                found.invalid(at, str(amount), "must be greater than or equal to 0")
            limit = quantity_of(limits[name]) if name in limits else None
            if part == "limits" or isinstance(limit, str):
                continue
            if limit is None and name.startswith(_HUGE):
                text = "Limit must be set for non overcommitable resources"
                found.required((*path, "limits"), text)
            elif limit is not None and amount != limit and name.startswith(_HUGE):
                text = f"must be equal to {name} limit of {limit}"
                found.invalid((*path, "requests"), str(amount), text)
            elif limit is not None and amount > limit:
                text = f"must be less than or equal to {name} limit of {limit}"
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
    if of_pod:
        if (
            len(found.errors) == before
            and name not in ("cpu", "memory")
            and not name.startswith(_HUGE)
        ):
            found.one_of(path, name, ("cpu", "hugepages-", "memory"))
    elif name not in _IN_CONTAINERS and not name.startswith(_HUGE):
        found.invalid(path, name, "must be a standard resource for containers")


def _pod_resources(spec: Any, path: Path, found: Findings) -> None:
    """Amounts of the whole pod: those of its containers are within."""
    resources = spec.get("resources")
    if not resources:
        return
    _resources(resources, (*path, "resources"), found, of_pod=True)
    limits = resources.get("limits") or {}
    for index, (_, container) in enumerate(_items(spec, "containers", path)):
        of_container = (container.get("resources") or {}).get("limits") or {}
        for name, value in of_container.items():
            limit, amount = quantity_of(limits.get(name)), quantity_of(value)
            if name not in limits or isinstance(limit, str) or isinstance(amount, str):
                continue
            if amount > limit:
                at = (*path, "resources", "containers", index)
                text = f"must be less than or equal to pod limits of {limit}"
                found.invalid((*at, f"[{name}].limits"), str(amount), text)


def _handlers(container: Any, at: Path, found: Findings, grace: int) -> None:
    lifecycle = container.get("lifecycle") or {}
    for key in ("postStart", "preStop"):
        if lifecycle.get(key) is not None:
            _handler(lifecycle[key], (*at, "lifecycle", key), found, grace)
    for key in _PROBES:
        probe = container.get(key)
        if probe is None:
            continue
        path = (*at, key)
        _handler(probe, path, found, grace)
        threshold = probe.get("successThreshold") or 1
        if key != "readinessProbe" and threshold != 1:
            found.invalid((*path, "successThreshold"), threshold, "must be 1")
        seconds = probe.get("terminationGracePeriodSeconds")
        place = (*path, "terminationGracePeriodSeconds")
        if seconds is not None and seconds <= 0:
            found.invalid(place, seconds, "must be greater than 0")
        if seconds is not None and key == "readinessProbe":
            found.invalid(place, seconds, "must not be set for readinessProbes")


def _handler(handler: Any, path: Path, found: Findings, grace: int) -> None:
    chosen = [key for key in _HANDLERS if handler.get(key) is not None]
    if not chosen:
        found.required(path, "must specify a handler type")
        return
    for key in chosen[1:]:
        found.forbidden((*path, key), _ONE_HANDLER)
    kind = chosen[0]
    action, at = handler[kind], (*path, kind)
    if kind == "sleep":
        seconds = action.get("seconds") or 0
        if not 0 <= seconds <= grace:
            text = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
            found.invalid(at, seconds, text)
    elif kind != "exec":
        port = action.get("port") or (0 if action.get("port") != "" else "")
        found.named((*at, "port"), port, "portname" if isinstance(port, str) else "1..65535")
    for header in action.get("httpHeaders") or ():
        name = (header or {}).get("name") or ""
        if not _HEADER.fullmatch(name):
            from dradsl.kube.validation.formats import expected

            text = "a valid HTTP header must consist of alphanumeric characters or '-'"
            found.invalid(
                (*at, "httpHeaders"), name, expected(text, "[-A-Za-z0-9]+", "X-Header-Name")
            )


def _host_ports(spec: Any, path: Path, found: Findings, *, is_pod: bool) -> None:
    host = spec.get("hostNetwork")
    taken: set[str] = set()
    for at, container in _items(spec, "containers", path):
        for place, port in _items(container, "ports", at):
            number, inner = port.get("hostPort") or 0, port.get("containerPort") or 0
            if host and number and number != inner:
                text = "must match `containerPort` when `hostNetwork` is true"
                found.invalid((*place, "hostPort"), number, text)
            number = number or (inner if host and is_pod else 0)
            key = f"{port.get('protocol') or 'TCP'}/{port.get('hostIP') or ''}/{number}"
            if number and key in taken:
                found.duplicate((*place, "hostPort"), key)
            taken.add(key)


def _security(context: Any, path: Path, found: Findings) -> None:
    for key in ("seccompProfile", "appArmorProfile"):
        profile = (context or {}).get(key)
        if profile is None:
            continue
        at, type_, local = (*path, key), profile.get("type") or "", profile.get("localhostProfile")
        short = "seccomp" if key == "seccompProfile" else "AppArmor"
        if not type_:
            found.required((*at, "type"), f"type is required when {key} is set")
        else:
            found.one_of((*at, "type"), type_, ("Localhost", "RuntimeDefault", "Unconfined"))
        place = (*at, "localhostProfile")
        if type_ == "Localhost":
            if not local and (local is None or short == "AppArmor"):
                found.required(place, f"must be set when {short} type is Localhost")
            elif short == "seccomp":
                found.named(place, local, "relative")
            elif local != local.strip():
                found.invalid(place, local, "must not be padded with whitespace")
        elif local is not None and (
            short == "seccomp" or type_ in ("RuntimeDefault", "Unconfined")
        ):
            found.invalid(place, profile, f"can only be set when {short} type is Localhost")


def _placing(spec: Any, path: Path, found: Findings) -> None:
    for at, toleration in _items(spec, "tolerations", path):
        _toleration(toleration, at, found)
    seen: set[str] = set()
    for at, gate in _items(spec, "schedulingGates", path):
        name = gate.get("name") or ""
        found.named(at, name, "labelname")
        if name in seen:
            found.duplicate(at, name)
        seen.add(name)
    pairs = [
        (c.get("topologyKey") or "", c.get("whenUnsatisfiable") or "")
        for _, c in _items(spec, "topologySpreadConstraints", path)
    ]
    for at, constraint in _items(spec, "topologySpreadConstraints", path):
        found.named((*at, "maxSkew"), constraint.get("maxSkew") or 0, ">0")
        pair = pairs.pop(0)
        if pair in pairs:
            found.duplicate((*at, "{topologyKey, whenUnsatisfiable}"), f"{{{pair[0]}, {pair[1]}}}")
        domains = constraint.get("minDomains")
        if domains is not None and pair[1] != "DoNotSchedule":
            text = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {pair[1]}"
            found.invalid((*at, "minDomains"), domains, text)
        selector_errors(constraint.get("labelSelector"), (*at, "labelSelector"), found)
    affinity = spec.get("affinity") or {}
    _node_affinity(affinity.get("nodeAffinity") or {}, (*path, "affinity", "nodeAffinity"), found)
    for key in ("podAffinity", "podAntiAffinity"):
        terms, at = affinity.get(key) or {}, (*path, "affinity", key)
        for place, term in _items(terms, _REQUIRED, at):
            _pod_affinity_term(term, place, found)
        for place, weighted in _items(terms, _PREFERRED, at):
            inner = weighted.get("podAffinityTerm") or {}
            if not weighted.get("weight"):
                found.invalid((*place, "weight"), 0, "must be in the range 1-100")
            if "podAffinityTerm" not in weighted:
                constraint_errors({}, "v1.PodAffinityTerm", (*place, "podAffinityTerm"), found)
            _pod_affinity_term(inner, (*place, "podAffinityTerm"), found)


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _pod_affinity_term(term: Any, path: Path, found: Findings) -> None:
    for key in ("labelSelector", "namespaceSelector"):
        selector_errors(term.get(key), (*path, key), found)
    for name in term.get("namespaces") or ():
        found.named((*path, "namespace"), name or "", "label")


def _node_affinity(affinity: Any, path: Path, found: Findings) -> None:
    terms = [
        (at, term, True)
        for at, term in _items(
            affinity.get(_REQUIRED) or {}, "nodeSelectorTerms", (*path, _REQUIRED)
        )
    ]
    for place, preferred in _items(affinity, _PREFERRED, path):
        if not preferred.get("weight"):
            found.invalid((*place, "weight"), 0, "must be in the range 1-100")
        terms.append(((*place, "preference"), preferred.get("preference") or {}, False))
    for at, term, strict in terms:
        for place, rule in _items(term, "matchExpressions", at):
            values = rule.get("values") or []
            if rule.get("operator") in ("Gt", "Lt"):
                if len(values) != 1:
                    text = "must be specified single value when `operator` is 'Lt' or 'Gt'"
                    found.required((*place, "values"), text)
                found.named((*place, "key"), rule.get("key") or "", "labelname")
            else:
                _requirement(rule, place, found)
            for index, value in enumerate(values if strict else ()):
                for message in label_value(value or "", found.rules):
                    found.invalid((*place, "values", index), value or "", message)
        for place, rule in _items(term, "matchFields", at):
            if rule.get("operator") not in ("In", "NotIn"):
                found.invalid((*place, "operator"), rule.get("operator") or "", _NO_OPERATOR)
            elif len(rule.get("values") or ()) != 1:
                text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
                found.required((*place, "values"), text)
            if rule.get("key") != "metadata.name":
                text = "not a valid field selector key"
                found.invalid((*place, "key"), rule.get("key") or "", text)


def _requirement(rule: Any, path: Path, found: Findings) -> None:
    operator, values = rule.get("operator") or "", rule.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            text = "must be specified when `operator` is 'In' or 'NotIn'"
            found.required((*path, "values"), text)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            found.forbidden((*path, "values"), text)
    else:
        found.invalid((*path, "operator"), operator, _NO_OPERATOR)
    found.named((*path, "key"), rule.get("key") or "", "labelname")


def selector_errors(selector: Any, path: Path, found: Findings) -> None:
    """What is wrong in the requirements of a label selector."""
    for place, rule in _items(selector or {}, "matchExpressions", path):
        _requirement(rule, place, found)
        for index, value in enumerate(rule.get("values") or ()):
            for message in label_value(value or "", found.rules):
                found.invalid((*place, "values", index), value or "", message)


_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def _toleration(toleration: Any, at: Path, found: Findings) -> None:
    key, operator = toleration.get("key") or "", toleration.get("operator") or ""
    value, effect = toleration.get("value") or "", toleration.get("effect") or ""
    if key:
        found.named((*at, "key"), key, "labelname")
    elif operator != "Exists":
        text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        found.invalid((*at, "operator"), operator, text)
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        found.invalid((*at, "effect"), effect, text)
    if operator in ("", "Equal"):
        messages = [str(getattr(each, "detail", each)) for each in label_value(value, found.rules)]
        if messages:
            found.invalid((*at, "operator"), value, ";".join(messages))
    elif operator == "Exists":
        if value:
            text = "value must be empty when `operator` is 'Exists'"
            found.invalid((*at, "operator"), value, text)
    elif operator not in ("Lt", "Gt"):
        found.one_of((*at, "operator"), operator, ("Equal", "Exists"))
    if effect:
        found.one_of((*at, "effect"), effect, _EFFECTS)


def _network(spec: Any, path: Path, found: Findings) -> None:
    from ipaddress import ip_address

    config, at = spec.get("dnsConfig"), (*path, "dnsConfig")
    if spec.get("dnsPolicy") == "None" and not (config or {}).get("nameservers"):
        if config is None:
            found.required(at, "must provide `dnsConfig` when `dnsPolicy` is None")
        else:
            text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            found.required((*at, "nameservers"), text)
    for place, option in _items(config or {}, "options", at):
        if not option.get("name"):
            found.required(place, "must not be empty")
    addresses: list[tuple[Path, str]] = [
        ((*at, "nameservers", index), each or "")
        for index, each in enumerate((config or {}).get("nameservers") or ())
    ]
    for place, alias in _items(spec, "hostAliases", path):
        addresses.append(((*place, "ip"), alias.get("ip") or ""))
        for index, name in enumerate(alias.get("hostnames") or ()):
            found.named((*place, "hostnames", index), name or "", "subdomain")
    for place, text in addresses:
        try:
            ip_address(text.split("%")[0] + "%" * text.count("%"))
        except ValueError:
            # Zeros in front of numbers are legal there, if no gate forbids them.
            parts = text.split(".")
            if not (
                len(parts) == 4 and all(each.isdecimal() and int(each) < 256 for each in parts)
            ):
                found.invalid(
                    place, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
                )
    if (
        spec.get("hostnameOverride") is not None and found.release != "1.34"
    ):  # its gate is off there
        found.named((*path, "hostnameOverride"), spec["hostnameOverride"], "subdomain")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        text = "ShareProcessNamespace and HostPID cannot both be enabled"
        found.invalid((*path, "shareProcessNamespace"), True, text)
    system = spec.get("os")
    if system is not None and system.get("name") not in ("linux", "windows"):
        if not system.get("name"):
            found.required((*path, "os", "name"))
        else:
            found.one_of((*path, "os"), system["name"], ("linux", "windows"))
