"""The folders from which Python imports: none of the tree that a command reads.

A tree may hold a `click.py`. Python looks into the working directory first after `-m`, and wherever `PYTHONPATH`
leads.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["keep_tree_out", "outside_of_tree", "python_call"]

_HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def outside_of_tree(entries: Iterable[str], folder: str) -> list[str]:
    """The entries of a path of folders that lead from nowhere into `folder` or the work tree of git around it.

    An environment of Python within the tree counts, as it is the one that runs; so does the folder of dradsl.
    """
    top = _work_tree(os.path.realpath(folder))
    return [each for each in entries if os.path.isabs(each) and not _is_of_tree(each, top)]


def keep_tree_out(*, last: bool = False) -> None:
    """Take what lies in the tree of the working directory out of `sys.path`, or put it `last`: after all that dradsl
    needs."""
    kept = outside_of_tree(sys.path, os.getcwd())
    rest = [each for each in sys.path if each not in kept and os.path.isabs(each)] if last else []
    sys.path[:] = [*kept, *rest]


def python_call(folder: str) -> tuple[list[str], dict[str, str]]:
    """The first words of a call of dradsl in a process of its own that works in `folder`, and its environment."""
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = outside_of_tree(path, folder)
    if not _is_below(_HOME, sys.prefix) and _HOME not in kept:
        kept.append(_HOME)  # dradsl runs from there
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(kept)}
    return [sys.executable, "-P", "-m", "dradsl"], environment


def _work_tree(folder: str) -> str:
    """The nearest folder from `folder` up that has a `.git`; `folder` itself if none has."""
    above = folder
    while not os.path.lexists(os.path.join(above, ".git")):
        if os.path.dirname(above) == above:
            return folder
        above = os.path.dirname(above)
    return above


def _is_of_tree(entry: str, top: str) -> bool:
    real = os.path.realpath(entry)
    if not _is_below(real, top) or real == _HOME:
        return False
    # Only what lies in the tree itself: a tree below the folder of Python is nothing of it.
    own = (os.path.realpath(each) for each in (sys.prefix, sys.base_prefix))
    return real == top or not any(_is_below(each, top) and _is_below(real, each) for each in own)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
