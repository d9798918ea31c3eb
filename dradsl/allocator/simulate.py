"""Pods placed one after the other on a fleet, devices within a node exactly as upstream picks them.

The node is chosen by a stated policy: kube-scheduler's choice depends on plugins that are not
simulated. Follows PreFilter, Filter, Score and Reserve of the DynamicResources plugin.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from dradsl.allocator.allocate import Allocator
from dradsl.allocator.extended import (
    CLAIM_NAME,
    ExtendedClaim,
    class_by_resource,
    extended_claim,
    has_extended,
)
from dradsl.allocator.fleet import Fleet, Group
from dradsl.allocator.nodes import Node, SelectorError, compile_selector
from dradsl.allocator.placement import Usage, pod_amounts, why_not
from dradsl.allocator.search import DEFAULT_BUDGET
from dradsl.allocator.switches import allocator_features, choose_variant, plugin_of, variants_of

if TYPE_CHECKING:
    from dradsl.allocator.cluster import Cluster, Key, Workload
    from dradsl.allocator.eligibility import Selectors
    from dradsl.allocator.nodes import NodeSelector
    from dradsl.releases import Features, Release

__all__ = [
    "NODE_ORDERS",
    "NodeOrder",
    "Pod",
    "PodReport",
    "Simulation",
    "Verdict",
    "expand",
]

NodeOrder = Literal["score", "name", "pack", "spread"]
NODE_ORDERS: tuple[NodeOrder, ...] = ("score", "name", "pack", "spread")

_MAX_SCORE = 8  # resource.k8s.io FirstAvailableDeviceRequestMaxSize


@dataclass(frozen=True, slots=True)
class PodClaim:
    """An entry of a pod's `resourceClaims`: the claim it means, made from a template or not."""

    name: str
    key: Key
    template: Key | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pod:
    """One pod to place."""

    name: str
    namespace: str
    spec: Mapping[str, Any]
    claims: tuple[PodClaim, ...]
    workload: Workload

    @property
    def label(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What one node, or several alike, say to a pod.

    `kind`: "fits"; "filtered" (something besides devices), "elsewhere" (a claim is allocated on
    other nodes), "none" (no devices), "error" with `error_kind` as in NodeResult.
    """

    kind: str
    nodes: tuple[Node, ...]
    text: str = ""
    error_kind: str | None = None
    score: int = 0
    steps: int = 0
    group: Group | None = field(default=None, repr=False)
    allocator: Allocator | None = field(default=None, repr=False)
    extended: ExtendedClaim | None = field(default=None, repr=False)


@dataclass(slots=True)
class PodReport:
    """How a pod fared: where it could run, where it was put, what its claims got.

    `twice` are the first two entries that name one claim.
    """

    pod: Pod
    verdicts: tuple[Verdict, ...] = ()
    problem: str | None = None
    node: str | None = None
    score: int = 0
    allocations: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    claims: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    extended: ExtendedClaim | None = None
    twice: tuple[PodClaim, PodClaim] | None = None

    @property
    def fits(self) -> bool:
        return self.node is not None and self.never_binds is None

    @property
    def never_binds(self) -> str | None:
        """Why the pod stays pending although a node has its devices."""
        if self.node is None or (self.twice is None and not self._claims_nothing()):
            return None
        if self.twice is None:
            return (
                "the node offers its extended resources itself, and for a pod that also has claims "
                "the scheduler then makes an empty claim that it cannot write"
            )
        first, second = self.twice
        return (
            f"entries {first.name} and {second.name} of its resourceClaims both name the claim "
            f"{first.key[1]}; the scheduler reserves a claim once for each entry, and the API server "
            "refuses the second reservation"
        )

    def _claims_nothing(self) -> bool:
        return self.extended is not None and self.extended.empty

    @property
    def abort(self) -> str | None:
        """The error that ends the scheduler's attempt, if it meets that node before it is done."""
        for verdict in self.verdicts:
            if verdict.kind == "error" and verdict.error_kind in ("fatal", "input"):
                return verdict.text
        return None


def expand(workload: Workload, replicas: int | None = None) -> Iterator[Pod]:
    """The pods of a workload: `replicas` of them, else as many as it says, else one."""
    declared = workload.at.replicas
    count = replicas if replicas is not None else (1 if declared is None else declared)
    single = workload.at.named and count == 1
    for number in range(count):
        name = workload.name if single else f"{workload.name}-{number}"
        yield _pod(workload, name)


def _pod(workload: Workload, name: str) -> Pod:
    claims = []
    for entry in workload.at.spec.get("resourceClaims") or ():
        if not isinstance(entry, Mapping):
            continue
        source = entry.get("source") if isinstance(entry.get("source"), Mapping) else {}
        given = {**(source or {}), **entry}
        own, direct = str(entry.get("name") or ""), given.get("resourceClaimName")
        template = given.get("resourceClaimTemplateName")
        if direct:
            claims.append(PodClaim(own, (workload.namespace, str(direct))))
        elif template:
            key = (workload.namespace, f"{name}-{own}")
            claims.append(PodClaim(own, key, (workload.namespace, str(template))))
    return Pod(name, workload.namespace, workload.at.spec, tuple(claims), workload)


class Simulation:
    """Places pods on a cluster; the state is carried from pod to pod."""

    def __init__(
        self,
        cluster: Cluster,
        release: Release,
        features: Features,
        selectors: Selectors,
        *,
        node_order: NodeOrder = "score",
        budget: int = DEFAULT_BUDGET,
        patch: str | None = None,
    ) -> None:
        self.cluster = cluster
        self.features = features
        self.allocator_features = allocator_features(features)
        self.variant = choose_variant(variants_of(patch or release.name), self.allocator_features)
        self.plugin = plugin_of(patch or release.name)
        self.fleet = Fleet(cluster.inventory, self.variant, self.allocator_features)
        self.state = cluster.state.copy()
        self.claims = dict(cluster.claims)
        self.selectors = selectors
        self._order = node_order
        self._budget = budget
        self._usage = _usage_of(cluster)
        # By identity of pod specs, which are kept so that identities stay unique.
        self._reasons: dict[int, tuple[Mapping[str, Any], dict[str, str | None]]] = {}
        self._stale: dict[int, set[str]] = {}
        self.resources = (
            class_by_resource(cluster.class_documents, implicit=not self.plugin.extended_first_form)
            if "DRAExtendedResource" in features
            else {}
        )

    # One pod

    def place(self, pod: Pod, *, commit: bool = True) -> PodReport:
        """Find nodes for a pod, choose one, and (`commit`) take the devices there."""
        report = PodReport(pod, twice=_named_twice(pod.claims))
        claims: list[tuple[PodClaim, Mapping[str, Any]]] = []
        for entry in pod.claims:
            found = self._claim_of(entry)
            if isinstance(found, str):
                report.problem = found
                return report
            claims.append((entry, found))
        pending = [(entry, claim) for entry, claim in claims if not _allocation(claim)]
        problem = self._missing_class([claim for _, claim in pending])
        if problem is not None:
            report.problem = problem
            return report
        report.verdicts = tuple(self._verdicts(pod, claims, pending))
        self._choose(report, pending, commit=commit)
        return report

    def _claim_of(self, entry: PodClaim) -> Mapping[str, Any] | str:
        """The claim that a pod's entry means, made from its template where need be."""
        if entry.template is not None:
            if entry.key in self.claims:
                return self.claims[entry.key]
            template = self.cluster.templates.get(entry.template)
            if template is None:
                return self._absent("ResourceClaimTemplate", entry.template)
            return _claim_from(template, entry.key)
        claim = self.claims.get(entry.key)
        if claim is None:
            return self._absent("ResourceClaim", entry.key)
        if (claim.get("metadata") or {}).get("deletionTimestamp"):
            return f'resourceclaim "{entry.key[1]}" is being deleted'
        return claim

    def _absent(self, kind: str, key: Key) -> str:
        refused = self.cluster.refused.get((kind, *key))
        if refused is not None:
            return f"{kind} {key[1]} is refused by the API server: {refused}"
        return f"{kind} {key[0]}/{key[1]} is not in the input"

    def _missing_class(self, claims: Sequence[Mapping[str, Any]]) -> str | None:
        """PreFilter: every class of every alternative must exist before any node is looked at."""
        for claim in claims:
            for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
                name = request.get("name") or ""
                asks = [(name, request.get("exactly"))]
                if request.get("firstAvailable"):
                    asks = [(f"{name}/{s.get('name')}", s) for s in request["firstAvailable"]]
                for full_name, ask in asks:
                    wanted = (ask or {}).get("deviceClassName") or ""
                    if wanted and wanted not in self.cluster.classes:
                        return f"request {full_name}: device class {wanted} does not exist"
        return None

    def _verdicts(
        self,
        pod: Pod,
        claims: Sequence[tuple[PodClaim, Mapping[str, Any]]],
        pending: Sequence[tuple[PodClaim, Mapping[str, Any]]],
    ) -> Iterator[Verdict]:
        open_nodes, filtered = self._open_nodes(pod)
        yield from filtered
        elsewhere, open_nodes = self._elsewhere(claims, open_nodes)
        if elsewhere:
            yield Verdict("elsewhere", elsewhere, "resourceclaim not available on the node")
        documents = [claim for _, claim in pending]
        before = sum(_score_of(claim) for _, claim in claims if _allocation(claim))
        for nodes, extended in self._by_extended(pod, open_nodes):
            if isinstance(extended, str):
                yield Verdict("filtered", nodes, extended)
                continue
            wanted = documents if extended is None else [*documents, extended.document]
            for verdict in self._allocate(nodes, wanted, extended):
                # Upstream scores only what Filter has allocated for.
                scored = verdict.kind == "fits" and bool(wanted)
                score = verdict.score + before if scored else 0
                yield replace(verdict, score=score)

    def _open_nodes(self, pod: Pod) -> tuple[Sequence[Node], list[Verdict]]:
        """The nodes that nothing but devices may rule out, and why the others are out."""
        open_nodes: list[Node] = []
        reasons: dict[str, list[Node]] = {}
        known = self._known_reasons(pod.spec)
        for node in self.cluster.inventory.nodes:
            reason = known[node.name]
            if reason is None:
                open_nodes.append(node)
            else:
                reasons.setdefault(reason, []).append(node)
        every = self.cluster.inventory.nodes
        # All nodes are known to the fleet in groups.
        return open_nodes if reasons else every, [
            Verdict("filtered", tuple(nodes), reason) for reason, nodes in reasons.items()
        ]

    def _known_reasons(self, spec: Mapping[str, Any]) -> Mapping[str, str | None]:
        """Why each node is out for a pod; from one replica to the next only used nodes change."""
        spec_and_reasons = self._reasons.get(id(spec))
        inventory, amounts = self.cluster.inventory, pod_amounts(spec)
        if spec_and_reasons is None:
            reasons: dict[str, str | None] = {}
            changed: Iterable[Node] = inventory.nodes
            self._reasons[id(spec)] = spec, reasons
        else:
            _, reasons = spec_and_reasons
            used = self._stale.pop(id(spec), set())
            changed = [node for node in inventory.nodes if node.name in used]
        for node in changed:
            reasons[node.name] = why_not(spec, node, self._usage, amounts)
        return reasons

    def _elsewhere(
        self, claims: Sequence[tuple[PodClaim, Mapping[str, Any]]], nodes: Sequence[Node]
    ) -> tuple[tuple[Node, ...], Sequence[Node]]:
        """Nodes on which a claim that is allocated already cannot be used."""
        selectors: list[NodeSelector] = []
        for _, claim in claims:
            selector = (_allocation(claim) or {}).get("nodeSelector")
            if selector is not None:
                try:
                    selectors.append(compile_selector(selector))
                except SelectorError:
                    return tuple(nodes), []
        if not selectors:
            return (), nodes
        usable = [node for node in nodes if all(s.matches(node) for s in selectors)]
        kept = {node.name for node in usable}
        return tuple(node for node in nodes if node.name not in kept), usable

    def _by_extended(
        self, pod: Pod, nodes: Sequence[Node]
    ) -> Iterator[tuple[tuple[Node, ...], ExtendedClaim | str | None]]:
        """Nodes by the claim for extended resources that they would need."""
        if not has_extended(pod.spec):
            if nodes:
                yield tuple(nodes), None
            return
        found: dict[Any, tuple[list[Node], ExtendedClaim | str | None]] = {}
        for node in nodes:
            extended = extended_claim(
                pod.spec,
                pod.name,
                pod.namespace,
                self.resources,
                node.allocatable,
                has_claims=bool(pod.claims),
                first_form=self.plugin.extended_first_form,
            )
            key = repr(extended.document) if isinstance(extended, ExtendedClaim) else extended
            found.setdefault(key, ([], extended))[0].append(node)
        for members, extended in found.values():
            yield tuple(members), extended

    def allocator(self, claims: Sequence[Mapping[str, Any]]) -> Allocator:
        """The allocator for these claims in the present state."""
        return Allocator(
            self.cluster.inventory,
            self.cluster.classes,
            claims,
            self.state,
            self.selectors,
            self.variant,
            self.allocator_features,
            budget=self._budget,
            gatherer=self.fleet.gatherer,
        )

    def _allocate(
        self,
        nodes: Sequence[Node],
        claims: Sequence[Mapping[str, Any]],
        extended: ExtendedClaim | None,
    ) -> Iterator[Verdict]:
        if not claims:
            yield Verdict("fits", tuple(nodes), extended=extended)
            return
        allocator = self.allocator(claims)
        for group in self.fleet.groups(allocator, nodes):
            yield self._verdict(allocator, group, extended)

    def _verdict(
        self, allocator: Allocator, group: Group, extended: ExtendedClaim | None
    ) -> Verdict:
        first = group.nodes[0]
        steps = 0 if group.answer is None else group.answer.steps
        result = self.fleet.result(allocator, group, first)
        kind, score = "fits", 0
        if result.error is not None:
            kind = "none" if result.error_kind == "node" else "error"
        elif not result.fits:
            kind = "none"
        elif group.answer is not None:
            score = _score(dict(group.answer.alternatives), allocator)
        text = result.error or ("cannot allocate all claims" if kind == "none" else "")
        return Verdict(
            kind,
            group.nodes,
            text,
            result.error_kind,
            score,
            steps,
            group,
            allocator,
            extended,
        )

    # Choosing and taking

    def _choose(
        self,
        report: PodReport,
        pending: Sequence[tuple[PodClaim, Mapping[str, Any]]],
        *,
        commit: bool,
    ) -> None:
        best: tuple[Any, Verdict, Node] | None = None
        for verdict in report.verdicts:
            if verdict.kind == "fits":
                rank, node = min(
                    (
                        (self._rank(verdict, node), node)
                        for node in (
                            verdict.nodes
                            if self._order in ("pack", "spread")
                            else (min(verdict.nodes, key=lambda one: one.name),)
                        )
                    ),
                    key=lambda pair: pair[0],
                )
                if best is None or rank < best[0]:
                    best = rank, verdict, node
        if best is None:
            return
        _, verdict, node = best
        report.node, report.score, report.extended = node.name, verdict.score, verdict.extended
        results: Sequence[Mapping[str, Any]] = ()
        if verdict.allocator is not None and verdict.group is not None:
            result = self.fleet.result(verdict.allocator, verdict.group, node)
            results = result.allocations or ()
        self._record(report, pending, results, commit=commit)

    def _rank(self, verdict: Verdict, node: Node) -> tuple[Any, ...]:
        match self._order:
            case "score":
                return -verdict.score, node.name
            case "pack":
                return self._free(node), node.name
            case "spread":
                return -self._free(node), node.name
        return (node.name,)

    def _free(self, node: Node) -> int:
        """Devices of the node that nobody holds."""
        return sum(
            (entry.driver, entry.pool, device.name) not in self.state.exclusive
            for pool in self.fleet.pools(node)
            for entry in pool.slices
            for device in entry.devices
        )

    def _record(
        self,
        report: PodReport,
        pending: Sequence[tuple[PodClaim, Mapping[str, Any]]],
        results: Sequence[Mapping[str, Any]],
        *,
        commit: bool,
    ) -> None:
        named: list[tuple[str, Key, Mapping[str, Any]]] = [
            (entry.name, entry.key, claim) for entry, claim in pending
        ]
        if report.twice is not None:
            # What comes before the second of the two is written, and stays.
            bound = report.pod.claims[: report.pod.claims.index(report.twice[1])]
            named = named[: sum(entry in bound for entry, _ in pending)]
        elif report.extended is not None:
            # The API server makes up the rest of the name.
            name = f"{report.pod.name}-extended-resources"
            document = copy.deepcopy(dict(report.extended.document))
            document["metadata"] |= {"name": name}
            named.append((CLAIM_NAME, (report.pod.namespace, name), document))
        for (own, key, claim), allocation in zip(named, results, strict=False):
            allocated = {**claim, "status": {**(claim.get("status") or {})}}
            allocated["status"]["allocation"] = allocation
            report.allocations[own] = allocation
            report.claims[own] = allocated
            if commit:
                self.claims[key] = allocated
                self.state.add_claim(allocated, "DRAConsumableCapacity" in self.features)
        if commit and report.node is not None and report.fits:
            self._usage.add(report.node, pod_amounts(report.pod.spec))
            for spec in self._reasons:
                self._stale.setdefault(spec, set()).add(report.node)

    def fresh(self) -> Simulation:
        """The same cluster with nothing placed yet; what was gathered about the fleet is kept."""
        other = copy.copy(self)
        other.state = self.cluster.state.copy()
        other.claims = dict(self.cluster.claims)
        other.restart()
        return other

    def restart(self) -> None:
        """Forget the pods that were placed."""
        self._usage = _usage_of(self.cluster)
        self._reasons = {}
        self._stale = {}

    # Several pods

    def run(self, pods: Sequence[Pod]) -> list[PodReport]:
        """Place pods in order."""
        return [self.place(pod) for pod in pods]

    def fit(
        self,
        workload: Workload,
        limit: int = 10_000,
        progress: Callable[[PodReport], None] | None = None,
    ) -> tuple[int, PodReport | None]:
        """How many replicas fit, and the report of the first that does not (None: the limit)."""
        for number in range(limit):
            report = self.place(_pod(workload, f"{workload.name}-{number}"))
            if not report.fits:
                return number, report
            if progress is not None:
                progress(report)
        return limit, None


def _named_twice(claims: Sequence[PodClaim]) -> tuple[PodClaim, PodClaim] | None:
    """The first entry that names the claim of an earlier one, after that one (PreBind, bindClaim)."""
    seen: dict[Key, PodClaim] = {}
    for entry in claims:
        if entry.key in seen:
            return seen[entry.key], entry
        seen[entry.key] = entry
    return None


def _usage_of(cluster: Cluster) -> Usage:
    usage = Usage()
    for node, spec in cluster.running:
        usage.add(node, pod_amounts(spec))
    return usage


def _allocation(claim: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return (claim.get("status") or {}).get("allocation") or None


def _claim_from(template: Mapping[str, Any], key: Key) -> dict[str, Any]:
    inner = template.get("spec") or {}
    metadata = {**(inner.get("metadata") or {}), "name": key[1], "namespace": key[0]}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": inner.get("spec") or {},
    }


def _score_of(claim: Mapping[str, Any]) -> int:
    """What a claim that is allocated already adds to the score of every node."""
    allocation = _allocation(claim) or {}
    names = {
        result.get("request") for result in (allocation.get("devices") or {}).get("results") or ()
    }
    total = 0
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        for place, ask in enumerate(request.get("firstAvailable") or ()):
            if f"{request.get('name')}/{ask.get('name')}" in names:
                total += _MAX_SCORE - place
                break
    return total


def _score(alternatives: Mapping[tuple[int, int], int], allocator: Allocator) -> int:
    """The plugin's raw score: more for alternatives nearer to the front."""
    return sum(
        _MAX_SCORE - alternatives.get((number, place), 0)
        for number, claim in enumerate(allocator.plan.claims)
        for place, request in enumerate(claim.requests)
        if request.prioritized
    )
