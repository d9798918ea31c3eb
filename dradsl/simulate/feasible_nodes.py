"""What becomes of a pod once it is known what each node says to it: it fits, by chance, or never.

An error of one node ends kube-scheduler's attempt, whatever the other nodes say, and the next one
starts anew. Follows findNodesThatPassFilters and numFeasibleNodesToFind of kubernetes
pkg/scheduler/schedule_one.go, which are alike from 1.34 to 1.37, with the default configuration. An
attempt asks all nodes that other plugins leave; only once it has found more nodes that fit than it
looks for does it stop. With which node it begins changes from attempt to attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.simulate.prospect import Attempt, Prospect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.simulate.plugin.verdicts import Verdict

__all__ = ["attempt", "nodes_asked", "nodes_to_find"]

_LEAST_NODES = 100  # minFeasibleNodesToFind
_LEAST_PERCENTAGE = 5  # minFeasibleNodesPercentageToFind
_NAME_FIELD = "metadata.name"

_ENDS = "an error of one node ends the scheduler's attempt, and every attempt asks all nodes"
_MAY_END = (
    "this error ends an attempt of the scheduler that meets it before {enough} nodes that fit; with "
    "which node an attempt begins differs from one to the next"
)
_WOULD_END = "an error of one node, or a search that takes too long, ends the scheduler's attempt"


def nodes_to_find(asked: int) -> int:
    """After how many nodes that fit an attempt asks no more, of so many nodes."""
    if asked < _LEAST_NODES:
        return asked
    percentage = max(50 - asked // 125, _LEAST_PERCENTAGE)
    return max(asked * percentage // 100, _LEAST_NODES)


def nodes_asked(spec: PodSpecDict, nodes: Sequence[Node]) -> int:
    """The nodes that an attempt may ask: all, or those that required node affinity names.

    Follows PreFilter of the NodeAffinity plugin (nodeaffinity/node_affinity.go).
    """
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    named: set[str] = set()
    for term in (required.get("nodeSelectorTerms") or ()) if required else ():
        sets = [
            set(need.get("values") or ())
            for need in term.get("matchFields") or ()
            if need.get("key") == _NAME_FIELD and need.get("operator") == "In"
        ]
        if not sets:
            return len(nodes)
        named |= set.intersection(*sets)
    if not named:
        return len(nodes)
    return sum(node.name in named for node in nodes)


def attempt(verdicts: Sequence[Verdict], asked: int) -> Attempt:
    """What comes of an attempt that may ask so many nodes, which say this."""
    fitting = sum(len(one.nodes) for one in verdicts if one.may_fit)
    ending = next((one for one in verdicts if one.surely_ends), None)
    if ending is not None:
        said, enough = f"{ending.label}: {ending.text}", nodes_to_find(asked)
        if fitting <= enough:
            return Attempt(Prospect.NEVER, said, _ENDS)
        rule = _MAY_END.format(enough=enough)
        return Attempt(Prospect.CHANCE, said, rule)
    if not fitting:
        return Attempt(Prospect.NEVER)
    doubtful = next((one for one in verdicts if one.may_end), None)
    if doubtful is not None:
        said = f"{doubtful.label}: {doubtful.doubt}"
        return Attempt(Prospect.CHANCE, said, _WOULD_END)
    if any(one.surely_fits for one in verdicts):
        return Attempt(Prospect.FITS)
    doubtful = next(one for one in verdicts if one.may_fit)
    return Attempt(Prospect.CHANCE, f"{doubtful.label}: {doubtful.doubt}")
