"""What bases and their kustomizations need so that new objects are built beside the pods that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.edits.operations import CannotEditError
from dradsl.migrate.mapping.targets import Refusal
from dradsl.migrate.overlays.before import base_of
from dradsl.migrate.overlays.claims import add_objects, teach_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.work import Work

__all__ = ["place_added", "prepare_bases"]


def prepare_bases(work: Work) -> None:
    """Handles bases whose objects got claims: their templates must get the names and namespaces of the pods."""
    for folder, found in work.found.tree.folders.items():
        listed = {path for each in found for path in each.resources}
        places = [place for place in work.changed if place.file in listed]
        if not places:
            continue
        done: set[tuple[str, str, tuple[Any, ...], Place]] = set()
        for each in _kinds(work, folder, set(places)):
            if each in done:
                continue
            done.add(each)
            kind, group, pods, own = each
            try:
                work.follow(folder, kind)
                teach_names(work.draft, work.found, folder, [(group, kind, p) for p in pods])
            except CannotEditError as error:
                work.fail([own], Refusal(str(error)))


def _kinds(
    work: Work, folder: str, places: set[Place]
) -> Iterator[tuple[str, str, tuple[Any, ...], Place]]:
    builds = set(work.before.builds())
    for above in work.found.around(folder):
        if above not in builds:
            continue
        for built in work.before.overlay(above).objects:
            base = base_of(built)
            if base is None or base not in places:
                continue
            made = work.before.expected(above, built)
            if made is not None and made[1].pods:
                yield made[0].kind, made[0].group, made[1].pods, base


def place_added(work: Work) -> None:
    """Moves new objects that are in no built file to a built file in the same folder."""
    found = work.found
    for path, objects in work.added.items():
        folder = next(
            (
                f
                for f, each in found.tree.folders.items()
                if (
                    any(path in one.resources for one in each)
                    and (f not in found.controllers or work.before.overlay(f).refused is None)
                )
                or found.files.get(f) == path
                or path in found.generated.get(f, ())
                or path in found.values.get(f, ())
            ),
            None,
        )
        if folder is None:
            continue
        work.placed.add(path)
        namespace = found.values.get(folder, {}).get(path)
        if namespace is not None:
            objects = [
                {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
                if "namespace" not in obj["metadata"]
                else obj
                for obj in objects
            ]
        try:
            add_objects(work.draft, found, folder, objects)
        except CannotEditError as error:
            work.fail([p for p in work.changed if p.file == path], Refusal(str(error)))
