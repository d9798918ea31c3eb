"""The tree a file belongs to, and links that lead out of it."""

from __future__ import annotations

import os

from dradsl.text.files import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.text.files import StrPath

__all__ = ["leads_out", "real_path", "work_tree"]


def work_tree(folder: StrPath) -> str | None:
    """The top of the git work tree that holds `folder`; None if there is none. git is not asked."""
    here = absolute(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        outer = os.path.dirname(here)
        if outer == here:
            return None
        here = outer
    return here


def real_path(name: str, folders: dict[str, str]) -> str:
    """`os.path.realpath` for many files of the same folders, whose real paths are kept in `folders`."""
    above, file = os.path.split(name)
    if file in ("", ".", "..") or os.path.islink(name):
        return os.path.realpath(name)
    if above not in folders:
        folders[above] = os.path.realpath(above)
    return os.path.join(folders[above], file)


def leads_out(path: StrPath, tree: StrPath) -> bool:
    """Whether `path`, with all links followed, is neither `tree` nor below it.

    A `.git` is no part of the tree: it may hold what no other user is to read, such as a token.
    """
    top = os.path.realpath(tree)
    target = os.path.realpath(path)
    if target == top:
        return False
    below = top.rstrip(os.sep) + os.sep
    return not target.startswith(below) or ".git" in target[len(below) :].split(os.sep)
