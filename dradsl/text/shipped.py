"""Shipped YAML files as they were parsed: JSON beside the YAML, which takes twenty times as long.

A folder `_parsed/` holds a file for each, with the checksum of the YAML that it was made from: one that does not fit is
passed over, so a stale file costs time and nothing else. `python -m maintenance.driver_schemas` writes them.
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

__all__ = ["checksum", "parsed_data", "place_of_parsed"]


def parsed_data(path: StrPath) -> Any:
    """The plain data of a shipped YAML file; None if nothing was made from the file as it is now."""
    try:
        recorded = json.loads(read_bytes(place_of_parsed(path)))
    except (OSError, ValueError):
        return None
    return recorded["data"] if recorded["checksum"] == checksum(read_bytes(path)) else None


def place_of_parsed(path: StrPath) -> str:
    """Where the parsed form of a file is."""
    folder, name = os.path.split(path)
    return os.path.join(folder, "_parsed", f"{name.removesuffix('.yaml')}.json")


def checksum(text: bytes) -> int:
    """That of a file, whatever the ends of its lines: a checkout may have changed these."""
    return crc32(text.replace(b"\r\n", b"\n"))
