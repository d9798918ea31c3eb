"""Patches rewritten as patches: requests are removed from all of them, then what objects need is written into the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.detection.texts import names_device, texts_in
from dradsl.migrate.edits.operations import CannotEditError
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.mapping.targets import Rejection
from dradsl.migrate.overlays.alike import named_templates
from dradsl.migrate.overlays.claims import add_objects, teach_names
from dradsl.migrate.overlays.compare import identity, namespaces_of, templates_of
from dradsl.migrate.overlays.differences import differences, named_alike
from dradsl.migrate.overlays.rewrite_state import unbuilt
from dradsl.migrate.overlays.stripping import stripped, written_into
from dradsl.migrate.places import is_extended

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.patch_index import DevicePatch
    from dradsl.migrate.overlays.planned import Expected
    from dradsl.migrate.overlays.rewrite_state import RewriteState
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["complete", "strip"]


class _Devices:
    """All names of devices."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and is_extended(name) and is_device(name, self._catalogue)


def strip(state: RewriteState, folders: list[str]) -> None:
    """Remove the requests from every patch that is to be rewritten."""
    catalogue = state.before.planner.catalogue
    devices = _Devices(catalogue)
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
                _expect_no_text(data, catalogue)
                state.draft.edit(patch.place, stripped(data, devices))
            except CannotEditError as error:
                state.fail([patch.place], Rejection(f"the patch cannot be rewritten: {error}"))


def _expect_no_text(data: object, catalogue: Catalogue) -> None:
    if names_device([text for _, text in texts_in(data) if "\n" in text], catalogue):
        raise CannotEditError("it asks in a text within it")


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
    templates = templates_of(after.objects)
    specs: dict[str, object] = {}
    for namespace in (key[2], *namespaces_of(other.data)):
        specs |= templates.get(namespace, {})
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
