"""What the macros transformMap and transformMapEntry call (cel-go `ext/comprehensions.go`).

Only macros write these calls, and the loops that they become insert by themselves.
"""

from __future__ import annotations

from dradsl.cel.runtime.operations import shown
from dradsl.cel.runtime.values import CelRuntimeError, Value, key_of

__all__ = ["insert"]


def insert(target: dict[Value, Value], key: Value, value: Value) -> dict[Value, Value]:
    """Adds an entry to the map under construction; a key may come once."""
    found = key_of(key)
    if found in target:
        raise CelRuntimeError(f"insert failed: key {shown(key)} already exists")
    target[found] = value
    return target
