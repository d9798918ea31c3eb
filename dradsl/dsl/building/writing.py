"""Built manifests on disk: one file an object, each with a mark that says which module it is from.

What a build does to a folder is planned as a whole before the first file is touched. It replaces
and removes only files that have its own mark: those of other modules, and those without a mark, were
written by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.errors import DradslError
from dradsl.text.files import FileError, file_error
from dradsl.tree.files import Tree
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

__all__ = ["ClashError", "OverwriteError", "Plan", "plan"]

_MARK = "# Built by dradsl build from {owner}; change the Python module instead."
_ANY_MARK = re.compile(
    re.escape(_MARK).replace(re.escape("{owner}"), "(?P<owner>.+)").encode() + rb"\r?"
)


class OverwriteError(DradslError):
    """Files that a build would overwrite, although they are not its own; a line for each."""


class ClashError(OverwriteError):
    """Files that two modules of one call build; a line for each."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build does to a folder.

    Args:
        folder: the folder.
        contents: file name -> content, of all files that the build writes.
        missing: those of `contents` that are not there.
        different: those that are there with another content, and why in words.
        removed: files that an earlier build of the same app wrote, and this one does not.
        taken_over: what to tell once it is written: files of others that now belong to the app.
        before: what the files to be replaced and removed held when the plan was made.
    """

    folder: Path
    contents: Mapping[str, bytes] = field(repr=False)
    missing: tuple[str, ...]
    different: Mapping[str, str]
    removed: tuple[str, ...]
    taken_over: tuple[str, ...]
    before: Mapping[str, bytes] = field(repr=False)

    @property
    def written(self) -> tuple[str, ...]:
        """The files that the build writes because they are missing or differ."""
        changed = {*self.missing, *self.different}
        return tuple(name for name in self.contents if name in changed)

    def differences(self) -> Iterator[str]:
        """What there is to do, a line each."""
        for name in self.written:
            yield f"{self.folder / name} {self.different.get(name, 'is missing')}"
        for name in self.removed:
            yield f"{self.folder / name} is no longer built"

    def diff(self, *, whole: bool = True) -> Iterator[str]:
        """Unified diffs from the files to what is built; without `whole` only of files that differ."""
        from dradsl.text.diff import unified_diff

        for name in self.written if whole else self.different:
            before = self.before.get(name, b"").decode("utf-8", "replace")
            path = (self.folder / name).as_posix()
            old = path if name in self.before else "/dev/null"
            yield from unified_diff(before, self.contents[name].decode(), old, path)
        for name in self.removed if whole else ():
            path = (self.folder / name).as_posix()
            before = self.before[name].decode("utf-8", "replace")
            yield from unified_diff(before, "", path, "/dev/null")

    def carry_out(self) -> list[FileError]:
        """Write and remove; each file is replaced as a whole.

        Returns why some files could not be written or removed, such as for a change by another process
        since the plan was made; the others are done.

        Raises:
            OSError: if there is no folder and none can be made.
        """
        tree = Tree.around(self.folder)
        tree.make_folder(self.folder)
        failures = []
        for name in self.written:
            try:
                path = self.folder / name
                before = self.before.get(name, b"")
                write_bytes(path, self.contents[name], expected=before, tree=tree)
            except FileError as error:
                failures.append(error)
        for name in self.removed:
            try:
                self._remove(self.folder / name, self.before[name], tree)
            except FileNotFoundError:
                continue  # another process removed it
            except OSError as error:
                failures.append(file_error(self.folder / name, error))
        return failures

    def _remove(self, path: Path, before: bytes, tree: Tree) -> None:
        if path.stat().st_size != len(before) or tree.read(path) != before:
            raise FileError("changed", path, "was changed since it was read; it is left alone")
        path.unlink()


def _difference(other: str | None, owner: str, builds: Collection[str]) -> str:
    """How a file of the owner `other` differs from what `owner` builds, as the end of a sentence."""
    if other == owner:
        return "differs"
    if other in builds:
        return f"was built by {other}, and is now by {owner}"
    return f"was built by {other}" if other else "was not written by dradsl build"


def plan(folder: Path, builds: Mapping[str, Mapping[str, str]], *, force: bool = False) -> Plan:
    """What it takes to have the files of `builds` in `folder`. Nothing is changed.

    A file may go from one of the owners to another.

    Args:
        folder: the folder, which need not be there.
        builds: owner, as `owner_of` names it -> file name -> YAML.
        force: overwrite files of others too.

    Raises:
        ClashError: if two owners build one file.
        OverwriteError: without `force`, if files of others would be overwritten.
        OSError: if a file cannot be read, or the folder is none.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder}: is not a folder")
    owner_of = _owners(folder, builds)
    contents = {
        name: f"{_MARK.format(owner=owner)}\n{text}".encode()
        for owner, files in builds.items()
        for name, text in files.items()
    }
    tree = Tree.around(folder)
    there = {name: _read(folder / name, tree) for name in contents}
    changed = {
        name: _owner_in(content)
        for name, content in there.items()
        if content is not None and content != contents[name]
    }
    different = {
        name: _difference(other, owner_of[name], builds) for name, other in changed.items()
    }
    foreign = [
        name for name, other in changed.items() if other != owner_of[name] and other not in builds
    ]
    if foreign and not force:
        raise OverwriteError(
            "\n".join(
                f"{folder / name} {different[name]}, and {owner_of[name]} would overwrite it"
                for name in foreign
            )
        )
    taken_over = [
        f"{folder / name} {different[name]}; it is now built by {owner_of[name]}"
        for name in foreign
    ]
    removed = _left_over(folder, tree, contents, builds)
    return Plan(
        folder=folder,
        contents=contents,
        missing=tuple(name for name, content in there.items() if content is None),
        different=different,
        removed=tuple(removed),
        taken_over=tuple(taken_over),
        before={**{n: c for n, c in there.items() if c is not None}, **removed},
    )


def _owners(folder: Path, builds: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """File name -> owner.

    Raises:
        ClashError: if a file has two.
    """
    found: dict[str, str] = {}
    twice = []
    for owner, files in builds.items():
        for name in files:
            if name in found:
                twice.append(f"{folder / name} is built by {found[name]} and by {owner}")
            found.setdefault(name, owner)
    if twice:
        raise ClashError("\n".join(twice))
    return found


def _left_over(
    folder: Path, tree: Tree, files: Mapping[str, bytes], owners: Mapping[str, object]
) -> dict[str, bytes]:
    """Files of `owners` that are not built, with their content."""
    own: dict[str, bytes] = {}
    for name in next(tree.walk(folder), ("", [], []))[2]:
        if name in files or not name.endswith(".yaml"):
            continue
        try:
            # A build makes no links: what a link is for, and whose it is, cannot be known.
            content = tree.read_found(str(folder / name))
        except FileError:  # nothing that a build wrote
            continue
        if _owner_in(content) in owners:
            own[name] = content
    return own


def _owner_in(content: bytes) -> str | None:
    """The owner in a file's mark; None without a mark."""
    first, _, _ = content.partition(b"\n")
    found = _ANY_MARK.fullmatch(first)
    return found["owner"].decode("utf-8", "replace") if found else None


def _read(path: Path, tree: Tree) -> bytes | None:
    try:
        return tree.read(path)
    except FileError as error:
        if error.reason == "missing":
            return None
        raise
