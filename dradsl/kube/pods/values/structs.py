"""What the API server's validation rejects in the structs of a decoded Pod or workload, by the Go type of the struct:
constraints of single fields (`constraints.json`), relations of fields (`relations.json`, and functions where a row
does not say it).

Sources: kubernetes pkg/apis/core/validation, pkg/apis/apps/validation and pkg/apis/batch/validation (validation.go) at
1.34.10 to 1.37.2. The first table is `FIELD: CONSTRAINTS`: `required` (`=`: with a text), a format (here, or in
`formats.json`), a range `1..65535`, a list `in:A|B`. Without `set` an empty string or 0 is a field that is not set, also below a pointer with
`empty`. A row of the second is the error, the conditions and the text. Marks before constraints and places: `_MARKS`.
"""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict

from dradsl.data import text_beside
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
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.kube.errors import FieldError, Format, Path
    from dradsl.releases.server import Validation

    # What is wrong between the fields of a struct; the part of it that is judged further, if not all.
    Relation = Callable[[Any, Path, "Findings"], Any]
    # A field that must be written, what is reported, the conditions, the text.
    _Row = tuple[str | None, Sequence[str], Sequence[Sequence[str]], str]

__all__ = ["Findings", "struct_errors", "structs", "table"]

_NON_NEGATIVE = "must be greater than or equal to 0"
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_LARGEST_MODE = 0o777
_HEAVIEST = 100
# An error is at the struct, at the list that holds it, at a field beside the items of this.
_MARKS = frozenset(".<^")
# What says when a value counts as written.
_OF_VALUES = frozenset({"set", "empty"})
# Fields whose content is judged elsewhere, or not at all: docs/lint.md lists these.
_CLOSED = frozenset(
    {
        *("metadata", "status", "resourceClaims", "ephemeralContainers", "resources"),
        *("scheduling", "template", "jobTemplate"),
    }
)


class Findings:
    """The errors of one object, in the order of the walk, and what the walk must know.

    `relations` are those of structs by type, `kind` and `name` are the object's, `keys` are the labels of a Pod.
    `pod` and `job` are its specs of a pod and of a Job, `volumes` the valid ones of the pod by name.
    """

    def __init__(
        self, rules: Validation, release: str, relations: Mapping[str, Relation], obj: Any
    ) -> None:
        self.rules = rules
        self.release = release
        self.relations = relations
        self.kind = str(obj["kind"])
        metadata = obj.get("metadata") or {}
        self.name: str = metadata.get("name") or ""
        self.keys = frozenset(metadata.get("labels") or () if self.kind == "Pod" else ())
        self.pod: Mapping[str, Any] = {}
        self.job: Mapping[str, Any] = {}
        self.volumes: Mapping[str, Any] = {}
        self.errors: list[FieldError] = []

    def required(self, path: Path, detail: str = "") -> None:
        """A value is missing."""
        self.errors.append(required(path, "pod-value-required", detail))

    def invalid(
        self, path: Path, value: object, detail: str | Format, reason: str = "invalid-pod-value"
    ) -> None:
        """A value breaks a rule."""
        self.errors.append(invalid(path, reason, value, detail))

    def forbidden(self, path: Path, detail: str) -> None:
        """A field must not be set here."""
        self.errors.append(forbidden(path, "forbidden-pod-value", detail))

    def duplicate(self, path: Path, value: object) -> None:
        """An item is there a second time."""
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
        for message in _messages_of(format_, value, self.rules):
            self.invalid(path, value, message)

    def labels(self, path: Path, labels: Mapping[str, str] | None) -> None:
        """The keys and values of a map of labels."""
        for key in sorted(labels or {}):
            self.named(path, key, "labelname")
            for message in label_value((labels or {})[key] or "", self.rules):
                self.invalid(path, (labels or {})[key] or "", message)


@dataclass(frozen=True, slots=True)
class _Check:
    """The constraints of a field, each with the mark of where the error is, its word, and what this is about.

    `default` is what a field has that is not written; `always` says that there may be an error without a value, `counts`
    that an empty value is one, `is_set` that it is one for what requires it, too.
    """

    name: str
    constraints: Sequence[tuple[str, str, Any]]
    is_pointer: bool
    default: Any
    always: bool
    is_set: bool
    counts: bool


