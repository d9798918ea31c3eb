"""Kubernetes quantities (`80Gi`, `500m`, `1e3`), exact to apimachinery pkg/api/resource.

Upstream keeps a quantity in one of two forms: an int64 times a power of ten, or an arbitrary
decimal. Which one it is decides whether `as_integer` works, and how `value` overflows, so both
forms are kept apart here as well. Rules and texts follow quantity.go, amount.go, math.go and
suffix.go of k8s.io/apimachinery v0.34 to v0.37, which agree.
"""

# Upstream: MustParse, ParseQuantity, parseQuantityString (k8s.io/apimachinery/pkg/api/resource/quantity.go)
# Upstream: Quantity.*, New*Quantity, NewQuantity (k8s.io/apimachinery/pkg/api/resource/quantity.go)
# Upstream: * (k8s.io/apimachinery/pkg/api/resource/suffix.go)

from __future__ import annotations

import functools
import re

from dradsl.errors import DradslError
from dradsl.records import dataclass, field
from dradsl.values.gotext import json_float, pow10
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Literal, TypeAlias

__all__ = ["Format", "Quantity", "QuantityError", "exact_amount", "wrap_int64"]

Format: TypeAlias = "Literal['BinarySI', 'DecimalSI', 'DecimalExponent']"

_MAX_INT64 = 2**63 - 1
_MIN_INT64 = -(2**63)
_NANO = -9
_SMALL_FORM_DIGITS = 18

# Far beyond any amount of anything; upstream has no such bounds, but needs hours for such input.
_MAX_TEXT = 2_000
_MAX_EXPONENT = 2_000

_DECIMAL = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_NAMES = {exponent: suffix for suffix, exponent in _BINARY.items()}

# What strings.TrimSpace drops, without what encoding/json escapes.
_SPACE = " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

_SHAPE = pattern(
    r"(?P<sign>[+-]?)0*+(?P<whole>[0-9]*+)(?:\.(?P<fraction>[0-9]*+))?+"
    r"(?P<suffix>[eEinumkKMGTP]*+[+-]?[0-9]*+)",
    re.ASCII,
)
_WRONG_FORMAT = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_WRONG_NUMBER = "unable to parse numeric part of quantity"
_WRONG_SUFFIX = "unable to parse quantity's suffix"


