"""Name formats with upstream's texts, and the checks of driver, pool and attribute names.

The texts come from two places that word lengths differently ("characters" in
apimachinery pkg/util/validation, "bytes" in pkg/api/validate/content); label keys and values moved
from the first to the second in 1.35.
"""

from __future__ import annotations

import functools
import json
import re

from dradsl.data import text_beside
from dradsl.kube.errors import FieldError, Format, Path, invalid, required, too_long
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.releases.server import Validation

    # What is wrong with a text: that it has not the format, or something said of it.
    Message: TypeAlias = "str | Format"

__all__ = [
    "c_identifier",
    "check_driver_name",
    "check_fully_qualified_name",
    "check_label_key",
    "check_label_value",
    "check_pool_name",
    "check_qualified_name",
    "check_short_name",
    "check_subdomain",
    "check_uid",
    "dns_label",
    "dns_subdomain",
    "dns_subdomain_caseless",
    "expected",
    "expected_as",
    "is_extended_resource_name",
    "label_key",
    "label_value",
    "of_part",
]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
# For RE2 and upstream's texts; Python matches the same names without nested repetition.
_LABEL_RE = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN_RE = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_KEY_RE = pattern(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_IDENTIFIER_RE = pattern(_IDENTIFIER)

_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_MAX_DOMAIN = 63
_MAX_IDENTIFIER = 32
_MAX_POOL = 253


# Upstream: RegexError (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: RegexError (k8s.io/apimachinery/pkg/api/validate/content/errors.go)
def expected(rule: str, pattern: str, *examples: str, more: str = "") -> Format:
    """A format with upstream's examples and pattern; `more` goes after them."""
    shown = " or ".join(f"'{example}', " for example in examples)
    return Format(rule, f" (e.g. {shown}regex used for validation is '{pattern}'){more}")


@functools.cache
def _texts() -> Mapping[str, Sequence[str]]:
    """Of each format what upstream says of it, and its examples."""
    texts: Mapping[str, Sequence[str]] = json.loads(text_beside(__file__, "formats.json"))
    return texts


def expected_as(format_: str, pattern: str) -> Format:
    """A format in the words of `formats.json`."""
    rule, *examples = _texts()[format_]
    return expected(rule, pattern, *examples)


# Upstream: prefixEach (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: prefixEach (k8s.io/apimachinery/pkg/api/validate/content/kube.go)
def of_part(part: str, message: Message) -> Message:
    """What is wrong with a part of a text; `part` names it."""
    return message.of(part) if isinstance(message, Format) else f"{part}{message}"


# Upstream: MaxLenError (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: MaxLenError (k8s.io/apimachinery/pkg/api/validate/content/errors.go)
def _too_long(text: str, limit: int, unit: str) -> list[Message]:
    size = len(text.encode(errors="surrogatepass"))
    return [f"must be no more than {limit} {unit}"] if size > limit else []


@functools.lru_cache(4096)
def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


# Upstream: IsDNS1123Label (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: IsDNS1123Label (k8s.io/apimachinery/pkg/api/validate/content/dns.go)
def dns_label(text: str, unit: str = "characters") -> list[Message]:
    """What is wrong with `text` as an RFC 1123 label of at most 63 bytes."""
    messages = _too_long(text, 63, unit)
    if not _matches(_LABEL_RE, text):
        if _matches(_SUBDOMAIN_RE, text):
            messages.append("must not contain dots")
        else:
            messages.append(expected_as("label", _LABEL))
    return messages


# Upstream: IsDNS1123Subdomain (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: IsDNS1123Subdomain, isDNS1123Subdomain (k8s.io/apimachinery/pkg/api/validate/content/dns.go)
def dns_subdomain(text: str, unit: str = "characters") -> list[Message]:
    """What is wrong with `text` as an RFC 1123 subdomain of at most 253 bytes."""
    messages = _too_long(text, 253, unit)
    if not _matches(_SUBDOMAIN_RE, text):
        messages.append(expected_as("subdomain", _SUBDOMAIN))
    return messages


# Upstream: IsDNS1123SubdomainCaseless (k8s.io/apimachinery/pkg/api/validate/content/dns.go)
def dns_subdomain_caseless(text: str) -> list[Message]:
    """As `dns_subdomain`, upper case allowed (declarative rules)."""
    messages = _too_long(text, 253, "bytes")
    # RE2's case folding of [a-z] also takes U+017F and U+212A.
    lowered = text.replace("ſ", "s").replace("K", "k").lower()
    if not (len(lowered) == len(text) and _matches(_SUBDOMAIN_RE, lowered)):
        messages.append(expected_as("caseless subdomain", _SUBDOMAIN))
    return messages


# Upstream: IsQualifiedName (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: IsLabelKey (k8s.io/apimachinery/pkg/api/validate/content/kube.go)
def label_key(text: str, rules: Validation) -> list[Message]:
    """What is wrong with `text` as a label key: an optional DNS prefix, `/`, a name of 63 bytes."""
    parts = text.split("/")
    if len(parts) > 2:
        more = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        rule, *examples = _texts()["key"]
        return [expected(f"{rules.label_key_phrase} {rule}", _KEY, *examples, more=more)]
    messages: list[Message] = []
    if len(parts) == 2:
        if parts[0]:
            unit = rules.label_unit
            messages += [of_part("prefix part ", m) for m in dns_subdomain(parts[0], unit)]
        else:
            messages.append("prefix part must be non-empty")
    name = parts[-1]
    if not name:
        messages.append("name part must be non-empty")
    elif len(name.encode(errors="surrogatepass")) > 63:
        messages.append(f"name part must be no more than 63 {rules.label_unit}")
    if not _matches(_KEY_RE, name):
        messages.append(expected_as("key", _KEY).of("name part "))
    return messages


# Upstream: IsValidLabelValue (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: IsLabelValue (k8s.io/apimachinery/pkg/api/validate/content/kube.go)
def label_value(text: str, rules: Validation) -> list[Message]:
    """What is wrong with `text` as a label value: empty or a name of 63 bytes."""
    messages = _too_long(text, 63, rules.label_unit)
    if text and not _matches(_KEY_RE, text):
        pattern = f"({_KEY})?"
        messages.append(expected_as("value", pattern))
    return messages


# Upstream: IsCIdentifier (k8s.io/apimachinery/pkg/util/validation/validation.go)
# Upstream: IsCIdentifier (k8s.io/apimachinery/pkg/api/validate/content/identifier.go)
def c_identifier(text: str) -> list[Message]:
    """What is wrong with `text` as a C identifier."""
    if _matches(_IDENTIFIER_RE, text):
        return []
    return [expected_as("identifier", _IDENTIFIER)]


def is_extended_resource_name(name: str, rules: Validation) -> bool:
    """Whether pods may ask for `name` as an extended resource."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return not label_key(f"requests.{name}", rules)


def _all_invalid(
    path: Path, reason: str, value: str, messages: Iterable[Message], origin: str = ""
) -> list[FieldError]:
    return [invalid(path, reason, value, message).with_origin(origin) for message in messages]


def check_short_name(name: str, path: Path, reason: str = "invalid-dns-label") -> list[FieldError]:
    """A DNS label; empty is invalid, not "required"."""
    return _all_invalid(path, reason, name, dns_label(name), "format=k8s-short-name")


def check_subdomain(name: str, path: Path, reason: str = "invalid-subdomain") -> list[FieldError]:
    """A DNS subdomain."""
    return _all_invalid(path, reason, name, dns_subdomain(name), "format=k8s-long-name")


# Upstream: ValidateLabelName (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
def check_label_key(
    name: str, path: Path, rules: Validation, reason: str = "invalid-label-key"
) -> list[FieldError]:
    """A label key; empty is invalid."""
    return _all_invalid(path, reason, name, label_key(name, rules), "format=k8s-label-key")


# Upstream: validateLabelValue (pkg/apis/resource/validation/validation.go)
def check_label_value(value: str, path: Path, rules: Validation) -> list[FieldError]:
    """A label value."""
    return _all_invalid(path, "invalid-label-value", value, label_value(value, rules))


# Upstream: ValidateCSIDriverName (pkg/apis/core/validation/validation.go)
def check_driver_name(
    name: str, path: Path, rules: Validation, *, covered: bool = False
) -> list[FieldError]:
    """A driver name: as CSI drivers are named, at most 63 bytes, upper case tolerated.

    `covered` marks the errors that declarative rules report as well.
    """
    errors = []
    if not name:
        error = required(path, "driver-required")
        errors.append(error.as_covered() if covered else error)
        if rules.driver_required_only:
            return errors
    if len(name.encode(errors="surrogatepass")) > _MAX_DOMAIN:
        error = too_long(path, "driver-too-long", _MAX_DOMAIN)
        errors.append(error.as_covered("maxLength") if covered else error)
    wrong = _all_invalid(path, "invalid-driver-name", name, dns_subdomain(name.lower()))
    if covered:
        wrong = [error.as_covered("format=k8s-long-name-caseless") for error in wrong]
    return errors + wrong


# Upstream: validatePoolName (pkg/apis/resource/validation/validation.go)
def check_pool_name(name: str, path: Path) -> list[FieldError]:
    """A pool name: DNS subdomains separated by slashes, at most 253 bytes."""
    if not name:
        return [required(path, "pool-name-required")]
    errors = []
    if len(name.encode(errors="surrogatepass")) > _MAX_POOL:
        errors.append(too_long(path, "pool-name-too-long", _MAX_POOL))
    for part in name.split("/"):
        errors += _all_invalid(path, "invalid-pool-name", part, dns_subdomain(part))
    return [error.with_origin("format=k8s-resource-pool-name") for error in errors]


# Upstream: validateUID (pkg/apis/resource/validation/validation.go)
def check_uid(uid: str, path: Path) -> list[FieldError]:
    """A UUID in its normal form."""
    if _UUID.fullmatch(uid):
        return []
    detail = _uuid_error(uid)
    if detail is None:
        detail = (
            "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with"
            " lowercase hexadecimal characters"
        )
    else:
        detail = f"error validating uid: {detail}"
    return [invalid(path, "invalid-share-id", uid, detail).with_origin("format=k8s-uuid")]


def _uuid_error(uid: str) -> str | None:
    """What google/uuid objects to, if anything (github.com/google/uuid v1.6.0 Validate)."""
    text, length = uid, len(uid.encode(errors="surrogatepass"))
    if length == 36 + 9:
        if text[:9].lower() != "urn:uuid:":
            return f'invalid urn prefix: "{text[:9]}"'
        text = text[9:]
    elif length == 36 + 2:
        if text[0] != "{" or text[-1] != "}":
            return "invalid bracketed UUID format"
        text = text[1:-1]
    elif length == 32:
        return None if re.fullmatch("[0-9A-Fa-f]{32}", text) else "invalid UUID format"
    elif length != 36:
        return f"invalid UUID length: {length}"
    hexadecimal = "[0-9A-Fa-f]"
    pattern = rf"{hexadecimal}{{8}}(-{hexadecimal}{{4}}){{3}}-{hexadecimal}{{12}}"
    return None if re.fullmatch(pattern, text) else "invalid UUID format"


# Upstream: validateQualifiedName (pkg/apis/resource/validation/validation.go)
def check_qualified_name(name: str, path: Path, rules: Validation) -> list[FieldError]:
    """An attribute or capacity name: `ID` or `domain/ID`; more slashes are let through, as upstream
    does up to 1.37."""
    if not name and rules.qualified_name_required:
        return [required(path, "qualified-name-required", "name required")]
    parts = name.split("/")
    if len(parts) > 2:
        return []
    errors: list[FieldError] = []
    if len(parts) == 2:
        if parts[0]:
            errors += [
                FieldError(
                    e.path, "invalid-attribute-domain", e.type, e.detail, e.value, data=e.data
                )
                for e in check_driver_name(parts[0], path, rules)
            ]
        else:
            errors.append(_empty_part(path, "domain", rules))
    if not parts[-1] and len(parts) == 2:
        errors.append(_empty_part(path, "name", rules))
    else:
        errors += _check_identifier(parts[-1], path)
    return errors


def _empty_part(path: Path, part: str, rules: Validation) -> FieldError:
    reason, detail = "qualified-name-part-empty", f"the {part} must not be empty"
    if rules.qualified_name_required:
        return required(path, reason, detail)
    return invalid(path, reason, "", detail)


# Upstream: validateCIdentifier (pkg/apis/resource/validation/validation.go)
def _check_identifier(text: str, path: Path) -> list[FieldError]:
    errors = []
    if len(text.encode(errors="surrogatepass")) > _MAX_IDENTIFIER:
        errors.append(too_long(path, "attribute-name-too-long", _MAX_IDENTIFIER))
    return errors + _all_invalid(path, "invalid-attribute-name", text, c_identifier(text))


# Upstream: validateFullyQualifiedName (pkg/apis/resource/validation/validation.go)
def check_fully_qualified_name(name: str, path: Path, rules: Validation) -> list[FieldError]:
    """An attribute name that must have a domain."""
    errors = check_qualified_name(name, path, rules)
    if "/" not in name and (name or not rules.qualified_name_required):
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        if rules.qualified_name_required:
            detail = "must include a domain"
        errors.append(invalid(path, "attribute-without-domain", name, detail))
    return [error.with_origin("format=k8s-resource-fully-qualified-name") for error in errors]
