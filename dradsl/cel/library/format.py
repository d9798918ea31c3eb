"""Named formats: `format.dns1123Label().validate(s)` (apiserver `pkg/cel/library/format.go`)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/format.go)

from __future__ import annotations

import re

from dradsl.cel.library.optionals import some
from dradsl.cel.library.url import request_uri_error
from dradsl.cel.runtime.operations import no_overload
from dradsl.cel.runtime.values import NONE, Value
from dradsl.records import dataclass
from dradsl.values import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS", "NamedFormat"]


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format by name; `regex_size` is what its check costs."""

    name: str
    problems: Callable[[str], list[str]]
    regex_size: int
    type_name = "kubernetes.NamedFormat"
    go_type = "cel.Format"

    def equals(self, other: Value) -> bool:
        """CEL's `==`."""
        if type(other) is not NamedFormat:
            raise no_overload()
        return self.name == other.name


_DNS1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"


def _dns1035_label(text: str) -> list[str]:
    problems = []
    if len(text.encode("utf-8", "surrogatepass")) > 63:
        problems.append("must be no more than 63 characters")
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
        masked = len(text) > 1 and text.endswith("-")
        return check(text[:-2] + "a" if masked else text)

    return problems


_UUID = r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"


def _uuid(text: str) -> list[str]:
    return (
        []
        if re.fullmatch(_UUID, text, re.IGNORECASE | re.ASCII)
        else ["does not match the UUID format"]
    )


_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"


def _byte(text: str) -> list[str]:
    return [] if re.fullmatch(_BASE64, text) else ["invalid base64"]


def _date(text: str) -> list[str]:
    import datetime as dt

    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        try:
            dt.date.fromisoformat(text)
        except ValueError:
            return ["invalid date"]
        return []
    return ["invalid date"]


_TIME = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})"


def _datetime(text: str) -> list[str]:
    date, *rest = text.lower().split("t")
    time = re.fullmatch(_TIME, rest[0]) if rest and not _date(date) else None
    if time is None or time[1] > "23" or time[2] > "59" or time[3] > "59":
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
