"""What the API server finds wrong with an object: one error type and a closed list of constructors.

`type`, `path` and `detail` are upstream's (field.Error of apimachinery); `reason` is ours: a stable
id, finer than the type, that findings are keyed by (`tests/kube/reasons.py` lists all).
"""

from __future__ import annotations

import json

from dradsl.records import Record, dataclass, field as record_field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Self, TypeAlias

    from dradsl.cel.checker.environment import Environment
    from dradsl.cel.checker.errors import Issue

    Data: TypeAlias = "ExpressionFault | WrongType | UnknownField | UnservedKind | LimitExceeded | Supported | Format"

# What a value is to be, for someone who writes YAML.
Wanted: TypeAlias = "Literal['text', 'boolean', 'integer', 'list', 'mapping']"

Path = tuple[str | int, ...]

REQUIRED = "FieldValueRequired"
INVALID = "FieldValueInvalid"
NOT_SUPPORTED = "FieldValueNotSupported"
DUPLICATE = "FieldValueDuplicate"
TOO_MANY = "FieldValueTooMany"
TOO_LONG = "FieldValueTooLong"
FORBIDDEN = "FieldValueForbidden"
NOT_FOUND = "FieldValueNotFound"
INTERNAL = "InternalError"
# Not field errors upstream: the request body could not be read (strictly).
DECODING = "DecodingError"
STRICT_DECODING = "StrictDecodingError"

_WORDS = {
    REQUIRED: "Required value",
    INVALID: "Invalid value",
    NOT_SUPPORTED: "Unsupported value",
    DUPLICATE: "Duplicate value",
    TOO_MANY: "Too many",
    TOO_LONG: "Too long",
    FORBIDDEN: "Forbidden",
    NOT_FOUND: "Not found",
    INTERNAL: "Internal error",
}
_WITHOUT_VALUE = frozenset({REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL})


class MapKey(str):
    """A path element that is a key of a map: upstream prints it in brackets.

    `shown` is the text that upstream prints (very long keys are shortened in the middle).
    """

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, key: str, limit: int = -1) -> Self:
        """The element for `key`; beyond `limit` bytes (at least 16; negative: none) shown shortened."""
        self = super().__new__(cls, key)
        self.shown = _shorten(key, max(limit, 16)) if limit >= 0 else key
        return self


def _shorten(key: str, limit: int) -> str:
    data = key.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return key
    remaining = limit - len("...")
    head, tail = data[: (remaining + 1) // 2], data[len(data) - remaining // 2 :]
    return (head + b"..." + tail).decode(errors="replace")


ExpressionKind: TypeAlias = "Literal['new', 'stored', 'derived']"
"""A selector as written, one that was accepted before, or the expression of a derived attribute."""


class ExpressionFault(Record):
    """What the CEL compiler says of an expression that it does not take.

    `issues` are in the order of their position, at least one; `environment` is what they were
    found in.
    """

    kind: ExpressionKind
    issues: tuple[Issue, ...]
    environment: Environment

    @property
    def text_range(self) -> tuple[int, int]:
        """The code points in the expression that the first issue is about: a map that lacks its key, not what is done to it."""
        from dradsl.cel.checker.advice import map_without_key

        return map_without_key(self.issues[0]) or (self.issues[0].start, self.issues[0].end)

    def advice(self) -> tuple[str | None, ...]:
        """For each issue what to do about it, in plain words; None where its message says all."""
        from dradsl.cel.checker.advice import advise

        return tuple(advise(issue, self.environment) or None for issue in self.issues)

    def is_foreign(self) -> bool:
        """Whether a method is one of another language, whatever newer releases have of its name."""
        from dradsl.cel.checker.advice import otherwise

        return any(issue.name in otherwise() for issue in self.issues)

    def plain(self) -> str | None:
        """What the first issue says, in plain words, where upstream's take a compiler to read."""
        from dradsl.cel.checker.advice import in_plain_words

        return in_plain_words(self.issues[0])


class WrongType(Record):
    """A value of another type than the field's.

    `go` is that type, `found` what the value is and `target` the field, in the words of Go's decoder.
    """

    wanted: Wanted
    go: str
    found: str
    target: str

    @property
    def detail(self) -> str:
        """What upstream says."""
        return f"json: cannot unmarshal {self.found} into {self.target} of type {self.go}"


class UnknownField(Record):
    """A field that the type does not have; other releases do, `since` or `until` some release. `known` are those that it has."""

    path: Path
    since: str | None = None
    until: str | None = None
    known: tuple[str, ...] = ()

    @property
    def detail(self) -> str:
        """What upstream says."""
        from dradsl.values.gotext import quote

        steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path]
        return f"unknown field {quote(''.join(steps).removeprefix('.'))}"


class UnservedKind(Record):
    """A kind that this release does not serve in the version of the object.

    `releases` are the releases that serve it there, such as ("1.36",); empty if none that is known does.
    """

    detail: str
    """What upstream says."""
    releases: tuple[str, ...]


class LimitExceeded(Record):
    """More than there may be."""

    most: int
    unit: Literal["items", "bytes", "characters"]

    @property
    def detail(self) -> str:
        """What upstream says."""
        if self.unit != "items":
            return f"may not be more than {self.most} {self.unit}"
        return f"must have at most {self.most} {'item' if self.most == 1 else 'items'}"


class Supported(Record):
    """None of the values that the field takes; in the order in which upstream names them."""

    values: tuple[str, ...]

    @property
    def detail(self) -> str:
        """What upstream says."""
        names = ", ".join(json.dumps(name, ensure_ascii=False) for name in self.values)
        return f"supported values: {names}"


