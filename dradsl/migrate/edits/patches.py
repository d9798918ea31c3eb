"""The same changes as JSON patches (RFC 6902) in a Kustomize component, so that manifests stay unchanged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.edits.operations import Append, Operation, Put, Remove, change, removed_path
from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "ObjectPatch",
    "component",
    "joined",
    "json_patch",
    "name_references",
    "object_patch",
    "pointer",
]


@dataclass(frozen=True, slots=True)
class ObjectPatch:
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
            yield _addition(current, operation)
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


def _addition(data: Any, operation: Put | Append) -> dict[str, object]:
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
