"""Recorded objects in files: YAML or JSON, lists, gzip, bzip2 or xz; and inventories made of them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from dradsl.text.json_values import json_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.text.files import StrPath

__all__ = ["MAX_BYTES", "RecordingError", "documents_in", "find_recordings", "read_recording"]


class RecordingError(ValueError):
    """A recording that cannot be read; the message names the file and the reason."""


MAX_BYTES = 2 * 1024**3
"""What a file may hold, unpacked."""

_HEAD = 4096  # bytes in which something other than white space is looked for

_MAGIC = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open))
_ENDINGS = (".json", ".yaml", ".yml", ".json.gz", ".yaml.gz", ".yml.gz", ".json.xz", ".json.bz2")


def find_recordings(path: StrPath) -> Iterator[Path]:
    """The recorded files at a path: itself, or those in a directory, in a stable order.

    Raises:
        RecordingError: if there is no such file.
    """
    path = Path(path)
    if path.is_dir():
        found = sorted(one for one in path.rglob("*") if one.name.endswith(_ENDINGS))
        if not found:
            raise RecordingError(f"{path}: no recorded slices in this directory")
        yield from found
    elif path.exists():
        yield path
    else:
        raise RecordingError(f"no such file or directory: {path}")


def read_recording(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file, one after the other as they are read.

    Raises:
        RecordingError: if it cannot be read or is too large.
    """
    try:
        yield from documents_in(_bytes_in(path))
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}") from error


def _bytes_in(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            head = file.read(6)
        opener = next((opener for magic, opener in _MAGIC if head.startswith(magic)), None)
        with cast("IO[bytes]", opener(path, "rb") if opener else path.open("rb")) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise RecordingError(str(error)) from error
    if len(data) > MAX_BYTES:
        raise RecordingError(f"more than {MAX_BYTES} bytes")
    return data


def documents_in(data: bytes) -> Iterator[dict[str, Any]]:
    """The objects in a JSON or YAML text, those of lists one by one.

    Raises:
        RecordingError: if the text is neither.
    """
    encoding = json.detect_encoding(data)
    # The first character tells; a head may end within one.
    if data[:_HEAD].decode(encoding, "ignore").lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        text = data.decode(encoding, "surrogatepass").removeprefix("\ufeff")
        del data  # a fleet's recording is large: one copy at a time
        read = False
        try:
            for one in json_values(text):
                found = list(_expanded(one))
                read = True
                yield from found
        except (ValueError, RecursionError) as error:
            if read or isinstance(error, RecordingError):
                raise RecordingError(str(error)) from error
            # What is no JSON may still be YAML.
            data = text.encode("utf-8", "surrogatepass")
        else:
            return
    from dradsl.text.documents import load

    stream = load(data)
    for problem in stream.all_problems():
        if problem.fatal:
            raise RecordingError(f"line {problem.span.line}: {problem.message}")
    if stream.is_template:
        raise RecordingError("a Helm template, not an object")
    for document in stream.documents:
        yield from _expanded(document.data)


def _expanded(value: Any) -> Iterator[dict[str, Any]]:
    pending = [value]
    while pending:
        one = pending.pop()
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
