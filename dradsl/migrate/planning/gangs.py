"""Groups of pods that start together: the resources that they wait for must not include devices that their pods claim.

Volcano lets a group in once its queue has room for spec.minResources (pkg/scheduler/actions/enqueue/enqueue.go),
scheduler-plugins once the cluster has (pkg/coscheduling): both count extended resources only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.cluster.walk import at
from dradsl.migrate.edits.operations import CannotEditError, Remove, edit_text
from dradsl.migrate.edits.patches import object_patch
from dradsl.migrate.result import Item, Outcome
from dradsl.records import dataclass, replace
from dradsl.tree.manifests.manifest import manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.migrate.result import FileMigration
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["GroupWithoutAmounts", "Groups", "asks", "members_of", "with_claims", "without_amounts"]

# The annotation or label with which pods name their group, by the group's API group.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "scheduling.volcano.sh": ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"),
    "scheduling.x-k8s.io": ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"),
}
# A workload by kind, namespace, name and the path to its pods.
Member = tuple["str", "str | None", "str | None", "FieldPath"]


@dataclass(frozen=True, slots=True)
class GroupWithoutAmounts:
    """A group that lost the amounts `keys`, since its `members` in the run claim these devices. `places` are the
    documents of the members, by file and number."""

    manifest: Manifest
    keys: tuple[str, ...]
    members: tuple[Member, ...]
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """Files with the amounts of their groups edited, and these groups."""

    files: tuple[FileMigration, ...]
    groups: tuple[GroupWithoutAmounts, ...] = ()


def without_amounts(files: Sequence[FileMigration], sources: Sequence[SourceText]) -> Groups:
    """The files, with the devices removed from groups if all their pods in the run got claims for them."""
    groups = [
        m for s in sources for m in manifests_of(s) if m.kind == "PodGroup" and m.group in _NAMES
    ]
    if not groups:
        return Groups(tuple(files))
    claimed = _claimed(files)
    planned: dict[str, list[GroupWithoutAmounts]] = {}
    for group in groups:
        found = [
            (manifest, key, spec)
            for source in sources
            for manifest in manifests_of(source)
            for key, spec in members_of(group, manifest)
        ]
        amounts = at(group.data, "spec", "minResources")
        keys: list[str] = []
        asking: list[tuple[Manifest, Member]] = []
        for name in amounts if isinstance(amounts, Mapping) and found else ():
            those = [(manifest, key) for manifest, key, spec in found if asks(spec, str(name))]
            if those and all(str(name) in claimed.get(key, {}) for _, key in those):
                keys.append(str(name))
                asking += those
        if keys:
            places = dict.fromkeys((m.path, m.document.index) for m, _ in asking)
            members = dict.fromkeys(key for _, key in asking)
            made = GroupWithoutAmounts(group, tuple(keys), tuple(members), tuple(places))
            planned.setdefault(group.path, []).append(made)
    result: list[FileMigration] = []
    done: list[GroupWithoutAmounts] = []
    for file in files:
        edited = _without(file, planned.get(file.path, []))
        result.append(file if edited is None else edited)
        done += planned.get(file.path, []) if edited is not None else []
    return Groups(tuple(result), tuple(done))


def with_claims(
    files: Sequence[FileMigration], groups: Sequence[GroupWithoutAmounts]
) -> Iterator[GroupWithoutAmounts]:
    """The groups that were edited although a member has no claims any more."""
    claimed = _claimed(files)
    for group in groups:
        for member in group.members:
            if not all(key in claimed.get(member, {}) for key in group.keys):
                yield group
                break


def _claimed(files: Iterable[FileMigration]) -> dict[Member, Mapping[str, int]]:
    return {
        (each.kind, each.namespace, each.name, each.path): each.before
        for file in files
        for each in file.workloads
    }


def members_of(
    group: Manifest, manifest: Manifest
) -> Iterator[tuple[Member, Mapping[str, object]]]:
    """The pods of an object that name a group."""
    if manifest.namespace != group.namespace:
        return
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
            yield (manifest.kind, manifest.namespace, manifest.name, tuple(spec.path)), spec.spec


def asks(spec: Mapping[str, object], resource: str) -> bool:
    """Whether containers of a pod ask for a resource."""
    lists = (spec.get("containers"), spec.get("initContainers"))
    asked = (
        at(each, "resources", section)
        for listed in lists
        if isinstance(listed, list)
        for each in listed
        for section in ("limits", "requests")
    )
    return any(resource in each for each in asked if isinstance(each, Mapping))


def _without(file: FileMigration, groups: Sequence[GroupWithoutAmounts]) -> FileMigration | None:
    """A file with the amounts removed from its groups; None if there are none, or the text cannot be edited."""
    if not groups:
        return None
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    stream = load(file.text.encode("utf-8", "surrogatepass"))
    manifests = list(manifests_of(SourceText(file.path, stream)))
    items, patches, parts, position = list(file.items), list(file.patches), [], 0
    by_document: dict[int, list[Any]] = {}
    for group in groups:
        names = (group.manifest.kind, group.manifest.namespace, group.manifest.name)
        now = next((m for m in manifests if (m.kind, m.namespace, m.name) == names), None)
        if now is None:
            return None
        held = (*now.prefix, "spec", "minResources")
        operations = [Remove((*held, key), (held,)) for key in group.keys]
        by_document.setdefault(now.document.index, []).extend(operations)
        patches.append(object_patch(group.manifest, operations))
        items += [_item(file.path, group.manifest, key) for key in group.keys]
    for document in stream.documents:
        operations = by_document.get(document.index, [])
        if not operations:
            continue
        try:
            text = edit_text(document.text, [operations])
        except CannotEditError:
            return None  # the note says what to do
        parts += [file.text[position : document.start], text]
        position = document.end
    text = "".join(parts) + file.text[position:]
    about = [(group.manifest, key) for group in groups for key in group.keys]
    notes = tuple(n for n in file.notes if not any(_is_about(n, *each) for each in about))
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
