"""Work trees of git, found by their `.git` entries, without starting git anywhere."""

from __future__ import annotations

import os
from collections.abc import Iterator

from dradsl.records import Record
from dradsl.values.limits import LARGEST_GIT_FILE

__all__ = ["WorkTree", "named_work_tree", "work_trees_above"]

_POINTER = "gitdir: "


class WorkTree(Record):
    """A work tree by its top folder, free of links.

    `git_dir` is given where the environment names the repository; else git finds it in the top.
    """

    top: str
    git_dir: str | None = None

    def holds(self, folder: str) -> bool:
        """Whether `folder` (absolute, free of links) is the top or lies below."""
        return folder == self.top or folder.startswith(self.top.rstrip(os.sep) + os.sep)

    def repository(self) -> str:
        """The folder of this work tree's own git data."""
        if self.git_dir is not None:
            return self.git_dir
        entry = os.path.join(self.top, ".git")
        named = _first_line(entry).removeprefix(_POINTER)
        return os.path.realpath(os.path.join(self.top, named)) if named else os.path.realpath(entry)

    def objects(self) -> str:
        """The folder of the repository's objects."""
        return os.path.join(self._common(), "objects")

    def excludes(self) -> str:
        """The file of patterns that this clone alone ignores; it may not exist."""
        return os.path.join(self._common(), "info", "exclude")

    def index(self) -> str:
        """The file of what is tracked; it may not exist."""
        return os.path.join(self.repository(), "index")

    def is_shallow(self) -> bool:
        """Whether the clone was made without the older history."""
        return os.path.lexists(os.path.join(self._common(), "shallow"))

    def _common(self) -> str:
        """The folder that linked work trees of one repository share."""
        repository = self.repository()
        named = _first_line(os.path.join(repository, "commondir"))
        return os.path.realpath(os.path.join(repository, named))

    def is_submodule_of(self, outer: WorkTree) -> bool:
        """Whether `outer` keeps the repository of this work tree among its submodules'."""
        modules = os.path.join(os.path.realpath(outer.repository()), "modules", "")
        return self.git_dir is None and self.repository().startswith(modules)


def work_trees_above(folder: str) -> Iterator[WorkTree]:
    """The work trees that hold `folder` (absolute, free of links), the innermost first.

    git tracks no entry called `.git`, so no commit can bring one. A folder that only looks like a
    bare repository counts for nothing: plain tracked files can do that.
    """
    while True:
        if _is_git_entry(os.path.join(folder, ".git")):
            yield WorkTree(folder)
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def named_work_tree() -> WorkTree | None:
    """The work tree that GIT_DIR and GIT_WORK_TREE of the environment name, if they do."""
    git_dir = os.environ.get("GIT_DIR")
    if not git_dir:
        return None
    top = os.path.realpath(os.environ.get("GIT_WORK_TREE") or os.curdir)
    return WorkTree(top, os.path.realpath(git_dir))


def _is_git_entry(path: str) -> bool:
    """A file that points to a repository, or a folder that is one (git setup.c, is_git_directory)."""
    if os.path.isdir(path):
        parts = ("HEAD", "objects", "refs")
        return all(os.path.lexists(os.path.join(path, part)) for part in parts)
    return _first_line(path).startswith(_POINTER)


def _first_line(path: str) -> str:
    """The first line of a file; empty if there is none that can be read."""
    from dradsl.text.files import FileError, read_bytes

    try:
        line = os.fsdecode(read_bytes(path, LARGEST_GIT_FILE)).partition("\n")[0].rstrip("\r")
    except FileError:
        return ""
    return "" if "\0" in line else line  # no path holds a null character
