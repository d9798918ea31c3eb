"""Pods on a cluster, one after the other, as the scheduler's plugin for devices takes them.

The simulation says what the plugin does, from PreEnqueue on; its answers are put into the form of
the protocol here. Sources: kubernetes pkg/scheduler/framework/plugins/dynamicresources (dynamicresources.go,
extendeddynamicresources.go) and dynamic-resource-allocation resourceclaim/claim.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.simulate.extended import CLAIM_NAME
from tests.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.releases import Features, Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import Cluster
    from dradsl.simulate.plugin.verdicts import PodReport, Verdict
    from dradsl.simulate.pods import Pod
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["answer_schedule"]

_SAME_SHARE_ID = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
_OPERATIONS = "skipNodeOperations"  # a field that older releases do not know
_NO_FIT = "UnschedulableAndUnresolvable"
_SUCCESS: Answer = {"code": "Success"}


def answer_schedule(question: Question, release: Release) -> list[Answer]:
    """One answer a pod: what each extension point says, and the claims as they are written."""
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.simulate.attempts import Simulation

    gates = gates_of(question, release, locked=True)
    cluster = _cluster(question, release, gates)
    simulation = Simulation(
        cluster, release, gates, CelSelectors(release, gates), plugin_alone=True
    )
    scores = simulation.plugin.scores
    return [_place(simulation, document, scores=scores) for document in _objects(question, "pods")]


def _objects(question: Question, key: str) -> list[dict[str, object]]:
    value = question.get(key) or []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise QuestionError(f"{key}: expected a list of objects")
    return value


def _cluster(question: Question, release: Release, gates: Features) -> Cluster:
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.simulate.cluster import ClusterBuilder

    builder = ClusterBuilder(
        ApiServer(release, gates), defaulted=bool(question.get("default")), nodes_known=True
    )
    kinds = {
        "slices": "ResourceSlice",
        "nodes": "Node",
        "classes": "DeviceClass",
        "claims": "ResourceClaim",
        "taintRules": "DeviceTaintRule",
        "running": "Pod",
    }
    try:
        for key, kind in kinds.items():
            for document in _objects(question, key):
                version = "v1" if kind in ("Node", "Pod") else "resource.k8s.io/v1"
                builder.add_recorded({"apiVersion": version, "kind": kind, **document})
        return builder.build()
    except InventoryError as error:
        raise QuestionError(str(error)) from error


def _pod(document: JsonMapping) -> Pod:
    """The pod; one without UID gets the one that the oracle makes up."""
    from dradsl.kube.pods.workloads import PodSpecAt
    from dradsl.simulate.cluster import Workload
    from dradsl.simulate.pods import the_pod

    metadata, spec = dict(document.get("metadata") or {}), document.get("spec") or {}
    name, namespace = metadata.get("name") or "", metadata.get("namespace") or "default"
    metadata.setdefault("uid", f"pod-{namespace}-{name}")
    at = PodSpecAt(("spec",), spec, metadata, named=True)
    return the_pod(Workload("Pod", name, namespace, at, "", document.get("status") or {}))


def _place(simulation: Simulation, document: JsonMapping, *, scores: bool) -> Answer:
    metadata = document.get("metadata") or {}
    namespace = metadata.get("namespace") or "default"
    answer: Answer = {"pod": f"{namespace}/{metadata.get('name')}", "chosen": None}
    pod = _pod(document)
    if not _uses_classes(simulation, pod):
        if not pod.claims:
            return answer | {"preFilter": {"code": "Skip"}}
        # Extended resources that no class stands behind are another plugin's business.
        pod = _pod(_without_extended(document))
    elif simulation.plugin.extended_first_form:
        # There the names made from classes do not count as extended resources.
        pod = _pod(_without_implicit(document))
    report = simulation.place(pod)
    pod, obstacle = report.pod, report.obstacle
    if obstacle is not None:
        code = "Error" if obstacle.is_error else _NO_FIT
        point = "preEnqueue" if obstacle.waits else "preFilter"
        reasons = [obstacle.reason or obstacle.text]
        return answer | {point: {"code": code, "reasons": reasons}}
    answer["preFilter"] = _SUCCESS
    by_node = {node.name: verdict for verdict in report.verdicts for node in verdict.nodes}
    order = [node.name for node in simulation.cluster.inventory.nodes]
    crash = next((by_node[n].text for n in order if by_node[n].error_kind == "input"), None)
    if crash is not None:
        return answer | {"error": crash, "errorKind": "crash"}
    answer["nodes"] = [_node(name, by_node[name]) for name in order]
    if report.node is None:
        return answer
    answer["chosen"] = report.node
    if scores:
        answer["scores"] = {n: by_node[n].score for n in order if by_node[n].kind == "fits"}
    answer["reserve"] = answer["preBind"] = _SUCCESS
    if report.never_binds is not None:
        answer["preBind"] = {"code": "Error", "reasons": [_why_not_bound(report)]}
        written = _written(simulation, pod)
        return answer | {"claims": sorted(written, key=lambda one: str(one["name"]))}
    _bound(simulation, report, answer)
    return answer


def _without_extended(document: Mapping[str, object]) -> dict[str, object]:
    from dradsl.simulate.extended import is_extended

    return _with_resources(
        document,
        lambda given: {name: v for name, v in given.items() if not is_extended(name)},
    )


def _without_implicit(document: Mapping[str, object]) -> dict[str, object]:
    """The pod with names made from classes spoilt; the order of names stays, it numbers requests."""
    from dradsl.simulate.extended import IMPLICIT

    native = IMPLICIT.replace("resource.", "resource-.")
    return _with_resources(
        document,
        lambda given: {name.replace(IMPLICIT, native): v for name, v in given.items()},
    )


def _with_resources(
    document: JsonMapping, change: Callable[[JsonMapping], JsonMapping]
) -> dict[str, object]:
    """The pod with other requests and limits of its containers."""

    def changed(container: JsonMapping) -> JsonObject:
        given = container.get("resources") or {}
        kinds = {kind: change(given[kind]) for kind in ("requests", "limits") if given.get(kind)}
        return {**container, "resources": {**given, **kinds}}

    spec = dict(document.get("spec") or {})
    for key in ("containers", "initContainers"):
        if spec.get(key):
            spec[key] = [changed(one) for one in spec[key]]
    return {**document, "spec": spec}


def _uses_classes(simulation: Simulation, pod: Pod) -> bool:
    """Whether the pod asks for an extended resource that a class stands behind."""
    from dradsl.simulate.extended import extended_resources

    return any(name in simulation.resources for name in extended_resources(pod.spec))


def _node(name: str, verdict: Verdict) -> Answer:
    if verdict.kind == "fits":
        return {"node": name, "code": "Success"}
    if verdict.rejection is not None:
        return {
            "node": name,
            "code": verdict.rejection.code,
            "reasons": list(verdict.rejection.reasons),
        }
    if verdict.kind == "error":
        return {"node": name, "code": "Error", "reasons": [verdict.text]}
    return {"node": name, "code": _NO_FIT, "reasons": [verdict.reason or verdict.text]}


def _written(simulation: Simulation, pod: Pod) -> list[Answer]:
    """The claims of the pod's namespace that have to do with it, as the API server has them."""
    own = {entry.key for entry in pod.claims}
    made = f"{pod.name}-extended-resources-"
    written = []
    for (namespace, name), claim in simulation.claims.items():
        if namespace != pod.namespace:
            continue
        consumers = (claim.get("status") or {}).get("reservedFor") or ()
        reserved = any(one.get("uid") == pod.consumer["uid"] for one in consumers)
        if reserved or (namespace, name) in own or name.startswith(made):
            written.append(_shown(namespace, name, claim))
    return written if simulation.plugin.checks_operations else _without(written, _OPERATIONS)


