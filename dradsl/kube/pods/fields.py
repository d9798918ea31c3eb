"""The names of the fields around the claims of a pod, and keys that are none of them: other capitals, `claim` for
`claims`, a list of claims a level too high.

Kubernetes' own kinds have no other fields there, so strict decoding rejects such a key. It is looked for in objects
that mention claims, however the keys are written.

Source: kubernetes/api core/v1/types.go (PodSpec, Container, ResourceRequirements), apps/v1 and batch/v1
types.go at 0.37.2, which has all fields of the releases before.
"""

from __future__ import annotations

import functools

from dradsl.kube.errors import UnknownField, unknown_field
from dradsl.kube.pods.claim_entries import CLAIM_FIELDS, SOURCES, unknown
from dradsl.kube.pods.workloads import PLACES
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.kube.errors import FieldError, Path

__all__ = [
    "WORKLOADS",
    "means_claims",
    "mentions_claims",
    "misplaced_claims",
    "unknown_fields",
]

WORKLOADS = {kind: version for version, kind in PLACES}
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
# What stands above a pod spec, in all kinds together.
_ABOVE = (
    "apiVersion kind metadata spec status template jobTemplate replicas selector strategy minReadySeconds "
    "revisionHistoryLimit paused progressDeadlineSeconds serviceName podManagementPolicy updateStrategy ordinals "
    "parallelism completions podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes "
    "failedPodsLimit manualSelector ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy "
    "scheduling schedule timeZone startingDeadlineSeconds concurrencyPolicy successfulJobsHistoryLimit "
    "failedJobsHistoryLimit"
)
# The one field of a pod spec that is also one beside a template: of a Job.
_DEADLINE = "activeDeadlineSeconds"


def _by_lower_case(names: str) -> dict[str, str]:
    return {name.lower(): name for name in names.split()}


_POD_FIELDS = _by_lower_case(_POD)
_CONTAINER_FIELDS = _by_lower_case(_CONTAINER)
_RESOURCE_FIELDS = _by_lower_case("limits requests claims")
_RIGHT_POD, _RIGHT_CONTAINER = frozenset(_POD.split()), frozenset(_CONTAINER.split())
_RIGHT_ABOVE = frozenset(_ABOVE.split())
_RIGHT_RESOURCES = frozenset(_RESOURCE_FIELDS.values())
_NAMES = frozenset((*_POD.split(), *_CONTAINER.split(), "limits", "requests", *_ABOVE.split())) - {
    "resourceClaims"
}
_CONTAINER_LISTS = ("containers", "initcontainers", "ephemeralcontainers")
_CLAIM_WORDS = ("claims", "claim", "resourceclaims", "resourceclaim")
_LETTERS = sorted("claims")
_LONGEST = 30  # characters of a key that may mean claims
# As like as a word with one letter more, less or other.
_NEAR = 0.9


def mentions_claims(spec: Mapping[Any, Any]) -> bool:
    """Whether a pod spec mentions claims, however the keys are written and wherever they stand in it."""
    containers = (container for _, container in _containers(spec))
    return any(map(means_claims, spec)) or any(
        any(map(means_claims, container))
        or any(
            means_claims(key) or _lists_claims(key, resources) or _keys_claims(resources[key])
            for _, resources in _under(container, "resources")
            for key in resources
        )
        for container in (spec, *containers)
    )


def _keys_claims(amounts: object) -> bool:
    return isinstance(amounts, dict) and any(map(means_claims, amounts))


@functools.lru_cache(1024)
def means_claims(key: object) -> bool:
    """Whether a key can only mean a list of claims, or is the name of one."""
    if not isinstance(key, str) or key in _NAMES:
        return False
    word = key.lower().replace("_", "").replace("-", "")
    if "volume" in word or "/" in word or len(word) > _LONGEST:
        return False
    if "claim" in word or sorted(word) == _LETTERS:
        return True
    import difflib  # only for a key that is no field: the import costs a few milliseconds

    return bool(difflib.get_close_matches(word, _CLAIM_WORDS, 1, _NEAR))


