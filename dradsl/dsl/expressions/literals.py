"""Python values as CEL literals, checked: a value that CEL cannot hold is rejected here."""

from __future__ import annotations

import re

from dradsl.dsl.expressions.placeholders import PlaceholderStr
from dradsl.values.quantity import Quantity, QuantityError
from dradsl.values.semver import Semver, SemverError

__all__ = ["bool_of", "int_of", "quantity_of", "quote", "string_of", "version_of"]

_MIN_INT64, _MAX_INT64 = -(2**63), 2**63 - 1

# What Helm asks of values that are used as such; what they mean is checked by default only.
_QUANTITY = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
_VERSION = (
    r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$"
)

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(text: str) -> str:
    """`text` as a CEL string in double quotes; printable characters stay as they are."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def string_of(value: object, what: str) -> str:
    """`value` if it is a string of whole characters."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a string, not {_kind(value)}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{what}: {value!r} holds half a character (a lone surrogate)")
    return value


def int_of(value: object, what: str) -> int:
    """`value` if it is an integer of 64 bits; a bool is none here."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} is an integer, not {_kind(value)}")
    if not _MIN_INT64 <= value <= _MAX_INT64:
        raise ValueError(f"{what}: {value} does not fit into 64 bits")
    return value


def bool_of(value: object, what: str) -> bool:
    """`value` if it is a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{what} is true or false, not {_kind(value)}")
    return value


def version_of(value: object, what: str) -> str:
    """`value` as the three-part version that drivers publish: "v550" and "550.0.0" are the same.

    Drivers pad missing parts and drop leading zeros before they publish, so the same is done here.
    """
    if isinstance(value, Semver):
        return str(value)
    if not isinstance(value, str):
        raise TypeError(
            f'{what} is a version, written as a string like "1.2.3", not {_kind(value)}'
        )
    try:
        version = str(Semver.parse(value, normalize=True))
    except SemverError as error:
        raise ValueError(f"{what}: {value!r} is no version ({error})") from error
    if isinstance(value, PlaceholderStr) and version == value:
        value.must_match(_VERSION)
        return value
    return version


def quantity_of(value: object, what: str) -> str:
    """`value` as the text of a quantity: "40Gi", 8, Quantity.parse("1.5")."""
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise TypeError(f'{what} is a quantity like "40Gi" or an integer, not {_kind(value)}')
    try:
        Quantity.parse(value)
    except QuantityError as error:
        hint = _meant_quantity(value) or f" ({error})"
        raise ValueError(f"{what}: {value!r} is no quantity{hint}") from error
    if isinstance(value, PlaceholderStr):
        value.must_match(_QUANTITY)
    return value


def _meant_quantity(text: str) -> str:
    """`; did you mean "40Gi"?` for an amount whose unit is in other words, else nothing."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGTPE])\s*(i?)\s*B?\s*", text, re.IGNORECASE)
    if match is None:
        return ""
    number, unit, binary = match.groups()
    if binary:
        return f'; did you mean "{number}{unit.upper()}i"?'
    decimal = "k" if unit in "kK" else unit.upper()
    return f'; did you mean "{number}{unit.upper()}i" (powers of 1024) or "{number}{decimal}" (of 1000)?'


def _kind(value: object) -> str:
    return "None" if value is None else f"{value!r} of type {type(value).__name__}"
