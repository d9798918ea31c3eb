"""As how much claims and pods count against a ResourceQuota, and what a quota then rejects.

Follows kubernetes 1.34.10, 1.35.8, 1.36.4 and 1.37.1: pkg/quota/v1/evaluator/core/resource_claims.go and pods.go,
and CheckRequest of apiserver pkg/admission/plugin/resourcequota/controller.go. Of what pods use only extended
resources are looked at. All counts as 32 devices, and of alternatives the most of each class. From 1.35, with
DRAExtendedResource, a claim counts by the extended resource of its class as well: by the implicit one and by the
one that the class carries.
"""

from __future__ import annotations

from dradsl.kube.limits import MAX_RESULTS
from dradsl.records import Record
from dradsl.releases import validation_of
from dradsl.values.plain import list_at, mappings_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from dradsl.releases import Features, Release
    from dradsl.text.paths import FieldPath

    # By the key of a quota, in whole numbers.
    Usage: TypeAlias = Mapping[str, int]
    # The extended resource that a class carries, by the name of the class.
    Carried: TypeAlias = Callable[[str], str | None]

__all__ = [
    "add_up",
    "raise_to",
    "CLAIM_COUNT",
    "IMPLICIT",
    "PER_CLASS",
    "REQUESTS",
    "Charge",
    "charges",
    "counts_claim_key",
    "counts_extended",
    "extended_usage",
    "pod_usage",
]

CLAIM_COUNT = "count/resourceclaims.resource.k8s.io"
"""Counts claims, whatever they ask for."""

PER_CLASS = ".deviceclass.resource.k8s.io/devices"
"""After the name of a class: counts the devices of that class."""

REQUESTS = "requests."
"""Before the name of an extended resource: counts what pods request of it."""

IMPLICIT = "requests.deviceclass.resource.kubernetes.io/"
"""Before the name of a class: counts the extended resource that every class stands for."""

_NATIVE = "kubernetes.io/"


class Charge(Record):
    """As how many devices of a class a claim counts.

    `path` leads from the claim's spec to the field that says most of it; `is_all` tells whether that is
    allocationMode All.
    """

    number: int
    path: FieldPath
    is_all: bool


def counts_extended(release: Release, features: Features) -> bool:
    """Whether claims count by the extended resources of their classes."""
    return validation_of(release.name).quota_counts_extended and "DRAExtendedResource" in features


# Upstream: claimEvaluator.Usage (pkg/quota/v1/evaluator/core/resource_claims.go)
def charges(spec: Mapping[str, object]) -> dict[str, Charge]:
    """As how many devices a claim counts, by class.

    `spec` is that of a claim of resource.k8s.io/v1, with its defaults. What is not of the expected type counts
    as nothing.
    """
    found: dict[str, Charge] = {}
    for index, request in enumerate(list_at(spec, "devices", "requests")):
        path = "devices", "requests", index
        for name, charge in _of_request(request, path).items():
            before = found.get(name)
            if before is not None:
                charge = Charge(before.number + charge.number, before.path, is_all=False)
            found[name] = charge
    return found


def _of_request(request: object, path: FieldPath) -> dict[str, Charge]:
    """The most that a request can get of each class."""
    if not isinstance(request, dict):
        return {}
    alternatives = request.get("firstAvailable")
    most: dict[str, Charge] = {}
    if isinstance(alternatives, list) and alternatives:
        for index, body in enumerate(alternatives):
            name, charge = _of_body(body, (*path, "firstAvailable", index))
            before = most.get(name)
            if charge.number > (before.number if before is not None else 0):
                most[name] = charge
    elif isinstance(request.get("exactly"), dict):
        name, charge = _of_body(request["exactly"], (*path, "exactly"))
        most[name] = charge
    return most


def _of_body(body: object, path: FieldPath) -> tuple[str, Charge]:
    if not isinstance(body, dict):
        body = {}
    name, mode, count = (body.get(key) for key in ("deviceClassName", "allocationMode", "count"))
    if mode == "All":
        charge = Charge(MAX_RESULTS, (*path, "allocationMode"), is_all=True)
    elif mode == "ExactCount" and isinstance(count, int):
        field = "count" if count > 1 else "deviceClassName"
        charge = Charge(count, (*path, field), is_all=False)
    else:
        charge = Charge(0, (*path, "deviceClassName"), is_all=False)
    return name if isinstance(name, str) else "", charge


