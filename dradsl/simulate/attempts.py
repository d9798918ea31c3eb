"""Pods placed one after the other on a fleet, devices within a node exactly as upstream picks them.

The node is chosen by a stated policy: kube-scheduler's choice depends on plugins that are not
simulated. Follows PreEnqueue, PreFilter, Filter, Score and Reserve of the DynamicResources plugin.
"""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.engine.search import DEFAULT_BUDGET
from dradsl.allocator.fleets.fleet import GatheredFleet, Group
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.switches import choose_variant, plugin_features, plugin_of, variants_of
from dradsl.simulate.chance.doubts import OtherReadings, Others, if_too_slow
from dradsl.simulate.chance.orders import kind_of, under_other_orders
from dradsl.simulate.choose import NodeOrder, choose_node
from dradsl.simulate.controllers.daemon_sets import daemon_pods
from dradsl.simulate.extended import CLAIM_NAME, ExtendedClaim, class_by_resource
from dradsl.simulate.feasible_nodes import attempt, nodes_asked
from dradsl.simulate.kubelet import unknown_requests
from dradsl.simulate.node_use import NodeUse, usage_of
from dradsl.simulate.nodes.placement import pod_amounts, unknown_needs
from dradsl.simulate.nodes.status import status_problems
from dradsl.simulate.open_nodes import OpenNodes, by_extended_claim
from dradsl.simulate.plugin.prefilter import find_obstacle
from dradsl.simulate.plugin.reserved import (
    Reserved,
    allocation_of,
    find_rejected,
    waits,
    with_consumer,
    without_consumer,
)
from dradsl.simulate.plugin.scores import score_before, score_found
from dradsl.simulate.plugin.verdicts import Obstacle, PodReport, Verdict
from dradsl.simulate.pods import Pod, PodClaimEntry, replica
from dradsl.simulate.prospect import Attempt, Prospect
from dradsl.simulate.settle import Claims, Settling
from dradsl.values.deadline import NO_DEADLINE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from dradsl.allocator.engine.eligibility import Selectors
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        ResourceClaimDict,
        ResourceClaimStatusDict,
    )
    from dradsl.releases import Features, Release
    from dradsl.simulate.cluster import Cluster, Key, Workload
    from dradsl.simulate.nodes.placement import Usage
    from dradsl.values.deadline import Deadline

__all__ = ["Simulation"]

_Entry: TypeAlias = "tuple[PodClaimEntry, ResourceClaimDict]"


