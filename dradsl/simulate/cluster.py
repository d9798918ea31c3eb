"""A cluster put together from plain objects: recorded ones, and manifests as the server takes them.

Recorded objects (slices, nodes, claims that hold devices, classes, taint rules) are taken as they
are. Manifests of resource.k8s.io go through what the API server does first: defaults, dropping of
gated fields, validation. What that changed or rejected is noted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from dradsl.allocator.engine.plan import ClassRecord, read_class
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.inventory.shape import (
    path_text,
    pod_status_problem,
    pod_type_problem,
    type_problem,
)
from dradsl.allocator.inventory.slices import (
    Inventory,
    InventoryError,
    Slice,
    SliceReader,
    read_node,
)
from dradsl.allocator.inventory.taints import apply_rules
from dradsl.allocator.switches import plugin_of
from dradsl.kube.fields.conversion import to_v1
from dradsl.kube.fields.defaulting import default
from dradsl.kube.pods.workloads import pod_specs
from dradsl.recordings import installs
from dradsl.simulate.controllers.compute_domains import channel_template, is_compute_domain
from dradsl.simulate.controllers.daemon_sets import daemon_nodes
from dradsl.simulate.extended import extended_resources
from dradsl.simulate.input.ailments import (
    contradictions,
    gone,
    twice,
    unhealthy,
    unhealthy_in_pod,
    unread_fields,
)
from dradsl.simulate.input.node_list import all_nodes
from dradsl.simulate.input.notes import Note
from dradsl.simulate.input.origins import Origins
from dradsl.simulate.input.workload import Running, Workload
from dradsl.simulate.pod_claims import Key
from dradsl.values.plain import mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.errors import FieldError
    from dradsl.kube.fields.typed_dicts import (
        DeviceClassDict,
        DeviceClassSpecDict,
        ResourceClaimDict,
        ResourceClaimTemplateDict,
    )
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["Cluster", "ClusterBuilder", "Key", "Note", "Running", "Workload"]

GROUP = "resource.k8s.io"
SCHEDULING_GROUP = "scheduling.k8s.io"
DEFAULT_NAMESPACE = "default"

Document: TypeAlias = "JsonObject"


@dataclass(slots=True)
class Cluster:
    """Everything that a simulation starts from."""

    inventory: Inventory
    classes: dict[str, ClassRecord]
    class_documents: dict[str, DeviceClassDict]
    claims: dict[Key, ResourceClaimDict]
    templates: dict[Key, ResourceClaimTemplateDict]
    workloads: list[Workload]
    state: AllocatedState
    rejected: dict[tuple[str, str, str], str]
    notes: list[Note]
    running: list[Running] = field(default_factory=list)


class ClusterBuilder:
    """Collects objects; `build` makes a cluster of them.

    `server` is the API server that manifests go through, and that is told their namespaces.
    `known_class` finds classes that drivers are known to install; `known_resource` such a class by
    driver and extended resource, `replaced_by` the drivers that take the place of the device plugin of an
    extended resource. `defaulted`: recorded claims and templates lack what the API server
    fills in, because they were written by hand (what it has filled in stays as it is).
    `nodes_known`: no node but those given is there; else slices name the nodes if none is given.
    """

    def __init__(
        self,
        server: ApiServer,
        *,
        known_class: Callable[[str], ClassRecord | None] | None = None,
        known_resource: Callable[[str, str], ClassRecord | None] | None = None,
        replaced_by: Callable[[str], frozenset[str]] | None = None,
        defaulted: bool = True,
        nodes_known: bool = False,
    ) -> None:
        self._server = server
        self._release = server.release
        self._features = server.features
        self._known_class = known_class
        self._known_resource = known_resource
        self._replaced_by = replaced_by
        self._defaulted = defaulted
        self._nodes_known = nodes_known
        self._reader = SliceReader()
        self._slices: dict[str, Slice] = {}
        self._nodes: dict[str, Node] = {}
        self._added_slices: set[str] = set()
        self._added_nodes: dict[str, Node] = {}
        self._origins = Origins()
        self._rules: list[Document] = []
        self._allocated: list[ResourceClaimDict] = []
        self._classes: dict[str, DeviceClassDict] = {}
        self._claims: dict[Key, ResourceClaimDict] = {}
        self._templates: dict[Key, ResourceClaimTemplateDict] = {}
        self._workloads: list[Workload] = []
        self._rejected: dict[tuple[str, str, str], str] = {}
        self._running: list[Running] = []
        self._manifests: list[tuple[Document, str]] = []
        self.notes: list[Note] = []
        self._installing: Counter[str] = Counter()

    def add_recorded(
        self, document: Document, origin: str = "", *, new: bool = False, whole: bool = True
    ) -> None:
        """An object of a running cluster, of any API version; `new`: the cluster is to get it. Not `whole`: what a
        Node does not state is unknown, as for a node that only slices name.

        Raises:
            InventoryError: if the object is not in the shape of the API.
        """
        kind = document.get("kind")
        try:
            if kind in ("ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass"):
                document = to_v1(document)
            wrong = None if kind == "ResourceSlice" else type_problem(document)
            if wrong is None:
                if kind in ("ResourceClaim", "ResourceClaimTemplate"):
                    document = _without_nulls(document)
                if self._defaulted and kind in ("ResourceClaim", "ResourceClaimTemplate"):
                    document = default(document)
                self._add_recorded(str(kind), document, origin, new=new, whole=whole)
                return
        except (AttributeError, TypeError, KeyError):
            wrong = "not in the shape of the API"
        raise InventoryError(f"{kind} {_name(document)}: {wrong}")

    def _add_recorded(
        self, kind: str, document: Document, origin: str, *, new: bool, whole: bool
    ) -> None:
        metadata = document.get("metadata") or {}
        name = str(metadata.get("name") or "")
        match kind:
            case "ResourceSlice":
                entry = self._reader.read(document)
                unique = entry.name or f"slice-{len(self._slices)}"
                self._origins.slice(unique, entry, self._slices.get(unique), origin)
                if unique in self._slices:
                    self.notes.append(
                        Note("ignored", f"ResourceSlice {unique}", "an earlier one has this name")
                    )
                    return
                self._slices[unique] = entry
                if new:
                    self._added_slices.add(unique)
            case "Node":
                node = replace(read_node(document), known=whole)
                self._origins.node(node, origin)
                (self._added_nodes if new else self._nodes)[name] = node
            case "DeviceTaintRule":
                self._rules.append(document)
            case "DeviceClass":
                self._classes[name] = cast("DeviceClassDict", document)
            case "ResourceClaim":
                claim = cast("ResourceClaimDict", document)
                self._claims[_key(document)] = claim
                if (claim.get("status") or {}).get("allocation"):
                    self._allocated.append(claim)
                    self.notes += unhealthy(claim)
            case "ResourceClaimTemplate":
                self._templates[_key(document)] = cast("ResourceClaimTemplateDict", document)
            case "Pod":
                self._add_running(document)
                self.notes += unhealthy_in_pod(document)
            case _:
                what = f"{kind} {name}" if isinstance(kind, str) else "an object without kind"
                where = f" ({origin})" if origin else ""
                self.notes.append(Note("ignored", what, f"no part of an inventory{where}"))

    def _add_running(self, document: Document) -> None:
        spec, status = document.get("spec") or {}, document.get("status") or {}
        namespace, name = _key(document)
        wrong = pod_type_problem(spec) or pod_status_problem(status)
        if wrong is not None:
            raise InventoryError(f"Pod {name}: {wrong}")
        if spec.get("nodeName") and status.get("phase") not in ("Succeeded", "Failed"):
            uid = _metadata(document).get("uid") or f"pod-{namespace}-{name}"
            statuses = status.get("nodeAllocatableResourceClaimStatuses") or ()
            node, typed = str(spec["nodeName"]), cast("PodSpecDict", spec)
            self._running.append(Running(node, namespace, str(uid), typed, statuses, document))

    def add_manifest(self, document: Document, origin: str = "") -> None:
        """An object that a user is about to create.

        Raises:
            InventoryError: if a node is not in the shape of the API.
        """
        if document.get("kind") == "Node":
            self.add_recorded(document, new=True)
            return
        if document.get("kind") == "Namespace":
            self._server.add_namespace(document)
        # What the server says of an object depends on namespaces that may follow it.
        self._manifests.append((document, origin))

    def _create(self, document: Document, origin: str) -> None:
        kind = str(document.get("kind") or "")
        group = str(document.get("apiVersion") or "").partition("/")[0]
        if group == GROUP:
            self._admit(kind, document, origin)
        elif group == SCHEDULING_GROUP:
            problems = self._server.group_problems(document)
            if not self._reject(kind, document, [problem.error for problem in problems]):
                self.notes += _about_group(kind, document)
        elif is_compute_domain(document):
            self._make_channel(document, origin)
        elif installs(document):
            self._installing[kind] += 1
        else:
            self._add_workloads(kind, document, origin)

    def _reject(self, kind: str, document: Document, errors: Sequence[FieldError]) -> bool:
        """Note what the server rejects an object for, if anything; whether it does."""
        if not errors:
            return False
        namespace, name = _key(document)
        text = "; ".join(map(str, errors))
        self._rejected[kind, namespace, name] = text
        self.notes.append(Note("rejected", f"{kind} {_name(document)}", text))
        return True

    def _admit(self, kind: str, document: Document, origin: str) -> None:
        admission = self._server.create(document)
        namespace, name = _key(document)
        subject = f"{kind} {_name(document)}"
        for dropped in admission.dropped:
            gates = " and ".join(dropped.gates)
            text = f"{path_text(dropped.path)} is dropped: needs {gates}"
            self.notes.append(Note("dropped", subject, text))
        if self._reject(kind, document, [problem.error for problem in admission.problems]):
            return
        stored = admission.object
        if stored is None:
            return
        match kind:
            case "ResourceSlice":
                self.add_recorded(stored, new=True)
            case "DeviceClass":
                self._classes[name] = cast("DeviceClassDict", stored)
            case "ResourceClaim":
                self._claims[namespace, name] = cast("ResourceClaimDict", stored)
                # What is being created cannot bring its own allocation along.
                if document.get("status"):
                    self.notes.append(Note("ignored", subject, "its status: the server clears it"))
            case "ResourceClaimTemplate":
                self._templates[namespace, name] = cast("ResourceClaimTemplateDict", stored)
            case "DeviceTaintRule":
                self._rules.append(stored)

    def _make_channel(self, document: Document, origin: str) -> None:
        """Do what the controller of ComputeDomains does."""
        template = channel_template(document)
        if template is None or _key(template) in self._templates:
            return
        self._admit("ResourceClaimTemplate", template, origin)
        text = f"taken as the controller of ComputeDomain {_name(document)} makes it"
        self.notes.append(Note("assumed", f"ResourceClaimTemplate {_name(template)}", text))

    def _add_workloads(self, kind: str, document: Document, origin: str) -> None:
        metadata = _metadata(document)
        name = str(metadata.get("name") or metadata.get("generateName") or kind.lower())
        namespace = str(metadata.get("namespace") or DEFAULT_NAMESPACE)
        found = list(pod_specs(document))
        unread = self._server.workload(document)
        values = self._server.workload_values(document, unread)
        unread += [each for each in values if str(each.value)[:2] not in ("${", "$$")]  # variables
        for number, at in enumerate(found):
            errors = self._server.pod(at.spec, at.annotations, at.path, decoded=unread)
            if self._reject(kind, document, [*unread, *errors]):
                continue
            wrong = pod_type_problem(at.spec)
            status = document.get("status") if at.named else None
            if wrong is None:
                wrong = pod_status_problem(status)
            if wrong is not None:
                place = path_text(at.path).removesuffix("spec") + wrong
                self.notes.append(Note("rejected", f"{kind} {name}", place))
                continue
            suffix = f"-{number}" if len(found) > 1 else ""
            self._workloads.append(
                Workload(kind, name + suffix, namespace, at, origin, status or {})
            )

    def build(self) -> Cluster:
        """The cluster of all objects added.

        Raises:
            InventoryError: if files mean different objects by one name.
        """
        manifests, self._manifests = self._manifests, []
        for document, origin in manifests:
            self._create(document, origin)
        slices: Sequence[Slice] = tuple(self._slices.values())
        # Before 1.35 the one gate was for both.
        gates = {"DRADeviceTaints", "DRADeviceTaintRules"} & set(self._release.gates)
        if self._rules and all(gate in self._features for gate in gates):
            bare = plugin_of(self._release.name).bare_rules_apply
            slices = apply_rules(slices, self._rules, bare_rules_apply=bare)
        elif self._rules:
            off = ", ".join(sorted(gate for gate in gates if gate not in self._features))
            text = f"DeviceTaintRules do nothing: {off} is off"
            self.notes.append(Note("ignored", "DeviceTaintRule", text))
        traits = {device.traits for entry in slices for device in entry.devices}
        takes = any(one.node_resources or one.node_mappings for one in traits)
        if takes and "DRANodeAllocatableResources" not in self._features:
            text = "cpu, memory and huge pages of devices are ignored: feature gate DRANodeAllocatableResources is off"
            self.notes.append(Note("ignored", "ResourceSlice", text))
        inventory = Inventory(slices, self._all_nodes())
        self._origins.check(inventory.pools)
        for kind, count in self._installing.items():
            text = f"what {count:,} of them install is not visible here: give what they render, too"
            self.notes.append(Note("ignored", kind, text))
        self.notes += unread_fields(self._reader.unread)
        self.notes += contradictions(inventory)
        self.notes += gone(self._allocated, inventory)
        if self._replaced_by is not None:
            self.notes += twice(inventory, inventory.nodes, self._replaced_by)
        self._note_daemons(inventory.nodes)
        consumable = "DRAConsumableCapacity" in self._features
        state = AllocatedState.of_claims(self._allocated, consumable=consumable)
        classes = {name: read_class(document) for name, document in self._classes.items()}
        self._assume_classes(classes)
        documents = dict(self._classes)
        self._assume_resources(classes, documents, inventory)
        return Cluster(
            inventory,
            classes,
            documents,
            dict(self._claims),
            dict(self._templates),
            list(self._workloads),
            state,
            dict(self._rejected),
            list(self.notes),
            list(self._running),
        )

    def _all_nodes(self) -> Sequence[Node]:
        if self._nodes_known:
            return tuple(self._nodes.values())
        old = [entry for name, entry in self._slices.items() if name not in self._added_slices]
        new = [entry for name, entry in self._slices.items() if name in self._added_slices]
        found, notes = all_nodes(self._nodes, self._added_nodes, old, new)
        self.notes += notes
        return found

    def _note_daemons(self, nodes: Sequence[Node]) -> None:
        for workload in self._workloads:
            if workload.at.per_node:
                count = len(daemon_nodes(workload, nodes))
                text = f"one pod for each of the nodes that it admits: {count} of {len(nodes)}"
                self.notes.append(Note("assumed", workload.label, text))

    def _assume_classes(self, classes: dict[str, ClassRecord]) -> None:
        """Add missing classes as the charts of the drivers install them."""
        if self._known_class is None:
            return
        for document in (*self._claims.values(), *self._templates.values()):
            for name in _class_names(document):
                if name in classes or ("DeviceClass", DEFAULT_NAMESPACE, name) in self._rejected:
                    continue
                known = self._known_class(name)
                if known is not None:
                    classes[name] = known
                    text = "not in the input; taken as its driver installs it"
                    self.notes.append(Note("assumed", f"DeviceClass {name}", text))

    def _assume_resources(
        self,
        classes: dict[str, ClassRecord],
        documents: dict[str, DeviceClassDict],
        inventory: Inventory,
    ) -> None:
        """Add classes for extended resources that pods ask for, of drivers that publish slices."""
        offered = {
            (document.get("spec") or {}).get("extendedResourceName")
            for document in documents.values()
        }
        drivers = sorted({entry.driver for entry in inventory.slices})
        for resource in sorted({r for w in self._workloads for r in extended_resources(w.spec)}):
            if self._known_resource is None or resource in offered:
                continue
            for driver in drivers:
                known = self._known_resource(driver, resource)
                if known is not None and known.name not in documents:
                    classes.setdefault(known.name, known)
                    spec: DeviceClassSpecDict = {"extendedResourceName": resource}
                    documents[known.name] = {"metadata": {"name": known.name}, "spec": spec}
                    text = f"not in the input; taken for {resource} as its driver installs it"
                    self.notes.append(Note("assumed", f"DeviceClass {known.name}", text))


def _about_group(kind: str, document: Mapping[str, object]) -> Iterator[Note]:
    """What is not done for a group of pods."""
    if kind != "PodGroup":
        return
    gang = member(document, "spec", "schedulingPolicy", "gang")
    subject = f"PodGroup {_name(document)}"
    if isinstance(gang, dict):
        text = (
            f"its pods are placed one by one; where the gate GenericWorkload is on, {gang.get('minCount')} "
            "of them start together or none"
        )
        yield Note("ignored", subject, text)
    if member(document, "spec", "resourceClaims"):
        yield Note("ignored", subject, "its claims, which its pods share, are not made")


def _class_names(document: JsonMapping) -> list[str]:
    spec = document.get("spec") or {}
    if document.get("kind") == "ResourceClaimTemplate":
        spec = spec.get("spec") or {}
    names: list[str] = []
    for request in filter(None, (spec.get("devices") or {}).get("requests") or ()):
        asks = (request.get("exactly") or {}, *(request.get("firstAvailable") or ()))
        names += [str(ask["deviceClassName"]) for ask in asks if ask.get("deviceClassName")]
    return names


def _without_nulls(value: Any) -> Any:
    """The value without what stands for nothing: so the API server has it. Parameters of drivers are
    their own business."""
    if isinstance(value, dict):
        return {
            key: item if key == "parameters" else _without_nulls(item)
            for key, item in value.items()
            if item is not None
        }
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _key(document: Mapping[str, object]) -> Key:
    metadata = _metadata(document)
    namespace = str(metadata.get("namespace") or DEFAULT_NAMESPACE)
    return namespace, str(metadata.get("name") or "")


def _metadata(document: Mapping[str, object]) -> Mapping[str, object]:
    return mapping_at(document, "metadata")


def _name(document: Mapping[str, object]) -> str:
    metadata = _metadata(document)
    names = (metadata.get("name"), metadata.get("generateName"))
    return next((name for name in names if isinstance(name, str) and name), "(without name)")