def _why_not_bound(report: PodReport) -> str:
    if report.rejected is None:
        if report.unwritable:
            return _rejected_status(report)
        text = f"nil or empty request mappings, no update of pod {report.pod.label}"
        return f"{text} ExtendedResourceClaimStatus"
    first, claim = report.rejected.first, "/".join(report.rejected.entry.key)
    if first is None:
        return f"add reservation to claim {claim}: Too many"
    if first.name in report.claims:
        return f"claim {claim} got allocated elsewhere in the meantime"
    return f"add reservation to claim {claim}: Duplicate value"


def _rejected_status(report: PodReport) -> str:
    """The API server's words for what may not stand in the status of the pod."""
    field = "status.nodeAllocatableResourceClaimStatuses"
    found = [field + problem.detail for problem in report.unwritable]
    words = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
    return (
        f"updating pod {report.pod.label} NodeAllocatableResourceClaimStatuses: "
        f'Pod "{report.pod.name}" is invalid: {words}'
    )


def _bound(simulation: Simulation, report: PodReport, answer: Answer) -> None:
    """The claims that are reserved for the pod, as they stand in the API server afterwards."""
    from dradsl.simulate.plugin.reserved import waits, with_consumer

    pod = report.pod
    bound = [simulation.claims[key] for key in {entry.key for entry in pod.claims}]
    written = _written(simulation, pod)
    if CLAIM_NAME in report.claims and report.extended is not None:
        claim = with_consumer(report.claims[CLAIM_NAME], pod.consumer)
        number = sum(1 for key in simulation.claims if "-extended-resources" in key[1]) - 1
        name = f"{pod.name}-extended-resources-{number}"
        bound.append(claim)
        written.append(_shown(pod.namespace, name, claim))
        answer["extendedResourceClaimStatus"] = {
            "requestMappings": list(report.extended.mappings),
            "resourceClaimName": name,
        }
    rules = simulation.plugin.node_rules
    if report.takes and rules is not None:
        answer["nodeAllocatableResourceClaimStatuses"] = [
            status.as_v1(rules) for status in report.takes
        ]
    answer["claims"] = sorted(written, key=lambda one: str(one["name"]))
    if simulation.binding_conditions_enabled and waits(bound):
        answer["preBind"] = {"code": "Wait"}


def _shown(namespace: str, name: str, claim: JsonMapping) -> Answer:
    status = claim.get("status") or {}
    allocation = _with_same_share_ids(status.get("allocation"))
    shown = {
        "namespace": namespace,
        "name": name,
        "reservedFor": status.get("reservedFor"),
        "allocation": _without(allocation, "allocationTimestamp"),
    }
    annotations = claim["metadata"].get("annotations")
    return shown | ({"annotations": annotations, "spec": claim["spec"]} if annotations else {})


def _with_same_share_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _SAME_SHARE_ID if key == "shareID" else _with_same_share_ids(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_with_same_share_ids(item) for item in value]
    return value


def _without(value: Any, name: str) -> Any:
    """A copy without the fields of this name, wherever they stand."""
    if isinstance(value, dict):
        return {key: _without(item, name) for key, item in value.items() if key != name}
    return [_without(item, name) for item in value] if isinstance(value, list) else value