class Simulation:
    """Places pods on a cluster; the state is carried from pod to pod.

    `plugin_alone`: the plugin for devices is asked as it is, with no controller that makes claims
    from templates, no other plugin, and no scheduler that gives up for an error of one node. Once `deadline`
    is over, nodes that were not asked yet raise TimeOverError.
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
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        self.cluster = cluster
        self.features = features
        self.plugin = plugin_of(patch or release.name)
        self.allocator_features = plugin_features(features, self.plugin)
        self.variant = choose_variant(variants_of(patch or release.patch), self.allocator_features)
        self.fleet = GatheredFleet(cluster.inventory, self.variant, self.allocator_features)
        self._readings = (
            None
            if plugin_alone
            else OtherReadings(cluster.inventory, self.variant, self.allocator_features)
        )
        self.state = cluster.state.copy()
        self.claims = Claims(cluster.claims)
        self.selectors = selectors
        self.binding_conditions_enabled = (
            "DRADeviceBindingConditions" in features and "DRAResourceClaimDeviceStatus" in features
        )
        self._order = node_order
        self._budget = budget
        self._alone = plugin_alone
        self._deadline = deadline
        rules = self.plugin.node_rules if "DRANodeAllocatableResources" in features else None
        self._node_rules = rules
        late = {"error" if self.plugin.timeout_ends else "none"}
        self._late = frozenset(late if "DRASchedulerFilterTimeout" in features else ())
        groups_own = "DRAWorkloadResourceClaims" in features
        self._settling = Settling(cluster, self.plugin.first_owner_texts, groups_own, plugin_alone)
        self._node_use = None if rules is None else NodeUse(cluster, rules, stored=plugin_alone)
        self._usage = usage_of(cluster.running, rules, stored=plugin_alone)
        self._open = OpenNodes(self.fleet.every, self._usage)
        self.resources = (
            class_by_resource(cluster.class_documents, implicit=not self.plugin.extended_first_form)
            if "DRAExtendedResource" in features
            else {}
        )

    # One pod

    # Upstream: DynamicResources.PreFilter (plugins/dynamicresources/dynamicresources.go)
    # Upstream: DynamicResources.Reserve (plugins/dynamicresources/dynamicresources.go)
    def place(self, pod: Pod, *, commit: bool = True) -> PodReport:
        """Find nodes for a pod, choose one, and (`commit`) take the devices there."""
        report = PodReport(pod)
        settled = self._settling.settle(pod, self.claims)
        if isinstance(settled, Obstacle):
            report.obstacle = settled
            return report
        report.pod = pod = settled
        claims = [(entry, self._settling.claim_of(entry, self.claims)) for entry in pod.claims]
        left_over = self._settling.left_over(pod, self.claims, self.resources)
        report.obstacle = find_obstacle(
            [*(claim for _, claim in claims), *filter(allocation_of, left_over)],
            self.cluster.classes,
            self.features,
        )
        if report.obstacle is not None:
            return report
        report.rejected = find_rejected(claims, pod.consumer["uid"])
        if not self._alone:
            by_entry = ((entry.name, claim) for entry, claim in claims)
            report.unstartable = tuple(unknown_requests(pod.spec, by_entry))
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
        asked = 1 if pod.only else nodes_asked(pod.spec, self.cluster.inventory.nodes)
        return attempt(verdicts, asked), ""

    def _verdicts(
        self, pod: Pod, claims: Sequence[_Entry], pending: Sequence[_Entry], *, left_over: bool
    ) -> Iterator[Verdict]:
        open_nodes: Sequence[Node] = self.cluster.inventory.nodes
        filtered: Sequence[Verdict] = ()
        if not self._alone:
            open_nodes, filtered = self._open.find(pod.spec, pod.only)
        yield from filtered
        if left_over:
            text = "cannot schedule extended resource claim"
            more = "one of an earlier attempt is there and will be deleted"
            yield Verdict("filtered", open_nodes, f"{text}: {more}", reason=text)
            return
        reserved = self._reserved(claims)
        documents = [claim for _, claim in pending]
        before = sum(score_before(claim) for _, claim in claims if allocation_of(claim))
        first_form = self.plugin.extended_first_form
        alike = by_extended_claim(pod, open_nodes, self.resources, first_form=first_form)
        for nodes, extended in alike:
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

        def found(node: Node) -> Sequence[AllocationResultDict]:
            return self._results(verdict, node)

        return self._node_use.judge(verdict, pod, claims, found, self._usage)

    def _reserved(self, claims: Sequence[_Entry]) -> list[Reserved]:
        """Where the claims that are allocated already can be used, as far as that is limited."""
        found = [
            Reserved.of(
                claim,
                conditions=self.binding_conditions_enabled,
                operations=self.plugin.checks_operations,
            )
            for _, claim in claims
            if allocation_of(claim) is not None
        ]
        return [one for one in found if one.is_limited]

    def has_room(self, pod: Pod, node: Node, found: Sequence[AllocationResultDict]) -> bool:
        """Whether a node does for a pod once its pending claims have got these allocations."""
        if self._node_use is None:
            return True
        claims = [(entry, self._settling.claim_of(entry, self.claims)) for entry in pod.claims]
        verdict = Verdict("fits", (node,))
        judged = self._node_use.judge(verdict, pod, claims, lambda _: found, self._usage)
        return all(one.kind == "fits" for one in judged)

    def allocator(
        self,
        claims: Sequence[ResourceClaimDict],
        fleet: GatheredFleet | None = None,
        state: AllocatedState | None = None,
        budget: int | None = None,
    ) -> Allocator:
        """The allocator for these claims, of the cluster or another fleet, in the present state or another one."""
        fleet = fleet or self.fleet
        return Allocator(
            fleet.inventory,
            self.cluster.classes,
            claims,
            self.state if state is None else state,
            self.selectors,
            self.variant,
            self.allocator_features,
            budget=self._budget if budget is None else budget,
            gatherer=fleet.gatherer,
        )

    def _allocate(
        self,
        nodes: Sequence[Node],
        claims: Sequence[ResourceClaimDict],
        extended: ExtendedClaim | None,
    ) -> Iterator[Verdict]:
        if not claims:
            yield Verdict("fits", nodes, extended=extended)
            return
        allocator = self.allocator(claims)
        others = Others()
        if self._readings is not None:
            others = self._readings.answers(
                allocator, nodes, lambda fleet: self.allocator(claims, fleet)
            )
        for group in self.fleet.groups(allocator, nodes):
            self._deadline.check()
            verdict = self._verdict(allocator, group, extended)
            found: Iterable[Verdict] = (verdict,)
            if not self._alone:
                found = under_other_orders(self.fleet, allocator, verdict)
            for one in found:
                yield from others.added_to(one)

    # Upstream: DynamicResources.Filter (plugins/dynamicresources/dynamicresources.go)
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
        others, doubt = if_too_slow(kind, result.error_kind, steps, self._late)
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

    # Choosing and taking

    def _choose(
        self, report: PodReport, pending: Sequence[_Entry], only: str, *, commit: bool
    ) -> None:
        """Take the best node, or the one called `only`."""
        best = choose_node(report.verdicts, self._order, only, self.fleet, self.state)
        if best is None:
            return
        verdict, node = best
        report.node, report.score, report.extended = node.name, verdict.score, verdict.extended
        report.takes = verdict.takes.get(node.name, ())
        if not self._alone:
            report.unknown = unknown_needs(report.pod.spec, node)
        if self._node_rules is not None:
            report.unwritable = status_problems(report.takes, self._node_rules)
        self._record(report, pending, self._results(verdict, node), commit=commit)

    def _results(self, verdict: Verdict, node: Node) -> Sequence[AllocationResultDict]:
        """What the allocator has found on a node, claim by claim."""
        if verdict.allocator is None or verdict.group is None:
            return ()
        return self.fleet.result(verdict.allocator, verdict.group, node).allocations or ()

    # Upstream: DynamicResources.Reserve (plugins/dynamicresources/dynamicresources.go)
    # Upstream: DynamicResources.bindClaim (plugins/dynamicresources/dynamicresources.go)
    # Upstream: DynamicResources.Unreserve (plugins/dynamicresources/dynamicresources.go)
    def _record(
        self,
        report: PodReport,
        pending: Sequence[_Entry],
        results: Sequence[AllocationResultDict],
        *,
        commit: bool,
    ) -> None:
        named: list[tuple[str, Key, ResourceClaimDict]] = [
            (entry.name, entry.key, claim) for entry, claim in pending
        ]
        if report.rejected is not None:
            # What comes before the one that is rejected is written, and stays.
            bound = report.pod.claims[: report.pod.claims.index(report.rejected.entry)]
            named = named[: sum(entry in bound for entry, _ in pending)]
        elif report.extended is not None and report.never_binds is None:
            # The API server makes up the rest of the name.
            name = f"{report.pod.name}-extended-resources"
            document = copy.deepcopy(report.extended.document)
            document["metadata"]["name"] = name
            named.append((CLAIM_NAME, (report.pod.namespace, name), document))
        for (own, key, claim), allocation in zip(named, results, strict=False):
            status: ResourceClaimStatusDict = {**(claim.get("status") or {})}
            status["allocation"] = allocation
            allocated: ResourceClaimDict = {**claim, "status": status}
            report.allocations[own] = allocation
            report.claims[own] = allocated
            if commit:
                self.claims[key] = allocated
                self.state.add_claim(allocated, "DRAConsumableCapacity" in self.features)
        if commit and report.is_placed and self._counted_as_in_flight(report):
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
            self._open.taken(report.node)

    def _counted_as_in_flight(self, report: PodReport) -> bool:
        """Whether the scheduler still lists the claims of a placed pod as in-flight allocations although
        they are allocated: until PreBind has finished, which waits for drivers."""
        if not (
            self._alone and self.binding_conditions_enabled and self.plugin.waiting_counts_twice
        ):
            return False
        entries = (self.claims.get(entry.key, {}) for entry in report.pod.claims)
        return waits([*entries, *report.claims.values()])

    def _add_usage(self, report: PodReport, node: str) -> None:
        pod = report.pod
        taken = [pair for status in report.takes for pair in status.takes()]
        amounts = pod_amounts(pod.spec, taken, stored=self._alone)
        claims = [(pod.namespace, status.name) for status in report.takes]
        self._usage.add(node, amounts, claims, pod.consumer["uid"])

    @property
    def usage(self) -> Usage:
        """What pods use of the nodes."""
        return self._usage

    def fresh(self) -> Simulation:
        """The same cluster with nothing placed yet; what was gathered about the fleet is kept."""
        other = copy.copy(self)
        other.state = self.cluster.state.copy()
        other.claims = Claims(self.cluster.claims)
        other.restart()
        return other

    def without(self, keys: Collection[Key], uids: Collection[str] = ()) -> Simulation:
        """The present state without what these claims hold, and without what recorded pods with these UIDs use."""
        other = copy.copy(self)
        other.claims = Claims(self.claims)
        for key in keys:
            bare: ResourceClaimDict = {**self.claims[key], "status": {}}
            other.claims[key] = bare
        held = [one for one in other.claims.values() if allocation_of(one) is not None]
        other.state = AllocatedState.of_claims(
            held, consumable="DRAConsumableCapacity" in self.features
        )
        gone = [pod for pod in self.cluster.running if pod.uid in uids]
        usage = copy.deepcopy(self._usage)
        for pod in gone:
            usage.add(pod.node, pod_amounts(pod.spec, stored=self._alone), more=-1)
        other.restart(usage)
        return other

    def restart(self, usage: Usage | None = None) -> None:
        """Forget the pods that were placed, or let nodes be used as `usage` says."""
        running, alone = self.cluster.running, self._alone
        self._usage = usage or usage_of(running, self._node_rules, stored=alone)
        self._open = OpenNodes(self.fleet.every, self._usage)

    # Several pods, see also `replicas`

    def fit(
        self,
        workload: Workload,
        limit: int = 10_000,
        progress: Callable[[PodReport], None] | None = None,
        *,
        allow_chance: bool = False,
        deadline: Deadline = NO_DEADLINE,
    ) -> tuple[int, PodReport | None]:
        """How many replicas fit, and the report of the first that does not (None: the limit, or
        `deadline` was reached).

        `allow_chance` counts those that fit by chance, too.
        """
        pods: Iterable[Pod] = (replica(workload, number) for number in range(limit))
        if workload.at.per_node:
            pods = itertools.islice(daemon_pods(workload, self.cluster.inventory.nodes), limit)
        number = 0
        for pod in pods:
            if deadline.is_over:
                return number, None
            report = self.place(pod)
            if not report.fits and not (allow_chance and report.is_placed):
                return number, report
            if progress is not None:
                progress(report)
            number += 1
        return number, None


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
