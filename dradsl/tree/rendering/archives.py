"""Packed charts, read and packed again: helm reads only what was looked at.

Upstream: helm 3.19 pkg/chart/loader/archive.go.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
import zlib

from dradsl.values.limits import LARGEST_CHART

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ArchiveError", "packed_again"]


class ArchiveError(ValueError):
    """A packed chart that cannot be used; the message continues its name."""


def packed_again(
    data: bytes, checked: Callable[[str, bytes], bytes], take: Callable[[int], None]
) -> bytes:
    """An archive of the same files, each as `checked` gives it for its path; `take` is told the size of each.

    Raises:
        ArchiveError: if it is no archive, unpacks to too much, or holds a link or a device.
    """
    made = io.BytesIO()
    try:
        with (
            tarfile.open(fileobj=io.BytesIO(_unpacked(data)), mode="r:") as source,
            tarfile.open(fileobj=made, mode="w:gz", compresslevel=1) as target,
        ):
            for member in source:
                if member.isdir():
                    continue
                reader = source.extractfile(member) if member.isreg() else None
                if reader is None or member.sparse is not None:
                    raise ArchiveError("holds a link or a device")
                take(member.size)
                text = reader.read()
                # helm takes backslashes for steps too, and steps out of the name.
                name = posixpath.normpath(member.name.replace("\\", "/"))
                text = checked(name, text)
                plain = tarfile.TarInfo(name)
                plain.size = len(text)
                target.addfile(plain, io.BytesIO(text))
    except (tarfile.TarError, zlib.error, EOFError, UnicodeError) as error:
        raise ArchiveError(f"is not an archive of a chart: {error}") from error
    return made.getvalue()


def _unpacked(data: bytes) -> bytes:
    """The content of a gz file, all its parts."""
    pieces: list[bytes] = []
    left = LARGEST_CHART
    while data.strip(b"\0"):
        unpacker = zlib.decompressobj(wbits=31)
        piece = unpacker.decompress(data, left + 1)
        left -= len(piece)
        if left < 0:
            raise ArchiveError("unpacks to too much")
        if not unpacker.eof:
            raise ArchiveError("is cut short")
        pieces.append(piece)
        data = unpacker.unused_data
    return b"".join(pieces)
