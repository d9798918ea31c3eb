"""Recorded objects in files: YAML or JSON, lists, gzip, bzip2 or xz; and inventories made of them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.errors import DradslError
from dradsl.text.files import FileError, read_bytes
from dradsl.text.json_values import NotJsonError, TooManyItemsError, json_values
from dradsl.tree.files import Tree
from dradsl.values import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from dradsl.text.files import StrPath

__all__ = [
    "MAX_BYTES",
    "MAX_PACKED_BYTES",
    "RecordingError",
    "documents_in",
    "find_recordings",
    "installs",
    "objects_in",
    "read_manifests",
    "read_recording",
]


class RecordingError(DradslError, ValueError):
    """A recording that cannot be read; the message names the file and the reason."""


MAX_BYTES = 256 * 1024**2
"""What a file may hold, unpacked: 100,000 nodes of eight devices are 180 MB."""

MAX_PACKED_BYTES = 64 * 1024**2
"""What a packed file may have itself."""

_SPLIT = ": write each kind, or each namespace, to a file of its own, and name these files"
_XZ_MEMORY = 128 * 1024**2  # `xz -9` asks for half of it
_PIECE = 1024**2
_TAKEN = 65536
_HEAD = 4096  # bytes in which something other than white space is looked for
_PADDING = re.compile(rb"\0*")
_ENDINGS = tuple(
    f"{text}{packed}"
    for text in (".json", ".yaml", ".yml")
    for packed in ("", ".gz", ".bz2", ".xz", ".zst")
)
_TAR_MAGIC = slice(257, 262)  # in the first header of a POSIX or GNU archive


def find_recordings(path: StrPath) -> Iterator[Path]:
    """The recorded files at a path: itself, or those in a directory, in a stable order.

    Raises:
        RecordingError: if there is no such file, or a link in the directory leads out of it and of
            its git work tree: without that file, what is recorded would be another fleet.
    """
    path = Path(path)
    if path.is_dir():
        tree = Tree.of(path)
        found = sorted(Path(one) for one in tree.files(path) if one.endswith(_ENDINGS))
        if not found:
            raise RecordingError(f"{path}: no recorded slices in this directory")
        for one in found:
            if tree.real(one) is None:
                raise RecordingError(f"{one}: is a link out of {path}; name the file itself")
            yield one
    elif path.exists():
        yield path
    else:
        raise RecordingError(f"no such file or directory: {path}")


def read_recording(path: Path) -> Iterator[dict[str, object]]:
    """The objects in a file, one after the other as they are read.

    Raises:
        RecordingError: if it cannot be read, is no regular file (a pipe, also that of a shell's
            `<(...)`), or is too large.
    """
    try:
        yield from documents_in(_bytes_in(path))
    except FileError as error:
        hint = _SPLIT if error.reason == "too-large" else ""
        raise RecordingError(f"{error}{hint}") from error
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}") from error


def read_manifests(
    path: Path, given: str, left_out: dict[str, list[str]]
) -> list[dict[str, object]]:
    """The objects in a file of manifests that the path `given` brings in.

    A file of a folder that cannot be read, and is a template or says nothing about claims, has none: its name is added
    to `left_out`, by the reason.

    Raises:
        RecordingError: as `read_recording`, for other files.
    """
    try:
        return list(read_recording(path))
    except RecordingError:
        reason = None if str(path) == given else _why_left_out(path)
        if reason is None:
            raise
        left_out.setdefault(reason, []).append(str(path))
        return []


def _why_left_out(path: Path) -> str | None:
    """Why a file of a folder that cannot be read does not matter to a run on claims; None if it may."""
    from dradsl.text.splitting import speaks_of_helm
    from dradsl.tree.inputs.choice import BROKEN, mentions_devices

    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8", "replace")
    except FileError:
        return None
    if speaks_of_helm(text):
        return "a template, not read: name the output of `helm template` instead"
    return None if mentions_devices(text) else BROKEN


def _bytes_in(path: Path) -> bytes:
    data = read_bytes(path, MAX_BYTES)
    for magic, unpack in _MAGIC:
        if data.startswith(magic):
            if len(data) > MAX_PACKED_BYTES:
                raise RecordingError(
                    f"has {len(data)} bytes or more; the limit of packed files is {MAX_PACKED_BYTES}"
                )
            data = _unpacked(unpack(data))
            break
    if data.startswith(_ZSTD):
        raise RecordingError("is packed by zstd, which is not read here; unpack it first (zstd -d)")
    if data[_TAR_MAGIC] == b"ustar":
        raise RecordingError("is a tar archive; unpack it, and name the folder")
    return data


def _unpacked(pieces: Iterator[bytes]) -> bytes:
    """What a packed file holds, given up as soon as it is too much."""
    found: list[bytes] = []
    total = 0
    try:
        for piece in pieces:
            total += len(piece)
            if total > MAX_BYTES:
                raise RecordingError(
                    f"unpacks to {total} bytes or more; the limit is {MAX_BYTES}{_SPLIT}"
                )
            found.append(piece)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, MemoryError) as error:
        if isinstance(error, RecordingError):
            raise
        raise RecordingError(f"cannot be unpacked: {error}") from error
    return b"".join(found)


def _gzip_pieces(data: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        while piece := file.read(_PIECE):
            yield piece


def _bzip2_pieces(data: bytes) -> Iterator[bytes]:
    return _members(data, bz2.BZ2Decompressor)


def _xz_pieces(data: bytes) -> Iterator[bytes]:
    return _members(data, lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY))


def _members(
    data: bytes, begin: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]
) -> Iterator[bytes]:
    """What a file of one or several packed members holds, a piece of bounded size at a time."""
    at = 0
    while at < len(data):
        member = begin()
        while not member.eof:
            taken = b""
            if member.needs_input:
                taken = data[at : at + _TAKEN]
                at += len(taken)
                if not taken:
                    raise EOFError("the file ends early")
            yield member.decompress(taken, _PIECE)
        at -= len(member.unused_data)
        padding = _PADDING.match(data, at)
        at = padding.end() if padding is not None else at


# Of Flux, Argo CD and the controller of k3s.
_INSTALLERS = frozenset(
    {
        ("HelmRelease", "helm.toolkit.fluxcd.io"),
        ("Application", "argoproj.io"),
        ("ApplicationSet", "argoproj.io"),
        ("HelmChart", "helm.cattle.io"),
        ("HelmChartConfig", "helm.cattle.io"),
    }
)

_ZSTD = b"\x28\xb5\x2f\xfd"
_MAGIC = ((b"\x1f\x8b", _gzip_pieces), (b"BZh", _bzip2_pieces), (b"\xfd7zXZ", _xz_pieces))


def documents_in(data: bytes) -> Iterator[dict[str, object]]:
    """The objects in a JSON or YAML text, those of lists one by one.

    Raises:
        RecordingError: if the text is neither, or holds too many objects.
    """
    for number, each in enumerate(_documents_in(data)):
        if number >= limits.MOST_RECORDED:
            raise _too_many()
        yield each


def _too_many() -> RecordingError:
    return RecordingError(f"holds more than {limits.MOST_RECORDED:,} objects{_SPLIT}")


def _documents_in(data: bytes) -> Iterator[dict[str, object]]:
    encoding = json.detect_encoding(data)
    line = 0
    # The first character tells; a head may end within one.
    if data[:_HEAD].decode(encoding, "ignore").lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        try:
            text = data.decode(encoding, "surrogatepass").removeprefix("\ufeff")
        except UnicodeDecodeError:
            pass  # told by the reader below, with its place
        else:
            if text.count("{") + text.count("[") > limits.MOST_BRACKETS:
                raise RecordingError(f"holds more than {limits.MOST_BRACKETS:,} mappings and lists")
            del data  # a fleet's recording is large: one copy at a time
            rest = yield from _json_objects(text)
            if rest is None:
                return
            line = text.count("\n", 0, rest)
            data = text[rest:].encode("utf-8", "surrogatepass")
    from dradsl.text.documents import load
    from dradsl.text.splitting import speaks_of_helm

    stream = load(data)
    for problem in stream.all_problems():
        if problem.fatal:
            raise RecordingError(f"line {line + problem.span.line}: {problem.message}")
    for document in stream.documents:
        if stream.is_template and not installs(document.data) and speaks_of_helm(document.text):
            raise RecordingError("a Helm template, not an object")
        yield from objects_in(document.data)


def installs(data: object) -> bool:
    """Whether an object installs others that are not written here, as a rule from a chart. The values in it may be
    templates of the chart's."""
    if not isinstance(data, dict):
        return False
    group = str(data.get("apiVersion")).partition("/")[0]
    return (str(data.get("kind")), group) in _INSTALLERS


