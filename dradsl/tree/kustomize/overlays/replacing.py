"""Replacements: a value of one object, written into fields of others.

Upstream: kustomize api/filters/replacement/replacement.go.
"""

from __future__ import annotations

from dradsl.records import Record
from dradsl.tree.kustomize.parts.fields import lookup, match, split_fields
from dradsl.tree.kustomize.parts.resources import GroupVersionKind, Resource, ResourceId
from dradsl.tree.kustomize.parts.select import Selector, read_selector
from dradsl.tree.nodes import KustomizeError, SourcePlace, ValueNode, placed, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.tree.kustomize.parts.fields import Made

__all__ = ["KustomizeReplacement", "read_replacement", "replace_values"]


class _Options(Record):
    delimiter: str = ""
    index: int = 0
    create: bool = False


class _Target(Record):
    select: Selector
    reject: tuple[Selector, ...]
    paths: tuple[str, ...]
    options: _Options


class KustomizeReplacement(Record):
    """Where a value comes from and where it goes. `value` is a text in place of a source."""

    source: Selector | None
    path: str
    options: _Options
    value: ValueNode | None
    targets: tuple[_Target, ...]
    at: SourcePlace | None


def read_replacement(node: ValueNode) -> KustomizeReplacement:
    """A replacement as a kustomization or a file of its own has it.

    Raises:
        KustomizeError: if it has another shape.
    """
    source, value, targets = node.get("source"), node.get("sourceValue"), node.get("targets")
    is_one = (source is None or source.is_null) != (value is None or value.is_null)
    if not is_one or targets is None or not targets.is_seq:
        raise KustomizeError("replacements must specify a source and at least one target", node.at)
    selector, options = None, _Options()
    path: object = "metadata.name"
    with placed(node.at, "replacements: "):
        if source is not None and not source.is_null:
            rest = dict(_data(source))
            path = rest.pop("fieldPath", None) or path
            if not isinstance(path, str):
                raise KustomizeError("fieldPath: expected a string")
            options = _options(rest.pop("options", None))
            selector = read_selector(rest)
        return KustomizeReplacement(
            selector,
            str(path),
            options,
            value,
            tuple(_target(each) for each in targets.items),
            node.at,
        )


def _data(node: ValueNode) -> dict[str, object]:
    data = node.plain()
    if not isinstance(data, dict):
        raise KustomizeError("expected a mapping")
    return data


def _options(data: object) -> _Options:
    if not isinstance(data, dict):
        return _Options()
    delimiter, index, create = (
        data.get("delimiter") or "",
        data.get("index") or 0,
        data.get("create") or False,
    )
    if not (isinstance(delimiter, str) and isinstance(index, int) and isinstance(create, bool)):
        raise KustomizeError("options: unexpected type")
    return _Options(delimiter, index, create)


def _target(node: ValueNode) -> _Target:
    data = _data(node)
    select = data.get("select")
    if select is None:
        raise KustomizeError("target must specify resources to select")
    reject = data.get("reject")
    paths = data.get("fieldPaths") or ["metadata.name"]
    if not isinstance(paths, list) or not all(isinstance(each, str) for each in paths):
        raise KustomizeError("fieldPaths: expected a list of strings")
    return _Target(
        read_selector(select),
        tuple(read_selector(each) for each in reject) if isinstance(reject, list) else (),
        tuple(paths),
        _options(data.get("options")),
    )


def replace_values(
    resources: Sequence[Resource],
    replacement: KustomizeReplacement,
    unseen: Callable[[SourcePlace | None], None] | None = None,
) -> list[tuple[Resource, str, SourcePlace | None]]:
    """Write the value into all targets. What comes back are fields of texts that hold data of their own:
    Kustomize writes these anew, which is not done here.

    Raises:
        KustomizeError: if Kustomize rejects it.
    """
    at = replacement.at
    try:
        value = _value(resources, replacement)
    except KustomizeError:
        if unseen is None:
            raise
        unseen(at)
        return []
    left: list[tuple[Resource, str, SourcePlace | None]] = []
    for target in replacement.targets:
        for resource in resources:
            if not target.select.fits_marks(resource):
                continue
            if any(
                (each.labels or each.annotations) and each.fits_marks(resource)
                for each in target.reject
            ):
                continue
            ids = resource.ids()
            if any(each.has_id and any(each.fits_id(i) for i in ids) for each in target.reject):
                continue
            if any(target.select.fits_id(each) for each in ids):
                left += _write(resource, value, target, at)
    return left


