"""`"...".format([...])`: the clauses of a format string, checked and run.

Source: cel-go `ext/formatting.go` (locale en_US).
"""

from __future__ import annotations

from dradsl.cel.runtime import times
from dradsl.cel.runtime.values import (
    CelRuntimeError,
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    value_of_key,
)
from dradsl.cel.runtime.work_limit import bound_tree
from dradsl.cel.syntax.ast import Expr, ListExpr, MapExpr
from dradsl.values.gotext import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.cel.types import Type

__all__ = ["FormatClauseError", "check_format", "format_values"]

_DEFAULT_PRECISION = 6
_INT_DIGITS = 18

# Upstream's answer for more digits is of no use to anyone, and takes long to write down.
_MAX_PRECISION = 100_000

_TOO_WRONG = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
    "types, durations, and timestamps, was given",
    "d": "decimal clause can only be used on integers, was given",
    "f": "fixed-point clause can only be used on doubles, was given",
    "e": "scientific clause can only be used on doubles, was given",
    "b": "only integers and bools can be formatted as binary, was given",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given",
    "o": "octal clause can only be used on integers, was given",
}
_STATIC = {
    "s": "list map int uint double bool string timestamp bytes duration type null",
    "d": "int uint",
    "f": "double string",
    "e": "double string",
    "b": "int uint bool",
    "x": "int uint string bytes",
    "o": "int uint",
}


class FormatClauseError(Exception):
    """A format string that does not fit; `node` is the argument to blame, if there is one."""

    def __init__(self, message: str, node: Expr | None = None) -> None:
        super().__init__(message)
        self.node = node


def check_format(template: str, args: Sequence[Expr], types: Mapping[Expr, Type]) -> int:
    """How many arguments the template uses.

    Raises:
        FormatClauseError: if a clause is malformed or does not suit its argument's type.
    """
    used = 0
    for clause in _clauses(template, len(args), static=True):
        if isinstance(clause, str):
            continue
        letter, _ = clause
        arg = args[used]
        used += 1
        wrong = _wrong_string(arg, types) if letter == "s" else _wrong(arg, letter, types)
        if wrong is not None:
            shown = f"{_TOO_WRONG[letter.lower()]} {types[wrong].name}"
            raise FormatClauseError(f"error during formatting: {shown}", wrong)
    return used


def _wrong(arg: Expr, letter: str, types: Mapping[Expr, Type]) -> Expr | None:
    type_ = types[arg]
    fits = type_.kind == "dyn" or type_.kind in _STATIC[letter.lower()].split()
    return None if fits else arg


def _wrong_string(arg: Expr, types: Mapping[Expr, Type]) -> Expr | None:
    """The part of `arg` that cannot be printed, if there is one."""
    if (wrong := _wrong(arg, "s", types)) is not None:
        return wrong
    inner: list[Expr] = []
    if isinstance(arg, ListExpr):
        inner = list(arg.elements)
    elif isinstance(arg, MapExpr):
        inner = [part for entry in arg.entries for part in (entry.key, entry.value)]
    for part in inner:
        if (wrong := _wrong_string(part, types)) is not None:
            return wrong
    return None


def _clauses(
    template: str, count: int, *, static: bool = False
) -> Iterator[str | tuple[str, int | None]]:
    """Text and clauses in turn; raises FormatClauseError where upstream's parser fails."""
    position = index = 0
    while position < len(template):
        start = template.find("%", position)
        if start < 0:
            yield template[position:]
            return
        if start > position:
            yield template[position:start]
        if template[start + 1 : start + 2] == "%":
            yield "%"
            position = start + 2
            continue
        if not static and index >= count:
            raise FormatClauseError(f"index {index} out of range")
        if start + 1 >= len(template):
            raise FormatClauseError("unexpected end of string")
        if index >= count:
            raise FormatClauseError(f"index {index} out of range")
        letter, precision, position = _clause(template, start + 1)
        yield letter, precision
        index += 1


def _clause(template: str, position: int) -> tuple[str, int | None, int]:
    """The clause after a percent sign: letter, precision, where it ends."""
    precision: int | None = None
    problem = "could not parse formatting clause: "
    if template[position] == ".":
        end = position + 1
        while end < len(template) and template[end] in "0123456789":
            end += 1
        if end >= len(template):
            raise FormatClauseError(
                f"{problem}error while parsing precision: could not find end of precision specifier"
            )
        digits = template[position + 1 : end]
        if not digits:
            raise FormatClauseError(
                f"{problem}error while parsing precision: error while converting precision to "
                'integer: strconv.Atoi: parsing "": invalid syntax'
            )
        if len(digits) > _INT_DIGITS and int(digits[:_INT_DIGITS]) > 0:
            raise FormatClauseError(
                f"{problem}error while parsing precision: error while converting precision to "
                f"integer: strconv.Atoi: parsing {quote(digits)}: value out of range"
            )
        precision = int(digits[-_INT_DIGITS:])
        position = end
    letter = template[position]
    if letter not in "sdfebxXo":
        raise FormatClauseError(f'{problem}unrecognized formatting clause "{letter}"')
    return letter, precision, position + 1