def _json_objects(text: str) -> Generator[dict[str, object], None, int | None]:
    """The objects of the documents that are JSON; returns where others begin, None if there are none."""
    try:
        for one in json_values(text, limits.MOST_RECORDED):
            yield from objects_in(one)
    except TooManyItemsError:
        raise _too_many() from None
    except NotJsonError as error:
        if error.begin is None:
            raise RecordingError(str(error)) from error
        return error.begin
    return None


def objects_in(value: Any) -> Iterator[dict[str, object]]:
    """The objects in decoded data, those of lists one by one.

    Raises:
        RecordingError: for what is no object, or for too many.
    """
    pending = [value]
    while pending:
        one = pending.pop()
        if len(pending) > limits.MOST_RECORDED:
            raise _too_many()
        if isinstance(one, list):
            pending += reversed(one)
        elif isinstance(one, dict):
            items = one.get("items")
            if isinstance(items, list) and str(one.get("kind", "List")).endswith("List"):
                kind, version = str(one.get("kind") or ""), one.get("apiVersion")
                for item in items:
                    if isinstance(item, dict) and "kind" not in item and kind != "List":
                        # Items of a typed list carry no kind of their own.
                        item["kind"] = kind.removesuffix("List")
                        item.setdefault("apiVersion", version)
                pending += reversed(items)
            else:
                yield one
        elif one is not None:
            raise RecordingError("not a Kubernetes object")
