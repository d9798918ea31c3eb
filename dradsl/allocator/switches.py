"""How the scheduler's allocator of each release behaves: one row a variant, no version compared.

Upstream keeps three implementations side by side and takes the first one, in the order stable,
incubating, experimental, that knows every enabled feature. A row describes one of them.

Sources: k8s.io/dynamic-resource-allocation `structured/allocator.go` and
`structured/internal/{stable,incubating,experimental}` at the patches named by the keys of `_ROWS`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

from dradsl.releases import Features, UnknownReleaseError, get_release

__all__ = [
    "ALLOCATOR_FEATURES",
    "AllocatorFeatures",
    "CounterScope",
    "Distinct",
    "NodeRules",
    "Order",
    "Plugin",
    "PoolModel",
    "Variant",
    "allocator_features",
    "choose_variant",
    "known_patches",
    "plugin_features",
    "plugin_of",
    "usable_features",
    "variants_of",
]


class PoolModel(enum.Enum):
    """What makes a pool usable."""

    ON_NODE = "on-node"  # counted on the node alone, used even if incomplete, fatal if invalid
    SIMPLE = "simple"  # counted in the cluster; counter sets stay with their slice
    WHOLE = "whole"  # counted and validated as a whole; counter slices hold no candidates


class Order(enum.Enum):
    """In which order pools and slices are searched."""

    CHANCE = "chance"  # of a Go map, and of the scheduler's cache
    CONDITIONS_LAST = "conditions-last"  # by chance, then what has binding conditions
    SORTED = "sorted"  # pools by ID, then those with binding conditions; slices by name


class CounterScope(enum.Enum):
    """What the sums of shared counters are kept by."""

    SLICE = "slice"
    POOL_NAME = "pool-name"  # pools of two drivers with one name share sums: kubernetes 140435
    POOL = "pool"


class Distinct(enum.Enum):
    """How distinctAttribute compares."""

    UNKNOWN = "unknown"  # the constraint is refused as empty
    IDENTITY = "identity"  # pointers are compared, so equal values never clash
    LAST_OF_REQUEST = "last-of-request"  # only the last device of a request is remembered
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Variant:
    """One implementation of the allocator in one release.

    Every field is a difference in behaviour; the defaults describe the newest one.
    """

    name: str
    supports: frozenset[str]

    pools: PoolModel = PoolModel.WHOLE
    order: Order = Order.SORTED
    counter_slices_everywhere: bool = False  # a slice with counters matters to every node
    ignores_compatibility_groups: bool = True  # slices that use them are left out (gate off)

    counters: CounterScope = CounterScope.POOL
    shares_hold_counters: bool = True  # allocated shares count as consumption
    second_share_free: bool = True  # a further share of a device charges no counters
    share_is_in_use: bool = True  # an allocated share without consumed capacity counts there

    combinations: bool = True  # within a request the search only moves forward
    reports_too_many: bool = True  # too many devices cuts the search short
    keeps_alternative: bool = True  # from the second device of All mode on
    shifted_cache: bool = False  # alternatives 0 and 1 share selector results in preparation
    leaks: bool = False  # counters of rejected candidates stay charged: kubernetes 140436
    checks_other_device: bool = False  # the last capacity check looks at devices[k]

    checks_capacity_gate: bool = True
    subrequest_in_gate_text: bool = True
    refuses_derived: bool = True
    limit_per_request: bool = True  # the limit is checked, and named, request by request
    distinct: Distinct = Distinct.ALL
    undoes_lists: bool = True  # the running intersection of list attributes is restored

    every_taint_blocks: bool = False
    static_all: bool = True  # All mode leaves out only devices that could never fit
    capacity_is_fatal: bool = True  # amounts that cannot be computed abort the search
    step_format: bool = True  # rounded amounts keep the notation of the step

    copies_tolerations: bool = True
    binds_to_node: bool = True
    config_once: bool = True  # a claim's config is emitted once, not once a named request
    clears_full_requests: bool = True  # a config for all requests gets an empty list
    names_device: bool = True  # in errors of CEL evaluation, with a hint on missing keys
    sees_shared: bool = True  # device.allowMultipleAllocations in CEL
    knows_operations: bool = False  # skipNodeOperations asks for a feature of the node


@dataclass(frozen=True, slots=True)
class NodeRules:
    """How resources of nodes that devices take are counted (gate DRANodeAllocatableResources)."""

    mappings: bool = False  # devices have the fields of 1.36: mappings only, with one multiplier
    counts_held: bool = True  # claims that were allocated before count
    shared_by_node: bool = False  # sharing is seen in the pods of a node, not in reservations
    needs_container: bool = False  # a claim that no container refers to is refused
    covers_without_claims: bool = False  # pod-level requests are checked if claims take nothing too
    covers_limits: bool = True  # pod-level limits are checked
    lists_containers_once: bool = True  # the API server refuses a status that lists one twice


@dataclass(frozen=True, slots=True)
class Plugin:
    """What the scheduler's plugin around the allocator does differently from release to release."""

    bare_rules_apply: bool = False  # a DeviceTaintRule without selector taints every device
    extended_first_form: bool = False  # extended resources as 1.34 began with them
    scores: bool = True  # nodes where better alternatives are found come first
    passes_lists: bool = True  # the allocator is told of DRAListTypeAttributes
    checks_operations: bool = False  # allocated devices may ask for a feature of the node
    waiting_counts_twice: bool = False  # capacity of pods that PreBind makes wait for a driver
    timeout_ends: bool = (
        True  # a search that takes too long ends the attempt, not just for the node
    )
    first_owner_texts: bool = False  # says of claims of other pods what 1.34 and 1.35 do
    node_rules: NodeRules | None = None  # None where the release does not know the gate


