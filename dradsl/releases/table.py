"""What the API server of each release does: `table.json`, which `python -m maintenance.release_table` writes.

The source are the pages `schemas/releases/*.yaml`: change those. A row is a switch, a column a release, in the order
of `NAMES`.
"""

from __future__ import annotations

import json

from dradsl.data import text_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = [
    "CEL",
    "GATES",
    "NAMES",
    "NOT_REQUIRED_SINCE",
    "PATCHES",
    "REMOVED_IN",
    "SERVED",
    "SINCE",
    "VALIDATION",
    "made_table",
]


def made_table(name: str) -> Mapping[str, Any]:
    """What a JSON file of this folder holds."""
    table: Mapping[str, Any] = json.loads(text_beside(__file__, f"{name}.json"))
    return table


_TABLE = made_table("table")

NAMES: Sequence[str] = _TABLE["NAMES"]
PATCHES: Sequence[str] = _TABLE["PATCHES"]
GATES: Mapping[str, Sequence[str]] = _TABLE["GATES"]
SERVED: Mapping[str, Sequence[bool]] = _TABLE["SERVED"]
CEL: Mapping[str, Sequence[Any]] = _TABLE["CEL"]
VALIDATION: Mapping[str, Sequence[Any]] = _TABLE["VALIDATION"]
# Fields, TYPE.FIELD, and the first release that has them, lacks them, takes objects without them.
SINCE: Mapping[str, str] = _TABLE["SINCE"]
REMOVED_IN: Mapping[str, str] = _TABLE["REMOVED_IN"]
NOT_REQUIRED_SINCE: Mapping[str, str] = _TABLE["NOT_REQUIRED_SINCE"]
