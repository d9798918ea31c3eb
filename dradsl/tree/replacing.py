"""A file's content replaced as a whole: what it had besides its content is kept, or it stays as it was."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Sequence

from dradsl.text.files import FileError, StrPath, file_error, read_bytes
from dradsl.tree.files import Tree

__all__ = ["write_bytes", "write_in_order"]

_OPEN_ALREADY = re.compile(
    r"/dev/(?:std(?P<name>out|err)|fd/(?P<number>\d+))|/proc/self/fd/(?P<own>\d+)"
)
_CHANGED = "was changed since it was read, and is not written"
_NO_FOLLOWING = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def write_bytes(
    path: StrPath, data: bytes, *, expected: bytes | None = None, tree: Tree | None = None
) -> None:
    """Replaces the content of a file at once, or leaves it as it was.

    A new file beside it is written, brought to the disk and renamed. It gets mode, owner, group and
    extended attributes of the old one; a link goes on pointing to it. A file with several names, and
    one whose owner cannot be kept, is written in place once the new content lies beside it. What is
    no regular file (a terminal, a pipe) is written to as it is.

    `expected` is what the file held when it was read (empty: it may be missing). What another process wrote
    since is left alone. `tree` is where the file must lie, every link on the way followed; None for a file that the
    user names, which must lie in the tree around its folder.

    Raises:
        FileError: if the file cannot be written, was changed, or lies outside. The old content is
            then still there.
    """
    try:
        if _OPEN_ALREADY.fullmatch(os.fspath(path)):
            _write_through(path, data)
            return
        target = _tree_for(path, tree).expect(path)
        if _is_stream(target):
            _write_through(target, data)
        else:
            _Replacing(path, target, expected).run(data)
    except (OSError, ValueError) as error:
        raise file_error(path, error) from error


def write_in_order(
    files: Sequence[tuple[StrPath, bytes, bytes | None, Tree | None]],
) -> Iterator[StrPath]:
    """Replaces the contents of files: path, new content, and `expected` and `tree` as `write_bytes` takes them.

    All new contents are on the disk before the first file changes; then the files change one after the other, and
    the path of each is given after it has. So a process that ends in between leaves the first of them new and the
    others old.

    Raises:
        FileError: for the first file that cannot be written. Those before it in the order may be new.
    """
    waiting: list[_Replacing] = []
    try:
        for path, data, expected, tree in files:
            try:
                one = _Replacing(path, _tree_for(path, tree).expect(path), expected)
                one.prepare(data)
            except (OSError, ValueError) as error:
                raise file_error(path, error) from error
            waiting.append(one)
        while waiting:
            try:
                waiting[0].finish()
            except (OSError, ValueError) as error:
                raise file_error(waiting[0].path, error) from error
            yield waiting.pop(0).path
    finally:
        for one in waiting:
            one.drop()


def _tree_for(path: StrPath, tree: Tree | None) -> Tree:
    return tree or Tree.around(os.path.dirname(os.path.abspath(path)))


# --- what is no regular file ---


def _is_stream(path: StrPath) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _write_through(path: StrPath, data: bytes) -> None:
    known = _OPEN_ALREADY.fullmatch(os.fspath(path))
    if known is None:
        # A pipe that nothing reads is an error, not something to wait for.
        flags = getattr(os, "O_NOCTTY", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, os.O_WRONLY | flags)
        os.set_blocking(handle, True)
    else:
        # Opened anew, a file would be written from its start.
        number = known["number"] or known["own"]
        handle = os.dup(int(number) if number else {"out": 1, "err": 2}[known["name"]])
    with os.fdopen(handle, "wb") as file:
        file.write(data)


# --- files ---


class _Replacing:
    """One replacement: `path` as the caller has it, `target` the file that it leads to."""

    def __init__(self, path: StrPath, target: str, expected: bytes | None) -> None:
        self.path = path
        self.target = target
        self.expected = expected
        self.folder = os.path.dirname(target)
        # Short, whatever the file is called: a name has 255 bytes at most.
        self.temporary = os.path.join(self.folder, f".dradsl-{os.urandom(6).hex()}.tmp")
        self._data = b""
        self._old: os.stat_result | None = None
        self._in_place = False

    def run(self, data: bytes) -> None:
        self.prepare(data)
        self.finish()

    def prepare(self, data: bytes) -> None:
        """Write the new content beside the file."""
        self._data, self._old = data, self._look()
        if self._old is not None and not os.access(self.target, os.W_OK):
            raise FileError("permission", self.path, "is read-only")
        self._compare(self._old)
        try:
            self._in_place = self._write_beside(data, self._old)
        except FileExistsError:
            raise  # not ours
        except BaseException:
            self.drop()
            raise

    def finish(self) -> None:
        """Put the new content in the place of the old."""
        try:
            self._expect_unchanged(self._old)
            if self._in_place:
                self._overwrite(self._data)
                os.unlink(self.temporary)
            else:
                os.replace(self.temporary, self.target)
        except BaseException:
            self.drop()
            raise
        _sync_directory(self.folder)

    def drop(self) -> None:
        """Remove what lies beside the file."""
        with contextlib.suppress(OSError):
            os.unlink(self.temporary)

    def _look(self) -> os.stat_result | None:
        try:
            status = os.lstat(self.target)
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(status.st_mode):
            raise FileError("directory", self.path, "is a directory")
        return status

    def _compare(self, old: os.stat_result | None) -> None:
        """Reject a file that no longer holds what the caller has read."""
        if self.expected is None:
            return
        if old is None:
            if self.expected:
                raise FileError("changed", self.path, "was removed since it was read")
            return
        # More bytes than expected are a difference too, whatever they are.
        if (
            old.st_size != len(self.expected)
            or read_bytes(self.target, target=self.target) != self.expected
        ):
            raise FileError("changed", self.path, _CHANGED)

    def _expect_unchanged(self, old: os.stat_result | None) -> None:
        """Right before the end: nothing was written while the new content was brought to the disk."""
        if self.expected is not None and _marks(self._look()) != _marks(old):
            raise FileError("changed", self.path, _CHANGED)
        if os.path.realpath(self.folder) != self.folder:
            raise FileError("changed", self.path, "was moved while it was written")

    def _write_beside(self, data: bytes, old: os.stat_result | None) -> bool:
        """Write the new file; whether the old one has to be kept and written in place."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOWING | _BINARY
        # A new file gets what the user's mask says; before it holds anything, no other user can read it.
        handle = os.open(self.temporary, flags, 0o666 if old is None else 0o600)
        with os.fdopen(handle, "wb") as file:
            kept = old is None or self._like_the_old(handle, old)
            file.write(data)
            file.flush()
            os.fsync(handle)
        return old is not None and (old.st_nlink > 1 or not kept)

    def _like_the_old(self, handle: int, old: os.stat_result) -> bool:
        """Give the new file owner, group, mode and attributes of the old; whether owner and group are."""
        new = os.fstat(handle)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            with contextlib.suppress(OSError):
                os.chown(handle, old.st_uid, old.st_gid)
            new = os.fstat(handle)
            if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
                return False
        os.chmod(self.temporary, stat.S_IMODE(old.st_mode))
        for name, value in _attributes(self.target):
            # Some belong to the system, which gives the new file its own.
            with contextlib.suppress(OSError):
                os.setxattr(handle, name, value)
        return True

    def _overwrite(self, data: bytes) -> None:
        """Write over the old content, which comes back if that fails; the new one lies beside it."""
        handle = os.open(self.target, os.O_RDWR | _NO_FOLLOWING | _BINARY)
        with os.fdopen(handle, "r+b") as file:
            before = file.read()
            try:
                _put(file.fileno(), data)
            except BaseException:
                _put(file.fileno(), before)
                raise


def _put(handle: int, data: bytes) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.ftruncate(handle, len(data))
    os.fsync(handle)


def _marks(status: os.stat_result | None) -> tuple[int, ...] | None:
    """What tells one state of a file from another."""
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _attributes(path: str) -> Iterator[tuple[str, bytes]]:
    """The extended attributes of a file, access control lists among them."""
    if not hasattr(os, "listxattr"):
        return
    try:
        for name in os.listxattr(path):
            yield name, os.getxattr(path, name)
    except OSError:
        return  # the file system has none


def _sync_directory(directory: str) -> None:
    """Brings the renaming to the disk where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
