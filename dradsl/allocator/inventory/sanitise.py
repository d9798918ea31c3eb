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
# Labels and values that say nothing about a machine.
_PLAIN_LABELS = frozenset({_HOST_LABEL, "kubernetes.io/os", "kubernetes.io/arch"})
_PLAIN_VALUES = frozenset({"", "true", "false", "present"})

# The scheduler takes the oldest default class of an extended resource, and rejects claims that are being deleted.
_MORE_METADATA = {"DeviceClass": ("creationTimestamp",), "ResourceClaim": ("deletionTimestamp",)}
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
            for key in ("name", "namespace", *_MORE_METADATA.get(str(kind), ()))
            if key in metadata
        },
    }
    spec, status = document.get("spec") or {}, document.get("status") or {}
    if kind == "Node":
        if metadata.get("labels"):
            kept["metadata"]["labels"] = dict(metadata["labels"])
        kept["spec"] = {key: spec[key] for key in ("taints", "unschedulable") if spec.get(key)}
        kept["status"] = {
            key: status[key] for key in ("allocatable", "declaredFeatures") if status.get(key)
        }
        return kept
    kept["spec"] = spec
    if kind == "ResourceClaim" and status.get("allocation"):
        kept["status"] = {"allocation": dict(status["allocation"])}
        if status.get("devices"):
            kept["status"]["devices"] = [_reported(one) for one in status["devices"]]
        if status.get("reservedFor"):
            kept["status"]["reservedFor"] = _unnamed(status["reservedFor"])
    return kept


