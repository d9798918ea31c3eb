"""Whole objects of Kubernetes' own kinds with pods, as the decoder of the API server reads them: Pods and what
makes them, their status and volume claim templates included.

An unknown field is an error of strict decoding. A value of the wrong type is an error of decoding itself, as is a
quantity or time that cannot be read; these end the decoding at once, so they come first. A null is a field that is
not set. Names of fields count with their capitals. Duplicate keys are found when the text is read.

Sources: sigs.k8s.io/json, and UnmarshalJSON of Quantity, IntOrString and Time in apimachinery, at 0.34.13 to 0.37.2.
"""

from __future__ import annotations

import functools

from dradsl.kube.errors import DECODING, FieldError, MapKey, WrongType, wrong_type
from dradsl.kube.fields.decoding import MOST_STRICT, go_kind
from dradsl.kube.pods.fields import means_claims
from dradsl.kube.pods.spec import quantity_of
from dradsl.kube.pods.types import fields_of, types
from dradsl.records import replace
from dradsl.releases import validation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path, Wanted
    from dradsl.kube.pods.types import FieldOf
    from dradsl.kube.pods.unknown_fields import UnknownFields

__all__ = ["decoding_errors"]

_PLAIN: Mapping[str, tuple[type, Wanted]] = {
    "string": (str, "text"),
    "bool": (bool, "boolean"),
    "int32": (int, "integer"),
    "int64": (int, "integer"),
}
_LIMITS = {"int32": 2**31, "int64": 2**63}
_STRUCT, _MAP, _LIST, _READS_ITSELF = "struct", "map[", "[]", "json"
_SMALL = 2**31  # within the range of every whole number
_LARGE = 1e21  # Go writes a larger float with an exponent


def decoding_errors(obj: Mapping[str, object], release: str) -> tuple[list[FieldError], bool]:
    """What the decoder of a release rejects in an object of one of the kinds of `PLACES`: what ends the decoding
    first, then wrong types and unknown fields in the order of the document. And whether it met a null."""
    reader = _Reader(obj, release)
    reader.value(obj, f"v1.{obj['kind']}", (), (), "")
    return reader.at_once + reader.wrong + reader.strict[:MOST_STRICT], reader.has_nulls


class _Reader:
    """The decoding of one object, and the errors found so far."""

    def __init__(self, obj: Mapping[str, object], release: str) -> None:
        self._release = release
        self._embedded = validation_of(release).names_embedded
        self._obj = obj
        self._unknown: UnknownFields | None = None
        self._around: list[tuple[str, Path, Mapping[Any, object]]] = []
        self.has_nulls = False
        self.at_once: list[FieldError] = []
        self.wrong: list[FieldError] = []
        self.strict: list[FieldError] = []

    def value(
        self, value: object, type_: str, path: Path, names: tuple[str, ...], owner: str
    ) -> None:
        """A value that goes into `type_`; `names` are the fields on the way as Go's decoder names them, `owner` is
        the struct around it."""
        if value is None:
            self.has_nulls = True
            return
        form, item = _form(type_)
        wanted: Wanted | None = None
        if form == _STRUCT:
            if isinstance(value, dict):
                self._struct(value, type_, path, names)
            else:
                wanted = "mapping"
        elif form == _MAP:
            if isinstance(value, dict):
                simple = _class_of(item)
                for key, each in value.items():
                    if each.__class__ is not simple or (simple is int and not _is_small(each)):
                        self.value(each, item, (*path, MapKey(str(key))), names, owner)
            else:
                wanted = "mapping"
        elif form == _LIST:
            if isinstance(value, list):
                simple = _class_of(item)
                for index, each in enumerate(value):
                    if each.__class__ is not simple or (simple is int and not _is_small(each)):
                        self.value(each, item, (*path, index), names, owner)
            else:
                wanted = "list"
        elif form == _READS_ITSELF:
            self._own(value, type_, path, names, owner)
        elif not _fits(value, form):
            wanted = _PLAIN[form][1]
        if wanted is not None:
            self.wrong.append(_wrong_type(value, type_, path, names, owner, wanted))

    def _struct(
        self, value: dict[Any, object], type_: str, path: Path, names: tuple[str, ...]
    ) -> None:
        simple, fields, owner = _fields(type_, self._release)
        self._around.append((type_, path, value))
        for raw_key, item in value.items():
            # Most values are what they should be.
            class_ = item.__class__
            if class_ is simple.get(raw_key) and (class_ is not int or _is_small(item)):
                continue
            key = str(raw_key)
            field = fields.get(key)
            if field is None:
                self.strict.append(self._unknown_field(key, item))
            else:
                here = (field.embedded, key) if field.embedded and self._embedded else (key,)
                self.value(item, field.type, (*path, key), (*names, *here), owner)
        self._around.pop()

    def _unknown_field(self, key: str, value: object) -> FieldError:
        from dradsl.kube.pods.unknown_fields import StructAt, UnknownFields

        self._unknown = self._unknown or UnknownFields(self._obj, self._release)
        return self._unknown.error(key, value, [StructAt(*each) for each in self._around])

    def _own(
        self, value: object, type_: str, path: Path, names: tuple[str, ...], owner: str
    ) -> None:
        """A value of a type that reads itself."""
        if type_ == "resource.Quantity":
            amount = quantity_of(value)
            if isinstance(amount, str):
                lists = isinstance(value, list | dict) and means_claims(path[-1])
                reason = "claims-among-amounts" if lists else "invalid-quantity"
                self.at_once.append(FieldError(path, reason, DECODING, amount, value))
        elif type_ == "v1.Time":
            if not isinstance(value, str):
                error = _wrong_type(value, "string", path, names, owner, "text")
                self.at_once.append(replace(error, reason="invalid-time"))
                return
            from dradsl.kube.times import time_error

            detail = time_error(value)
            if detail is not None:
                self.at_once.append(FieldError(path, "invalid-time", DECODING, detail, value))
        elif type_ == "intstr.IntOrString" and not (
            isinstance(value, str) or _fits(value, "int32")
        ):
            self.at_once.append(_wrong_type(value, "int32", path, names, owner, "integer"))


