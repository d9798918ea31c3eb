"""What a pod's claims ask for, checked as far as it can be without looking at devices.

The checks run in upstream's order (Allocate and validateDeviceRequest of
`structured/internal/*/allocator_*.go`); an error stays where it was found, because an error that
comes earlier in that order, possibly one of a device, wins over it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.allocator.inventory.slices import InventoryError
from dradsl.releases.scheduling import AllocatorVariant, DistinctComparison

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.allocator.switches import AllocatorFeatures
    from dradsl.kube.fields.typed_dicts import (
        DeviceClaimConfigurationDict,
        DeviceClaimDict,
        DeviceClassConfigurationDict,
        DeviceConstraintDict,
        DeviceRequestDict,
        DeviceSelectorDict,
        DeviceSubRequestDict,
        DeviceTolerationDict,
        ExactDeviceRequestDict,
        ResourceClaimDict,
    )
    from dradsl.kube.pods.typed_dicts import ResourceListDict
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "ALL",
    "EXACT",
    "ClaimPlan",
    "ClassRecord",
    "ConstraintPlan",
    "ClaimsPlan",
    "RequestData",
    "RequestPlan",
    "plan_claims",
    "read_class",
]

EXACT = "ExactCount"
ALL = "All"


@dataclass(frozen=True, slots=True, eq=False)
class ClassRecord:
    """A device class: selector expressions (None where a selector has no CEL) and configs."""

    name: str
    selectors: tuple[str | None, ...] = ()
    config: tuple[DeviceClassConfigurationDict, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RequestData:
    """A request, or one alternative of a request: what is asked for at once.

    `index` counts all requests of the pod; `derived` are its derived attributes, an expression each.
    `error` is what upstream reports when it prepares the request.
    """

    index: int
    claim: int
    request: int
    alternative: int
    name: str
    parent: str | None
    device_class: ClassRecord | None
    mode: str
    count: int
    admin: bool
    selectors: tuple[str | None, ...]
    tolerations: tuple[DeviceTolerationDict, ...]
    capacity: ResourceListDict | None
    derived: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    crash: bool = False

    @property
    def full_name(self) -> str:
        """The name in results: `R`, or `R/S` for an alternative."""
        return self.name if self.parent is None else f"{self.parent}/{self.name}"

    # Upstream: requestData.requestName, internalDeviceResult.* (structured/internal/*/allocator_*.go)
    @property
    def request_name(self) -> str:
        """The name of the request, also for its alternatives."""
        return self.name if self.parent is None else self.parent


@dataclass(frozen=True, slots=True, eq=False)
class RequestPlan:
    """A request: `exactly` alone, or its alternatives in order of preference."""

    name: str
    alternatives: tuple[RequestData, ...]
    prioritized: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintPlan:
    """A constraint of a claim; `covered` are the indices of the requests that it covers."""

    index: int
    claim: int
    number: int
    distinct: bool
    attribute: str
    covered: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class ClaimPlan:
    """A claim; `label` is its name in upstream's messages. `error` is one of its constraints."""

    name: str
    namespace: str
    label: str
    requests: tuple[RequestPlan, ...]
    constraints: tuple[ConstraintPlan, ...]
    error: str | None
    document: ResourceClaimDict

    @property
    def config(self) -> Sequence[DeviceClaimConfigurationDict]:
        return _devices(self.document).get("config") or ()


@dataclass(frozen=True, slots=True, eq=False)
class ClaimsPlan:
    """All claims of one pod that need an allocation, in the pod's order."""

    claims: tuple[ClaimPlan, ...]
    all_requests: tuple[RequestData, ...]
    constraints: tuple[ConstraintPlan, ...]


def read_class(document: JsonMapping) -> ClassRecord:
    """A DeviceClass object (v1 shape) as a record.

    Raises:
        InventoryError: if a part has the wrong type.
    """
    name = (document.get("metadata") or {}).get("name") or ""
    spec = document.get("spec") or {}
    try:
        return ClassRecord(
            str(name), _expressions(spec.get("selectors")), tuple(spec.get("config") or ())
        )
    except (AttributeError, TypeError) as error:
        raise InventoryError(f"DeviceClass {name}: not in the shape of the API") from error


