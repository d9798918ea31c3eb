"""Files below a tree, read and listed only after every step of their path was checked.

A link on the way to a file may lead to another place of the tree, and not out of it. Anybody may have made
the links in a tree; they hold only where the user named the link itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from dradsl.records import Record
from dradsl.text.files import MANIFEST_BYTES, FileError, StrPath, is_below, read_bytes, work_tree

__all__ = ["Tree", "top_of", "work_tree"]

_MARKS = "*?["


class Tree(Record):
    """The part of the disk that a run may use: what lies below one of `roots`, which are real paths.

    A `.git` is no part of it: it may hold what no other user is to read, such as a token.
    """

    roots: tuple[str, ...]

    @classmethod
    def of(cls, folder: StrPath) -> Tree:
        """The tree of a folder that the user names to be read: the folder, and the git work tree that holds it.

        The folder may be a link to anywhere.
        """
        real = os.path.realpath(folder)
        top = work_tree(real)
        return cls((real,) if top in (None, real) else (real, str(top)))

    @classmethod
    def around(cls, folder: StrPath) -> Tree:
        """The tree of a folder in which a run writes what it makes: the git work tree that holds it; without one the
        working directory if the folder lies below, else the folder.

        A link on the way from the top to the folder counts: it may have come with the tree.
        """
        here = os.path.abspath(folder)
        top = top_of(here)
        own = ".git" in here[len(top) :].split(os.sep)  # named, as a place that git ignores
        return cls((os.path.realpath(here if own else top),))

    def real(self, path: StrPath) -> str | None:
        """The path with all links followed; None if it leads out of the tree."""
        target = os.path.realpath(path)
        return target if self.holds(target) else None

    def holds(self, target: str) -> bool:
        """Whether a real path is in the tree."""
        for root in self.roots:
            below = root.rstrip(os.sep) + os.sep
            if target == root or (
                target.startswith(below) and ".git" not in target[len(below) :].split(os.sep)
            ):
                return True
        return False

    def expect(self, path: StrPath) -> str:
        """As `real`.

        Raises:
            FileError: ("outside") if the path leads out of the tree.
        """
        target = self.real(path)
        if target is None:
            top = self.roots[-1] if self.roots else "the files of this run"
            raise FileError("outside", path, f"leads by a link outside {top}; it is left alone")
        return target

    def read(self, path: StrPath, limit: int = MANIFEST_BYTES) -> bytes:
        """The bytes of a regular file of at most `limit` bytes.

        Raises:
            FileError: if it leads out of the tree or cannot be read.
        """
        return read_bytes(path, limit, self.expect(path))

    def read_found(self, path: str, limit: int = MANIFEST_BYTES) -> bytes:
        """As `read`, for a file that `walk` named; a link is rejected, wherever it leads."""
        if os.path.islink(path):
            raise FileError("outside", path, "is a link")
        return read_bytes(path, limit, path)

    def is_file(self, path: StrPath) -> bool:
        """Whether there is a file at a path within the tree."""
        target = self.real(path)
        return target is not None and os.path.isfile(target)

    def is_folder(self, path: StrPath) -> bool:
        """Whether there is a folder at a path within the tree."""
        target = self.real(path)
        return target is not None and os.path.isdir(target)

    def walk(
        self, start: StrPath, onerror: Callable[[OSError], object] | None = None
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """A folder and those below, each with the names of its folders and files in order, as `os.walk` gives them.

        Nothing if `start` leads out of the tree. Links to folders are named and not entered.
        """
        if self.real(start) is None:
            return
        for folder, below, names in os.walk(os.fspath(start), onerror=onerror):
            below.sort()
            names.sort()
            yield folder, below, names

    def files(self, start: StrPath) -> Iterator[str]:
        """The regular files below a folder, and links to such files, in the order of `walk`; also links that lead out
        of the tree, which `read` rejects."""
        for folder, below, names in self.walk(start):
            if ".git" in below:
                below.remove(".git")
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path) or self.real(path) is None or os.path.isfile(path):
                    yield path

    def glob(self, pattern: str) -> list[str]:
        """What is at the paths that fit a pattern with `*`, `?`, `[…]` and `**`, in order.

        Hidden names fit only what begins with a dot. `**` enters no links to folders. A link to a folder outside
        of the tree is given itself, instead of what the rest of the pattern would find there.
        """
        found, outside, has_marks = [""], dict[str, None](), False
        steps = pattern.replace(os.sep, "/").split("/")
        for number, step in enumerate(steps):
            is_last = number == len(steps) - 1
            has_marks = has_marks or any(mark in step for mark in _MARKS)
            made: list[str] = []
            for folder in found:
                if has_marks and self.real(folder or ".") is None:
                    outside[folder.rstrip("/")] = None
                elif step == "**":
                    made += self._below(folder, with_files=is_last)
                else:
                    names = _fitting(folder, step)
                    made += (
                        names if is_last else [f"{n}/" for n in names if os.path.isdir(n or "/")]
                    )
            found = list(dict.fromkeys(made))
        return sorted({*found, *outside} - {""})

    def _below(self, folder: str, *, with_files: bool) -> Iterator[str]:
        yield folder
        for here, below, names in self.walk(folder or "."):
            below[:] = [name for name in below if not name.startswith(".")]
            start = folder if here in (folder, ".") else f"{here.removeprefix('./')}/"
            real = [name for name in below if not os.path.islink(start + name)]
            yield from (f"{start}{name}/" for name in real)
            if with_files:
                yield from (start + name for name in names if not name.startswith("."))

    def make_folder(self, path: StrPath) -> None:
        """Make a folder and those above it, where they are missing.

        Raises:
            FileError: if it leads out of the tree, or cannot be made.
        """
        self.expect(path)
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise FileError("failed", path, f"the folder cannot be made: {reason}") from error


def _fitting(folder: str, step: str) -> list[str]:
    """What is in a folder and fits a step of a pattern, as paths."""
    if not any(mark in step for mark in _MARKS):
        return [folder + step] if not step or os.path.lexists(folder + step) else []
    import fnmatch  # lazily: only few runs have a pattern

    try:
        names = fnmatch.filter(os.listdir(folder or "."), step)
    except OSError:
        return []
    return [folder + name for name in names if step[0] == "." or name[0] != "."]


def top_of(folder: str) -> str:
    """The top of the tree that holds a folder: of git, else the working directory, else the folder."""
    working = os.path.realpath(".")
    return work_tree(folder) or (working if is_below(folder, working) else folder)
