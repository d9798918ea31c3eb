"""Objects of git, read by one `git cat-file` that obeys no configuration of the repository.

Two processes serve a work tree. The first turns a revision into a commit; it has to run in the
repository, since that is where branches are. The second reads trees and files. It runs in an empty
repository made for it, with the objects of the other.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from dradsl.records import Record
from dradsl.tree.git.work_trees import WorkTree
from dradsl.values.limits import LARGEST_GIT_TREE, SECONDS_OF_GIT

__all__ = [
    "GitError",
    "GitSnapshot",
    "MissingObjectError",
    "NoCommitError",
    "TreeEntry",
    "find_commit",
]

_PIECE = 1 << 20  # bytes

# The configuration of a repository is not trusted: it may have come with an archive, or belong to
# another user. What is here wins over it. `cat-file` reads objects, so of all settings that
# name a program it can come to those of a fetch alone (an object that a partial clone lacks); the
# others are off so that this does not have to stay true. A git that does not know a setting or
# variable ignores it: safe.bareRepository is of 2.38, GIT_NO_LAZY_FETCH of 2.45 (and patches of
# older ones). Before, GIT_ALLOW_PROTOCOL (2.3) stops the fetch, which no setting overrides, and
# git starts at the top of a work tree, so it takes no bare repository either.
_SETTINGS = (
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "fetch.bundleURI=",
    "core.fsmonitor=",
    f"core.hooksPath={os.devnull}",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=",
    "credential.helper=",
)
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # the only protocol allowed; there is none of that name
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",  # messages stand inside English ones
}
_CONFIG = """\
[core]
repositoryformatversion = 1
bare = true
[extensions]
objectFormat = sha256
"""


class GitError(Exception):
    """git cannot be asked, or does not answer; the message is one line, safe for a terminal."""


class NoCommitError(Exception):
    """A revision names no commit here; the message is what git adds, if anything, as one line."""


class MissingObjectError(Exception):
    """An object is not in this clone, as in one with a `--filter`; the message is its id."""


def find_commit(tree: WorkTree, revision: str) -> bytes:
    """The id of the commit that `revision` names in the repository of a work tree.

    Raises:
        GitError: if git cannot be asked.
        NoCommitError: if there is no such commit, or several.
    """
    name = os.fsencode(revision)
    if b"\n" in name or b"\0" in name:
        raise NoCommitError  # would be several requests
    try:
        process = subprocess.Popen(  # noqa: S603 - the words are fixed
            _command("--batch-check"),
            cwd=tree.top,
            env=_environment(_choice_of(tree)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise GitError(f"git cannot be started: {_one_line(str(error))}") from error
    with process:
        try:
            out, errors = process.communicate(name + b"^{commit}\n", timeout=SECONDS_OF_GIT)
        except subprocess.TimeoutExpired as error:
            raise GitError("git cannot be asked: it gave no answer") from error
        finally:
            _kill(process)
    said = _one_line(errors.decode(errors="replace"))
    answer = out.split()
    if process.returncode == 0 and len(answer) == 3 and answer[1] == b"commit":
        return answer[0]
    if process.returncode == 0 and out.startswith(name + b"^{commit} "):
        raise NoCommitError(said)
    raise GitError(f"git cannot be asked: {said or 'it gave no answer'}")


class TreeEntry(Record):
    """What a tree holds under a name."""

    mode: bytes
    oid: bytes  # in hexadecimal digits

    @property
    def is_file(self) -> bool:
        """A regular file."""
        return self.mode.startswith(b"100")

    @property
    def is_tree(self) -> bool:
        """A folder."""
        return self.mode == b"40000"

    @property
    def is_link(self) -> bool:
        """A symbolic link."""
        return self.mode == b"120000"

    @property
    def is_submodule(self) -> bool:
        """A commit of another repository."""
        return self.mode == b"160000"


class GitSnapshot:
    """The files of a work tree at a commit, read by a process that runs until `close`.

    Names of files go to git in no form: trees are read here, and git gets object ids. So
    every name works, and a file that was not there differs from one that the clone lacks.
    """

    def __init__(self, tree: WorkTree, commit: bytes) -> None:
        """Raises GitError if git cannot be started."""
        self._commit = commit
        self._trees: dict[bytes, Mapping[bytes, TreeEntry]] = {}
        self._asked: float | None = None
        self._ended = threading.Event()
        with contextlib.ExitStack() as stack:
            try:
                empty = stack.enter_context(tempfile.TemporaryDirectory(prefix="dradsl-"))
                _make_repository(empty, sha256=len(commit) == 64)
                # A file: a pipe that nothing reads would fill and stop git.
                self._errors = stack.enter_context(tempfile.TemporaryFile())
                self._process = subprocess.Popen(  # noqa: S603 - the words are fixed
                    _command("--batch"),
                    cwd=empty,
                    env=_environment({"GIT_DIR": empty, "GIT_OBJECT_DIRECTORY": tree.objects()}),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    start_new_session=True,
                )
            except OSError as error:
                raise GitError(f"git cannot be started: {_one_line(str(error))}") from error
            stack.callback(self._stop)
            self._open = stack.pop_all()
        threading.Thread(target=self._watch, daemon=True).start()

    def close(self) -> None:
        """End the process."""
        self._open.close()

    def entry(self, steps: Sequence[bytes]) -> TreeEntry | None:
        """What the commit holds under a path from the top; None if nothing.

        A path that goes on below a submodule gives nothing.

        Raises:
            GitError: if git does not answer, or a tree is damaged.
            MissingObjectError: if the clone lacks a tree on the way.
        """
        entry: TreeEntry | None = self._top
        for step in steps:
            if entry is None or not entry.is_tree:
                return None
            entry = self._read_tree(entry.oid).get(step)
        return entry

    def files(self, most: int) -> Iterator[tuple[tuple[bytes, ...], TreeEntry]]:
        """The regular files of the commit with their paths from the top, of at most `most` folders.

        Raises:
            GitError: if git does not answer, or a tree is damaged.
            MissingObjectError: if the clone lacks a tree.
        """
        top = self.entry(())
        pending: list[tuple[tuple[bytes, ...], TreeEntry]] = [] if top is None else [((), top)]
        while pending and most:
            most -= 1
            path, folder = pending.pop()
            for name, entry in self._read_tree(folder.oid).items():
                if entry.is_tree:
                    pending.append(((*path, name), entry))
                elif entry.is_file:
                    yield (*path, name), entry

    def blob(self, oid: bytes, limit: int) -> tuple[int, bytes]:
        """The size of a file and its bytes; no bytes if it is larger than `limit`.

        Raises:
            GitError: if git does not answer.
            MissingObjectError: if the clone lacks it.
        """
        return self._read(oid, b"blob", limit)

    @cached_property
    def _top(self) -> TreeEntry:
        _, text = self._read(self._commit, b"commit", LARGEST_GIT_TREE)
        word, _, tree = text.partition(b"\n")[0].partition(b" ")
        if word != b"tree" or len(tree) != len(self._commit):
            raise GitError(f"the commit {self._commit.decode()} is damaged")
        return TreeEntry(b"40000", tree)

    def _read_tree(self, oid: bytes) -> Mapping[bytes, TreeEntry]:
        if oid not in self._trees:
            size, data = self._read(oid, b"tree", LARGEST_GIT_TREE)
            if size > LARGEST_GIT_TREE:
                raise GitError(f"the tree {oid.decode()} has too many entries: {size} bytes")
            try:
                self._trees[oid] = dict(_entries(data, len(oid) // 2))
            except ValueError as error:
                raise GitError(f"the tree {oid.decode()} is damaged") from error
        return self._trees[oid]

    def _read(self, oid: bytes, kind: bytes, limit: int) -> tuple[int, bytes]:
        """Size and content of an object; no content if it is larger than `limit` bytes."""
        self._asked = time.monotonic()
        try:
            found = self._answer(oid, limit)
        except (OSError, ValueError) as error:
            raise self._failure() from error
        finally:
            self._asked = None
        if found is None or found[0] != kind:
            raise MissingObjectError(oid.decode())
        return found[1:]

    def _answer(self, oid: bytes, limit: int) -> tuple[bytes, int, bytes] | None:
        """Type, size and content; content beyond the limit is passed over."""
        writer, reader = self._process.stdin, self._process.stdout
        assert writer is not None  # noqa: S101 - for type checkers: they were asked for
        assert reader is not None  # noqa: S101 - the same
        writer.write(oid + b"\n")
        writer.flush()
        header = reader.readline().removesuffix(b"\n")
        if header == oid + b" missing":
            return None
        _, kind, number = header.split(b" ")
        size = int(number)
        if size <= limit:
            data = reader.read(size)
        else:
            data, left = b"", size
            while left:
                piece = len(reader.read(min(left, _PIECE)))
                if not piece:
                    raise ValueError("git ended in the middle of an object")
                left -= piece
                self._asked = time.monotonic()
        if reader.read(1) != b"\n":
            raise ValueError("git ended in the middle of an object")
        return kind, size, data

    def _failure(self) -> GitError:
        """What git said at its end."""
        _kill(self._process)
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read(_PIECE).decode(errors="replace")
        return GitError(f"git cannot be asked: {_one_line(said) or 'it gave no answer'}")

    def _stop(self) -> None:
        self._ended.set()
        _kill(self._process)  # it only reads, so there is nothing to finish
        for pipe in filter(None, (self._process.stdin, self._process.stdout)):
            with contextlib.suppress(OSError):  # a request that git did not live to read
                pipe.close()
        self._process.wait()

    def _watch(self) -> None:
        """Ends a git that does not answer: reading from a pipe has no time limit of its own."""
        while not self._ended.wait(SECONDS_OF_GIT / 4):
            asked = self._asked
            if asked is not None and time.monotonic() - asked > SECONDS_OF_GIT:
                _kill(self._process)
                return


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a git with what it started: each has a session of its own, where no terminal asks either."""
    if os.name != "posix":
        process.kill()
    elif process.returncode is None:
        with contextlib.suppress(OSError):  # it has ended
            os.killpg(process.pid, signal.SIGKILL)


