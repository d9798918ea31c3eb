"""The kustomizations on disk around the files of a run, which may patch them.

Looked for in the Git repository that holds a file; without one in the working directory, if the file
lies below it; else in the file's own folder. Nothing outside is read, links to the outside neither.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator

from dradsl.records import Record
from dradsl.text.documents import Stream, load
from dradsl.text.files import FileError, StrPath, is_below
from dradsl.tree.files import Tree, top_of
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.kustomize.kustomization import NAMES, is_kustomization
from dradsl.values.limits import (
    LARGEST_FILE_AROUND,
    MOST_BYTES_AROUND,
    MOST_FILES_AROUND,
    MOST_FOLDERS_AROUND,
)

__all__ = ["SurroundingKustomizations", "builders_around", "files_outside", "look_around", "top_of"]

_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox"})


class SurroundingKustomizations(Record):
    """What was found: kustomizations by the real path of their folder. `roots` are the folders below
    which files may be read, `ignored` those whose content counts as absent. `complete` is False where
    there were too many folders to look at."""

    kustomizations: tuple[tuple[str, Stream], ...] = ()
    roots: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    complete: bool = True

    def read(self, path: str) -> Stream | None:
        """The file at a real path; None if it is outside, missing or cannot be read."""
        return _read(path, Tree(self.roots))

    def is_ignored(self, path: str) -> bool:
        """Whether the run itself writes what is at a real path."""
        return any(is_below(path, folder) for folder in self.ignored)


def look_around(
    names: Iterable[str],
    ignored: Iterable[StrPath] = (),
    known: Container[str] = (),
    *,
    anywhere: bool = False,
) -> SurroundingKustomizations:
    """The kustomizations around the files `names`; without one beside or above a file, none, unless they
    are to be looked for `anywhere` in the trees.

    What is `known`, by real paths, is not read again.
    """
    folders = dict.fromkeys(
        os.path.realpath(os.path.dirname(name) or ".") for name in names if not name.startswith("<")
    )
    roots: dict[str, bool] = {}
    for folder in folders:
        root = top_of(folder)
        above = _upwards(folder, root)
        roots[root] = roots.get(root, False) or anywhere or any(_own(each) for each in above)
    # A root within another one is looked at with it.
    wanted = [root for root, found in roots.items() if found]
    wanted = [r for r in wanted if not any(r != o and is_below(r, o) for o in wanted)]
    skipped = tuple(os.path.realpath(folder) for folder in ignored)
    found: list[tuple[str, Stream]] = []
    budget = MOST_FOLDERS_AROUND
    for root in wanted:
        tree = Tree((root,))
        for folder in _folders(tree):
            if budget == 0:
                break
            budget -= 1
            if any(is_below(folder, each) for each in skipped):
                continue
            for path in _own(folder):
                real = os.path.realpath(path)
                stream = None if real in known else _read(path, tree)
                if stream is not None:
                    found.append((folder, stream))
    return SurroundingKustomizations(tuple(found), tuple(roots), skipped, budget > 0)


_YAML = (".yaml", ".yml")
_BUILDERS = (b"kustomize.toolkit.fluxcd.io/", b"argoproj.io/")


def builders_around(
    roots: Iterable[str], known: Container[str] = (), more: tuple[bytes, ...] = ()
) -> Iterator[tuple[str, Stream]]:
    """The files below `roots` that hold objects by which Flux or Argo CD build, by their real paths.

    They may stand anywhere, so all YAML is searched for their groups, and for `more` signs; only what has one is parsed.
    """
    files, left = MOST_FILES_AROUND, MOST_BYTES_AROUND
    for root in roots:
        tree = Tree((root,))
        for folder, below, names in tree.walk(root):
            below[:] = (each for each in below if each not in _NEVER_ENTERED)
            for name in names:
                path = os.path.join(folder, name)
                if not name.endswith(_YAML) or path in known:
                    continue
                if files == 0 or left <= 0:
                    return
                files -= 1
                try:
                    data = tree.read_found(path, LARGEST_FILE_AROUND)
                except FileError:
                    continue
                left -= len(data)
                if any(sign in data for sign in (*_BUILDERS, *more)):
                    yield path, load(data)


# Signs of files that say which chart a release has, what takes values, and how device plugins hand out devices.
_INSTALLS = (
    b"source.toolkit.fluxcd.io/", b"valuesFrom:", b"sharedDevNum", b"shared-dev-num", b"timeSlicing:", b"migStrategy",
)  # fmt: skip


def files_outside(
    sources: Iterable[SourceText], around: SurroundingKustomizations | None
) -> tuple[tuple[str, ...], dict[str, SourceText]]:
    """The tops of the folders of some files, and the files outside of these that say how Flux and Argo CD build and
    install, by their real paths. Only Git repositories that were not read as a whole are searched."""
    if around is None:
        return (), {}
    named = [each for each in sources if not each.name.startswith("<") and "\0" not in each.name]
    paths = {os.path.realpath(each.name) for each in named}
    tops = tuple(dict.fromkeys((*around.roots, *map(top_of, map(os.path.dirname, paths)))))
    read = {os.path.realpath(each.top) for each in named if each.top is not None}
    searched = [top for top in tops if top not in read and os.path.exists(f"{top}/.git")]
    found = dict(builders_around(searched, paths, _INSTALLS))
    for folder, stream in around.kustomizations if searched else ():
        found.setdefault(f"{folder}/kustomization.yaml", stream)
    shown = os.path.abspath if any(each.name.startswith("/") for each in named) else os.path.relpath
    return tops, {
        path: SourceText(shown(path), stream)
        for path, stream in found.items()
        if path not in paths and not around.is_ignored(path)
    }


def _upwards(folder: str, root: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if folder == root or above == folder:
            return
        folder = above


def _own(folder: str) -> list[str]:
    paths = [os.path.join(folder, name) for name in NAMES]
    return [path for path in paths if os.path.isfile(path)]


def _folders(tree: Tree) -> Iterator[str]:
    for folder, below, files in tree.walk(tree.roots[0]):
        below[:] = (each for each in below if each not in _NEVER_ENTERED)
        if below or any(is_kustomization(file) for file in files):
            yield folder


def _read(path: str, tree: Tree) -> Stream | None:
    try:
        return load(tree.read(path, LARGEST_FILE_AROUND))
    except (FileError, ValueError):
        return None
