"""Patches of kustomizations: which objects they change, and how.

Upstream: kustomize api/internal/builtins/PatchTransformer.go, PatchJson6902Transformer.go and
PatchStrategicMergeTransformer.go, api/resmap/reswrangler.go (ApplySmPatch).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from dradsl.tree.kustomize.overlays.merge import merge
from dradsl.tree.kustomize.parts.files import TextFile, objects_in
from dradsl.tree.kustomize.parts.resources import Resource, ResourceId
from dradsl.tree.kustomize.parts.select import Selector
from dradsl.tree.nodes import (
    KustomizeError,
    SourcePlace,
    ValueNode,
    mapping,
    placed,
    scalar,
    sequence,
)

__all__ = ["apply_json", "apply_merge", "apply_patch", "find_one", "read_operations"]


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
    kind = before.get("kind")
    if may_rename or may_change_kind:
        resource.remember()
    with placed(patch.at or at):
        made = merge(before, patch)
    if made is None or made.is_empty:
        resource.node = ValueNode(None, before.at)
        return
    resource.node = made
    if not may_change_kind and kind is not None:
        resource.node = resource.node.with_field("kind", kind)
    for each in ("namespace",) if may_rename else ("name", "namespace"):
        kept = before.get("metadata", each)
        own = resource.node.get("metadata") or mapping({}, at)
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
    metadata = node.get("metadata") or mapping({}, at)
    notes = metadata.get("annotations")
    if resource.has_marks and (notes is None or not notes.is_map):
        # Kustomize keeps notes of its own among the annotations by now, so there are some.
        node = node.with_field("metadata", metadata.with_field("annotations", mapping({}, at)))
    with placed((operations[0].at if operations else None) or at):
        for each in operations:
            node = _applied(node, each)
    if not node.is_map:
        raise KustomizeError("a JSON patch leaves no object", at)
    resource.node = node
    resource.normalize("annotations")


# Operations of JSON patches, as gopkg.in/evanphx/json-patch.v4 applies them


def _applied(node: ValueNode, operation: ValueNode) -> ValueNode:
    name = _string(operation, "op")
    path = _pointer(_string(operation, "path"))
    value = operation.get("value")
    if name in ("add", "replace"):  # as there: without a value it writes null
        return _changed(node, path, name, value or ValueNode(None, operation.at))
    if name == "remove":
        return _changed(node, path, name, None)
    if name == "move":
        source = _pointer(_string(operation, "from"))
        moved = _get(node, source)
        return _changed(_changed(node, source, "remove", None), path, "add", moved)
    if name == "copy":
        return _changed(node, path, "add", _get(node, _pointer(_string(operation, "from"))))
    if name == "test":
        wanted = None if value is None else value.plain()
        if not _equal(_get(node, path).plain(), wanted):
            raise KustomizeError(f"testing value {'/' + '/'.join(path)} failed: test failed")
        return node
    raise KustomizeError(f"unexpected kind: {name}")


def _equal(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _string(operation: ValueNode, name: str) -> str:
    found = operation.get(name)
    if found is None or not found.is_scalar or found.tag != "str":
        raise KustomizeError(f"operation without {name}")
    return found.text


def _pointer(text: str) -> list[str]:
    if text == "":
        return []
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


def _get(node: ValueNode, path: Sequence[str]) -> ValueNode:
    """The value at a path; a last key that is not there is null, as there."""
    last = len(path) - 1
    for index, step in enumerate(path):
        if node.is_map:
            found = node.fields.get(step)
            if found is None:
                if last == index:
                    return ValueNode(None, node.at)
                raise KustomizeError(f"missing path: /{'/'.join(path)}")
            node = found
        elif node.is_seq:
            node = node.items[_index(step, len(node.items))]
        else:
            raise KustomizeError(f"missing path: /{'/'.join(path)}")
    return node


def _index(step: str, length: int) -> int:
    if not re.fullmatch(r"[-+]?[0-9]{1,9}", step):
        raise KustomizeError(f"invalid array index: {step}")
    index = int(step)
    if index < 0:
        if index < -length:
            raise KustomizeError(f"invalid index: {step}")
        index += length
    if index >= length:
        raise KustomizeError(f"invalid index: {step}")
    return index


def _changed(
    node: ValueNode, path: Sequence[str], operation: str, value: ValueNode | None
) -> ValueNode:
    """The value with what an operation does at a path; `value` is None to remove what is there."""
    if not path:
        raise KustomizeError(f"{operation} operation does not apply: doc is missing path")
    step, rest = path[0], path[1:]
    if node.is_map:
        below = node.fields.get(step)
        if rest and below is not None:
            return node.with_field(step, _changed(below, rest, operation, value))
        if value is None and below is None:
            raise KustomizeError(f"Unable to remove nonexistent key: {step}")
        if not rest:
            # As there: to replace a key that is not there is no mistake.
            return node.with_field(step, value)
    if not node.is_seq:
        raise KustomizeError(f"doc is missing path: {step}")
    items = list(node.items)
    if rest:
        index = _index(step, len(items))
        items[index] = _changed(items[index], rest, operation, value)
    elif value is None:
        del items[_index(step, len(items))]
    elif operation == "replace":
        items[_index(step, len(items))] = value
    else:
        # A place behind the last item, too: `-2` counts from there.
        items.insert(len(items) if step == "-" else _index(step, len(items) + 1), value)
    return sequence(items, node.at)
