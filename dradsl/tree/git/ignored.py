"""What git ignores below a folder, from `.gitignore` at every level and `.git/info/exclude`.

Nothing is started for it. What git tracks is not ignored, as its index says; the index is read when something
matches. The user's own excludes (`core.excludesFile`) are not read, so that a run says the same on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from dradsl.records import Record, once
from dradsl.text.files import SETTINGS_BYTES, FileError, read_bytes
from dradsl.tree.files import work_tree
from dradsl.tree.git.gitignore import IgnoreFile, TooManyPatternsError
from dradsl.tree.git.index import IndexFile, IndexFileError
from dradsl.tree.git.work_trees import WorkTree
from dradsl.values.limits import LARGEST_INDEX

__all__ = ["GitIgnores"]

_NAME = ".gitignore"
_UNTRACKED = "what is ignored counts as not tracked"


class _Level(Record):
    """The patterns of one folder, and those around it in the same work tree."""

    folder: str  # free of links, with a slash at the end
    patterns: IgnoreFile
    source: str
    outer: _Level | None


class GitIgnores:
    """What git ignores below `start`, a folder that is walked from the top down.

    `problems` are the ignore files that cannot be read, and why; nothing is left out for them.
    """

    def __init__(self, start: str) -> None:
        self.problems: list[str] = []
        self._start = start
        self._real = os.path.realpath(start)
        self._reals: dict[str, str] = {}  # of folders, by their names
        self._levels: dict[str, _Level | None] = {}
        self._tops: dict[str, str | None] = {}  # of the work trees that hold the folders
        self._indexes: dict[str, IndexFile | None] = {}
        self._within: dict[str, str] = {}  # ignored folders with tracked files, and why they are
        self._top = work_tree(self._real)
        self._outer = self._around()

    def enter(self, folder: str, names: Collection[str]) -> None:
        """Get to know `folder`, which is `start` or lies in one that was entered; `names` are all in it."""
        real = self._real_path(folder)
        inner = real != self._real
        level = self._levels.get(os.path.dirname(real)) if inner else self._outer
        self._tops[real] = self._tops.get(os.path.dirname(real)) if inner else self._top
        if ".git" in names and inner:
            self._tops[real] = real
            level = self._excludes(real)  # a repository of its own: what holds around it ends here
        if _NAME in names:
            level = self._with_file(real, level)
        self._levels[real] = level

    def reason(self, folder: str, name: str, *, is_folder: bool) -> str | None:
        """Which file has `name` in `folder` ignored, as a reader finds it; None if none has."""
        real = self._real_path(folder)
        path = os.path.join(real, name)
        why = self._within.get(real) or self._by_patterns(real, path, is_folder=is_folder)
        if why is None or not self._is_tracked(real, path, is_folder=is_folder):
            return why
        if is_folder:
            self._within[path] = why  # what is not tracked in it stays ignored
        return None

    def _by_patterns(self, real: str, path: str, *, is_folder: bool) -> str | None:
        level = self._levels.get(real)
        while level is not None:
            ignored = level.patterns.decide(path[len(level.folder) :], is_folder=is_folder)
            if ignored is not None:
                return level.source if ignored else None
            level = level.outer
        return None

    def _is_tracked(self, real: str, path: str, *, is_folder: bool) -> bool:
        """Whether git tracks a file, or something in a folder."""
        top = self._tops.get(real)
        if top is None:
            return False
        index = once(self._indexes, top, lambda top: self._index(WorkTree(top).index()))
        try:
            below = os.fsencode(path[len(top.rstrip("/")) + 1 :]) + b"/" * is_folder
            return index is not None and index.tracks(below)
        except IndexFileError as error:
            self._say(WorkTree(top).index(), error, _UNTRACKED)
            self._indexes[top] = None
            return False

    def _index(self, path: str) -> IndexFile | None:
        if not os.path.isfile(path):
            return None
        try:
            return IndexFile(read_bytes(path, LARGEST_INDEX))
        except (FileError, IndexFileError) as error:
            self._say(path, error, _UNTRACKED)
            return None

    def reason_for(self, path: str) -> str | None:
        """As `reason`, for a file somewhere below `start`, whose folders need not be entered."""
        folder = self._start
        steps = path[len(folder) :].strip("/").split("/")
        for number, step in enumerate(steps):
            if self._real_path(folder) not in self._levels:
                special = [n for n in (".git", _NAME) if os.path.lexists(os.path.join(folder, n))]
                self.enter(folder, special)
            reason = self.reason(folder, step, is_folder=number < len(steps) - 1)
            if reason is not None:
                return reason
            folder = os.path.join(folder, step)
        return None

    def _real_path(self, folder: str) -> str:
        known = self._reals.get(folder)
        if known is None:
            below = folder[len(self._start) :].strip("/")
            known = self._reals[folder] = os.path.join(self._real, below) if below else self._real
        return known

    def _around(self) -> _Level | None:
        """What holds in `start` by its work tree's own excludes and the folders above."""
        top = self._top
        if top is None:
            return None
        level = self._excludes(top)
        for folder in _between(top, self._real):
            if os.path.lexists(os.path.join(folder, _NAME)):
                level = self._with_file(folder, level)
        return level

    def _excludes(self, top: str) -> _Level | None:
        path = WorkTree(top).excludes()
        return self._level(path, top, None) if os.path.isfile(path) else None

    def _with_file(self, folder: str, outer: _Level | None) -> _Level | None:
        path = os.path.join(folder, _NAME)
        if os.path.islink(path):
            return outer  # git does not follow it either (its config documentation, gitignore)
        return self._level(path, folder, outer) or outer

    def _level(self, path: str, folder: str, outer: _Level | None) -> _Level | None:
        try:
            text = read_bytes(path, SETTINGS_BYTES).decode("utf-8", "surrogateescape")
            patterns = IgnoreFile.of(text.removeprefix("\ufeff"))
        except (FileError, TooManyPatternsError) as error:
            self._say(path, error, "nothing is ignored for it")
            return None
        return _Level(f"{folder.rstrip('/')}/", patterns, self._shown(path), outer)

    def _say(self, path: str, error: Exception, follows: str) -> None:
        why = str(error).removeprefix(f"{path}: ")
        self.problems.append(f"{self._shown(path)} {why}: {follows}")

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, os.path.realpath(os.curdir))


def _between(top: str, folder: str) -> Iterator[str]:
    """The folders from `top` down to the one that holds `folder`."""
    here = top
    for step in os.path.relpath(folder, top).split(os.sep):
        if here == folder:
            return
        yield here
        here = os.path.join(here, step)
