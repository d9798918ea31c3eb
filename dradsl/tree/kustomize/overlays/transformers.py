"""What the fields of a kustomization write into all objects: namespaces, names, labels, images, replicas.

Upstream: kustomize api/internal/builtins and api/filters, a filter each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dradsl.tree.kustomize.parts.fields import Change, change_field
from dradsl.tree.kustomize.parts.resources import GroupVersionKind, Resource
from dradsl.tree.kustomize.parts.select import search
from dradsl.tree.kustomize.parts.specs import FieldSpec
from dradsl.tree.nodes import (
    KustomizeError,
    SourcePlace,
    ValueNode,
    mapping,
    scalar,
    sequence,
    text_of,
)

__all__ = ["add_labels", "rename", "set_image", "set_namespace", "set_replicas"]


def _expect_scalar(node: ValueNode) -> None:
    if not node.is_scalar:
        raise KustomizeError("wrong node kind: expected ScalarNode")


def _setter(text: str, at: SourcePlace | None, tag: str = "str") -> Change:
    def change(node: ValueNode) -> ValueNode:
        _expect_scalar(node)
        if tag != "" and node.text == text and node.tag == tag:
            return node
        return scalar(text, at, tag, like=node)

    return change


# namespace

_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def set_namespace(
    resources: Sequence[Resource],
    namespace: str,
    specs: Iterable[FieldSpec],
    at: SourcePlace | None,
) -> None:
    """The namespace of all objects that may have one, and of what refers to it."""
    change = _setter(namespace, at)
    wanted = [each for each in specs if each.path != "metadata/namespace"]
    for resource in resources:
        resource.remember()
        now = resource.id
        if not now.cluster:
            _write(resource, "namespace", change, at)
        own = wanted
        if text_of(resource.node.get("apiVersion")) != "v1":
            own = [each for each in own if each.path != "metadata/name"]
        if now.kind.kind in _BINDINGS:
            own = [
                each
                for each in own
                if not (each.kind.kind in _BINDINGS and each.path == "subjects/namespace")
            ]
            _set_subjects(resource, change, at)
        for spec in own:
            change_field(resource, spec, change, at, "scalar")
    seen: dict[tuple[GroupVersionKind, str, str], Resource] = {}
    for resource in resources:
        each = resource.id
        if (
            seen.setdefault((each.kind, each.name, each.effective_namespace), resource)
            is not resource
        ):
            raise KustomizeError(
                f"namespace transformation produces ID conflict: {each.kind.kind} {each.name}"
            )


def _write(resource: Resource, name: str, change: Change, at: SourcePlace | None) -> None:
    metadata = resource.node.get("metadata")
    if metadata is None or metadata.is_null:
        metadata = mapping({}, at)
    field = metadata.fields.get(name)
    if field is None or field.is_null:
        field = scalar("", at, "")
    resource.node = resource.node.with_field("metadata", metadata.with_field(name, change(field)))


def _set_subjects(resource: Resource, change: Change, at: SourcePlace | None) -> None:
    found = resource.node.get("subjects")
    if found is None or not found.is_seq:
        return
    items: list[ValueNode] = []
    for item in found.items:
        name = item.get("name")
        if name is not None and name.text == "default":
            old = item.get("namespace") or scalar("", at, "")
            item = item.with_field("namespace", change(old))
        items.append(item)
    resource.node = resource.node.with_field("subjects", sequence(items, found.at))


# namePrefix, nameSuffix

_NOT_RENAMED = (
    GroupVersionKind("", "", "CustomResourceDefinition"),
    GroupVersionKind("apiregistration.k8s.io", "", "APIService"),
    GroupVersionKind("", "", "Namespace"),
)


def rename(
    resources: Iterable[Resource],
    text: str,
    specs: Iterable[FieldSpec],
    at: SourcePlace | None,
    *,
    suffix: bool = False,
) -> None:
    """A prefix or a suffix for the names of all objects."""
    wanted = tuple(specs)

    def change(node: ValueNode) -> ValueNode:
        _expect_scalar(node)
        new = node.text + text if suffix else text + node.text
        return scalar(new, at, "", like=node)

    for resource in resources:
        first = resource.original_id
        if any(each.selects(first.kind) for each in _NOT_RENAMED):
            continue
        for spec in wanted:
            if not spec.kind.selects(first.kind):
                continue
            if spec.path == "metadata/name" and text:
                if suffix:
                    resource.suffixes = (*resource.suffixes, text)
                else:
                    resource.prefixes = (*resource.prefixes, text)
                resource.remember()
            change_field(resource, spec, change, at, "scalar")


# labels, commonLabels, commonAnnotations


def add_labels(
    resources: Iterable[Resource],
    labels: Mapping[str, tuple[str, SourcePlace | None]],
    specs: Iterable[FieldSpec],
) -> None:
    """Labels or annotations, each with the place that says it."""
    if not labels:
        return
    wanted = tuple(specs)
    ordered = sorted(labels.items())

    def change(node: ValueNode) -> ValueNode:
        if node.is_null:
            node = mapping({}, ordered[0][1][1])
        if not node.is_map:
            raise KustomizeError("wrong node kind: expected MappingNode")
        for name, (text, at) in ordered:
            old = node.fields.get(name)
            if old is None or old.text != text or old.tag != "str":
                node = node.with_field(name, scalar(text, at, like=old))
        return node

    first = ordered[0][1][1]
    for resource in resources:
        for spec in wanted:
            change_field(resource, spec, change, first, "map")


# images


def set_image(
    resources: Iterable[Resource],
    image: Mapping[str, str],
    specs: Iterable[FieldSpec],
    at: SourcePlace | None,
) -> None:
    """Another name, tag or digest for an image."""
    wanted = tuple(specs)
    name = image.get("name", "")

    def change(node: ValueNode) -> ValueNode:
        _expect_scalar(node)
        if node.is_null or not _is_image(node.text, name):
            return node
        return scalar(_new_image(node.text, image), at, "", like=node)

    for resource in resources:
        if resource.kind.kind == "CustomResourceDefinition":
            continue
        resource.node = _in_containers(resource.node, change)
        for spec in wanted:
            change_field(resource, spec, change, at)


def _in_containers(node: ValueNode, change: Change) -> ValueNode:
    if node.is_scalar or not _mentions(node.plain()):
        return node
    if node.is_map:
        made = node
        for name, value in node.fields.items():
            new = _in_containers(value, change)
            if name in ("containers", "initContainers") and new.is_seq:
                items = []
                for item in new.items:
                    if item.is_scalar and not item.is_null:
                        raise KustomizeError("wrong node kind: expected MappingNode")
                    old = item.get("image")
                    items.append(item if old is None else item.with_field("image", change(old)))
                new = new.with_items(items)
            made = made.with_field(name, new)
        return made
    return node.with_items([_in_containers(item, change) for item in node.items])


def _mentions(data: object) -> bool:
    """Whether plain data holds a list of containers: what does not is not looked at as nodes."""
    if isinstance(data, dict):
        return (
            "containers" in data
            or "initContainers" in data
            or any(_mentions(v) for v in data.values())
        )
    return isinstance(data, list) and any(_mentions(each) for each in data)


def _is_image(text: str, name: str) -> bool:
    if name not in text and name.replace("-", "").replace("/", "").isalnum():
        return False
    pattern = (
        f"^{name}(:[a-zA-Z0-9_.{{}}-]*)?"
        r"(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$"
    )
    try:
        return search(pattern, text)
    except KustomizeError:
        return False


def _new_image(text: str, image: Mapping[str, str]) -> str:
    name, tag, digest = _split_image(text)
    name = image.get("newName") or name
    new_tag, new_digest = image.get("newTag", ""), image.get("digest", "")
    if new_tag or new_digest:
        tag, digest = new_tag, new_digest
    elif image.get("tagSuffix"):
        tag, digest = tag + image["tagSuffix"], ""
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")


def _split_image(text: str) -> tuple[str, str, str]:
    slash = max(text.find("/"), 0)
    rest = text[slash:]
    at, colon = rest.find("@"), rest.find(":")
    if at < 0 and colon < 0:
        return text, "", ""
    if at >= 0 and (at < colon or colon < 0):
        return text[: at + slash], "", text[at + slash :].removeprefix("@")
    if at >= 0:
        return (
            text[: colon + slash],
            text[colon + slash : at + slash].removeprefix(":"),
            text[at + slash :].removeprefix("@"),
        )
    return text[: colon + slash], text[colon + slash :].removeprefix(":"), ""


# replicas


def set_replicas(
    resources: Iterable[Resource],
    name: str,
    count: int,
    specs: Iterable[FieldSpec],
    at: SourcePlace | None,
) -> bool:
    """Another number of replicas for the workloads of a name; whether there are any."""
    change = _setter(str(count), at, "int")
    every = tuple(resources)
    found = False
    for spec in specs:
        for resource in every:
            if any(each.name == name and spec.kind.selects(each.kind) for each in resource.ids()):
                found = True
                change_field(resource, spec, change, at, "scalar")
    return found
