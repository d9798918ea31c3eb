"""The shipped driver files as they were parsed: JSON beside the YAML, which takes twenty times as long.

`schemas/drivers/_parsed/` holds a file for each, with the checksum of the YAML that it was made
from: one that does not fit is passed over, so a stale file costs time and nothing else.
`python -m dradsl.drivers.schema` writes them, and `_index.json`; a test says when that was forgotten.
"""

from __future__ import annotations

import json
import os
from binascii import crc32

from dradsl.text.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.text.files import StrPath

__all__ = ["load_shipped", "parsed_form", "write_parsed"]


def load_shipped(path: StrPath) -> Any:
    """The plain data of a shipped YAML file."""
    text = read_bytes(path)
    try:
        recorded = json.loads(read_bytes(_place(path)))
    except (OSError, ValueError):
        recorded = {}
    if recorded.get("checksum") == _checksum(text):
        return recorded["data"]
    from dradsl.drivers.schema.yaml_data import load_yaml

    return load_yaml(text.decode(), str(path))


def parsed_form(path: StrPath) -> str:
    """What `_parsed/` should hold for the YAML file."""
    from dradsl.drivers.schema.yaml_data import load_yaml

    text = read_bytes(path)
    data = {"checksum": _checksum(text), "data": load_yaml(text.decode(), str(path))}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_parsed(folder: StrPath) -> None:
    """Write the parsed form of every YAML file in `folder`, and remove what has none."""
    from dradsl.tree.replacing import write_bytes

    target = os.path.join(folder, "_parsed")
    os.makedirs(target, exist_ok=True)
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".yaml")]
    kept = {_place(path) for path in paths}
    for old in os.listdir(target):
        if os.path.join(target, old) not in kept:
            os.unlink(os.path.join(target, old))
    for path in paths:
        write_bytes(_place(path), parsed_form(path).encode())


def _place(path: StrPath) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, "_parsed", f"{name.removesuffix('.yaml')}.json")


def _checksum(text: bytes) -> int:
    return crc32(text.replace(b"\r\n", b"\n"))  # a checkout may have changed the line ends