@dataclass(frozen=True, slots=True)
class Format:
    """The format that a text does not have.

    `rule` says in upstream's words what is expected, `lead` of which part of the text. `hint` is what upstream adds: examples, and the pattern.
    """

    rule: str
    hint: str
    lead: str = ""

    @property
    def detail(self) -> str:
        """What upstream says."""
        return f"{self.lead}{self.rule}{self.hint}"

    @property
    def expected(self) -> str:
        """The same without examples and pattern."""
        return f"{self.lead}{self.rule}"

    def of(self, part: str) -> Format:
        """The same format, of a part of the text."""
        return replace(self, lead=f"{part}{self.lead}")


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error: where (`path`), what kind (`reason`, upstream's `type`), upstream's words (`detail`).

    `data` are the facts that `detail` was written from, where it is more than a fixed text: what an
    error means is read from `reason` and `data`, never from `detail`. `declarative` says
    that the error comes from the declarative rules of 1.37. `origin` and `covered` serve upstream's
    matching of hand-written with declarative errors; `suggestion` is a better spelling or value,
    where one is at hand.
    """

    path: Path
    reason: str
    type: str
    detail: str
    value: object = None
    declarative: bool = False
    origin: str = ""
    covered: bool = False
    suggestion: str | None = None
    data: Data | None = record_field(default=None, compare=False, repr=False)

    @property
    def fault(self) -> ExpressionFault | None:
        """What the compiler has against an expression; None for errors of other kinds."""
        return self.data if isinstance(self.data, ExpressionFault) else None

    @property
    def field(self) -> str:
        """The path as upstream prints it."""
        return upstream_path(self.path)

    def as_covered(self, origin: str | None = None) -> FieldError:
        """The same error, marked as one that declarative rules of 1.37 report as well."""
        return replace(self, covered=True, origin=self.origin if origin is None else origin)

    def with_origin(self, origin: str) -> FieldError:
        """The same error with upstream's name of the rule behind it."""
        return replace(self, origin=origin)

    @property
    def message(self) -> str:
        """What the API server prints after the path."""
        if self.type not in _WORDS:
            return self.detail  # the object was not read at all
        body = _WORDS[self.type]
        if self.type not in _WITHOUT_VALUE:
            body += f": {_go_value(self.value)}"
        return f"{body}: {self.detail}" if self.detail else body

    def __str__(self) -> str:
        """The line that the API server prints for the error."""
        return f"{self.field}: {self.message}" if self.type in _WORDS else self.detail


def _go_value(value: object) -> str:
    if isinstance(value, str):
        from dradsl.values.gotext import quote

        return quote(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    # encoding/json escapes what HTML would read.
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def upstream_path(path: Path) -> str:
    """`spec.devices[0].attributes[model].string`: field.Path.String of apimachinery."""
    parts: list[str] = []
    for element in path:
        if isinstance(element, int):
            parts.append(f"[{element}]")
        elif isinstance(element, MapKey):
            parts.append(f"[{element.shown}]")
        else:
            parts.append(f".{element}" if parts else element)
    return "".join(parts) or "<nil>"


def required(path: Path, reason: str, detail: str = "") -> FieldError:
    """A value is missing that must be there."""
    return FieldError(path, reason, REQUIRED, detail, "")


def invalid(path: Path, reason: str, value: object, detail: str | Format) -> FieldError:
    """A value that breaks a rule."""
    if isinstance(detail, Format):
        return FieldError(path, reason, INVALID, detail.detail, value, data=detail)
    return FieldError(path, reason, INVALID, detail, value)


def not_supported(path: Path, reason: str, value: object, supported: Iterable[str]) -> FieldError:
    """A value outside a closed list; `supported` in the order in which upstream names it."""
    data = Supported(tuple(supported))
    return FieldError(path, reason, NOT_SUPPORTED, data.detail, value, data=data)


def duplicate(path: Path, reason: str, value: object) -> FieldError:
    """An item of a list that is there a second time."""
    return FieldError(path, reason, DUPLICATE, "", value)


def too_many(path: Path, reason: str, count: int, limit: int) -> FieldError:
    """A list with more than `limit` items."""
    data = LimitExceeded(limit, "items")
    return FieldError(path, reason, TOO_MANY, data.detail, count, data=data)


def too_long(
    path: Path, reason: str, limit: int, unit: Literal["bytes", "characters"] = "bytes"
) -> FieldError:
    """A text of more than `limit` bytes (or characters); upstream leaves the value out."""
    data = LimitExceeded(limit, unit)
    return FieldError(path, reason, TOO_LONG, data.detail, "<value omitted>", data=data)


def forbidden(path: Path, reason: str, detail: str) -> FieldError:
    """A field that must not be set here."""
    return FieldError(path, reason, FORBIDDEN, detail, "")


def not_found(path: Path, reason: str, value: object, detail: str = "") -> FieldError:
    """A name that points nowhere."""
    return FieldError(path, reason, NOT_FOUND, detail, value)


def internal(path: Path, reason: str, detail: str) -> FieldError:
    """A failure inside the server."""
    return FieldError(path, reason, INTERNAL, detail, detail)


def wrong_type(path: Path, reason: str, value: object, data: WrongType) -> FieldError:
    """A value that Go's decoder cannot put into the field."""
    return FieldError(path, reason, DECODING, data.detail, value, data=data)


def unknown_field(reason: str, data: UnknownField, suggestion: str | None = None) -> FieldError:
    """A key that is no field of its type."""
    key = data.path[-1]
    return FieldError(
        data.path, reason, STRICT_DECODING, data.detail, key, suggestion=suggestion, data=data
    )
