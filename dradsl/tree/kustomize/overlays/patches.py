"""Patches of kustomizations: which objects they change, and how.

Upstream: kustomize api/internal/builtins/PatchTransformer.go, PatchJson6902Transformer.go and
PatchStrategicMergeTransformer.go, api/resmap/reswrangler.go (ApplySmPatch).
"""

from __future__ import annotations

import json

from dradsl.tree.kustomize.overlays.json_patch import JsonPatchError, apply_operations
from dradsl.tree.kustomize.overlays.merge import MergeError, merge
from dradsl.tree.kustomize.parts.files import KustomizeError, TextFile, objects_in
from dradsl.tree.kustomize.parts.resources import Resource
from dradsl.tree.nodes import ValueNode, mapping, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.tree.kustomize.parts.resources import ResourceId
    from dradsl.tree.kustomize.parts.select import Selector
    from dradsl.tree.nodes import SourcePlace

__all__ = ["apply_json", "apply_merge", "apply_patch", "find_one", "read_operations"]

_MARK = "internal.config.kubernetes.io/mark"


def find_one(resources: Sequence[Resource], wanted: ResourceId, at: SourcePlace | None) -> Resource:
    """The one object with an identity, of now or of before."""
    found = [each for each in resources if any(wanted.equals(own) for own in each.ids())]
    if len(found) == 1:
        return found[0]
    what = "no" if not found else "multiple"
    name = f"{wanted.kind.kind} {wanted.name}"
    raise KustomizeError(
        f"no resource matches strategic merge patch: {what} matches for Id {name}", at
    )


def apply_patch(
    resources: list[Resource],
    text: TextFile,
    target: Selector | None,
    at: SourcePlace | None,
    *,
    may_rename: bool = False,
    may_change_kind: bool = False,
    unseen: Callable[[SourcePlace | None], None] | None = None,
) -> None:
    """A patch of `patches`, which is a strategic merge or a JSON patch by what it looks like.

    `unseen` is called where no object has the identity of the patch, if objects are not seen.
    """
    operations = read_operations(text)
    patches: list[ValueNode] = []
    if operations is None:
        try:
            patches = objects_in(text)
        except KustomizeError as error:
            raise KustomizeError(f"unable to parse SM or JSON patch: {error}", at) from error
    if operations is not None:
        if target is None:
            raise KustomizeError("must specify a target for JSON patch", at)
        for resource in [each for each in resources if target.takes(each)]:
            resource.remember()
            apply_json(resource, operations, at)
        return
    if target is not None:
        if not patches:
            return
        if len(patches) > 1:
            raise KustomizeError(
                "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set "
                "`patches.target` field",
                at,
            )
        for resource in [each for each in resources if target.takes(each)]:
            apply_merge(resource, _for(patches[0], resource), at, may_rename, may_change_kind)
        return
    for patch, resource in _with_targets(resources, patches, at, unseen):
        apply_merge(resource, patch, at, may_rename, may_change_kind)


def _with_targets(
    resources: list[Resource],
    patches: Iterable[ValueNode],
    at: SourcePlace | None,
    unseen: Callable[[SourcePlace | None], None] | None,
) -> Iterator[tuple[ValueNode, Resource]]:
    """The patches with the objects that they name. `unseen` is told the places of those that name none."""
    for patch in patches:
        try:
            resource = find_one(resources, Resource(patch).id, at)
        except KustomizeError:
            if unseen is None:
                raise
            unseen(patch.at)
        else:
            yield patch, resource


def apply_merges(
    resources: list[Resource],
    patches: Iterable[ValueNode],
    at: SourcePlace | None,
    unseen: Callable[[SourcePlace | None], None] | None = None,
) -> None:
    """The patches of `patchesStrategicMerge`."""
    for patch, resource in _with_targets(resources, patches, at, unseen):
        apply_merge(resource, _for(patch, resource), at, False, False)
        resources[:] = [each for each in resources if not each.node.is_empty]


def _for(patch: ValueNode, resource: Resource) -> ValueNode:
    """The patch as Kustomize makes it for an object that it selects: labels and annotations are texts."""
    copy = Resource(patch)
    copy.normalize("labels", "annotations")
    version = resource.node.get("apiVersion")
    node = copy.node
    if version is not None:
        node = node.with_field("apiVersion", scalar(version.text, version.at, ""))
    return node


def apply_merge(
    resource: Resource,
    patch: ValueNode,
    at: SourcePlace | None,
    may_rename: bool,
    may_change_kind: bool,
) -> None:
    """A strategic merge patch on one object, which keeps its name, namespace and kind."""
    before = resource.node
    name, namespace = resource.name, resource.namespace
    kind = before.get("kind")
    if may_rename or may_change_kind:
        resource.remember()
    try:
        made = merge(before, patch)
    except MergeError as error:
        raise KustomizeError(str(error), patch.at or at) from error
    if made is None or made.is_empty:
        resource.node = ValueNode(None, before.at)
        return
    resource.node = made
    if not may_change_kind and kind is not None:
        resource.node = resource.node.with_field("kind", kind)
    metadata = before.get("metadata")
    if not may_rename and resource.name != name:
        resource.set_metadata("name", name, None if metadata is None else metadata.at)
    if resource.namespace != namespace:
        old = before.get("metadata", "namespace")
        resource.set_metadata("namespace", namespace, None if old is None else old.at)
    for each in ("name", "namespace"):
        kept = before.get("metadata", each)
        own = resource.node.get("metadata")
        if kept is None or own is None or (each == "name" and may_rename):
            continue
        if own.get(each) is not kept:
            resource.node = resource.node.with_field("metadata", own.with_field(each, kept))


def read_operations(text: TextFile) -> list[ValueNode] | None:
    """The operations of a JSON patch; None for any other text."""
    if text.data.lstrip()[:1] == b"[" and text.data[:1] == b"[":
        try:
            json.loads(text.data)
        except (ValueError, RecursionError):
            return None
    try:
        documents = text.documents()
    except KustomizeError:
        return None
    if not documents or not documents[0].is_seq:
        return None
    operations = list(documents[0].items)
    if not all(each.is_map for each in operations):
        return None
    return operations


def apply_json(resource: Resource, operations: Sequence[ValueNode], at: SourcePlace | None) -> None:
    """A JSON patch on one object."""
    node = resource.node
    marked = resource.has_marks
    if marked:
        # Kustomize keeps notes of its own among the annotations by now, so there are some.
        metadata = node.get("metadata") or mapping({}, at)
        found = metadata.get("annotations")
        notes = found if found is not None and found.is_map else mapping({}, at)
        notes = notes.with_field(_MARK, scalar("", at))
        node = node.with_field("metadata", metadata.with_field("annotations", notes))
    try:
        node = apply_operations(node, operations)
    except JsonPatchError as error:
        where = operations[0].at if operations else at
        raise KustomizeError(str(error), where or at) from error
    if not node.is_map:
        raise KustomizeError("a JSON patch leaves no object", at)
    if marked:
        after = node.get("metadata")
        notes_now = None if after is None else after.get("annotations")
        if after is not None and notes_now is not None and notes_now.is_map:
            rest = notes_now.with_field(_MARK, None)
            node = node.with_field(
                "metadata", after.with_field("annotations", rest if rest.fields else None)
            )
    resource.node = node
    resource.normalize("annotations")