# Upstream: Allocator.Allocate (structured/internal/*/allocator_*.go)
def plan_claims(
    claims: Sequence[ResourceClaimDict],
    classes: Mapping[str, ClassRecord],
    variant: AllocatorVariant,
    features: AllocatorFeatures,
) -> ClaimsPlan:
    """The plan for claims in v1 shape, defaults applied.

    Raises:
        InventoryError: if a claim is not in the shape of the API.
    """
    planner = _Planner(classes, variant, features)
    for claim in claims:
        try:
            planner.add(claim)
        except (AttributeError, TypeError) as error:
            name = (claim.get("metadata") or {}).get("name")
            raise InventoryError(f"ResourceClaim {name}: not in the shape of the API") from error
    return ClaimsPlan(
        tuple(planner.claims), tuple(planner.all_requests), tuple(planner.constraints)
    )


class _Planner:
    def __init__(
        self,
        classes: Mapping[str, ClassRecord],
        variant: AllocatorVariant,
        features: AllocatorFeatures,
    ) -> None:
        self._classes = classes
        self._variant = variant
        self._features = features
        self.claims: list[ClaimPlan] = []
        self.all_requests: list[RequestData] = []
        self.constraints: list[ConstraintPlan] = []

    def add(self, claim: ResourceClaimDict) -> None:
        metadata = claim.get("metadata") or {}
        name, namespace = metadata.get("name") or "", metadata.get("namespace") or ""
        label = f"{namespace}/{name}" if namespace else name
        devices = _devices(claim)
        requests = tuple(
            self._request(label, number, request)
            for number, request in enumerate(devices.get("requests") or ())
        )
        constraints, error = self._constraints(label, requests, devices.get("constraints") or ())
        self.constraints += constraints
        self.claims.append(ClaimPlan(name, namespace, label, requests, constraints, error, claim))

    def _request(self, label: str, number: int, request: DeviceRequestDict) -> RequestPlan:
        name = request.get("name") or ""
        alternatives = request.get("firstAvailable") or ()
        if alternatives:
            planned = tuple(
                self._request_data(label, number, entry, i, name)
                for i, entry in enumerate(alternatives)
            )
        else:
            exactly = request.get("exactly")
            planned = (self._request_data(label, number, exactly, 0, None, name),)
        return RequestPlan(
            name, planned, bool(alternatives), self._gate_error(label, request, alternatives)
        )

    def _gate_error(
        self,
        label: str,
        request: DeviceRequestDict,
        alternatives: Sequence[DeviceSubRequestDict],
    ) -> str | None:
        name = request.get("name") or ""
        at = f"claim {label}, request {name}"
        if alternatives and "PrioritizedList" not in self._features:
            return f"{at}: has subrequests, but the DRAPrioritizedList feature is disabled"
        if not self._variant.checks_capacity_gate or "ConsumableCapacity" in self._features:
            return None
        rejected = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
        exactly = request.get("exactly")
        if exactly and exactly.get("capacity") is not None:
            return f"{at}: {rejected}"
        for entry in alternatives:
            if entry.get("capacity") is not None:
                if self._variant.subrequest_in_gate_text:
                    at = f"claim {label}, subrequest {entry.get('name') or ''}"
                return f"{at}: {rejected}"
        return None

    # Upstream: exactDeviceRequestAccessor.* (structured/internal/*/allocator_*.go)
    # Upstream: deviceSubRequestAccessor.* (structured/internal/*/allocator_*.go)
    def _request_data(
        self,
        label: str,
        request: int,
        entry: ExactDeviceRequestDict | DeviceSubRequestDict | None,
        alternative: int,
        parent: str | None,
        own_name: str = "",
    ) -> RequestData:
        given: JsonMapping = entry or {}  # of either kind
        name = own_name if parent is None else given.get("name") or ""
        device_class = self._classes.get(given.get("deviceClassName") or "")
        error = self._request_error(f"claim {label}, request {name}", given)
        if entry is None:
            error = f"claim {label}, request {name}: has neither exactly nor firstAvailable"
        request_data = RequestData(
            index=len(self.all_requests),
            claim=len(self.claims),
            request=request,
            alternative=alternative,
            name=name,
            parent=parent,
            device_class=device_class,
            mode=given.get("allocationMode") or "",
            count=int(given.get("count") or 0),
            admin=parent is None and bool(given.get("adminAccess")),
            selectors=_expressions(given.get("selectors")),
            tolerations=tuple(given.get("tolerations") or ()),
            capacity=(given.get("capacity") or {}).get("requests"),
            derived={
                entry.get("name") or "": entry.get("expression") or ""
                for entry in given.get("derivedAttributes") or ()
            },
            error=error,
            crash=entry is None,
        )
        self.all_requests.append(request_data)
        return request_data

    # Upstream: allocator.validateDeviceRequest (structured/internal/*/allocator_*.go)
    def _request_error(self, at: str, given: JsonMapping) -> str | None:
        derives = "DerivedAttributes" in self._features or not self._variant.rejects_derived
        if given.get("derivedAttributes") and not derives:
            return f"{at}: cannot handle request with derived attributes, the feature is disabled"
        for i, expression in enumerate(_expressions(given.get("selectors"))):
            if expression is None:
                text = "CEL expression empty (unsupported selector type?)"
                return f"{at}, selector #{i}: {text}"
        if given.get("adminAccess") is not None and "AdminAccess" not in self._features:
            return f"{at}: admin access is requested, but the feature is disabled"
        class_name = given.get("deviceClassName") or ""
        if not class_name:
            return f"{at}: missing device class name (unsupported request type?)"
        if class_name not in self._classes:
            missing = f'deviceclass.resource.k8s.io "{class_name}" not found'
            return f"{at}: could not retrieve device class {class_name}: {missing}"
        mode = given.get("allocationMode") or ""
        if mode not in (EXACT, ALL):
            return f"{at}: unsupported count mode {mode}"
        return None

    def _constraints(
        self, label: str, requests: Sequence[RequestPlan], listed: Sequence[DeviceConstraintDict]
    ) -> tuple[tuple[ConstraintPlan, ...], str | None]:
        found: list[ConstraintPlan] = []
        for number, entry in enumerate(listed):
            match, distinct = entry.get("matchAttribute"), entry.get("distinctAttribute")
            unknown = self._variant.distinct is DistinctComparison.UNKNOWN
            if match is None and (distinct is None or unknown):
                text = "empty constraint (unsupported constraint type?)"
                return (), f"claim {label}, constraint #{number}: {text}"
            found.append(
                ConstraintPlan(
                    index=len(self.constraints) + len(found),
                    claim=len(self.claims),
                    number=number,
                    distinct=match is None,
                    attribute=str(distinct if match is None else match),
                    covered=_covered(requests, entry.get("requests") or ()),
                )
            )
        return tuple(found), None


def _covered(requests: Sequence[RequestPlan], names: Sequence[str]) -> frozenset[int]:
    """The requests that a constraint with these request names covers; no names means all."""
    return frozenset(
        request_data.index
        for request in requests
        for request_data in request.alternatives
        if not names or request.name in names or request_data.full_name in names
    )


def _devices(claim: ResourceClaimDict) -> DeviceClaimDict:
    devices: DeviceClaimDict = (claim.get("spec") or {}).get("devices") or {}
    return devices


def _expressions(selectors: Sequence[DeviceSelectorDict] | None) -> tuple[str | None, ...]:
    return tuple(
        None if entry.get("cel") is None else str(entry["cel"].get("expression") or "")
        for entry in selectors or ()
    )
