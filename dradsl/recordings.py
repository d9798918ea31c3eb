"""Recorded objects in files: YAML or JSON, lists, gzip, bzip2 or xz; and inventories made of them."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import lzma
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.text.files import StrPath

__all__ = ["MAX_BYTES", "RecordingError", "documents_in", "find_recordings", "read_recording"]


class RecordingError(ValueError):
    """A recording that cannot be read; the message names the file and the reason."""


MAX_BYTES = 2 * 1024**3
"""What a file may hold, unpacked."""

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


def read_recording(path: Path) -> list[dict[str, Any]]:
    """The objects in a file.

    Raises:
        RecordingError: if it cannot be read or is too large.
    """
    try:
        with path.open("rb") as file:
            head = file.read(6)
        opener = next((opener for magic, opener in _MAGIC if head.startswith(magic)), None)
        with cast("IO[bytes]", opener(path, "rb") if opener else path.open("rb")) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise RecordingError(f"{path}: {error}") from error
    if len(data) > MAX_BYTES:
        raise RecordingError(f"{path}: more than {MAX_BYTES} bytes")
    try:
        return list(documents_in(data))
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}") from error


def documents_in(data: bytes) -> Iterator[dict[str, Any]]:
    """The objects in a JSON or YAML text, those of lists one by one.

    Raises:
        RecordingError: if the text is neither.
    """
    start = data.lstrip()[:1]
    if start in (b"{", b"["):
        # What is no JSON may still be YAML, or several JSON objects in a row.
        parsed: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            parsed = json.loads(data)
        if parsed is not None:
            yield from _expanded(parsed)
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
