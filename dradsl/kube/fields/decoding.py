"""Strict decoding: plain data as the API server's JSON decoder reads it, for one API version.

What upstream would not accept comes out as problems (`FieldError` of type DECODING: the body cannot
be read at all; STRICT_DECODING: an unknown field, rejected by kubectl's default validation and
dropped otherwise; NO_MATCH: no such kind in the version). The decoded object has unknown fields
dropped, nulls gone as Go's zero values, and every value of the type that the table says, so that
later stages need no checks. Duplicate keys are the text layer's business.

Sources: sigs.k8s.io/json (case-sensitive, strict errors), apimachinery `resource.Quantity`,
`metav1.Time` and `runtime.RawExtension` UnmarshalJSON.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from dradsl.data import text_beside
from dradsl.kube.errors import (
    DECODING,
    STRICT_DECODING,
    FieldError,
    MapKey,
    Path,
    UnknownField,
    UnservedKind,
    WrongType,
    unknown_field,
    wrong_type,
)
from dradsl.kube.fields.table import (
    GROUP,
    KINDS,
    VERSIONS,
    ZEROS,
    Category,
    Field,
    FieldType,
    fields_of,
    known_somewhere,
)
from dradsl.records import dataclass, replace
from dradsl.releases import RELEASES, Release, Served
from dradsl.values.gotext import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.errors import Wanted

__all__ = [
    "MOST_STRICT",
    "NO_MATCH",
    "DecodedObject",
    "decode",
    "go_kind",
    "similar",
    "split_api_version",
    "well_formed",
]

NO_MATCH = "NoKindMatch"

_INT_RANGE = {Category.INT32: 2**31, Category.INT64: 2**63}
_SMALL = 2**31  # within the range of every whole number
_SIMPLE = {
    Category.STRING: str,
    Category.BOOL: bool,
    Category.INT32: int,
    Category.INT64: int,
}
_CORE_TYPES = frozenset({"NodeSelector", "NodeSelectorTerm", "NodeSelectorRequirement"})
_META_TYPES = frozenset({"ObjectMeta", "OwnerReference", "ManagedFieldsEntry", "Condition"})
# sigs.k8s.io/json stops counting there.
MOST_STRICT = 100
_GO_TYPES = {
    "UID": "types.UID",
    "Quantity": "resource.Quantity",
    "ConditionStatus": "v1.ConditionStatus",
    "ManagedFieldsOperationType": "v1.ManagedFieldsOperationType",
    "NodeSelectorOperator": "v1.NodeSelectorOperator",
    "ResourceName": "v1.ResourceName",
}
# Letters of which the beginning, or the end, of a name consists at least that was not written out.
_SHORTENED = 4
_LONG_END = 8
_NEAR = 0.75  # how much of two words is alike, for one to be meant by the other
_GO_NAMES = {bool: "bool", str: "string", dict: "object", list: "array"}


@dataclass(frozen=True, slots=True)
class DecodedObject:
    """An object as the server read it: `object` is None if nothing could be made of it."""

    version: str
    kind: str
    object: dict[str, object] | None
    problems: tuple[FieldError, ...]

    @property
    def readable(self) -> bool:
        """Whether the server would get as far as validation without strict decoding."""
        return self.object is not None and all(p.type == STRICT_DECODING for p in self.problems)


def split_api_version(api_version: object) -> tuple[str, str]:
    """Group and version of an `apiVersion` ("", "v1" for the core group; "", "" for no string)."""
    if not isinstance(api_version, str):
        return "", ""
    group, slash, version = api_version.rpartition("/")
    return (group, version) if slash else ("", api_version)


def decode(obj: object, release: Release) -> DecodedObject:
    """The object as `release` decodes it, with everything it objects to.

    `obj` is plain data of group resource.k8s.io; its own `apiVersion` and `kind` say what it is.
    """
    if not isinstance(obj, Mapping):
        problem = FieldError((), "not-an-object", DECODING, "the object is not a mapping", None)
        return DecodedObject("", "", None, (problem,))
    _, version = split_api_version(obj.get("apiVersion"))
    kind = obj.get("kind")
    mismatch = _no_match(obj.get("apiVersion"), kind, release)
    if mismatch is not None or not isinstance(kind, str):
        found = () if mismatch is None else (mismatch,)
        return DecodedObject(version, kind if isinstance(kind, str) else "", None, found)
    decoder = _Decoder(version, release.name)
    decoded = decoder.struct(obj, kind, ())
    return DecodedObject(version, kind, decoded, tuple(_as_reported(decoder.problems)))


def _as_reported(problems: list[FieldError]) -> Iterator[FieldError]:
    """The problems in the order in which upstream gets to them.

    What a type's own decoder rejects ends the reading and is what the server answers; a value of
    the wrong type is remembered, and so are unknown fields, up to a hundred.
    """
    at_once = ("invalid-quantity", "invalid-time")
    yield from (p for p in problems if p.reason in at_once)
    strict = 0
    for problem in problems:
        strict += problem.type == STRICT_DECODING
        if problem.reason not in at_once and (
            problem.type != STRICT_DECODING or strict <= MOST_STRICT
        ):
            yield problem


def _no_match(api_version: object, kind: object, release: Release) -> FieldError | None:
    """Why no decoder takes the object, if none does."""
    if not isinstance(api_version, str) or not api_version:
        return _unmatched("apiVersion", "missing-api-version", api_version, "apiVersion not set")
    if not isinstance(kind, str) or not kind:
        return _unmatched("kind", "missing-kind", kind, "Object 'Kind' is missing")
    text = f"no matches for kind {quote(kind)} in version {quote(api_version)}"
    _, version = split_api_version(api_version)
    # A kind that no version has is said first: with another version it would be as wrong.
    if kind not in KINDS:
        reason, instead = _other_kinds().get(kind) or ("unknown-kind", similar(kind, KINDS))
        return replace(_unmatched("kind", reason, kind, text), suggestion=instead)
    if api_version != f"{GROUP}/{version}" or version not in VERSIONS:
        error = _unmatched("apiVersion", "unknown-api-version", api_version, text)
        return replace(error, suggestion=f"{GROUP}/v1")
    if release.serves(version, kind) is Served.NO:
        error = _unmatched("apiVersion", "kind-not-served", api_version, text)
        served = [v for v in VERSIONS if release.serves(v, kind) is not Served.NO]
        releases = (r.name for r in RELEASES.values() if r.serves(version, kind) is not Served.NO)
        return replace(
            error,
            suggestion=f"{GROUP}/{served[0]}" if served else None,
            data=UnservedKind(text, tuple(releases)),
        )
    return None


def _unmatched(field: str, reason: str, value: object, text: str) -> FieldError:
    return FieldError((field,), reason, NO_MATCH, text, value)


def similar(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    if name.lower() in by_lower:
        return by_lower[name.lower()]
    letters = sorted(name.lower())
    for lower, candidate in by_lower.items():
        if len(lower) == len(letters) > 2 and sorted(lower) == letters:
            return candidate  # letters that changed places
    counted = Counter(letters)
    if any(
        2 * sum((counted & Counter(each)).values()) >= _NEAR * (len(letters) + len(each))
        for each in by_lower
    ):
        import difflib  # only for nearly the same letters: the import costs a few milliseconds

        if matches := difflib.get_close_matches(name.lower(), by_lower, 1, _NEAR):
            return by_lower[matches[0]]
    begun, ended = name.lower(), name.lower() if len(name) >= _LONG_END else "\0"
    part = [c for n, c in by_lower.items() if n.startswith(begun) or n.endswith(ended)]
    return part[0] if len(part) == 1 and len(name) >= _SHORTENED else None


def well_formed(text: str) -> str:
    """Text as Go's JSON decoder keeps it: halves of surrogate pairs are no characters."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def _is_kept(item: object) -> bool:
    """Whether a value of the right type stays as it is."""
    if isinstance(item, str):
        return item.isascii()
    return not isinstance(item, int) or -_SMALL <= item < _SMALL