def _value(resources: Sequence[Resource], replacement: KustomizeReplacement) -> ValueNode:
    at = replacement.at
    if replacement.source is None:
        value = replacement.value
        return scalar("" if value is None else value.text, at if value is None else value.at, "")
    wanted = replacement.source
    found = [each for each in resources if any(_is_source(own, wanted) for own in each.ids())]
    if len(found) != 1:
        name = f"{wanted.kind or '[noKind]'} {wanted.name or '[noName]'}"
        many = "nothing selected by" if not found else "multiple matches for selector"
        raise KustomizeError(f"{many} {name}", at)
    with placed(at, "error looking up replacement source: "):
        looked_up = lookup(found[0].node, split_fields(replacement.path))
    if looked_up is None or looked_up.is_empty:
        raise KustomizeError(
            f"fieldPath `{replacement.path}` is missing for replacement source {wanted.name}", at
        )
    options = replacement.options
    if not options.delimiter:
        return looked_up
    if not looked_up.is_scalar:
        raise KustomizeError("delimiter option can only be used with scalar nodes", at)
    parts = looked_up.text.split(options.delimiter)
    if not 0 <= options.index < len(parts):
        raise KustomizeError(
            f"options.index {options.index} is out of bounds for value {looked_up.text}", at
        )
    return scalar(parts[options.index], looked_up.at, looked_up.tag)


def _is_source(each: ResourceId, wanted: Selector) -> bool:
    return (
        (not wanted.name or wanted.name == each.name)
        and (
            not wanted.namespace
            or ResourceId(GroupVersionKind(), "", wanted.namespace).effective_namespace
            == each.effective_namespace
        )
        and GroupVersionKind(wanted.group, wanted.version, wanted.kind).selects(each.kind)
    )


def _write(
    resource: Resource, value: ValueNode, target: _Target, at: SourcePlace | None
) -> list[tuple[Resource, str, SourcePlace | None]]:
    left: list[tuple[Resource, str, SourcePlace | None]] = []
    options = target.options
    make: Made = (
        ""
        if not options.create
        else "scalar"
        if value.is_scalar
        else "map"
        if value.is_map
        else "seq"
    )

    def change(node: ValueNode) -> ValueNode:
        return _placed(node, value, options, at)

    for path in target.paths:
        steps = split_fields(path)
        if _holds_data(resource.node, steps):
            left.append((resource, path, at))
            continue
        with placed(at, f'field "{path}" of a replacement target: '):
            resource.node, count = match(resource.node, steps, change, make, at)
            if count == 0:
                raise KustomizeError(
                    f"unable to {'find or create' if options.create else 'find'} it"
                )
    return left


def _holds_data(node: ValueNode, steps: Sequence[str]) -> bool:
    """Whether a path leads into a text that is a mapping or list in YAML or JSON."""
    for index in range(1, len(steps)):
        try:
            found = lookup(node, steps[:index])
        except KustomizeError:
            continue
        if found is not None and found.is_scalar and not found.is_null:
            from dradsl.text.documents import load

            documents = load(found.text.encode("utf-8", "surrogatepass")).documents
            return any(isinstance(each.data, dict | list) for each in documents)
    return False


def _placed(
    node: ValueNode, value: ValueNode, options: _Options, at: SourcePlace | None
) -> ValueNode:
    text = value.text
    if options.delimiter:
        if not node.is_scalar:
            raise KustomizeError("delimiter option can only be used with scalar nodes")
        parts = node.text.split(options.delimiter)
        if options.index < 0:
            parts = [text, *parts]
        elif options.index >= len(parts):
            parts.append(text)
        else:
            parts[options.index] = text
        text = options.delimiter.join(parts)
    if node.is_scalar and not node.is_null:
        return scalar(text, value.at or at, node.tag, like=node)
    if value.is_scalar:
        return scalar(text, value.at or at, "null" if node.is_null else value.tag)
    return value
