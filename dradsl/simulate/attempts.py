"""Pods placed one after the other on a fleet, devices within a node exactly as upstream picks them.

The node is chosen by a stated policy: kube-scheduler's choice depends on plugins that are not
simulated. Follows PreEnqueue, PreFilter, Filter, Score and Reserve of the DynamicResources plugin.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.engine.search import DEFAULT_BUDGET, STEPS_OF_A_TIMEOUT
from dradsl.allocator.fleets.fleet import Fleet, Group
from dradsl.allocator.switches import choose_variant, plugin_features, plugin_of, variants_of
from dradsl.simulate.extended import (
    CLAIM_NAME,
    ExtendedClaim,
    class_by_resource,
    extended_claim,
    extended_resources,
    has_extended,
    is_left_over,
)
from dradsl.simulate.feasible_nodes import attempt, nodes_asked
from dradsl.simulate.node_use import NodeUse, usage_of
from dradsl.simulate.nodes.placement import pod_amounts, why_not
from dradsl.simulate.nodes.status import status_problems
from dradsl.simulate.orders import KIND_WORDS, kind_of, under_other_orders
from dradsl.simulate.plugin.prefilter import find_obstacle
from dradsl.simulate.plugin.reserved import (
    Reserved,
    allocation_of,
    find_refused,
    waits,
    with_consumer,
    without_consumer,
)
from dradsl.simulate.plugin.scores import score_before, score_found
from dradsl.simulate.plugin.verdicts import Obstacle, PodReport, Verdict
from dradsl.simulate.pod_claims import find_orphan, why_wait
from dradsl.simulate.pods import Pod, PodClaim, replica
from dradsl.simulate.prospect import Attempt, Prospect
from dradsl.simulate.readings import doubled_names, may_read, readings

if TYPE_CHECKING:
    from dradsl.allocator.engine.eligibility import Selectors
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.releases import Features, Release
    from dradsl.simulate.cluster import Cluster, Key, Workload

__all__ = ["NODE_ORDERS", "NodeOrder", "Simulation"]

NodeOrder = Literal["score", "name", "pack", "spread"]
NODE_ORDERS: tuple[NodeOrder, ...] = ("score", "name", "pack", "spread")

_BY_NAME = "by which of two values selectors see of {names}, which devices publish twice"

_Entry = tuple[PodClaim, Mapping[str, Any]]


class Simulation:
    """Places pods on a cluster; the state is carried from pod to pod.

    `plugin_alone`: the plugin for devices is asked as it is, with no controller that makes claims
    from templates, no other plugin, and no scheduler that gives up for an error of one node.
    """

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
        plugin_alone: bool = False,
    ) -> None:
        self.cluster = cluster
        self.features = features
        self.plugin = plugin_of(patch or release.name)
        self.allocator_features = plugin_features(features, self.plugin)
        self.variant = choose_variant(variants_of(patch or release.name), self.allocator_features)
        self.fleet = Fleet(cluster.inventory, self.variant, self.allocator_features)
        self._doubled = frozenset() if plugin_alone else doubled_names(cluster.inventory)
        self._readings: list[Fleet] = []
        self.state = cluster.state.copy()
        self.claims = dict(cluster.claims)
        self.selectors = selectors
        self.minds_conditions = (
            "DRADeviceBindingConditions" in features and "DRAResourceClaimDeviceStatus" in features
        )
        self._order = node_order
        self._budget = budget
        self._alone = plugin_alone
        rules = self.plugin.node_rules if "DRANodeAllocatableResources" in features else None
        self._node_rules = rules
        self._limits_time = "DRASchedulerFilterTimeout" in features
        self._groups_own = "DRAWorkloadResourceClaims" in features
        self._node_use = None if rules is None else NodeUse(cluster, rules, stored=plugin_alone)
        self._usage = usage_of(cluster.running, rules, stored=plugin_alone)
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
        report = PodReport(pod)
        settled = self._settled(pod)
        if isinstance(settled, Obstacle):
            report.obstacle = settled
            return report
        report.pod = pod = settled
        claims = [(entry, self._claim_of(entry)) for entry in pod.claims]
        left_over = self._left_over(pod)
        report.obstacle = find_obstacle(
            [*(claim for _, claim in claims), *filter(allocation_of, left_over)],
            self.cluster.classes,
            self.features,
        )
        if report.obstacle is not None:
            return report
        report.refused = find_refused(claims, pod.consumer["uid"])
        pending = [(entry, claim) for entry, claim in claims if allocation_of(claim) is None]
        report.verdicts = tuple(self._verdicts(pod, claims, pending, left_over=bool(left_over)))
        report.attempt, nodes = self._attempt(pod, report.verdicts)
        if self._alone or report.attempt.prospect is not Prospect.NEVER:
            self._choose(report, pending, nodes, commit=commit)
        return report

    def _attempt(self, pod: Pod, verdicts: Sequence[Verdict]) -> tuple[Attempt, str]:
        """What comes of the scheduler's attempts, and the one node that it comes to, if any."""
        for verdict in verdicts if pod.nominated else ():
            if verdict.surely_fits and any(node.name == pod.nominated for node in verdict.nodes):
                return Attempt(Prospect.FITS), pod.nominated
        return attempt(verdicts, nodes_asked(pod.spec, self.cluster.inventory.nodes)), ""

    def _settled(self, pod: Pod) -> Pod | Obstacle:
        """The pod with the claims that it has or gets, or why it has to wait for one of them."""
        entries = []
        owner = pod.owner if self._groups_own else replace(pod.owner, group="")
        for given in pod.claims:
            entry = given if self._alone else self._named(pod, given)
            if entry.template is not None and not self._alone:
                if entry.template not in self.cluster.templates:
                    return Obstacle(self._absent("ResourceClaimTemplate", entry.template))
                entries.append(entry)
                continue
            claim = self.claims.get(entry.key)
            first_form = self.plugin.first_owner_texts
            reason = why_wait(owner, entry, claim, first_form=first_form)
            if reason is not None:
                text = reason
                if claim is None and entry.key[1] and entry.template is None:
                    text = self._absent("ResourceClaim", entry.key)
                return Obstacle(text, reason=reason, waits=True)
            entries.append(entry)
        return replace(pod, claims=tuple(entries))

    def _named(self, pod: Pod, entry: PodClaim) -> PodClaim:
        """An entry whose claim a controller makes, with the claim that it has made already, or a
        name that no other claim has."""
        if entry.template is None:
            return entry
        made = find_orphan(pod.owner, entry, self.claims.items())
        if made is not None:
            return replace(entry, key=made, template=None, generated=True)
        namespace, name = entry.key
        numbered = ((namespace, f"{name}-{number}") for number in itertools.count(1))
        free = (key for key in itertools.chain((entry.key,), numbered) if key not in self.claims)
        return replace(entry, key=next(free))

    def _claim_of(self, entry: PodClaim) -> Mapping[str, Any]:
        """The claim that an entry of a settled pod means, made from its template where need be."""
        claim = self.claims.get(entry.key)
        if claim is None and entry.template is not None:
            claim = _claim_from(self.cluster.templates[entry.template], entry.key)
        if claim is None:
            raise KeyError(f"no ResourceClaim {'/'.join(entry.key)}")
        return claim

    def _absent(self, kind: str, key: Key) -> str:
        refused = self.cluster.refused.get((kind, *key))
        if refused is not None:
            return f"{kind} {key[1]} is refused by the API server: {refused}"
        return f"{kind} {key[0]}/{key[1]} is not in the input"

    def _left_over(self, pod: Pod) -> list[Mapping[str, Any]]:
        """The claim that an earlier attempt made for the pod's extended resources, if any."""
        if not (pod.uid or self._alone):
            return []  # no API server knows the pod, hence no scheduler
        if not any(name in self.resources for name in extended_resources(pod.spec)):
            return []
        uid = pod.consumer["uid"]
        made = (claim for claim in self.claims.values() if is_left_over(claim, pod.name, uid))
        return list(itertools.islice(made, 1))

    def _verdicts(
        self,
        pod: Pod,
        claims: Sequence[_Entry],
        pending: Sequence[_Entry],
        *,
        left_over: bool,
    ) -> Iterator[Verdict]:
        open_nodes, filtered = self._open_nodes(pod)
        yield from filtered
        if left_over:
            text = "cannot schedule extended resource claim"
            more = "one of an earlier attempt is there and will be deleted"
            yield Verdict("filtered", tuple(open_nodes), f"{text}: {more}", reason=text)
            return
        reserved = self._reserved(claims)
        documents = [claim for _, claim in pending]
        before = sum(score_before(claim) for _, claim in claims if allocation_of(claim))
        for nodes, extended in self._by_extended(pod, open_nodes):
            if isinstance(extended, str):
                yield Verdict("filtered", nodes, extended, reason="cannot fit resource")
                continue
            if self._node_use is not None:
                nodes, shared = self._node_use.unshared(pod, claims, reserved, nodes, self._usage)
                yield from shared
            wanted = documents if extended is None else [*documents, extended.document]
            for verdict in self._allocate(nodes, wanted, extended):
                for judged in self._judged(pod, claims, verdict):
                    # Upstream scores only what Filter has found something for.
                    found = bool(wanted) or any(judged.takes.values())
                    scored = self.plugin.scores and judged.kind == "fits" and found
                    score = judged.score + before if scored else 0
                    yield from _where_usable(replace(judged, score=score), reserved)

    def _judged(self, pod: Pod, claims: Sequence[_Entry], verdict: Verdict) -> Iterable[Verdict]:
        """The verdict, once what claims take of the nodes is counted."""
        if self._node_use is None:
            return (verdict,)

        def found(node: Node) -> Sequence[Mapping[str, Any]]:
            return self._results(verdict, node)

        return self._node_use.judge(verdict, pod, claims, found, self._usage)

    def _reserved(self, claims: Sequence[_Entry]) -> list[Reserved]:
        """Where the claims that are allocated already can be used, as far as that is limited."""
        found = [
            Reserved.of(
                claim,
                conditions=self.minds_conditions,
                operations=self.plugin.checks_operations,
            )
            for _, claim in claims
            if allocation_of(claim) is not None
        ]
        return [one for one in found if one.is_limited]

    def has_room(self, pod: Pod, node: Node, found: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a node does for a pod once its pending claims have got these allocations."""
        if self._node_use is None:
            return True
        claims = [(entry, self._claim_of(entry)) for entry in pod.claims]
        verdict = Verdict("fits", (node,))
        judged = self._node_use.judge(verdict, pod, claims, lambda _: found, self._usage)
        return all(one.kind == "fits" for one in judged)

    def _open_nodes(self, pod: Pod) -> tuple[Sequence[Node], list[Verdict]]:
        """The nodes that nothing but devices may rule out, and why the others are out."""
        if self._alone:
            return self.cluster.inventory.nodes, []
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

    def allocator(
        self, claims: Sequence[Mapping[str, Any]], fleet: Fleet | None = None
    ) -> Allocator:
        """The allocator for these claims in the present state, of the cluster or another fleet."""
        fleet = fleet or self.fleet
        return Allocator(
            fleet.inventory,
            self.cluster.classes,
            claims,
            self.state,
            self.selectors,
            self.variant,
            self.allocator_features,
            budget=self._budget,
            gatherer=fleet.gatherer,
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
        seen = self._under_other_readings(allocator, nodes, claims)
        for group in self.fleet.groups(allocator, nodes):
            verdict = self._verdict(allocator, group, extended)
            found: Iterable[Verdict] = (verdict,)
            if not self._alone:
                found = under_other_orders(self.fleet, allocator, verdict)
            for one in found:
                yield from _with_readings(one, *seen)

    def _verdict(
        self, allocator: Allocator, group: Group, extended: ExtendedClaim | None
    ) -> Verdict:
        first = group.nodes[0]
        steps = 0 if group.answer is None else group.answer.steps
        result = self.fleet.result(allocator, group, first)
        kind, score = kind_of(result), 0
        if result.fits and group.answer is not None:
            score = score_found(dict(group.answer.alternatives), allocator)
        text = result.error or ("cannot allocate all claims" if kind == "none" else "")
        others, doubt = self._if_too_slow(kind, result.error_kind, steps)
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
            others=others,
            doubt=doubt,
        )

    def _if_too_slow(
        self, kind: str, error_kind: str | None, steps: int
    ) -> tuple[frozenset[str], str]:
        """What a node may answer if its search takes the scheduler too long, or not too long."""
        late = {"error" if self.plugin.timeout_ends else "none"} if self._limits_time else set()
        if error_kind == "timeout":
            text = "the search was given up here, and may take the scheduler more than its 10 s"
            return frozenset({"fits", "none", *late}), text
        if kind == "error" or steps <= STEPS_OF_A_TIMEOUT:
            return frozenset(), ""
        text = f"the search takes {steps:,} steps, and may take the scheduler more than its 10 s"
        others = frozenset(late - {kind})
        return others, text if others else ""

    def _under_other_readings(
        self,
        allocator: Allocator,
        nodes: Sequence[Node],
        claims: Sequence[Mapping[str, Any]],
    ) -> tuple[Mapping[str, frozenset[str]], str]:
        """What nodes may say, by name, where selectors see either of two values; and why."""
        derives = any(ask.derived for ask in allocator.plan.asks)
        reads = None if derives else allocator.eligibility.reads
        names = may_read(reads, self._doubled) if self._doubled else []
        if not names:
            return {}, ""
        if not self._readings:
            made = readings(self.cluster.inventory)
            self._readings += (Fleet(one, self.variant, self.allocator_features) for one in made)
        kinds: dict[str, set[str]] = {}
        for fleet in self._readings:
            other = self.allocator(claims, fleet)
            for group in fleet.groups(other, nodes):
                kind = kind_of(fleet.result(other, group, group.nodes[0]))
                for node in group.nodes:
                    kinds.setdefault(node.name, set()).add(kind)
        why = _BY_NAME.format(names=" and ".join(names))
        return {name: frozenset(found) for name, found in kinds.items()}, why

    # Choosing and taking

    def _choose(
        self,
        report: PodReport,
        pending: Sequence[tuple[PodClaim, Mapping[str, Any]]],
        only: str,
        *,
        commit: bool,
    ) -> None:
        """Take the best node, or the one called `only`."""
        best: tuple[Any, Verdict, Node] | None = None
        for verdict in report.verdicts:
            nodes: Sequence[Node] = verdict.nodes if verdict.kind == "fits" else ()
            if only:
                nodes = [node for node in nodes if node.name == only]
            elif nodes and self._order not in ("pack", "spread"):
                nodes = (min(nodes, key=lambda one: one.name),)
            for node in nodes:
                rank = self._rank(verdict, node)
                if best is None or rank < best[0]:
                    best = rank, verdict, node
        if best is None:
            return
        _, verdict, node = best
        report.node, report.score, report.extended = node.name, verdict.score, verdict.extended
        report.takes = verdict.takes.get(node.name, ())
        if self._node_rules is not None:
            report.unwritable = status_problems(report.takes, self._node_rules)
        self._record(report, pending, self._results(verdict, node), commit=commit)

    def _results(self, verdict: Verdict, node: Node) -> Sequence[Mapping[str, Any]]:
        """What the allocator has found on a node, claim by claim."""
        if verdict.allocator is None or verdict.group is None:
            return ()
        return self.fleet.result(verdict.allocator, verdict.group, node).allocations or ()

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
        if report.refused is not None:
            # What comes before the one that is refused is written, and stays.
            bound = report.pod.claims[: report.pod.claims.index(report.refused.entry)]
            named = named[: sum(entry in bound for entry, _ in pending)]
        elif report.extended is not None and report.never_binds is None:
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
        if commit and report.is_placed and self._stays_in_flight(report):
            for claim in report.claims.values():
                self.state.add_claim(claim, "DRAConsumableCapacity" in self.features)
        if commit and report.node is not None:
            # A pod that does not bind gives back what was reserved for it.
            change = with_consumer if report.is_placed else without_consumer
            for entry in report.pod.claims:
                if entry.key in self.claims:
                    held = self.claims[entry.key]
                    self.claims[entry.key] = change(held, report.pod.consumer)
        if commit and report.node is not None and report.is_placed:
            self._add_usage(report, report.node)
            for spec in self._reasons:
                self._stale.setdefault(spec, set()).add(report.node)

    def _stays_in_flight(self, report: PodReport) -> bool:
        """Whether the claims of a placed pod are still being allocated to the scheduler, and are
        allocated as well: that lasts while it waits for drivers, which `plugin_alone` has none of."""
        if not (self._alone and self.minds_conditions and self.plugin.waiting_counts_twice):
            return False
        entries = (self.claims.get(entry.key, {}) for entry in report.pod.claims)
        return waits([*entries, *report.claims.values()])

    def _add_usage(self, report: PodReport, node: str) -> None:
        pod = report.pod
        taken = [pair for status in report.takes for pair in status.takes()]
        amounts = pod_amounts(pod.spec, taken, stored=self._alone)
        claims = [(pod.namespace, status.name) for status in report.takes]
        self._usage.add(node, amounts, claims, pod.consumer["uid"])

    def fresh(self) -> Simulation:
        """The same cluster with nothing placed yet; what was gathered about the fleet is kept."""
        other = copy.copy(self)
        other.state = self.cluster.state.copy()
        other.claims = dict(self.cluster.claims)
        other.restart()
        return other

    def restart(self) -> None:
        """Forget the pods that were placed."""
        self._usage = usage_of(self.cluster.running, self._node_rules, stored=self._alone)
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
        *,
        allow_chance: bool = False,
    ) -> tuple[int, PodReport | None]:
        """How many replicas fit, and the report of the first that does not (None: the limit).

        `allow_chance` counts those that fit by chance, too.
        """
        for number in range(limit):
            report = self.place(replica(workload, number))
            if not report.fits and not (allow_chance and report.is_placed):
                return number, report
            if progress is not None:
                progress(report)
        return limit, None


def _with_readings(
    verdict: Verdict, kinds: Mapping[str, frozenset[str]], why: str
) -> Iterator[Verdict]:
    """The verdict, with what else its nodes may say under other readings of their devices."""
    if not kinds:
        yield verdict
        return
    by_others: dict[frozenset[str], list[Node]] = {}
    for node in verdict.nodes:
        others = kinds.get(node.name, frozenset()) - {verdict.kind}
        by_others.setdefault(others, []).append(node)
    for others, members in by_others.items():
        found = replace(verdict, nodes=tuple(members))
        if others:
            said = " or ".join(KIND_WORDS[kind] for kind in sorted({verdict.kind, *others}))
            doubt = "; ".join(filter(None, (verdict.doubt, f"{why}, {said}")))
            found = replace(found, others=verdict.others | others, doubt=doubt)
        yield found


def _where_usable(verdict: Verdict, reserved: Sequence[Reserved]) -> Iterator[Verdict]:
    """The verdict on the nodes where all allocated claims can be used, and why not on the others.

    Upstream looks for devices for the pending claims first, also where an allocated one is of no use.
    """
    if verdict.kind != "fits" or not reserved:
        yield verdict
        return
    usable: list[Node] = []
    others: dict[str, list[Node]] = {}
    for node in verdict.nodes:
        why = next((text for one in reserved if (text := one.why_not(node)) is not None), None)
        (usable if why is None else others.setdefault(why, [])).append(node)
    if usable:
        yield replace(verdict, nodes=tuple(usable))
    text = "resourceclaim not available on the node"
    for why, nodes in others.items():
        yield Verdict("elsewhere", tuple(nodes), f"{text}: {why}", reason=text)


def _claim_from(template: Mapping[str, Any], key: Key) -> dict[str, Any]:
    inner = template.get("spec") or {}
    metadata = {**(inner.get("metadata") or {}), "name": key[1], "namespace": key[0]}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": inner.get("spec") or {},
    }
