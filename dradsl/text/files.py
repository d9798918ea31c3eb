"""Files read within limits and replaced as a whole, so that none is ever half written."""

from __future__ import annotations

import contextlib
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = [
    "FileError",
    "StrPath",
    "absolute",
    "read_bytes",
    "read_standard_input",
    "relative",
    "write_bytes",
]

StrPath: TypeAlias = "str | os.PathLike[str]"
"""A path as callers have it; inside, paths are texts: `pathlib` is a sixteenth of a short run."""

_DEFAULT_LIMIT = 64 * 1024 * 1024
_NO_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class FileError(OSError):
    """A file that cannot be read or written; the message says which and why, in plain words.

    `reason` is one of: missing, permission, directory, not-a-file, too-large, failed.
    """

    def __init__(self, reason: str, path: StrPath, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.reason = reason
        self.path = str(path)


def absolute(path: StrPath) -> str:
    """`path` from the root on, with forward slashes and without `.`; a `..` stays, as it may follow a link."""
    first, *steps = os.path.join(os.getcwd(), path).replace(os.sep, "/").split("/")
    return "/".join([first, *(step for step in steps if step not in ("", "."))]) or "/"


def relative(path: StrPath, folder: StrPath) -> str:
    """`path` from `folder` on if it lies below, else from the root on; with forward slashes."""
    whole, base = absolute(path), absolute(folder)
    if whole == base:
        return "."
    return whole.removeprefix(base.rstrip("/") + "/")


def read_bytes(path: StrPath, limit: int = _DEFAULT_LIMIT) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; FileError for everything else.

    The size is checked before reading, and again while reading: a file may grow meanwhile.
    """
    try:
        # Without blocking: nobody may ever write to a pipe of that name.
        handle = os.open(path, os.O_RDONLY | _NO_BLOCKING)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            regular = stat.S_ISREG(status.st_mode)
            data = file.read(limit + 1) if regular and status.st_size <= limit else b""
    except OSError as error:
        raise _readable(path, error) from error
    if not regular:
        raise FileError("not-a-file", path, "is not a regular file")
    if status.st_size > limit:
        raise _too_large(path, status.st_size, limit)
    if len(data) > limit:
        raise _too_large(path, len(data), limit)
    return data


def read_standard_input(limit: int = _DEFAULT_LIMIT) -> bytes:
    """All of standard input, at most `limit` bytes; FileError beyond."""
    try:
        data = sys.stdin.buffer.read(limit + 1)
    except OSError as error:
        raise _readable("standard input", error) from error
    if len(data) > limit:
        raise _too_large("standard input", len(data), limit)
    return data


def write_bytes(path: StrPath, data: bytes) -> None:
    """Replaces the content of a file at once; it keeps its mode, and links go on pointing to it.

    A new file beside it is written, brought to the disk and renamed. FileError if that fails: the
    old content is then still there.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise FileError("permission", path, "is read-only")
    try:
        _replace(target, data)
    except OSError as error:
        raise _readable(path, error) from error


def _replace(target: str, data: bytes) -> None:
    import tempfile  # brings random and hash functions along, which reading needs none of

    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else _default_mode()
    folder, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp gives the file to its owner alone.
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(folder)


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_directory(directory: str) -> None:
    """Brings the renaming to the disk where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _too_large(path: StrPath, size: int, limit: int) -> FileError:
    return FileError("too-large", path, f"has {size} bytes or more; the limit is {limit}")


def _readable(path: StrPath, error: OSError) -> FileError:
    if isinstance(error, FileNotFoundError):
        return FileError("missing", path, "no such file")
    if isinstance(error, PermissionError):
        return FileError("permission", path, "permission denied")
    if isinstance(error, IsADirectoryError):
        return FileError("directory", path, "is a directory")
    return FileError("failed", path, error.strerror or str(error))
