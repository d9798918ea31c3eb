"""The allocator: one pod's claims against one node after the other.

`Allocator` is what upstream creates once a scheduling cycle; `allocate` is its Allocate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dradsl.allocator.engine.eligibility import Eligibility, Selectors
from dradsl.allocator.engine.layout import arrange
from dradsl.allocator.engine.plan import ClaimsPlan, ClassRecord, plan_claims
from dradsl.allocator.engine.problem import ProblemBuilder, SearchProblem
from dradsl.allocator.engine.result import ResultError, build_results
from dradsl.allocator.engine.search import DEFAULT_BUDGET, SearchAnswer, SearchOutcome, search
from dradsl.allocator.inventory.pools import GatherError, Pool, PoolGatherer
from dradsl.allocator.switches import AllocatorFeatures, usable_features
from dradsl.records import Record
from dradsl.releases.scheduling import AllocatorVariant, PoolModel

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence

    from dradsl.allocator.inventory.allocated import AllocatedState
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.pools import DisputedPool
    from dradsl.allocator.inventory.slices import DeviceId, Inventory
    from dradsl.kube.fields.typed_dicts import AllocationResultDict, ResourceClaimDict

__all__ = ["Allocator", "ErrorKind", "NodeResult"]

ErrorKind = Literal["node", "fatal", "timeout", "input"]

INVALID_POOLS = "invalid resource pools were encountered"
# How many nodes may use up the whole budget; after that each gets the least.
_HARD_NODES = 10
_LEAST_BUDGET = 2_000
SPENT = "search budget spent: the scheduler may time out"


class NodeResult(Record):
    """What one node answers.

    `allocations` holds one AllocationResult per claim, or is None where the claims do not fit.
    `error` is upstream's text; its kind says what the scheduler does: "node" rules out the node,
    "fatal" ends the scheduling attempt, "timeout" may happen, "input" is a crash upstream. `steps`
    counts the steps that upstream makes.
    """

    node: str
    allocations: Sequence[AllocationResultDict] | None
    error: str | None = None
    error_kind: ErrorKind | None = None
    steps: int = 0

    @property
    def fits(self) -> bool:
        return self.allocations is not None


class Allocator:
    """Allocates the claims of one pod on any node of an inventory, the state staying as it is.

    `counters_so_far` is what goes on from node to node: counters of pools that are not the same everywhere.
    """

    def __init__(
        self,
        inventory: Inventory,
        classes: Mapping[str, ClassRecord],
        claims: Sequence[ResourceClaimDict],
        state: AllocatedState,
        selectors: Selectors,
        variant: AllocatorVariant,
        features: AllocatorFeatures,
        *,
        budget: int = DEFAULT_BUDGET,
        remember: bool = True,
        share_id: str | None = None,
        gatherer: PoolGatherer | None = None,
    ) -> None:
        self.variant = variant
        self.features = features = usable_features(variant, features)
        self.inventory = inventory
        self.state = state
        self.uses = state.by_pool()
        self.plan: ClaimsPlan = plan_claims(claims, classes, variant, features)
        self.gatherer = gatherer or PoolGatherer(inventory, variant, features)
        self.eligibility = Eligibility(
            self.plan,
            selectors,
            sees_shared=variant.sees_shared,
            names_device=variant.names_device,
        )
        self.builder = ProblemBuilder(
            self.plan, self.eligibility, self.gatherer, self.uses, variant, features
        )
        self._budget = budget
        self._left = budget * _HARD_NODES
        self._remember = remember
        self._share_id = share_id
        self.counters_so_far: MutableMapping[DisputedPool, Any] = {}
        self._answers: dict[Any, SearchAnswer] = {}

    # Upstream: NewAllocator (structured/internal/*/allocator_*.go)
    def begin(
        self, counters_so_far: Mapping[DisputedPool, Any] | None = None, budget: int | None = None
    ) -> None:
        """Ask as if no node had been asked yet, or with what nodes left behind in `counters_so_far`."""
        self.counters_so_far = dict(counters_so_far or {})
        if budget is not None and budget != self._budget:
            self._budget = budget
            known = self._answers.items()
            self._answers = {k: v for k, v in known if v.outcome is not SearchOutcome.SPENT}
        self._left = self._budget * _HARD_NODES

    def allocate(self, node: Node, pools: Sequence[Pool] | None = None) -> NodeResult:
        """The answer of `node`; `pools` overrides the pools, or their order."""
        try:
            reached = self.gatherer.gather(node) if pools is None else pools
        except GatherError as error:
            return NodeResult(node.name, None, str(error), "fatal")
        problem = self.builder.build(node, arrange(reached, self.variant))
        return self.conclude(node, problem, self.answer(problem))

    def answer(self, problem: SearchProblem) -> SearchAnswer:
        """The answer to a problem, found once for equal problems."""
        known = None if problem.disputed_pools else self._answers.get(problem.key)
        if known is None:
            known = search(
                self.plan,
                problem,
                self.variant,
                self.features,
                budget=min(self._budget, max(self._left, _LEAST_BUDGET)),
                remember=self._remember,
                counters_so_far=self.counters_so_far,
            )
            self._left -= known.tried
            if not problem.disputed_pools:
                self._answers[problem.key] = known
        return known

    def conclude(self, node: Node, problem: SearchProblem, answer: SearchAnswer) -> NodeResult:
        """What an answer in positions means on this node."""
        name, steps = node.name, answer.steps
        match answer.outcome:
            case SearchOutcome.FATAL:
                fault = answer.fault
                if fault is None:
                    raise AssertionError("a fatal answer has a fault")
                text = fault.text(_subject(problem, answer))
                return NodeResult(name, None, text, "input" if fault.crash else "fatal", steps)
            case SearchOutcome.SPENT:
                return NodeResult(name, None, SPENT, "timeout", steps)
            case SearchOutcome.FITS:
                try:
                    allocations = build_results(
                        self.plan,
                        problem,
                        answer,
                        name,
                        self.variant,
                        self.features,
                        self._share_id,
                    )
                except ResultError as error:
                    return NodeResult(name, None, str(error), "fatal", steps)
                return NodeResult(name, allocations, steps=steps)
        whole = self.variant.pools is not PoolModel.ON_NODE
        if whole and any(pool.invalid for pool in problem.pools):
            return NodeResult(name, None, INVALID_POOLS, "node", steps)
        return NodeResult(name, None, steps=steps)


def _subject(problem: SearchProblem, answer: SearchAnswer) -> DeviceId | str | None:
    """What the error of an answer is about on this node."""
    if answer.position is not None:
        return problem.device_id(answer.position)
    return None if answer.pool is None else problem.pools[answer.pool].name