class QuantityError(DradslError, ValueError):
    """The text is no quantity; the message is upstream's."""


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An amount: `mantissa` times ten to the power of `scale`.

    `small` tells upstream's int64 form from its decimal form; `format` is the family of suffixes
    that `str()` uses. Two quantities are equal if their amounts are: `80Gi == 85899345920`.
    """

    mantissa: int
    scale: int = 0
    format: Format = "DecimalSI"
    small: bool = True
    _text: str = field(default="", repr=False)

    @classmethod
    @functools.lru_cache(1024)  # amounts are the same again and again
    def parse(cls, text: str) -> Quantity:
        """The quantity that `text` stands for; QuantityError with upstream's message if none."""
        if not text:
            raise QuantityError(_WRONG_FORMAT)
        if len(text) > _MAX_TEXT:
            raise QuantityError(f"quantity of {len(text)} characters: at most {_MAX_TEXT} are read")
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            raise QuantityError(_WRONG_FORMAT)
        suffix = shape["suffix"]
        format_, exponent = _interpret_suffix(suffix)
        whole, fraction = shape["whole"] or "0", shape["fraction"] or ""
        small = _parse_small(text, shape["sign"] == "-", whole, fraction, format_, exponent)
        if small is not None:
            return small
        if not any(character.isdigit() for character in text[: len(text) - len(suffix)]):
            raise QuantityError(_WRONG_NUMBER)
        mantissa = int(whole + fraction)
        return _parse_decimal(mantissa, len(fraction), shape["sign"] == "-", format_, exponent)

    @classmethod
    def decode(cls, value: str | float) -> Quantity:
        """The quantity in a decoded JSON or YAML field: text or number; booleans are none.

        Space around the text is dropped where JSON writes it as it is: a line end or a tab becomes
        an escape there, which Quantity.UnmarshalJSON takes for part of the text. QuantityError.
        """
        if isinstance(value, str):
            return cls.parse(value.strip(_SPACE))
        try:
            return cls.parse(json_float(value) if isinstance(value, float) else str(value))
        except ValueError as error:
            raise QuantityError(str(error)) from error

    @classmethod
    def from_int(cls, value: int, format_: Format = "DecimalSI") -> Quantity:
        """The quantity of an int64 (resource.NewQuantity)."""
        return cls(value, 0, format_)

    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.mantissa > 0) - (self.mantissa < 0)

    def cmp(self, other: Quantity) -> int:
        """-1, 0 or 1 as this amount is less than, equal to or greater than `other`; exact."""
        if self.sign() != other.sign():
            return -1 if self.sign() < other.sign() else 1
        if self.scale == other.scale or not self.mantissa:
            return (self.mantissa > other.mantissa) - (self.mantissa < other.mantissa)
        # Magnitudes first, so that 1e2000000000 is never written out.
        left, right = _magnitude(self), _magnitude(other)
        if left != right:
            return self.sign() * (1 if left > right else -1)
        scale = min(self.scale, other.scale)
        a: int = self.mantissa * 10 ** (self.scale - scale)
        b: int = other.mantissa * 10 ** (other.scale - scale)
        return (a > b) - (a < b)

    def __eq__(self, other: object) -> bool:
        return self.cmp(other) == 0 if isinstance(other, Quantity) else NotImplemented

    # No __hash__: equal amounts may have any form, and upstream never keys a map by them.

    def __lt__(self, other: Quantity) -> bool:
        return self.cmp(other) < 0

    def __le__(self, other: Quantity) -> bool:
        return self.cmp(other) <= 0

    def __gt__(self, other: Quantity) -> bool:
        return self.cmp(other) > 0

    def __ge__(self, other: Quantity) -> bool:
        return self.cmp(other) >= 0

    def __add__(self, other: Quantity) -> Quantity:
        """The sum. A zero takes the format of what is added to it, as upstream's Add does."""
        format_ = other.format if not self.mantissa else self.format
        if self.small and other.small:
            total = _add_small(self, other)
            if total is not None:
                return Quantity(*total, format_)
        return Quantity(*_add_exactly(self, other, 1), format_, small=False)

    def __sub__(self, other: Quantity) -> Quantity:
        """The difference, which may be negative; formats as in addition."""
        format_ = other.format if not self.mantissa else self.format
        if self.small and other.small:
            negated = Quantity(wrap_int64(-other.mantissa), other.scale, other.format)
            total = _add_small(self, negated)
            if total is not None:
                return Quantity(*total, format_)
        return Quantity(*_add_exactly(self, other, -1), format_, small=False)

    def is_identical(self, other: Quantity) -> bool:
        """Whether Go's == holds between the structs: amount, notation and kept text alike.

        The decimal form is a pointer upstream, so such a quantity equals no copy of itself.
        """
        return (
            self.small
            and other.small
            and (self.mantissa, self.scale, self.format, self._text)
            == (other.mantissa, other.scale, other.format, other._text)
        )

    def is_integer(self) -> bool:
        """Whether AsInt64 works: small form, no fraction digits, in the range of int64."""
        return self.small and self.scale >= 0 and _scale_up(self.mantissa, self.scale) is not None

    def as_integer(self) -> int:
        """The amount as an int64; QuantityError where `is_integer` is false."""
        value = _scale_up(self.mantissa, self.scale) if self.small and self.scale >= 0 else None
        if value is None:
            raise QuantityError("cannot convert value to integer")
        return value

    def as_approximate_float(self) -> float:
        """The amount as a float, rounded as AsApproximateFloat64 does."""
        try:
            base = float(self.mantissa)
        except OverflowError:
            base = float("inf") * self.sign()
        return base * pow10(self.scale) if self.scale else base

    def shifted(self, places: int) -> Quantity:
        """The amount times ten to the power of `places`; exact."""
        return Quantity(self.mantissa, self.scale + places, self.format, small=False)

    def as_fraction(self) -> Fraction:
        """The exact amount; QuantityError if it has more than 2,000 zeros."""
        if self.mantissa and abs(self.scale) > _MAX_EXPONENT:
            raise QuantityError(f"1e{self.scale} is too large to write out")
        from fractions import Fraction  # brings `decimal`: only few runs need it

        return Fraction(self.mantissa) * Fraction(10) ** (self.scale if self.mantissa else 0)

    def value(self) -> int:
        """The amount as an integer, rounded up; overflows as upstream's Value() does."""
        return self._scaled(0)

    def milli_value(self) -> int:
        """A thousand times the amount as an integer, rounded up; overflows as MilliValue()."""
        return self._scaled(-3)

    def _scaled(self, scale: int) -> int:
        difference = self.scale - scale
        if self.small:
            if difference < 0:
                return _scale_down(self.mantissa, -difference)[0]
            return _scale_up_wrapping(self.mantissa, difference)
        if difference >= 0:
            factor = int(pow10(difference)) if difference <= 18 else _MIN_INT64
            return wrap_int64(wrap_int64(self.mantissa) * factor)
        return _round_decimal(self.mantissa, -difference)

    def __str__(self) -> str:
        """The canonical text, or the text as parsed where upstream keeps that."""
        return self._text or _canonical(self)


