"""What nodes say to a pod, and how the pod fared in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.allocator.fleets.fleet import Group
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.simulate.extended import ExtendedClaim
    from dradsl.simulate.nodes.resources import Refusal
    from dradsl.simulate.nodes.status import ClaimStatus, StatusProblem
    from dradsl.simulate.plugin.reserved import Refused
    from dradsl.simulate.pods import Pod

__all__ = ["Obstacle", "PodReport", "Verdict"]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why no node is looked at for a pod. `is_error`: the scheduler takes it for an error."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What one node, or several alike, say to a pod.

    `kind`: "fits"; "filtered" (something besides devices), "elsewhere" (a claim that is allocated
    already cannot be used there), "none" (no devices), "error" with `error_kind` as in NodeResult.
    `text` is for people; `reason` is what the scheduler's plugin says, where that differs, or
    `refusal`. `takes` is what claims take of each node, by its name.
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
    reason: str = ""
    refusal: Refusal | None = None
    takes: Mapping[str, tuple[ClaimStatus, ...]] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class PodReport:
    """How a pod fared: where it could run, where it was put, what its claims got.

    `refused`: the reservation that the API server will not let the scheduler write. `takes`: what
    its claims take of the node; `unwritable`: why the API server refuses that in the pod's status.
    """

    pod: Pod
    verdicts: tuple[Verdict, ...] = ()
    obstacle: Obstacle | None = None
    node: str | None = None
    score: int = 0
    allocations: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    claims: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    extended: ExtendedClaim | None = None
    refused: Refused | None = None
    takes: tuple[ClaimStatus, ...] = ()
    unwritable: tuple[StatusProblem, ...] = ()

    @property
    def problem(self) -> str | None:
        """Why no node was looked at."""
        return None if self.obstacle is None else self.obstacle.text

    @property
    def fits(self) -> bool:
        return self.node is not None and self.never_binds is None

    @property
    def never_binds(self) -> str | None:
        """Why the pod stays pending although a node has its devices."""
        if self.node is None:
            return None
        if self.refused is not None:
            return self.refused.text
        if self.extended is not None and self.extended.empty:
            return (
                "the node offers its extended resources itself, and for a pod that also has claims "
                "the scheduler then makes an empty claim that it cannot write"
            )
        if self.unwritable:
            return " and ".join(problem.text for problem in self.unwritable)
        return None

    @property
    def abort(self) -> str | None:
        """The error that ends the scheduler's attempt, if it meets that node before it is done."""
        for verdict in self.verdicts:
            if verdict.kind == "error" and verdict.error_kind in ("fatal", "input"):
                return verdict.text
        return None