@dataclass(frozen=True, slots=True)
class AllocatorFeatures:
    """What the scheduler plugin switches on in the allocator."""

    enabled: frozenset[str]

    def __contains__(self, feature: str) -> bool:
        return feature in self.enabled


# Allocator feature -> the gates that it needs (dynamicresources plugin, feature.Features).
ALLOCATOR_FEATURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("AdminAccess", ("DRAAdminAccess",)),
    ("CompatibilityGroups", ("DRADeviceCompatibilityGroups",)),
    ("ConsumableCapacity", ("DRAConsumableCapacity",)),
    ("DerivedAttributes", ("DRADerivedAttributes",)),
    ("DeviceBindingAndStatus", ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus")),
    ("DeviceTaints", ("DRADeviceTaints",)),
    ("FractionalCapacityRange", ("DRAFractionalCapacityRange",)),
    ("ListTypeAttributes", ("DRAListTypeAttributes",)),
    ("OptionalNodeOperations", ("DRAOptionalNodeOperations",)),
    ("PartitionableDevices", ("DRAPartitionableDevices",)),
    ("PrioritizedList", ("DRAPrioritizedList",)),
)

# 1.34 passes binding conditions and device status separately; other releases know no such features.
_ALONE = (
    ("DeviceBinding", "DRADeviceBindingConditions"),
    ("DeviceStatus", "DRAResourceClaimDeviceStatus"),
)

_FOUR = frozenset({"AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints"})
_SIX = _FOUR | {"DeviceBindingAndStatus", "ConsumableCapacity"}
_SEVEN = _SIX | {"FractionalCapacityRange"}

_EXPERIMENTAL_37 = Variant(
    "experimental",
    _SEVEN
    | {"ListTypeAttributes", "OptionalNodeOperations", "DerivedAttributes", "CompatibilityGroups"},
    knows_operations=True,
)
_INCUBATING_37 = Variant("incubating", _SEVEN)
_STABLE_37 = Variant(
    "stable",
    _FOUR,
    order=Order.CHANCE,
    counter_slices_everywhere=True,
    combinations=False,
    checks_capacity_gate=False,
    distinct=Distinct.UNKNOWN,
    binds_to_node=False,
    sees_shared=False,
    shares_hold_counters=False,
)

