"""The smallest change to a pod, besides its claims, that lets it start; each is tried before it is named."""

from __future__ import annotations

import copy
import itertools
import re
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from dradsl.allocator.explain.node import show_amount
from dradsl.records import Record
from dradsl.simulate.input.ailments import results_of
from dradsl.simulate.nodes.placement import why_not
from dradsl.simulate.nodes.requests import allocatable_of
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import TriedChange
from dradsl.why.dump import key_of
from dradsl.why.fixes import difference, either
from dradsl.why.holders import held_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import AffinityDict, PodSpecDict, TaintDict, TolerationDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.pods import Pod
    from dradsl.values.json_types import JsonObject
    from dradsl.why.answer import DeviceUse
    from dradsl.why.dump import Document, Dump, Key
    from dradsl.why.world import RecordedCluster

__all__ = [
    "CLAIM_FIELDS",
    "own_claim",
    "share_claim",
    "similar_name",
    "spelled_alike",
    "try_placement",
]

_NODES = 12
_GIVES_UP = re.compile(r"\b(drop|request|ask for|end pod|bring) ")
_TRIALS = 60
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_BY_KUBERNETES = "node.kubernetes.io/"
# Upstream: TaintNodeUnschedulable (staging/src/k8s.io/api/core/v1/well_known_taints.go)
_CORDON: TaintDict = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
CLAIM_FIELDS = {
    "ResourceClaim": "resourceClaimName",
    "ResourceClaimTemplate": "resourceClaimTemplateName",
}
_CLOSE = 0.9
_HOST = "kubernetes.io/hostname"
# Labels that kubelets and clouds set.
_OF_KUBERNETES = re.compile(r"^(?!node-role)(\S+\.)?kubernetes\.io/")
_COUNTED = ("cpu", "memory", "ephemeral-storage")


class _Edit(Record):
    """A spec with which a pod is tried. `node_side`: it stands for a change of the node, with this command."""

    text: str
    spec: PodSpecDict
    gives_up: str = ""
    node_side: str | None = None


def try_placement(simulation: Simulation, pod: Pod) -> tuple[str, TriedChange | None]:
    """A cordon, toleration, selector, affinity or request whose change makes the pod fit, and the node on which it fits."""
    for edits in itertools.islice(_tries(simulation, pod), _TRIALS):
        if node := _node_for(simulation, pod, edits[-1].spec):
            text = " and ".join(edit.text for edit in edits)
            lost = " and ".join(edit.gives_up for edit in edits if edit.gives_up)
            patch = [edit.node_side for edit in edits if edit.node_side]
            spec = edits[-1].spec if any(edit.node_side is None for edit in edits) else None
            return node, _with_spec(pod, f"{text} (node {node})", lost, spec, patch)
    return "", None


def _tries(simulation: Simulation, pod: Pod) -> Iterator[tuple[_Edit, ...]]:
    """Single changes, then two at once, each for a node; of nodes that say different things to the pod, a few."""
    found: dict[str | None, Node] = {}
    for node in simulation.cluster.inventory.nodes:
        said = why_not(pod.spec, node, simulation.usage, {}) or node.allocatable.get("cpu")
        found.setdefault(said, node)
    nodes = itertools.islice(found.values(), _NODES)
    edits = [(node, list(_edits(pod.spec, node, simulation))) for node in nodes]
    alone = [edit for _, single in edits for edit in single]
    yield from ((edit,) for edit in sorted(alone, key=lambda one: one.text.startswith("drop ")))
    for node, single in edits:
        for first in single:
            yield from ((first, second) for second in _edits(first.spec, node, simulation))


