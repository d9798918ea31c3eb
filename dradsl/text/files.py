"""Files read within limits: nothing that is opened can block or never end."""

from __future__ import annotations

import os
import stat
import sys

from dradsl.errors import DradslError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

__all__ = [
    "BASELINE_BYTES",
    "MANIFEST_BYTES",
    "SETTINGS_BYTES",
    "FileError",
    "StrPath",
    "absolute",
    "file_error",
    "is_below",
    "read_bytes",
    "read_standard_input",
    "real_path",
    "relative",
    "work_tree",
]

StrPath: TypeAlias = "str | os.PathLike[str]"
"""A path as callers have it; inside, paths are texts: `pathlib` is a sixteenth of a short run."""

MANIFEST_BYTES = 64 * 1024 * 1024
"""What a file of manifests may hold."""

SETTINGS_BYTES = 1024 * 1024
"""What a configuration, driver schema, answers file or recipe may hold."""

BASELINE_BYTES = 64 * 1024 * 1024
"""What a baseline may hold: some 300,000 findings."""

_PIECE = 1024 * 1024
_NO_BLOCKING = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
)
_NO_FOLLOWING = getattr(os, "O_NOFOLLOW", 0)


class FileError(DradslError, OSError):
    """A file that cannot be read or written; the message says which and why, in plain words.

    `reason` is one of: missing, permission, directory, not-a-file, too-large, changed, outside,
    failed.
    """

    def __init__(self, reason: str, path: StrPath, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.reason = reason
        self.path = str(path)


def absolute(path: StrPath) -> str:
    """`path` from the root on, with forward slashes and without `.`; a `..` stays, as it may follow a link."""
    # The drive of Windows may be a share of a server: `\\server\share`.
    drive, rest = os.path.splitdrive(os.path.join(os.getcwd(), path))
    steps = [step for step in rest.replace(os.sep, "/").split("/") if step not in ("", ".")]
    return drive.replace(os.sep, "/") + "/" + "/".join(steps)


def relative(path: StrPath, folder: StrPath) -> str:
    """`path` from `folder` on if it lies below, else from the root on; with forward slashes."""
    whole, base = absolute(path), absolute(folder)
    if whole == base:
        return "."
    return whole.removeprefix(base.rstrip("/") + "/")


def read_bytes(path: StrPath, limit: int = MANIFEST_BYTES, target: StrPath | None = None) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; FileError for everything else.

    `target` is where `path` leads, if that was checked: what is a link there is not followed.

    Pipes and devices are rejected, never waited for: a shell's `<(...)` is one. The size is checked
    before reading, and again while reading: a file may grow meanwhile, or not tell its size.
    """
    try:
        # Without blocking: nothing may ever write to a pipe of that name.
        flags = os.O_RDONLY | _NO_BLOCKING
        handle = os.open(path, flags) if target is None else os.open(target, flags | _NO_FOLLOWING)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise file_error(path, error) from error
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise FileError("directory", path, "is a directory")
        if not stat.S_ISREG(status.st_mode):
            raise FileError("not-a-file", path, "is not a regular file")
        if status.st_size > limit:
            raise _too_large(path, status.st_size, limit)
        # One more than there should be, so that the end of a small file shows in the same piece.
        first = min(status.st_size + 1, _PIECE)
        return _in_pieces(lambda size: os.read(handle, size), path, limit, first)
    except OSError as error:
        raise file_error(path, error) from error
    finally:
        os.close(handle)


def read_standard_input(limit: int = MANIFEST_BYTES) -> bytes:
    """All of standard input, at most `limit` bytes; FileError beyond."""
    try:
        return _in_pieces(sys.stdin.buffer.read, "standard input", limit, _PIECE)
    except OSError as error:
        raise file_error("standard input", error) from error


def _in_pieces(read: Callable[[int], bytes], path: StrPath, limit: int, first: int) -> bytes:
    """All that `read` gives, never asking for more memory than there is to be read."""
    pieces: list[bytes] = []
    total, size = 0, first
    while piece := read(min(size, limit + 1 - total)):
        pieces.append(piece)
        total += len(piece)
        if total > limit:
            raise _too_large(path, total, limit)
        size = _PIECE
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large(path: StrPath, size: int, limit: int) -> FileError:
    return FileError("too-large", path, f"has {size} bytes or more; the limit is {limit}")


def _missing(path: StrPath) -> str:
    """What to say of a file that does not exist: its name may be that of a link."""
    try:
        target = os.readlink(path)
    except (OSError, ValueError):
        return "no such file"
    return f"is a link to {os.fsdecode(target)}, which does not exist"


def file_error(path: StrPath, error: OSError | ValueError) -> FileError:
    """What the system says about a file, as a FileError."""
    if isinstance(error, FileError):
        return error
    if isinstance(error, FileNotFoundError):
        return FileError("missing", path, _missing(path))
    if isinstance(error, PermissionError):
        return FileError("permission", path, "permission denied")
    if isinstance(error, IsADirectoryError):
        return FileError("directory", path, "is a directory")
    if isinstance(error, ValueError):
        return FileError("failed", repr(path), str(error))
    return FileError("failed", path, error.strerror or str(error))


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def real_path(name: str, folders: dict[str, str]) -> str:
    """`os.path.realpath` for many files of the same folders, whose real paths are kept in `folders`."""
    above, slash, file = name.rpartition("/")
    if os.sep != "/" or file in ("", ".", "..") or os.path.islink(name):
        return os.path.realpath(name)
    if above not in folders:
        folders[above] = os.path.join(os.path.realpath(above or slash), "")
    return folders[above] + file


def work_tree(folder: StrPath) -> str | None:
    """The top of the git work tree that holds `folder`; None if there is none. git is not asked."""
    here = absolute(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        outer = os.path.dirname(here)
        if outer == here:
            return None
        here = outer
    return here
