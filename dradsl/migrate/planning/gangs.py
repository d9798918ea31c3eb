"""Groups of pods that start together: what they wait for must not name devices that their pods claim.

Volcano lets a group in once its queue has room for spec.minResources (pkg/scheduler/actions/enqueue/enqueue.go),
scheduler-plugins once the cluster has (pkg/coscheduling): both count extended resources only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.lint.input.manifests import manifests_of
from dradsl.migrate.cluster.walk import at
from dradsl.migrate.edits.operations import CannotEditError, Remove, edit_text
from dradsl.migrate.edits.patches import object_patch
from dradsl.migrate.result import Item, Outcome
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.result import FileMigration

__all__ = ["without_amounts"]

# By which annotation or label pods name their group, by the group's API group.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "scheduling.volcano.sh": ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"),
    "scheduling.x-k8s.io": ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"),
}


def without_amounts(
    files: Iterable[FileMigration], sources: Sequence[SourceText]
) -> Iterator[FileMigration]:
    """The files with the devices out of groups all of whose pods in the run got claims for them."""
    known = list(files)
    groups = [
        m for s in sources for m in manifests_of(s) if m.kind == "PodGroup" and m.group in _NAMES
    ]
    if not groups:
        yield from known
        return
    claimed = {
        (each.kind, each.namespace, each.name, each.path): each.before
        for file in known
        for each in file.workloads
    }
    removed: dict[str, list[tuple[Manifest, str]]] = {}
    for group in groups:
        members = list(_members(group, sources))
        amounts = at(group.data, "spec", "minResources")
        for key in amounts if isinstance(amounts, Mapping) and members else ():
            asking = [m for m in members if _asks(m[1], str(key))]
            if asking and all(str(key) in claimed.get(m[0], {}) for m in asking):
                removed.setdefault(group.path, []).append((group, str(key)))
    for file in known:
        found = removed.get(file.path)
        yield _without(file, found) if found else file


_Member = "tuple[tuple[str, str | None, str | None, tuple[str | int, ...]], Mapping[str, Any]]"


def _members(group: Manifest, sources: Sequence[SourceText]) -> Iterator[Any]:
    for source in sources:
        for manifest in manifests_of(source):
            if manifest.namespace != group.namespace:
                continue
            for spec in pod_specs(manifest.data):
                written = [spec.metadata] if spec.metadata else [at(manifest.data, "metadata")]
                labels = [at(each, key) for each in written for key in ("labels", "annotations")]
                named = {
                    found[name]
                    for found in labels
                    if isinstance(found, Mapping)
                    for name in _NAMES[group.group]
                    if name in found
                }
                if group.name in named:
                    key = (manifest.kind, manifest.namespace, manifest.name, tuple(spec.path))
                    yield key, spec.spec


def _asks(spec: Mapping[str, Any], resource: str) -> bool:
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return any(
        resource in (at(each, "resources", section) or ())  # type: ignore[operator]
        for each in containers
        for section in ("limits", "requests")
    )


def _without(file: FileMigration, found: list[tuple[Manifest, str]]) -> FileMigration:
    from dradsl.lint.input.sources import SourceText
    from dradsl.text.documents import load

    stream = load(file.text.encode("utf-8", "surrogatepass"))
    manifests = list(manifests_of(SourceText(file.path, stream)))
    items, patches, parts, position = list(file.items), list(file.patches), [], 0
    by_document: dict[int, list[Any]] = {}
    for group, key in found:
        now = next(
            (
                m
                for m in manifests
                if (m.kind, m.namespace, m.name) == (group.kind, group.namespace, group.name)
            ),
            None,
        )
        if now is None:
            continue
        held = (*now.prefix, "spec", "minResources")
        operation = Remove((*held, key), (held,))
        by_document.setdefault(now.document.index, []).append(operation)
        patches.append(object_patch(group, [operation]))
        items.append(_item(file.path, group, key))
    for document in stream.documents:
        operations = by_document.get(document.index)
        if not operations:
            continue
        try:
            text = edit_text(document.text, [operations])
        except CannotEditError:
            return file  # the note says what to do
        parts += [file.text[position : document.start], text]
        position = document.end
    text = "".join(parts) + file.text[position:]
    notes = tuple(
        n for n in file.notes if not any(_is_about(n, group, key) for group, key in found)
    )
    return replace(file, text=text, items=tuple(items), patches=tuple(patches), notes=notes)


def _is_about(note: str, group: Manifest, key: str) -> bool:
    return note.startswith(f"{group.title}, spec.minResources has {key}:")


def _item(path: str, group: Manifest, key: str) -> Item:
    amounts: Any = at(group.data, "spec", "minResources")
    return Item(
        path,
        group.span(("spec", "minResources", key), on_key=True),
        group.title,
        "spec.minResources",
        f"{key}: {amounts[key]}",
        Outcome.TRANSLATED,
        "the pods of this group ask by claims",
        "taken out: the group would wait for it for ever",
    )
