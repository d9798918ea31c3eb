"""The state before a change, for rules on updates: a git revision, or a folder."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence

from dradsl.diagnostics import Finding
from dradsl.lint.input.reading import ReadFiles, read_inputs, unreadable
from dradsl.records import once, replace
from dradsl.text.files import FileError
from dradsl.tree.git.snapshots import (
    GitError,
    GitSnapshot,
    MissingObjectError,
    NoCommitError,
    find_commit,
)
from dradsl.tree.git.work_trees import WorkTree, named_work_tree, work_trees_above
from dradsl.tree.inputs.sources import SourceText, UsageProblem, find_inputs
from dradsl.values.limits import MOST_COMMITTED_FILES, MOST_GIT_LINKS, MOST_GONE, MOST_WORK_TREES

__all__ = ["read_previous"]

_ENDINGS = (b".yaml", b".yml", b".json")
_UPDATED = ("resource.k8s.io", "scheduling.k8s.io")  # groups of objects whose updates are judged
_KEPT_OPEN = 8  # processes at a time; files come sorted, so most repositories are opened once


def read_previous(
    since: str, sources: Sequence[SourceText], skipped: Sequence[str] = ()
) -> ReadFiles:
    """The files as they were: `since` is a folder of manifests or a git revision.

    A revision is one of the repository that holds the working directory. A file elsewhere is looked
    for in its own repository, and one in a submodule in the commit that the revision of the outer
    repository names. A file that cannot be read as it was is a finding. `skipped` files are none
    of the run; what they held may be in another one now.

    Raises:
        UsageProblem: if it is neither, or git cannot be asked.
    """
    if not since:
        raise UsageProblem("--since: expected a folder or a git revision, not an empty text")
    if os.path.isdir(since):
        reading = read_inputs(list(find_inputs([since])))
        below = [replace(each, was=_below(each.name, since)) for each in reading.sources]
        return replace(reading, sources=tuple(below))
    with contextlib.closing(_Past(since)) as past:
        return _from_git(past, sources, skipped)


def _below(name: str, folder: str) -> str:
    """The path of a file from the folder in which it was found."""
    return os.path.relpath(name, folder).replace(os.sep, "/")


def _from_git(past: _Past, sources: Sequence[SourceText], skipped: Sequence[str]) -> ReadFiles:
    from dradsl.text.documents import DEFAULT_LIMITS, load

    found: list[SourceText] = []
    failures: list[Finding] = []
    new: list[str] = []
    for source in sources:
        if not os.path.exists(source.name):
            continue  # standard input has no past
        try:
            data = past.read(source.name, DEFAULT_LIMITS.max_bytes)
        except FileError as error:
            what = f"the file's state at {past.revision}"
            failures.append(unreadable(source.name, error, what))
            continue
        if data is not None:
            name = f"{source.name}@{past.revision}"
            found.append(SourceText(name, load(data, variables=True), was=source.name))
        elif any(group in source.stream.text for group in _UPDATED):
            new.append(source.name)
    if new:
        # They may have had another name: what is gone from the tree is looked into.
        gone = past.gone(new, DEFAULT_LIMITS.max_bytes)
        for name, data in itertools.chain(gone, past.readable(skipped, DEFAULT_LIMITS.max_bytes)):
            if any(group.encode() in data for group in _UPDATED):
                source = SourceText(f"{name}@{past.revision}", load(data, variables=True), was=name)
                found.append(source)
    return ReadFiles(tuple(found), tuple(failures))


class _Past:
    """Files at a revision, in as many repositories as they lie in; one process reads each of these."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self._here = os.path.realpath(os.curdir)
        self._trees: dict[str, tuple[WorkTree, ...]] = {}
        self._snapshots: dict[WorkTree, GitSnapshot] = {}
        self._commits: dict[WorkTree, bytes | None] = {}

    def close(self) -> None:
        """End all processes."""
        while self._snapshots:
            self._snapshots.popitem()[1].close()

    def read(self, path: str, limit: int) -> bytes | None:
        """The bytes of the file as it was; None if there was none.

        Raises:
            UsageProblem: if no repository holds the file, or its repository lacks the revision.
            FileError: if the file is too large, or its content is not in the clone.
        """
        folder = os.path.realpath(os.path.dirname(path) or os.curdir)
        trees = self._trees_of(folder)
        if not trees:
            raise self._problem(f"no git work tree holds {path}, and no folder has that name")
        tree = trees[0]
        commit = self._commit(trees)
        if commit is None:
            return None
        try:
            oid = self._find(tree, commit, os.path.join(folder, os.path.basename(path)))
            if oid is None:
                return None
            size, data = self._open(tree, commit).blob(oid, limit)
        except MissingObjectError as error:
            message = (
                f"object {error} is missing or damaged in this clone; if it was made with "
                "`--filter`, `git fetch --refetch --no-filter` gets the rest"
            )
            raise FileError("failed", path, message) from error
        except GitError as error:
            raise self._problem(f"{tree.top}: {error}") from error
        if size > limit:
            raise FileError("too-large", path, f"has {size} bytes; the limit is {limit}")
        return data

    def gone(self, names: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
        """The manifests of the trees that hold `names` that are there no more, as names of the run.

        What cannot be read is left out: it was not asked for by name.
        """
        trees: dict[WorkTree, tuple[tuple[WorkTree, ...], str]] = {}
        for name in names:
            around = self._trees_of(os.path.realpath(os.path.dirname(name) or os.curdir))
            if around:
                trees.setdefault(around[0], (around, name))
        left = MOST_GONE
        for tree, (around, name) in trees.items():
            commit = self._commit(around)
            if commit is None:
                continue
            for path, oid in self._gone_files(tree, commit):
                if left == 0:
                    return
                left -= 1
                try:
                    size, data = self._open(tree, commit).blob(oid, limit)
                except (MissingObjectError, GitError):
                    continue
                if size <= limit:
                    yield _named_like(name, path), data

    def readable(self, names: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
        """The files of these names that there were, and that can be read."""
        for name in names[:MOST_GONE]:
            try:
                data = self.read(name, limit)
            except FileError:
                continue
            if data is not None:
                yield name, data

    def _gone_files(self, tree: WorkTree, commit: bytes) -> list[tuple[str, bytes]]:
        """Path and id of the manifests at the commit that the work tree holds no more."""
        found: list[tuple[str, bytes]] = []
        try:
            for steps, entry in self._open(tree, commit).files(MOST_COMMITTED_FILES):
                path = os.path.join(tree.top, *map(os.fsdecode, steps))
                if steps[-1].endswith(_ENDINGS) and not os.path.lexists(path):
                    found.append((path, entry.oid))
        except (MissingObjectError, GitError):
            return found
        return found

    def _find(self, tree: WorkTree, commit: bytes, path: str) -> bytes | None:
        """The id of the file at `path`, also by way of links that stay in the work tree."""
        snapshot = self._open(tree, commit)
        for _ in range(MOST_GIT_LINKS):
            if not tree.holds(os.path.dirname(path)):
                return None
            entry = snapshot.entry(_steps(tree, path))
            if entry is None or not entry.is_link:
                return entry.oid if entry is not None and entry.is_file else None
            target = os.fsdecode(snapshot.blob(entry.oid, 4096)[1])
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return None

    def _trees_of(self, folder: str) -> tuple[WorkTree, ...]:
        if folder not in self._trees:
            trees = tuple(itertools.islice(work_trees_above(folder), MOST_WORK_TREES))
            named = None if trees else named_work_tree()
            if named is not None and named.holds(folder):
                trees = (named,)
            self._trees[folder] = trees
        return self._trees[folder]

    def _commit(self, trees: tuple[WorkTree, ...]) -> bytes | None:
        """The commit that the revision means for the first of `trees`, the others being around it.

        None if that is a submodule which the outer repository did not have.
        """
        return once(self._commits, trees[0], lambda _: self._choose_commit(trees))

    def _choose_commit(self, trees: tuple[WorkTree, ...]) -> bytes | None:
        tree, *around = trees
        # In a submodule, a revision is one of that submodule, as for git itself.
        if around and not tree.holds(self._here):
            recorded, known = self._recorded(tree, tuple(around))
            if recorded is not None:
                return self._named_commit(tree, recorded)
            if known:
                return None
        return self._named_commit(tree, self.revision)

    def _recorded(self, tree: WorkTree, around: tuple[WorkTree, ...]) -> tuple[str | None, bool]:
        """The commit that the outer repository had for a submodule; and whether that is known."""
        outer = around[0]
        submodule = tree.is_submodule_of(outer)
        try:
            commit = self._commit(around)
            if commit is None:
                return None, submodule
            entry = self._open(outer, commit).entry(_steps(outer, tree.top))
        except UsageProblem:
            if submodule:
                raise
            return None, False  # a repository around, as of a home folder, that has no say
        except (GitError, MissingObjectError) as error:
            if submodule:
                raise self._problem(f"{outer.top}: {error}") from error
            return None, False
        if entry is not None and entry.is_submodule:
            return entry.oid.decode(), True
        return None, submodule

    def _named_commit(self, tree: WorkTree, revision: str) -> bytes:
        try:
            return find_commit(tree, revision)
        except GitError as error:
            raise self._problem(f"{tree.top}: {error}") from error
        except NoCommitError as error:
            raise self._problem(self._why_none(tree, revision, str(error))) from error

    def _why_none(self, tree: WorkTree, revision: str, said: str) -> str:
        """The message where the repository has no such commit; `said` is what git printed."""
        if revision != self.revision:
            message = f"the submodule {tree.top} lacks the commit {revision} that it was at"
        else:
            message = f"neither a folder nor a commit that this clone has: {tree.top}"
        if tree.is_shallow():
            message += (
                "; it is a shallow clone, without the older history: `git fetch --unshallow` gets "
                "it, as does `fetch-depth: 0` of actions/checkout"
            )
        elif revision != self.revision:
            message += "; `git submodule update` or `git fetch` in it may get it"
        return f"{message} (git: {said})" if said else message

    def _open(self, tree: WorkTree, commit: bytes) -> GitSnapshot:
        """The files at `commit`, always the same of a tree; raises GitError if git cannot be started."""
        if tree not in self._snapshots:
            if len(self._snapshots) >= _KEPT_OPEN:
                self._snapshots.pop(next(iter(self._snapshots))).close()
            self._snapshots[tree] = GitSnapshot(tree, commit)
        return self._snapshots[tree]

    def _problem(self, message: str) -> UsageProblem:
        from dradsl.lint.report.terminal import printable

        return UsageProblem(printable(f"--since {self.revision}: {message}"))


def _named_like(name: str, path: str) -> str:
    """A real path as the run would call it: from the working directory, unless its names are absolute."""
    return path if os.path.isabs(name) else os.path.relpath(path).replace(os.sep, "/")


def _steps(tree: WorkTree, path: str) -> list[bytes]:
    """The names on the way from the top of the work tree to `path`."""
    return [os.fsencode(step) for step in os.path.relpath(path, tree.top).split(os.sep)]
