"""The kustomizations of a run and around it: which files are patches, and how what is built of them is migrated.

Builds are compared (`overlays/`). Only the patches of Flux and Argo CD whose objects may be anywhere are judged here: an
object that is migrated in place must be right in every build.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from dradsl.migrate.detection.texts import names_device, texts_in
from dradsl.migrate.kustomize.changes import Change, changes_of
from dradsl.records import dataclass
from dradsl.text.documents import expand_list
from dradsl.tree.kustomize.kustomization import (
    Kustomization,
    is_kustomization,
    patches_within,
    place,
    read_kustomization,
)
from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
from dradsl.values.plain import list_at, mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.text.documents import Stream
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "Meeting",
    "KustomizationTree",
    "build_tree",
    "generated_files",
    "quoted_path",
    "real_path",
]

_GIVES = "gives what Flux or Argo CD build a patch that names a device resource,"
_CONTROLLED = frozenset({"Kustomization", "Application", "ApplicationSet"})


@dataclass(frozen=True, slots=True)
class Meeting:
    """A patch that concerns devices, and objects that it may change wherever they are built. `within` is the object of
    Flux or Argo CD that has it: file, document and path."""

    title: str
    change: Change
    within: tuple[str, int, FieldPath] | None = None


@dataclass(frozen=True, slots=True)
class KustomizationTree:
    """Kustomizations by the real path of their folder. `patch_files` are the folders that name a file
    as a patch, `users` those that take in a file or folder, `everywhere` the patches for which it is not known
    where their objects are. `texts` are files that are built as texts of ConfigMaps and
    Secrets only."""

    folders: Mapping[str, tuple[Kustomization, ...]]
    patch_files: Mapping[str, tuple[str, ...]]
    everywhere: tuple[Meeting, ...]
    users: Mapping[str, tuple[str, ...]]
    complete: bool = True
    texts: frozenset[str] = frozenset()

    def patching(self, name: str) -> tuple[str, ...]:
        """The folders whose kustomizations name a file of the run as a patch."""
        path = real_path(name)
        return () if path is None else self.patch_files.get(path, ())

    def own_folder(self, name: str) -> tuple[str, ...]:
        """The folder of a kustomization of the run; none for standard input."""
        path = real_path(name)
        return () if path is None else (os.path.realpath(os.path.dirname(name) or "."),)

    def renames(self, folders: Iterable[str]) -> bool:
        """Whether a build of folders, or of one that includes them, changes names."""
        return any(each.renames for f in self.around(folders) for each in self.folders.get(f, ()))

    def around(self, folders: Iterable[str]) -> tuple[str, ...]:
        """Folders, and those that include them directly or through others."""
        seen = dict.fromkeys(folders)
        waiting = list(seen)
        while waiting:
            above = [user for user in self.users.get(waiting.pop(0), ()) if user not in seen]
            seen |= dict.fromkeys(above)
            waiting += above
        return tuple(seen)

    def patched(self, name: str) -> tuple[str, ...]:
        """The folders in which a file of the run is built with patches or transformers."""
        path = real_path(name)
        listing = () if path is None else self.users.get(path, ())
        found = (each for f in self.around(listing) for each in self.folders.get(f, ()))
        return listing if any(each.patches or each.transformers for each in found) else ()

    def meeting(self, manifest: Manifest) -> tuple[Meeting, ...]:
        """The patches that may change an object, and concern devices."""
        known = () if real_path(manifest.path) is None else self.everywhere
        return tuple(each for each in known if each.change.reaches(manifest))

    def holds(self, name: str) -> bool:
        """Whether a file of the run is part of a kustomization, or is in or below the folder of
        one."""
        path = real_path(name)
        if path is None or not self.folders:
            return False
        if path in self.patch_files or path in self.users:
            return True
        folder = os.path.dirname(path)
        while folder not in self.folders and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        return folder in self.folders

    def inside(self, folder: str, *, components: bool = False) -> Iterator[str]:
        """The folders and files that a kustomization includes, itself first; only its components. Cycles end."""
        seen, waiting = {folder}, [folder]
        while waiting:
            here = waiting.pop()
            yield here
            for each in self.folders.get(here, ()):
                below = (*(() if components else each.resources), *each.components)
                waiting += [path for path in below if path not in seen]
                seen.update(below)

    def routes(self, folders: Iterable[str], *, by_class: bool = False) -> tuple[str, ...]:
        """The commands that migrate what is built of some folders."""
        tops = list(dict.fromkeys(top for folder in folders for top in self._tops(folder)))
        routes = [self._route(top, by_class=by_class) for top in tops[:_MAX_ROUTES]]
        if len(tops) > _MAX_ROUTES:
            routes.append(f"likewise for {len(tops) - _MAX_ROUTES} more kustomizations")
        return tuple(routes) or (_call("DIR", "DIR-claims", "", by_class=by_class),)

    def _tops(self, folder: str) -> Iterator[str]:
        """The kustomizations that are built with the files of a folder and that no other one includes."""
        for here in self.around((folder,)):
            own = self.folders.get(here, ())
            if not self.users.get(here) and not all(each.component for each in own):
                yield here

    def _route(self, folder: str, *, by_class: bool) -> str:
        charts = any(
            each.charts for inner in self.inside(folder) for each in self.folders.get(inner, ())
        )
        # A component beside the folder: the component has a kustomization.yaml of its own.
        out = f"{folder.rstrip(os.sep)}-claims"
        return _call(
            quoted_path(folder),
            quoted_path(out),
            "--enable-helm " if charts else "",
            by_class=by_class,
        )


_MAX_ROUTES = 3


def _call(folder: str, out: str, options: str, *, by_class: bool) -> str:
    build = f"kustomize build {options}{folder} | dradsl migrate"
    if by_class:
        return f"{build} --set strategy=extended-resource - reads what is built"
    return (
        f"{build} --set form=kustomize --output {out} - writes a component for what is built; a further kustomization "
        f"with {folder} under resources and {out} under components builds both"
    )


def quoted_path(path: str) -> str:
    """A path from the working directory, as a shell takes it."""
    return shlex.quote(os.path.relpath(path).replace(os.sep, "/"))


def real_path(name: str) -> str | None:
    """The file with a source's name; None for standard input."""
    return None if name.startswith("<") or "\0" in name else os.path.realpath(name)