def unknown_fields(obj: Mapping[str, Any]) -> list[FieldError]:
    """What strict decoding rejects around the claims of an object of Kubernetes' own kinds: fields of a pod spec
    above the place of the pod spec, other capitals, and keys that can only mean a list of claims.

    Nothing of an object that does not mention claims. Entries of lists of claims are left to `validate_pod_spec`,
    and the lists whose wrong place it sees in any kind of object.
    """
    version = str(obj.get("apiVersion"))
    place = PLACES.get((version, str(obj.get("kind"))))
    if place is None:
        return []
    above: list[tuple[Path, str | None, object]] = []
    mentioned = False
    value: object = obj
    for depth, step in enumerate(place):
        if not isinstance(value, dict):
            return []
        of_job = step == "template" and version.startswith("batch/")
        for key, content in () if value.keys() <= _RIGHT_ABOVE else value.items():
            claims = means_claims(key)
            name = "resourceClaims" if claims else _POD_FIELDS.get(str(key).lower())
            if name is None or (key == _DEADLINE and of_job):
                continue
            above.append(((*place[:depth], key), name, content))
            mentioned = mentioned or claims or mentions_claims({name: content})
        value = value.get(step)
    spec = value if isinstance(value, dict) else {}
    wrong = list(_wrong_names(spec, place))
    if not (above or wrong) or not (mentioned or mentions_claims(spec)):
        return []
    found: list[FieldError] = []
    for path, name, content in above:
        if name == "resourceClaims" and _of_container(content):
            found.append(_error(path, "claims-outside-resources"))
            continue
        free = spec is value and name not in spec
        taken = {each.suggestion for each in found}
        to = ".".join((*place, str(name)))
        found.append(_error(path, "field-above-pod-spec", to if free and to not in taken else None))
    return found + wrong


def _wrong_names(spec: Mapping[Any, Any], at: Path) -> Iterator[FieldError]:
    """The keys of a pod spec that are fields but for their capitals, and those that can only mean claims."""
    for key in () if spec.keys() <= _RIGHT_POD else spec:
        claims = means_claims(key) and key != "resourceClaims"
        if claims and _of_container(spec[key]):
            yield _error((*at, key), "claims-outside-resources")
        elif not (claims and misplaced_claims(spec, key, at, "resourceClaims")):
            yield from _named(spec, key, at, "resourceClaims" if claims else None, _POD_FIELDS)
    for inner, container in (((), spec), *_containers(spec)):
        path = (*at, *inner)
        for key in () if not inner or container.keys() <= _RIGHT_CONTAINER else container:
            if not means_claims(key):
                yield from _named(container, key, path, None, _CONTAINER_FIELDS)
            elif not misplaced_claims(container, key, path):
                yield _error((*path, key), "claims-outside-resources")
        for below, resources in _under(container, "resources"):
            for key in () if resources.keys() <= _RIGHT_RESOURCES else resources:
                claims = key != "claims" and (means_claims(key) or _lists_claims(key, resources))
                name = "claims" if claims else None
                if not misplaced_claims(resources, key, (*path, *below), "claims"):
                    yield from _named(resources, key, (*path, *below), name, _RESOURCE_FIELDS)


def _named(
    value: Mapping[Any, Any], key: object, path: Path, name: str | None, fields: Mapping[str, str]
) -> Iterator[FieldError]:
    """The error of a key that is to be called `name`, or has other capitals than one of the `fields`."""
    name = name or fields.get(str(key).lower())
    if name is not None and name != key:
        yield _error((*path, str(key)), "unknown-field", None if name in value else name)


def _error(path: Path, reason: str, suggestion: str | None = None) -> FieldError:
    return unknown_field(reason, UnknownField(path), suggestion)


def misplaced_claims(
    value: Mapping[Any, Any], key: object, path: Path, suggestion: str | None = None
) -> list[FieldError]:
    """A list of claims under a key of another level, in an object of any kind: only what can be nothing else
    counts. Without a suggestion it belongs into `resources` as `claims`."""
    entries = value.get(key)
    if key not in ("claims", "resourceClaims") or key == suggestion:
        return []
    if not isinstance(entries, list) or not entries:
        return []
    wanted = SOURCES if suggestion == "resourceClaims" else ("name", "request")
    for entry in entries:
        if not isinstance(entry, dict) or not {"name", *CLAIM_FIELDS, "request"} >= entry.keys():
            return []
        if not any(field in entry for field in wanted):
            return []
    error = unknown(str(key), (), (*path, str(key)), entries)
    if suggestion is None:
        return [replace(error, reason="claims-outside-resources")]
    return [replace(error, suggestion=suggestion)]


def _of_container(entries: object) -> bool:
    """Whether a list names claims of the pod, as containers do."""
    return (
        isinstance(entries, list)
        and bool(entries)
        and all(
            isinstance(each, dict) and "name" in each and {"name", "request"} >= each.keys()
            for each in entries
        )
    )


def _lists_claims(key: object, resources: Mapping[Any, Any]) -> bool:
    """Whether a key of resources that is no field holds what `claims` would hold."""
    if not isinstance(key, str) or key.lower() in _RESOURCE_FIELDS or "claims" in resources:
        return False
    return _of_container(resources[key])


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
