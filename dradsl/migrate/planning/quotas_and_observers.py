"""What counts or watches devices without asking for them: quotas, queues, variables, and groups of pods that start together.

Volcano lets a group in once its queue has room for spec.minResources (pkg/scheduler/actions/enqueue/enqueue.go),
scheduler-plugins once the cluster has (pkg/coscheduling): both count extended resources only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.cluster.facts import mappings
from dradsl.migrate.detection.pods import containers_of
from dradsl.migrate.detection.values import kind_of, objects_in
from dradsl.migrate.mapping.kind_table import counting_kinds
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.planning.obstacles import VISIBLE, names_devices
from dradsl.migrate.result import Item, Outcome
from dradsl.records import replace
from dradsl.text.paths import format_path, values_named
from dradsl.tree.charts.recipes import find
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.mapping.kind_table import CountingKind
    from dradsl.migrate.result import FileMigration, Migrated
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["quota_notes", "with_waiting_groups"]


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


_GROUPS = ("scheduling.volcano.sh", "scheduling.x-k8s.io")
_REASON = (
    "found, not judged: pods of this run ask for it by claims now, which are not in the amount, and a group whose "
    "pods do that never starts while it waits for it"
)
_ROUTE = "if the pods of this group are among them, take the amount out of spec.minResources in the same change"


def with_waiting_groups(
    files: Sequence[FileMigration], sources: Sequence[SourceText], workloads: Sequence[Migrated]
) -> tuple[FileMigration, ...]:
    """The files, in which each amount of a PodGroup that claims replaced for some of the `workloads` is a use that is
    rejected: which pods a group gets is decided where it is built and by controllers, so nothing is taken out."""
    claimed = {resource for each in workloads for resource in each.before}
    if not claimed:
        return tuple(files)
    found = {source.name: tuple(_in_groups(source, claimed)) for source in sources}
    return tuple(replace(file, items=(*file.items, *found.get(file.path, ()))) for file in files)


def _in_groups(source: SourceText, claimed: set[str]) -> Iterator[Item]:
    for manifest in manifests_of(source) if "PodGroup" in source.stream.text else ():
        if manifest.kind != "PodGroup" or manifest.group not in _GROUPS:
            continue
        path = ("spec", "minResources")
        for name, amount in mapping_at(manifest.data, *path).items():
            if name in claimed:
                span = manifest.span((*path, name), on_key=True)
                yield Item(
                    source.name, span, manifest.title, ".".join(path), f"{name}: {amount}",
                    Outcome.REJECTED, _REASON, routes=(_ROUTE,), about="setting",
                )  # fmt: skip
