"""Changes to a document, made to its data and to its text, whose comments stay; and the same changes as JSON patches (RFC 6902).

The changed data is the expected result: the changed text is read again and compared with it. If they differ
because of an anchor, a merge or an unusual layout, the change is rejected. Patches go into a Kustomize component, so
that manifests stay unchanged.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.edits import (
    EditError,
    OverlapError,
    apply,
    delete_entry,
    delete_item,
    edit as make_edit,
    insert_entry,
    insert_item,
    replace_node,
    replace_value,
)
from dradsl.text.nodes import MappingNode, Node, ScalarNode, SequenceNode
from dradsl.text.paths import locate, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.diagnostics import Edit
    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "Append",
    "CannotEditError",
    "ObjectPatch",
    "Operation",
    "Put",
    "Remove",
    "component",
    "edit_text",
    "joined",
    "json_patch",
    "name_references",
    "object_patch",
    "on_data",
]


class CannotEditError(ValueError):
    """The change would give the text another meaning; `str()` says why."""


class Remove(Record):
    """Remove the entry or item at `path`, and every mapping or list above that becomes empty,
    as long as that is among `emptied`."""

    path: FieldPath
    emptied: tuple[FieldPath, ...] = ()


class Put(Record):
    """Give the mapping entry at `path` a value; mappings on the way are made."""

    path: FieldPath
    value: Any


class Append(Record):
    """Add an item to the list at `path`, which is made if it is not there."""

    path: FieldPath
    value: Any


Operation = Remove | Put | Append


def on_data(data: object, operations: Iterable[Operation]) -> Any:
    """`data`, copied, with the operations made in their order.

    Raises:
        CannotEditError: if there is something else where the change belongs.
    """
    result: Any = copy_plain(data)
    for operation in operations:
        change(result, operation)
    return result


def change(data: Any, operation: Operation) -> None:
    """Makes the operation on `data` itself.

    Raises:
        CannotEditError: if there is something else where the change belongs.
    """
    try:
        if isinstance(operation, Remove):
            path = removed_path(data, operation)
            del value_at(data, path[:-1])[path[-1]]
        else:
            _put(data, operation)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise CannotEditError("something else is where the change belongs") from error


def _put(data: Any, operation: Put | Append) -> None:
    if not operation.path:
        data.append(copy_plain(operation.value))  # to a document that is a list
        return
    parent = data
    for part in operation.path[:-1]:
        if isinstance(parent, dict) and parent.get(part) is None:
            parent[part] = {}
        parent = parent[part]
    name: Any = operation.path[-1]
    if isinstance(operation, Put):
        parent[name] = copy_plain(operation.value)
        return
    items = parent.get(name)
    if items is not None and not isinstance(items, list):
        raise CannotEditError(f"{name} is no list")
    if items is None:
        parent[name] = items = []
    items.append(copy_plain(operation.value))


def edit_text(text: str, groups: Sequence[Sequence[Operation]]) -> str:
    """The text of one document with all operations made, group by group.

    Groups touch different parts of the document, and so do operations of a group in different items of a list: what
    does is made together. Else the order is kept.

    Raises:
        CannotEditError: if the text would not get the data that the operations make.
    """
    before = _data(text)
    wanted = on_data(before, [operation for group in groups for operation in group])
    as_json = _json(text, wanted) if text.lstrip()[:1] in ("{", "[") else None
    if as_json is not None:
        return as_json
    result = text
    try:
        for wave in _waves(groups):
            result = _made(result, wave)
    except (EditError, OverlapError) as error:
        raise CannotEditError(str(error)) from error
    if _data(result) != wanted:
        raise CannotEditError("an anchor, an alias or the layout is in the way")
    return result


def _waves(groups: Iterable[Iterable[Operation]]) -> Sequence[Sequence[Operation]]:
    """The operations, in steps of what can be made together."""
    waves: dict[int, list[Operation]] = {}
    for group in groups:
        last: dict[FieldPath, int] = {}  # the last step of each item of a list
        whole = 0  # and of what is in none
        for operation in group:
            place = _place(operation)
            step = 1 + (last.get(place, whole) if place else max(whole, *last.values(), 0))
            if place:
                last[place] = step
            else:
                last, whole = {}, step
            waves.setdefault(step, []).append(operation)
    return [waves[step] for step in sorted(waves)]


def _place(operation: Operation) -> FieldPath:
    """The outermost item of a list that an operation changes within; () if there is none, or it may go."""
    gone = operation.emptied if isinstance(operation, Remove) else ()
    shortest = min((operation.path, *gone), key=len)
    ends = (end for end, step in enumerate(shortest[:-1], 1) if isinstance(step, int))
    return shortest[: next(ends, 0)]


def _json(text: str, wanted: object) -> str | None:
    """`wanted` as JSON in the layout of `text`; None if that is no JSON."""
    body = text.strip()
    start = text.index(body)
    try:
        before = json.loads(text)
    except ValueError:
        return None
    for layout in _LAYOUTS:
        if json.dumps(before, **layout) == body:
            return text[:start] + json.dumps(wanted, **layout) + text[start + len(body) :]
    raise CannotEditError("the JSON has a layout of its own: format it, or write it as YAML")


# Layouts of kubectl, jq and Python.
_LAYOUTS: tuple[dict[str, Any], ...] = tuple(
    {"indent": indent, "separators": separators, "ensure_ascii": ascii_only}
    for indent, separators in (
        (None, (",", ":")),
        (None, (", ", ": ")),
        (2, (",", ": ")),
        (4, (",", ": ")),
        ("\t", (",", ": ")),
    )
    for ascii_only in (False, True)
)


def _made(text: str, operations: Sequence[Operation]) -> str:
    document = _document(text)
    edits: list[Edit] = []
    # Of two entries at the end of a text, the inner one is written first.
    for operation in sorted(operations, key=lambda each: -len(each.path)):
        if isinstance(operation, Remove):
            # An alias also shows what was removed at its anchor.
            if _exists(document.data, operation.path):
                edits += _removal(document.root, removed_path(document.data, operation))
        else:
            edits.append(_addition(document.root, operation))
    return apply(text, edits)


def _removal(root: Node | None, path: FieldPath) -> list[Edit]:
    parent = _at(root, path[:-1])
    name = path[-1]
    if isinstance(parent, SequenceNode) and isinstance(name, int):
        return delete_item(parent, name)
    entry = parent.entry(str(name)) if isinstance(parent, MappingNode) else None
    if entry is None or not isinstance(parent, MappingNode):
        raise EditError("what is to be removed is elsewhere")
    return delete_entry(parent, entry)


def _addition(root: Node | None, operation: Put | Append) -> Edit:
    path, value = operation.path, operation.value
    if isinstance(operation, Put) and root is not None:
        there = locate(root, path)
        inside = _within_block(there.node, value) if there.exact and not there.shared else None
        if inside is not None:
            return inside
        if there.exact and path and isinstance(path[-1], int) and not there.shared:
            return replace_node(there.node, value)
    if isinstance(operation, Append):
        found = locate(root, path) if root is not None else None
        node = found.node if found is not None and found.exact else None
        if isinstance(node, SequenceNode) and (node.items or node.flow):
            return insert_item(node, value)
        value = [value]
    while path:
        parent = _at(root, path[:-1], missing=True)
        if isinstance(parent, MappingNode):
            break
        value, path = {path[-1]: value}, path[:-1]
    else:
        raise EditError("there is no place for what is to be added")
    entry = parent.entry(str(path[-1]))
    if entry is None:
        if not parent.entries and not parent.flow:
            raise EditError("there is no place for what is to be added")
        return insert_entry(parent, str(path[-1]), value)
    if not isinstance(entry.value, MappingNode) or isinstance(operation, Put):
        return replace_value(parent, entry, value)
    raise EditError(f"{entry.name} holds something else already")


def _within_block(node: Node, value: object) -> Edit | None:
    """A text in the place of another one in a literal block, which keeps its lines; None if there is no
    such block."""
    if not (isinstance(node, ScalarNode) and node.style == "|" and isinstance(value, str)):
        return None
    text = node.lines.text
    start = text.find("\n", node.start, node.end) + 1
    if not start or not value.strip("\n"):
        return None
    written = text[start : node.end]
    first = next((line for line in written.split("\n") if line.strip()), "")
    inner = next((line for line in node.text.split("\n") if line.strip()), "")
    width = len(first.removesuffix("\r")) - len(inner)
    if width <= 0 or first[:width].strip(" ") or value.lstrip("\n").startswith(" "):
        return None
    newline = "\r\n" if "\r\n" in written else "\n"
    margin = " " * width
    lines = [margin + line if line else "" for line in value.rstrip("\n").split("\n")]
    after = written[len(written.rstrip()) :]
    return make_edit(node.lines, start, node.end, newline.join(lines) + after)


def _at(root: Node | None, path: FieldPath, *, missing: bool = False) -> Node | None:
    if root is None:
        return None
    found = locate(root, path)
    if not found.exact:
        if missing:
            return None
        raise EditError("the text has no such place")
    return found.node


def removed_path(data: object, operation: Remove) -> FieldPath:
    """What is finally removed: the entry itself, or the collection that would become empty."""
    path = operation.path
    while len(path) > 1 and path[:-1] in operation.emptied:
        parent = value_at(data, path[:-1])
        if not isinstance(parent, dict | list) or len(parent) != 1:
            break
        path = path[:-1]
    return path


def _exists(data: object, path: FieldPath) -> bool:
    try:
        value_at(data, path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _document(text: str) -> Any:
    documents = load(text.encode("utf-8", "surrogatepass")).documents
    if len(documents) != 1 or documents[0].data is None:
        raise CannotEditError("the result cannot be read as one document")
    return documents[0]


def _data(text: str) -> object:
    return _document(text).data


class ObjectPatch(Record):
    """A patch and the object that it is for, as Kustomize selects it."""

    target: Mapping[str, str]
    operations: tuple[Mapping[str, object], ...]

    @property
    def file_name(self) -> str:
        words = [self.target["kind"], self.target.get("namespace", ""), self.target["name"]]
        return re.sub(r"[^a-z0-9.-]+", "-", "-".join(filter(None, words)).lower()) + ".yaml"


def object_patch(manifest: Manifest, operations: Iterable[Operation]) -> ObjectPatch:
    """The patch that makes `operations`, whose paths are those of the document, on an object."""
    target = {"group": manifest.group, "version": manifest.version, "kind": manifest.kind}
    target["name"] = manifest.name or ""
    if manifest.namespace is not None:
        target["namespace"] = manifest.namespace
    if not manifest.group:
        del target["group"]
    depth = len(manifest.prefix)
    return ObjectPatch(target, tuple(json_patch(manifest.data, operations, depth)))


def joined(patches: Iterable[ObjectPatch]) -> list[ObjectPatch]:
    """One patch for each object: those of its pods, and of its texts."""
    found: dict[tuple[tuple[str, str], ...], ObjectPatch] = {}
    for patch in patches:
        key = tuple(sorted(patch.target.items()))
        known = found.get(key)
        more = () if known is None else known.operations
        found[key] = ObjectPatch(patch.target, (*more, *patch.operations))
    return list(found.values())


def json_patch(
    data: object, operations: Iterable[Operation], depth: int = 0
) -> Iterator[dict[str, object]]:
    """The operations on `data` as items of a JSON patch; the first `depth` parts of their paths
    lead to `data` and are left out."""
    current: Any = copy_plain(data)
    for given in operations:
        operation = _within(given, depth)
        if isinstance(operation, Remove):
            yield {"op": "remove", "path": pointer(removed_path(current, operation))}
        else:
            yield _as_item(current, operation)
        change(current, operation)


def component(
    patches: Sequence[ObjectPatch], resources: Sequence[str], configurations: Sequence[str] = ()
) -> dict[str, object]:
    """The kustomization of a component that brings objects and makes the patches."""
    result: dict[str, object] = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
    }
    if resources:
        result["resources"] = list(resources)
    if patches:
        result["patches"] = [
            {"path": patch.file_name, "target": dict(patch.target)} for patch in patches
        ]
    if configurations:
        result["configurations"] = list(configurations)
    return result


def name_references(patches: Iterable[ObjectPatch]) -> dict[str, object]:
    """The fields in which the patches name claim templates. Kustomize does not know these fields: it would add
    a `namePrefix` to the templates, but not to the references."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for patch in patches:
        kind = {key: patch.target[key] for key in ("group", "kind") if key in patch.target}
        for operation in patch.operations:
            for path in _template_fields(operation.get("value")):
                parts = [*str(operation["path"]).split("/")[1:], *path]
                # Kustomize enters lists without a mark in the path.
                words = [part for part in parts if not (part == "-" or part.isdecimal())]
                spec = {"path": "/".join(words), **kind}
                found.setdefault(tuple(spec.values()), spec)
    specs = list(found.values())
    of_templates = {"kind": "ResourceClaimTemplate", "group": "resource.k8s.io"}
    return {"nameReference": [{**of_templates, "fieldSpecs": specs}]} if specs else {}


def _template_fields(value: object) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "resourceClaimTemplateName":
                yield (key,)
            for below in _template_fields(item):
                yield (key, *below)
    elif isinstance(value, list):
        for item in value:
            yield from _template_fields(item)


def _within(operation: Operation, depth: int) -> Operation:
    path = operation.path[depth:]
    if isinstance(operation, Remove):
        return Remove(path, tuple(each[depth:] for each in operation.emptied))
    return type(operation)(path, operation.value)


def _as_item(data: Any, operation: Put | Append) -> dict[str, object]:
    path, value = operation.path, operation.value
    if isinstance(operation, Append):
        value = [value]
    for position, part in enumerate(path):
        known = isinstance(data, list) or (isinstance(data, dict) and data.get(part) is not None)
        if not known:
            for name in reversed(path[position + 1 :]):
                value = {name: value}
            return {"op": "add", "path": pointer(path[: position + 1]), "value": value}
        data = data[part]
    if isinstance(operation, Append) and data:
        return {"op": "add", "path": f"{pointer(path)}/-", "value": operation.value}
    return {"op": "replace", "path": pointer(path), "value": value}


def pointer(path: Iterable[str | int]) -> str:
    """A path as a JSON pointer (RFC 6901)."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)
