"""What the ResourceQuotas of a run limit of devices and claims, and as how much a claim counts.

DRA906: one that limits an extended resource while claims for the same devices go uncounted.
How claims and pods count is in dradsl/kube/quota.py. A quota with scopes does not match claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from dradsl.diagnostics import FieldPath
from dradsl.kube.quota import (
    CLAIM_COUNT,
    IMPLICIT,
    PER_CLASS,
    REQUESTS,
    Charge,
    charges,
    counts_claim_key,
    counts_extended as _counts_extended,
    extended_usage,
)
from dradsl.lint.rules.coexistence.devices import classes_of, plugin_drivers
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run
from dradsl.records import Record, replace
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at, string_at

__all__ = [
    "QuotaLimit",
    "check",
    "counts_extended",
    "is_near",
    "limits",
    "place",
    "usage",
    "whole",
]

WORDS = ("ResourceQuota",)
_CODE = "DRA906"
_EXTENDED = ("spec", "extendedResourceName")
_SHOWN = 10  # classes that a finding names

Place = tuple[str, ...] | str
Usage = Mapping[str, Charge]  # by the key of a quota


class QuotaLimit(Record):
    """A key of a quota that counts devices or claims, and what it allows."""

    quota: Manifest
    key: str
    most: int

    @property
    def path(self) -> FieldPath:
        return ("spec", "hard", self.key)


def place(manifest: Manifest) -> Place:
    """Where objects share a quota: a known namespace, else the file."""
    return manifest.namespaces or manifest.path


def is_near(one: Manifest, other: Manifest) -> bool:
    """Whether both surely go to one cluster: files of other folders may be of another one."""
    if not one.builds.isdisjoint(other.builds):
        return True
    return one.path.rpartition("/")[0] == other.path.rpartition("/")[0]


def counts_extended(run: Run) -> bool:
    """Whether claims count by the extended resources of their classes."""
    return _counts_extended(run.release, run.features)


def limits(run: Run) -> Mapping[tuple[Place, str], Sequence[QuotaLimit]]:
    """What is limited, by place and key, the smallest first."""
    return run.remember("limits-of-quotas", lambda: _read(run))


def _read(run: Run) -> Mapping[tuple[Place, str], Sequence[QuotaLimit]]:
    found: dict[tuple[Place, str], list[QuotaLimit]] = {}
    for quota in run.index.kind("ResourceQuota"):
        if quota.group or quota.build_context.holes or len(quota.namespaces) > 1:
            continue
        for limit in _limits(run, quota):
            found.setdefault((place(quota), limit.key), []).append(limit)
    for listed in found.values():
        listed.sort(key=lambda each: each.most)
    return found


def _limits(run: Run, quota: Manifest) -> Iterator[QuotaLimit]:
    spec = mapping_at(quota.data, "spec")
    if spec.get("scopes") or spec.get("scopeSelector"):
        return
    extended = counts_extended(run)
    for key, amount in mapping_at(spec, "hard").items():
        counted = key == CLAIM_COUNT or key.endswith(PER_CLASS)
        if not counted and not (extended and _is_of_class(run, key)):
            continue
        most = whole(amount)
        if most is not None:
            yield QuotaLimit(quota, key, most)


def _is_of_class(run: Run, key: str) -> bool:
    """Whether a key counts an extended resource of a class: whether there is a class is not known here."""
    carried = run.remember(
        "carried-by-classes",
        lambda: {_carried(run, str(each.name)) or "" for each in run.index.kind("DeviceClass")},
    )
    return counts_claim_key(key, carried, lambda _: True)


def whole(amount: object) -> int | None:
    """An amount in whole numbers, rounded down; None if it is no amount."""
    from dradsl.values.quantity import exact_amount

    found = exact_amount(amount)
    return None if found is None else found.numerator // found.denominator


def usage(run: Run, claim: ClaimView) -> Usage:
    """As how much a claim counts, by the keys of quotas: those of classes, and of their extended resources."""
    if not claim.bodies:
        return {}
    by_class = charges(claim.spec)
    found = {f"{name}{PER_CLASS}": charge for name, charge in by_class.items()}
    if counts_extended(run):
        numbers = {name: charge.number for name, charge in by_class.items()}
        for key in extended_usage(numbers, lambda name: _carried(run, name), {}):
            found[key] = _behind(run, key, by_class)
    return {key: replace(charge, path=(*claim.path, *charge.path)) for key, charge in found.items()}


def _behind(run: Run, key: str, by_class: Mapping[str, Charge]) -> Charge:
    """What a claim counts as by an extended resource: of several classes that carry it the least."""
    if key.startswith(IMPLICIT):
        return by_class[key.removeprefix(IMPLICIT)]
    resource = key.removeprefix(REQUESTS)
    carrying = (name for name in by_class if _carried(run, name) == resource)
    return min((by_class[name] for name in carrying), key=lambda each: each.number)


def _carried(run: Run, name: str) -> str | None:
    """The extended resource that a class of the run carries, if that is known."""
    manifest = run.index.find("DeviceClass", name)
    if manifest is None or manifest.build_context.holes or manifest.build_context.completed:
        return None
    return string_at(run.written_value(manifest, _EXTENDED))


# Extended resources beside claims


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.of_kind("ResourceQuota"):
        hard = mapping_at(manifest.data, "spec", "hard")
        if CLAIM_COUNT in hard or manifest.group:
            continue
        classes = _classes_nearby(run, manifest)
        by_drivers: dict[frozenset[str], list[str]] = {}
        for key in hard:
            resource = key.removeprefix(REQUESTS)
            if resource == key or "/" not in resource:
                continue
            drivers = plugin_drivers(run, resource)
            if drivers not in by_drivers:
                by_drivers[drivers] = _uncounted(run, drivers, classes, hard)
            others = (name for name in by_drivers[drivers] if not _carries(run, name, resource))
            missing = list(islice(others, _SHOWN))
            if missing:
                names = ", ".join(f"{name}{PER_CLASS}" for name in missing)
                yield RuleFinding(
                    _CODE,
                    manifest,
                    ("spec", "hard", key),
                    f"{key} does not count the claims for class {missing[0]} in this namespace",
                    on_key=True,
                    help=f"limit {names} as well",
                )


def _classes_nearby(run: Run, quota: Manifest) -> Iterable[str]:
    """The classes that claims in the quota's namespace ask for."""
    found = run.remember("classes-by-namespace", lambda: _classes_by_namespace(run))
    return found.get(_place(quota), {})


