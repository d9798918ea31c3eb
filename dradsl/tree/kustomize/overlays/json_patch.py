"""JSON patches (RFC 6902) as gopkg.in/evanphx/json-patch.v4 applies them, with the places of what they write."""

from __future__ import annotations

import json
import re

from dradsl.tree.nodes import ValueNode, mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    _Change: TypeAlias = Callable[[ValueNode, str], ValueNode]

__all__ = ["JsonPatchError", "apply_operations"]


class JsonPatchError(ValueError):
    """The patch cannot be applied."""


def apply_operations(node: ValueNode, operations: Sequence[ValueNode]) -> ValueNode:
    """The value with the operations applied in their order.

    Raises:
        JsonPatchError: if one cannot be applied.
    """
    for each in operations:
        node = _applied(node, each)
    return node


def _applied(node: ValueNode, operation: ValueNode) -> ValueNode:
    name = _string(operation, "op")
    path = _pointer(_string(operation, "path"))
    value = operation.get("value")
    if name == "add":
        return _add(node, path, _value(operation, value))
    if name == "replace":
        if not path:
            raise JsonPatchError("replace operation does not apply: doc is missing path")
        return _replace(node, path, _value(operation, value))
    if name == "remove":
        return _remove(node, path)
    if name == "move":
        source = _pointer(_string(operation, "from"))
        moved = _get(node, source)
        return _add(_remove(node, source), path, moved)
    if name == "copy":
        return _add(node, path, _get(node, _pointer(_string(operation, "from"))))
    if name == "test":
        wanted = None if value is None else value.plain()
        if not _equal(_get(node, path).plain(), wanted):
            raise JsonPatchError(f"testing value {'/' + '/'.join(path)} failed: test failed")
        return node
    raise JsonPatchError(f"unexpected kind: {name}")


def _value(operation: ValueNode, value: ValueNode | None) -> ValueNode:
    if value is None:
        # As there: an operation without a value writes null.
        return ValueNode(None, operation.at)
    return value


def _equal(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _string(operation: ValueNode, name: str) -> str:
    found = operation.get(name)
    if found is None or not found.is_scalar or found.tag != "str":
        raise JsonPatchError(f"operation without {name}")
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
                raise JsonPatchError(f"missing path: /{'/'.join(path)}")
            node = found
        elif node.is_seq:
            node = node.items[_index(step, len(node.items))]
        else:
            raise JsonPatchError(f"missing path: /{'/'.join(path)}")
    return node


def _index(step: str, length: int) -> int:
    if not re.fullmatch(r"[-+]?[0-9]{1,9}", step):
        raise JsonPatchError(f"invalid array index: {step}")
    index = int(step)
    if index < 0:
        if index < -length:
            raise JsonPatchError(f"invalid index: {step}")
        index += length
    if index >= length:
        raise JsonPatchError(f"invalid index: {step}")
    return index


def _below(node: ValueNode, path: Sequence[str], change: _Change) -> ValueNode:
    """The value with that at the way to the last step changed."""
    if len(path) == 1:
        return change(node, path[0])
    step = path[0]
    if node.is_map and step in node.fields:
        return node.with_field(step, _below(node.fields[step], path[1:], change))
    if node.is_seq:
        index = _index(step, len(node.items))
        items = list(node.items)
        items[index] = _below(items[index], path[1:], change)
        return sequence(items, node.at)
    raise JsonPatchError(f"doc is missing path: /{'/'.join(path)}")


def _add(node: ValueNode, path: Sequence[str], value: ValueNode) -> ValueNode:
    if not path:
        raise JsonPatchError("add operation does not apply: doc is missing path")

    def change(parent: ValueNode, step: str) -> ValueNode:
        if parent.is_map:
            return parent.with_field(step, value)
        if not parent.is_seq:
            raise JsonPatchError(f"doc is missing path: /{'/'.join(path)}")
        items = list(parent.items)
        if step == "-":
            items.append(value)
        else:
            if not re.fullmatch(r"[-+]?[0-9]{1,9}", step):
                raise JsonPatchError(f"invalid array index: {step}")
            index = int(step)
            if index < 0:
                index += len(items) + 1
            if not 0 <= index <= len(items):
                raise JsonPatchError(f"invalid index: {step}")
            items.insert(index, value)
        return sequence(items, parent.at)

    return _below(node, path, change)


def _replace(node: ValueNode, path: Sequence[str], value: ValueNode) -> ValueNode:
    def change(parent: ValueNode, step: str) -> ValueNode:
        if parent.is_map:
            # As there: a key that is not there is no mistake.
            return parent.with_field(step, value)
        if not parent.is_seq:
            raise JsonPatchError(f"doc is missing path: /{'/'.join(path)}")
        items = list(parent.items)
        items[_index(step, len(items))] = value
        return sequence(items, parent.at)

    return _below(node, path, change)


def _remove(node: ValueNode, path: Sequence[str]) -> ValueNode:
    if not path:
        raise JsonPatchError("remove operation does not apply: doc is missing path")

    def change(parent: ValueNode, step: str) -> ValueNode:
        if parent.is_map:
            if step not in parent.fields:
                raise JsonPatchError(f"Unable to remove nonexistent key: {step}")
            return mapping({k: v for k, v in parent.fields.items() if k != step}, parent.at)
        if not parent.is_seq:
            raise JsonPatchError(f"doc is missing path: /{'/'.join(path)}")
        items = list(parent.items)
        del items[_index(step, len(items))]
        return sequence(items, parent.at)

    return _below(node, path, change)