@functools.cache
def _simple_fields(name: str, version: str, release: str) -> Mapping[str, type]:
    """The fields of a struct that hold texts, truth values and numbers, with the type of these."""
    return {
        field.name: simple
        for field in fields_of(name, version, release).values()
        if (simple := _SIMPLE.get(field.type.category)) is not None
    }


class _Decoder:
    """One decoding run: the problems found so far, for an API version of a release."""

    def __init__(self, version: str, release: str) -> None:
        self.version = version
        self.release = release
        self.problems: list[FieldError] = []

    def struct(self, value: object, name: str, path: Path, owner: str = "") -> dict[str, object]:
        """A struct from a mapping; fields that could not be read are left out."""
        if not isinstance(value, Mapping):
            self._wrong_type(path, value, owner or name, "mapping", self._go_struct(name))
            return {}
        fields = fields_of(name, self.version, self.release)
        simple = _simple_fields(name, self.version, self.release)
        result: dict[str, object] = {}
        for raw_key, item in value.items():
            # Most values are what they should be, and stay as they are.
            wanted = simple.get(raw_key)
            if wanted is not None and item.__class__ is wanted and _is_kept(item):
                result[raw_key] = item
                continue
            key = raw_key if isinstance(raw_key, str) else str(raw_key)
            field = fields.get(key)
            if field is None:
                self._unknown((*path, key), key, name, fields)
            elif item is not None:
                decoded = self.value(item, field.type, (*path, key), name)
                if decoded is not None:
                    result[key] = decoded
        return result

    def value(self, value: object, type_: FieldType, path: Path, owner: str) -> object:
        """A value of a type, or None if it could not be read; `owner` is the struct around it."""
        category = type_.category
        if category is Category.STRUCT:
            return self.struct(value, type_.name, path, owner)
        if category is Category.LIST:
            return self._list(value, type_, path, owner)
        if category is Category.MAP:
            return self._map(value, type_, path, owner)
        if category is Category.RAW:
            return value
        if category is Category.QUANTITY:
            return self._quantity(value, path)
        if category is Category.TIME:
            return self._time(value, path, owner)
        if category is Category.BOOL:
            return self._exact(value, bool, type_, path, owner)
        if category is Category.STRING:
            return self._exact(value, str, type_, path, owner)
        return self._integer(value, type_, path, owner)

    def _list(self, value: object, type_: FieldType, path: Path, owner: str) -> list[object] | None:
        if not isinstance(value, list | tuple) or type_.item is None:
            self._wrong_type(path, value, owner, "list", self._go_type(type_))
            return None
        items = []
        for index, item in enumerate(value):
            if item is None:
                items.append(_zero(type_.item))
                continue
            decoded = self.value(item, type_.item, (*path, index), owner)
            items.append(_zero(type_.item) if decoded is None else decoded)
        return items

    def _map(
        self, value: object, type_: FieldType, path: Path, owner: str
    ) -> dict[str, object] | None:
        if not isinstance(value, Mapping) or type_.item is None:
            self._wrong_type(path, value, owner, "mapping", self._go_type(type_))
            return None
        result: dict[str, object] = {}
        for raw_key, item in value.items():
            key = raw_key if isinstance(raw_key, str) else str(raw_key)
            decoded = None
            if item is not None:
                decoded = self.value(item, type_.item, (*path, MapKey(key)), owner)
            result[well_formed(key)] = _zero(type_.item) if decoded is None else decoded
        return result

    def _exact(
        self, value: object, wanted: type, type_: FieldType, path: Path, owner: str
    ) -> object:
        if isinstance(value, str) and wanted is str:
            return well_formed(value)
        if isinstance(value, wanted):
            return value
        word: Wanted = "text" if wanted is str else "boolean"
        self._wrong_type(path, value, owner, word, self._go_type(type_))
        return None

    def _integer(self, value: object, type_: FieldType, path: Path, owner: str) -> int | None:
        # A YAML or JSON number that is whole arrives as a whole number, however it was written.
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
            value = int(value)
        limit = _INT_RANGE[type_.category]
        if isinstance(value, bool) or not isinstance(value, int) or not -limit <= value < limit:
            self._wrong_type(path, value, owner, "integer", type_.name)
            return None
        return value

    def _quantity(self, value: object, path: Path) -> str | None:
        from dradsl.values.quantity import Quantity, QuantityError

        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                Quantity.parse("not a quantity")
            else:
                return str(Quantity.decode(value))
        except QuantityError as error:
            self.problems.append(FieldError(path, "invalid-quantity", DECODING, str(error), value))
        return None

    def _time(self, value: object, path: Path, owner: str) -> str | None:
        if not isinstance(value, str):
            self._wrong_type(path, value, owner, "text", "string", "invalid-time")
            return None
        from dradsl.kube.times import time_error

        detail = time_error(value)
        if detail is None:
            return value
        self.problems.append(FieldError(path, "invalid-time", DECODING, detail, value))
        return None

    def _wrong_type(
        self,
        path: Path,
        value: object,
        owner: str,
        wanted: Wanted,
        go: str,
        reason: str = "wrong-type",
    ) -> None:
        names = ".".join(self._go_names(path))
        target = f"Go struct field {owner}.{names}" if names else "Go value"
        if wanted == "integer" and _is_number(value):
            reason = "number-not-whole" if isinstance(value, float) else "number-out-of-range"
        data = WrongType(wanted, go, go_kind(value, wanted), target)
        self.problems.append(wrong_type(path, reason, value, data))

    # Upstream: decodeState.addErrorContext (sigs.k8s.io/json/internal/golang/encoding/json/decode.go)
    def _go_names(self, path: Path) -> Iterator[str]:
        """The names of the fields on a path, embedded structs included where the decoder of the
        release (sigs.k8s.io/json) names them."""
        from dradsl.releases import validation_of

        names = [e for e in path if isinstance(e, str) and not isinstance(e, MapKey)]
        for index, name in enumerate(names):
            embedded = name == "opaque" and index > 0 and names[index - 1] == "config"
            if embedded and validation_of(self.release).names_embedded:
                yield "DeviceConfiguration"
            yield name

    def _unknown(self, path: Path, key: str, name: str, fields: Mapping[str, Field]) -> None:
        elsewhere = known_somewhere(name, self.version, key)
        misplaced = _misplaced_fields().get((name, self.version == "v1beta1", key))
        data, reason, suggestion = UnknownField(path), "unknown-field", None
        if elsewhere is not None:
            data = UnknownField(path, elsewhere.since, elsewhere.until)
            reason = "field-not-in-release"
        elif misplaced is not None:
            reason, suggestion = misplaced
        else:
            data, suggestion = UnknownField(path, known=(*fields,)), similar(key, fields)
        self.problems.append(unknown_field(reason, data, suggestion))

    def _go_struct(self, name: str) -> str:
        if name in _CORE_TYPES or name in _META_TYPES:
            return f"v1.{name}"
        return f"{self.version}.{name}"

    def _go_type(self, type_: FieldType) -> str:
        if type_.category is Category.STRUCT:
            return self._go_struct(type_.name)
        if type_.category is Category.LIST and type_.item is not None:
            return f"[]{self._go_type(type_.item)}"
        if type_.category is Category.MAP and type_.item is not None:
            key = self._go_type(FieldType(Category.STRING, type_.name))
            return f"map[{key}]{self._go_type(type_.item)}"
        if type_.name in ("string", "bool", "int64", "int32"):
            return type_.name
        return _GO_TYPES.get(type_.name, f"{self.version}.{type_.name}")


@functools.cache
def _misplaced_fields() -> Mapping[tuple[str, bool, str], tuple[str, str]]:
    """By type, whether the version is v1beta1, and key: the reason and what to write instead."""
    return {
        (name, old, key): (row["reason"], row["instead"].format(key))
        for row in json.loads(text_beside(__file__, "decoding.json"))["fields"]
        for name in row["types"]
        for old in row["v1beta1"]
        for key in row["keys"]
    }


@functools.cache
def _other_kinds() -> Mapping[str, tuple[str, str | None]]:
    """Kinds that are beside claims, and those of alpha versions up to 1.31: the reason and what to write instead."""
    kinds: Mapping[str, tuple[str, str | None]]
    kinds = json.loads(text_beside(__file__, "decoding.json"))["kinds"]
    return kinds


def _zero(type_: FieldType) -> object:
    """What Go puts into a list or map for a null."""
    return {} if type_.category is Category.STRUCT else ZEROS.get(type_.category)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def go_kind(value: object, wanted: Wanted) -> str:
    """What Go's decoder calls a JSON value."""
    if _is_number(value):
        return f"number {value}" if wanted == "integer" else "number"
    return _GO_NAMES.get(type(value), "object" if isinstance(value, Mapping) else "array")
