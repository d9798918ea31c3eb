"""What differs in the scheduler from release to release: the switches of the allocator and of the plugin.

Every switch says what it does, and after "Upstream:" the Go function that decides it, with the end of
its file's path. A star stands for each of the three implementations. Their values are in `scheduling.json`, which
`python -m maintenance.release_table` writes.
"""

from __future__ import annotations

import enum
import functools

from dradsl.records import dataclass
from dradsl.releases.table import made_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = [
    "AllocatorVariant",
    "CounterScope",
    "DistinctComparison",
    "NodeRules",
    "Plugin",
    "PoolModel",
    "SearchOrder",
    "recorded_plugins",
    "recorded_variants",
]


class PoolModel(enum.Enum):
    """What makes a pool usable."""

    ON_NODE = "on-node"
    """Its slices on the node are counted; it is used even if incomplete, and fatal if invalid."""

    SIMPLE = "simple"
    """Its slices in the cluster are counted; counter sets serve the devices of their own slice."""

    WHOLE = "whole"
    """It is counted and validated as a whole; slices with counter sets hold no candidates."""


class SearchOrder(enum.Enum):
    """In which order pools and slices are searched."""

    CHANCE = "chance"
    """In the random order of a Go map and of the scheduler's cache."""

    CONDITIONS_LAST = "conditions-last"
    """In random order, but pools with binding conditions come last."""

    SORTED = "sorted"
    """Pools by ID, those with binding conditions last; slices by name."""


class CounterScope(enum.Enum):
    """What the sums of shared counters are kept by."""

    SLICE = "slice"
    POOL_NAME = "pool-name"
    """Pools of two drivers with the same name share sums: kubernetes 140435."""

    POOL = "pool"


class DistinctComparison(enum.Enum):
    """How distinctAttribute compares."""

    UNKNOWN = "unknown"
    """The constraint is rejected as empty."""

    IDENTITY = "identity"
    """Pointers are compared, so equal values never clash."""

    LAST_OF_REQUEST = "last-of-request"
    """Only the last device of each request is remembered."""

    ALL = "all"


