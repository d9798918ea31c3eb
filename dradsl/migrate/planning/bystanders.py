"""What counts or sees devices without asking for them: quotas, queues, variables. Left, but told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.detection.pods import containers_of
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.planning.obstacles import VISIBLE, names_devices
from dradsl.text.paths import values_named

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.input.manifests import Manifest

__all__ = ["bystanders"]


def bystanders(manifest: Manifest, catalogue: Catalogue) -> Iterator[str]:
    """Sentences about an object that the migration of others concerns."""
    if manifest.kind == "ResourceQuota":
        for resource in _of_quota(manifest.data):
            if is_device(resource, catalogue):
                yield (
                    f"{manifest.title} limits {resource}: claims count there as "
                    "<class>.deviceclass.resource.k8s.io/devices"
                )
    elif manifest.kind == "LimitRange":
        if any(is_device(resource, catalogue) for resource in _keys(manifest.data)):
            yield f"{manifest.title} has defaults for a device: claims get none, and must not"
    elif manifest.group.endswith("kueue.x-k8s.io") and manifest.kind == "ClusterQueue":
        for resource in sorted(set(_covered(manifest.data))):
            if is_device(resource, catalogue):
                yield (
                    f"{manifest.title} covers {resource}: Kueue counts claims only for classes "
                    "that deviceClassMappings maps to a covered name"
                )
    else:
        yield from _visible(manifest)


def _visible(manifest: Manifest) -> Iterator[str]:
    for at in pod_specs(manifest.data):
        for container in containers_of(at.spec, at.path):
            names = [name for name in VISIBLE if names_devices(container, name)]
            if names and not container.uses and not container.claims:
                yield (
                    f"{manifest.title}: container {container.name} sees devices by {names[0]} "
                    "without asking for any; nothing here says which it should get"
                )


def _of_quota(data: Mapping[str, Any]) -> Iterator[str]:
    spec = data.get("spec")
    hard = spec.get("hard") if isinstance(spec, Mapping) else None
    for key in hard if isinstance(hard, Mapping) else ():
        if isinstance(key, str) and key.startswith("requests."):
            yield key.removeprefix("requests.")


def _covered(data: object) -> Iterator[str]:
    for found in values_named(data, "coveredResources"):
        if isinstance(found, list):
            yield from (each for each in found if isinstance(each, str))


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)
