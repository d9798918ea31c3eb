"""The builds of both sides compared: of folders, and of what Flux and Argo CD build of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.compare import (
    Expected,
    as_file,
    claims_beside,
    generated_anew,
    identity,
    lint_faults,
    new_objects,
    problem_of,
    specs_of,
    under_old_names,
)
from dradsl.migrate.overlays.controllers import build_controller
from dradsl.migrate.overlays.original import base_of
from dradsl.migrate.overlays.rewrite_state import unbuilt
from dradsl.migrate.result import BuildPair
from dradsl.records import replace
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.overlays.rewrite_state import RewriteState
    from dradsl.migrate.result import Migrated
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay

__all__ = ["prove_builds"]

_OWN_PATCHES = (
    ": patches on devices in objects of Flux and Argo CD are not translated. A kustomization in the folder that has the "
    "patch is"
)


def prove_builds(state: RewriteState, folders: Sequence[str]) -> None:
    """Build all folders as they were and as they are now; anything that differs from the plan fails."""
    for folder in folders:
        state.options.deadline.check()
        made = list(_proved(state, folder))
        if made:
            state.sides[folder] = made
    for places, space, name in state.named:
        if (space, name) not in state.claims:
            reason = f"ResourceClaim {name} is built in none of the namespaces where it is named"
            state.fail(places, Rejection(reason))


def _proved(state: RewriteState, folder: str) -> Iterator[BuildPair]:
    before = state.before.overlay(folder)
    controller = state.found.controllers.get(folder)
    if controller is not None and controller.is_flux:
        filled = state.before.filled(controller)
        if filled.rejected is None:
            after = build_controller(state.draft.builder(), controller, state.before.sources)
            yield from _both(state, folder, filled, after)
            if state.is_compared_only(folder):
                return
    if before.rejected is not None:  # a folder that counts has failed before
        return
    sides = list(_both(state, folder, before, state.build(folder)))
    if controller is None or not controller.is_flux or filled.rejected is not None:
        yield from sides


def _both(state: RewriteState, folder: str, before: Overlay, after: Overlay) -> Iterator[BuildPair]:
    if after.rejected is not None:
        reason = unbuilt(state.title(folder), f"after the migration: {after.rejected}")
        state.fail(state.places(folder), reason)
        return
    if not state.is_compared_only(folder):
        yield _compared(state, folder, before, after)
        return
    key = (id(before), id(after))
    if key not in state.compared:  # else another object builds the same
        state.compared[key] = (before, after, _compared(state, folder, before, after))
    yield replace(state.compared[key][2], name=state.title(folder))


def _compared(state: RewriteState, folder: str, before: Overlay, after: Overlay) -> BuildPair:
    """Both builds of a folder, after every object was compared with its plan; what differs is rejected."""
    name = state.title(folder)
    new = generated_anew(before.objects, after.objects)
    objects = tuple(under_old_names(each, new) for each in after.objects)
    others = {identity(each.data): each for each in objects}
    claims = [each.data for each in objects]
    workloads: list[Migrated] = []
    for built in before.objects:
        expected = _expected(state, folder, built)
        if expected is None:
            continue
        key = identity(built.data)
        workloads += [
            replace(each, namespace=key[2] or None, name=key[3]) for each in expected.workloads
        ]
        problem = _problem(state, built, others.get(key), expected, claims)
        if problem is not None:
            at = state.of_object(folder, built) or list(state.places(folder))
            more = _OWN_PATCHES if folder in state.found.patching else ""
            state.fail(at, Rejection(f"built with {name}, {key[1]} {key[3]} {problem}{more}"))
    state.claims |= {
        identity(each.data)[2:]
        for each in after.objects
        if identity(each.data)[1] == "ResourceClaim"
    }
    for new_one in new_objects(before.objects, objects):
        state.fail(state.places(folder), Rejection(f"{name} would build {new_one} as well"))
    own = None if folder in state.found.controllers else folder
    side = BuildPair(name, before.objects, after.objects, tuple(workloads), own)
    options = state.options
    if options.prove:
        for fault in lint_faults(as_file(side), options.kube_version, options.deadline):
            reason = f"{name} would have an error when it is built: {fault}"
            state.fail(state.places(folder), Rejection(reason))
    return side


def _expected(state: RewriteState, folder: str, built: BuiltObject) -> Expected | None:
    """What an object must become, with the texts in it that changed; None if that is rejected."""
    places = state.of_object(folder, built)
    made = state.before.expected(folder, built) if places else None
    expected = made[1] if made is not None else Expected(built.data)
    if expected.rejection is not None:
        state.fail(places, expected.rejection)
        return None
    state.named += [
        (places, identity(built.data)[2], each["metadata"]["name"])
        for each in expected.templates
        if each["kind"] == "ResourceClaim"
    ]
    return replace(expected, data=_with_texts(state, built, expected.data))


def _problem(
    state: RewriteState,
    built: BuiltObject,
    other: BuiltObject | None,
    expected: Expected,
    claims: Sequence[object],
) -> str | None:
    """What is wrong with the object that came of a built one, in a sentence without its name."""
    is_generated = identity(built.data)[1] in ("ConfigMap", "Secret")
    if other is not None and is_generated and _is_of_files(state, built, other):
        return None
    if base_of(built) in state.changed and not expected.items:
        return None  # values that name no device, as a recipe knows them: they are compared in their file
    data = None if other is None else other.data
    specs = specs_of(claims_beside(data, claims), None)
    return problem_of(built.data, data, expected, specs)


def _with_texts(state: RewriteState, built: BuiltObject, data: object) -> object:
    """An object with the manifests and values in its texts as they are now."""
    base, at = base_of(built), built.node.at
    if base is None or at is None:
        return data
    file = state.files.get(base.file)
    for document, path in () if file is None else file.read:
        if document == base.document and path[: len(at.path)] == at.path:
            place = replace(base, text=path)
            texts = state.draft.texts_at(place, state.before.texts)
            data = _with_text(data, path[len(at.path) :], *texts)
    return data


def _with_text(data: Any, path: Sequence[str | int], old: str, new: str) -> Any:
    """Data with a new text at a path if the old text is there; other data as it is."""
    if not path:
        return new if data == old else data
    step, rest = path[0], path[1:]
    if isinstance(data, dict) and step in data:
        return {**data, step: _with_text(data[step], rest, old, new)}
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return [*data[:step], _with_text(data[step], rest, old, new), *data[step + 1 :]]
    return data


def _is_of_files(state: RewriteState, before: BuiltObject, after: BuiltObject) -> bool:
    """Whether a generated object differs only by the changes in the files that it holds."""
    one, other = mapping_at(before.data, "data"), mapping_at(after.data, "data")
    became = {
        text: state.draft.texts[path]
        for path, text in state.before.texts.items()
        if text != state.draft.texts[path]
    }
    return one.keys() == other.keys() and all(
        other[key] == text or other[key] == became.get(str(text)) for key, text in one.items()
    )