def _reported(device: Any) -> Any:
    """What a driver reports of an allocated device, without its own data, addresses and messages."""
    if not isinstance(device, dict):
        return device
    kept = {key: device[key] for key in ("driver", "pool", "device", "shareID") if key in device}
    conditions = device.get("conditions")
    if isinstance(conditions, list):
        kept["conditions"] = [
            {key: one[key] for key in ("type", "status", "reason") if key in one}
            for one in conditions
            if isinstance(one, dict)
        ]
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
    addresses in attributes; `claims`: names and namespaces of claims. `prefix` is before new names.

    Opaque parameters are emptied. Of a node's labels those are kept that a node selector of any of the objects
    uses, and of the values of taints those that a toleration names; `labels` are the keys of more, `*` for any
    characters.
    """

    def __init__(
        self,
        *,
        nodes: bool = True,
        devices: bool = True,
        claims: bool = True,
        labels: Iterable[str] = (),
        prefix: str = "",
    ) -> None:
        self.kept_labels: set[str] = set()
        self.dropped_labels: set[str] = set()
        self.emptied = 0  # configurations with opaque parameters
        self.replaced_taints = 0
        self._wanted = re.compile(
            "|".join(re.escape(one).replace(r"\*", ".*") for one in labels) or "(?!)"
        )
        self._selected = set(_PLAIN_LABELS)
        self._tolerated: set[tuple[str, str]] = set()
        self._taints: dict[str, str] = {}
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
        kept = []
        for document in documents:
            self._learn_uses(document)
            if (one := _compact_checked(document)) is not None:
                kept.append(one)
        if self._nodes:
            self._learn_nodes(kept)
        for document in kept:
            yield self._rewritten(document)

    def _learn_uses(self, document: Mapping[str, object]) -> None:
        """Take in which labels are selected and which values of taints are tolerated, by pods and workloads too."""
        pending: list[Any] = [document]
        while pending:
            one = pending.pop()
            if isinstance(one, list):
                pending += one
                continue
            if not isinstance(one, dict):
                continue
            for key, value in one.items():
                if key == "parameters" or not isinstance(value, dict | list):
                    continue
                if key == "nodeSelector" and isinstance(value, dict):
                    self._selected.update(value)
                elif key == "nodeSelectorTerms":
                    self._selected.update(str(each.get("key")) for each in _expressions(value))
                elif key == "tolerations":
                    self._tolerated.update(
                        (str(each.get("key") or ""), str(each.get("value")))
                        for each in value
                        if isinstance(each, dict)
                    )
                pending.append(value)

    def _without_labels(self, node: Document) -> None:
        """Leave out the labels of a node that nothing selects."""
        labels = {str(k): v for k, v in (node["metadata"].pop("labels", None) or {}).items()}
        kept = {k: v for k, v in labels.items() if k in self._selected or self._wanted.fullmatch(k)}
        if kept:
            node["metadata"]["labels"] = kept
        self.kept_labels.update(kept)
        self.dropped_labels.update(labels.keys() - kept.keys())

    def _taint(self, taint: Any) -> Any:
        """A taint without a value that no toleration names; an empty value would be tolerated by others."""
        if not isinstance(taint, dict):
            return taint
        key, value = str(taint.get("key")), str(taint.get("value") or "")
        if value in _PLAIN_VALUES or self._wanted.fullmatch(key):
            return taint
        if (key, value) in self._tolerated or ("", value) in self._tolerated:
            return taint
        self.replaced_taints += 1
        name = self._taints.setdefault(value, f"{self._prefix}value-{len(self._taints) + 1}")
        return {**taint, "value": name}

    def _without_parameters(self, holder: Any) -> Any:
        """A class, or the devices of a claim or of its allocation, without opaque parameters."""
        if not isinstance(holder, dict) or not isinstance(holder.get("config"), list):
            return holder
        return {**holder, "config": [self._emptied(one) for one in holder["config"]]}

    def _emptied(self, one: Any) -> Any:
        if not isinstance(one, dict) or not isinstance(one.get("opaque"), dict):
            return one
        self.emptied += 1
        opaque = {"driver": one["opaque"].get("driver"), "parameters": {}}
        return {**one, "opaque": opaque}

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
        for one in (document.get("status") or {}).get(
            "reservedFor", ()
        ):  # others than of other claims
            one["name"] = one["uid"] = f"{one['name']}-of-{document['metadata'].get('name')}"
        self._cut(document)
        if self._devices and kind == "ResourceSlice":
            document["spec"] = self._without_identity(document["spec"])
        rewritten: Document = self._walk(document)
        return rewritten

    def _cut(self, document: Document) -> None:
        kind, spec, status = document["kind"], document["spec"], document.get("status") or {}
        if kind == "Node":
            self._without_labels(document)
            if "taints" in spec:
                spec["taints"] = [self._taint(one) for one in spec["taints"]]
        elif kind == "DeviceTaintRule":
            document["spec"] = {**spec, "taint": self._taint(spec.get("taint"))}
        elif kind == "DeviceClass":
            document["spec"] = self._without_parameters(spec)
        elif kind == "ResourceClaimTemplate":
            claim = self._claim_part(spec.get("spec"))
            document["spec"] = {**spec, "spec": claim}
        elif kind == "ResourceClaim":
            document["spec"] = self._claim_part(spec)
            if "allocation" in status:
                status["allocation"] = self._claim_part(status["allocation"])

    def _claim_part(self, holder: Any) -> Any:
        if not isinstance(holder, dict) or "devices" not in holder:
            return holder
        return {**holder, "devices": self._without_parameters(holder["devices"])}

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._renamed(value) if self._names else value
        if isinstance(value, list):
            return [self._walk(one) for one in value]
        if isinstance(value, dict):
            return {key: self._walk(one) for key, one in value.items()}
        return value

    def _renamed(self, text: str) -> str:
        """The text with the longest name that is at each place replaced.

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


def _expressions(terms: Any) -> Iterator[Mapping[str, Any]]:
    """What the terms of a node selector ask of labels."""
    for term in terms if isinstance(terms, list) else ():
        found = term.get("matchExpressions") if isinstance(term, dict) else None
        yield from (one for one in found or () if isinstance(one, dict))


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