def exact_amount(value: object) -> Fraction | None:
    """The amount in a decoded JSON or YAML field; None for what is no quantity, or too large to write out."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return Quantity.decode(value).as_fraction()
    except QuantityError:
        return None


def _interpret_suffix(suffix: str) -> tuple[Format, int]:
    if suffix in _DECIMAL:
        return "DecimalSI", _DECIMAL[suffix]
    if suffix in _BINARY:
        return "BinarySI", _BINARY[suffix]
    exponent = suffix[1:]
    if suffix[0] not in "eE" or not re.fullmatch(r"[+-]?[0-9]+", exponent, re.ASCII):
        raise QuantityError(_WRONG_SUFFIX)
    number = int(exponent)
    if not _MIN_INT64 <= number <= _MAX_INT64:
        raise QuantityError(_WRONG_SUFFIX)
    return "DecimalExponent", _wrap_int32(number)


def _parse_small(
    text: str, negative: bool, whole: str, fraction: str, format_: Format, exponent: int
) -> Quantity | None:
    """The int64 form, where upstream's estimate of digits says that it fits."""
    digits = len(whole) + len(fraction)
    factor, scale = 1, exponent
    if format_ == "BinarySI":
        if fraction:
            return None
        factor, scale = 1 << exponent, 0
        precision = 15 - digits - exponent * 3 // 10 - 1
    else:
        precision = _SMALL_FORM_DIGITS - digits
    scale = _wrap_int32(scale - len(fraction))
    if precision < 0 or scale < _NANO:
        return None
    shifted = whole + fraction
    value = int(shifted)
    if format_ == "BinarySI":
        canonical = value & 7 != 0
    else:
        canonical = scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    mantissa = -value * factor if negative else value * factor
    # The text counts as canonical by a quick test only, so "+5" stays "+5".
    keep = canonical or text == "0"
    return Quantity(mantissa, scale, format_, _text=text if keep else "")


def _parse_decimal(
    mantissa: int, places: int, negative: bool, format_: Format, exponent: int
) -> Quantity:
    """The decimal form: finer than nano rounds away from zero, binary amounts are capped."""
    scale = -places
    if format_ == "BinarySI":
        mantissa <<= exponent
    else:
        scale = _wrap_int32(scale + exponent)
    if mantissa:
        if scale < _NANO:
            mantissa, _ = _scale_down(mantissa, _NANO - scale)
        elif scale > _MAX_EXPONENT:
            raise QuantityError(f"quantity with exponent {scale}: at most {_MAX_EXPONENT} is read")
        else:
            mantissa *= 10 ** (scale - _NANO)
        scale = _NANO
    if format_ == "BinarySI":
        if mantissa > _MAX_INT64 * 10**9:
            mantissa, scale = _MAX_INT64, 0
        elif 0 < mantissa < 10**9:
            format_ = "DecimalSI"
    return Quantity(-mantissa if negative else mantissa, scale, format_, small=False)


def _canonical(quantity: Quantity) -> str:
    if not quantity.mantissa:
        return "0"
    if quantity.format == "BinarySI" and not _below_1024(quantity):
        whole, exact = _whole(quantity)
        if exact:
            return _canonical_binary(quantity, whole)
    mantissa, exponent = _strip_factors(quantity.mantissa, 10)
    exponent += quantity.scale
    mantissa *= 10 ** (exponent % 3)
    exponent -= exponent % 3
    if quantity.format == "DecimalExponent":
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    # There is no suffix above E, and upstream then prints none: 1000E becomes 1.
    return f"{mantissa}{_DECIMAL_NAMES.get(exponent, '')}"