def _messages_of(format_: str, value: Any, rules: Validation) -> Sequence[str | Format]:
    """What is wrong with a value, by the name of a constraint."""
    if format_ in _FORMATS:
        messages: Sequence[str | Format] = _FORMATS[format_](value, rules)
        return messages
    if format_ in (">=0", ">0"):
        least = int(format_ == ">0")
        return [("must be greater than zero" if least else _NON_NEGATIVE)] if value < least else []
    if ".." in format_:
        low, _, high = format_.partition("..")
        fits = int(low) <= value <= int(high)
        return [] if fits else [f"must be between {low} and {high}, inclusive"]
    return [said for fits, said in _patterns(format_) if not fits.search(value)]


def _address(text: str, _: Validation) -> list[str | Format]:
    from ipaddress import ip_address

    try:
        ip_address(text.split("%")[0] + "%" * text.count("%"))
    except ValueError:
        # Zeros in front of numbers are legal there, if no gate forbids them.
        parts = [each.lstrip("0")[:4] or each[:1] for each in text.split(".")]
        if len(parts) != 4 or not all(each.isdecimal() and int(each) < 256 for each in parts):
            return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
    return []


_FORMATS: Mapping[str, Any] = {
    "address": _address,
    "labelvalue": label_value,
    "label": lambda text, _: dns_label(text),
    "subdomain": lambda text, _: dns_subdomain(text),
    "labelname": label_key,
    "mode": lambda mode, _: [] if 0 <= mode <= _LARGEST_MODE else [_MODE],
    "weight": lambda weight, _: [] if 0 < weight <= _HEAVIEST else ["must be in the range 1-100"],
}


@functools.cache
def _patterns(format_: str) -> Sequence[tuple[re.Pattern[str], str | Format]]:
    """The table: the patterns that a text of a format must fit, and what is said of one that does not."""
    return [
        (re.compile(text), expected(*said) if len(said) > 1 else said[0])
        for text, *said in table("formats")[format_]
    ]


@functools.cache
def _checks(type_: str) -> Sequence[_Check]:
    """The table: the constraints of the fields of a type."""
    found = []
    for name, row in table("constraints").get(type_, {}).items():
        marked = [_marked(each) for each in row.split()]
        words = {constraint for _, constraint in marked}
        constraints = [_constraint(*each) for each in marked if each[1] not in _OF_VALUES]
        is_ = fields_of(type_)[name].type
        is_ = types().get(is_, is_)
        is_pointer = types()[type_][name].startswith("*")
        default = (
            None if is_pointer or "set" not in words or "[" in is_ else "" if is_ == "string" else 0
        )
        always = default is not None or any(word.startswith("required") for word in words)
        is_set = "set" in words
        counts = is_set or (is_pointer and "empty" not in words)
        found.append(_Check(name, constraints, is_pointer, default, always, is_set, counts))
    return found


def _constraint(mark: str, text: str) -> tuple[str, str, Any]:
    """A constraint as its mark, word and what the word is about."""
    if text.startswith("required"):
        return mark, "required", text.partition("=")[2].replace("_", " ")
    if text.startswith("in:"):
        return mark, "in", text[3:].split("|")
    return mark, text if text == "labels" else "format", text


@functools.cache
def _relations(type_: str) -> Sequence[_Row]:
    """The table: the rows of a type, which apply if all their conditions hold."""
    found = []
    for head, *texts, text in table("relations").get(type_, ()):
        conditions = [tuple(each.split()) for each in texts]
        needed = (
            name
            for name, word, *known in conditions
            if name in fields_of(type_) and not _WORDS[word](None, *known or ("",))
        )
        found.append((next(needed, None), tuple(head.split()), conditions, text))
    return found


@functools.cache
def table(name: str) -> Mapping[str, Any]:
    """A table of this folder."""
    found: Mapping[str, Any] = json.loads(text_beside(__file__, f"{name}.json"))
    return found


def _marked(text: str) -> tuple[str, str]:
    return (text[0], text[1:]) if text[0] in _MARKS else ("", text)


def _place(path: Path, mark: str, name: str) -> Path:
    """Where upstream says that a field of the struct at `path` is."""
    above = path[:-1] if mark in ("<", "^") else path
    return above if mark in (".", "<") else (*above, *name.split("."))


def structs(holder: Any, name: str, path: Path) -> Sequence[tuple[Path, Any]]:
    """The structs of a list and their places."""
    items = holder.get(name)
    if not items:
        return ()
    return [((*path, name, i), {} if each is None else each) for i, each in enumerate(items)]


