"""The names of the fields around the claims of a pod, for keys that are none of them: other capitals, `claim`.

Source: kubernetes/api core/v1/types.go (PodSpec, Container, ResourceRequirements) at 0.37.2, which has
all fields of the releases before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.kube.errors import Path

__all__ = ["WORKLOADS", "asks_for_claims", "wrong_names"]

WORKLOADS = {
    "Pod": "v1",
    "PodTemplate": "v1",
    "ReplicationController": "v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
}
"""Kubernetes' own kinds with pod specs, and the API version that serves each."""

_POD = (
    "volumes initContainers containers ephemeralContainers restartPolicy "
    "terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName "
    "serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC "
    "shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity "
    "schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates "
    "runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints "
    "setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride "
    "workloadRef schedulingGroup evictionResponders"
)
_CONTAINER = (
    "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy "
    "restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe "
    "lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin "
    "stdinOnce tty targetContainerName"
)


def _by_lower_case(names: str) -> dict[str, str]:
    return {name.lower(): name for name in names.split()}


_POD_FIELDS = _by_lower_case(_POD)
_CONTAINER_FIELDS = _by_lower_case(_CONTAINER)
_RESOURCE_FIELDS = _by_lower_case("limits requests claims")
_NAMES = frozenset({*_POD_FIELDS.values(), *_CONTAINER_FIELDS.values(), *_RESOURCE_FIELDS.values()})
_CONTAINER_LISTS = ("containers", "initcontainers", "ephemeralcontainers")


def asks_for_claims(spec: Mapping[Any, Any]) -> bool:
    """Whether a pod spec mentions claims, however the fields are written."""
    if "resourceClaims" in spec or any(str(key).lower() == "resourceclaims" for key in spec):
        return True
    return any(
        str(key).lower() == "claims" or _lists_claims(key, resources)
        for _, container in _containers(spec)
        for _, resources in _under(container, "resources")
        for key in resources
    )


def wrong_names(spec: Mapping[Any, Any]) -> Iterator[tuple[Path, str]]:
    """The keys of a pod spec that are fields but for their capitals, and those that can only mean `claims`: where,
    and the right name.

    Entries of `resourceClaims` are left to the decoder.
    """
    yield from _differing(spec, (), _POD_FIELDS)
    for path, container in _containers(spec):
        yield from _differing(container, path, _CONTAINER_FIELDS)
        for inner, resources in _under(container, "resources"):
            yield from _differing(resources, (*path, *inner), _RESOURCE_FIELDS)
            for key in resources:
                if _lists_claims(key, resources):
                    yield (*path, *inner, key), "claims"


def _lists_claims(key: object, resources: Mapping[Any, Any]) -> bool:
    """Whether a key that is no field holds what `claims` would hold."""
    if not isinstance(key, str) or key.lower() in _RESOURCE_FIELDS or "claims" in resources:
        return False
    entries = resources[key]
    return (
        isinstance(entries, list)
        and bool(entries)
        and all(
            isinstance(each, dict) and "name" in each and {"name", "request"} >= each.keys()
            for each in entries
        )
    )


def _differing(
    value: Mapping[Any, Any], path: Path, fields: Mapping[str, str]
) -> Iterator[tuple[Path, str]]:
    if value.keys() <= _NAMES:  # all of them as they are to be written
        return
    for key in value:
        name = fields.get(key.lower()) if isinstance(key, str) else None
        if name is not None and name != key and name not in value:
            yield (*path, key), name


def _containers(spec: Mapping[Any, Any]) -> Iterator[tuple[Path, Mapping[Any, Any]]]:
    for key, value in spec.items():
        if isinstance(value, list) and str(key).lower() in _CONTAINER_LISTS:
            for index, container in enumerate(value):
                if isinstance(container, dict):
                    yield (str(key), index), container


def _under(value: Mapping[Any, Any], name: str) -> Iterator[tuple[Path, Mapping[Any, Any]]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and str(key).lower() == name:
            yield (str(key),), inner
