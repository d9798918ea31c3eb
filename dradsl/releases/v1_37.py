"""Kubernetes 1.37: what differs from 1.36.

Sources: kubernetes 1.37.2; its modules at 0.37.2.
"""

from __future__ import annotations

from dradsl.records import replace
from dradsl.releases.page import ALPHA, BETA, GA_ON, LOCKED, Fields, Page
from dradsl.releases.scheduling import DistinctComparison, NodeRules
from dradsl.releases.v1_36 import PAGE as BEFORE

__all__ = ["PAGE"]

_STABLE = replace(
    BEFORE.stable,
    ignores_compatibility_groups=True,
    share_is_in_use=True,
    rejects_derived=True,
    undoes_lists=True,
    static_all=True,
    capacity_is_fatal=True,
    step_format=True,
    config_once=True,
    clears_full_requests=True,
    names_device=True,
)
_INCUBATING = replace(
    BEFORE.incubating,
    supports=BEFORE.incubating.supports | {"FractionalCapacityRange"},
    counter_slices_everywhere=False,
    ignores_compatibility_groups=True,
    share_is_in_use=True,
    rejects_derived=True,
    distinct=DistinctComparison.ALL,
    undoes_lists=True,
    static_all=True,
    capacity_is_fatal=True,
    step_format=True,
    config_once=True,
    clears_full_requests=True,
    names_device=True,
)
_EXPERIMENTAL = replace(
    BEFORE.experimental,
    supports=BEFORE.experimental.supports
    | {
        "CompatibilityGroups",
        "DerivedAttributes",
        "FractionalCapacityRange",
        "OptionalNodeOperations",
    },
    counter_slices_everywhere=False,
    ignores_compatibility_groups=True,
    share_is_in_use=True,
    rejects_derived=True,
    distinct=DistinctComparison.ALL,
    undoes_lists=True,
    static_all=True,
    capacity_is_fatal=True,
    step_format=True,
    config_once=True,
    clears_full_requests=True,
    names_device=True,
    knows_operations=True,
)

PAGE = Page(
    name="1.37",
    patch="1.37.2",
    gates={
        **BEFORE.gates,
        "DRAPrioritizedList": LOCKED,
        "DRAResourceClaimDeviceStatus": LOCKED,
        "DRADeviceTaints": GA_ON,
        "DRADeviceTaintRules": GA_ON,
        "DRAExtendedResource": LOCKED,
        "DRAWorkloadResourceClaims": BETA,
        # On only where --min-compatibility-version is raised to 1.37; its default is one release back.
        "DRAFractionalCapacityRange": BETA,
        "DRAOptionalNodeOperations": ALPHA,
        "DRADeviceCompatibilityGroups": ALPHA,
        "DRADerivedAttributes": ALPHA,
        "DRAPartitionableDevicesType": ALPHA,
        "CompositePodGroup": ALPHA,  # claims in templates of templates of pods
    },
    served={**BEFORE.served, "v1": (*BEFORE.served["v1"], "DeviceTaintRule")},
    fields=Fields(
        added={
            "DeviceRequest@v1beta1": "derivedAttributes",
            "ExactDeviceRequest": "derivedAttributes",
            "DeviceSubRequest": "derivedAttributes",
            "DeviceRequestAllocationResult": "skipNodeOperations",
            "ResourceSliceSpec": "partitionTypeAttribute skipNodeOperations",
            "ResourceSliceSpec@v1beta1": "partitionTypeAttribute skipNodeOperations",
            "Device": "nodeAllocatableResources",
            "BasicDevice": "nodeAllocatableResources",
            "DeviceCounterConsumption": "compatibilityGroups",
            "ResourcePoolStatusRequestSpec": "defaultPartitionTypeAttribute",
            "PoolStatus": "partitionSummary shareableSummary",
        },
        removed={
            "Device": "nodeAllocatableResourceMappings",
            "BasicDevice": "nodeAllocatableResourceMappings",
        },
        no_longer_required={
            "DeviceClass": "spec",
            "ResourceClaim": "spec",
            "ResourceClaimTemplate": "spec",
            "ResourceClaimTemplateSpec": "spec",
        },
    ),
    cel=replace(BEFORE.cel, cel_go="0.29", includes="library", dyn_in_stored=True),
    validation=replace(
        BEFORE.validation,
        capacity_unchanged_tolerated=True,
        stored_cel=False,
        default_path=True,
        step_checked=True,
        tolerations_in_results=True,
        declarative=True,
        owners_indexed=True,
        conditions_required=True,
        group_versions=("v1beta1", "v1alpha3"),
    ),
    stable=_STABLE,
    incubating=_INCUBATING,
    experimental=_EXPERIMENTAL,
    earlier_patches={},
    plugin=replace(
        BEFORE.plugin,
        bare_rules_apply=False,
        passes_lists=True,
        checks_operations=True,
        waiting_counts_twice=True,
        node_rules=NodeRules(
            mappings=False,
            counts_held=True,
            shared_by_node=False,
            needs_container=False,
            covers_without_claims=False,
            covers_limits=True,
            lists_containers_once=True,
        ),
    ),
)
