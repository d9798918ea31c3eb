"""DRA906: a quota limits an extended resource while claims for the same devices go uncounted."""

from __future__ import annotations

from dradsl.lint.rules.coexistence.devices import (
    classes_of,
    drivers_of_class,
    mapping,
    plugin_drivers,
)
from dradsl.lint.view.found import Found
from dradsl.lint.view.index import DEFAULT_NAMESPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import Run

CODE = "DRA906"
_PREFIX = "requests."
_SUFFIX = ".deviceclass.resource.k8s.io/devices"
_ALL_CLAIMS = "count/resourceclaims.resource.k8s.io"


def check(run: Run) -> Iterator[Found]:
    for manifest in run.manifests:
        if manifest.kind != "ResourceQuota" or manifest.group:
            continue
        hard = mapping(mapping(manifest.data.get("spec")).get("hard"))
        classes = _classes_nearby(run, manifest)
        for key in hard:
            resource = key.removeprefix(_PREFIX)
            if resource == key or "/" not in resource:
                continue
            missing = _uncounted(run, resource, classes, hard)
            if missing:
                names = ", ".join(f"{name}{_SUFFIX}" for name in missing)
                yield Found(
                    CODE,
                    manifest,
                    ("spec", "hard", key),
                    f"{key} does not count the claims for class {missing[0]} in this namespace",
                    on_key=True,
                    help=f"limit {names} as well",
                )


def _classes_nearby(run: Run, quota: Manifest) -> list[str]:
    """The classes that claims in the quota's namespace ask for."""
    namespace = quota.namespace or DEFAULT_NAMESPACE
    found: dict[str, None] = {}
    for kind in ("ResourceClaim", "ResourceClaimTemplate"):
        for manifest in run.index.kind(kind):
            claim = run.claim_of(manifest)
            if claim is not None and (manifest.namespace or DEFAULT_NAMESPACE) == namespace:
                found.update(dict.fromkeys(classes_of(claim)))
    return list(found)


def _uncounted(
    run: Run, resource: str, classes: list[str], hard: Mapping[str, object]
) -> list[str]:
    if _ALL_CLAIMS in hard:
        return []
    drivers = plugin_drivers(run, resource)
    return [
        name
        for name in classes
        if drivers_of_class(run, name) & drivers
        and f"{name}{_SUFFIX}" not in hard
        and not _carries(run, name, resource)
    ]


def _carries(run: Run, name: str, resource: str) -> bool:
    """Whether claims of the class count as the extended resource, which its class carries
    (k8s.io/kubernetes pkg/quota/v1/evaluator/core/resource_claims.go, addExtendedResourceQuota)."""
    if "DRAExtendedResource" not in run.features:
        return False
    manifest = run.index.find("DeviceClass", None, name)
    if manifest is not None:
        return run.written_value(manifest, ("spec", "extendedResourceName")) == resource
    known = run.drivers.device_class(name)
    return known is not None and known[1].extended_resource_name == resource