def struct_errors(value: Any, type_: str, path: Path, found: Findings) -> None:
    """What is wrong with a struct and all structs below it."""
    relations, checks, below = _rules_for(type_, found.release, tuple(value))
    for _, head, conditions, text in relations:
        if all(_holds(each, value, path, found) for each in conditions):
            _relate(head, value, path, text, found)
    relation = found.relations.get(type_)
    if relation is not None:
        judged = relation(value, path, found)
        if judged is not None:
            value = judged
            _, checks, below = _rules_for(type_, found.release, tuple(value))
    for check in checks:
        _check_field(check, value.get(check.name), path, found)
    for name, inner_type, is_list, always in below:
        inner = value.get(name)
        if is_list:
            for place, each in structs(value, name, path):
                struct_errors(each, inner_type, place, found)
        elif always or inner is not None:
            struct_errors(inner or {}, inner_type, (*path, name), found)


@functools.lru_cache(4096)
def _rules_for(
    type_: str, release: str, names: tuple[object, ...]
) -> tuple[Sequence[_Row], Sequence[_Check], Sequence[tuple[str, str, bool, bool]]]:
    """What a struct with these fields is judged by: relations of its fields, constraints of single ones, the structs
    below it. Most structs of a type have the same fields."""
    return (
        [each for each in _relations(type_) if each[0] is None or each[0] in names],
        [each for each in _checks(type_) if each.always or each.name in names],
        [each for each in _inner(type_, release) if each[3] or each[0] in names],
    )


@functools.cache
def _inner(type_: str, release: str) -> Sequence[tuple[str, str, bool, bool]]:
    """The fields of a struct that hold structs or lists of these, with the type, whether it is a list, and whether Go
    has the struct also if nothing is written."""
    found = []
    for name, field in fields_of(type_).items():
        item = field.type.removeprefix("[]").lstrip("*")
        is_struct = isinstance(types().get(item), dict)
        if is_struct and name not in _CLOSED and field.exists_in(release):
            always = types()[type_][name].startswith("v1.")
            found.append((name, item, item != field.type, always))
    return found


def _check_field(check: _Check, value: Any, path: Path, found: Findings) -> None:
    value = check.default if value is None else value
    for mark, word, about in check.constraints:
        if word == "required":
            if not value and not (value == {} and check.is_pointer):
                found.required(_place(path, mark, check.name), about)
                if not check.is_set:
                    return
        elif word == "labels":
            found.labels(_place(path, mark, check.name), value)
        elif value is None or not (value or check.counts):
            continue
        elif word == "in":
            if value not in about:
                found.one_of(_place(path, mark, check.name), value, about)
        else:
            several = value if isinstance(value, list) else None
            for index, each in enumerate([value] if several is None else several):
                for message in _messages_of(about, each, found.rules):
                    at = _place(path, mark, check.name)
                    found.invalid(at if several is None else (*at, index), each, message)


def _holds(condition: Sequence[str], value: Any, path: Path, found: Findings) -> bool:
    """Whether a condition of a row applies: `FIELD WORD` or `FIELD WORD VALUE|VALUE`."""
    name, word, *known = condition
    return _WORDS[word](_held(name, value, path, found), known[0] if known else "")


def _held(name: str, value: Any, path: Path, found: Findings) -> Any:
    """The value of a field of the struct, or of the pod or Job around it; `in` is the field with the struct."""
    if name in ("kind", "release"):
        return getattr(found, name)
    if name == "in":
        return next(step for step in reversed(path) if isinstance(step, str))
    of, _, field = name.rpartition(".")
    return {"": value, "pod": found.pod, "job": found.job}.get(of, {}).get(field)


def _text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


_WORDS: Mapping[str, Callable[[Any, str], bool]] = {
    "set": lambda held, _: held is not None,
    "unset": lambda held, _: held is None,
    "filled": lambda held, _: bool(held),
    "empty": lambda held, _: not held,
    "is": lambda held, known: _text(held) in known.split("|"),
    "not": lambda held, known: _text(held) not in known.split("|"),
    "many": lambda held, _: len(held or ()) != 1,
    "padded": lambda held, _: _text(held) != _text(held).strip(),
    "has": lambda held, known: known in _text(held),
}


def _relate(head: Sequence[str], value: Any, path: Path, text: str, found: Findings) -> None:
    """The error of a row: `VERB PLACE` or `VERB PLACE FIELD-WITH-THE-VALUE`."""
    verb, marked, *shown = head
    mark, name = _marked(marked)
    place, key = _place(path, mark, name), shown[0] if shown else name
    held: Any = _held(key, value, path, found) if key else "" if mark == "<" else value
    if verb == "unsupported":
        found.one_of(place, held, text.split("|"))
    elif verb == "invalid":
        found.invalid(place, held, text.format_map(defaultdict(str, value)))
    else:
        (found.required if verb == "required" else found.forbidden)(place, text)
