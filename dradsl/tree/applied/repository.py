"""The files of a run and what builds them: for each file what it is, and what reaches its objects.

Everything is worked out once, by paths alone: no file is read here. What cannot be found (a base of another
repository, a folder that is not there) leaves its objects unknown.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from itertools import islice
from operator import methodcaller

from dradsl.records import Record, cached, dataclass, field, once
from dradsl.text import files as texts
from dradsl.text.documents import Stream, expand_list
from dradsl.text.splitting import has_marks
from dradsl.tree.applied.builders import FolderBuild, builders_in, variables_of
from dradsl.tree.kustomize.kustomization import (
    NAMES,
    Kustomization,
    Patch,
    is_kustomization,
    patches_of,
    place,
    read_kustomization,
)
from dradsl.tree.kustomize.patch_reach import (
    ANY_CHANGE,
    ANY_PATCH,
    NO_PATCHES,
    PatchSet,
    patch_set,
    union,
)
from dradsl.values.limits import MOST_BUILDS_OF_A_FILE, MOST_KUSTOMIZATIONS_AROUND
from dradsl.values.plain import list_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.text.paths import FieldPath
    from dradsl.tree.argo_cd.application_sets import RepositoryTree

    # A folder, and the chain of those that take it in: a long one costs no copies.
    _Chain: TypeAlias = "tuple[str, _Chain] | None"

__all__ = ["NOWHERE", "Applied", "BuiltBy", "FolderUse", "Origin", "Repository"]

_BUILDERS = ("Kustomization", "Application", "ApplicationSet")


class FolderUse(Record):
    """One way by which a file's objects come into a build.

    `namespace` replaces the namespace of every object, `fallback` goes to those without one.
    `variables` are known values. `through` are the folders that take it in, the innermost first, each with
    those around it. With `by_controller` Flux or Argo CD builds it, which may patch the result.
    """

    build: int
    namespace: str | None = None
    fallback: str | None = None
    prefix: str = ""
    suffix: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    substitutes: bool = False
    through: _Chain = None
    by_controller: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BuiltBy:
    """An object of Flux or Argo CD that builds the real folder `folder`: its file by its real path, the number of
    its document and the place in it. Of several sources of an Application `source` is the number of this one."""

    path: str
    document: int
    prefix: FieldPath
    source: int
    builder: FolderBuild
    folder: str
    parameters: Mapping[str, str] | None = None
    """Those of the application that an ApplicationSet makes."""


class Applied(Record):
    """A build that somebody applies: an object of Flux or Argo CD, or the real folder of a kustomization that neither
    these nor other kustomizations take in.

    `files` are the real paths of the files of the run that it takes in: resources, kustomizations and patches, in
    order, without files that generators read. There are `more` if a file had too many builds to follow another one.
    `above` are the builds that apply the object itself; none for one that is applied by hand.
    """

    root: str | BuiltBy
    files: tuple[str, ...]
    above: tuple[str | BuiltBy, ...] = ()
    more: bool = False


class Origin(Record):
    """What is known of a file. `is_patch` says that a kustomization lists it as a patch, and none as a resource.
    `listed_in` are the real folders of those, or of the kustomization that it is. `uses` are the builds that take it
    in; there are `more` of them, which are not listed, or none of them is known. With `whole` all that these builds
    and those of `listed_in` take in is known."""

    is_patch: bool = False
    uses: tuple[FolderUse, ...] = ()
    more: bool = False
    whole: bool = False
    listed_in: tuple[str, ...] = ()

    @cached
    def builds(self) -> frozenset[int]:
        """The builds, by numbers that mean nothing else."""
        return frozenset() if self.more else frozenset(each.build for each in self.uses)

    def is_above(self, name: str) -> bool:
        """Whether a file lies below every folder that takes this one in or lists it as a patch."""
        path = texts.real_path(name, {})
        folders = [use.through[0] if use.through else None for use in self.uses] or self.listed_in
        return bool(folders) and all(
            each is not None and texts.is_below(path, each) for each in folders
        )


NOWHERE = Origin()
"""The origin of what nothing builds or lists, and of what is no file: standard input."""


class Repository:
    """Files by their real paths, with the kustomizations and builders among them and around them."""

    def __init__(
        self,
        files: Iterable[tuple[str, Stream]],
        around: Iterable[tuple[str, Stream]] = (),
        tops: Sequence[str] = (),
        read: Callable[[str], Stream | None] = lambda _path: None,
    ) -> None:
        """`files` are those of the run, by their names; `around` others of the same trees, by real paths.
        `tops` are the tops of the trees: paths of Flux and Argo CD count from there. `read` gives a file of
        the trees by its real path, for patches that are not among these."""
        self._read = read
        self._files: dict[str, Stream] = {}
        self._names: dict[str, str] = {}
        folders: dict[str, str] = {}
        for name, stream in files:
            path = real_path(name, folders)
            if path is not None:
                self._files.setdefault(path, stream)
                self._names[name] = path
        others = {path: stream for path, stream in around if path not in self._files}
        self._tops = tuple(tops)
        self._kustomizations: dict[str, tuple[Kustomization, ...]] = {}
        self._builders: list[
            tuple[str, int, FieldPath, int, FolderBuild, Mapping[str, str] | None]
        ] = []
        self._trees: dict[str, RepositoryTree] = {}
        self._built_by: dict[int, BuiltBy] = {}
        self._config_maps: dict[str, list[Mapping[str, str]]] = {}
        for path, stream in (*self._files.items(), *others.items()):
            self._take(path, stream)
        self._uses: dict[str, list[FolderUse]] = {}
        self._roots: dict[int, str | BuiltBy] = {}
        self._folders: dict[int, dict[str, None]] = {}  # kustomizations, by builds
        self._cut: set[int] = set()  # builds that were not followed everywhere
        self._open: set[int] = set()  # builds with something that is not here, or with charts
        self._visits: dict[str, int] = {}
        self._of_builds: dict[int, PatchSet] = {}  # patches of Flux and Argo CD themselves
        self._of_builders: dict[
            int, PatchSet
        ] = {}  # with their components, and what is given to them
        self.steps = 0  # how often a file or folder was looked at: what the tests of growth count
        self._build_all()
        self._targets: dict[str, list[Mapping[str, object]]] = {}
        self._patches = self._patch_files()
        self._origins: dict[str, Origin] = {}
        self._sets: dict[str, PatchSet] = {}

    @property
    def files(self) -> Mapping[str, Stream]:
        """The files of the run, by their real paths."""
        return self._files

    @property
    def substitutes(self) -> bool:
        """Whether the trees show that variables are replaced: there is a Kustomization of Flux."""
        return any(builder.substitutes for *_, builder, _ in self._builders)

    def origin(self, name: str) -> Origin:
        """What is known of a file of the run."""
        path = self._names.get(name)
        return NOWHERE if path is None else once(self._origins, path, self._origin)

    def _origin(self, path: str) -> Origin:
        found = tuple(self._uses.get(path, ()))
        listed: tuple[str, ...] = (os.path.dirname(path),) if is_kustomization(path) else ()
        listed = self._patches.get(path, listed)
        if not found and not listed:
            return NOWHERE
        more = len(found) >= MOST_BUILDS_OF_A_FILE
        builds = {each.build for each in found}
        if listed:
            builds |= {
                n for n, known in self._folders.items() if not known.keys().isdisjoint(listed)
            }
        whole = bool(builds) and self._open.isdisjoint(builds)
        return Origin(path in self._patches, found, more, whole and not more, listed)

    def targets(self, name: str) -> Sequence[Mapping[str, object]]:
        """The targets with which kustomizations list a file of the run as a patch."""
        return self._targets.get(self._names.get(name, ""), ())

    def patches_may_fix(
        self, name: str, kind: str, names: Iterable[str], *, of_claims: bool = True
    ) -> bool:
        """Whether each build of an object may complete it by patches that have to do with claims or devices; without
        `of_claims` by any patches and labels.

        `name` is that of its file; `names` are those of the object. Of a Namespace one build is enough: each may make
        another one of it.
        """
        origin = self.origin(name)
        reaches = methodcaller("has", "targets" if of_claims else "changed", kind, tuple(names))
        some = any if kind == "Namespace" else all
        return bool(origin.uses) and some(self._meets_patch(each, reaches) for each in origin.uses)

    def built_with_claims(
        self, name: str, kind: str, names: Iterable[str], *, mentions: bool
    ) -> tuple[str | BuiltBy, ...]:
        """The builds that patch an object, and have to do with claims or devices: the object `mentions` them, or
        one of the patches does. Each is the outermost folder, or what builds that."""
        reaches = methodcaller("has", "targets" if mentions else "mentioned", kind, tuple(names))
        uses = [each for each in self.origin(name).uses if self._meets_patch(each, reaches)]
        return tuple(dict.fromkeys(self._roots[each.build] for each in uses))

    def uses_of(self, path: str) -> Sequence[FolderUse] | None:
        """All builds that take in a file of the run, by its real path; None if there are too many to know."""
        found = self._uses.get(path, ())
        return None if len(found) >= MOST_BUILDS_OF_A_FILE else found

    def builder_of(self, use: FolderUse) -> BuiltBy | None:
        """The object of Flux or Argo CD that makes a build; None for a folder that nothing builds."""
        return self._built_by.get(use.build) if use.by_controller else None

    def built_from(self, name: str) -> tuple[str | BuiltBy, ...] | None:
        """All builds that take a file of the run in: the outermost folders, or what builds them; None if there are
        too many to know."""
        path = self._names.get(name)
        return () if path is None else self.built_from_path(path)

    def built_from_path(self, path: str) -> tuple[str | BuiltBy, ...] | None:
        """The same of a file by its real path."""
        uses = self._uses.get(path, ())
        if len(uses) >= MOST_BUILDS_OF_A_FILE:
            return None
        return tuple(dict.fromkeys(self._roots[each.build] for each in uses))

    def applied(self) -> tuple[Applied, ...]:
        """What is applied: the builds of Flux and Argo CD and the outermost kustomizations, with what they reach."""
        # Flux and Argo CD find kustomizations in folders that no file names.
        taken = {folder for number in self._built_by for folder in self._folders.get(number, ())}
        roots = {number: root for number, root in self._roots.items() if root not in taken}
        reached: dict[int, dict[str, None]] = {number: {} for number in self._roots}
        for path, uses in self._uses.items():
            for each in uses:
                reached[each.build][path] = None
        for number, folders in self._folders.items():
            for folder in folders:
                names = [os.path.join(folder, name) for name in NAMES]
                found = [each.path for k in self._kustomizations[folder] for each in k.patches]
                reached[number].update(
                    dict.fromkeys(p for p in (*names, *found) if p in self._files)
                )
        above: dict[str, tuple[str | BuiltBy, ...]] = {}
        for by in self._built_by.values():
            builds = dict.fromkeys(each.build for each in self._uses.get(by.path, ()))
            above[by.path] = tuple(roots[each] for each in builds if each in roots)
        return tuple(
            Applied(
                root,
                tuple(sorted(reached[number])),
                ()
                if isinstance(root, str)
                else tuple(each for each in above[root.path] if each is not root),
                number in self._cut,
            )
            for number, root in roots.items()
        )

    def _set_of_builder(self, build: int, by: BuiltBy) -> PatchSet:
        """The objects that patches of Flux and Argo CD themselves may change, those of their components too, and
        those that builds above give them."""
        known = self._of_builders.get(build)
        if known is None:
            found = [self._of_builds.get(build, NO_PATCHES)]
            for each in by.builder.components:
                folder = place(os.path.realpath(by.folder), each)
                found.append(self._set_of(folder) if folder in self._kustomizations else ANY_PATCH)
            if len(self._uses.get(by.path, ())) >= MOST_BUILDS_OF_A_FILE:
                found.append(ANY_PATCH)
            else:
                found += self._given_to(by)
            known = self._of_builders[build] = union(found)
        return known

    def _given_to(self, by: BuiltBy) -> Iterator[PatchSet]:
        """What patches on an object of Flux or Argo CD make it patch."""
        for use in self._uses.get(by.path, ()):
            above = self._built_by.get(use.build)
            patches = list(above.builder.patches) if above is not None and above is not by else []
            for folder in islice(_folders(use), MOST_KUSTOMIZATIONS_AROUND):
                for each in self._kustomizations.get(folder, ()):
                    patches += each.patches
                    for component in each.components:
                        for inner in self._kustomizations.get(component, ()):
                            patches += inner.patches
            for patch in patches:
                yield from _given(patch, self._documents(patch))

    def _meets_patch(self, use: FolderUse, reaches: Callable[[PatchSet], bool]) -> bool:
        by = self._built_by.get(use.build)
        if by is not None and reaches(self._set_of_builder(use.build, by)):
            return True
        folders = enumerate(_folders(use))
        return any(n >= MOST_KUSTOMIZATIONS_AROUND or reaches(self._set_of(f)) for n, f in folders)

    def _set_of(self, folder: str, level: int = 0) -> PatchSet:
        """The objects that the patches of a kustomization may change, those of its components too."""
        known = self._sets.get(folder)
        if known is not None:
            return known
        if level > MOST_KUSTOMIZATIONS_AROUND:
            return ANY_PATCH
        self._sets[folder] = NO_PATCHES  # for rings
        found = []
        for each in self._kustomizations.get(folder, ()):
            found.append(patch_set((patch, self._documents(patch)) for patch in each.patches))
            if each.selects or each.transformers:
                found.append(ANY_CHANGE)
            for component in each.components:
                here = component in self._kustomizations
                found.append(self._set_of(component, level + 1) if here else ANY_PATCH)
        self._sets[folder] = union(found)
        return self._sets[folder]

    def _documents(self, patch: Patch) -> Sequence[object] | None:
        if patch.path is None:
            return patch.inline
        stream = self._files.get(patch.path) or self._read(patch.path)
        if stream is None:
            return None
        return [data for d in stream.documents for _, data in expand_list(d.data)]

    def _take(self, path: str, stream: Stream) -> None:
        if is_kustomization(path):
            folder = os.path.dirname(path)
            own = self._kustomizations.get(folder, ())
            self._kustomizations[folder] = (*own, read_kustomization(folder, stream))
            return
        for document in stream.documents:
            for prefix, data in expand_list(document.data):
                if not isinstance(data, dict):
                    continue
                kind = data.get("kind")
                if kind == "ConfigMap":
                    self._take_config_map(data)
                elif kind in _BUILDERS:
                    self._builders += [
                        (path, document.index, prefix, number, each, one)
                        for one in self._applications(path, data)
                        for number, each in enumerate(builders_in(data, one))
                    ]

    def _applications(
        self, path: str, data: Mapping[str, object]
    ) -> Sequence[Mapping[str, str] | None]:
        """The parameters of the applications that an ApplicationSet makes, where they are known."""
        spec = data.get("spec")
        if data.get("kind") != "ApplicationSet" or not isinstance(spec, dict):
            return (None,)
        from dradsl.tree.argo_cd.application_sets import RepositoryTree, parameters_of

        top = next((each for each in self._tops if texts.is_below(path, each)), None)
        if top is not None and top not in self._trees:
            self._trees[top] = RepositoryTree(
                top, lambda path: self._files.get(path) or self._read(path)
            )
        found, _ = parameters_of(spec, None if top is None else self._trees[top])
        return found or (None,)

    def _take_config_map(self, data: Mapping[str, object]) -> None:
        name, values = member(data, "metadata", "name"), data.get("data")
        if isinstance(name, str) and isinstance(values, dict):
            self._config_maps.setdefault(name, []).append(values)

    def _patch_files(self) -> Mapping[str, tuple[str, ...]]:
        """The files that are patches, and no resources of any kustomization, with the folders that list them."""
        every = [each for found in self._kustomizations.values() for each in found]
        for patch in (patch for each in every for patch in each.patches):
            if patch.path is not None and not patch.anything:
                self._targets.setdefault(patch.path, []).append(patch.target)
        patches: dict[str, tuple[str, ...]] = {}
        for folder, found in self._kustomizations.items():
            for path in {patch.path for each in found for patch in each.patches}:
                if path is not None:
                    patches[path] = (*patches.get(path, ()), folder)
        for path in (path for each in every for path in each.resources):
            patches.pop(path, None)
        return patches

    # Who takes in whom

    def _build_all(self) -> None:
        if not (self._kustomizations or self._builders):
            return
        self._sorted = sorted(self._files)
        number = 0
        built: set[str] = set()
        for path, document, prefix, source, builder, parameters in self._builders:
            folder = self._folder_of(path, builder)
            if folder is None:
                continue
            built.add(folder)
            start = FolderUse(
                number,
                builder.namespace,
                builder.fallback,
                builder.prefix,
                builder.suffix,
                self._variables(builder),
                builder.substitutes,
                by_controller=True,
            )
            by = BuiltBy(path, document, prefix, source, builder, folder, parameters)
            self._built_by[number] = self._roots[number] = by
            if builder.patches:
                self._of_builds[number] = patch_set((p, p.inline) for p in builder.patches)
            number += 1
            self._visit(folder, start, generated=True)
            for component in builder.components:
                self._visit(place(os.path.realpath(folder), component), start)
        used = {
            path
            for found in self._kustomizations.values()
            for each in found
            for path in (*each.resources, *each.components)
            if path != each.folder
        }
        for folder, found in self._kustomizations.items():
            components = all(each.component for each in found)
            if folder not in used and folder not in built and not components:
                self._roots[number] = folder
                self._visit(folder, FolderUse(number))
                number += 1

    def _visit(self, start: str, use: FolderUse, *, generated: bool = False) -> None:
        """Go through all that is built with `start`, rings and repetitions once."""
        seen: set[tuple[str, str | None, str, str]] = set()
        waiting = [(start, use)]
        while waiting:
            path, here = waiting.pop()
            key = (path, here.namespace, here.prefix, here.suffix)
            if key in seen:
                continue
            if self._visits.get(path, 0) >= MOST_BUILDS_OF_A_FILE:
                self._cut.add(use.build)
                continue
            seen.add(key)
            self._visits[path] = self._visits.get(path, 0) + 1
            self.steps += 1
            if path in self._files:
                self._uses.setdefault(path, []).append(here)
            elif path in self._kustomizations:
                self._folders.setdefault(use.build, {})[path] = None
                for each in self._kustomizations[path]:
                    inner = _within(here, each)
                    if each.charts or each.renames:
                        self._open.add(use.build)
                    waiting += [(below, inner) for below in (*each.resources, *each.components)]
            elif generated and path == start:
                waiting += [(below, here) for below in self._below(path)]
            else:
                self._open.add(use.build)

    def _below(self, folder: str) -> Iterator[str]:
        """What Flux and Argo CD take of a folder without a kustomization: files, and folders with one."""
        top = folder.rstrip(os.sep) + os.sep
        owners: dict[str, str | None] = {}
        given: set[str] = set()
        for at in range(bisect_left(self._sorted, top), len(self._sorted)):
            path = self._sorted[at]
            if not path.startswith(top):
                break
            self.steps += 1
            parent = os.path.dirname(path)
            owner = once(owners, parent, lambda parent: self._kustomized(parent, top))
            if owner is None:
                yield path
            elif owner not in given:
                given.add(owner)
                yield owner

    def _kustomized(self, folder: str, top: str) -> str | None:
        """The outermost folder from `top` down to `folder` that has a kustomization."""
        found = None
        while folder.startswith(top):
            if folder in self._kustomizations:
                found = folder
            folder = os.path.dirname(folder)
        return found

    def _folder_of(self, path: str, builder: FolderBuild) -> str | None:
        """The folder that a builder in the file `path` builds, if it is one of these trees."""
        steps = os.path.normpath(builder.path.lstrip("/") or ".")
        if steps.startswith("..") or "\0" in steps or has_marks(steps):
            return None
        above = [top for top in self._tops if texts.is_below(path, top)]
        folder = os.path.dirname(path)
        # The top of its repository, as far as that shows: a folder of the run may be the top of one.
        while True:
            above.append(folder)
            if folder in self._tops or os.path.dirname(folder) == folder:
                break
            folder = os.path.dirname(folder)
        for top in above:
            found = os.path.normpath(os.path.join(top, steps))
            if found in self._kustomizations or self._holds(found):
                return found
        return None

    def _holds(self, folder: str) -> bool:
        top = folder.rstrip(os.sep) + os.sep
        at = bisect_left(self._sorted, top)
        return at < len(self._sorted) and self._sorted[at].startswith(top)

    def _variables(self, builder: FolderBuild) -> Mapping[str, str]:
        """The values that are known of a build's variables; its own go before those of ConfigMaps."""
        values: dict[str, str] = {}
        for name in builder.config_maps:
            found = self._config_maps.get(name, ())
            if len(found) == 1:  # of several it is not known which one is meant
                values.update(variables_of(found[0]))
            else:
                values.clear()  # it may replace what came before
        return {**values, **builder.substitute}