@dataclass(frozen=True, slots=True)
class AllocatorVariant:
    """One of the three implementations of the allocator that upstream keeps side by side."""

    name: str
    """The name of its package: "stable", "incubating" or "experimental"."""

    supports: frozenset[str]
    """The allocator features that it knows; upstream takes the first that knows all enabled ones.

    Upstream: NewAllocator (dynamic-resource-allocation/structured/allocator.go)
    """

    # Pools

    pools: PoolModel
    """What makes a pool usable.

    Upstream: GatherPools (internal/*/pools_*.go)
    """

    order: SearchOrder
    """In which order pools and slices are searched.

    Upstream: GatherPools (internal/*/pools_*.go)
    """

    counter_slices_everywhere: bool
    """A slice with counter sets belongs to the pool on every node, and its devices consume counters.

    Upstream: GatherPools (internal/*/pools_*.go)
    """

    ignores_compatibility_groups: bool
    """Slices that use compatibility groups are left out while that feature is off.

    Upstream: slicesWithoutCompatibilityGroups (internal/*/compatibility_groups.go)
    """

    # Counters and shares of devices

    counters: CounterScope
    """What the sums of shared counters are kept by.

    Upstream: allocator.checkAvailableCounters (internal/*/allocator_*.go)
    """

    shares_hold_counters: bool
    """Shares of a device that are allocated already count as consumption of its counters.

    Upstream: allocator.checkAvailableCounters (internal/*/allocator_*.go)
    """

    second_share_free: bool
    """A further share of a device consumes no counters.

    Upstream: allocator.allocateDevice (internal/*/allocator_*.go)
    """

    share_is_in_use: bool
    """An allocated share without consumed capacity counts as a share for `second_share_free`.

    Upstream: allocator.deviceCapacityInUse (internal/*/allocator_*.go)
    """

    # The search

    combinations: bool
    """Within a request the search goes on behind the device that it took last.

    Upstream: allocator.allocateOne (internal/*/allocator_*.go)
    """

    reports_too_many: bool
    """An alternative with too many devices for the claim and one that does not fit differ.

    Upstream: allocator.allocateOne (internal/*/allocator_*.go)
    """

    keeps_alternative: bool
    """With allocation mode All the alternative is kept from the second device on.

    Upstream: allocator.allocateOne (internal/*/allocator_*.go)
    """

    shifted_cache: bool
    """Alternatives 0 and 1 share cached results of selectors while a request is prepared.

    Upstream: allocator.isSelectable (internal/*/allocator_*.go)
    """

    leaks: bool
    """Counters of rejected candidates stay consumed: kubernetes 140436.

    Upstream: allocator.allocateDevice (internal/*/allocator_*.go)
    """

    checks_other_device: bool
    """The last check of capacity looks at the device of the slice that has the request's index.

    Upstream: allocator.allocateDevice (internal/*/allocator_*.go)
    """

    # The request

    checks_capacity_gate: bool
    """Requests with capacity are rejected while DRAConsumableCapacity is off.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """

    subrequest_in_gate_text: bool
    """That rejection names the subrequest.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """

    rejects_derived: bool
    """Requests with derived attributes are rejected while that feature is off.

    Upstream: allocator.validateDeviceRequest (internal/*/allocator_*.go)
    """

    limit_per_request: bool
    """The limit on devices of a claim is checked, and named, request by request.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """

    distinct: DistinctComparison
    """How distinctAttribute compares.

    Upstream: distinctAttributeConstraint.add (internal/*/constraint.go)
    """

    undoes_lists: bool
    """Giving back a device restores the intersection of list attributes.

    Upstream: matchAttributeConstraint.remove (internal/*/allocator_*.go)
    """

    # The device

    every_taint_blocks: bool
    """A taint of any effect, not only NoSchedule and NoExecute, prevents allocation.

    Upstream: taintPreventsAllocation (internal/*/allocator_*.go)
    """

    static_all: bool
    """Mode All leaves out only devices that have too little capacity even when unused.

    Upstream: allocator.validateDeviceRequest (internal/*/allocator_*.go)
    """

    capacity_is_fatal: bool
    """Capacity that cannot be computed ends the allocation with an error.

    Upstream: CmpRequestOverCapacity (internal/*/consumable_capacity.go)
    """

    step_format: bool
    """Capacity that is rounded up keeps the notation of the step.

    Upstream: roundUpRange (internal/*/consumable_capacity.go)
    """

    # The result

    copies_tolerations: bool
    """The result of a request has its tolerations.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """

    binds_to_node: bool
    """The node selector of a result honours `bindsToNode` of a device.

    Upstream: allocator.createNodeSelector (internal/*/allocator_*.go)
    """

    config_once: bool
    """A configuration of a claim is copied once, not once for each request that it names.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """

    clears_full_requests: bool
    """A configuration for all requests gets an empty list of requests.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """

    names_device: bool
    """Errors of CEL name the device, with a hint on missing keys.

    Upstream: allocator.selectorsMatch (internal/*/allocator_*.go)
    """

    sees_shared: bool
    """Selectors can read `device.allowMultipleAllocations`.

    Upstream: allocator.selectorsMatch (internal/*/allocator_*.go)
    """

    knows_operations: bool
    """Devices whose slice has `skipNodeOperations` need a node that declares the feature.

    Upstream: Allocator.Allocate (internal/*/allocator_*.go)
    """