_BEFORE_37: dict[str, Any] = {
    "counter_slices_everywhere": True,
    "ignores_compatibility_groups": False,
    "share_is_in_use": False,
    "refuses_derived": False,
    "undoes_lists": False,
    "static_all": False,
    "capacity_is_fatal": False,
    "step_format": False,
    "config_once": False,
    "clears_full_requests": False,
    "names_device": False,
    "knows_operations": False,
}


def _older(variant: Variant, supports: frozenset[str] | None = None, **changes: Any) -> Variant:
    kept = variant.supports if supports is None else supports
    return replace(variant, supports=kept, **changes)


_EXPERIMENTAL_36 = _older(
    _EXPERIMENTAL_37,
    _SIX | {"ListTypeAttributes"},
    distinct=Distinct.LAST_OF_REQUEST,
    **_BEFORE_37,
)
_INCUBATING_36 = _older(_INCUBATING_37, _SIX, distinct=Distinct.LAST_OF_REQUEST, **_BEFORE_37)
_STABLE_36 = _older(_STABLE_37, **_BEFORE_37)

# What 140504 and the check of the limit before adding brought after 1.36.3.
_UP_TO_36_3: dict[str, Any] = {"counters": CounterScope.POOL_NAME, "limit_per_request": False}

_BEFORE_36: dict[str, Any] = {
    "shares_hold_counters": False,
    "combinations": False,
    "keeps_alternative": False,
    "shifted_cache": True,
    "leaks": True,
    "limit_per_request": False,
}
_EXPERIMENTAL_35 = _older(
    _EXPERIMENTAL_36,
    _SIX,
    counters=CounterScope.POOL_NAME,
    order=Order.CONDITIONS_LAST,
    **_BEFORE_36,
)
_INCUBATING_35 = _older(
    _INCUBATING_36,
    _FOUR,
    counters=CounterScope.POOL_NAME,
    order=Order.CHANCE,
    checks_capacity_gate=False,
    distinct=Distinct.UNKNOWN,
    binds_to_node=False,
    sees_shared=False,
    **_BEFORE_36,
)
_STABLE_35 = _older(
    _INCUBATING_35,
    frozenset(),
    name="stable",
    pools=PoolModel.SIMPLE,
    counter_slices_everywhere=False,
    counters=CounterScope.SLICE,
    reports_too_many=False,
    every_taint_blocks=True,
    copies_tolerations=False,
)

_BEFORE_35: dict[str, Any] = {
    "pools": PoolModel.ON_NODE,
    "counter_slices_everywhere": False,
    "counters": CounterScope.SLICE,
    "second_share_free": False,
    "subrequest_in_gate_text": False,
    "every_taint_blocks": True,
    "copies_tolerations": False,
}
_EXPERIMENTAL_34_9 = _older(
    _EXPERIMENTAL_35,
    _SIX.union(name for name, _ in _ALONE),
    distinct=Distinct.IDENTITY,
    checks_other_device=True,
    **_BEFORE_35,
)
_INCUBATING_34_9 = _older(_INCUBATING_35, _FOUR, **_BEFORE_35)
_STABLE_34_9 = _older(_INCUBATING_34_9, frozenset(), name="stable", reports_too_many=False)


def _at(variants: tuple[Variant, ...], **changes: Any) -> tuple[Variant, ...]:
    return tuple(_older(variant, **changes) for variant in variants)


_THREE_34_9 = (_STABLE_34_9, _INCUBATING_34_9, _EXPERIMENTAL_34_9)
_THREE_35 = (_STABLE_35, _INCUBATING_35, _EXPERIMENTAL_35)
_THREE_36 = (_STABLE_36, _INCUBATING_36, _EXPERIMENTAL_36)
_THREE_37 = (_STABLE_37, _INCUBATING_37, _EXPERIMENTAL_37)

