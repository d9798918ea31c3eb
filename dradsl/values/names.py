"""Formats of names: each function returns upstream's messages about a text, none if it is valid.

Lengths are counted in bytes, as Go does. Texts follow apimachinery pkg/util/validation and
pkg/api/validate (1.37), the composed ones kubernetes pkg/apis/resource/validation. Releases word
a few of them differently; a parameter `unit` or `noun` covers that.
"""

from __future__ import annotations

import re

from dradsl.values.patterns import pattern

__all__ = [
    "c_identifier",
    "device_name",
    "dns1123_label",
    "dns1123_subdomain",
    "driver_name",
    "extended_resource_name",
    "is_extended_resource_name",
    "label_key",
    "label_value",
    "legal_name",
    "length_in_bytes",
    "qualified_name",
    "too_long",
    "uuid",
]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"

# The same languages as upstream's expressions above, written so that no input makes them slow.
_LABEL_RE = pattern(r"[a-z0-9]++(?:-++[a-z0-9]++)*+", re.ASCII)
_SUBDOMAIN_RE = pattern(
    r"[a-z0-9]++(?:-++[a-z0-9]++)*+(?:\.[a-z0-9]++(?:-++[a-z0-9]++)*+)*+", re.ASCII
)
_KEY_RE = pattern(r"[A-Za-z0-9]++(?:[-_.]++[A-Za-z0-9]++)*+", re.ASCII)
_IDENTIFIER_RE = pattern(_IDENTIFIER, re.ASCII)
_UUID_RE = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

_SUBDOMAIN_LETTERS = (
    "lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
    "character"
)
_KEY_LETTERS = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character"
)

_LABEL_LENGTH = 63
_SUBDOMAIN_LENGTH = 253
_DRIVER_LENGTH = 63
_IDENTIFIER_LENGTH = 32


def length_in_bytes(text: str) -> int:
    """The length that Go's len() gives."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def too_long(limit: int) -> str:
    """The detail of upstream's FieldValueTooLong error."""
    return f"may not be more than {limit} {'byte' if limit == 1 else 'bytes'}"


def dns1123_label(text: str, unit: str = "characters") -> list[str]:
    """A DNS label: at most 63 lower-case letters, digits and inner dashes.

    `unit` is "bytes" where declarative validation of 1.35 and later reports it.
    """
    errors = _length(text, _LABEL_LENGTH, unit)
    if _LABEL_RE.fullmatch(text):
        return errors
    if _SUBDOMAIN_RE.fullmatch(text):
        return [*errors, "must not contain dots"]
    message = (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character"
    )
    return [*errors, _regex_error(message, _LABEL, "my-name", "123-abc")]


def device_name(text: str) -> list[str]:
    """The name of a device, request, subrequest, counter set or counter: a DNS label."""
    return dns1123_label(text)


def dns1123_subdomain(text: str, unit: str = "characters") -> list[str]:
    """A DNS subdomain: labels of any length joined by dots, at most 253 in all."""
    errors = _length(text, _SUBDOMAIN_LENGTH, unit)
    if not _SUBDOMAIN_RE.fullmatch(text):
        message = f"a lowercase RFC 1123 subdomain must consist of {_SUBDOMAIN_LETTERS}"
        errors.append(_regex_error(message, _SUBDOMAIN, "example.com"))
    return errors


def label_key(text: str, unit: str = "bytes", noun: str = "label key") -> list[str]:
    """A label key (IsQualifiedName): an optional DNS subdomain and `/`, then a name up to 63.

    1.34 says "characters" and "qualified name" for `unit` and `noun`.
    """
    parts = text.split("/")
    shape = _regex_error(_KEY_LETTERS, _KEY, "MyName", "my.name", "123-abc")
    if len(parts) > 2:
        article = "a valid label key" if noun == "label key" else f"a {noun}"
        optional = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"{article} {shape}{optional}"]
    errors: list[str] = []
    if len(parts) == 2:
        if not parts[0]:
            errors.append("prefix part must be non-empty")
        errors += [f"prefix part {e}" for e in dns1123_subdomain(parts[0], unit) if parts[0]]
    name = parts[-1]
    if not name:
        errors.append("name part must be non-empty")
    errors += [f"name part {e}" for e in _length(name, _LABEL_LENGTH, unit)]
    if not _KEY_RE.fullmatch(name):
        errors.append(f"name part {shape}")
    return errors


