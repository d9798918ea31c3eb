"""Objects taken apart: an outline, and the requests, constraints and configurations of a claim.

Sets of manifests differ less than their objects do: names, labels and combinations are new, the
request for two GPUs of that class is not. What the server says of a part does not depend on the
parts beside it, except for what is checked here: the lists are short, the names of requests are
plain and each is there once, and who refers to requests names such as there are. Nor does it
depend on what stands in the places that are blanked, as long as that is as plain as here.

The one check across parts that is left, of derived attributes, is `stands_alone`'s.
"""

from __future__ import annotations

import marshal

from dradsl.records import dataclass
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["Apart", "PartKey", "put_together", "stands_alone", "stored_parts", "take_apart"]

# Legal as the name of every kind of the group and of a request, as a namespace, as a label's value.
_PLAIN = pattern(r"[a-z](?:[-a-z0-9]{0,40}[a-z0-9])?")
_FLAT = 2  # the version of marshal's form that is the same for equal values
_SHORT = 32  # no list of a claim is too long with so many items
_SMALL = 64 * 1024  # characters of annotations, of which the server takes 256 KiB
_BLANK = ...  # no object holds this
_LISTS = ("requests", "constraints", "config")

PartKey = tuple[bytes, str, bytes]
"""The kind of object and its API version, the list, the part without what is its own."""


@dataclass(frozen=True, slots=True)
class Apart:
    """The content of an object in comparable pieces: equal keys get equal answers.

    `own` are the fields of its metadata that do not count.
    """

    outline: bytes
    parts: Mapping[str, Sequence[PartKey]]
    own: Mapping[str, Any]


def take_apart(obj: Mapping[str, Any], labels: Mapping[str, str] | None) -> Apart | None:
    """The pieces of an object in a namespace with `labels`; None where they would not do."""
    written = obj.get("metadata")
    own = _own(written) if isinstance(written, dict) else None
    if written is None or own is None:
        return None
    metadata = _blank(written, own)
    namespace = None if labels is None else dict(labels)
    devices = _devices(obj)
    try:
        if not devices:
            outline = {**obj, "metadata": metadata}
            return Apart(marshal.dumps([outline, namespace], _FLAT), {}, own)
        scope = marshal.dumps([obj.get("apiVersion"), obj["kind"], namespace], _FLAT)
        parts = _parts(devices, scope)
        if parts is None:
            return None
        rest = {name: value for name, value in devices.items() if name not in parts}
        outline = {**_with_devices(obj, rest), "metadata": metadata}
        return Apart(marshal.dumps([outline, list(parts), namespace], _FLAT), parts, own)
    except ValueError:  # a value of no plain type, or one too deep
        return None


