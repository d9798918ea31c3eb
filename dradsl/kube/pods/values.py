"""What the API server's validation rejects in a decoded Pod or workload: constraints of single fields, from the table
`constraints.json`, by the Go type of the struct; relations of fields and of structs are in `relations`.

Sources: kubernetes pkg/apis/core/validation, pkg/apis/apps/validation and pkg/apis/batch/validation (validation.go) at
1.34.10 to 1.37.2. The table is `FIELD: CONSTRAINTS` for each type: `required` (`=`: with a text), a name's format, a
range `1..65535`, a list `in:A|B`. Without `set` an empty string or 0 is a field that is not set, also below a pointer with `empty`.
"""

from __future__ import annotations

import functools
import json

from dradsl.kube.errors import (
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from dradsl.kube.pods.types import fields_of, types
from dradsl.kube.validation.formats import (
    dns_label,
    dns_subdomain,
    expected,
    label_key,
    label_value,
)
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.kube.errors import FieldError, Format, Path
    from dradsl.releases.server import Validation

__all__ = ["Findings", "constraint_errors", "messages_of"]

_NON_NEGATIVE = "must be greater than or equal to 0"
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_LARGEST_MODE = 0o777
_PORT_NAME = pattern(r"[-a-z0-9]+")
_LETTER = pattern(r"[a-z]")
_CONFIG_KEY = "[-._a-zA-Z0-9]+"
_CONFIG_KEY_RE = pattern(_CONFIG_KEY)
_CONFIG_KEY_TEXT = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
_LONGEST_PORT_NAME = 15
_LONGEST_KEY = 253
_HEAVIEST = 100
# Fields whose content is judged elsewhere, or not at all: docs/lint.md lists these.
_CLOSED = frozenset(
    {"metadata", "status", "resourceClaims", "ephemeralContainers", "resources", "scheduling"}
)


class Findings:
    """The errors of one object, in the order of the walk."""

    __slots__ = ("errors", "release", "rules")

    def __init__(self, rules: Validation, release: str) -> None:
        self.rules = rules
        self.release = release
        self.errors: list[FieldError] = []

    def required(self, path: Path, detail: str = "") -> None:
        """A value is missing."""
        self.errors.append(required(path, "pod-value-required", detail))

    def invalid(
        self,
        path: Path,
        value: object,
        detail: str | Format,
        reason: str = "invalid-pod-value",
    ) -> None:
        """A value breaks a rule."""
        self.errors.append(invalid(path, reason, value, detail))

    def forbidden(self, path: Path, detail: str) -> None:
        """A field must not be set here."""
        self.errors.append(forbidden(path, "forbidden-pod-value", detail))

    def duplicate(self, path: Path, value: object) -> None:
        """An item stands there a second time."""
        self.errors.append(duplicate(path, "duplicate-pod-value", value))

    def not_found(self, path: Path, value: object) -> None:
        """A name points nowhere."""
        self.errors.append(not_found(path, "unknown-in-pod", value))

    def one_of(self, path: Path, value: object, known: Iterable[str]) -> None:
        """A value is none of `known`."""
        if value not in (known := tuple(known)):
            self.errors.append(not_supported(path, "unsupported-pod-value", value, known))

    def named(self, path: Path, value: object, format_: str) -> None:
        """A text has not the format."""
        for message in messages_of(format_, value, self.rules):
            self.invalid(path, value, message)

    def labels(self, path: Path, labels: Mapping[str, str] | None) -> None:
        """The keys and values of a map of labels."""
        for key in sorted(labels or {}):
            self.named(path, key, "labelname")
            for message in label_value((labels or {})[key] or "", self.rules):
                self.invalid(path, (labels or {})[key] or "", message)


def messages_of(format_: str, value: Any, rules: Validation) -> Sequence[str | Format]:
    """What is wrong with a value, by the name of a constraint."""
    if format_ in (">=0", ">0"):
        least = int(format_ == ">0")
        return [("must be greater than zero" if least else _NON_NEGATIVE)] if value < least else []
    if ".." in format_:
        low, _, high = format_.partition("..")
        fits = int(low) <= value <= int(high)
        return [] if fits else [f"must be between {low} and {high}, inclusive"]
    messages: Sequence[str | Format] = _FORMATS[format_](value, rules)
    return messages


def _port_name(text: str, _: Validation) -> list[str | Format]:
    wrong = {
        "must be no more than 15 characters": len(text.encode()) > _LONGEST_PORT_NAME,
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)": not (
            _PORT_NAME.fullmatch(text)
        ),
        "must contain at least one letter (a-z)": not _LETTER.search(text),
        "must not contain consecutive hyphens": "--" in text,
        "must not begin or end with a hyphen": text.startswith("-") or text.endswith("-"),
    }
    return [message for message, is_so in wrong.items() if is_so]


