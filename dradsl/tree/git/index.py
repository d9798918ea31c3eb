"""The files that git tracks, read from its index: ignore files say nothing of them.

The format is that of git's Documentation/gitformat-index.txt, versions 2 to 4, with SHA-1 or SHA-256. The file
may come from anywhere: what is too large, cut off or contradicts itself raises `IndexFileError`.
"""

from __future__ import annotations

from bisect import bisect_left

from dradsl.values.limits import LONGEST_PATH, MOST_INDEX_NAMES

__all__ = ["IndexFile", "IndexFileError"]

_HEADER = 12
_STAT = 40  # bytes of an entry before its hash
_EXTENDED = 0x4000
_FOLDER = 0o040000  # the mode of a folder in a sparse index
_HASHES = (20, 32)
_PARTS = b"link"  # the extension that says that another file has the rest


class IndexFileError(ValueError):
    """The file is no index of git, or has more than is read."""


class IndexFile:
    """The names in an index. They are read when a name is first looked up that may be in it."""

    def __init__(self, data: bytes) -> None:
        """As `data` is read from the file.

        Raises:
            IndexFileError: if it is of a kind that is not read.
        """
        self._data = data
        self._names: list[bytes] | None = None
        self._version = int.from_bytes(data[4:8], "big")
        if data[:4] != b"DIRC" or self._version not in (2, 3, 4):
            raise IndexFileError("is not an index of git that can be read")

    def tracks(self, path: bytes) -> bool:
        """Whether git tracks a file, or something in a folder, whose `path` ends with a slash.

        Raises:
            IndexFileError: if the file is not what it says.
        """
        if self._version < 4 and path not in self._data:
            return False  # only version 4 does not write names out
        if self._names is None:
            self._names = sorted(self._read())
        at = bisect_left(self._names, path)
        found = self._names[at : at + 1]
        return bool(found) and (
            found[0].startswith(path) if path.endswith(b"/") else found[0] == path
        )

    def _read(self) -> list[bytes]:
        for size in _HASHES:
            try:
                return self._entries(size)
            except (IndexError, IndexFileError) as error:
                failure = error
        raise IndexFileError("is not an index of git that can be read") from failure

    def _entries(self, size: int) -> list[bytes]:
        """The names, where hashes have `size` bytes."""
        data, names, total = self._data, [], 0
        count, at, previous = int.from_bytes(data[8:12], "big"), _HEADER, b""
        if count * (_STAT + size + 2) > len(data):
            raise IndexFileError("has fewer entries than it says")
        end = len(data) - size  # the checksum
        for _ in range(count):
            start = at
            mode = int.from_bytes(data[at + 24 : at + 28], "big")
            at += _STAT + size
            flags = int.from_bytes(data[at : at + 2], "big")
            at += 4 if flags & _EXTENDED else 2
            kept = 0
            if self._version == 4:
                stripped, at = _number(data, at)
                kept = len(previous) - stripped
            stop = data.find(b"\0", at, min(end, at + LONGEST_PATH + 1))
            if stop < 0 or kept < 0:
                raise IndexFileError("has an entry without a name")
            previous = name = previous[:kept] + data[at:stop]
            if len(name) > LONGEST_PATH or min(len(name), 0xFFF) != flags & 0xFFF:
                raise IndexFileError("has a name of another length")
            # Names end with one to eight zeros, so that entries are multiples of eight bytes.
            at = stop + 1 if self._version == 4 else start + ((stop - start) // 8 + 1) * 8
            total += len(name)
            if total > MOST_INDEX_NAMES:
                raise IndexFileError("has more names than are read")
            if mode != _FOLDER:
                names.append(name)
        if at > end:
            raise IndexFileError("is cut off")
        if data[at : at + 4] == _PARTS and at < end:
            raise IndexFileError("is in several parts")
        return names


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable width, and where it ends (git varint.c)."""
    byte = data[at]
    value = byte & 127
    for _ in range(4):
        at += 1
        if not byte & 128:
            return value, at
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
    raise IndexFileError("has a number that is too large")
