"""Protection of files that are rewritten: files that git could not restore are left alone, and the report says how to undo."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from dradsl.tree.git.snapshots import (
    GitError,
    GitSnapshot,
    MissingObjectError,
    NoCommitError,
    find_commit,
)
from dradsl.tree.git.work_trees import WorkTree, work_trees_above
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.values.limits import MOST_COMMITTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["expect_committed", "way_back"]

_SHOWN = 5


def expect_committed(contents: Mapping[str, bytes]) -> None:
    """Reject files to rewrite, given with their content, that differ from the last commit of git, or that
    git does not know. Files outside of a work tree are not checked.

    Raises:
        UsageProblem: naming the files, and `--force`.
    """
    found = list(_uncommitted(contents))
    if not found:
        return
    names = ", ".join(found[:_SHOWN]) + (
        f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    )
    raise UsageProblem(
        f"changes that are not committed could not be brought back: {names}. Commit them first, or say "
        "--force. Nothing was written"
    )


def _uncommitted(contents: Mapping[str, bytes]) -> Iterator[str]:
    by_tree: dict[WorkTree, list[str]] = {}
    for name in contents:
        tree = _tree_of(name)
        if tree is not None:
            by_tree.setdefault(tree, []).append(name)
    for tree, names in by_tree.items():
        try:
            commit = find_commit(tree, "HEAD")
        except NoCommitError:
            yield from names
            continue
        except GitError:
            continue  # git has no answer: a folder that only looks like a repository, or no git
        snapshot = GitSnapshot(tree, commit)
        try:
            for name in names:
                if not _is_as_committed(snapshot, tree, name, contents[name]):
                    yield name
        except (GitError, MissingObjectError):
            continue
        finally:
            snapshot.close()


def _tree_of(name: str) -> WorkTree | None:
    folder = os.path.dirname(os.path.realpath(name))
    return next(work_trees_above(folder), None)


def _is_as_committed(snapshot: GitSnapshot, tree: WorkTree, name: str, data: bytes) -> bool:
    path = os.path.relpath(os.path.realpath(name), tree.top)
    entry = snapshot.entry([os.fsencode(step) for step in path.split(os.sep)])
    if entry is None or not entry.is_file:
        return False
    committed = snapshot.blob(entry.oid, MOST_COMMITTED)[1]
    # Git may have changed the line endings.
    return committed == data or committed == data.replace(b"\r\n", b"\n")


def way_back(changed: Sequence[str], made: Iterable[str]) -> str:
    """How to undo what was written."""
    new = [shlex.quote(name) for name in made]
    trees = {_tree_of(name) for name in changed}
    if None in trees:
        return "no git work tree holds all of these files: only a copy of your own brings them back"
    parts = []
    if changed:
        parts.append(f"git restore -- {' '.join(map(shlex.quote, changed))}")
    if new:
        parts.append(f"rm -- {' '.join(new)}")
    return f"to go back: {' && '.join(parts)}"
