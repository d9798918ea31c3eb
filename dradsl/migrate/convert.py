"""Rewriting manifests in another API version of resource.k8s.io, by text edits that keep comments.

Every rewritten object is read again and compared with the original, both in the v1 shape. What
would not mean the same is rejected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.drivers.rewriting.objects import as_v1
from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.kube.fields.conversion import to_v1
from dradsl.kube.fields.defaulting import copy_plain, default
from dradsl.kube.fields.table import GROUP, VERSIONS
from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.edits import EditError, apply, delete_entry, hoist, nest, replace_value
from dradsl.text.nodes import MappingNode, SequenceNode
from dradsl.text.paths import locate
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.diagnostics import Edit, Span
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["TARGETS", "Conversion", "Rejected", "convert"]

TARGETS = ("v1", "v1beta2", "v1beta1")

_KINDS = frozenset(
    {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceTaintRule"}
)
# Claims of v1alpha3 (up to 1.32) have the flat requests of v1beta1; its slices have more differences.
_FLAT = frozenset(
    {("v1beta1", kind) for kind in _KINDS}
    | {("v1alpha3", "ResourceClaim"), ("v1alpha3", "ResourceClaimTemplate")}
)
_MODE = "allocationMode"  # of a claim up to 1.30, which said when it is allocated
_KEPT_IN_REQUEST = frozenset({"name", "firstAvailable", "exactly"})


class Rejected(Record):
    """An object that stays as it is, and why."""

    title: str
    span: Span
    reason: str


class Conversion(Record):
    """A file after conversion: its text, the objects that were rewritten, those that were not."""

    text: str
    rewritten: tuple[str, ...]
    rejected: tuple[Rejected, ...]


class _CannotConvertError(ValueError):
    """Why an object cannot be rewritten."""


def convert(source: SourceText, version: str = "v1") -> Conversion:
    """Rewrite every resource.k8s.io object of a file in API version `version` (one of TARGETS).

    Objects of other groups, and those in that version already, are left alone.
    """
    planned: list[tuple[Manifest, list[Edit]]] = []
    rejected: list[Rejected] = []
    for manifest in manifests_of(source):
        if manifest.group != RESOURCE_GROUP or manifest.version == version:
            continue
        try:
            planned.append((manifest, _edits(manifest, version)))
        except (_CannotConvertError, EditError) as error:
            rejected.append(_rejected(manifest, str(error)))
    sound = _proven(source, planned) if planned else frozenset()
    rejected += [
        _rejected(manifest, "the rewritten object would not mean the same: lint it first")
        for manifest, _ in planned
        if manifest not in sound
    ]
    kept = [(manifest, edits) for manifest, edits in planned if manifest in sound]
    text = apply(source.stream.text, [edit for _, edits in kept for edit in edits])
    return Conversion(text, tuple(manifest.title for manifest, _ in kept), tuple(rejected))


def _rejected(manifest: Manifest, reason: str) -> Rejected:
    return Rejected(manifest.title, manifest.span(("apiVersion",)), reason)


def _edits(manifest: Manifest, version: str) -> list[Edit]:
    root = manifest.node
    entry = root.entry("apiVersion") if isinstance(root, MappingNode) else None
    if not isinstance(root, MappingNode) or entry is None:
        raise _CannotConvertError("the object is an alias (*), or has no apiVersion of its own")
    if manifest.version not in VERSIONS:
        if version != "v1":
            raise _CannotConvertError(f"{manifest.api_version} is converted to v1 only")
        return _out_of_another_shape(manifest)
    edits = [replace_value(root, entry, f"{GROUP}/{version}")]
    if manifest.version == "v1alpha3" and manifest.kind == "ResourceSlice":
        raise _CannotConvertError("slices of v1alpha3 had another shape: publish them anew")
    if manifest.kind not in _KINDS:
        raise _CannotConvertError(f"{manifest.kind} is not in {GROUP}/{version}")
    if manifest.kind == "DeviceTaintRule" and version == "v1beta1":
        raise _CannotConvertError(f"DeviceTaintRule is not in {GROUP}/{version}")
    if (manifest.version, manifest.kind) in _FLAT:
        edits += _out_of_v1beta1(manifest, root)
    elif version == "v1beta1":
        edits += _into_v1beta1(manifest, root)
    return edits


def _out_of_another_shape(manifest: Manifest) -> list[Edit]:
    """An object of an earlier version or a mixed shape in v1, if all that it says has a place there."""
    found = as_v1(manifest.data, shipped_catalogue())
    left = [each[-1] for each in found.left if each[-1] != _MODE] if found else [manifest.kind]
    if found is None or left:
        raise _CannotConvertError(f"{left[0]} of {manifest.version} has no place in v1: lint it")
    edits = found.edits(manifest.node)
    if not edits:
        raise _CannotConvertError("its spec is an alias (*): write it out first")
    return [*edits]


def _out_of_v1beta1(manifest: Manifest, root: MappingNode) -> Iterator[Edit]:
    for request in _items(root, _requests_path(manifest)):
        names = [e.name for e in request.entries if e.name not in _KEPT_IN_REQUEST]
        if names and request.entry("exactly") is not None:
            raise _CannotConvertError("a request has fields beside exactly: move them into it")
        if names:
            yield from nest(request, names, "exactly")
    if manifest.kind != "ResourceSlice":
        return
    for device in _items(root, ("spec", "devices")):
        basic = device.entry("basic")
        if basic is None:
            continue
        if isinstance(basic.value, MappingNode) and not basic.value.entries:
            yield from delete_entry(device, basic)
        else:
            yield from hoist(device, basic)
    spec = root.get("spec")
    # In v1beta1 an empty value means unset; later versions reject it.
    for name, empty in (("nodeName", ""), ("allNodes", False)):
        entry = spec.entry(name) if isinstance(spec, MappingNode) else None
        if isinstance(spec, MappingNode) and entry and getattr(entry.value, "value", None) == empty:
            yield from delete_entry(spec, entry)


def _into_v1beta1(manifest: Manifest, root: MappingNode) -> Iterator[Edit]:
    for request in _items(root, _requests_path(manifest)):
        exactly = request.entry("exactly")
        if exactly is not None:
            yield from hoist(request, exactly)
    if manifest.kind == "ResourceSlice":
        for device in _items(root, ("spec", "devices")):
            names = [e.name for e in device.entries if e.name != "name"]
            if names:
                yield from nest(device, names, "basic")


def _requests_path(manifest: Manifest) -> tuple[str, ...]:
    if manifest.kind == "ResourceClaim":
        return ("spec", "devices", "requests")
    if manifest.kind == "ResourceClaimTemplate":
        return ("spec", "spec", "devices", "requests")
    return ("metadata", "no-requests")


def _items(root: MappingNode, path: tuple[str, ...]) -> Iterator[MappingNode]:
    """The mappings of the list at `path`.

    Raises:
        _CannotConvertError: for an item that is an alias, since its text is elsewhere.
    """
    found = locate(root, path)
    if not found.exact or not isinstance(found.node, SequenceNode):
        return
    for index, item in enumerate(found.node.items):
        if index < len(found.node.aliases) and found.node.aliases[index] is not None:
            raise _CannotConvertError("a list item is an alias (*): write it out first")
        if isinstance(item, MappingNode):
            yield item


def _proven(source: SourceText, planned: list[tuple[Manifest, list[Edit]]]) -> frozenset[Manifest]:
    """The objects that mean the same when the rewritten file is read back."""
    text = apply(source.stream.text, [edit for _, edits in planned for edit in edits])
    again = {
        (other.document.index, other.prefix): other
        for other in manifests_of(SourceText(source.name, load(source.stream.encode(text))))
    }
    sound = set()
    for manifest, _ in planned:
        other = again.get((manifest.document.index, manifest.prefix))
        meaning = _meaning(manifest)
        if other is not None and meaning is not None and meaning == _meaning(other):
            sound.add(manifest)
    return frozenset(sound)


def _flatten(plain: Any, kind: str) -> None:
    """Give an object of v1beta1 the shape of v1beta1, where it was written in that of v1."""
    spec = plain.get("spec") or {}
    if kind == "ResourceSlice":
        for device in spec.get("devices") or ():
            if "basic" not in device and len(device) > 1:
                device["basic"] = {key: device.pop(key) for key in tuple(device) if key != "name"}
        return
    spec = spec.get("spec") or {} if kind == "ResourceClaimTemplate" else spec
    for request in (spec.get("devices") or {}).get("requests") or ():
        if isinstance(request.get("exactly"), dict):
            request.update(request.pop("exactly"))


def _meaning(manifest: Manifest) -> object:
    """The object in v1 shape with its defaults; None if it is not well formed."""
    plain = copy_plain(dict(manifest.data))
    if manifest.version not in VERSIONS:
        found = as_v1(manifest.data, shipped_catalogue())
        plain = {"metadata": plain.get("metadata")}
        plain |= {"kind": manifest.kind, **(found.fields() if found is not None else {})}
    if (manifest.version, manifest.kind) in _FLAT:
        plain["apiVersion"] = f"{GROUP}/v1beta1"
    try:
        if (manifest.version, manifest.kind) in _FLAT:
            _flatten(plain, manifest.kind)
        in_v1 = to_v1(default(plain, now="1970-01-01T00:00:00Z"))
    except (AttributeError, TypeError, KeyError, ValueError):
        return None
    return {key: value for key, value in in_v1.items() if key != "apiVersion"}