def _command(how: str) -> list[str]:
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return [_program(), "--no-pager", *settings, "cat-file", how]


def _program() -> str:
    from dradsl.programs import ProgramError, find_program

    try:
        return find_program("git")
    except ProgramError as error:
        raise GitError(str(error)) from error


def _environment(choice: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, with `choice` for what says which repository it is.

    Other variables of git go: a git hook sets some, which may mean another repository.
    """
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(("GIT_CONFIG_", "GIT_EXEC_PATH"))
    }
    return {**own, **_VARIABLES, **choice}


def _choice_of(tree: WorkTree) -> Mapping[str, str]:
    if tree.git_dir is not None:
        return {"GIT_DIR": tree.git_dir, "GIT_WORK_TREE": tree.top}
    # git looks for the repository itself, and so checks whose it is (safe.directory). It takes
    # the one of this folder or none, not one above it.
    return {"GIT_CEILING_DIRECTORIES": os.path.dirname(tree.top)}


def _make_repository(folder: str, *, sha256: bool) -> None:
    """An empty repository, of what git asks of one (setup.c, is_git_directory)."""
    os.mkdir(os.path.join(folder, "refs"))
    with open(os.path.join(folder, "HEAD"), "w", encoding="ascii") as file:
        file.write("ref: refs/heads/none\n")
    with open(os.path.join(folder, "config"), "w", encoding="ascii") as file:
        file.write(_CONFIG if sha256 else "[core]\nbare = true\n")


def _entries(data: bytes, width: int) -> list[tuple[bytes, TreeEntry]]:
    """The entries of a tree object: mode, space, name, null byte, id of `width` bytes.

    Raises ValueError if it is damaged.
    """
    found: list[tuple[bytes, TreeEntry]] = []
    place = 0
    while place < len(data):
        space = data.index(b" ", place)
        end = data.index(b"\0", space)
        oid = data[end + 1 : end + 1 + width]
        if len(oid) != width:
            raise ValueError("the last id is cut off")
        found.append((data[space + 1 : end], TreeEntry(data[place:space], oid.hex().encode())))
        place = end + 1 + width
    return found


def _one_line(text: str) -> str:
    from dradsl.values.printable import one_line

    return one_line(text)
