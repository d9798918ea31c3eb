"""Scalars as the Kubernetes reader resolves them: YAML 1.1 with that reader's own exceptions.

Follows resolve.go and decode.go of go.yaml.in/yaml/v2 v2.4, the passage through JSON in
sigs.k8s.io/yaml v1.6, and the reading of JSON numbers in apimachinery pkg/util/json:
`yes` and `on` are booleans (so are `y` and `n`), `010` and `0o10` are eight, `1_000` a thousand,
`1.0` the integer one, numbers beyond int64 floats, and what looks like a date stays text.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct

from dradsl.values.gotext import json_float
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.text.nodes import PlainScalar

__all__ = ["NUMERIC", "WORDS", "ScalarError", "key_name", "resolve", "resolve_plain"]

_BOOLEANS = {
    **dict.fromkeys(
        ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True
    ),
    **dict.fromkeys(
        ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False
    ),
}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_SPECIAL_FLOATS = {
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}

WORDS = frozenset((*_BOOLEANS, *_NULLS))
"""Plain scalars that are no text although no digit, sign or point begins them."""

NUMERIC = frozenset("+-0123456789.")
"""First characters of plain scalars that may be numbers."""

_INTEGER = pattern(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[oO](?P<oct>[0-7]+)|0[bB](?P<bin>[01]+)"
    r"|0(?P<old>[0-7]+)|(?P<dec>0|[1-9][0-9]*))",
    re.ASCII,
)
_FLOAT = pattern(r"[+-]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]+)?", re.ASCII)
# Only here are underscores left for Go's ParseFloat to judge: they may be between digits.
_POINT_FIRST = pattern(r"\.[0-9]++(?:_[0-9]++)*+(?:[eE][+-]?[0-9]++(?:_[0-9]++)*+)?", re.ASCII)
_BASES = (("dec", 10), ("old", 8), ("hex", 16), ("oct", 8), ("bin", 2))
_TIMESTAMP = pattern(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?)?",
    re.ASCII,
)

_MAX_INT64 = 2**63 - 1
_MIN_INT64 = -(2**63)
_MAX_UINT64 = 2**64 - 1
# Longer digits are beyond uint64 in every base; Python does not read very long ones.
_UINT64_DIGITS = 70

_BINARY = "tag:yaml.org,2002:binary"
_KINDS = {
    "tag:yaml.org,2002:bool": "bool",
    "tag:yaml.org,2002:int": "int",
    "tag:yaml.org,2002:float": "float",
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:timestamp": "timestamp",
}


class ScalarError(ValueError):
    """The reader rejects the scalar."""


def resolve(text: str, style: str = "", tag: str | None = None) -> PlainScalar:
    """The value of a scalar with decoded characters `text`; ScalarError if the reader rejects it.

    `style` is "" for plain scalars; `tag` the full tag ("tag:yaml.org,2002:str") if there is one.
    """
    if tag is None:
        return resolve_plain(text) if style == "" else text
    if tag == _BINARY:
        return _decode_base64(text)
    wanted = _KINDS.get(tag)
    if wanted is None:
        return text
    kind, value = _classify(text)
    if kind == wanted or (wanted, kind) == ("float", "int"):
        return _through_json(value) if kind in ("int", "float") else value
    if wanted == "timestamp" and _TIMESTAMP.fullmatch(text):
        return text
    raise ScalarError(f"cannot decode !!{kind} `{text}` as a !!{wanted}")


def resolve_plain(text: str) -> PlainScalar:
    """The value of a plain scalar without tag."""
    if text not in WORDS and text[0] not in NUMERIC:
        return text
    kind, value = _classify(text)
    return _through_json(value) if kind in ("int", "float") else value


def key_name(text: str, style: str = "", tag: str | None = None) -> str:
    """The name of a mapping key in JSON; ScalarError for keys that JSON cannot have (null)."""
    if tag is None and (style != "" or (text not in WORDS and text[0] not in NUMERIC)):
        return text
    kind, value = ("str", resolve(text, style, tag)) if tag else _classify(text)
    if value is None:
        raise ScalarError("unsupported map key of type null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or kind == "float":
        return _float_key(float(value))
    if isinstance(value, int) and value > _MAX_INT64:
        raise ScalarError("unsupported map key of type uint64")
    return str(value)


def _classify(text: str) -> tuple[str, PlainScalar]:
    """Kind and value that go-yaml gives to a plain scalar, before it passes through JSON."""
    if text in _NULLS:
        return "null", None
    if text in _BOOLEANS:
        return "bool", _BOOLEANS[text]
    if text in _SPECIAL_FLOATS:
        return "float", _SPECIAL_FLOATS[text]
    first = text[0]
    if first == ".":
        number = float(text) if _POINT_FIRST.fullmatch(text) else None
        if number is not None and not math.isfinite(number):
            number = None
        return ("str", text) if number is None else ("float", number)
    if first not in "+-0123456789":
        return "str", text
    plain = text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return "int", integer
    number = _float(plain)
    return ("str", text) if number is None else ("float", number)


def _integer(text: str) -> int | None:
    if text.isdigit() and text.isascii() and len(text) < 19 and (text == "0" or text[0] != "0"):
        return int(text)  # what nearly all are, without the pattern
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    group, base = next(entry for entry in _BASES if match[entry[0]] is not None)
    digits = match[group].lstrip("0") or "0"
    if len(digits) > _UINT64_DIGITS:
        return None
    number = int(digits, base)
    if match["sign"]:
        number = -number if match["sign"] == "-" else number
        return number if _MIN_INT64 <= number <= _MAX_INT64 else None
    return number if number <= _MAX_UINT64 else None


def _float(text: str) -> float | None:
    if not _FLOAT.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _through_json(value: PlainScalar) -> PlainScalar:
    """The number after go-yaml's value was written as JSON and read again."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ScalarError(f"json: unsupported value: {_non_finite(value)}")
        if not value.is_integer() or abs(value) >= 1e19:
            return value
        # encoding/json writes these without point, and zeros for what is beyond the precision.
        whole = int(json_float(value))
        return whole if _MIN_INT64 <= whole <= _MAX_INT64 else value
    if isinstance(value, int) and value > _MAX_INT64:
        return float(value)
    return value


def _non_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _float_key(value: float) -> str:
    """A float as a key: the shortest digits of its float32, as sigs.k8s.io/yaml prints them."""
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    for precision in range(17):
        printed = f"{single:.{precision}e}"
        if struct.pack("f", float(printed)) == struct.pack("f", single):
            break
    mantissa, _, power = printed.partition("e")
    exponent = int(power)
    if not -4 <= exponent < 6:
        return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    return f"{single:.{max(precision - exponent, 0)}f}"


def _decode_base64(text: str) -> str:
    try:
        data = base64.b64decode(re.sub(r"[\r\n]", "", text), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ScalarError("!!binary value contains invalid base64 data") from error
    return data.decode("utf-8", "replace")
