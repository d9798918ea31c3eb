"""What claims take of a node, as it is in the status of a pod (nodeAllocatableResourceClaimStatuses).

Follows NodeAllocatableResourceClaimStatus of k8s.io/api core/v1 (0.36.5 and 0.37.2), what
component-helpers resource/helpers.go makes of it, and its validation.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dradsl.records import Record
from dradsl.simulate.extended import CLAIM_NAME
from dradsl.simulate.nodes.requests import add
from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.kube.pods.typed_dicts import ClaimTakesDict
    from dradsl.releases.scheduling import NodeRules

__all__ = ["ClaimStatus", "StatusProblem", "read_status", "status_problems", "times"]


class StatusProblem(Record):
    """Why a status cannot be written. `detail` is upstream's, from the place in the list on; `text`
    is for people."""

    detail: str
    text: str


@dataclass(slots=True)
class ClaimStatus:
    """What a claim takes of the node: an entry of `nodeAllocatableResourceClaimStatuses`."""

    name: str
    containers: list[str] = field(default_factory=list)
    mapping: dict[str, Quantity] = field(default_factory=dict)
    per_pod: dict[str, Quantity] = field(default_factory=dict)
    per_container: dict[str, Quantity] = field(default_factory=dict)

    def takes(self) -> Iterator[tuple[str, Quantity]]:
        """What it takes for the pod in all, by resource."""
        yield from self.mapping.items()
        yield from self.per_pod.items()
        for name, amount in self.per_container.items():
            yield name, times(amount, Quantity(len(self.containers)))

    def takes_for_one(self) -> Iterator[tuple[str, Quantity]]:
        """What it takes for one container that refers to it."""
        yield from self.mapping.items()
        yield from self.per_pod.items()
        yield from self.per_container.items()

    # Upstream: DynamicResources.patchNodeAllocatableResourceClaimStatus (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    def as_v1(self, rules: NodeRules) -> dict[str, object]:
        """The entry as the scheduler writes it."""
        document: dict[str, object] = {"resourceClaimName": self.name}
        if self.containers:
            document["containers"] = list(self.containers)
        mapping = {name: str(amount) for name, amount in sorted(self.mapping.items())}
        if rules.mappings:
            return {**document, "resources": mapping}
        if mapping:
            document["mapping"] = [{"name": n, "quantity": amount} for n, amount in mapping.items()]
        overhead = []
        for name in sorted({*self.per_pod, *self.per_container}):
            entry = {"name": name}
            if name in self.per_pod:
                entry["perPod"] = str(self.per_pod[name])
            if name in self.per_container:
                entry["perContainer"] = str(self.per_container[name])
            overhead.append(entry)
        if overhead:
            document["overhead"] = overhead
        return document


# Upstream: ExtractPodNodeAllocatableResourceClaimStatus (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def read_status(document: ClaimTakesDict, rules: NodeRules) -> ClaimStatus:
    """An entry of `nodeAllocatableResourceClaimStatuses` of a pod that runs, in the shape of the API.

    Amounts that are none are left out.
    """
    containers = list(document.get("containers") or ())
    status = ClaimStatus(str(document.get("resourceClaimName") or ""), containers)
    if rules.mappings:
        for name, amount in (document.get("resources") or {}).items():
            _add_given(status.mapping, name, amount)
        return status
    for entry in document.get("mapping") or ():
        _add_given(status.mapping, entry.get("name"), entry.get("quantity"))
    for cost in document.get("overhead") or ():
        _add_given(status.per_pod, cost.get("name"), cost.get("perPod"))
        _add_given(status.per_container, cost.get("name"), cost.get("perContainer"))
    return status


def _add_given(total: dict[str, Quantity], name: str | None, amount: Any) -> None:
    if name and amount is not None:
        with contextlib.suppress(QuantityError):
            add(total, [(name, Quantity.decode(amount))])


# Upstream: validateNodeAllocatableResourceClaimStatus (pkg/apis/core/validation/validation.go)
# Upstream: validateNodeAllocatableMappedResources (pkg/apis/core/validation/validation.go)
# Upstream: validateNodeAllocatableOverheadResources (pkg/apis/core/validation/validation.go)
def status_problems(statuses: Sequence[ClaimStatus], rules: NodeRules) -> tuple[StatusProblem, ...]:
    """Why the API server does not let the scheduler write these to a pod, in the server's order.

    Follows validateNodeAllocatableResourceClaimStatus of pkg/apis/core/validation and the
    declarative rules of PodStatus. What only a slice that is not valid brings about is left out.
    """
    found = []
    for place, status in enumerate(statuses):
        if status.name == CLAIM_NAME:
            found.append(
                StatusProblem(
                    f"[{place}].resourceClaimName: "
                    f'Invalid value: "{status.name}": no mapping found in pod reference',
                    "the devices for its extended resources take resources of the node, and what the "
                    "scheduler writes about that names no claim of the pod, so the API server "
                    "rejects it",
                )
            )
    for place, status in enumerate(statuses if rules.lists_containers_once else ()):
        for number, name in enumerate(status.containers):
            if name in status.containers[:number]:
                found.append(
                    StatusProblem(
                        f'[{place}].containers[{number}]: Duplicate value: "{name}"',
                        f"container {name} refers to claim {status.name} twice, so the scheduler "
                        "names it twice among those for which the claim takes resources of the "
                        "node, and the API server rejects that",
                    )
                )
    return tuple(found)


def times(amount: Quantity, factor: Quantity) -> Quantity:
    """The product, in decimal form as upstream computes it; the notation is the amount's."""
    mantissa, scale = amount.mantissa * factor.mantissa, amount.scale + factor.scale
    return Quantity(mantissa, scale, amount.format, small=False)
