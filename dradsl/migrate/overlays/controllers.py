"""Folders that objects of Flux and Argo CD build, in the same form as folders with a kustomization.

Both take a folder, change its kustomization (or make one of all its files) by fields of their own, patches
among them, and build that. So each such object is one more kustomization above the folder.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, TypeAlias

from dradsl.records import Record, cached, replace
from dradsl.text.files import is_below
from dradsl.tree.applied.builders import FLUX_GROUP, is_flux
from dradsl.tree.argo_cd.applications import applications_of
from dradsl.tree.kustomize.kustomization import (
    NAMES,
    Kustomization,
    is_kustomization,
    patches_of,
    place,
)
from dradsl.tree.kustomize.parts.files import KustomizeError
from dradsl.tree.kustomize.parts.outcome import Overlay
from dradsl.tree.nodes import text_of
from dradsl.values.limits import MOST_BUILDERS, MOST_FILES_BELOW
from dradsl.values.plain import list_at, mapping_at, string_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.text.paths import FieldPath
    from dradsl.tree.builder import TreeBuilder
    from dradsl.tree.flux.kustomizations import VariableSources
    from dradsl.tree.kustomize.parts.files import Files, TextFile
    from dradsl.tree.nodes import ValueNode

__all__ = ["Controller", "build_controller", "build_folder", "documents_of", "find_controllers"]

_ARGO_CD = "argoproj.io/"
_Place: TypeAlias = "tuple[str, int, FieldPath]"


class Controller(Record):
    """An object that builds the real folder `folder` below `top`. Its `place` is a file, a document in it and a path. Of the
    sources of Applications that the object makes it is number `source`; None for Flux."""

    title: str
    place: _Place
    folder: str
    top: str
    kustomization: Kustomization
    source: int | None = None

    @property
    def is_flux(self) -> bool:
        return self.source is None

    @cached
    def key(self) -> str:
        """What takes the place of the real path that folders have."""
        path, document, prefix = self.place
        steps = (*prefix, *(() if self.source is None else (self.source,)))
        return "/".join((f"{path}#{document}", *map(str, steps)))


def find_controllers(
    texts: Mapping[str, str], files: Files, tops: Sequence[str]
) -> tuple[Controller, ...]:
    """The objects among the texts, by real paths, that build a folder below one of the tops."""
    folders = _Folders(files, tops)
    found = (
        each
        for path, text in texts.items()
        if not is_kustomization(path) and (FLUX_GROUP in text or _ARGO_CD in text)
        for document, prefix, node in _objects(files.text(path))
        for each in _of_object((path, document, prefix), node, folders)
    )
    return tuple(itertools.islice(found, MOST_BUILDERS))


def documents_of(text: TextFile | None) -> list[ValueNode]:
    """The documents of a file; none if one is broken."""
    try:
        return [] if text is None else text.documents()
    except KustomizeError:
        return []


def _objects(text: TextFile | None) -> Iterator[tuple[int, FieldPath, ValueNode]]:
    for node in documents_of(text):
        if node.at is None:
            continue
        document = node.at.origin.document.index
        items = node.get("items")
        if text_of(node.get("kind")).endswith("List") and items is not None:
            for index, item in enumerate(items.items):
                yield document, ("items", index), item
        else:
            yield document, (), node


def _of_object(at: _Place, node: ValueNode, folders: _Folders) -> Iterator[Controller]:
    kind = text_of(node.get("kind"))
    if kind == "Kustomization":
        if is_flux(node.plain()):
            yield from _of_flux(at, node, folders)
    elif kind in ("Application", "ApplicationSet") and (
        text_of(node.get("apiVersion")).startswith(_ARGO_CD)
    ):
        yield from _of_argo_cd(at, node, folders)


def _of_flux(at: _Place, node: ValueNode, folders: _Folders) -> Iterator[Controller]:
    files = folders.files
    spec = node.get("spec")
    path = text_of(spec.get("path")) if spec is not None else ""
    for top in folders.tops:
        folder = files.of_source(top, path)
        if folder is not None and "$" not in path and files.is_folder(folder):
            title = f"Kustomization {text_of(node.get('metadata', 'name'))} of Flux"
            built = folders.kustomization(folder, spec, "targetNamespace")
            yield Controller(title, at, folder, top, built)
            return


def _of_argo_cd(at: _Place, node: ValueNode, folders: _Folders) -> Iterator[Controller]:
    files = folders.files
    top = next(
        (each for each in folders.tops if at[0].startswith(each.rstrip(os.sep) + os.sep)),
        None,
    )
    if top is None:
        return
    for number, (name, source) in enumerate(_sources(node, files, top)):
        path = text_of(source.get("path"))
        folder = files.real(os.path.join(top, path.strip("/")))
        if not path or "{{" in path or not files.is_folder(folder):
            continue
        if not is_below(folder, files.real(top)):
            continue  # Argo CD rejects a path that leads out of the repository
        if source.get("helm") is not None or files.is_file(os.path.join(folder, "Chart.yaml")):
            continue  # a chart
        built = folders.kustomization(
            folder, source.get("kustomize"), "namespace", source.get("directory")
        )
        title = f"Application {name} of Argo CD"
        yield Controller(title, at, folder, top, built, number)


def _sources(node: ValueNode, files: Files, top: str) -> list[tuple[str, ValueNode]]:
    """The sources of the Applications that an object is or makes, with the names of these."""
    found: list[tuple[str, ValueNode]] = []
    for application in applications_of(node, files, top)[0]:
        source, sources = application.spec.get("source"), application.spec.get("sources")
        every = (
            *(() if source is None else (source,)),
            *(sources.items if sources is not None else ()),
        )
        found += [(application.name, each) for each in every]
    return found


class _Folders:
    """The folders below some tops, and the kustomizations that objects make of them."""

    def __init__(self, files: Files, tops: Sequence[str]) -> None:
        self.files = files
        self.tops = tops
        self._listed: dict[tuple[str, bool], tuple[str, ...]] = {}  # with those below or not

    def kustomization(
        self,
        folder: str,
        own: ValueNode | None,
        namespace: str,
        directory: ValueNode | None = None,
    ) -> Kustomization:
        """The kustomization in the fields of an object, with the folder, or all its files, as resources."""
        fields = mapping_at(own.plain() if own is not None else None)
        prefix, suffix = str(fields.get("namePrefix") or ""), str(fields.get("nameSuffix") or "")
        return Kustomization(
            folder,
            False,
            self._resources(folder, directory),
            tuple(place(folder, e) for e in list_at(fields, "components") if isinstance(e, str)),
            (),
            tuple(patches_of(fields)),
            bool(prefix or suffix),
            False,
            string_at(fields, namespace),
            prefix,
            suffix,
        )

    def _resources(self, folder: str, directory: ValueNode | None) -> tuple[str, ...]:
        if any(self.files.read(os.path.join(folder, name)) is not None for name in NAMES):
            return (folder,)
        recurse = directory is None or (
            (found := directory.get("recurse")) is not None and found.plain() is True
        )
        if (folder, recurse) not in self._listed:
            below = _files_below(folder, self.files, recurse=recurse)
            self._listed[folder, recurse] = tuple(itertools.islice(below, MOST_FILES_BELOW))
        return self._listed[folder, recurse]


def _files_below(folder: str, files: Files, *, recurse: bool) -> Iterator[str]:
    """The files from which a kustomization is made if there is none, and the folders that have their own."""
    for here, below, names in files.walk(folder):
        below[:] = [each for each in below if each != ".git"] if recurse else []
        if here != folder and any(name in names for name in NAMES):
            below.clear()
            yield os.path.realpath(here)
            continue
        for name in names:
            if name.endswith((".yaml", ".yml", ".json")):
                yield os.path.realpath(os.path.join(here, name))


# What of an object says how its folder is built. Without any of it, all objects build the same of the folder.
_CHANGING = (
    "targetNamespace", "namePrefix", "nameSuffix", "patches", "components", "images",
    "ignoreMissingComponents", "postBuild",
)  # fmt: skip


def build_folder(builder: TreeBuilder, folder: str, by: Mapping[str, Controller]) -> Overlay:
    """What is built of a folder, or `by` an object of Flux or Argo CD, with its variables as they are."""
    controller = by.get(folder)
    return builder.overlay(folder) if controller is None else build_controller(builder, controller)


def build_controller(
    builder: TreeBuilder, controller: Controller, sources: VariableSources | None = None
) -> Overlay:
    """What the object builds with its present text in the files; without `sources` variables stay. Objects that
    change nothing of the folder share what is built of it."""
    files = builder.files
    node = next(
        (
            node
            for document, prefix, node in _objects(files.text(controller.place[0]))
            if (document, prefix) == controller.place[1:]
        ),
        None,
    )
    if node is None:
        reason = KustomizeError(f"{controller.title} cannot be read")
        return Overlay(controller.folder, rejected=reason)
    if controller.source is None:
        from dradsl.tree.flux.kustomizations import VariableSources

        if sources is None:
            spec = node.get("spec")
            bare = spec.with_field("postBuild", None) if spec is not None else None
            node = node.with_field("spec", bare)
        of_spec = node.get("spec")
        plain = of_spec is None or all(of_spec.get(name) is None for name in _CHANGING)
        built = _shared(
            files,
            ("Flux", controller.folder, controller.top) if plain else None,
            lambda: builder.flux(node, [controller.top], sources or VariableSources({})),
        )
        assert built is not None  # noqa: S101 - None is for Argo CD
        return built
    found = _sources(node, files, controller.top)
    built = None
    if controller.source < len(found):
        source = found[controller.source][1]
        plain = source.get("kustomize") is None and source.get("directory") is None
        built = _shared(
            files,
            ("Argo CD", controller.folder, controller.top) if plain else None,
            lambda: builder.argo_cd(source, controller.top),
        )
    if built is None:
        reason = KustomizeError(f"{controller.title} builds no folder here")
        return Overlay(controller.folder, rejected=reason)
    return built if built.folder == controller.folder else replace(built, folder=controller.folder)


def _shared(
    files: Files, key: tuple[str, str, str] | None, build: Callable[[], Overlay | None]
) -> Overlay | None:
    """What is built, from `files.shared` where it is known under the key."""
    if key is None:
        return build()
    if key not in files.shared:
        files.shared[key] = build()
    found: Overlay | None = files.shared[key]
    return found
