"""What the macros transformMap and transformMapEntry call (cel-go `ext/comprehensions.go`)."""

from __future__ import annotations

from dradsl.cel.runtime import shown
from dradsl.cel.values import CelRuntimeError, Value, key_of, value_of_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["DECLARATIONS", "FUNCTIONS", "insert"]

DECLARATIONS = """
cel.@mapInsert  @mapInsert_map_key_value  (map(K, V), K, V) -> map(K, V)
cel.@mapInsert  @mapInsert_map_map        (map(K, V), map(K, V)) -> map(K, V)
"""


def insert(target: dict[Value, Value], key: Value, value: Value) -> dict[Value, Value]:
    """Adds an entry to the map under construction; a key may come once."""
    found = key_of(key)
    if found in target:
        raise CelRuntimeError(f"insert failed: key {shown(key)} already exists")
    target[found] = value
    return target


def _insert_copy(target: dict[Value, Value], key: Value, value: Value) -> Value:
    return insert(dict(target), key, value)


def _insert_all(target: dict[Value, Value], entries: dict[Value, Value]) -> Value:
    result = dict(target)
    for key, value in entries.items():
        insert(result, value_of_key(key), value)
    return result


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "@mapInsert_map_key_value": _insert_copy,
    "@mapInsert_map_map": _insert_all,
}