def label_value(text: str, unit: str = "bytes") -> list[str]:
    """A label value: empty, or up to 63 letters, digits, `-`, `_` and `.`."""
    errors = _length(text, _LABEL_LENGTH, unit)
    if text and not _KEY_RE.fullmatch(text):
        message = (
            "a valid label must be an empty string or consist of "
            + _KEY_LETTERS.removeprefix("must consist of ")
        )
        errors.append(_regex_error(message, f"({_KEY})?", "MyValue", "my_value", "12345"))
    return errors


def c_identifier(text: str, limit: int | None = _IDENTIFIER_LENGTH) -> list[str]:
    """An identifier as in C, with at most `limit` bytes: the name part of an attribute."""
    errors = [too_long(limit)] if limit is not None and length_in_bytes(text) > limit else []
    if not _IDENTIFIER_RE.fullmatch(text):
        message = (
            "a valid C identifier must start with alphabetic character or '_', followed by a "
            "string of alphanumeric characters or '_'"
        )
        errors.append(_regex_error(message, _IDENTIFIER, "my_name", "MY_NAME", "MyName"))
    return errors


def driver_name(text: str) -> list[str]:
    """A driver name: a DNS subdomain of at most 63 bytes, checked in lower case."""
    if not text:
        return ["must be non-empty"]
    errors = [too_long(_DRIVER_LENGTH)] if length_in_bytes(text) > _DRIVER_LENGTH else []
    # Go lowers one code point to one: the dotted capital I becomes a plain i.
    return errors + dns1123_subdomain(text.replace("\u0130", "i").lower())


def qualified_name(text: str) -> list[str]:
    """The key of an attribute or capacity: `name` or `domain/name`.

    Two or more slashes pass unchecked: no release up to 1.37 looks at them.
    """
    parts = text.split("/")
    if len(parts) == 1:
        return c_identifier(text)
    if len(parts) > 2:
        return []
    domain, name = parts
    errors = driver_name(domain) if domain else ["the domain must not be empty"]
    return errors + (c_identifier(name) if name else ["the name must not be empty"])


def extended_resource_name(text: str) -> list[str]:
    """The extended resource that a DeviceClass stands for; texts of declarative validation."""
    errors = []
    if "/" not in text:
        errors.append("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif "kubernetes.io/" in text:
        errors.append('must not have "kubernetes.io/" domain')
    if text.startswith("requests."):
        errors.append('must not have "requests." prefix')
    return errors + label_key(f"requests.{text}")


def is_extended_resource_name(text: str) -> bool:
    """Whether the scheduler and the API server take `text` for an extended resource.

    Follows IsExtendedResourceName in kubernetes pkg/apis/core/v1/helper.
    """
    return not extended_resource_name(text)


def uuid(text: str) -> list[str]:
    """A UUID in lower case with its four dashes, as shareID wants it."""
    if _UUID_RE.fullmatch(text):
        return []
    return ["must be a lowercase UUID in 8-4-4-4-12 format"]


def _length(text: str, limit: int, unit: str) -> list[str]:
    return [f"must be no more than {limit} {unit}"] if length_in_bytes(text) > limit else []


def _regex_error(message: str, pattern: str, *examples: str) -> str:
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {listed}regex used for validation is '{pattern}')"


def legal_name(value: str, *, dots: bool) -> str | None:
    """The name in lower case, with `-` for what names cannot hold; a domain stands behind what it is of."""
    domain, slash, name = value.partition("/")
    if dots and slash and "." in domain and name:
        value = f"{name}.{domain}"
    kept = re.sub(r"[^a-z0-9.-]+" if dots else r"[^a-z0-9-]+", "-", value.lower())
    kept = kept.strip("-.")
    return kept if kept and len(kept) <= 63 and ".-" not in kept and "-." not in kept else None