def _canonical_binary(quantity: Quantity, whole: int) -> str:
    if quantity.small and whole == _MIN_INT64:
        # Its absolute value is no int64, so upstream finds no factors in it.
        return str(whole)
    mantissa, times = _strip_factors(whole, 1024)
    return f"{mantissa}{_BINARY_NAMES.get(times * 10, '')}"


def _below_1024(quantity: Quantity) -> bool:
    bound = Quantity(1024)
    return quantity.cmp(bound) < 0 and quantity.cmp(Quantity(-1024)) > 0


def _whole(quantity: Quantity) -> tuple[int, bool]:
    """The amount without fraction, and whether nothing was lost."""
    if quantity.scale < 0:
        return _scale_down(quantity.mantissa, -quantity.scale)
    if quantity.scale > _MAX_EXPONENT:
        raise QuantityError(f"1e{quantity.scale} is too large to write out")
    return quantity.mantissa * 10**quantity.scale, True


def _strip_factors(number: int, base: int) -> tuple[int, int]:
    """`number` with all factors of `base` taken out, and how many there were."""
    sign, number, times = (-1 if number < 0 else 1), abs(number), 0
    while number and number % base == 0:
        number //= base
        times += 1
    return sign * number, times


def _magnitude(quantity: Quantity) -> int:
    """The power of ten of the first digit, from which amounts of unlike size can be told apart."""
    # The length of the binary form bounds the count of digits; a division finds the exact one.
    number = abs(quantity.mantissa)
    digits = max(1, int((number.bit_length() - 1) * 0.30102999566398119))
    while 10**digits <= number:
        digits += 1
    return quantity.scale + digits


def _add_small(a: Quantity, b: Quantity) -> tuple[int, int] | None:
    """int64Amount.Add: mantissa and scale of the sum, or None on overflow."""
    if not b.mantissa:
        return a.mantissa, a.scale
    if not a.mantissa:
        return b.mantissa, b.scale
    scale = min(a.scale, b.scale)
    left = _scale_up(a.mantissa, a.scale - scale)
    right = _scale_up(b.mantissa, b.scale - scale)
    if left is None or right is None:
        return None
    total = left + right
    return (total, scale) if _MIN_INT64 <= total <= _MAX_INT64 else None


def _add_exactly(a: Quantity, b: Quantity, sign: int) -> tuple[int, int]:
    scale = min(a.scale, b.scale)
    if max(a.scale, b.scale) - scale > _MAX_EXPONENT:
        raise QuantityError("quantities too far apart to add")
    return a.mantissa * 10 ** (a.scale - scale) + sign * b.mantissa * 10 ** (b.scale - scale), scale


def _scale_up(mantissa: int, places: int) -> int | None:
    """`mantissa` times ten to the power of `places`, or None outside int64."""
    if not mantissa:
        return 0
    if places > 18:
        return None
    value: int = mantissa * 10**places
    return value if _MIN_INT64 <= value <= _MAX_INT64 else None


def _scale_up_wrapping(mantissa: int, places: int) -> int:
    """positiveScaleInt64 with its verdict ignored, as ScaledValue does."""
    value = _scale_up(mantissa, places)
    if value is not None:
        return value
    if places in (1, 2, 3, 6, 9) and mantissa != _MIN_INT64:
        return wrap_int64(mantissa * 10**places)
    return 0


def _scale_down(mantissa: int, places: int) -> tuple[int, bool]:
    """`mantissa` divided by ten to the power of `places`, away from zero; whether it is exact."""
    sign, number = (-1 if mantissa < 0 else 1), abs(mantissa)
    if places > number.bit_length():
        return (sign if number else 0), not number
    quotient, remainder = divmod(number, 10**places)
    return sign * (quotient + bool(remainder)), not remainder


def _round_decimal(mantissa: int, places: int) -> int:
    """scaledValue of scale_int.go: its two ways of dividing round negative numbers unlike."""
    divisor: int = 10**places
    if mantissa < _MAX_INT64 and places < 19:
        low = wrap_int64(mantissa)
        quotient, remainder = divmod(abs(low), divisor)
        quotient = -quotient if low < 0 else quotient
        return quotient + 1 if remainder else quotient
    quotient, remainder = divmod(mantissa, divisor)
    return wrap_int64(wrap_int64(quotient) + 1) if remainder else wrap_int64(quotient)


def wrap_int64(number: int) -> int:
    """What is left of a sum in Go's int64."""
    return (number + 2**63) % 2**64 - 2**63


def _wrap_int32(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31
