"""Whether a v1 object has the shape of its kind, in any release: for builders, in words of Python.

`dradsl.kube.fields.decoding` says what the server of one release says.
"""

from __future__ import annotations

import functools

from dradsl.kube.fields.table import KINDS, Category, Field, FieldType, fields_of
from dradsl.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["VERSION", "every_field", "is_required", "shape_problems"]

VERSION = "v1"

_LAST_OF_V1ALPHA3 = "1.34"
"""Fields that ended with this release were DeviceTaintRule's, in a version before v1."""


@functools.cache
def every_field(name: str) -> Mapping[str, Field]:
    """The fields of a type in v1, of all releases."""
    fields: dict[str, Field] = {}
    for release in reversed(tuple(RELEASES)):
        for field in fields_of(name, VERSION, release).values():
            if field.until != _LAST_OF_V1ALPHA3:
                fields.setdefault(field.name, field)
    return fields


def is_required(field: Field) -> bool:
    """Whether every release requires a field."""
    return field.required and field.required_until is None


def shape_problems(obj: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with the fields of an object of a kind of the group: path and reason.

    A field that is missing is named below `spec` alone: servers fill in the rest.
    """
    kind = str(obj.get("kind"))
    if kind in KINDS:
        yield from _struct(obj, kind, "")


def _struct(value: object, name: str, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: expected a mapping"
        return
    fields = every_field(name)
    for key, item in value.items():
        place = f"{path}.{key}" if path else str(key)
        field = fields.get(key)
        if field is None:
            yield f"{place}: no such field{_near(key, fields)}"
        elif item is not None or is_required(field):
            yield from _value(item, field.type, place)
    if path.partition(".")[0] == "spec":
        for key, field in fields.items():
            if is_required(field) and key not in value:
                yield f"{path}.{key}: required"


def _value(value: object, type_: FieldType, path: str) -> Iterator[str]:
    category = type_.category
    if category is Category.STRUCT:
        yield from _struct(value, type_.name, path)
    elif category is Category.LIST:
        if not isinstance(value, list | tuple):
            yield f"{path}: expected a list"
        elif type_.item is not None:
            for index, item in enumerate(value):
                yield from _value(item, type_.item, f"{path}[{index}]")
    elif category is Category.MAP:
        if not isinstance(value, dict):
            yield f"{path}: expected a mapping"
        elif type_.item is not None:
            for key, item in value.items():
                if not isinstance(key, str):
                    yield f"{path}: expected a string as key, not {key!r}"
                yield from _value(item, type_.item, f"{path}[{key}]")
    else:
        reason = _scalar(value, category)
        if reason is not None:
            yield f"{path}: {reason}"


def _scalar(value: object, category: Category) -> str | None:
    match category:
        case Category.STRING | Category.TIME:
            return None if isinstance(value, str) else f"expected a string, not {value!r}"
        case Category.BOOL:
            return None if isinstance(value, bool) else f"expected True or False, not {value!r}"
        case Category.INT32 | Category.INT64:
            whole = isinstance(value, int) and not isinstance(value, bool)
            return None if whole else f"expected an integer, not {value!r}"
        case Category.QUANTITY:
            return _quantity(value)
        case _:
            return None


def _quantity(value: object) -> str | None:
    from dradsl.values.quantity import Quantity, QuantityError

    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return f"expected a quantity, not {value!r}"
    try:
        Quantity.decode(value)
    except QuantityError as error:
        return str(error)
    return None


def _near(key: object, fields: Mapping[str, Field]) -> str:
    from dradsl.kube.fields.decoding import similar

    near = similar(key, fields) if isinstance(key, str) else None
    return "" if near is None else f"; did you mean {near}?"
