"""The shipped driver files as they were parsed: JSON beside the YAML, which takes twenty times as long.

`schemas/drivers/_parsed/` holds a file for each, with the checksum of the YAML that it was made
from: one that does not fit is passed over, so a stale file costs time and nothing else.
`python -m dradsl.drivers.parsed` writes them, and `_index.json`; a test says when that was forgotten.
"""

from __future__ import annotations

import json
from binascii import crc32
from typing import TYPE_CHECKING, Any

from dradsl.data import data_path

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["load_shipped", "parsed_form", "write_parsed"]


def load_shipped(path: Path) -> Any:
    """The plain data of a shipped YAML file."""
    text = path.read_bytes()
    try:
        recorded = json.loads(_place(path).read_bytes())
    except (OSError, ValueError):
        recorded = {}
    if recorded.get("checksum") == _checksum(text):
        return recorded["data"]
    from dradsl.drivers.read import load_yaml

    return load_yaml(text.decode(), str(path))


def parsed_form(path: Path) -> str:
    """What `_parsed/` should hold for the YAML file."""
    from dradsl.drivers.read import load_yaml

    text = path.read_bytes()
    data = {"checksum": _checksum(text), "data": load_yaml(text.decode(), str(path))}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_parsed(folder: Path) -> None:
    """Write the parsed form of every YAML file in `folder`, and remove what has none."""
    paths = sorted(folder.glob("*.yaml"))
    kept = {_place(path) for path in paths}
    for old in (folder / "_parsed").glob("*.json"):
        if old not in kept:
            old.unlink()
    (folder / "_parsed").mkdir(exist_ok=True)
    for path in paths:
        _place(path).write_text(parsed_form(path), encoding="utf-8", newline="")


def _place(path: Path) -> Path:
    return path.parent / "_parsed" / f"{path.name.removesuffix('.yaml')}.json"


def _checksum(text: bytes) -> int:
    return crc32(text.replace(b"\r\n", b"\n"))  # a checkout may have changed the line ends


if __name__ == "__main__":
    from dradsl.drivers.catalogue import write_index

    write_parsed(data_path("schemas", "drivers"))
    write_index(data_path("schemas", "drivers"))
