"""What counts or watches devices without asking for them: quotas, queues, variables. The report names it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.cluster.walk import mappings
from dradsl.migrate.detection.pods import containers_of
from dradsl.migrate.detection.whole_objects import kind_of, objects_in
from dradsl.migrate.mapping.kind_table import counting_kinds
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.planning.obstacles import VISIBLE, names_devices
from dradsl.text.paths import format_path, values_named
from dradsl.tree.charts.recipes import find
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.mapping.kind_table import CountingKind
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["quota_notes"]


def quota_notes(manifest: Manifest, catalogue: Catalogue) -> Iterator[str]:
    """Sentences about an object that the migration of others concerns."""
    if manifest.kind == "ResourceQuota":
        for resource in _of_quota(manifest.data):
            if is_device(resource, catalogue):
                yield (
                    f"{manifest.title} limits {resource}: claims count there as "
                    "<class>.deviceclass.resource.k8s.io/devices"
                )
    elif manifest.kind == "LimitRange":
        keys = (str(key) for _, data in mappings(manifest.data) for key in data)
        if any(is_device(key, catalogue) for key in keys):
            yield f"{manifest.title} has defaults for a device: claims get none, and must not"
    elif manifest.group.endswith("kueue.x-k8s.io") and manifest.kind == "ClusterQueue":
        for resource in sorted(set(_covered(manifest.data))):
            if is_device(resource, catalogue):
                yield (
                    f"{manifest.title} covers {resource}: Kueue counts claims only for classes "
                    "that deviceClassMappings maps to a covered name"
                )
    elif row := counting_kinds().get((manifest.kind, manifest.group)):
        yield from _amounts(manifest.title, manifest.data, row, catalogue)
    else:
        if not manifest.api_version:
            for path, data in objects_in(manifest.data):
                row = counting_kinds().get(kind_of(data))
                if row is not None:
                    title = f"{row.kind} in {manifest.title}, {format_path(path)}"
                    yield from _amounts(title, data, row, catalogue)
        yield from _visible(manifest)


def _amounts(
    title: str, data: Mapping[str, object], row: CountingKind, catalogue: Catalogue
) -> Iterator[str]:
    for place in row.places:
        for path, held in find(data, place):
            for key in held if isinstance(held, Mapping) else ():
                resource = str(key).removeprefix("requests.")
                if is_device(resource, catalogue):
                    yield f"{title}, {format_path(path)} has {resource}: {row.why}"


def _visible(manifest: Manifest) -> Iterator[str]:
    for at in pod_specs(manifest.data):
        for container in containers_of(at.spec, at.path):
            names = [name for name in VISIBLE if names_devices(container, name)]
            if names and not container.uses and not container.claims:
                yield (
                    f"{manifest.title}: container {container.name} sees devices by {names[0]} "
                    "without asking for any; nothing here says which it should get"
                )


def _of_quota(data: Mapping[str, object]) -> Iterator[str]:
    for key in mapping_at(data, "spec", "hard"):
        if isinstance(key, str) and key.startswith("requests."):
            yield key.removeprefix("requests.")


def _covered(data: object) -> Iterator[str]:
    for found in values_named(data, "coveredResources"):
        if isinstance(found, list):
            yield from (each for each in found if isinstance(each, str))
