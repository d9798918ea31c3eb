"""What the macros transformMap and transformMapEntry call (cel-go `ext/comprehensions.go`).

Only macros write these calls, and the loops that they become insert by themselves.
"""

from __future__ import annotations

from dradsl.cel.runtime.operations import check_hashable, has_number, shown
from dradsl.cel.runtime.values import CelRuntimeError, Value, key_of, value_of_key

__all__ = ["insert", "insert_found"]


def insert(target: dict[Value, Value], key: Value, value: Value) -> dict[Value, Value]:
    """Adds an entry to the map under construction; a key may come once."""
    check_hashable(key)
    return insert_found(target, key_of(key), value)


def insert_found(target: dict[Value, Value], found: Value, value: Value) -> dict[Value, Value]:
    """As `insert`, by the dictionary key that an entry has in another map."""
    key = value_of_key(found)
    if found in target or has_number(target, key):
        raise CelRuntimeError(f"insert failed: key {shown(key)} already exists")
    target[found] = value
    return target
