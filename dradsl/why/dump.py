"""The objects of a cluster by kind, namespace and name, as a dump or kubectl gives them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias, cast

from dradsl.allocator.inventory.slices import InventoryError
from dradsl.kube.fields.conversion import to_v1
from dradsl.values.plain import mapping_at, mappings_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict, PodStatusDict

__all__ = [
    "Document",
    "Dump",
    "LIST_READ",
    "VERSION",
    "conditions_of",
    "Key",
    "key_of",
    "is_plugin",
    "label_of",
    "lighter",
    "socket_of",
    "spec_of",
    "status_of",
    "words_of",
]

Document: TypeAlias = "dict[str, object]"
Key = tuple[str, str]
LIST_READ, VERSION = "ListRead", "Version"
"""What is in a dump of a live cluster for a list that was read, and for the API server's version."""

_ALPHA = ("/v1alpha1", "/v1alpha2", "/v1alpha3")  # what 1.32 and older serve
# Upstream: SyncPod of pkg/kubelet/kuberuntime/kuberuntime_manager.go, and startContainer.
_FIRST = "FailedPrepareDynamicResources FailedMount FailedAttachVolume FailedMapVolume NetworkNotReady FailedCreatePodSandBox"
_ORDER = (_FIRST, "Pulling", "Pulled", "Created", "Started")
_DEVICES = ("ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass")


def spec_of(pod: Document) -> PodSpecDict:
    """The spec of a pod, whose types were looked at when the cluster was put together."""
    return cast("PodSpecDict", mapping_at(pod, "spec"))


def status_of(pod: Document) -> PodStatusDict:
    """The status of such a pod."""
    return cast("PodStatusDict", mapping_at(pod, "status"))


def key_of(document: Mapping[str, object]) -> Key:
    metadata = mapping_at(document, "metadata")
    return str(metadata.get("namespace") or "default"), str(metadata.get("name") or "")


def label_of(document: Mapping[str, object]) -> str:
    space = mapping_at(document, "metadata").get("namespace")
    return f"{document.get('kind')} {f'{space}/' if space else ''}{key_of(document)[1]}"


def conditions_of(document: object, *path: str) -> dict[str, Mapping[str, object]]:
    """The conditions of an object (or the list at `path`), by their types."""
    found = mappings_at(document, *(path or ("status", "conditions")))
    return {str(one.get("type")): one for one in found}


def words_of(said: Mapping[str, object]) -> str:
    """The reason and the message of a condition or state."""
    return ": ".join(str(said[key]) for key in ("reason", "message") if said.get(key))


_OF_PODS = ("nodeName", "overhead", "resources", "schedulerName")
_OF_CONTAINERS = ("name", "resources", "restartPolicy")
_OF_METADATA = ("name", "namespace", "uid", "ownerReferences", "deletionTimestamp", "finalizers")
_PLUGIN = re.compile(r"(^|-)dra(-|net|cpu|$)|kubelet-?plugin|resource-driver")
_OF_CSI = "driver-registrar"  # the container that registers CSI drivers


def is_plugin(document: Document) -> bool:
    """Whether a pod or DaemonSet is, by its name or its mounts, a plugin of a DRA driver."""
    return _PLUGIN.search(key_of(document)[1]) is not None or bool(socket_of(document))


def socket_of(document: Document) -> str:
    """The folder of sockets of kubelet plugins that a pod or DaemonSet mounts, and registers no CSI driver there."""
    spec = mapping_at(document, "spec")
    spec = mapping_at(spec, "template", "spec") or spec
    paths = [str(mapping_at(one, "hostPath").get("path")) for one in mappings_at(spec, "volumes")]
    boxes = [f"{one.get('name')} {one.get('image')}" for one in mappings_at(spec, "containers")]
    found = [one for one in paths if one.rstrip("/").endswith("plugins_registry")]
    return found[0] if found and not any(_OF_CSI in one for one in boxes) else ""


def lighter(document: Document, name: str = "") -> Document:
    """A pod that has a node and no claims, without what only an answer about it reads; other objects, plugins of
    drivers, pods that are not in order, and pods whose names begin with `name`, as they are."""
    spec, status = mapping_at(document, "spec"), mapping_at(document, "status")
    metadata = mapping_at(document, "metadata")
    kept = (name or "kube-scheduler-", "kube-scheduler-", "kube-apiserver-")  # arguments have gates
    own = is_plugin(document) or str(metadata.get("name")).startswith(kept)
    if document.get("kind") != "Pod" or own or not spec.get("nodeName"):
        return document
    if spec.get("resourceClaims") or status.get("extendedResourceClaimStatus"):
        return document
    waits = any(not one.get("ready") for one in mappings_at(status, "containerStatuses"))
    if status.get("phase") != "Succeeded" and (waits or status.get("phase") != "Running"):
        return document
    short: Document = {key: spec[key] for key in _OF_PODS if key in spec}
    for field in (one for one in ("containers", "initContainers") if one in spec):
        boxes = mappings_at(spec, field)
        short[field] = [{key: one[key] for key in _OF_CONTAINERS if key in one} for one in boxes]
    return {
        "kind": "Pod",
        "metadata": {key: metadata[key] for key in _OF_METADATA if key in metadata},
        "spec": short,
        "status": {"phase": status.get("phase")},
    }