_BUILDING = frozenset({"patches", "components", "kustomize"})


def _given(patch: Patch, documents: Sequence[object] | None) -> Iterator[PatchSet]:
    """The objects that a patch on an object of Flux or Argo CD makes that one patch."""
    kind = patch.target.get("kind")
    for data in documents or ():
        if isinstance(data, list):
            steps = [
                str(each.get("path")).split("/")[1:] for each in data if isinstance(each, dict)
            ]
            if kind in (None, *_BUILDERS) and any(
                each == ["spec"] or (each[:1] == ["spec"] and not _BUILDING.isdisjoint(each))
                for each in steps
            ):
                yield ANY_PATCH
        elif isinstance(data, dict) and (kind or data.get("kind")) in (None, *_BUILDERS):
            spec = data.get("spec")
            if not isinstance(spec, dict):
                continue
            if spec.get("components"):
                yield ANY_PATCH
            found = [spec, *(each.get("kustomize") for each in _sources(spec))]
            for each in found:
                if isinstance(each, dict):
                    yield patch_set((inner, inner.inline) for inner in patches_of(each))


def _sources(spec: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    every = (spec.get("source"), *list_at(spec, "sources"))
    return (each for each in every if isinstance(each, dict))


def _folders(use: FolderUse) -> Iterator[str]:
    """The folders that take a file in, the innermost first."""
    chain = use.through
    while chain is not None:
        folder, chain = chain
        yield folder


def _within(outer: FolderUse, inner: Kustomization) -> FolderUse:
    """What reaches the objects of a kustomization that is taken in: the outer one changes them last."""
    return FolderUse(
        outer.build,
        outer.namespace or inner.namespace,
        outer.fallback,
        outer.prefix + inner.prefix,
        inner.suffix + outer.suffix,
        outer.variables,
        outer.substitutes,
        (inner.folder, outer.through),
        outer.by_controller,
    )


def real_path(name: str, folders: dict[str, str]) -> str | None:
    """The file that a source's name stands for; None for standard input. `folders` are kept real paths."""
    if name.startswith("<") or "\0" in name:
        return None
    return texts.real_path(name, folders)