def format_values(template: str, values: Sequence[Value]) -> str:
    """The template with its clauses filled in."""
    parts: list[str] = []
    index = 0
    try:
        for clause in _clauses(template, len(values)):
            if isinstance(clause, str):
                parts.append(clause)
                continue
            letter, precision = clause
            try:
                parts.append(_fill(letter, precision, values[index]))
            except FormatClauseError as problem:
                raise FormatClauseError(f"error during formatting: {problem}") from None
            index += 1
    except FormatClauseError as problem:
        raise CelRuntimeError(str(problem)) from None
    return "".join(parts)


def _fill(letter: str, precision: int | None, value: Value) -> str:
    kind = type(value)
    whole = kind is int or kind is Uint
    if letter == "s":
        bound_tree(value)
        return _string(value)
    if letter == "d" and whole:
        return str(int(value))
    if letter in "fe" and (kind is float or value in ("NaN", "Infinity", "-Infinity")):
        return _floating(letter, _DEFAULT_PRECISION if precision is None else precision, value)
    if letter == "b" and (whole or kind is bool):
        return format(int(value), "b")
    if letter in "xX" and (whole or kind is str or kind is bytes):
        if whole:
            text = format(int(value), "x")
        else:
            text = (value.encode() if kind is str else value).hex()
        return text.upper() if letter == "X" else text
    if letter == "o" and whole:
        return format(int(value), "o")
    raise FormatClauseError(f"{_TOO_WRONG[letter.lower()]} {_type_name(value)}")


def _floating(letter: str, precision: int, value: Value) -> str:
    """As golang.org/x/text prints; upstream's `%.9e` asks it for a width, not for a precision."""
    if precision > _MAX_PRECISION:
        raise FormatClauseError(f"precision {precision} is more than {_MAX_PRECISION}")
    number = float(value) or 0.0  # no negative zero
    if number != number:
        text = "NaN"
    elif number in (float("inf"), float("-inf")):
        text = "∞" if number > 0 else "-∞"
    elif letter == "f":
        return _fixed_point(number, precision)
    else:
        text = _power_of_ten(number)
    return text.rjust(precision) if letter == "e" else text


def _power_of_ten(number: float) -> str:
    mantissa, _, exponent = format(number, f".{_DEFAULT_PRECISION}e").partition("e")
    digits = f"{int(exponent):+03d}".lstrip("+")
    return f"{mantissa}×10{''.join([_SUPERSCRIPT[digit] for digit in digits])}"


def _fixed_point(number: float, precision: int) -> str:
    """Rounded to `precision`, but only the low byte of it says where zeros are padded to."""
    text = format(number, f",.{precision}f")
    if precision < 256:
        return text
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0").ljust(precision % 256, "0")
    return f"{whole}.{fraction}" if fraction else whole


_SUPERSCRIPT = dict(zip("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", strict=True))


def _string(value: Value) -> str:
    from dradsl.cel.library.standard import to_string

    kind = type(value)
    if kind is list or kind is tuple:
        return "[" + ", ".join([_member(element) for element in value]) + "]"
    if isinstance(value, dict):
        return _map(value)
    if kind is TypeValue:
        return str(value.name)
    if value is None:
        return "null"
    if kind in (str, bool, int, Uint, float, bytes, Timestamp, Duration):
        try:
            return str(to_string(value))
        except CelRuntimeError as error:
            raise FormatClauseError(
                f"could not convert argument {quote(error.message)} to string"
            ) from None
    raise FormatClauseError(f"{_TOO_WRONG['s']} {_type_name(value)}")


def _map(value: dict[Value, Value]) -> str:
    pairs: list[tuple[str, str]] = []
    for found, item in value.items():
        key = value_of_key(found)
        if type(key) is bool:
            shown = "true" if key else "false"
        elif type(key) is str:
            shown = quote(key)
        elif type(key) is int or type(key) is Uint:
            shown = str(int(key))
        else:
            raise FormatClauseError(f"no formatting function for map key of type {_type_name(key)}")
        pairs.append((shown, _member(item)))
    pairs.sort(key=lambda pair: pair[0])
    return "{" + ", ".join([f"{key}:{item}" for key, item in pairs]) + "}"


def _member(value: Value) -> str:
    """A value within a list or map."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is bytes:
        return "b" + quote(_string(value))
    if kind is float:
        if value != value or value in (float("inf"), float("-inf")):
            return quote(_go_special(value))
        return format(value, f".{_DEFAULT_PRECISION}f")
    if kind is Timestamp:
        return f"timestamp({quote(times.timestamp_text(value))})"
    if kind is Duration:
        return f"duration({quote(times.duration_text(value))})"
    known = kind in (list, tuple, bool, int, Uint, TypeValue) or value is None
    if known or isinstance(value, dict):
        return _string(value)
    raise FormatClauseError(f"no formatting function for {_type_name(value)}")


def _go_special(value: float) -> str:
    if value != value:
        return "NaN"
    return "+Inf" if value > 0 else "-Inf"


def _type_name(value: Value) -> str:
    from dradsl.cel.runtime.operations import type_name

    return type_name(value)