def _own(metadata: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of metadata that may hold any plain text; None if the name is not plain."""
    own: dict[str, Any] = {
        name: metadata[name] for name in ("name", "namespace") if name in metadata
    }
    if "name" not in own or not all(_is_plain(text) for text in own.values()):
        return None
    for name, are_free in (("labels", _are_labels), ("annotations", _are_annotations)):
        texts = metadata.get(name)
        if isinstance(texts, dict) and are_free(texts):
            own[name] = texts
    return own


def _blank(metadata: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata with nothing in place of the texts that are its own."""
    blank = {
        name: dict.fromkeys(text, _BLANK) if isinstance(text, dict) else _BLANK
        for name, text in own.items()
    }
    return {**metadata, **blank}


def _is_plain(name: object) -> bool:
    return isinstance(name, str) and _PLAIN.fullmatch(name) is not None


def _are_labels(texts: dict[Any, Any]) -> bool:
    return all(isinstance(key, str) and _is_plain(value) for key, value in texts.items())


def _are_annotations(texts: dict[Any, Any]) -> bool:
    size = 0
    for key, value in texts.items():
        if not (isinstance(key, str) and isinstance(value, str) and value.isascii()):
            return False
        size += len(key) + len(value)
    return size < _SMALL


def _devices(obj: Mapping[str, Any]) -> dict[str, Any] | None:
    """The `devices` of a claim or claim template; None if there are none."""
    spec = obj.get("spec")
    kind = obj.get("kind")
    if kind == "ResourceClaimTemplate" and isinstance(spec, dict):
        spec = spec.get("spec")
    elif kind != "ResourceClaim":
        return None
    devices = spec.get("devices") if isinstance(spec, dict) else None
    return devices if isinstance(devices, dict) else None


def _with_devices(obj: Mapping[str, Any], devices: dict[str, Any]) -> dict[str, Any]:
    spec = obj["spec"]
    if obj["kind"] == "ResourceClaimTemplate":
        return {**obj, "spec": {**spec, "spec": {**spec["spec"], "devices": devices}}}
    return {**obj, "spec": {**spec, "devices": devices}}


def _parts(devices: dict[str, Any], scope: bytes) -> dict[str, list[PartKey]] | None:
    """The parts by list; None if their names are not as the module says."""
    names = _names(_items(devices, "requests"))
    if names is None:
        return None
    found: dict[str, list[PartKey]] = {}
    for list_name in _LISTS:
        items = devices.get(list_name)
        if not isinstance(items, list):
            continue
        if len(items) > _SHORT:
            return None
        keys = found[list_name] = []
        for item in items:
            body = {**item, "name": _BLANK} if list_name == "requests" else _unbound(item, names)
            if body is None:
                return None
            keys.append((scope, list_name, marshal.dumps(body, _FLAT)))
    return found


def _names(requests: list[Any]) -> set[str] | None:
    """How the requests and their alternatives are referred to; None if that is not plain."""
    names: set[str] = set()
    for request in requests:
        name = request.get("name") if isinstance(request, dict) else None
        if not isinstance(name, str) or not _is_plain(name) or name in names:
            return None
        names.add(name)
        for alternative in _items(request, "firstAvailable"):
            if not isinstance(alternative, dict) or not _is_plain(alternative.get("name")):
                return None
            names.add(f"{name}/{alternative['name']}")
    return names


def _items(devices: Mapping[str, Any], name: str) -> list[Any]:
    items = devices.get(name)
    return items if isinstance(items, list) else []


def _unbound(item: object, names: set[str]) -> dict[str, Any] | None:
    """A constraint or configuration without the requests it is for; None if these are not found."""
    if not isinstance(item, dict):
        return None
    if "requests" not in item:
        return item
    wanted = item["requests"]
    if not isinstance(wanted, list) or len(wanted) > _SHORT:
        return None
    if not all(isinstance(name, str) and name in names for name in wanted):
        return None
    return {**item, "requests": _BLANK} if len(set(wanted)) == len(wanted) else None


def stands_alone(stored: Mapping[str, Any]) -> bool:
    """Whether the parts of a stored object are judged each by itself.

    Derived attributes are not: a constraint must use them, and their costs are added up.
    """
    return not any(
        "derivedAttributes" in body
        for request in _items(_devices(stored) or {}, "requests")
        for body in (request.get("exactly") or {}, *_items(request, "firstAvailable"))
    )


def stored_parts(stored: Mapping[str, Any], apart: Apart) -> dict[PartKey, dict[str, Any]]:
    """What the parts of an object became when it was stored."""
    devices = _devices(stored) or {}
    return {
        key: part
        for name, keys in apart.parts.items()
        for key, part in zip(keys, devices[name], strict=True)
    }


def put_together(
    outline: Mapping[str, Any],
    parts: Mapping[str, Sequence[Mapping[str, Any]]],
    obj: Mapping[str, Any],
    apart: Apart,
) -> dict[str, Any]:
    """The stored form of `obj`: that of an object with the same outline, with the parts given."""
    metadata = outline["metadata"]
    own = {name: text for name, text in apart.own.items() if name in metadata}
    made = {**outline, "metadata": {**metadata, **own}}  # some kinds lose their namespace
    if not parts:
        return made
    written, devices = _devices(obj) or {}, dict(_devices(outline) or {})
    for name, bodies in parts.items():
        field = "name" if name == "requests" else "requests"
        devices[name] = [
            {**body, field: item[field]} if field in item else body
            for body, item in zip(bodies, written[name], strict=True)
        ]
    return _with_devices(made, devices)
