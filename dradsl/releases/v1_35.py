"""Kubernetes 1.35: what differs from 1.34.

Sources: kubernetes 1.35.8; its modules at 0.35.10.
"""

from __future__ import annotations

from dradsl.records import replace
from dradsl.releases.page import ALPHA, LOCKED, Fields, Page
from dradsl.releases.scheduling import CounterScope, DistinctComparison, PoolModel
from dradsl.releases.v1_34 import PAGE as BEFORE

__all__ = ["PAGE"]

_STABLE = replace(
    BEFORE.stable, pools=PoolModel.SIMPLE, second_share_free=True, subrequest_in_gate_text=True
)
_INCUBATING = replace(
    BEFORE.incubating,
    pools=PoolModel.WHOLE,
    counter_slices_everywhere=True,
    counters=CounterScope.POOL_NAME,
    second_share_free=True,
    subrequest_in_gate_text=True,
    every_taint_blocks=False,
    copies_tolerations=True,
)
_EXPERIMENTAL = replace(
    BEFORE.experimental,
    supports=BEFORE.experimental.supports - {"DeviceBinding", "DeviceStatus"},
    pools=PoolModel.WHOLE,
    counter_slices_everywhere=True,
    counters=CounterScope.POOL_NAME,
    second_share_free=True,
    checks_other_device=False,
    subrequest_in_gate_text=True,
    distinct=DistinctComparison.LAST_OF_REQUEST,
    every_taint_blocks=False,
    copies_tolerations=True,
)

PAGE = Page(
    name="1.35",
    patch="1.35.10",
    gates={**BEFORE.gates, "DynamicResourceAllocation": LOCKED, "DRADeviceTaintRules": ALPHA},
    served=BEFORE.served,
    fields=Fields(
        added={"DeviceTaintRule": "status"},
        removed={"DeviceTaintSelector": "deviceClassName selectors"},
        no_longer_required={},
    ),
    cel=replace(BEFORE.cel, lists_in_new=True),
    validation=replace(
        BEFORE.validation,
        stops_at_limit=True,
        duplicate_at_key=False,
        union_members_always=False,
        counters_in_total=False,
        driver_required_only=True,
        qualified_name_required=False,
        class_name_declared=True,
        class_update_twice=False,
        claim_update_in_full=False,
        template_update_spec=False,
        taint_unchanged_tolerated=True,
        attribute_missing_required=False,
        label_unit="bytes",
        label_key_phrase="a valid label key",
        warns_of_driver_case=True,
        names_embedded=True,
        max_taints=16,
        max_devices_with_extras=64,
        effects=("NoExecute", "NoSchedule", "None"),
        group_versions=("v1alpha1",),
        drops_tolerations=True,
        drops_distinct_attribute=True,
        drops_binding_by_both_gates=False,
        quota_counts_extended=True,
    ),
    stable=_STABLE,
    incubating=_INCUBATING,
    experimental=_EXPERIMENTAL,
    earlier_patches={
        "1.35.6": {"limit_per_request": False},
        "1.35.8": {"limit_per_request": False},
    },
    plugin=replace(BEFORE.plugin, extended_first_form=False, scores=True),
)
