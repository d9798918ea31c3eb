"""Objects taken apart: an outline, and the requests, constraints and configurations of a claim.

Sets of manifests differ less than their objects do: names, labels and combinations are new, the
request for two GPUs of that class is not. What the server says of a part does not depend on the
parts beside it, except for what is checked here: the lists are short, the names of requests are
plain and each is there once, and who refers to requests names such as there are. Nor does it
depend on what is in the places that are blanked, as long as that is as plain as here: names,
the class of a request, and how many devices it asks for, if that is one or more.

The one check across parts that is left, of derived attributes, is `parts_are_independent`'s.
"""

from __future__ import annotations

import marshal

from dradsl.records import dataclass, field
from dradsl.values.patterns import pattern
from dradsl.values.plain import list_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Hashable, Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = [
    "NamelessObject",
    "ObjectPart",
    "SplitObject",
    "joined_spec",
    "parts_are_independent",
    "stored_parts",
    "without_names",
]

# Legal as the name of a request, as a namespace, as a label's value.
_PLAIN = pattern(r"[a-z0-9](?:[-a-z0-9]{0,40}[a-z0-9])?")
# Legal as the name of every kind of the group.
_PLAIN_NAME = pattern(
    r"[a-z0-9](?:[-a-z0-9]{0,40}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,40}[a-z0-9])?){0,4}"
)
_MOST_DEVICES = 2**31  # of a count that every version and platform holds
_FLAT = 2  # the version of marshal's form that is the same for equal values
_SHORT = 32  # no list of a claim is too long with so many items
_SMALL = 64 * 1024  # characters of annotations, of which the server takes 256 KiB
_BLANK = ...  # no object holds this
# The lists of parts, and the field of each that is its own.
_LISTS = (("requests", "name"), ("constraints", "requests"), ("config", "requests"))


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """A request, constraint or configuration; equal keys, and equal shapes, get equal answers.

    `own` is what `key` is without: its name, or the requests it is for. A request's `shape` is
    without its `asked` too: the class and the count.
    """

    key: Hashable
    own: Mapping[str, object]
    shape: Hashable = None
    asked: Mapping[str, object] = field(default_factory=dict)

    def like(self, stored: JsonMapping) -> JsonObject:
        """What this request is when stored, by one of the same shape."""
        return {**stored, "exactly": {**stored["exactly"], **self.asked}}


@dataclass(frozen=True, slots=True)
class NamelessObject:
    """An object without what has no influence on validation.

    `ignored_metadata` are those metadata fields; objects that are equal in `content` get the same answer.
    """

    content: bytes
    ignored_metadata: Mapping[str, object]
    _data: JsonObject
    _namespace: Hashable

    def split(self) -> SplitObject | None:
        """The pieces of the object; None where they would not do."""
        data, namespace = self._data, self._namespace
        devices = _devices(data)
        parts = _parts(devices, (data.get("kind"), data.get("apiVersion"), namespace))
        if parts is None:
            return None
        if not parts:
            return SplitObject(self.content, parts)
        rest = {name: value for name, value in devices.items() if name not in parts}
        outline = [_with_devices(data, rest), list(parts), namespace]
        return SplitObject(marshal.dumps(outline, _FLAT), parts)


@dataclass(frozen=True, slots=True)
class SplitObject:
    """The content of an object in comparable pieces: equal ones get equal answers.

    `outline` is all of it but the parts, as text; `parts` are the requests, constraints and
    configurations by the name of their list.
    """

    outline: bytes
    parts: Mapping[str, Sequence[ObjectPart]]


