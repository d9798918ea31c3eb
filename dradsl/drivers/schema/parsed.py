"""The parsed form of the shipped driver files and of the recipes of charts (`dradsl.text.shipped`).

`python -m dradsl.drivers.schema` writes it, and `_index.json`; a test says when that was forgotten.
"""

from __future__ import annotations

import json
import os

from dradsl.text.files import read_bytes
from dradsl.text.shipped import checksum, parsed_data, place_of_parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.text.files import StrPath

__all__ = ["load_shipped", "parsed_form", "write_parsed"]


def load_shipped(path: StrPath) -> Any:
    """The plain data of a shipped YAML file."""
    data = parsed_data(path)
    return _read(path) if data is None else data


def _read(path: StrPath) -> Any:
    from dradsl.drivers.schema.yaml_data import load_yaml

    return load_yaml(read_bytes(path).decode(), str(path))


def parsed_form(path: StrPath) -> str:
    """What `_parsed/` should hold for the YAML file."""
    data = {"checksum": checksum(read_bytes(path)), "data": _read(path)}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_parsed(folder: StrPath) -> None:
    """Write the parsed form of every YAML file in `folder`, and remove what has none."""
    from dradsl.tree.replacing import write_bytes

    target = os.path.join(folder, "_parsed")
    os.makedirs(target, exist_ok=True)
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".yaml")]
    kept = {place_of_parsed(path) for path in paths}
    for old in os.listdir(target):
        if os.path.join(target, old) not in kept:
            os.unlink(os.path.join(target, old))
    for path in paths:
        write_bytes(place_of_parsed(path), parsed_form(path).encode())
