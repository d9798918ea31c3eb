"""Patches rewritten as patches: requests are removed from all of them, then what objects need is written into the last.

A strategic merge patch says `null` for what it removes and names items of lists; a JSON patch (RFC 6902) has
operations. A list that Kustomize has no key for is replaced as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.texts import asks_for_device, names_device, texts_in
from dradsl.migrate.edits.operations import Append, CannotEditError, Put, Remove, json_patch
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.claims import add_objects, teach_names
from dradsl.migrate.overlays.compare import (
    claims_beside,
    differences,
    identity,
    named_alike,
    named_templates,
)
from dradsl.migrate.overlays.rewrite_state import unbuilt
from dradsl.migrate.places import BUILT_IN
from dradsl.text.paths import value_at
from dradsl.tree.kustomize.kustomization import is_json_patch
from dradsl.values.limits import MOST_LEVELS_OF_PATCHES
from dradsl.values.plain import find_at, list_at, member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.overlays.compare import Expected
    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.patch_index import DevicePatch
    from dradsl.migrate.overlays.rewrite_state import RewriteState
    from dradsl.text.paths import FieldPath
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["complete", "strip"]


def strip(state: RewriteState, folders: list[str]) -> None:
    """Remove the requests from every patch that is to be rewritten."""
    catalogue = state.before.planner.catalogue
    done: set[Place] = set()
    for folder in folders:
        for patch in state.patches_to_rewrite(folder):
            if patch.place in done or patch.place in state.failed:
                continue
            done.add(patch.place)
            if not patch.edited:
                continue
            try:
                data = state.draft.data(patch.place)
                state.draft.edit(patch.place, stripped(data, catalogue))
            except CannotEditError as error:
                state.fail([patch.place], Rejection(f"the patch cannot be rewritten: {error}"))


def complete(state: RewriteState, folder: str) -> None:
    """Write into the patches of a folder what its objects still need."""
    patches = state.patches_to_rewrite(folder, components=True)
    before = state.before.overlay(folder)
    if not patches or before.rejected is not None:
        return
    after = state.build(folder)
    touched: set[Place] = set()
    for built in before.objects:
        own = [p for p in state.before.concerning(folder, built) if p in patches]
        if not own or any(place in state.failed for place in state.of_object(folder, built)):
            continue
        made = state.before.expected(folder, built)
        if made is None:
            continue
        manifest, expected = made
        if expected.rejection is not None:
            state.fail([own[-1].place], expected.rejection)
            continue
        for patch in own:
            state.translated.setdefault(patch.place, []).extend(expected.items)
        if any(patch.place in touched for patch in own):
            after = state.build(folder)
        if after.rejected is not None:
            reason = unbuilt(state.title(folder), f"after the migration: {after.rejected}")
            state.fail(state.places(folder), reason)
            return
        try:
            place = _completed(state, built, after, own, manifest, expected)
        except CannotEditError as error:
            state.fail([own[-1].place], Rejection(f"the patch cannot be rewritten: {error}"))
            continue
        if place is not None:
            touched.add(place)


def _completed(
    state: RewriteState,
    built: BuiltObject,
    after: Overlay,
    own: list[DevicePatch],
    manifest: Manifest,
    expected: Expected,
) -> Place | None:
    key = identity(built.data)
    other = next((each for each in after.objects if identity(each.data) == key), None)
    if other is None:
        raise CannotEditError(f"{manifest.title} is not built any more")
    claims = claims_beside(other.data, (each.data for each in after.objects))
    specs = {identity(each)[3]: each.get("spec") for each in claims}
    planned = {each["metadata"]["name"]: each["spec"] for each in expected.templates}
    target = named_alike(other.data, expected.data, specs, planned)
    left = list(differences(other.data, target))
    if not left:
        return None
    patch = next((each for each in reversed(own) if each.edited), None)
    if patch is None:
        raise CannotEditError(f"{own[-1].title} is not among the files of the run")
    data = state.draft.data(patch.place)
    state.draft.edit(patch.place, written_into(data, other.data, left, manifest.group))
    named = set(named_templates(target))
    fresh = [
        each
        for each in expected.templates
        if each["metadata"]["name"] in named and each["metadata"]["name"] not in specs
    ]
    if fresh:
        add_objects(state.draft, state.found, patch.owner, fresh)
        specs_of = [(manifest.group, manifest.kind, pod) for pod in expected.pods]
        teach_names(state.draft, state.found, patch.owner, specs_of)
    return patch.place


_SECTIONS = ("limits", "requests")
_NAMED = ("containers", "initContainers", "ephemeralContainers")
_NOTHING = {"op": "copy", "from": "/kind", "path": "/kind"}


def stripped(data: object, catalogue: Catalogue) -> list[Operation]:
    """The operations that remove the requests for devices from a patch.

    Raises:
        CannotEditError: if the patch moves or copies them, or asks in a text within it.
    """
    if names_device([text for _, text in texts_in(data) if "\n" in text], catalogue):
        raise CannotEditError("it asks in a text within it")
    if is_json_patch(data) and isinstance(data, list):
        return list(_without_operations(data, catalogue))
    return list(_without_keys(data, (), catalogue))


def _without_keys(
    data: object, path: FieldPath, catalogue: Catalogue, top: FieldPath = ()
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
                    if (
                        asks_for_device(str(name), catalogue) and amount is not None
                    ):  # null asks for nothing
                        yield Remove((*here, name), (here, *above) if here != top else ())
            else:
                yield from _without_keys(value, (*path, key), catalogue, top)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _without_keys(value, (*path, index), catalogue, top)


def _without_operations(data: list[Any], catalogue: Catalogue) -> Iterator[Operation]:
    gone: list[int] = []
    for index, operation in enumerate(data):
        steps = _steps(operation.get("path"))
        if operation.get("op") in ("move", "copy"):
            every = (*steps, *_steps(operation.get("from")))
            if any(asks_for_device(step, catalogue) for step in every):
                raise CannotEditError("a JSON patch moves or copies a request")
            continue
        if len(steps) > 1 and steps[-2] in _SECTIONS and asks_for_device(steps[-1], catalogue):
            gone.append(index)
            continue
        value = operation.get("value")
        inside = steps[-1] if steps else ""
        if inside in _SECTIONS and isinstance(value, dict):
            found = [name for name in value if asks_for_device(str(name), catalogue)]
            if found and len(found) == len(value):
                gone.append(index)
                continue
            for name in found:
                yield Remove((index, "value", name))
        else:
            found_below = list(_without_keys(value, (index, "value"), catalogue, (index, "value")))
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
        written = find_at(patch, here)
        if here[-1] not in _NAMED or not isinstance(name, str):
            raise CannotEditError(f"a merge patch cannot change one item of {here[-1]}")
        if group not in BUILT_IN:
            # Without a key the list of the patch replaces that of the object.
            raise CannotEditError(f"a merge patch replaces {here[-1]} as a whole in this kind")
        names = [member(each, "name") for each in list_at(written)]
        more = added.setdefault(here, [])
        if name not in (*names, *more):
            more.append(name)
            missing = Append(here, {"name": name})
        here = (*here, [*names, *more].index(name))
    return here, missing