def without_names(obj: JsonMapping, labels: Mapping[str, str] | None) -> NamelessObject | None:
    """An object in a namespace with `labels`, comparable with others; None if it has no plain metadata."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return None
    own = _own(metadata)
    namespace = None if labels is None else tuple(sorted(labels.items()))
    data = {**obj, "metadata": {**metadata, **_blank(own)}}
    try:
        content = marshal.dumps([data, namespace], _FLAT)
    except ValueError:  # a value of no plain type, or one too deep
        return None
    return NamelessObject(content, own, data, namespace)


def _own(metadata: dict[str, object]) -> dict[str, object]:
    """The fields of metadata that may hold any plain text: none if the name is not plain.

    Such an object is like those alone that are equal in all of it.
    """
    name = metadata.get("name")
    if not _is_simple_text(name, _PLAIN_NAME):
        return {}
    own: dict[str, object] = {"name": name}
    if "namespace" in metadata:
        own["namespace"] = namespace = metadata["namespace"]
        if not _is_simple_text(namespace):
            return {}
    for name, are_free in (("labels", _are_labels), ("annotations", _are_annotations)):
        texts = metadata.get(name)
        if isinstance(texts, dict) and are_free(texts):
            own[name] = texts
    return own


def _blank(own: Mapping[str, object]) -> dict[str, object]:
    """The fields with nothing in place of what is their own."""
    return {
        name: dict.fromkeys(text, _BLANK) if isinstance(text, dict) else _BLANK
        for name, text in own.items()
    }


def _is_simple_text(name: object, plain: re.Pattern[str] = _PLAIN) -> bool:
    return isinstance(name, str) and plain.fullmatch(name) is not None


def _are_labels(texts: dict[Any, Any]) -> bool:
    return all(isinstance(key, str) and _is_simple_text(value) for key, value in texts.items())


def _are_annotations(texts: dict[Any, Any]) -> bool:
    size = 0
    for key, value in texts.items():
        if not (isinstance(key, str) and isinstance(value, str) and value.isascii()):
            return False
        size += len(key) + len(value)
    return size < _SMALL


def _devices(obj: JsonMapping) -> JsonObject:
    """The `devices` of a claim or claim template; empty if there are none."""
    spec, kind = obj.get("spec"), obj.get("kind")
    if kind == "ResourceClaimTemplate" and isinstance(spec, dict):
        spec = spec.get("spec")
    elif kind != "ResourceClaim":
        return {}
    devices = spec.get("devices") if isinstance(spec, dict) else None
    return devices if isinstance(devices, dict) else {}


def _with_devices(obj: JsonObject, devices: JsonObject) -> JsonObject:
    spec = obj["spec"]
    if obj["kind"] == "ResourceClaimTemplate":
        return {**obj, "spec": {**spec, "spec": {**spec["spec"], "devices": devices}}}
    return {**obj, "spec": {**spec, "devices": devices}}


def _parts(devices: dict[str, object], scope: Hashable) -> dict[str, list[ObjectPart]] | None:
    """The parts by list; None if their names are not as the module says."""
    names = _names(list_at(devices, "requests"))
    if names is None:
        return None
    found: dict[str, list[ObjectPart]] = {}
    for list_name, own_field in _LISTS:
        items = devices.get(list_name)
        if not isinstance(items, list):
            continue
        if len(items) > _SHORT:
            return None
        parts = found[list_name] = []
        for item in items:
            if not isinstance(item, dict):
                return None
            own = item.get(own_field, _BLANK)
            if own_field == "requests" and not (own is _BLANK or _are_references(own, names)):
                return None
            parts.append(_part(item, own_field, (scope, list_name)))
    return found


def _part(item: dict[str, object], own_field: str, scope: Hashable) -> ObjectPart:
    if own_field not in item:
        return ObjectPart((scope, marshal.dumps(item, _FLAT)), {})
    own = {own_field: item[own_field]}
    bare = {**item, own_field: _BLANK}
    key = (scope, marshal.dumps(bare, _FLAT))
    exactly = item.get("exactly")
    if not isinstance(exactly, dict):
        return ObjectPart(key, own)
    asked = _asked(exactly)
    if not asked:
        return ObjectPart(key, own)
    bare["exactly"] = {**exactly, **dict.fromkeys(asked, _BLANK)}
    return ObjectPart(key, own, (scope, marshal.dumps(bare, _FLAT)), asked)


def _asked(exactly: dict[str, object]) -> dict[str, object]:
    """The fields of a request that may hold any plain name and any number above zero."""
    asked: dict[str, object] = {}
    if _is_simple_text(exactly.get("deviceClassName"), _PLAIN_NAME):
        asked["deviceClassName"] = exactly["deviceClassName"]
    count = exactly.get("count")
    if count.__class__ is int and 0 < count < _MOST_DEVICES:
        asked["count"] = count
    return asked


def _names(requests: list[Any]) -> set[str] | None:
    """How the requests and their alternatives are referred to; None if that is not plain."""
    names: set[str] = set()
    for request in requests:
        name = request.get("name") if isinstance(request, dict) else None
        if not isinstance(name, str) or not _is_simple_text(name) or name in names:
            return None
        names.add(name)
        for alternative in list_at(request, "firstAvailable"):
            if not isinstance(alternative, dict) or not _is_simple_text(alternative.get("name")):
                return None
            names.add(f"{name}/{alternative['name']}")
    return names


def _are_references(wanted: object, names: set[str]) -> bool:
    """Whether that is a list of requests that are there, each named once."""
    return (
        isinstance(wanted, list)
        and len(wanted) <= _SHORT
        and all(isinstance(name, str) and name in names for name in wanted)
        and len(set(wanted)) == len(wanted)
    )


def parts_are_independent(stored: Mapping[str, object]) -> bool:
    """Whether the parts of a stored object are judged each by itself.

    Derived attributes are not: a constraint must use them, and their costs are added up.
    """
    return not any(
        "derivedAttributes" in body
        for request in list_at(_devices(stored), "requests")
        for body in (request.get("exactly") or {}, *list_at(request, "firstAvailable"))
    )


def stored_parts(
    stored: Mapping[str, object], apart: SplitObject
) -> Iterator[tuple[ObjectPart, dict[str, object]]]:
    """What the parts of an object became when it was stored."""
    devices = _devices(stored)
    for name, parts in apart.parts.items():
        yield from zip(parts, devices[name], strict=True)


def joined_spec(
    outline: Mapping[str, object], lists: Mapping[str, list[Mapping[str, object]]]
) -> dict[str, object]:
    """The stored spec of an object: that of one with the same outline, with lists of its own."""
    found: dict[str, object] = _with_devices(dict(outline), {**_devices(outline), **lists})["spec"]
    return found
