"""What nodes say to a pod, and how the pod fared in the end."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.records import Record
from dradsl.simulate.nodes.placement import ignored_parts
from dradsl.simulate.prospect import Attempt, Prospect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.allocator.fleets.fleet import Group
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import AllocationResultDict, ResourceClaimDict
    from dradsl.simulate.extended import ExtendedClaim
    from dradsl.simulate.nodes.resources import ResourceRejection
    from dradsl.simulate.nodes.status import ClaimStatus, StatusProblem
    from dradsl.simulate.plugin.reserved import ReservationRejected
    from dradsl.simulate.pods import Pod

__all__ = ["Obstacle", "PodReport", "Verdict", "nodes_label"]

_SHOWN_NAMES = 4


def nodes_label(nodes: Sequence[Node]) -> str:
    """Nodes in words: the number, and the first few names."""
    count = len(nodes)
    names = [node.name for node in itertools.islice(nodes, _SHOWN_NAMES)]
    if count == 1:
        return f"node {names[0]}"
    shown = ", ".join(names)
    return f"{count} nodes ({shown}{', …' if count > _SHOWN_NAMES else ''})"


class Obstacle(Record):
    """Why no node is looked at for a pod. `is_error`: the scheduler takes it for an error.

    `text` is for people; `reason` is what the scheduler's plugin says, where that differs. `waits`:
    the pod does not even come into the queue (PreEnqueue).
    """

    text: str
    is_error: bool = False
    reason: str = ""
    waits: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What one node, or several alike, say to a pod.

    `kind`: "fits"; "filtered" (something besides devices), "elsewhere" (a claim that is allocated
    already cannot be used there), "none" (no devices), "error" with `error_kind` as in NodeResult.
    `text` is for people; `reason` is what the scheduler's plugin says, where that differs, or
    `rejection`. `takes` is what claims take of each node, by its name. `others` are kinds of answers
    that are possible besides, for the reason `doubt`.
    """

    kind: str
    nodes: Sequence[Node]
    text: str = ""
    error_kind: str | None = None
    score: int = 0
    steps: int = 0
    group: Group | None = field(default=None, repr=False)
    allocator: Allocator | None = field(default=None, repr=False)
    extended: ExtendedClaim | None = field(default=None, repr=False)
    reason: str = ""
    rejection: ResourceRejection | None = None
    takes: Mapping[str, tuple[ClaimStatus, ...]] = field(default_factory=dict, repr=False)
    others: frozenset[str] = frozenset()
    doubt: str = ""

    @property
    def label(self) -> str:
        """The nodes in words."""
        return nodes_label(self.nodes)

    @property
    def may_fit(self) -> bool:
        """Whether the pod fits these nodes in some order of devices or slices."""
        return self.kind == "fits" or "fits" in self.others

    @property
    def surely_fits(self) -> bool:
        """Whether it fits them in every order."""
        return self.kind == "fits" and not self.others

    @property
    def may_end(self) -> bool:
        """Whether the node may end the scheduler's attempt with an error."""
        return self._ends or "error" in self.others

    @property
    def surely_ends(self) -> bool:
        """Whether the nodes end the scheduler's attempt with an error in every order."""
        return self._ends and not self.others

    @property
    def _ends(self) -> bool:
        return self.kind == "error" and self.error_kind != "timeout"


@dataclass(slots=True)
class PodReport:
    """How a pod fared: where it could run, where it was put, what its claims got.

    `attempt` is what comes of the scheduler's attempts; a pod that fits by chance is put where it may
    fit, if some node does for sure as long as it is asked. `rejected`: the reservation that the API server
    will not let the scheduler write. `takes`: what its claims take of the node; `unwritable`: why the
    API server rejects that in the pod's status. `alike`: how many pods of the workload follow that fare
    the same, and have no report of their own. `unseen`: why the pod was not looked at. `unstartable`: containers that the kubelet does
    not start, and why. `unknown`: what the pod needs of its node besides devices, and the node does not state.
    """

    pod: Pod
    verdicts: tuple[Verdict, ...] = ()
    attempt: Attempt = field(default_factory=lambda: Attempt(Prospect.NEVER))
    obstacle: Obstacle | None = None
    node: str | None = None
    score: int = 0
    allocations: dict[str, AllocationResultDict] = field(default_factory=dict)
    claims: dict[str, ResourceClaimDict] = field(default_factory=dict)
    extended: ExtendedClaim | None = None
    rejected: ReservationRejected | None = None
    takes: tuple[ClaimStatus, ...] = ()
    unwritable: tuple[StatusProblem, ...] = ()
    alike: int = 0
    unseen: str = ""
    unstartable: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def problem(self) -> str | None:
        """Why no node was looked at."""
        return None if self.obstacle is None else self.obstacle.text

    @property
    def prospect(self) -> Prospect:
        """Whether the pod starts: surely, by chance, or never."""
        if self.unseen:
            return Prospect.UNKNOWN
        if self.obstacle is not None or self.never_binds is not None or self.unstartable:
            return Prospect.NEVER
        return self.attempt.prospect

    @property
    def ignored(self) -> tuple[str, ...]:
        """What the pod uses and the simulation does not consider."""
        return ignored_parts(self.pod.spec, self.pod.workload.at.metadata)

    @property
    def reason(self) -> str:
        """Why the pod does not surely start; empty if it does."""
        if self.prospect is Prospect.FITS:
            return ""
        return (
            self.unseen
            or self.problem
            or self.never_binds
            or "; ".join(self.unstartable)
            or self.attempt.reason
            or "it fits on no node"
        )

    @property
    def fits(self) -> bool:
        """Whether the pod surely starts."""
        return self.prospect is Prospect.FITS

    @property
    def fitting(self) -> int:
        """The number of nodes that the pod fits on, or may fit on, as long as only they are asked."""
        return sum(len(verdict.nodes) for verdict in self.verdicts if verdict.may_fit)

    @property
    def is_placed(self) -> bool:
        """Whether the pod has a node, and what it needs there; perhaps by chance."""
        return self.node is not None and self.never_binds is None

    @property
    def never_binds(self) -> str | None:
        """Why the pod stays pending although a node has its devices."""
        if self.node is None:
            return None
        if self.rejected is not None:
            return self.rejected.text
        if self.extended is not None and self.extended.empty:
            return (
                "the node offers its extended resources itself, and for a pod that also has claims "
                "the scheduler then makes an empty claim that it cannot write"
            )
        if self.unwritable:
            return " and ".join(problem.text for problem in self.unwritable)
        return None
