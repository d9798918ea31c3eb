"""Kubernetes 1.34, in full: the first release with resource.k8s.io/v1.

Sources: kubernetes 1.34.10; its modules at 0.34.13.
"""

from __future__ import annotations

from dradsl.records import replace
from dradsl.releases.page import ALPHA, BETA_ON, GA_ON, Fields, Page
from dradsl.releases.scheduling import (
    AllocatorVariant,
    CounterScope,
    DistinctComparison,
    Plugin,
    PoolModel,
    SearchOrder,
)
from dradsl.releases.server import CelLibraries, Validation

__all__ = ["PAGE"]

_STABLE = AllocatorVariant(
    name="stable",
    supports=frozenset(),
    pools=PoolModel.ON_NODE,
    order=SearchOrder.CHANCE,
    counter_slices_everywhere=False,
    ignores_compatibility_groups=False,
    counters=CounterScope.SLICE,
    shares_hold_counters=False,
    second_share_free=False,
    share_is_in_use=False,
    combinations=False,
    reports_too_many=False,
    keeps_alternative=False,
    shifted_cache=True,
    leaks=True,
    checks_other_device=False,
    checks_capacity_gate=False,
    subrequest_in_gate_text=False,
    rejects_derived=False,
    limit_per_request=True,
    distinct=DistinctComparison.UNKNOWN,
    undoes_lists=False,
    every_taint_blocks=True,
    static_all=False,
    capacity_is_fatal=False,
    step_format=False,
    copies_tolerations=False,
    binds_to_node=False,
    config_once=False,
    clears_full_requests=False,
    names_device=False,
    sees_shared=False,
    knows_operations=False,
)
_INCUBATING = replace(
    _STABLE,
    name="incubating",
    supports=frozenset({"AdminAccess", "DeviceTaints", "PartitionableDevices", "PrioritizedList"}),
    reports_too_many=True,
)
_EXPERIMENTAL = replace(
    _STABLE,
    name="experimental",
    supports=_INCUBATING.supports
    | {"ConsumableCapacity", "DeviceBinding", "DeviceBindingAndStatus", "DeviceStatus"},
    order=SearchOrder.CONDITIONS_LAST,
    reports_too_many=True,
    checks_other_device=True,
    checks_capacity_gate=True,
    distinct=DistinctComparison.IDENTITY,
    binds_to_node=True,
    sees_shared=True,
)

PAGE = Page(
    name="1.34",
    patch="1.34.13",
    gates={
        "DynamicResourceAllocation": GA_ON,
        "DRAAdminAccess": BETA_ON,
        "DRAPrioritizedList": BETA_ON,
        "DRAResourceClaimDeviceStatus": BETA_ON,
        "DRASchedulerFilterTimeout": BETA_ON,
        "DRAPartitionableDevices": ALPHA,
        "DRADeviceTaints": ALPHA,
        "DRADeviceBindingConditions": ALPHA,
        "DRAConsumableCapacity": ALPHA,
        "DRAExtendedResource": ALPHA,
    },
    served={
        "v1": ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"),
        "v1beta2": ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"),
        "v1beta1": ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"),
        "v1alpha3": ("DeviceTaintRule",),
    },
    fields=Fields(added={}, removed={}, no_longer_required={}),
    cel=CelLibraries(cel_go="0.26", lists_in_new=False, includes=None, dyn_in_stored=False),
    validation=Validation(
        stops_at_limit=False,
        duplicate_at_key=True,
        map_key_at_entry=True,
        union_members_always=True,
        counters_in_total=True,
        driver_required_only=False,
        qualified_name_required=True,
        class_name_declared=False,
        class_update_twice=True,
        claim_update_in_full=True,
        template_update_spec=True,
        taint_unchanged_tolerated=False,
        capacity_unchanged_tolerated=False,
        attribute_missing_required=True,
        stored_cel=True,
        default_path=False,
        step_checked=False,
        tolerations_in_results=False,
        declarative=False,
        label_unit="characters",
        label_key_phrase="a qualified name",
        owners_indexed=False,
        conditions_required=False,
        warns_of_driver_case=False,
        names_embedded=False,
        new_effect_new_time=False,
        max_taints=4,
        max_devices_with_extras=128,
        effects=("NoExecute", "NoSchedule"),
        group_versions=(),
        drops_tolerations=False,
        drops_distinct_attribute=False,
        quota_counts_extended=False,
        quota_first_claim_only=False,
        drops_binding_by_both_gates=True,
    ),
    stable=_STABLE,
    incubating=_INCUBATING,
    experimental=_EXPERIMENTAL,
    earlier_patches={
        "1.34.9": (
            replace(_STABLE, limit_per_request=False),
            replace(_INCUBATING, limit_per_request=False),
            replace(_EXPERIMENTAL, limit_per_request=False),
        )
    },
    plugin=Plugin(
        bare_rules_apply=True,
        extended_first_form=True,
        scores=False,
        passes_lists=True,
        checks_operations=False,
        waiting_counts_twice=False,
        timeout_ends=False,
        first_owner_texts=True,
        node_rules=None,
    ),
)
