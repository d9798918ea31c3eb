"""Strategic merge patches, as Kustomize applies them (kyaml yaml/merge2, yaml/walk).

Not all of it is what the API server does: what a patch adds to a list stands first, an element of a list
cannot be replaced by its `$patch`, and a null that is written as nothing goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dradsl.tree.kustomize.parts.resources import FieldSchema, tables
from dradsl.tree.nodes import KustomizeError, ValueNode, mapping, scalar, sequence

__all__ = ["merge"]

_PATCH = "$patch"


def merge(target: ValueNode, patch: ValueNode) -> ValueNode | None:
    """The target with the patch applied; None if the patch deletes it."""
    return _merge(target, patch, None)


def _missing(node: ValueNode | None) -> bool:
    return node is None or node.is_null


def _merge(
    target: ValueNode | None, patch: ValueNode | None, shape: FieldSchema | None
) -> ValueNode | None:
    if shape is None:
        for each in (target, patch):
            if each is not None and each.is_map:
                shape = tables().of_object(each)
                if shape is not None:
                    break
    first = target if not _missing(target) else patch if not _missing(patch) else None
    if first is None or first.is_map:
        _expect(target, patch, "is_map")
        return _maps(target, patch, shape)
    if first.is_seq:
        _expect(target, patch, "is_seq")
        if shape is not None and shape.keys is not None:
            return _lists(target, patch, shape, shape.keys)
        return patch if patch is not None else target
    _expect(target, patch, "is_scalar")
    return _in_place(target, patch) if patch is not None else target


def _expect(target: ValueNode | None, patch: ValueNode | None, kind: str) -> None:
    for each in (target, patch):
        if each is not None and not each.is_null and not getattr(each, kind):
            raise KustomizeError("a patch has a value of another type than its target")


# Mappings


def _maps(
    target: ValueNode | None, patch: ValueNode | None, shape: FieldSchema | None
) -> ValueNode | None:
    what, patch = _directive(patch, strict=not _missing(target) and not _is_null(patch))
    if _missing(target):
        if what == "delete":
            return None
        if patch is None:
            if target is not None and target.text:
                target.keep = True
                return target
            return None
        if patch.is_null:
            return patch
        target = patch
    elif _is_null(patch) or what == "delete":
        return None
    elif what == "replace":
        target = patch
    if target is None:
        return None
    if patch is None and not _to_do(target.plain()):
        return target
    names = dict.fromkeys(target.fields)
    if patch is not None:
        names.update(dict.fromkeys(patch.fields))
    made: dict[str, ValueNode] = {}
    same = True
    for name in names:
        before = target.fields.get(name)
        after = patch.fields.get(name) if patch is not None else None
        value = _merge(before, after, tables().field(shape, name))
        if value is None or (value.is_null and not value.keep):
            same = False
            continue
        if value is not before:
            same = False
            if before is not None and value.is_scalar and before.is_scalar:
                value = _in_place(before, value)
        made[name] = value
    return target if same else mapping(made, target.at)


def _directive(patch: ValueNode | None, *, strict: bool) -> tuple[str, ValueNode | None]:
    """What `$patch` says, and the patch without it."""
    if patch is None or not patch.is_map:
        return "merge", patch
    found = patch.fields.get(_PATCH)
    if found is None:
        return "merge", patch
    what = found.text
    if what not in ("delete", "replace", "merge"):
        if strict:
            raise KustomizeError(f"unknown patch strategy '{what}'")
        return "merge", patch
    return what, patch.with_field(_PATCH, None)


# Lists with keys


def _lists(
    target: ValueNode | None,
    patch: ValueNode | None,
    shape: FieldSchema,
    keys: tuple[str, ...],
) -> ValueNode | None:
    if _missing(target):
        # What is added is merged with itself, which takes nulls and directives out.
        target = patch
        if target is None or target.is_null:
            return target
    elif _is_null(patch):
        return None
    elif patch is not None:
        what, patch = _list_directive(patch)
        if what == "delete":
            return None
        if what == "replace":
            target = patch
    if target is None:
        return None
    if patch is None and not _to_do(target.plain()) and _alike(target, keys):
        return target
    sources = [patch, target]
    if not keys:
        texts = dict.fromkeys(
            item.text for each in sources if each is not None for item in each.items
        )
        return _put_together([(text,) for text in texts], ("",), target, patch, None)
    seen = dict.fromkeys(
        _values_of_keys(item, keys)
        for each in sources
        for item in (each.items if each is not None else ())
    )
    found = [list(each) for each in seen]
    if len(keys) > 1:
        _merge_values(found)
    inner = FieldSchema(None, shape.type) if shape.type is not None else None
    return _put_together([tuple(each) for each in found], keys, target, patch, inner)


def _list_directive(patch: ValueNode) -> tuple[str, ValueNode]:
    """What an item `$patch` of the list says, if it says nothing else."""
    for item in patch.items:
        found = item.get(_PATCH)
        if found is None:
            continue
        if len(item.fields) > 1:
            return "merge", patch
        what = found.text
        if what not in ("delete", "replace", "merge"):
            raise KustomizeError(f"unknown patch strategy '{what}'")
        rest = _set_element(list(patch.items), None, (_PATCH,), (what,))
        return what, sequence(rest, patch.at)
    return "merge", patch


def _put_together(
    values: list[tuple[str, ...]],
    keys: tuple[str, ...],
    target: ValueNode,
    patch: ValueNode | None,
    inner: FieldSchema | None,
) -> ValueNode | None:
    rest = list(target.items)
    added: list[ValueNode] = []
    valid = keys
    itself = patch is not None and target is patch
    for each in values:
        if not each:
            continue
        valid, wanted = _valid(values, each, keys)
        own, its = _valid([wanted], wanted, valid)
        old = _element(rest, own, its)
        new = _element(patch.items, own, its) if patch is not None else None
        if itself:
            new = old
        value = _merge(old, new, inner)
        if value is None or value.is_null or (value.is_map and not value.fields):
            rest = _set_element(rest, None, valid, wanted)
            continue
        for key, text in zip(valid, wanted, strict=False):
            if key and text and value.is_map and key not in value.fields:
                value = value.with_field(key, scalar(text, value.at, ""))
        replaced = new is not None and new.is_map and _says(new, "replace")
        if old is not None and not (replaced and not itself):
            rest = [value if item is old else item for item in rest]
        added = _set_element(added, value, valid, wanted)
    return sequence(_append(added, rest, valid), target.at)


def _values_of_keys(item: ValueNode, keys: Iterable[str]) -> tuple[str, ...]:
    """The values that tell an item of a list from the others."""
    fields = (item.get(key) for key in keys)
    return tuple("" if each is None or each.is_empty else each.text for each in fields)


def _is_null(node: ValueNode | None) -> bool:
    return node is not None and node.is_null


def _says(node: ValueNode, what: str) -> bool:
    found = node.fields.get(_PATCH)
    return found is not None and found.text == what


def _in_place(before: ValueNode | None, after: ValueNode) -> ValueNode:
    """A scalar in the place of another one, whose quotes stay."""
    if (
        before is None
        or before is after
        or not (before.is_scalar and after.is_scalar)
        or after.is_null
        or after.tag == "str"
        or before.tag != "str"
        or not before.quoted
    ):
        return after
    return scalar(after.text, after.at, "str")


def _to_do(data: object) -> bool:
    """Whether something in plain data changes by being looked at: a null, or an empty item."""
    if isinstance(data, dict):
        return any(_to_do(value) for value in data.values())
    if isinstance(data, list):
        return any(_to_do(value) or value == {} for value in data)
    return data is None


def _alike(target: ValueNode, keys: tuple[str, ...]) -> bool:
    """Whether all items of a list have their keys, each its own."""
    seen = set()
    for item in target.items:
        values = tuple(
            field.text if (field := item.get(key)) is not None else "" for key in keys
        ) or (item.text,)
        if "" in values or values in seen:
            return False
        seen.add(values)
    return True


def _merge_values(found: list[list[str]]) -> None:
    for i in range(len(found)):
        for j in range(len(found)):
            one, other = found[i], found[j]
            common, made = False, []
            for a, b in zip(one, other, strict=True):
                if a == b:
                    common = True
                elif a and b:
                    break
                made.append(a or b)
            else:
                if common:
                    found[i] = made
                    found[j] = made


def _valid(
    every: Sequence[tuple[str, ...]], values: tuple[str, ...], keys: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that some item has, and the values for them."""
    known = {keys[i] for each in every for i, value in enumerate(each) if value}
    if not known:
        return keys, values
    return (
        tuple(key for key in keys if key in known),
        tuple(v for v, key in zip(values, keys, strict=True) if v or key in known),
    )


