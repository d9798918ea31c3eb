"""What the API server's validation rejects in the volumes of a decoded pod and in what mounts them.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2. Paths are upstream's, also where these
name a list in place of its item.
"""

from __future__ import annotations

from dradsl.kube.pods.spec import quantity_of
from dradsl.kube.pods.values.structs import struct_errors, structs, table
from dradsl.kube.validation.formats import dns_subdomain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values.structs import Findings, Relation

__all__ = [
    "RELATIONS",
    "field_errors",
    "mount_errors",
    "resource_errors",
    "valid_volumes",
]

_ONE_TYPE = "may not specify more than 1 volume type"
_RESOURCES = tuple(
    f"{part}.{name}"
    for part in ("limits", "requests")
    for name in ("cpu", "ephemeral-storage", "memory")
)
_UNITS = tuple(f"1{unit}" for unit in ("", *"kMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))
_SHORTEST_TOKEN, _LONGEST_TOKEN = 600, 2**32
_OTHER_NAMES = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_ALONE = "ReadWriteOncePod"
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", _ALONE)


def valid_volumes(spec: Any, path: Path, found: Findings) -> dict[str, Any]:
    """The valid volumes of a pod spec by their names."""
    valid: dict[str, Any] = {}
    pod = found.name if found.kind == "Pod" else ""
    for at, volume in structs(spec, "volumes", path):
        before, name = len(found.errors), volume.get("name") or ""
        struct_errors(volume, "v1.Volume", at, found)
        if pod and name and volume.get("ephemeral"):
            for message in dns_subdomain(f"{pod}-{name}"):
                found.invalid((*at, "name"), name, f'PVC name "{pod}-{name}": {message}')
        if name in valid:
            found.duplicate((*at, "name"), name)
        if len(found.errors) == before:
            valid[name] = volume
    return valid


def _volume(volume: Any, path: Path, found: Findings) -> Any:
    sources = [key for key in table("names")["volume types"] if isinstance(volume.get(key), dict)]
    # None of them is an empty directory. What comes first is judged.
    for key in sources[1:]:
        found.forbidden((*path, _OTHER_NAMES.get(key, key)), _ONE_TYPE)
    return {key: value for key, value in volume.items() if key not in sources[1:]}


def _empty_dir(source: Any, path: Path, found: Findings) -> None:
    limit = quantity_of(source["sizeLimit"]) if source.get("sizeLimit") is not None else None
    if not isinstance(limit, str | None) and limit.sign() < 0:
        text = "SizeLimit field must be a valid resource quantity"
        found.forbidden((*path, "sizeLimit"), text)


def _csi(source: Any, path: Path, found: Findings) -> None:
    if source.get("driver"):
        found.named((*path, "driver"), source["driver"].lower(), "subdomain")


def _projected(source: Any, path: Path, found: Findings) -> None:
    taken: set[str] = set()
    for at, each in structs(source, "sources", path):
        kinds = [key for key, value in each.items() if isinstance(value, dict)]
        if len(kinds) > 1:
            found.forbidden(at, f"{_ONE_TYPE} per source")
        for kind in ("secret", "configMap", "downwardAPI", "clusterTrustBundle"):
            inner = each.get(kind) or {}
            for item in inner.get("items") or ([inner] if inner.get("path") else ()):
                name = (item or {}).get("path") or ""
                if name in taken:
                    found.invalid(path, name, "conflicting duplicate paths")
                taken.add(name)
            taken.discard("")
        token, place = each.get("serviceAccountToken"), (*at, "serviceAccountToken")
        if token is None:
            continue
        seconds, place = token.get("expirationSeconds"), (*place, "expirationSeconds")
        if seconds is not None and seconds < _SHORTEST_TOKEN:
            found.invalid(place, seconds, "may not specify a duration less than 10 minutes")
        elif seconds is not None and seconds > _LONGEST_TOKEN:
            found.invalid(place, seconds, "may not specify a duration larger than 2^32 seconds")
        if not token.get("path"):
            found.required((*path, "path"))
        else:
            found.named((*path, "path"), token["path"], "reserved")


def _downward(file: Any, path: Path, found: Findings) -> Any:
    """A file of the downward API; upstream's paths do not say which one."""
    at = path[:-2]
    name, reference, mode = file.get("path") or "", file.get("fieldRef"), file.get("mode")
    if not name:
        found.required((*at, "path"))
    found.named((*at, "path"), name, "reserved")
    if mode is not None:
        found.named((*at, "mode"), mode, "mode")
    if reference is not None:
        field_errors(reference, (*at, "fieldRef"), found, "fields of files")
        if file.get("resourceFieldRef") is not None:
            text = "fieldRef and resourceFieldRef can not be specified simultaneously"
            found.invalid(at, "resource", text)
    elif file.get("resourceFieldRef") is None:
        found.required(at, "one of fieldRef and resourceFieldRef is required")
    else:
        resource_errors(file["resourceFieldRef"], (*at, "resourceFieldRef"), found, of_file=True)
    return {}


def field_errors(reference: Any, path: Path, found: Findings, known: str) -> None:
    """What is wrong with a reference to a field of the pod; `known` is the row of `names.json` with those that it may name."""
    text, at = reference.get("fieldPath") or "", (*path, "fieldPath")
    if not text:
        found.required(at)
        return
    version = reference.get("apiVersion") or "v1"
    head, bracket, key = text.partition("[")
    wrong = ""
    if version != "v1":
        wrong = f"unsupported pod version: {version}"
    elif bracket and key.startswith("'") and key.endswith("']"):
        inner = key[1:-2]
        if head == "metadata.annotations":
            found.named(path, inner.lower(), "labelname")
        elif head == "metadata.labels":
            found.named(path, inner, "labelname")
        else:
            wrong = "field label does not support subscript"
    elif any(text in row for part, row in table("names").items() if "fields" in part):
        found.one_of(at, "spec.nodeName" if text == "spec.host" else text, table("names")[known])
    else:
        wrong = f"field label not supported: {text}"
    if wrong:
        found.invalid(at, text, f"error converting fieldPath: {wrong}")


def resource_errors(reference: Any, path: Path, found: Findings, *, of_file: bool = False) -> None:
    """What is wrong with a reference to an amount of a container."""
    resource, at = reference.get("resource") or "", (*path, "resource")
    if of_file and not reference.get("containerName"):
        found.required((*path, "containerName"))
    elif not resource:
        found.required(at)
    elif not resource.startswith(("limits.hugepages-", "requests.hugepages-")):
        found.one_of(at, resource, _RESOURCES)
    divisor, name = quantity_of(reference.get("divisor")), resource.partition(".")[2]
    units = ("1m", "1") if name == "cpu" else _UNITS
    known = resource in _RESOURCES or name.startswith("hugepages-")
    if known and not isinstance(divisor, str) and divisor.sign() and str(divisor) not in units:
        shown = "1m and 1" if name == "cpu" else ", ".join(units)
        shown_name = "hugepages" if name.startswith("hugepages-") else name
        text = f"only divisor's values {shown} are supported with the {shown_name} resource"
        found.invalid((*path, "divisor"), resource, text)


def _volume_claim(spec: Any, path: Path, found: Findings) -> None:
    modes, at = spec.get("accessModes") or [], (*path, "accessModes")
    for mode in modes:
        found.one_of(at, mode or "", _ACCESS_MODES)
    if _ALONE in modes and any(each in _ACCESS_MODES and each != _ALONE for each in modes):
        found.forbidden(at, "may not use ReadWriteOncePod with other access modes")
    requests = (spec.get("resources") or {}).get("requests") or {}
    at = (*path, "resources[storage]")
    if "storage" not in requests:
        found.required(at)
    else:
        amount = quantity_of(requests["storage"])
        if not isinstance(amount, str) and amount.sign() <= 0:
            found.invalid(at, str(amount), "must be greater than zero")


def mount_errors(container: Any, at: Path, found: Findings) -> None:
    """What is wrong in how a container mounts the volumes of its pod."""
    if not {"volumeMounts", "volumeDevices"} & container.keys():
        return
    devices, mounts = (
        {each.get("name") or "": each.get(key) or "" for _, each in structs(container, part, at)}
        for part, key in (("volumeDevices", "devicePath"), ("volumeMounts", "mountPath"))
    )
    seen: set[str] = set()
    for place, mount in structs(container, "volumeMounts", at):
        name, path = mount.get("name") or "", mount.get("mountPath") or ""
        if name not in found.volumes:
            found.not_found((*place, "name"), name)
        if path in seen:
            found.invalid((*place, "mountPath"), path, "must be unique")
        seen.add(path)
        if name in devices:
            found.invalid((*place, "name"), name, "must not already exist in volumeDevices")
        if path in devices.values():
            text = "must not already exist as a path in volumeDevices"
            found.invalid((*place, "mountPath"), path, text)
        context = container.get("securityContext") or {}
        if mount.get("mountPropagation") == "Bidirectional" and not context.get("privileged"):
            text = "Bidirectional mount propagation is available only to privileged containers"
            found.forbidden((*place[:-1], "mountPropagation"), text)
    taken: set[str] = set()
    for place, device in structs(container, "volumeDevices", at):
        name, path = device.get("name") or "", device.get("devicePath") or ""
        volume = found.volumes.get(name)
        if name and name in taken:
            found.invalid((*place, "name"), name, "must be unique")
        taken.add(name)
        if volume is None:
            found.not_found((*place, "name"), name)
        elif not {"persistentVolumeClaim", "ephemeral"} & volume.keys():
            text = (
                "can only use volume source type of PersistentVolumeClaim or Ephemeral for block"
                " mode"
            )
            found.invalid((*place, "name"), name, text)
        if name in mounts:
            found.invalid((*place, "name"), name, "must not already exist in volumeMounts")
        if path in mounts.values():
            text = "must not already exist as a path in volumeMounts"
            found.invalid((*place, "devicePath"), path, text)


RELATIONS: Mapping[str, Relation] = {
    "v1.CSIVolumeSource": _csi,
    "v1.DownwardAPIVolumeFile": _downward,
    "v1.EmptyDirVolumeSource": _empty_dir,
    "v1.PersistentVolumeClaimSpec": _volume_claim,
    "v1.ProjectedVolumeSource": _projected,
    "v1.Volume": _volume,
}
