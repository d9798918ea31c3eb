"""Recorded objects cut down to what a simulation needs, and stripped of what identifies machines.

Names are replaced consistently: one name becomes one other name wherever it occurs, so that the
result still fits together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.allocator.inventory.shape import type_problem
from dradsl.allocator.inventory.slices import InventoryError, read_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.kube.fields.typed_dicts import ResourceClaimConsumerReferenceDict
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["KEPT_KINDS", "Sanitiser", "compact"]

KEPT_KINDS = frozenset(
    {
        "ResourceSlice",
        "ResourceClaim",
        "ResourceClaimTemplate",
        "DeviceClass",
        "DeviceTaintRule",
        "Node",
    }
)

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
# Attributes whose very purpose is to name one machine or one board.
_IDENTIFYING = re.compile(
    r"(?:^|/)(?:.*uuid|.*serial.*|.*guid|mac|macAddress|ipv4|ipv6|hostname|.*DeviceID)$",
    re.IGNORECASE,
)
_PREFIXED_UUID = re.compile(rf"[A-Za-z]{{1,8}}-{_UUID.pattern}")  # GPU-…: a schema may ask for that
# The id that a vendor gives to a model, which all its devices share.
_MODEL = re.compile(r"(?:0x)?[0-9a-fA-F]{4}")
_HOST_LABEL = "kubernetes.io/hostname"

_MOST_KNOWN = 10_000

Document: TypeAlias = "JsonObject"


def compact(document: JsonMapping) -> Document | None:
    """An object without what no simulation reads; None if none reads the object at all."""
    kind = document.get("kind")
    if kind not in KEPT_KINDS:
        return None
    metadata = document.get("metadata") or {}
    kept: Document = {
        "apiVersion": document.get("apiVersion"),
        "kind": kind,
        "metadata": {
            key: metadata[key]
            for key in ("name", "namespace", "creationTimestamp")
            if key in metadata and (key != "creationTimestamp" or kind == "DeviceClass")
        },
    }
    spec, status = document.get("spec") or {}, document.get("status") or {}
    if kind == "Node":
        labels = metadata.get("labels")
        if labels:
            kept["metadata"]["labels"] = dict(labels)
        kept["spec"] = {key: spec[key] for key in ("taints", "unschedulable") if spec.get(key)}
        kept["status"] = {
            key: status[key] for key in ("allocatable", "declaredFeatures") if status.get(key)
        }
        return kept
    kept["spec"] = spec
    if kind == "ResourceClaim" and status.get("allocation"):
        allocation = {k: v for k, v in status["allocation"].items() if k != "allocationTimestamp"}
        kept["status"] = {"allocation": allocation}
        if status.get("reservedFor"):
            kept["status"]["reservedFor"] = _unnamed(status["reservedFor"])
    return kept


def _unnamed(consumers: Sequence[ResourceClaimConsumerReferenceDict]) -> list[Document]:
    """Consumers of a claim: that there are so many counts, not who they are."""
    return [
        {"resource": one.get("resource"), "name": f"consumer-{i}", "uid": f"consumer-{i}"}
        for i, one in enumerate(consumers)
    ]


def _compact_checked(document: JsonMapping) -> Document | None:
    kind, metadata = document.get("kind"), document.get("metadata")
    if not isinstance(kind, str) or kind not in KEPT_KINDS:
        return None
    if kind == "Node":
        read_node(document)
    wrong = type_problem(document) if kind != "Node" else None
    if wrong is None and isinstance(metadata, dict | None):
        return compact(document)
    name = metadata.get("name") if isinstance(metadata, dict) else None
    raise InventoryError(f"{kind} {name or '(without name)'}: {wrong or 'metadata: not an object'}")


class Sanitiser:
    """Replaces identifying values in one set of objects.

    `nodes`: node names, and pool names that contain them; `devices`: UUIDs, serial numbers and
    addresses in attributes; `claims`: names and namespaces of claims. `prefix` stands before new names.
    """

    def __init__(
        self, *, nodes: bool = True, devices: bool = True, claims: bool = True, prefix: str = ""
    ) -> None:
        self._prefix = f"{prefix}-" if prefix else ""
        self._nodes = nodes
        self._devices = devices
        self._claims = claims
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._claim_names: dict[tuple[str, str], str] = {}
        self._lengths: tuple[int, ...] = ()  # of names, the longest first
        self._starts: frozenset[str] = frozenset()
        self._known: dict[str, str] = {}

    def apply(self, documents: Iterable[Mapping[str, object]]) -> Iterator[Document]:
        """The objects, cut down and with names replaced.

        Raises:
            InventoryError: for an object that is not in the shape of the API.
        """
        kept = [one for document in documents if (one := _compact_checked(document)) is not None]
        if self._nodes:
            self._learn_nodes(kept)
        for document in kept:
            yield self._rewritten(document)

    def _learn_nodes(self, documents: Iterable[Document]) -> None:
        names: set[str] = set()
        for document in documents:
            if document["kind"] == "Node":
                names.add(str(document["metadata"].get("name")))
                names.add(str((document["metadata"].get("labels") or {}).get(_HOST_LABEL) or ""))
            spec = document.get("spec") or {}
            if spec.get("nodeName"):
                names.add(str(spec["nodeName"]))
            for device in spec.get("devices") or () if document["kind"] == "ResourceSlice" else ():
                if isinstance(device, dict) and device.get("nodeName"):
                    names.add(str(device["nodeName"]))
            names.update(_names_in_selectors(document))
        names.discard("")
        for number, name in enumerate(sorted(names), 1):
            self._names[name] = f"{self._prefix}node-{number:04d}"
        self._lengths = tuple(sorted({len(name) for name in self._names}, reverse=True))
        self._starts = frozenset(name[: self._lengths[-1]] for name in self._names)

    def _rewritten(self, document: Document) -> Document:
        kind = document["kind"]
        if self._claims and kind in ("ResourceClaim", "ResourceClaimTemplate"):
            metadata = document["metadata"]
            key = (str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
            document["metadata"] = {
                "name": self._claim_names.setdefault(
                    key, f"{self._prefix}claim-{len(self._claim_names) + 1}"
                ),
                "namespace": "default",
            }
        if self._devices and kind == "ResourceSlice":
            document["spec"] = self._without_identity(document["spec"])
        rewritten: Document = self._walk(document)
        return rewritten

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._renamed(value) if self._names else value
        if isinstance(value, list):
            return [self._walk(one) for one in value]
        if isinstance(value, dict):
            return {key: self._walk(one) for key, one in value.items()}
        return value

    def _renamed(self, text: str) -> str:
        """The text with the longest name that stands at each place replaced.

        A pattern of all names would be tried name by name: a fleet has thousands.
        """
        found = self._known.get(text)
        if found is None:
            found = self._find_names(text)
            if len(self._known) < _MOST_KNOWN:  # attributes say the same on most nodes
                self._known[text] = found
        return found

    def _find_names(self, text: str) -> str:
        parts: list[str] = []
        done = at = 0
        shortest = self._lengths[-1]
        while at + shortest <= len(text):
            length = 0
            if text[at : at + shortest] in self._starts:
                fitting = (each for each in self._lengths if text[at : at + each] in self._names)
                length = next(fitting, 0)
            if length:
                parts += [text[done:at], self._names[text[at : at + length]]]
                done = at + length
            at += length or 1
        return "".join([*parts, text[done:]])

    def _without_identity(self, spec: JsonMapping) -> Document:
        devices = []
        for device in spec.get("devices") or ():
            changed = dict(device)
            place = changed
            if isinstance(changed.get("basic"), dict):  # v1beta1
                changed["basic"] = place = dict(changed["basic"])
            attributes = place.get("attributes")
            if attributes is None or isinstance(attributes, dict):
                place["attributes"] = {
                    name: self._attribute(name, value) for name, value in (attributes or {}).items()
                }
            devices.append(changed)
        return {**spec, "devices": devices} if "devices" in spec else dict(spec)

    def _attribute(self, name: str, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("string"), str):
            return value
        text = value["string"]
        model = name.lower().endswith("deviceid") and _MODEL.fullmatch(text)
        if _IDENTIFYING.search(name) and not model and not _PREFIXED_UUID.fullmatch(text):
            return {"string": self._replacement(text)}
        return {"string": _UUID.sub(lambda found: self._replacement(found[0]), text)}

    def _replacement(self, text: str) -> str:
        return self._values.setdefault(text, f"{self._prefix}id-{len(self._values) + 1:06d}")


def _names_in_selectors(value: Any) -> Iterator[str]:
    """The node names in selectors on metadata.name, wherever they stand."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if one.get("key") == "metadata.name":
                yield from (str(name) for name in one.get("values") or ())
            pending += one.values()
        elif isinstance(one, list):
            pending += one
