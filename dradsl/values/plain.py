"""Members of plain data, read without knowledge of its shape: YAML and JSON of users before anything is checked.

Each function takes the keys that lead to a member. A member that is absent, and one of another type, counts as none, so
a caller needs no question about types. With no keys, the value itself is meant.
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["find_at", "list_at", "mapping_at", "mappings", "mappings_at", "member", "string_at"]


def member(data: object, *keys: str) -> Any:
    """The member at `keys`, of whatever type; None if there is none."""
    for key in keys:
        if data.__class__ is not dict and not isinstance(data, Mapping):
            return None
        data = data.get(key)
    return data


def mapping_at(data: object, *keys: str) -> Mapping[str, Any]:
    """The mapping at `keys`; an empty one if there is none."""
    for key in keys:  # as `member`, without a call: rules ask this more than all else
        if data.__class__ is not dict and not isinstance(data, Mapping):
            return {}
        data = data.get(key)
    # Asked most of what is absent or a dict; the abstract class is slow to answer.
    if data is None or (data.__class__ is not dict and not isinstance(data, Mapping)):
        return {}
    return data


def list_at(data: object, *keys: str) -> list[Any]:
    """The list at `keys`; an empty one if there is none. Do not change it: it may be part of the data."""
    found = member(data, *keys)
    return found if isinstance(found, list) else []


def mappings_at(data: object, *keys: str) -> list[Mapping[str, Any]]:
    """The mappings in the list at `keys`, without its other items."""
    return [item for item in list_at(data, *keys) if isinstance(item, Mapping)]


def string_at(data: object, *keys: str) -> str | None:
    """The string at `keys`; None if there is none, or an empty one."""
    found = member(data, *keys)
    return found if isinstance(found, str) and found else None


def mappings(value: object) -> list[Mapping[str, object]]:
    """The items of a list; an empty mapping for what is none, so that the others keep their numbers."""
    return [v if isinstance(v, dict) else {} for v in value] if isinstance(value, list) else []


def find_at(data: Any, path: Iterable[str | int]) -> Any:
    """The value at a path of keys and numbers; None if it leads nowhere."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data
