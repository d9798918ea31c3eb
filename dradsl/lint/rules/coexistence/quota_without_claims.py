"""DRA906: a quota limits an extended resource while claims for the same devices go uncounted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from dradsl.kube.quota import CLAIM_COUNT, PER_CLASS, REQUESTS
from dradsl.lint.rules.coexistence.devices import classes_of, plugin_drivers
from dradsl.lint.rules.coexistence.quotas import counts_extended
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at

CODE = "DRA906"
_SHOWN = 10  # classes that a finding names
WORDS = ("ResourceQuota",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        if manifest.kind != "ResourceQuota" or manifest.group:
            continue
        hard = mapping_at(manifest.data, "spec", "hard")
        if CLAIM_COUNT in hard:
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
                    CODE,
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
        return run.written_value(manifest, ("spec", "extendedResourceName")) == resource
    known = run.drivers.device_class(name)
    return known is not None and known[1].extended_resource_name == resource
