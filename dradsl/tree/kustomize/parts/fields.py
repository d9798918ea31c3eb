"""Fields by their paths: `spec/containers[]/image` of field specs, `spec.containers.[name=a].image` of replacements.

Upstream: kustomize api/filters/fieldspec, kyaml yaml/fns.go (PathGetter), yaml/match.go (PathMatcher).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dradsl.tree.nodes import KustomizeError, SourcePlace, ValueNode, mapping, scalar, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from dradsl.tree.kustomize.parts.resources import Resource
    from dradsl.tree.kustomize.parts.specs import FieldSpec

    Made: TypeAlias = Literal["", "map", "scalar", "seq"]

__all__ = ["Change", "change_field", "lookup", "match", "split_fields", "split_path"]

Change = Callable[[ValueNode], ValueNode]


def split_path(path: str, sign: str = "/") -> list[str]:
    r"""The steps of a path; `\/` is no end of a step."""
    pieces = path.split(sign)
    if len(pieces) > 1 and not pieces[0]:
        pieces = pieces[1:]
    steps = [pieces[0]]
    for piece in pieces[1:]:
        if steps[-1].endswith("\\"):
            steps[-1] = steps[-1][:-1] + sign + piece
        else:
            steps.append(piece)
    return steps


def split_fields(path: str) -> list[str]:
    """The steps of a path with dots; what is in brackets is one step."""
    made: list[str] = []
    pieces = split_path(path, ".")
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if piece.startswith("[") and not piece.endswith("]"):
            inside = [piece]
            while at < len(pieces) - 1:
                at += 1
                inside.append(pieces[at])
                if pieces[at].endswith("]"):
                    break
            text = ".".join(inside)
            made.append(text if "=" in text else text.strip("[]"))
        else:
            made.append(piece)
        at += 1
    return made


# Field specs


def change_field(
    resource: Resource, spec: FieldSpec, change: Change, at: SourcePlace | None, make: Made = ""
) -> None:
    """Change the fields that a spec means.

    Raises:
        KustomizeError: if the path leads through a scalar.
    """
    if spec.kind.selects(resource.kind):
        steps = split_path(spec.path)
        resource.node = _change(resource.node, steps, 0, change, at, make if spec.create else "")


def _change(
    node: ValueNode,
    steps: Sequence[str],
    index: int,
    change: Change,
    at: SourcePlace | None,
    make: Made,
) -> ValueNode:
    if index == len(steps):
        return change(node)
    if node.is_null:
        return node
    if node.is_seq:
        return node.with_items(
            [_change(item, steps, index, change, at, make) for item in node.items]
        )
    if not node.is_map:
        raise KustomizeError(f"expected sequence or mapping node at '{'/'.join(steps[:index])}'")
    step = steps[index]
    name = step.removesuffix("[]")
    if not name:
        raise KustomizeError("cannot set or create an empty field name")
    is_list = name != step
    field = node.fields.get(name)
    last = index == len(steps) - 1
    kind: Made = "" if is_list or not make else make if last else "map"
    if field is None:
        if not kind:
            return node
        field = _empty(kind, at)
    elif field.is_null and (kind or is_list):
        field = _empty(kind or "seq", at)
    return node.with_field(name, _change(field, steps, index + 1, change, at, make))


def _empty(kind: Made, at: SourcePlace | None) -> ValueNode:
    if kind == "map":
        return mapping({}, at)
    if kind == "seq":
        return sequence([], at)
    return scalar("", at, "")


# Paths with dots


def _index(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\+?[0-9]{1,9}", text) else None


def _is_list_index(step: str) -> bool:
    return step.startswith("[") and step.endswith("]")


def _name_value(step: str) -> tuple[str, str]:
    name, equals, value = step.removesuffix("]").removeprefix("[").partition("=")
    if not equals:
        raise KustomizeError(
            "list path element must contain fieldName=fieldValue for element to match"
        )
    return name, value


def lookup(node: ValueNode, steps: Sequence[str]) -> ValueNode | None:
    """The value at a path; None if it is not there.

    Raises:
        KustomizeError: if the path does not fit.
    """
    found: ValueNode | None = node
    for step in (each.strip() for each in steps):
        if not step:
            continue
        if found is None or found.is_null:
            return None
        if re.fullmatch(r"-[0-9]+", step):
            raise KustomizeError(f"array index {step} cannot be negative")
        index = -1 if step == "-" else _index(step)
        if index is not None:
            _expect(found, "seq")
            items = found.items
            if index < 0 and not items:
                raise KustomizeError("the list has no last element")
            found = items[index] if index < len(items) else None
        elif step == "*":
            raise KustomizeError("wildcard is not supported in PathGetter")
        elif _is_list_index(step):
            _expect(found, "seq")
            name, value = _name_value(step)
            found = next((each for each in found.items if _is_element(each, name, value)), None)
        else:
            _expect(found, "map")
            found = found.fields.get(step)
    return found


def _is_element(item: ValueNode, name: str, value: str) -> bool:
    if not name:
        return item.is_scalar and item.text == value
    field = item.get(name)
    return field is not None and field.is_scalar and field.text == value


def _expect(node: ValueNode, kind: str) -> None:
    if not (node.is_null or (node.is_map if kind == "map" else node.is_seq)):
        raise KustomizeError(f"wrong node kind: expected {kind}")


def match(
    node: ValueNode, steps: Sequence[str], change: Change, make: Made, at: SourcePlace | None
) -> tuple[ValueNode, int]:
    """Change all that a path matches; how many there are.

    Raises:
        KustomizeError: if the path does not fit.
    """
    if not steps:
        return change(node), 1
    step, rest = steps[0], steps[1:]
    index = _index(step)
    if index is not None:
        return _match_index(node, index, rest, change, make, at)
    if _is_list_index(step):
        return _match_items(node, step, rest, change, make, at)
    if step == "*":
        return _match_every(node, rest, change, make, at)
    _expect(node, "map")
    field = node.fields.get(step)
    if field is None:
        if not make:
            return node, 0
        field = _made_for(rest, make, at)
    if field.is_scalar and not field.is_null and rest:
        # Kustomize changes a copy of what the text holds, which is lost.
        return node, 0
    value, count = match(field, rest, change, make, at)
    return node.with_field(step, value), count


def _made_for(rest: Sequence[str], make: Made, at: SourcePlace | None) -> ValueNode:
    following = rest[0] if rest else ""
    if _is_list_index(following) or _index(following) is not None:
        return sequence([], at)
    return _empty(make if not following else "map", at)


def _match_index(
    node: ValueNode,
    index: int,
    rest: Sequence[str],
    change: Change,
    make: Made,
    at: SourcePlace | None,
) -> tuple[ValueNode, int]:
    _expect(node, "seq")
    items = list(node.items)
    if len(items) == index and make:
        items.append(_made_for(rest, make, at))
    if len(items) <= index:
        raise KustomizeError(f"index {index} specified but only {len(items)} elements found")
    items[index], count = match(items[index], rest, change, make, at)
    return sequence(items, node.at), count


def _match_every(
    node: ValueNode, rest: Sequence[str], change: Change, make: Made, at: SourcePlace | None
) -> tuple[ValueNode, int]:
    if node.is_null:
        return node, 0
    _expect(node, "seq")
    found = [match(item, rest, change, make, at) for item in node.items]
    return sequence([each for each, _ in found], node.at), sum(count for _, count in found)


def _match_items(
    node: ValueNode,
    step: str,
    rest: Sequence[str],
    change: Change,
    make: Made,
    at: SourcePlace | None,
) -> tuple[ValueNode, int]:
    from dradsl.tree.kustomize.parts.select import search

    name, value = _name_value(step)
    _expect(node, "seq")
    items = list(node.items)
    count = 0
    for index, item in enumerate(items):
        field = item.get(name) if name else item
        if field is None or not search(value, _shown(field)):
            continue
        items[index], more = match(item, rest if name else (), change, make, at)
        count += more
    if count or not make:
        return (sequence(items, node.at) if count else node), count
    made = scalar(value, at, "") if not name else mapping({name: scalar(value, at, "")}, at)
    if not search(value, value):
        raise KustomizeError(f"failed to create element for {step!r}")
    items.append(made)
    return _match_items(sequence(items, node.at), step, rest, change, make, at)


def _shown(node: ValueNode) -> str:
    return node.text.strip() if node.is_scalar else str(node.plain())