@dataclass(frozen=True, slots=True)
class NodeRules:
    """How devices count that take cpu, memory or huge pages of nodes (DRANodeAllocatableResources)."""

    mappings: bool
    """Devices have the field of 1.36, `nodeAllocatableResourceMappings`, with one multiplier.

    Upstream: DynamicResources.buildNodeAllocatableDRAInfo (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """

    counts_held: bool
    """Claims that were allocated before count as well.

    Upstream: DynamicResources.calculateAndCheckNodeAllocatableResources (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """

    shared_by_node: bool
    """That a claim is shared is seen in the pods of the node, not in its reservations.

    Upstream: DynamicResources.validateNodeAllocatableDRAClaimSharing (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """

    needs_container: bool
    """A claim that no container refers to is rejected.

    Upstream: DynamicResources.buildNodeAllocatableDRAInfo (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """

    covers_without_claims: bool
    """Requests of the pod as a whole are checked even if no claim takes anything of the node.

    Upstream: DynamicResources.validatePodLevelResourcesCoverDRA (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """

    covers_limits: bool
    """Limits of the pod as a whole are checked.

    Upstream: DynamicResources.validatePodLevelResourcesCoverDRA (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """

    lists_containers_once: bool
    """The API server rejects a pod status that lists a container twice.

    Upstream: validateNodeAllocatableResourceClaimStatus (pkg/apis/core/validation/validation.go)
    """


@dataclass(frozen=True, slots=True)
class Plugin:
    """What the scheduler's plugin around the allocator does."""

    bare_rules_apply: bool
    """A DeviceTaintRule without a selector taints every device.

    Upstream: Tracker.applyPatches (dynamic-resource-allocation/resourceslice/tracker/tracker.go)
    """

    extended_first_form: bool
    """Extended resources as 1.34 began with them: no implicit names, a request for each container.

    Upstream: createRequestsAndMappings (plugins/dynamicresources/extendeddynamicresources.go)
    """

    scores: bool
    """Nodes where earlier alternatives are found get a better score.

    Upstream: DynamicResources.Score (plugins/dynamicresources/dynamicresources.go)
    """

    passes_lists: bool
    """The allocator knows that DRAListTypeAttributes is on.

    Upstream: AllocatorFeatures (plugins/dynamicresources/dynamicresources.go)
    """

    checks_operations: bool
    """Allocated devices with `skipNodeOperations` need a node that declares the feature.

    Upstream: allocationResultRequiresDRAOptionalNodeOperations (plugins/dynamicresources/dynamicresources.go)
    """

    waiting_counts_twice: bool
    """Capacity of a pod that waits in PreBind for a driver counts twice.

    Upstream: DynamicResources.PreBind (plugins/dynamicresources/dynamicresources.go)
    """

    timeout_ends: bool
    """A search that takes too long ends the attempt, not just the search on the node.

    Upstream: DynamicResources.Filter (plugins/dynamicresources/dynamicresources.go)
    """

    first_owner_texts: bool
    """Messages about claims that belong to other pods have the texts of 1.34 and 1.35.

    Upstream: IsForPod (dynamic-resource-allocation/resourceclaim/resourceclaim.go)
    """

    node_rules: NodeRules | None
    """How devices take resources of nodes; None where the release has no such feature.

    Upstream: DynamicResources.calculateAndCheckNodeAllocatableResources (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    """


_KINDS: Mapping[str, Any] = {
    "supports": frozenset,
    "pools": PoolModel,
    "order": SearchOrder,
    "counters": CounterScope,
    "distinct": DistinctComparison,
}


@functools.cache
def recorded_variants() -> Mapping[str, tuple[AllocatorVariant, ...]]:
    """The implementations by release (its newest patch), and by older patch, in the order in which upstream tries them."""
    rows = made_table("scheduling")["variants"]
    return {name: tuple(map(_variant, of_release)) for name, of_release in rows.items()}


def _variant(row: Mapping[str, Any]) -> AllocatorVariant:
    return AllocatorVariant(**{**row, **{name: kind(row[name]) for name, kind in _KINDS.items()}})


@functools.cache
def recorded_plugins() -> Mapping[str, Plugin]:
    """What the plugin does, by release."""
    rows = made_table("scheduling")["plugins"]
    return {
        name: Plugin(**row | {"node_rules": row["node_rules"] and NodeRules(**row["node_rules"])})
        for name, row in rows.items()
    }
