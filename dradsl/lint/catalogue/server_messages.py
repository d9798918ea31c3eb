"""What an API-server rejection is called here: reason id -> code, message and remedy, of `server_messages.json`.

Messages may use {value} (the rejected value), {field} (the field's name), {detail} (upstream's words without examples)
and {suggestion}. A code "in slices" holds for ResourceSlices and DeviceTaintRules. After "|" stands the message of an
error without detail, and the remedy of one without a suggestion. With "on key" the field itself is wrong, not its value.
"help of fields": by `FIELD`, `ABOVE.FIELD` (above: the field around it, or the kind around the spec), `ABOVE.*` or `FIELD a list`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from dradsl.lint.catalogue.table import table_of
from dradsl.records import dataclass, field, replace

__all__ = ["Wording", "wordings"]


@dataclass(frozen=True, slots=True)
class Wording:
    """One reason's code, message and remedy (both templates), and remedies of its own for some fields."""

    code: str
    message: str
    help: str | None = None
    on_key: bool = False
    of_fields: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def wordings() -> Mapping[str, Wording]:
    """The words of all reasons; those of slices under `slice:REASON`, where they have a code of their own."""
    found: dict[str, Wording] = {}
    for rows in table_of("server_messages").values():
        for reason, row in rows.items():
            words = Wording(
                row["code"],
                row["message"],
                row.get("help"),
                row.get("on key", False),
                row.get("help of fields", {}),
            )
            found[reason] = words
            if "in slices" in row:
                found[f"slice:{reason}"] = replace(words, code=row["in slices"])
    return MappingProxyType(found)
