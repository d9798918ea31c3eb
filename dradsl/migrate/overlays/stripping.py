"""Device requests removed from patches, and changes written into them, in the form of each kind of patch.

A strategic merge patch says `null` for what it removes and names items of lists; a JSON patch (RFC 6902) has
operations. A list that Kustomize has no key for is replaced as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.edits.operations import Append, CannotEditError, Put, Remove
from dradsl.migrate.edits.patches import json_patch
from dradsl.migrate.places import value_in
from dradsl.text.paths import value_at
from dradsl.tree.kustomize.kustomization import is_json_patch
from dradsl.values.limits import MOST_LEVELS_OF_PATCHES
from dradsl.values.plain import list_at, member

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.text.paths import FieldPath

__all__ = ["stripped", "written_into"]

_SECTIONS = ("limits", "requests")
_NAMED = ("containers", "initContainers", "ephemeralContainers")
_MERGED_GROUPS = frozenset({"", "apps", "batch"})
_NOTHING = {"op": "copy", "from": "/kind", "path": "/kind"}


def stripped(data: object, resources: Container[str]) -> list[Operation]:
    """The operations that remove the requests for `resources` from a patch.

    Raises:
        CannotEditError: if the patch moves or copies them.
    """
    if is_json_patch(data) and isinstance(data, list):
        return list(_without_operations(data, resources))
    return list(_without_keys(data, (), resources))


def _without_keys(
    data: object, path: FieldPath, resources: Container[str], top: FieldPath = ()
) -> Iterator[Remove]:
    if len(path) > MOST_LEVELS_OF_PATCHES:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            if key in _SECTIONS and isinstance(value, dict):
                here = (*path, key)
                # The mapping above is removed too if it is `resources` and becomes empty.
                above = (path,) if path and path[-1] == "resources" and path != top else ()
                for name, amount in value.items():
                    if name in resources and amount is not None:  # null asks for nothing
                        yield Remove((*here, name), (here, *above) if here != top else ())
            else:
                yield from _without_keys(value, (*path, key), resources, top)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _without_keys(value, (*path, index), resources, top)


def _without_operations(data: list[Any], resources: Container[str]) -> Iterator[Operation]:
    gone: list[int] = []
    for index, operation in enumerate(data):
        steps = _steps(operation.get("path"))
        if operation.get("op") in ("move", "copy"):
            if any(step in resources for step in (*steps, *_steps(operation.get("from")))):
                raise CannotEditError("a JSON patch moves or copies a request")
            continue
        if len(steps) > 1 and steps[-2] in _SECTIONS and steps[-1] in resources:
            gone.append(index)
            continue
        value = operation.get("value")
        inside = steps[-1] if steps else ""
        if inside in _SECTIONS and isinstance(value, dict):
            found = [name for name in value if name in resources]
            if found and len(found) == len(value):
                gone.append(index)
                continue
            for name in found:
                yield Remove((index, "value", name))
        else:
            found_below = list(_without_keys(value, (index, "value"), resources, (index, "value")))
            found = [str(each.path[-1]) for each in found_below]
            yield from found_below
        if found and operation.get("op") == "replace" and inside in (*_SECTIONS, "resources"):
            yield Put(
                (index, "op"), "add"
            )  # what it replaces may have been removed with the requests
    if gone and len(gone) == len(data):
        # A JSON patch needs an operation: one that changes nothing keeps the place.
        yield from _nothing(data[gone.pop(0)])
    for index in reversed(gone):
        yield Remove((index,))


def _nothing(operation: dict[str, object]) -> Iterator[Operation]:
    if "value" in operation:
        yield Remove((0, "value"))
    for key, value in _NOTHING.items():
        yield Put((0, key), value)


def _steps(pointer: object) -> list[str]:
    if not isinstance(pointer, str):
        return []
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def written_into(
    patch: object, target: object, changes: Sequence[Put | Remove], group: str
) -> list[Operation]:
    """The operations with which a patch makes `changes` in its target as well. `target` is without
    these changes.

    Raises:
        CannotEditError: if a patch of that kind cannot express them.
    """
    if isinstance(patch, list):
        made: list[Operation] = [Append((), each) for each in json_patch(target, changes)]
        return made + [Remove((index,)) for index, each in enumerate(patch) if each == _NOTHING]
    if not isinstance(patch, dict):
        raise CannotEditError("the patch is neither an object nor a JSON patch")
    made = []
    added: dict[FieldPath, list[str]] = {}
    for change in changes:
        path, missing = _in_patch(patch, target, change.path, group, added)
        if missing is not None:
            made.append(missing)
        made.append(Put(path, None if isinstance(change, Remove) else change.value))
    return made


def _in_patch(
    patch: Any,
    target: Any,
    path: FieldPath,
    group: str,
    added: dict[FieldPath, list[str]],
) -> tuple[FieldPath, Operation | None]:
    """The path in a merge patch for a path in its target, and what must be added for it."""
    here: FieldPath = ()
    missing: Operation | None = None
    for depth, part in enumerate(path):
        if not isinstance(part, int):
            here = (*here, part)
            continue
        item = value_at(target, path[: depth + 1])
        name = member(item, "name")
        written = value_in(patch, here)
        if here[-1] not in _NAMED or not isinstance(name, str):
            raise CannotEditError(f"a merge patch cannot change one item of {here[-1]}")
        if group not in _MERGED_GROUPS:
            # Without a key the list of the patch replaces that of the object.
            raise CannotEditError(f"a merge patch replaces {here[-1]} as a whole in this kind")
        names = [member(each, "name") for each in list_at(written)]
        more = added.setdefault(here, [])
        if name not in (*names, *more):
            more.append(name)
            missing = Append(here, {"name": name})
        here = (*here, [*names, *more].index(name))
    return here, missing
