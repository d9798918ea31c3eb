"""Groups of pods that start together, and wait for an amount of devices that their pods do not ask for any more.

Volcano lets a group in once its queue has room for spec.minResources (pkg/scheduler/actions/enqueue/enqueue.go),
scheduler-plugins once the cluster has (pkg/coscheduling): both count extended resources only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.result import Item, Outcome
from dradsl.records import replace
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.result import FileMigration, Migrated
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["with_waiting_groups"]

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
    found = {source.name: tuple(_amounts(source, claimed)) for source in sources}
    return tuple(replace(file, items=(*file.items, *found.get(file.path, ()))) for file in files)


def _amounts(source: SourceText, claimed: set[str]) -> Iterator[Item]:
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