def _element(
    items: Sequence[ValueNode], keys: tuple[str, ...], values: tuple[str, ...]
) -> ValueNode | None:
    if not keys[0]:
        return next((item for item in items if item.text == values[0]), None)
    for item in items:
        if item.is_map and all(
            (field := item.fields.get(key)) is not None and field.text == value
            for key, value in zip(keys, values, strict=False)
        ):
            return item
    return None


def _set_element(
    items: list[ValueNode],
    element: ValueNode | None,
    keys: tuple[str, ...],
    values: tuple[str, ...],
) -> list[ValueNode]:
    """The list with the element in place of those with these values, or behind the others; without one
    they go. An empty value is any."""
    made: list[ValueNode] = []
    found = False
    maps = bool(keys and keys[0] and values and values[0])
    for item in items:
        if item.is_null or (item.is_map and not item.fields):
            continue
        if not item.is_map and maps:
            made.append(item)
            continue
        if not _fits(item, keys, values):
            made.append(item)
            continue
        found = True
        if element is not None:
            made.append(element)
    if element is not None and not found:
        made.append(element)
    return made


def _fits(item: ValueNode, keys: tuple[str, ...], values: tuple[str, ...]) -> bool:
    for key, value in zip(keys, values, strict=False):
        if not key:
            if item.text != value:
                return False
            continue
        field = item.fields.get(key)
        if field is None or (value and field.text != value):
            return False
    return True


def _append(
    added: list[ValueNode], rest: list[ValueNode], keys: tuple[str, ...]
) -> list[ValueNode]:
    """What is merged, and behind it what else the target holds."""
    if keys == ("",):
        for item in rest:
            added = _set_element(added, item, keys, (item.text,))
        return added
    for item in rest:
        values: list[str] = []
        for key in keys:
            field = item.get(key)
            if field is None:
                # As there: an item without a key is put in once for each key that it lacks.
                added = [*added, item]
                continue
            values.append(field.text)
        if not values:
            added = [item]  # as there: what was before goes
            continue
        if len(keys) > 1:
            added = _set_element(added, None, keys, tuple(values))
        added = _set_element(added, item, keys, tuple(values))
    return added
