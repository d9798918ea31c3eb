"""What the ResourceQuotas of a run limit of devices and claims, and as how much a claim counts.

Follows kubernetes pkg/quota/v1/evaluator/core/resource_claims.go and pods.go, 1.34.3, 1.35.1, 1.36.4 and 1.37.1:
All counts as 32 devices, and of alternatives the most of each class. From 1.35, with DRAExtendedResource, a claim
counts by the extended resource of its class as well, by the implicit one and by the one that the class carries.
A quota with scopes does not match claims.
"""

from __future__ import annotations

from dradsl.lint.rules.coexistence.devices import mapping
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.text.paths import FieldPath

    Place: TypeAlias = tuple[str, ...] | str
    # By the key of a quota: the number, where most of it stands, and whether that is All.
    Usage: TypeAlias = Mapping[str, tuple[int, FieldPath, bool]]

__all__ = [
    "CLAIMS",
    "IMPLICIT",
    "Limit",
    "counts_extended",
    "is_near",
    "limits",
    "place",
    "usage",
    "whole",
]

CLAIMS = "count/resourceclaims.resource.k8s.io"
IMPLICIT = "requests.deviceclass.resource.kubernetes.io/"
_SUFFIX = ".deviceclass.resource.k8s.io/devices"
_REQUESTS = "requests."
_EXTENDED = 35  # the first minor release in which claims count by extended resources


@dataclass(frozen=True, slots=True)
class Limit:
    """A key of a quota that counts devices or claims, and what it allows."""

    quota: Manifest
    key: str
    most: int

    @property
    def path(self) -> FieldPath:
        return ("spec", "hard", self.key)


def place(manifest: Manifest) -> Place:
    """Where objects share a quota: a known namespace, else the file."""
    return manifest.spaces or manifest.path


def is_near(one: Manifest, other: Manifest) -> bool:
    """Whether both surely go to one cluster: files of other folders may be of another one."""
    if not one.builds.isdisjoint(other.builds):
        return True
    return one.path.rpartition("/")[0] == other.path.rpartition("/")[0]


def counts_extended(run: Run) -> bool:
    """Whether claims count by the extended resources of their classes."""
    return run.release.minor >= _EXTENDED and "DRAExtendedResource" in run.features


def limits(run: Run) -> Mapping[tuple[Place, str], Sequence[Limit]]:
    """What is limited, by place and key, the smallest first."""
    return run.remember("limits-of-quotas", lambda: _read(run))


def _read(run: Run) -> Mapping[tuple[Place, str], Sequence[Limit]]:
    found: dict[tuple[Place, str], list[Limit]] = {}
    for quota in run.index.kind("ResourceQuota"):
        if quota.group or quota.about.holes or len(quota.spaces) > 1:
            continue
        for limit in _limits(run, quota):
            found.setdefault((place(quota), limit.key), []).append(limit)
    for listed in found.values():
        listed.sort(key=lambda each: each.most)
    return found


def _limits(run: Run, quota: Manifest) -> Iterator[Limit]:
    spec = mapping(quota.data.get("spec"))
    if spec.get("scopes") or spec.get("scopeSelector"):
        return
    extended = counts_extended(run)
    for key, amount in mapping(spec.get("hard")).items():
        counted = key == CLAIMS or key.endswith(_SUFFIX)
        if not counted and not (extended and _is_of_class(run, key)):
            continue
        most = whole(amount)
        if most is not None:
            yield Limit(quota, key, most)


def _is_of_class(run: Run, key: str) -> bool:
    """Whether a key counts an extended resource that a class stands for: of others DRA knows nothing."""
    if key.startswith(IMPLICIT):
        return True
    names = run.remember(
        "carried-by-classes",
        lambda: {_carried(run, str(each.name)) for each in run.index.kind("DeviceClass")},
    )
    return key.startswith(_REQUESTS) and key.removeprefix(_REQUESTS) in names


def whole(amount: object) -> int | None:
    """An amount in whole numbers, rounded down; None if it is no amount."""
    from dradsl.values.quantity import Quantity, QuantityError

    if not isinstance(amount, str | int | float) or isinstance(amount, bool):
        return None
    try:
        found = Quantity.decode(amount).as_fraction()
    except QuantityError:
        return None
    return found.numerator // found.denominator


def usage(run: Run, claim: ClaimView) -> Usage:
    """As how much a claim counts, by the keys of quotas: those of classes, and of their extended resources."""
    found: dict[str, tuple[int, FieldPath, bool]] = {}
    extended = counts_extended(run)
    for name, used in _by_class(claim).items():
        found[f"{name}{_SUFFIX}"] = used
        if not extended:
            continue
        found[f"{IMPLICIT}{name}"] = used
        carried = _carried(run, name)
        if carried is not None:
            # Of several classes with one resource upstream takes whichever comes last.
            key = f"{_REQUESTS}{carried}"
            found[key] = min(used, found.get(key, used), key=lambda each: each[0])
    return found


def _carried(run: Run, name: str) -> str | None:
    """The extended resource that a class of the run carries, if that is known."""
    manifest = run.index.find("DeviceClass", name)
    if manifest is None or manifest.about.holes or manifest.about.completed:
        return None
    carried = run.written_value(manifest, ("spec", "extendedResourceName"))
    return carried if isinstance(carried, str) and carried else None


def _by_class(claim: ClaimView) -> dict[str, tuple[int, FieldPath, bool]]:
    from dradsl.kube.limits import MAX_RESULTS

    worst: dict[tuple[FieldPath, str], tuple[int, FieldPath, bool]] = {}
    for request in claim.bodies():
        name, count = request.body.get("deviceClassName"), request.body.get("count")
        every = request.body.get("allocationMode") == "All"
        number = MAX_RESULTS if every else count if isinstance(count, int) else 0
        if not isinstance(name, str):
            continue
        owner = request.path[: request.path.index("requests") + 2]
        field = "allocationMode" if every else "count" if number > 1 else "deviceClassName"
        mine = number, (*request.path, field), every
        worst[owner, name] = max(mine, worst.get((owner, name), mine), key=lambda each: each[0])
    found: dict[str, tuple[int, FieldPath, bool]] = {}
    for (_, name), (number, path, every) in worst.items():
        before = found.get(name)
        if before is None:
            found[name] = number, path, every
        else:
            found[name] = before[0] + number, before[1], False
    return found
