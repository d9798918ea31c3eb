"""What bases and their kustomizations need so that new objects are built beside the pods that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.edits.operations import CannotEditError
from dradsl.migrate.mapping.targets import Rejection
from dradsl.migrate.overlays.claims import add_objects, teach_names
from dradsl.migrate.overlays.original import base_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.rewrite_state import RewriteState

__all__ = ["place_added", "prepare_bases"]


def prepare_bases(state: RewriteState) -> None:
    """Handles bases whose objects got claims: their templates must get the names and namespaces of the pods."""
    for folder, found in state.found.tree.folders.items():
        listed = {path for each in found for path in each.resources}
        places = [place for place in state.edits.changed if place.file in listed]
        if not places:
            continue
        done: set[tuple[str, str, tuple[Any, ...], Place]] = set()
        for each in _kinds(state, folder, set(places)):
            if each in done:
                continue
            done.add(each)
            kind, group, pods, own = each
            try:
                teach_names(state.draft, state.found, folder, [(group, kind, p) for p in pods])
            except CannotEditError as error:
                state.fail([own], Rejection(str(error)))


def _kinds(
    state: RewriteState, folder: str, places: set[Place]
) -> Iterator[tuple[str, str, tuple[Any, ...], Place]]:
    builds = set(state.before.builds)
    for above in state.found.tree.around((folder,)):
        if above not in builds:
            continue
        for built in state.before.overlay(above).objects:
            base = base_of(built)
            if base is None or base not in places:
                continue
            made = state.before.expected(above, built)
            if made is not None and made[1].pods:
                yield made[0].kind, made[0].group, made[1].pods, base


def place_added(state: RewriteState) -> None:
    """Moves new objects that are in no built file to a built file in the same folder."""
    found = state.found
    for path, objects in state.edits.added.items():
        folder = next(
            (
                f
                for f, each in found.tree.folders.items()
                if (
                    any(path in one.resources for one in each)
                    and (f not in found.controllers or state.before.overlay(f).rejected is None)
                )
                or found.files.get(f) == path
                or path in found.generated.get(f, ())
                or path in found.values.get(f, ())
            ),
            None,
        )
        if folder is None:
            continue
        state.placed.add(path)
        namespace = found.values.get(folder, {}).get(path)
        if namespace is not None:
            objects = [
                {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
                if "namespace" not in obj["metadata"]
                else obj
                for obj in objects
            ]
        try:
            add_objects(state.draft, found, folder, objects)
        except CannotEditError as error:
            state.fail([p for p in state.edits.changed if p.file == path], Rejection(str(error)))
