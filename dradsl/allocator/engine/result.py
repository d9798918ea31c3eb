"""AllocationResult objects from what a search has chosen.

Follows the end of Allocate and createNodeSelector of `structured/internal/*/allocator_*.go`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.allocator.engine.ledger import Chosen
    from dradsl.allocator.engine.plan import ClaimPlan, ClaimsPlan, ClassRecord, RequestData
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.engine.search import SearchAnswer
    from dradsl.allocator.inventory.slices import DeviceRecord, Slice
    from dradsl.allocator.switches import AllocatorFeatures
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        DeviceAllocationConfigurationDict,
        DeviceAllocationResultDict,
        DeviceClaimConfigurationDict,
        DeviceRequestAllocationResultDict,
        NodeSelectorDict,
        NodeSelectorRequirementDict,
        NodeSelectorTermDict,
    )
    from dradsl.releases.scheduling import AllocatorVariant

__all__ = ["ResultError", "build_results"]


class ResultError(ValueError):
    """A solution that cannot be written down; fatal for the scheduling attempt."""


# Upstream: Allocator.Allocate (structured/internal/*/allocator_*.go)
def build_results(
    plan: ClaimsPlan,
    problem: SearchProblem,
    answer: SearchAnswer,
    node_name: str,
    variant: AllocatorVariant,
    features: AllocatorFeatures,
    share_id: str | None = None,
) -> list[AllocationResultDict]:
    """One AllocationResult per claim, in the API's JSON form.

    Share IDs are random upstream; here they are `share_id`, or made from the place of the share.

    Raises:
        ResultError: for a node selector with several terms.
    """
    builder = _ResultBuilder(
        problem, dict(answer.alternatives), node_name, variant, features, share_id
    )
    return [
        builder.build(plan, number, claim, answer.chosen[number])
        for number, claim in enumerate(plan.claims)
    ]


class _ResultBuilder(Record):
    _problem: SearchProblem
    _alternatives: Mapping[tuple[int, int], int]
    _node: str
    _variant: AllocatorVariant
    _features: AllocatorFeatures
    _share_id: str | None

    def build(
        self, plan: ClaimsPlan, number: int, claim: ClaimPlan, chosen: Sequence[Chosen]
    ) -> AllocationResultDict:
        devices: DeviceAllocationResultDict = {}
        results = [
            self._result(plan.all_requests[entry.request_data], claim, entry.position)
            for entry in chosen
        ]
        if results:
            devices["results"] = results
        config = self._config(number, claim)
        if config:
            devices["config"] = config
        allocation: AllocationResultDict = {"devices": devices}
        selector = self._node_selector(claim, chosen)
        if selector is not None:
            allocation["nodeSelector"] = selector
        return allocation

    def _result(
        self, request_data: RequestData, claim: ClaimPlan, position: int
    ) -> DeviceRequestAllocationResultDict:
        identity = self._problem.device_id(position)
        _, entry, device = self._problem.place(position)
        result: DeviceRequestAllocationResultDict = {
            "request": request_data.full_name,
            "driver": identity.driver,
            "pool": identity.pool,
            "device": identity.device,
        }
        if request_data.admin:
            result["adminAccess"] = True
        tolerations = _lookup_request(request_data, claim).tolerations
        if self._variant.copies_tolerations and tolerations:
            result["tolerations"] = [toleration.copy() for toleration in tolerations]
        # 1.34 goes by one of the two gates alone.
        if "DeviceBindingAndStatus" in self._features or "DeviceBinding" in self._features:
            if device.traits.binding_conditions:
                result["bindingConditions"] = list(device.traits.binding_conditions)
            if device.traits.binding_failure_conditions:
                failures = device.traits.binding_failure_conditions
                result["bindingFailureConditions"] = list(failures)
        signature = self._problem.signatures[position]
        if signature.allow_multiple_allocations:
            result["shareID"] = self._share_id or _share_id(
                self._node, identity, claim, request_data
            )
            consumed = signature.matches[request_data.index].consumed
            if consumed:
                result["consumedCapacity"] = dict(consumed)
        if entry.skip_node_operations and "OptionalNodeOperations" in self._features:
            result["skipNodeOperations"] = list(entry.skip_node_operations)
        return result

    # Configs

    def _config(self, number: int, claim: ClaimPlan) -> list[DeviceAllocationConfigurationDict]:
        config = self._class_config(number, claim)
        for entry in claim.config:
            config += self._claim_config(number, claim, entry)
        if self._variant.clears_full_requests:
            for emitted in config:
                if self._covers_all(number, claim, emitted.get("requests") or ()):
                    emitted.pop("requests", None)
        return config

    def _class_config(
        self, number: int, claim: ClaimPlan
    ) -> list[DeviceAllocationConfigurationDict]:
        """The configs of each class once, for all requests that use it."""
        found: dict[str, tuple[ClassRecord, list[str]]] = {}
        for place, request in enumerate(claim.requests):
            request_data = request.alternatives[self._alternatives.get((number, place), 0)]
            if request_data.device_class is not None:
                device_class = request_data.device_class
                _, requests = found.setdefault(device_class.name, (device_class, []))
                requests.append(request_data.full_name)
        return [
            {"source": "FromClass", "requests": list(requests), **entry}
            for device_class, requests in found.values()
            for entry in device_class.config
        ]

    def _claim_config(
        self, number: int, claim: ClaimPlan, entry: DeviceClaimConfigurationDict
    ) -> list[DeviceAllocationConfigurationDict]:
        requests = entry.get("requests") or ()
        emitted: DeviceClaimConfigurationDict = entry.copy()
        emitted.pop("requests", None)
        if not requests:
            return [{"source": "FromClaim", **emitted}]
        times = sum(
            bool(self._names_of(number, claim, place) & set(requests))
            for place in range(len(claim.requests))
        )
        if self._variant.config_once:
            times = min(times, 1)
        return [
            {"source": "FromClaim", "requests": list(requests), **emitted} for _ in range(times)
        ]

    def _covers_all(self, number: int, claim: ClaimPlan, requests: Sequence[str]) -> bool:
        return bool(requests) and all(
            self._names_of(number, claim, place) & set(requests)
            for place in range(len(claim.requests))
        )

    def _names_of(self, number: int, claim: ClaimPlan, place: int) -> set[str]:
        """The names by which a config can mean a request as it was allocated."""
        request = claim.requests[place]
        request_data = request.alternatives[self._alternatives.get((number, place), 0)]
        return {request.name, request_data.full_name}

    # Node selector

    # Upstream: allocator.createNodeSelector (structured/internal/*/allocator_*.go)
    def _node_selector(self, claim: ClaimPlan, chosen: Sequence[Chosen]) -> NodeSelectorDict | None:
        fields: list[NodeSelectorRequirementDict] = []
        expressions: list[NodeSelectorRequirementDict] = []
        for entry in chosen:
            _, owner, device = self._problem.place(entry.position)
            name, selector = _node_choice(owner, device)
            if name is not None or (device.traits.binds_to_node and self._variant.binds_to_node):
                # Stable names the slice's node, the others the node at hand: they are the same.
                need: NodeSelectorRequirementDict = {
                    "key": "metadata.name",
                    "operator": "In",
                    "values": [self._node],
                }
                return {"nodeSelectorTerms": [{"matchFields": [need]}]}
            terms = () if selector is None else selector.get("nodeSelectorTerms") or ()
            if len(terms) > 1:
                text = f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
                raise ResultError(f"create NodeSelector for claim {claim.name}: {text}")
            for term in terms:
                _merge(term.get("matchFields") or (), fields)
                _merge(term.get("matchExpressions") or (), expressions)
        selected: NodeSelectorTermDict = {}
        if expressions:
            selected["matchExpressions"] = [need.copy() for need in expressions]
        if fields:
            selected["matchFields"] = [need.copy() for need in fields]
        return {"nodeSelectorTerms": [selected]} if selected else None


def _node_choice(owner: Slice, device: DeviceRecord) -> tuple[str | None, NodeSelectorDict | None]:
    if owner.per_device:
        return device.traits.node_name, device.traits.node_selector
    return owner.node_name, owner.node_selector


# Upstream: addNewNodeSelectorRequirements (structured/internal/*/allocator_*.go)
def _merge(
    needs: Sequence[NodeSelectorRequirementDict], into: list[NodeSelectorRequirementDict]
) -> None:
    """Add requirements that are not there yet; the order of values does not count."""
    for need in needs:
        if not any(_same(need, known) for known in into):
            into.append(need)


# Upstream: containsNodeSelectorRequirement (structured/internal/*/allocator_*.go)
def _same(a: NodeSelectorRequirementDict, b: NodeSelectorRequirementDict) -> bool:
    return (
        a.get("key") == b.get("key")
        and a.get("operator") == b.get("operator")
        and set(a.get("values") or ()) == set(b.get("values") or ())
    )


def _lookup_request(request_data: RequestData, claim: ClaimPlan) -> RequestData:
    """The request that upstream finds by the name in the result."""
    for request in claim.requests:
        if request.name == (
            request_data.name if request_data.parent is None else request_data.parent
        ):
            for candidate in request.alternatives:
                if candidate.name == request_data.name:
                    return candidate
    return request_data


# Upstream: GenerateNewShareID (structured/internal/*/allocator_*.go)
# Upstream: GenerateShareID (structured/internal/allocatedstate.go)
def _share_id(
    node: str, identity: Sequence[str], claim: ClaimPlan, request_data: RequestData
) -> str:
    import uuid

    place = "/".join((node, *identity, claim.label, request_data.full_name))
    return str(uuid.uuid5(uuid.NAMESPACE_URL, place))