class Dump:
    """Objects by kind; the last of one name counts. Objects of `resource.k8s.io` are those of v1. `unread` are objects of
    versions that are not read, `hidden` lists that an answer needs and a cluster does not show."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._kinds: dict[str, dict[Key, Document]] = {}
        self._owned: dict[str, list[Document]] = {}
        self.unread: list[str] = []
        self.hidden: list[str] = []
        self.add(documents)

    def add(self, documents: Iterable[Document]) -> None:
        """Put more objects in."""
        for document in documents:
            kind = str(document.get("kind") or "")
            if kind in _DEVICES:
                if str(document.get("apiVersion")).endswith(_ALPHA):
                    self.unread.append(
                        f"{label_of(document)} is of {document.get('apiVersion')}, which is not read"
                    )
                    continue
                document = _converted(document, kind)
            self._kinds.setdefault(kind, {})[key_of(document)] = document
        self._owned.clear()
        for found in self._kinds.values():
            for document in found.values():
                for owner in mappings_at(document, "metadata", "ownerReferences"):
                    self._owned.setdefault(str(owner.get("uid") or ""), []).append(document)

    def all(self, kind: str) -> Iterable[Document]:
        """The objects of a kind."""
        return self._kinds.get(kind, {}).values()

    def get(self, kind: str, key: Key) -> Document | None:
        """The object of that kind and key; None if the dump has none."""
        return self._kinds.get(kind, {}).get(key)

    @property
    def claims(self) -> Mapping[Key, ResourceClaimDict]:
        """The claims; the types in them were looked at when the cluster was put together."""
        return cast("Mapping[Key, ResourceClaimDict]", self._kinds.get("ResourceClaim", {}))

    def has(self, kind: str) -> bool:
        """Whether there is any object of this kind, or a cluster was asked for them."""
        return bool(self._kinds.get(kind)) or ("default", kind) in self._kinds.get(LIST_READ, {})

    def keys(self, kind: str) -> Iterable[Key]:
        """The keys of the objects of a kind."""
        return self._kinds.get(kind, {}).keys()

    def owned_by(self, document: Mapping[str, object]) -> Sequence[Document]:
        """The objects that name this one as an owner."""
        uid = mapping_at(document, "metadata").get("uid")
        return self._owned.get(str(uid), ()) if uid else ()

    @property
    def counts(self) -> dict[str, int]:
        """How many objects of each kind there are."""
        kinds = sorted(self._kinds.keys() - {"", LIST_READ, VERSION})
        return {kind: len(self._kinds[kind]) for kind in kinds}

    def events(self, document: Mapping[str, object]) -> list[tuple[str, str]]:
        """Reason and message of what is said about an object, the newest first, each once, but what the kubelet got over."""
        key, kind = key_of(document), document.get("kind")
        found: dict[tuple[str, str], str] = {}
        for event in self.all("Event"):
            about = mapping_at(event, "involvedObject") or mapping_at(event, "regarding")
            name = (str(about.get("namespace") or "default"), str(about.get("name") or ""))
            uid = about.get("uid")
            own = mapping_at(document, "metadata").get("uid")
            if name != key or about.get("kind") != kind or (uid and own and uid != own):
                continue
            text = str(event.get("message") or event.get("note") or "")
            said = (str(event.get("reason") or ""), text)
            found[said] = max(found.get(said, ""), _time(event))
        order = {reason: n for n, some in enumerate(_ORDER) for reason in some.split()}
        at = [(order[one[0]], when) for one, when in found.items() if one[0] in order]
        past = {o for o in found if any(n > order.get(o[0], n) and w > found[o] for n, w in at)}
        return sorted((o for o in found if o not in past), key=lambda o: found[o], reverse=True)

    def __iter__(self) -> Iterator[Document]:
        return (document for found in self._kinds.values() for document in found.values())


def _converted(document: Document, kind: str) -> Document:
    """An object of `resource.k8s.io` as v1 has it.

    Raises:
        InventoryError: if it is not in the shape of the API.
    """
    try:
        return to_v1(document)
    except (AttributeError, TypeError, KeyError) as error:
        name = key_of(document)[1]
        raise InventoryError(f"{kind} {name}: not in the shape of the API") from error


def _time(event: Mapping[str, object]) -> str:
    series = mapping_at(event, "series")
    given = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    return str(next((one for one in given if one), ""))