# The newest patch of each release, and older ones for which recorded answers exist.
_ROWS: dict[str, tuple[Variant, ...]] = {
    "1.34": _at(_THREE_34_9, limit_per_request=True),
    "1.34.9": _THREE_34_9,
    "1.35": _at(_THREE_35, limit_per_request=True),
    "1.35.8": _THREE_35,
    "1.35.6": _THREE_35,
    "1.36": _THREE_36,
    "1.36.3": _at(_THREE_36, **_UP_TO_36_3),
    "1.37": _THREE_37,
}

_PLUGINS: dict[str, Plugin] = {
    "1.34": Plugin(
        bare_rules_apply=True,
        extended_first_form=True,
        scores=False,
        timeout_ends=False,
        first_owner_texts=True,
    ),
    "1.35": Plugin(bare_rules_apply=True, timeout_ends=False, first_owner_texts=True),
    "1.36": Plugin(
        bare_rules_apply=True,
        passes_lists=False,
        node_rules=NodeRules(
            mappings=True,
            counts_held=False,
            shared_by_node=True,
            needs_container=True,
            covers_without_claims=True,
            covers_limits=False,
            lists_containers_once=False,
        ),
    ),
    "1.37": Plugin(checks_operations=True, waiting_counts_twice=True, node_rules=NodeRules()),
}


def known_patches() -> tuple[str, ...]:
    """The names that `variants_of` tells apart: releases (their newest patch) and older patches."""
    return tuple(_ROWS)


def variants_of(name: str) -> tuple[Variant, ...]:
    """The implementations of a release ("1.36": its newest patch) or of a recorded older patch.

    Raises:
        UnknownReleaseError: for a release that dradsl does not know.
    """
    rows = _ROWS.get(name)
    if rows is None:
        rows = _ROWS.get(get_release(name).name)
    if rows is None:
        raise UnknownReleaseError(f"no allocator is known for Kubernetes {name}")
    return rows


def plugin_of(name: str) -> Plugin:
    """What the plugin of a release ("1.36", or one of its patches) does.

    Raises:
        UnknownReleaseError: for a release that dradsl does not know.
    """
    return _PLUGINS[get_release(name).name]


def allocator_features(features: Features) -> AllocatorFeatures:
    """The allocator's features under these gates."""
    enabled = {
        name for name, gates in ALLOCATOR_FEATURES if all(gate in features for gate in gates)
    }
    enabled.update(name for name, gate in _ALONE if gate in features)
    return AllocatorFeatures(frozenset(enabled))


def plugin_features(features: Features, plugin: Plugin) -> AllocatorFeatures:
    """The allocator's features under these gates, as far as the scheduler's plugin passes them on."""
    enabled = allocator_features(features).enabled
    return AllocatorFeatures(enabled if plugin.passes_lists else enabled - {"ListTypeAttributes"})


def choose_variant(
    variants: tuple[Variant, ...], features: AllocatorFeatures, name: str | None = None
) -> Variant:
    """The first variant that knows all enabled features, or the one called `name`."""
    known = frozenset[str]().union(*(variant.supports for variant in variants))
    wanted = features.enabled - {alone for alone, _ in _ALONE if alone not in known}
    for variant in variants:
        if variant.name == name or (name is None and wanted <= variant.supports):
            return variant
    # Gates that none of them knows change nothing; the last variant knows the most.
    return variants[-1]


def usable_features(variant: Variant, features: AllocatorFeatures) -> AllocatorFeatures:
    """The features without those that the variant has no code for.

    Every variant has code for the four oldest ones, even where it is not taken when they are on.
    """
    return AllocatorFeatures(features.enabled & (variant.supports | _FOUR))
