"""The patches of a tree that concern devices, with their places, and the folders that are
built with them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.migrate.detection.charts.installs import beside_applications, charts_with_values
from dradsl.migrate.kustomize.tree import Change, changes_of, generated_files, real_path
from dradsl.migrate.overlays.drafts import Place
from dradsl.records import Record, cached, field, replace
from dradsl.text.documents import expand_list, load
from dradsl.text.paths import value_at
from dradsl.tree.kustomize.kustomization import (
    NAMES,
    is_json_patch,
    is_kustomization,
    patches_of,
    place,
)
from dradsl.values.plain import mapping_at, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.overlays.controllers import Controller
    from dradsl.text.documents import Document, Stream
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations

__all__ = ["DevicePatch", "PatchIndex", "find_patches"]


class DevicePatch(Record):
    """A patch that concerns devices: `owner` is the folder of the kustomization that has it. It can be
    `edited` if it is in a file of the run."""

    owner: str
    title: str
    place: Place
    changes: tuple[Change, ...]
    edited: bool


class PatchIndex(Record):
    """Device patches by the folder whose kustomization has them, `files`, the kustomizations of the run by
    their folder, the files of which these generate ConfigMaps and Secrets, and the files with `values` of
    their charts with the namespaces that these go to. What Flux and Argo CD build is among the folders of `tree`, by
    the keys of `controllers`; `patching` are those that make patches on devices of their own, which stay as they are."""

    patches: Mapping[str, tuple[DevicePatch, ...]]
    files: Mapping[str, str]
    tree: KustomizationTree
    generated: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Mapping[str, str | None]]
    controllers: Mapping[str, Controller] = field(default_factory=dict)
    patching: frozenset[str] = frozenset()

    def home(self, folder: str) -> str:
        """The folder on disk where new files for a folder belong."""
        controller = self.controllers.get(folder)
        return folder if controller is None else controller.folder

    def files_of(self, folder: str) -> Iterator[str]:
        """The files from which a folder is built, except patches."""
        for inner in self.tree.inside(folder):
            yield inner
            if inner in self.files:
                yield self.files[inner]
            yield from self.generated.get(inner, ())

    def of(self, folder: str, *, components: bool = False) -> list[DevicePatch]:
        """The patches that are made where a folder is built; with `components` only its own and theirs."""
        return [
            patch
            for inner in self.tree.inside(folder, components=components)
            for patch in self.patches.get(inner, ())
        ]

    def places(self) -> Iterator[Place]:
        """The places of all device patches."""
        return (patch.place for found in self.patches.values() for patch in found)

    def owners(self, place: Place) -> tuple[str, ...]:
        """The folders whose kustomizations have a patch at a place, else those that name its file."""
        patching = [f for f, found in self.patches.items() if any(p.place == place for p in found)]
        naming = [
            folder
            for folder, found in self.tree.folders.items()
            if any(place.file in each.resources for each in found)
        ]
        return tuple(dict.fromkeys(patching or naming))

    @cached
    def builds(self) -> list[str]:
        """The folders that can be built. A folder comes after the folders that it includes."""
        order: dict[str, None] = {}
        for folder in sorted(self.tree.folders):
            self._ordered(folder, order)
        return [f for f in order if not all(each.component for each in self.tree.folders[f])]

    def _ordered(self, start: str, order: dict[str, None]) -> None:
        waiting = [(start, False)]
        entered: set[str] = set()
        while waiting:
            folder, done = waiting.pop()
            if done:
                order[folder] = None
                continue
            if folder in order or folder in entered or folder not in self.tree.folders:
                continue
            entered.add(folder)
            waiting.append((folder, True))
            for each in self.tree.folders[folder]:
                waiting += [(below, False) for below in (*each.components, *each.resources)]


def find_patches(
    sources: Sequence[SourceText],
    around: SurroundingKustomizations,
    tree: KustomizationTree,
    catalogue: Catalogue,
    controllers: Sequence[Controller] = (),
) -> PatchIndex:
    """The device patches of all kustomizations that are known."""
    streams: dict[str, Stream] = {}
    files: dict[str, str] = {}
    for source in sources:
        path = real_path(source.name)
        if path is None:
            continue
        streams[path] = source.stream
        if is_kustomization(source.name):
            files[os.path.realpath(os.path.dirname(source.name) or ".")] = path
    kustomizations = {folder: (path, streams[path]) for folder, path in files.items()}
    for folder, stream in around.kustomizations:
        kustomizations.setdefault(folder, (os.path.join(folder, NAMES[0]), stream))
    patches = {
        folder: tuple(_of_folder(folder, path, stream, streams, around, catalogue))
        for folder, (path, stream) in kustomizations.items()
    }
    generated = {
        folder: tuple(generated_files(folder, stream))
        for folder, (_, stream) in kustomizations.items()
    }
    values: dict[str, dict[str, str | None]] = {
        folder: {
            place(folder, file): string_at(chart, "namespace")
            for document in stream.documents
            for chart, file in charts_with_values(document.data)
        }
        for folder, (_, stream) in kustomizations.items()
    }
    for name in beside_applications(sources):
        path = os.path.realpath(name)
        if os.path.dirname(path) in values:
            values[os.path.dirname(path)][path] = None
    return PatchIndex(
        {f: found for f, found in patches.items() if found},
        files,
        _with_controllers(tree, controllers),
        generated,
        values,
        {each.key: each for each in controllers},
        frozenset(
            each.key
            for each in controllers
            for patch in each.kustomization.patches
            if any(changes_of(patch.inline, patch.target, catalogue))
        ),
    )


def _with_controllers(
    tree: KustomizationTree, controllers: Sequence[Controller]
) -> KustomizationTree:
    """The tree with what Flux and Argo CD build as further kustomizations."""
    folders = dict(tree.folders)
    users = {path: list(found) for path, found in tree.users.items()}
    for each in controllers:
        folders[each.key] = (each.kustomization,)
        for below in (*each.kustomization.resources, *each.kustomization.components):
            users.setdefault(below, []).append(each.key)
    known = {path: tuple(dict.fromkeys(found)) for path, found in users.items()}
    return replace(tree, folders=folders, users=known)


def _of_folder(
    folder: str,
    path: str,
    stream: Stream,
    streams: Mapping[str, Stream],
    around: SurroundingKustomizations,
    catalogue: Catalogue,
) -> Iterator[DevicePatch]:
    document = next((d for d in stream.documents if isinstance(d.data, dict)), None)
    if document is None:
        return
    # In the order in which Kustomize makes them.
    found = sorted(
        patches_of(mapping_at(document.data), folder),
        key=lambda each: not each.title.startswith("patchesStrategicMerge"),
    )
    for patch in found:
        if patch.path is not None:
            own = streams.get(patch.path)
            read = own or around.read(patch.path)
            places = [(Place(patch.path, i.index), i) for i in (read.documents if read else ())]
        elif patch.where:
            own = streams.get(path)
            text = str(value_at(document.data, patch.where)).encode("utf-8", "surrogatepass")
            places = [
                (Place(path, document.index, patch.where, inner.index), inner)
                for inner in load(text).documents
            ]
        else:
            continue
        for at, inner in places:
            changes = _changes(inner, patch.target, catalogue)
            if changes:
                yield DevicePatch(folder, patch.title, at, changes, own is not None)


def _changes(
    document: Document, target: Mapping[str, object], catalogue: Catalogue
) -> tuple[Change, ...]:
    data = document.data
    objects = [data] if is_json_patch(data) else [each for _, each in expand_list(data)]
    return tuple(changes_of(objects, target, catalogue))
