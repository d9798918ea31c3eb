"""Named formats: `format.dns1123Label().validate(s)` (apiserver `pkg/cel/library/format.go`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.cel.library.optionals import some
from dradsl.cel.library.url import request_uri_error
from dradsl.cel.runtime import no_overload
from dradsl.cel.values import NONE, Value
from dradsl.values import names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["DECLARATIONS", "FUNCTIONS", "NamedFormat"]

DECLARATIONS = """
format.byte                    format.byte                    () -> kubernetes.NamedFormat
format.date                    format.date                    () -> kubernetes.NamedFormat
format.datetime                format.datetime                () -> kubernetes.NamedFormat
format.dns1035Label            format.dns1035Label            () -> kubernetes.NamedFormat
format.dns1035LabelPrefix      format.dns1035LabelPrefix      () -> kubernetes.NamedFormat
format.dns1123Label            format.dns1123Label            () -> kubernetes.NamedFormat
format.dns1123LabelPrefix      format.dns1123LabelPrefix      () -> kubernetes.NamedFormat
format.dns1123Subdomain        format.dns1123Subdomain        () -> kubernetes.NamedFormat
format.dns1123SubdomainPrefix  format.dns1123SubdomainPrefix  () -> kubernetes.NamedFormat
format.labelValue              format.labelValue              () -> kubernetes.NamedFormat
format.named                   format-named                   (string) -> optional_type(kubernetes.NamedFormat)
format.qualifiedName           format.qualifiedName           () -> kubernetes.NamedFormat
format.uri                     format.uri                     () -> kubernetes.NamedFormat
format.uuid                    format.uuid                    () -> kubernetes.NamedFormat
validate                       format-validate                kubernetes.NamedFormat.(string) -> optional_type(list(string))
"""


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format by name; `regex_size` is what its check costs."""

    name: str
    problems: Callable[[str], list[str]]
    regex_size: int
    type_name = "kubernetes.NamedFormat"
    go_type = "cel.Format"

    def equals(self, other: Value) -> bool:
        if type(other) is not NamedFormat:
            raise no_overload()
        return self.name == other.name


_DNS1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"


def _dns1035_label(text: str) -> list[str]:
    problems = []
    if len(text.encode("utf-8", "surrogatepass")) > 63:
        problems.append(names.too_long(63))
    if not re.fullmatch(_DNS1035, text):
        problems.append(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
            "with an alphabetic character, and end with an alphanumeric character (e.g. "
            "'my-name',  or 'abc-123', regex used for validation is "
            "'[a-z]([-a-z0-9]*[a-z0-9])?')"
        )
    return problems


def _prefix(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """The check of a name that something will be appended to: a hyphen may end it."""

    def problems(text: str) -> list[str]:
        return check(text[:-1] + "a" if text.endswith("-") else text)

    return problems


_UUID = r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"


def _uuid(text: str) -> list[str]:
    return (
        []
        if re.fullmatch(_UUID, text, re.IGNORECASE | re.ASCII)
        else ["does not match the UUID format"]
    )


def _byte(text: str) -> list[str]:
    import base64
    import binascii

    try:
        base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return ["invalid base64"]
    return []


def _date(text: str) -> list[str]:
    import datetime as dt

    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        try:
            dt.date.fromisoformat(text)
        except ValueError:
            return ["invalid date"]
        return []
    return ["invalid date"]


_DATETIME = (
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?([Zz]|[+-]\d{2}(?::?\d{2})?)?"
)


def _datetime(text: str) -> list[str]:
    found = re.fullmatch(_DATETIME, text, re.ASCII)
    if found is None or _date(found[1]):
        return ["invalid datetime"]
    if int(found[2]) > 23 or int(found[3]) > 59 or int(found[4]) > 59:
        return ["invalid datetime"]
    return []


def _uri(text: str) -> list[str]:
    problem = request_uri_error(text)
    return [problem] if problem else []


def _label(text: str) -> list[str]:
    return names.dns1123_label(text)


def _subdomain(text: str) -> list[str]:
    return names.dns1123_subdomain(text)


_FORMATS: Mapping[str, NamedFormat] = {
    "dns1123Label": NamedFormat("DNS1123Label", _label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", _subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", _dns1035_label, 30),
    "qualifiedName": NamedFormat("QualifiedName", names.label_key, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", _prefix(_label), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", _prefix(_subdomain), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", _prefix(_dns1035_label), 30),
    "labelValue": NamedFormat("LabelValue", names.label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    "uuid": NamedFormat("uuid", _uuid, 70),
    "byte": NamedFormat("byte", _byte, 84),
    "date": NamedFormat("date", _date, 71),
    "datetime": NamedFormat("datetime", _datetime, 71),
}


def _validate(named: NamedFormat, text: str) -> Value:
    problems = named.problems(text)
    return some(problems) if problems else NONE


def _constant(value: NamedFormat) -> Callable[[], Value]:
    return lambda: value


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    **{f"format.{name}": _constant(value) for name, value in _FORMATS.items()},
    "format-named": lambda name: some(_FORMATS[name]) if name in _FORMATS else NONE,
    "format-validate": _validate,
}