def _env_name(text: str, _: Validation) -> list[str | Format]:
    if all(" " <= letter <= "~" and letter != "=" for letter in text):
        return []
    return [
        "a valid environment variable name must consist only of printable ASCII characters other"
        " than '='"
    ]


def _config_key(text: str, _: Validation) -> list[str | Format]:
    found: list[str | Format] = []
    if len(text.encode()) > _LONGEST_KEY:
        found.append(f"must be no more than {_LONGEST_KEY} characters")
    if not _CONFIG_KEY_RE.fullmatch(text):
        found.append(expected(_CONFIG_KEY_TEXT, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if text in (".", ".."):
        found.append(f"must not be '{text}'")
    elif text.startswith(".."):
        found.append("must not start with '..'")
    return found


def _steps(text: str, _: Validation) -> list[str | Format]:
    return ["must not contain '..'"] if ".." in text.split("/") else []


def _relative(text: str, rules: Validation) -> list[str | Format]:
    absolute: list[str | Format] = ["must be a relative path"] if text.startswith("/") else []
    return absolute + _steps(text, rules)


def _reserved(text: str, rules: Validation) -> list[str | Format]:
    found = _relative(text, rules)
    if text.startswith("..") and not text.startswith("../"):
        found.append("must not start with '..'")
    return found


_FORMATS: Mapping[str, Any] = {
    "label": lambda text, _: dns_label(text),
    "subdomain": lambda text, _: dns_subdomain(text),
    "labelname": label_key,
    "portname": _port_name,
    "envname": _env_name,
    "configkey": _config_key,
    "steps": _steps,
    "relative": _relative,
    "reserved": _reserved,
    "absolute": lambda text, _: [] if text.startswith("/") else ["must be an absolute path"],
    "mode": lambda mode, _: [] if 0 <= mode <= _LARGEST_MODE else [_MODE],
    "weight": lambda weight, _: [] if 0 < weight <= _HEAVIEST else ["must be in the range 1-100"],
}


@functools.cache
def _constraints() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The table: of each type the constraints of its fields."""
    from pathlib import Path as File

    table = json.loads(File(__file__).with_name("constraints.json").read_text("ascii"))
    return {
        type_: {name: _split(row) for name, row in fields.items()}
        for type_, fields in table.items()
    }


def _split(row: str) -> tuple[str, ...]:
    return tuple(row.split())


def constraint_errors(value: Any, type_: str, path: Path, found: Findings) -> None:
    """What is wrong with the single fields of a struct and of all structs below it."""
    for name, constraints in _constraints().get(type_, {}).items():
        _check_field(value.get(name), type_, (*path, name), constraints, found)
    for name, field in fields_of(type_).items():
        inner = value.get(name)
        if inner is not None and name not in _CLOSED and field.exists_in(found.release):
            _check_below(inner, field.type, (*path, name), found)


def _check_below(value: Any, type_: str, path: Path, found: Findings) -> None:
    if type_.startswith("[]"):
        for index, each in enumerate(value):
            _check_below({} if each is None else each, type_[2:].lstrip("*"), (*path, index), found)
    elif isinstance(value, dict) and isinstance(types().get(type_), dict):
        constraint_errors(value, type_, path, found)


def _check_field(
    value: Any, type_: str, path: Path, constraints: Sequence[str], found: Findings
) -> None:
    pointer = types()[type_][path[-1]].startswith("*")
    if value is None and not pointer and "set" in constraints:
        value = ""
    for constraint in constraints:
        if constraint.startswith("required"):
            if value in (None, "", 0, [], {}) and not (value == {} and pointer):
                found.required(path, constraint.partition("=")[2].replace("_", " "))
                if "set" not in constraints:
                    return
        elif constraint == "labels":
            found.labels(path, value)
        elif value is None or (
            not value and "set" not in constraints and (not pointer or "empty" in constraints)
        ):
            continue
        elif constraint.startswith("in:"):
            found.one_of(path, value, constraint[3:].split("|"))
        elif constraint not in ("set", "empty"):
            several = value if isinstance(value, list) else None
            for index, each in enumerate([value] if several is None else several):
                place = path if several is None else (*path, index)
                found.named(place, 0 if each is None else each, constraint)