@functools.cache
def _form(type_: str) -> tuple[str, str]:
    """The form of a type in JSON, a struct, map, list or plain type, and the type of the items of a map or list."""
    is_ = types().get(type_, type_)
    if isinstance(is_, dict):
        return _STRUCT, ""
    if is_.startswith(_MAP):
        return _MAP, is_.partition("]")[2]
    return (_LIST, is_[2:].lstrip("*")) if is_.startswith(_LIST) else (is_, "")


@functools.cache
def _class_of(type_: str) -> type | None:
    """The Python class of a string, boolean or number of Go; None of another type."""
    form, _ = _form(type_)
    return _PLAIN[form][0] if form in _PLAIN else None


@functools.cache
def _fields(type_: str, release: str) -> tuple[Mapping[object, type], Mapping[str, FieldOf], str]:
    """The fields of a struct that hold strings, booleans and numbers, with the class of these, all that the release
    has, and the name of the struct."""
    fields = {name: each for name, each in fields_of(type_).items() if each.exists_in(release)}
    classes = {name: _class_of(field.type) for name, field in fields.items()}
    simple: dict[object, type] = {name: of for name, of in classes.items() if of is not None}
    return simple, fields, type_.rpartition(".")[2]


def _is_small(value: object) -> bool:
    """Whether a value is within the range of every type of its class."""
    return not isinstance(value, int) or -_SMALL <= value < _SMALL


def _fits(value: object, type_: str) -> bool:
    """Whether a value goes into a plain type of Go."""
    if type_ not in _LIMITS:
        return isinstance(value, _PLAIN[type_][0])
    # A YAML or JSON number that is whole arrives as a whole number, however it was written.
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGE:
        value = int(value)
    limit = _LIMITS[type_]
    return isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit


def _wrong_type(
    value: object, type_: str, path: Path, names: tuple[str, ...], owner: str, wanted: Wanted
) -> FieldError:
    target = f"Go struct field {'.'.join((owner, *names))}"
    reason = "wrong-type"
    if wanted == "integer" and isinstance(value, int | float) and not isinstance(value, bool):
        reason = "number-not-whole" if isinstance(value, float) else "number-out-of-range"
    data = WrongType(wanted, type_, go_kind(value, wanted), target)
    return wrong_type(path, reason, value, data)