def _place(manifest: Manifest) -> tuple[str, ...] | str:
    """Where objects share a namespace: in a known one; else in one folder, as far as is known."""
    return manifest.namespaces or manifest.path.rpartition("/")[0]


def _classes_by_namespace(run: Run) -> dict[tuple[str, ...] | str, dict[str, None]]:
    found: dict[tuple[str, ...] | str, dict[str, None]] = {}
    for kind in ("ResourceClaim", "ResourceClaimTemplate"):
        for manifest in run.index.kind(kind):
            claim = run.claim_of(manifest)
            if claim is not None:
                names = found.setdefault(_place(manifest), {})
                names.update(dict.fromkeys(classes_of(claim)))
    return found


def _uncounted(
    run: Run, drivers: frozenset[str], classes: Iterable[str], hard: Mapping[str, object]
) -> list[str]:
    """The classes of those drivers that the quota does not limit by their own name."""
    return [
        name
        for name in classes
        if drivers_of_class(run, name) & drivers and f"{name}{PER_CLASS}" not in hard
    ]


def _carries(run: Run, name: str, resource: str) -> bool:
    """Whether claims of the class count as the extended resource, which its class carries."""
    if not counts_extended(run):
        return False
    manifest = run.index.find("DeviceClass", name)
    if manifest is not None:
        return run.written_value(manifest, _EXTENDED) == resource
    known = run.drivers.device_class(name)
    return known is not None and known[1].extended_resource_name == resource