# Upstream: claimEvaluator.addExtendedResourceQuota (pkg/quota/v1/evaluator/core/resource_claims.go)
def extended_usage(by_class: Usage, carried: Carried, of_pod: Usage) -> dict[str, int]:
    """As how much a claim counts by extended resources, if it counts for classes as `by_class` says.

    `of_pod` is as how much the pod counts already for whose extended resources the claim was made. Where two
    classes carry one resource, upstream takes whichever comes last; the least of them is given here.
    """
    found: dict[str, int] = {}
    for name, number in by_class.items():
        if not name:
            continue
        found[f"{IMPLICIT}{name}"] = number
        resource = carried(name)
        if resource:
            key = f"{REQUESTS}{resource}"
            found[key] = min(number, found.get(key, number))
    left = {key: number - of_pod.get(key, 0) for key, number in found.items()}
    return {key: number for key, number in left.items() if number > 0}


# Upstream: PodUsageFunc, podComputeUsageHelper (pkg/quota/v1/evaluator/core/pods.go)
def pod_usage(
    spec: Mapping[str, object],
    whole: Callable[[object], int | None],
    *,
    implicit: bool,
    defaulted: bool = True,
) -> dict[str, int]:
    """As how much a pod counts by the extended resources that its containers request.

    `whole` gives an amount in whole numbers, None if it is none; `implicit`: the extended resources that are
    named after classes count too; `defaulted`: what has a limit and no request requests as much, as the API
    server fills in.
    """
    total: dict[str, int] = {}
    for container in mappings_at(spec, "containers"):
        add_up(total, _requested(container, whole, defaulted))
    restarted: dict[str, int] = {}
    most: dict[str, int] = {}
    for container in mappings_at(spec, "initContainers"):
        asked = _requested(container, whole, defaulted)
        if container.get("restartPolicy") == "Always":
            add_up(total, asked)
            add_up(restarted, asked)
            asked = dict(restarted)
        else:
            add_up(asked, restarted)
        raise_to(most, asked)
    raise_to(total, most)
    add_up(total, _amounts(spec.get("overhead"), whole))
    return {f"{REQUESTS}{name}": total[name] for name in total if _is_extended(name, implicit)}


def _requested(
    container: Mapping[str, object], whole: Callable[[object], int | None], defaulted: bool
) -> dict[str, int]:
    resources = container.get("resources")
    if not isinstance(resources, dict):
        return {}
    limits = _amounts(resources.get("limits"), whole) if defaulted else {}
    return limits | _amounts(resources.get("requests"), whole)


def _amounts(listed: object, whole: Callable[[object], int | None]) -> dict[str, int]:
    if not isinstance(listed, dict):
        return {}
    found = ((str(name), whole(amount)) for name, amount in listed.items())
    return {name: number for name, number in found if number is not None}


def add_up(total: dict[str, int], more: Usage) -> None:
    """Add amounts to a total."""
    for name, number in more.items():
        total[name] = total.get(name, 0) + number


def raise_to(total: dict[str, int], other: Usage) -> None:
    """Raise a total to these amounts, where it is lower."""
    for name, number in other.items():
        total[name] = max(total.get(name, number), number)


def _is_extended(name: str, implicit: bool) -> bool:
    if f"{REQUESTS}{name}".startswith(IMPLICIT):
        return implicit
    return "/" in name and _NATIVE not in name and not name.startswith(REQUESTS)


# Upstream: claimEvaluator.MatchingResources (pkg/quota/v1/evaluator/core/resource_claims.go)
def counts_claim_key(key: str, carried: Iterable[str], classes: Callable[[str], bool]) -> bool:
    """Whether a quota with this key counts claims, where claims count by extended resources.

    `carried` are the extended resources that classes carry, `classes` tells whether there is a class of a name.
    Without extended resources only the keys of classes and CLAIM_COUNT count.
    """
    if key == CLAIM_COUNT or key.endswith(PER_CLASS):
        return True
    if key.startswith(IMPLICIT):
        return classes(key.removeprefix(IMPLICIT))
    return key.startswith(REQUESTS) and key.removeprefix(REQUESTS) in carried
