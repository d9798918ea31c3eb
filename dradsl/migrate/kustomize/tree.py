"""The kustomizations of a run and around it: which files are patches, what a patch changes, and why Kustomize prevents that an
object is migrated in place.

Builds are compared (`overlays/`). Only the patches of Flux and Argo CD whose objects may be anywhere are judged here: an
object that is migrated in place must be right in every build. Kustomize merges maps by key, replaces lists it knows no key
for, and fails where a JSON patch leads to nothing (RFC 6902): a limit of the base can be removed only if no patch depends on it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.detection.pods import containers_of
from dradsl.migrate.detection.texts import names_device, texts_in
from dradsl.migrate.mapping.resource import BY_CLASS, Rejection
from dradsl.migrate.places import BUILT_IN
from dradsl.records import Record
from dradsl.text.documents import expand_list
from dradsl.tree.kustomize.kustomization import (
    Kustomization,
    generated,
    is_json_patch,
    is_kustomization,
    patches_within,
    place,
    read_kustomization,
)
from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.values.plain import list_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.places import PodAt
    from dradsl.text.documents import Stream
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "RENAMED",
    "Change",
    "KustomizationTree",
    "build_tree",
    "changes_of",
    "generated_files",
    "named_patch",
    "obstacle",
    "real_path",
]

_LITERAL = re.compile(r"[A-Za-z0-9.-]+")
_LISTS = ("containers", "initContainers")
# What a migration changes in a container and in a pod.
_OURS = frozenset({"resources", "limits", "requests", "claims"})
_OF_POD = frozenset({"tolerations", "resourceClaims", "nodeSelector"})


class Change(Record):
    """A change to objects of a kind and name; None, or text that is not literal, is any kind or name. `what` says why
    it matters, in words that follow the patch's title."""

    kind: str | None
    name: str | None
    what: str

    def reaches(self, manifest: Manifest) -> bool:
        """Whether the change may apply to the object, whose name may get a prefix or suffix."""
        kind = manifest.kind.removeprefix("values of ")
        if self.kind is not None and _LITERAL.fullmatch(self.kind) and self.kind != kind:
            return False
        if self.name is None or manifest.name is None or not _LITERAL.fullmatch(self.name):
            return True
        return manifest.name in self.name


def changes_of(
    documents: Sequence[object], target: Mapping[str, object], catalogue: Catalogue
) -> Iterator[Change]:
    """The changes in the documents of a patch that concern devices."""
    for data in documents:
        if is_json_patch(data):
            what = _json_patch(data, catalogue)
        elif isinstance(data, Mapping):
            what = _merge(data, catalogue)
        else:
            what = "names a device resource" if names_device(data, catalogue) else None
        if what is not None:
            name = string_at(target, "name") if target else string_at(data, "metadata", "name")
            yield Change(string_at(target or data, "kind"), name, what)


def _json_patch(operations: Any, catalogue: Catalogue) -> str | None:
    if names_device(operations, catalogue):
        return "names a device resource"
    for operation in operations:
        for key in ("path", "from"):
            pointer = operation.get(key)
            op = operation.get("op")
            if isinstance(pointer, str) and op != "test" and _meets(pointer, str(op)):
                return f"has the operation {op} {pointer}"
    return None


def _meets(pointer: str, op: str) -> bool:
    """Whether an operation works on what a migration changes, or on all of a container or pod."""
    parts = pointer.strip("/").split("/")
    if not _OF_POD.isdisjoint(parts):
        return True
    if "resources" in parts:
        # Another resource's amount does not matter, unless its mapping may have been removed.
        below = parts[parts.index("resources") + 1 :]
        return len(below) < 2 or below[0] == "claims" or op in ("add", "copy", "move")
    last = parts[-1]
    if op != "add" and (last.isdigit() or last == "-"):
        return len(parts) > 1 and parts[-2] in _LISTS
    return op in ("replace", "remove", "move") and last in (*_LISTS, "spec", "template", "")


def _merge(data: Mapping[str, object], catalogue: Catalogue) -> str | None:
    if names_device(data, catalogue):
        return "names a device resource"
    group = str(data.get("apiVersion", "")).rpartition("/")[0]
    lists = _OF_POD if group in BUILT_IN else _OF_POD | frozenset(_LISTS)
    found = next(_replaced(data, lists - {"nodeSelector"}), None)
    return None if found is None else f"replaces or removes {found}"


