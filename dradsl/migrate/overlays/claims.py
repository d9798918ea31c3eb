"""New objects in files of their own, and what bases and kustomizations need to build them beside the pods that name them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dradsl.migrate.edits.operations import Append, CannotEditError
from dradsl.migrate.kustomize.tree import quoted_path
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.drafts import Place
from dradsl.migrate.overlays.original import base_of
from dradsl.text.documents import load
from dradsl.text.render import render_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.overlays.drafts import TreeEdit
    from dradsl.migrate.overlays.patch_index import PatchIndex
    from dradsl.migrate.overlays.rewrite_state import RewriteState
    from dradsl.text.paths import FieldPath

__all__ = ["add_objects", "place_added", "prepare_bases", "teach_names"]

_OBJECTS = "claims"
_NAMES = "claim-names"
_KIND = "ResourceClaimTemplate"


def add_objects(
    draft: TreeEdit, found: PatchIndex, folder: str, objects: Sequence[Mapping[str, object]]
) -> None:
    """Put objects into a file of the folder that its kustomization takes in.

    Raises:
        CannotEditError: if its kustomization cannot be changed.
    """
    folder = found.home(folder)
    path = _own_file(draft, folder, _OBJECTS)
    text = draft.made.get(path, "")
    known = [document.data for document in load(text.encode()).documents]
    fresh = [obj for obj in objects if obj not in known]
    for obj in fresh:
        text += ("---\n" if text else "") + render_block(obj) + "\n"
    # Flux and Argo CD take all files of a folder without a kustomization.
    takes_all = any(each.folder == folder for each in found.controllers.values())
    is_listed = not takes_all or folder in found.tree.folders
    if path not in draft.made and fresh and is_listed:
        listed = Append(("resources",), os.path.basename(path))
        draft.edit(_kustomization(draft, found, folder), [listed])
    draft.make(path, text)


def _own_file(draft: TreeEdit, folder: str, stem: str) -> str:
    """The file that this run made under a name, or the first name that is free."""
    number = 1
    while True:
        path = os.path.join(folder, f"{stem}{'' if number == 1 else f'-{number}'}.yaml")
        if path in draft.made or not draft.exists(path):
            return path
        number += 1


def _kustomization(draft: TreeEdit, found: PatchIndex, folder: str) -> Place:
    path = found.files.get(folder)
    if path is None:
        shown = quoted_path(folder)
        raise CannotEditError(
            f"the kustomization of {shown} is not among the files of the run: dradsl migrate {shown} reads it too"
        )
    document = next((d for d in draft.stream(path).documents if isinstance(d.data, dict)), None)
    if document is None:
        raise CannotEditError("the kustomization cannot be read")
    return Place(path, document.index)


def teach_names(
    draft: TreeEdit, found: PatchIndex, folder: str, specs: Iterable[tuple[str, str, FieldPath]]
) -> None:
    """Tell Kustomize, if a build of `folder` renames objects, that pods name claim templates. Otherwise
    a `namePrefix` would change the template alone. `specs` are group, kind and path of the pods.

    Raises:
        CannotEditError: if its kustomization cannot be changed.
    """
    if not found.tree.renames((folder, found.home(folder))):
        return
    folder = found.home(folder)
    path = _own_file(draft, folder, _NAMES)
    rows = _rows(draft.made.get(path, ""))
    for group, kind, pod in specs:
        words = [str(part) for part in pod if isinstance(part, str)]
        spec = {"path": "/".join((*words, "resourceClaims", "resourceClaimTemplateName"))}
        row = {**spec, **({"group": group} if group else {}), "kind": kind}
        if row not in rows:
            rows.append(row)
    if not rows:
        return
    if path not in draft.made:
        named = Append(("configurations",), os.path.basename(path))
        draft.edit(_kustomization(draft, found, folder), [named])
    of_templates = {"kind": _KIND, "group": "resource.k8s.io", "fieldSpecs": rows}
    draft.make(path, render_block({"nameReference": [of_templates]}) + "\n")


def _rows(text: str) -> list[dict[str, str]]:
    documents = load(text.encode()).documents
    data: Any = documents[0].data if documents else None
    return list(data["nameReference"][0]["fieldSpecs"]) if isinstance(data, dict) else []


def prepare_bases(state: RewriteState) -> None:
    """Handles bases whose objects got claims: their templates must get the names and namespaces of the pods."""
    for folder, found in state.found.tree.folders.items():
        listed = {path for each in found for path in each.resources}
        places = [place for place in state.changed if place.file in listed]
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
    for above in state.found.tree.around((folder,)):
        if above not in state.found.builds:
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
    for path, objects in ((p, file.added) for p, file in state.files.items() if file.added):
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
            objects = tuple(
                {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
                if "namespace" not in obj["metadata"]
                else obj
                for obj in objects
            )
        try:
            add_objects(state.draft, found, folder, objects)
        except CannotEditError as error:
            state.fail([p for p in state.changed if p.file == path], Rejection(str(error)))