def _with_spec(
    pod: Pod, text: str, lost: str, spec: PodSpecDict | None, patch: Iterable[str] = ()
) -> TriedChange:
    """A change of a pod's spec, after other commands."""
    head = {"name": pod.name, "namespace": pod.namespace}
    shown: JsonObject = {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": pod.spec}
    lines = difference(shown, {**shown, "spec": spec}) if spec is not None else ()
    return TriedChange(text, lost, (*patch, *lines), spec=spec)


def _with_claims(pod: Pod, field: str, names: Mapping[str, str]) -> PodSpecDict:
    """The pod's spec with other entries of resourceClaims: by their names, what `field` of each says."""
    entries = [
        {"name": one["name"], field: names[one["name"]]} if one["name"] in names else one
        for one in mappings_at(pod.spec, "resourceClaims")
    ]
    return cast("PodSpecDict", {**pod.spec, "resourceClaims": entries})


def spelled_alike(wanted: str, names: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """The names that may be `wanted` by another spelling: a word with digits stands for a product or a number, so that
    another one is another thing (a100, h100)."""
    numbered = [each for each in names if _numbered(each) == _numbered(wanted)]
    return get_close_matches(wanted, numbered, n=most, cutoff=cutoff)


def _numbered(name: str) -> set[str]:
    return {each for each in re.split(r"\W|_", name) if any(map(str.isdigit, each))}


def own_claim(
    world: RecordedCluster,
    pod: Pod,
    claims: Collection[ResourceClaimDict],
    change: TriedChange | None,
) -> TriedChange | None:
    """That the pod gets a claim of the same spec for itself, if it then fits, and this change gives up more, or is none."""
    made = any("ownerReferences" in mapping_at(one, "metadata") for one in claims)
    if not claims or made or (change and not _GIVES_UP.search(change.text)):
        return change
    for some in (*([one] for one in claims if len(claims) > 1), [*claims]):
        other = world.simulation.fresh()
        other.claims.update({key_of(one): {**one, "status": {}} for one in some})
        if (report := other.place(pod, commit=False)).fits:
            break
    else:
        return change
    patch: list[str] = []
    for one in some:
        head = {"name": key_of(one)[1], "namespace": pod.namespace}
        bare: Document = {"apiVersion": one["apiVersion"], "kind": "ResourceClaimTemplate"}
        bare["metadata"] = head
        patch += difference(bare, {**bare, "spec": {"spec": one["spec"]}})
    keys = {key_of(one) for one in some}
    own_names = {entry.name: entry.key[1] for entry in pod.claims if entry.key in keys}
    spec = _with_claims(pod, CLAIM_FIELDS["ResourceClaimTemplate"], own_names)
    names = first_of(["/".join(key_of(one)) for one in some])
    text = f"give the pod a claim of its own with the spec of {names}, by a ResourceClaimTemplate (node {report.node})"
    lost = f"the devices that it shares with the pods of claim {names}"
    own = _with_spec(pod, text, lost, spec, patch)
    return either(own, change) if change and "drop " not in change.text else own


def share_claim(world: RecordedCluster, pod: Pod, held: Iterable[DeviceUse]) -> TriedChange | None:
    """That the pod names the claim that has these devices and is of no pod, for one of as many devices, if it then fits."""
    waiting = [one for one in pod.claims if one.key in world.simulation.claims]
    own_space = (use for use in held if use.claim.startswith(f"{pod.namespace}/"))
    free = (use for use in own_space if use.pods and not (use.leftover or use.share))
    keys = {(pod.namespace, use.claim.partition("/")[2]): use for use in free}
    claims = ((world.dump.claims.get(key), use) for key, use in keys.items())
    own = ((c, u) for c, u in claims if c and "ownerReferences" not in mapping_at(c, "metadata"))
    for claim, use in itertools.islice(own, _NODES if len(waiting) == 1 else 0):
        given = {held_of(one) for one in results_of(claim)}
        other = world.simulation.fresh()
        other.state = other.state.without(given)
        found = other.place(pod, commit=False).claims.values()
        name = {waiting[0].name: key_of(claim)[1]}
        changed = _with_claims(pod, CLAIM_FIELDS["ResourceClaim"], name)
        node = _node_for(world.simulation, pod, changed)
        if node and given == {held_of(one) for each in found for one in results_of(each)}:
            text = f"name claim {use.claim} in the pod, if it may share its devices with {first_of(use.pods)} (node {node})"
            return _with_spec(pod, text, "devices of its own", changed)
    return None


def similar_name(
    simulation: Simulation, pod: Pod, missing: tuple[str, Key], dump: Dump
) -> TriedChange | None:
    """The object of a name like the missing one with which the pod would fit, or one of this name of the other kind."""
    kind, key = missing
    names = [name for namespace, name in dump.keys(kind) if namespace == key[0]]
    near = [(one, key[1]) for one in CLAIM_FIELDS if dump.get(one, key)]
    near += [(kind, name) for name in spelled_alike(key[1], names, 3)]
    for meant, name in near:
        entries = mappings_at(pod.spec, "resourceClaims")
        wrong = {str(one["name"]): name for one in entries if one.get(CLAIM_FIELDS[kind]) == key[1]}
        changed = _with_claims(pod, CLAIM_FIELDS[meant], wrong)
        if _node_for(simulation, pod, changed):
            where = f" in {CLAIM_FIELDS[meant]}" if meant != kind else ""
            return _with_spec(pod, f"name the {meant} {name}{where}", "", changed)
    return None


def _node_for(simulation: Simulation, pod: Pod, spec: PodSpecDict) -> str:
    """The node on which a pod of this spec fits; empty if none does."""
    from dradsl.simulate.pod_claims import claims_of

    same = spec.get("resourceClaims") == pod.spec.get("resourceClaims")
    claims = pod.claims if same else tuple(claims_of(spec, pod.namespace, pod.name))
    report = simulation.place(replace(pod, spec=spec, claims=claims), commit=False)
    return str(report.node) if report.fits else ""


def _edits(spec: PodSpecDict, node: Node, simulation: Simulation) -> Iterator[_Edit]:
    if node.taints or node.unschedulable:
        taints = [*node.taints, *([_CORDON] if node.unschedulable else ())]
        named = ([(key, one[key]) for key in ("key", "effect") if one.get(key)] for one in taints)
        added = [cast("TolerationDict", {"operator": "Exists", **dict(one)}) for one in named]
        given = [*(spec.get("tolerations") or ()), *added]
        yield _without_taints(node, taints, {**spec, "tolerations": given})
    yield from _selected(spec, node, simulation.cluster.inventory.nodes)
    if mapping_at(spec, "affinity", "nodeAffinity", _REQUIRED):
        lost = "the nodes that it requires"
        yield _Edit("drop the required node affinity", _unrequired(spec), lost)
    yield from _smaller(spec, node, simulation)


def _selected(spec: PodSpecDict, node: Node, nodes: Sequence[Node]) -> Iterator[_Edit]:
    """A pod that selects a node, by labels of the node or by what the pod selects and requires."""
    selector, required = spec.get("nodeSelector") or {}, _required(spec)
    lost = "the nodes that it selects"
    yield from _near_labels(spec, node, nodes)
    wanted = {**{key: [value] for key, value in selector.items()}, **required}
    new = {k: v[0] for k, v in wanted.items() if all(one.labels.get(k) not in v for one in nodes)}
    fits = all(k in new or node.labels.get(k) in v for k, v in wanted.items())
    # A label that says another thing of the node stays as it is.
    other = {k: node.labels[k] for k, v in wanted.items() if node.labels.get(k, v[0]) not in v}
    if other and all(k in other or node.labels.get(k) in v for k, v in wanted.items()):
        texts = (f"{k}={v} instead of {' or '.join(wanted[k])}" for k, v in other.items())
        yield _Edit(f"select {', '.join(texts)}", _with_labels(spec, other, {}), lost)
    elif new and fits and not other and not any(map(_OF_KUBERNETES.match, new)):
        words = " ".join(f"{key}={value}" for key, value in new.items())
        command = f"kubectl label node {node.name} {words}"
        labelled = _unrequired(spec) if required else spec.copy()
        labelled["nodeSelector"] = {k: v for k, v in node.labels.items() if k == _HOST}
        yield _Edit(f"label {node.name} with {words}", labelled, node_side=command)
    if selector:
        without = spec.copy()
        del without["nodeSelector"]
        yield _Edit("drop the nodeSelector", without, lost)


def _near_labels(spec: PodSpecDict, node: Node, nodes: Sequence[Node]) -> Iterator[_Edit]:
    """Labels of a node for like ones that no node has."""
    known = {key for one in nodes for key in one.labels}
    asked = {*(spec.get("nodeSelector") or ()), *(str(one.get("key")) for one in _rules(spec))}
    near = {k: one for k in asked - known for one in get_close_matches(k, known, 1, _CLOSE)}
    if near and node.labels.keys() >= {*near.values()}:
        text = ", ".join(f"{meant} instead of {key}" for key, meant in near.items())
        yield _Edit(
            f"select label {text}", _with_labels(spec, {}, near), "the nodes that it selects"
        )


def _with_labels(
    spec: PodSpecDict, values: Mapping[str, str], keys: Mapping[str, str]
) -> PodSpecDict:
    """The spec that selects and requires these values of its labels, and other labels."""
    changed: JsonObject = copy.deepcopy(dict(spec))
    if given := changed.get("nodeSelector"):
        changed["nodeSelector"] = {keys.get(k, k): values.get(k, v) for k, v in given.items()}
    for rule in _rules(changed):
        if rule.get("key") in values and _required(spec):
            rule["values"] = [values[rule["key"]]]
        rule["key"] = keys.get(rule["key"], rule["key"])
    return cast("PodSpecDict", changed)


def _rules(spec: Mapping[str, Any]) -> list[JsonObject]:
    """The rules of a required node affinity about labels."""
    terms = mappings_at(spec, "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    return [rule for term in terms for rule in term.get("matchExpressions") or ()]


def _required(spec: PodSpecDict) -> dict[str, list[str]]:
    """The labels that a required node affinity asks for, with their values, if it is of one term that only names some."""
    terms = mappings_at(spec, "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    rules = _rules(spec)
    simple = all(one.get("operator") == "In" and one.get("values") for one in rules)
    alone = len(terms) == 1 and "matchFields" not in terms[0]
    return {str(one.get("key")): list(one["values"]) for one in rules} if simple and alone else {}


def _unrequired(spec: PodSpecDict) -> PodSpecDict:
    """The spec without its required node affinity."""
    affinity = spec.get("affinity") or {}
    kept = (affinity.get("nodeAffinity") or {}).copy()
    kept.pop("requiredDuringSchedulingIgnoredDuringExecution", None)
    whole: AffinityDict = {**affinity, "nodeAffinity": kept}
    return {**spec, "affinity": whole}


def _smaller(spec: PodSpecDict, node: Node, simulation: Simulation) -> Iterator[_Edit]:
    """Requests of a single container cut to what the node has left."""
    containers = mappings_at(spec, "containers")
    used, offered = simulation.usage.used(node.name), allocatable_of(node)
    for name in _COUNTED if len(containers) == 1 else ():
        wanted = mapping_at(containers[0], "resources", "requests").get(name)
        if wanted is None or name not in offered:
            continue
        scale = 1000 if name == "cpu" else 1
        total = offered[name].milli_value() if name == "cpu" else offered[name].value()
        free = total - used.get(name, 0)
        if free <= 0:
            continue
        amount = (
            f"{free}m" if name == "cpu" and free % scale else show_amount(free // scale * 10**9)
        )
        changed: JsonObject = copy.deepcopy(dict(spec))
        changed["containers"][0]["resources"]["requests"][name] = amount
        text = f"request {name} {amount} instead of {wanted}"
        yield _Edit(text, cast("PodSpecDict", changed), f"{name} above {amount}")


def _without_taints(node: Node, taints: Sequence[TaintDict], spec: PodSpecDict) -> _Edit:
    """The node without its taints, tried as a pod that tolerates them. A pod should not tolerate those that
    Kubernetes sets itself: a cordon is taken back, and of other trouble the node has to recover."""
    own = [one for one in taints if not str(one.get("key")).startswith(_BY_KUBERNETES)]
    keys = {str(one.get("key")) for one in taints} - {str(one.get("key")) for one in own}
    ill = sorted(keys - {_CORDON["key"]})
    texts = [f"uncordon {node.name}"] if _CORDON["key"] in keys else []
    back = f"bring {node.name} back, so that Kubernetes takes {', '.join(ill)} off it"
    texts += [back] if ill else []
    texts += [f"tolerate {', '.join(map(_taint, own))}"] if own else []
    lost = ["the cordon of the node"] if _CORDON["key"] in keys else []
    lost += [f"the nodes without pods that {_taint(one)} keeps" for one in own[:1]]
    command = f"kubectl uncordon {node.name}" if _CORDON["key"] in keys else ""
    return _Edit(" and ".join(texts), spec, " and ".join(lost), None if own else command)


def _taint(taint: TaintDict) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"
