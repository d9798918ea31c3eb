"""Strings of cel-go, version 2 (`ext/strings.go`). Positions count code points."""

from __future__ import annotations

from dradsl.cel.library.formatting import format_values
from dradsl.cel.runtime.operations import shown
from dradsl.cel.runtime.values import CelRuntimeError, Value
from dradsl.cel.runtime.work_limit import bound_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FUNCTIONS", "index_of_clamped", "last_index_of_clamped"]

# What Go's strings.TrimSpace cuts off: Unicode's White_Space.
_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}


def _range_error(index: int) -> CelRuntimeError:
    return CelRuntimeError(f"index out of range: {index}")


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _range_error(index)
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if not part:
        return offset
    if offset < 0:
        raise _range_error(offset)
    return text.find(part, offset)


def _last_index_of(text: str, part: str, offset: int | None = None) -> int:
    if offset is None:
        return text.rfind(part)
    if not part:
        return offset
    if offset < 0:
        raise _range_error(offset)
    if offset >= len(text):
        return -1
    return text.rfind(part, 0, offset + len(part))


def index_of_clamped(text: str, part: str, offset: int) -> int:
    """`indexOf` as of cel-go 0.28: an empty part is found at the offset or at the end."""
    if part:
        return _index_of(text, part, offset)
    if offset < 0:
        raise _range_error(offset)
    return min(offset, len(text))


def last_index_of_clamped(text: str, part: str, offset: int) -> int:
    """`lastIndexOf` as of cel-go 0.28."""
    return _last_index_of(text, part, offset) if part else index_of_clamped(text, part, offset)


def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is None:
        if not 0 <= start <= len(text):
            raise _range_error(start)
        return text[start:]
    if start > end:
        raise CelRuntimeError(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        raise _range_error(start)
    if not 0 <= end <= len(text):
        raise _range_error(end)
    return text[start:end]


def _split(text: str, separator: str, limit: int = -1) -> Value:
    if limit == 0:
        return []
    if not separator:
        letters = list(text)
        if 0 < limit < len(letters):
            return [*letters[: limit - 1], "".join(letters[limit - 1 :])]
        return letters
    return text.split(separator, limit - 1 if limit > 0 else -1)


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    if len(new) > len(old):
        bound_size(len(text) + (text.count(old) if old else len(text)) * len(new))
    return text.replace(old, new, limit if limit >= 0 else -1)


def _join(parts: Sequence[Value], separator: str = "") -> str:
    for part in parts:
        if type(part) is not str:
            raise CelRuntimeError(f"join: invalid input: {shown(part)}")
    bound_size(len(parts) * len(separator) + sum(map(len, parts)))
    return separator.join(parts)


_QUOTED = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
    "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"',
}  # fmt: skip


def _quote(text: str) -> str:
    return '"' + "".join([_QUOTED.get(letter, letter) for letter in text]) + '"'


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "string_char_at_int": _char_at,
    "string_format": format_values,
    "string_index_of_string": _index_of,
    "string_index_of_string_int": _index_of,
    "list_join": _join,
    "list_join_string": _join,
    "string_last_index_of_string": _last_index_of,
    "string_last_index_of_string_int": _last_index_of,
    "string_lower_ascii": lambda text: text.translate(_LOWER),
    "string_replace_string_string": _replace,
    "string_replace_string_string_int": _replace,
    "string_split_string": _split,
    "string_split_string_int": _split,
    "strings_quote": _quote,
    "string_substring_int": _substring,
    "string_substring_int_int": _substring,
    "string_trim": lambda text: text.strip(_SPACE),
    "string_upper_ascii": lambda text: text.translate(_UPPER),
}