def _replaced(value: object, lists: frozenset[str]) -> Iterator[str]:
    """The keys of lists that are replaced, of what is removed, and of `$patch`."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if (
                key == "$patch"
                or (key in lists and isinstance(item, list))
                or (item is None and key in (_OURS | _OF_POD | frozenset((*_LISTS, "spec"))))
            ):
                yield str(key)
            else:
                yield from _replaced(item, lists)
    elif isinstance(value, list):
        for item in value:
            yield from _replaced(item, lists)


_GIVES = "gives what Flux or Argo CD build a patch that names a device resource,"
_CONTROLLED = frozenset({"Kustomization", "Application", "ApplicationSet"})


class Meeting(Record):
    """A patch that concerns devices, and objects that it may change wherever they are built. `within` is the object of
    Flux or Argo CD that has it: file, document and path."""

    title: str
    change: Change
    within: tuple[str, int, FieldPath] | None = None


class KustomizationTree(Record):
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

    def routes(self, folders: Iterable[str]) -> tuple[str, ...]:
        """The commands that migrate what is built of some folders."""
        tops = list(dict.fromkeys(top for folder in folders for top in self._tops(folder)))
        routes = [self._route(top) for top in tops[:_MAX_ROUTES]]
        if len(tops) > _MAX_ROUTES:
            routes.append(f"likewise for {len(tops) - _MAX_ROUTES} more kustomizations")
        return (*(routes or [_call("DIR", "DIR-claims", "")]), *BY_CLASS)

    def _tops(self, folder: str) -> Iterator[str]:
        """The kustomizations that are built with the files of a folder and that no other one includes."""
        for here in self.around((folder,)):
            own = self.folders.get(here, ())
            if not self.users.get(here) and not all(each.component for each in own):
                yield here

    def _route(self, folder: str) -> str:
        charts = any(
            each.charts for inner in self.inside(folder) for each in self.folders.get(inner, ())
        )
        # A component beside the folder: the component has a kustomization.yaml of its own.
        out = f"{folder.rstrip(os.sep)}-claims"
        return _call(
            quoted_path(folder),
            quoted_path(out),
            "--enable-helm " if charts else "",
        )


_MAX_ROUTES = 3


def _call(folder: str, out: str, options: str) -> str:
    build = f"kustomize build {options}{folder} | dradsl migrate"
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
    named = [(path, s) for s in sources if (path := real_path(s.name)) is not None]
    files = {path: source.stream for path, source in named}
    own = [
        (os.path.realpath(os.path.dirname(source.name) or "."), source.stream)
        for _, source in named
        if is_kustomization(source.name)
    ]
    folders: dict[str, tuple[Kustomization, ...]] = {}
    texts: set[str] = set()
    for number, (folder, stream) in enumerate((*own, *around.kustomizations)):
        if number < len(own) or folder not in folders:
            folders[folder] = (*folders.get(folder, ()), read_kustomization(folder, stream))
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
        for item in generated(document.data):
            for each in list_at(item, "files"):
                if isinstance(each, str):  # `key=path`, or a path
                    yield place(folder, each.rpartition("=")[2])


def _of_builders(sources: Sequence[SourceText], catalogue: Catalogue) -> Iterator[Meeting]:
    """Patches in the objects of Flux and Argo CD. The objects that they build may be anywhere."""
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


RENAMED = (
    "a build renames the claim template, and the values that would name it are a chart's own: there Kustomize "
    "changes no names"
)

_TEXT = (
    "a kustomization makes a text of a ConfigMap or Secret of this file, and what reads that is not known: it may drop "
    "the fields of claims, or not expect a second object"
)

_PATCHED = (
    "a kustomization that takes in this file has patches or transformers, and what is built may differ: give dradsl what "
    "is built"
)

# Kinds whose objects the API server rejects without a selector (pkg/apis/apps/validation).
_SELECTED = frozenset({"Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicaSet.apps"})
_UNSELECTED = frozenset({"Job.batch", "CronJob.batch", "Pod."})


def obstacle(
    tree: KustomizationTree,
    manifest: Manifest,
    pod: PodAt,
    *,
    built: bool = False,
    seen: Container[object] = (),
) -> Rejection | None:
    """Why a pod of an object cannot be migrated in place; None if Kustomize is no reason.

    With `built` both sides of all kustomizations are built, and of the objects of Flux and Argo CD that are
    `seen`: then only what these builds do not show is a reason. Without, patches are written for what is built.
    """
    named = named_patch(tree, manifest.path)
    if named is not None:
        return named
    if manifest.api_version and real_path(manifest.path) in tree.texts:
        return Rejection(_TEXT, routes=("a manifest under resources can be migrated",))
    if _cannot_stand_alone(manifest, pod):
        return Rejection(
            f"this {manifest.kind} cannot be alone, it has no image"
            f"{'' if _key(manifest) in _UNSELECTED else ' and no selector'}: it is taken for a patch, "
            "and what it makes of its target is known only when Kustomize builds it",
            routes=tree.routes(()),
        )
    folders = () if built else tree.patched(manifest.path)
    if folders:
        return Rejection(_PATCHED, routes=tree.routes(folders))
    known = () if real_path(manifest.path) is None else tree.everywhere
    meetings = [
        each
        for each in known
        if each.change.reaches(manifest) and (not built or each.within not in seen)
    ]
    if not meetings:
        return None
    first = meetings[0]
    more = f" (and {len(meetings) - 1} more)" if len(meetings) > 1 else ""
    return Rejection(
        f"{first.title}{more} {first.change.what} and may change this object: with claims here the "
        "result of the build may be wrong, or there may be none",
        routes=tree.routes(()),
    )


def named_patch(tree: KustomizationTree, name: str) -> Rejection | None:
    """Why nothing can be migrated in place in a file that a kustomization names as a patch."""
    folders = tree.patching(name)
    if not folders:
        return None
    return Rejection(
        "this file is a patch of a kustomization, no object: what it makes of its target is known "
        "only when Kustomize builds it",
        routes=tree.routes(folders),
    )


def _key(manifest: Manifest) -> str:
    return f"{manifest.kind}.{manifest.group}"


def _cannot_stand_alone(manifest: Manifest, pod: PodAt) -> bool:
    key = _key(manifest)
    if key in _SELECTED:
        return not member(manifest.data, "spec", "selector") and not any(
            container.data.get("image")
            for at in pod_specs(manifest.data)
            for container in containers_of(at.spec, at.path)
        )
    asking = [container for container in pod.containers if container.uses]
    return key in _UNSELECTED and not any(c.data.get("image") for c in asking)
