"""Whether two values are the same to the API server: equality.Semantic.DeepEqual on plain data.

Nil and empty lists and maps are equal, quantities are compared by amount, times by instant, absent
scalars and structs equal their zero values unless the type is a pointer.

Source: apimachinery pkg/api/equality/semantic.go.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from dradsl.kube.fields.table import ZEROS, Category, Field, FieldType, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["field_equal", "semantic_equal"]


def semantic_equal(new: Any, old: Any, type_name: str, release: str, version: str = "v1") -> bool:
    """Whether two structs of the type called `type_name` are semantically equal."""
    fields = fields_of(type_name, version, release)
    new, old = new or {}, old or {}
    return new is old or all(
        field_equal(new.get(name), old.get(name), field, release, version)
        for name, field in fields.items()
    )


def field_equal(new: Any, old: Any, field: Field, release: str, version: str = "v1") -> bool:
    """Whether two values of a field are semantically equal; None stands for "absent"."""
    return _equal(new, old, field.type, release, version)


def _equal(new: Any, old: Any, type_: FieldType, release: str, version: str) -> bool:
    category = type_.category
    if category is Category.LIST and type_.item is not None:
        new, old, item = new or (), old or (), type_.item
        return len(new) == len(old) and all(
            _equal(left, right, item, release, version)
            for left, right in zip(new, old, strict=True)
        )
    if category is Category.MAP and type_.item is not None:
        new, old, item = new or {}, old or {}, type_.item
        return new.keys() == old.keys() and all(
            _equal(new[key], old[key], item, release, version) for key in new
        )
    if type_.pointer and (new is None or old is None):
        return new is old
    if category is Category.RAW:
        return _canonical(new) == _canonical(old)
    empty = ZEROS.get(category)
    new, old = (empty if new is None else new), (empty if old is None else old)
    if category is Category.STRUCT:
        return semantic_equal(new, old, type_.name, release, version)
    if category is Category.QUANTITY:
        from dradsl.values.quantity import Quantity

        return new == old or Quantity.parse(new) == Quantity.parse(old)
    if category is Category.TIME:
        return new == old or _instant(new) == _instant(old)
    return bool(new == old)


def _canonical(value: object) -> str:
    # Python's == takes True for 1; JSON text does not.
    return json.dumps(value, sort_keys=True, default=str)


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.replace(",", ".")).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