def build_tree(
    sources: Sequence[SourceText], around: SurroundingKustomizations | None, catalogue: Catalogue
) -> KustomizationTree:
    """The kustomizations among the files of a run, and those found around them."""
    around = around or SurroundingKustomizations()
    folders: dict[str, tuple[Kustomization, ...]] = {}
    files: dict[str, Stream] = {}
    texts: set[str] = set()
    for source in sources:
        path = real_path(source.name)
        if path is None:
            continue
        files[path] = source.stream
        if is_kustomization(source.name):
            folder = os.path.realpath(os.path.dirname(source.name) or ".")
            _add(folders, folder, source.stream)
            texts.update(generated_files(folder, source.stream))
    for folder, stream in around.kustomizations:
        if folder not in folders:
            _add(folders, folder, stream)
            texts.update(generated_files(folder, stream))
    everywhere = tuple(_of_builders(sources, catalogue))
    if not folders:
        return KustomizationTree({}, {}, everywhere, {})
    given = tuple(_given(folders, files, around, catalogue))
    patch_files: dict[str, dict[str, None]] = {}
    users: dict[str, dict[str, None]] = {}
    for folder, each in _all(folders):
        for path in filter(None, (patch.path for patch in each.patches)):
            patch_files.setdefault(path, {})[folder] = None
        for below in (*each.resources, *each.components):
            if below != folder:
                users.setdefault(below, {})[folder] = None
    return KustomizationTree(
        folders,
        {path: tuple(found) for path, found in patch_files.items()},
        (*everywhere, *given),
        {path: tuple(found) for path, found in users.items()},
        around.complete,
        frozenset(texts - users.keys()),
    )


def _all(folders: Mapping[str, tuple[Kustomization, ...]]) -> Iterator[tuple[str, Kustomization]]:
    return ((folder, each) for folder, found in folders.items() for each in found)


def _given(
    folders: Mapping[str, tuple[Kustomization, ...]],
    files: Mapping[str, Stream],
    around: SurroundingKustomizations,
    catalogue: Catalogue,
) -> Iterator[Meeting]:
    """Patches that give objects of Flux and Argo CD patches on devices. The objects that these build may be anywhere."""
    for folder, each in _all(folders):
        for patch in each.patches:
            documents: tuple[object, ...] = patch.inline
            if patch.path is not None:
                stream = files.get(patch.path) or around.read(patch.path)
                found = () if stream is None else stream.documents
                documents = tuple(obj for d in found for _, obj in expand_list(d.data))
            if _gives(documents, patch.target, catalogue):
                title = f"{patch.title} of {quoted_path(folder)}"
                yield Meeting(title, Change(None, None, _GIVES))


def generated_files(folder: str, stream: Stream) -> Iterator[str]:
    """The files of which a kustomization generates ConfigMaps and Secrets."""
    for document in stream.documents:
        data = mapping_at(document.data)
        for key in ("configMapGenerator", "secretGenerator"):
            for item in list_at(data, key):
                named = list_at(item, "files") if isinstance(item, dict) else []
                for each in named:
                    if isinstance(each, str):  # `key=path`, or a path
                        yield place(folder, each.rpartition("=")[2])


def _add(folders: dict[str, tuple[Kustomization, ...]], folder: str, stream: Stream) -> None:
    folders[folder] = (*folders.get(folder, ()), read_kustomization(folder, stream))


def _of_builders(sources: Sequence[SourceText], catalogue: Catalogue) -> Iterator[Meeting]:
    """Patches in the objects of Flux and Argo CD. The objects that they build may be anywhere."""
    from dradsl.tree.manifests.manifest import manifests_of

    for source in sources:
        for manifest in manifests_of(source):
            for patch in patches_within(manifest.kind, manifest.group, manifest.data):
                gives = _gives(patch.inline, patch.target, catalogue)
                for change in changes_of(patch.inline, patch.target, catalogue):
                    if gives:
                        change = Change(None, None, _GIVES)
                    title = f"{patch.title} of {manifest.title} in {source.name}"
                    path = real_path(source.name)
                    within = None
                    if path is not None and patch.title.startswith("patches[") and not gives:
                        within = (path, manifest.document.index, manifest.prefix)
                    yield Meeting(title, change, within)


def _gives(documents: Iterable[object], target: Mapping[str, object], catalogue: Catalogue) -> bool:
    """Whether a patch brings objects of Flux or Argo CD a patch on devices."""
    for document in documents:
        inner = [text for _, text in texts_in(document) if "\n" in text]
        if names_device(inner, catalogue):
            changes = changes_of((document,), target, catalogue)
            return any(change.kind in (None, *_CONTROLLED) for change in changes)
    return False
