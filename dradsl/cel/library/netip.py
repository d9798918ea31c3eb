"""Addresses and networks as Go's net/netip reads them, with its messages.

Source: Go 1.26 `net/netip/netip.go`, ParseAddr and ParsePrefix.
"""

from __future__ import annotations

import ipaddress
import re

from dradsl.values.gotext import quote

__all__ = ["Address", "AddressError", "parse_address", "parse_prefix"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_FIELDS = 8
_IPV4_FIELDS = 2


class AddressError(ValueError):
    """No address: `reason`, and `at`, the text from where it went wrong, if that is said."""

    def __init__(self, reason: str, at: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


def parse_address(text: str) -> tuple[Address, str]:
    """The address and its zone, which is empty for none.

    Raises:
        ValueError: with the message of Go.
    """
    try:
        return _parse(text)
    except AddressError as error:
        place = f" (at {quote(error.at)})" if error.at else ""
        raise ValueError(f"ParseAddr({quote(text)}): {error.reason}{place}") from None


def _parse(text: str) -> tuple[Address, str]:
    found = re.search(r"[.:%]", text)
    kind = found[0] if found else ""
    if kind == ".":
        return ipaddress.IPv4Address(_ipv4(text)), ""
    if kind == ":":
        return _ipv6(text)
    raise AddressError("missing IPv6 address" if kind else "unable to parse IP")


def _ipv4(text: str) -> bytes:
    octets: list[int] = []
    digits = ""
    for position, letter in enumerate(text):
        if "0" <= letter <= "9":
            if digits == "0":
                raise AddressError("IPv4 field has octet with leading zero")
            digits += letter
            if int(digits) > 255:
                raise AddressError("IPv4 field has value >255")
        elif letter == ".":
            if not digits or position == len(text) - 1:
                raise AddressError("IPv4 field must have at least one digit", text[position:])
            if len(octets) == 3:
                raise AddressError("IPv4 address too long")
            octets.append(int(digits))
            digits = ""
        else:
            raise AddressError("unexpected character", text[position:])
    if len(octets) < 3:
        raise AddressError("IPv4 address too short")
    return bytes([*octets, int(digits)])


def _ipv6(text: str) -> tuple[Address, str]:
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        raise AddressError("zone must be a non-empty string")
    fields: list[int] = []
    gap = -1
    if rest.startswith("::"):
        gap, rest = 0, rest[2:]
    while rest and len(fields) < _FIELDS:
        digits = _group(rest)
        if rest[len(digits) : len(digits) + 1] == ".":
            fields.extend(_embedded(rest, fields, gap))
            rest = ""
            break
        fields.append(int(digits, 16))
        rest = rest[len(digits) :]
        if not rest:
            break
        if rest[0] != ":":
            raise AddressError("unexpected character, want colon", rest)
        if len(rest) == 1:
            raise AddressError("colon must be followed by more characters", rest)
        rest = rest[1:]
        if rest[0] == ":":
            if gap >= 0:
                raise AddressError("multiple :: in address", rest)
            gap, rest = len(fields), rest[1:]
    if rest:
        raise AddressError("trailing garbage after address", rest)
    return _address(_expand(fields, gap)), zone


def _group(rest: str) -> str:
    """The hexadecimal digits that `rest` begins with: one to four."""
    digits = re.match(r"[0-9a-fA-F]+", rest)
    if digits is None:
        raise AddressError("each colon-separated field must have at least one digit", rest)
    if digits.end() > 4:
        raise AddressError("each group must have 4 or less digits", rest)
    return digits[0]


def _embedded(rest: str, before: list[int], gap: int) -> tuple[int, int]:
    """The two fields that an IPv4 address at the end stands for."""
    if gap < 0 and len(before) != _FIELDS - _IPV4_FIELDS:
        raise AddressError(
            "embedded IPv4 address must replace the final 2 fields of the address", rest
        )
    if len(before) > _FIELDS - _IPV4_FIELDS:
        raise AddressError(
            "too many hex fields to fit an embedded IPv4 at the end of the address", rest
        )
    octets = _ipv4(rest)
    return int.from_bytes(octets[:2], "big"), int.from_bytes(octets[2:], "big")


def _expand(fields: list[int], gap: int) -> list[int]:
    missing = _FIELDS - len(fields)
    if gap < 0:
        if missing:
            raise AddressError("address string too short")
        return fields
    if not missing:
        raise AddressError("the :: must expand to at least one field of zeros")
    return [*fields[:gap], *[0] * missing, *fields[gap:]]


def _address(fields: list[int]) -> Address:
    return ipaddress.IPv6Address(b"".join([field.to_bytes(2, "big") for field in fields]))


def parse_prefix(text: str) -> tuple[Address, int]:
    """The address of a network and the number of its leading bits.

    Raises:
        ValueError: with the message of Go.
    """
    failure = f"netip.ParsePrefix({quote(text)}): "
    written, slash, bits = text.rpartition("/")
    if not slash:
        raise ValueError(failure + "no '/'")
    try:
        address, zone = parse_address(written)
    except ValueError as error:
        raise ValueError(f"{failure}{error}") from None
    if zone:
        raise ValueError(failure + "IPv6 zones cannot be present in a prefix")
    if len(bits) > 18 or not re.fullmatch(r"[0-9]|[1-9][0-9]*", bits):
        raise ValueError(f"{failure}bad bits after slash: {quote(bits)}")
    if int(bits) > address.max_prefixlen:
        raise ValueError(failure + "prefix length out of range")
    return address, int(bits)
