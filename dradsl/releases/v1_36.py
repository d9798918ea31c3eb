"""Kubernetes 1.36: what differs from 1.35.

Sources: kubernetes 1.36.4; its modules at 0.36.6.
"""

from __future__ import annotations

from dradsl.records import replace
from dradsl.releases.page import ALPHA, BETA, BETA_ON, GA_ON, LOCKED, Fields, Page
from dradsl.releases.scheduling import (
    CounterScope,
    DistinctComparison,
    NodeRules,
    PoolModel,
    SearchOrder,
)
from dradsl.releases.v1_35 import PAGE as BEFORE

__all__ = ["PAGE"]

_STABLE = replace(
    BEFORE.stable,
    supports=BEFORE.stable.supports
    | {"AdminAccess", "DeviceTaints", "PartitionableDevices", "PrioritizedList"},
    pools=PoolModel.WHOLE,
    counter_slices_everywhere=True,
    counters=CounterScope.POOL,
    reports_too_many=True,
    keeps_alternative=True,
    shifted_cache=False,
    leaks=False,
    every_taint_blocks=False,
    copies_tolerations=True,
)
_INCUBATING = replace(
    BEFORE.incubating,
    supports=BEFORE.incubating.supports | {"ConsumableCapacity", "DeviceBindingAndStatus"},
    order=SearchOrder.SORTED,
    counters=CounterScope.POOL,
    shares_hold_counters=True,
    combinations=True,
    keeps_alternative=True,
    shifted_cache=False,
    leaks=False,
    checks_capacity_gate=True,
    distinct=DistinctComparison.LAST_OF_REQUEST,
    binds_to_node=True,
    sees_shared=True,
)
_EXPERIMENTAL = replace(
    BEFORE.experimental,
    supports=BEFORE.experimental.supports | {"ListTypeAttributes"},
    order=SearchOrder.SORTED,
    counters=CounterScope.POOL,
    shares_hold_counters=True,
    combinations=True,
    keeps_alternative=True,
    shifted_cache=False,
    leaks=False,
)

PAGE = Page(
    name="1.36",
    patch="1.36.6",
    gates={
        **BEFORE.gates,
        "DRAAdminAccess": LOCKED,
        "DRAPrioritizedList": GA_ON,
        "DRAPartitionableDevices": BETA_ON,
        "DRADeviceTaints": BETA_ON,
        "DRADeviceTaintRules": BETA,
        "DRADeviceBindingConditions": BETA_ON,
        "DRAConsumableCapacity": BETA_ON,
        "DRAExtendedResource": BETA_ON,
        "DRAListTypeAttributes": ALPHA,
        "DRANodeAllocatableResources": ALPHA,
        "DRAWorkloadResourceClaims": ALPHA,
        "DRAResourceClaimGranularStatusAuthorization": BETA_ON,
        "DRAResourcePoolStatus": ALPHA,
        "DeclarativeValidationBeta": BETA_ON,
    },
    served={
        **BEFORE.served,
        "v1beta2": (*BEFORE.served["v1beta2"], "DeviceTaintRule"),
        "v1alpha3": (*BEFORE.served["v1alpha3"], "ResourcePoolStatusRequest"),
    },
    fields=Fields(
        added={
            "Device": "nodeAllocatableResourceMappings",
            "BasicDevice": "nodeAllocatableResourceMappings",
            "DeviceAttribute": "ints bools strings versions",
        },
        removed={},
        no_longer_required={},
    ),
    cel=replace(BEFORE.cel, includes="bounded"),
    validation=replace(
        BEFORE.validation,
        map_key_at_entry=False,
        new_effect_new_time=True,
        quota_first_claim_only=True,
        group_versions=("v1alpha2",),
    ),
    stable=_STABLE,
    incubating=_INCUBATING,
    experimental=_EXPERIMENTAL,
    earlier_patches={"1.36.3": {"counters": CounterScope.POOL_NAME, "limit_per_request": False}},
    plugin=replace(
        BEFORE.plugin,
        passes_lists=False,
        timeout_ends=True,
        first_owner_texts=False,
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
)
