"""What the API server of each release does; written by `python -m maintenance.release_table`.

The source are the pages `v1_*.py`: change those. A row is a switch, a column a release, in the order of
`NAMES`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "CEL",
    "GATES",
    "NAMES",
    "NOT_REQUIRED_SINCE",
    "PATCHES",
    "REMOVED_IN",
    "SERVED",
    "SINCE",
    "VALIDATION",
]

NAMES = ("1.34", "1.35", "1.36", "1.37")
PATCHES = ("1.34.13", "1.35.10", "1.36.6", "1.37.2")
GATES: dict[str, tuple[str, ...]] = {
    "DynamicResourceAllocation": ("G", "G!", "G!", "G!"),
    "DRAAdminAccess": ("B", "B", "G!", "G!"),
    "DRAPrioritizedList": ("B", "B", "G", "G!"),
    "DRAResourceClaimDeviceStatus": ("B", "B", "B", "G!"),
    "DRASchedulerFilterTimeout": ("B", "B", "B", "B"),
    "DRAPartitionableDevices": ("a", "a", "B", "B"),
    "DRADeviceTaints": ("a", "a", "B", "G"),
    "DRADeviceBindingConditions": ("a", "a", "B", "B"),
    "DRAConsumableCapacity": ("a", "a", "B", "B"),
    "DRAExtendedResource": ("a", "a", "B", "G!"),
    "DRADeviceTaintRules": ("-", "a", "b", "G"),
    "DRAListTypeAttributes": ("-", "-", "a", "a"),
    "DRANodeAllocatableResources": ("-", "-", "a", "a"),
    "DRAWorkloadResourceClaims": ("-", "-", "a", "b"),
    "DRAResourceClaimGranularStatusAuthorization": ("-", "-", "B", "B"),
    "DRAResourcePoolStatus": ("-", "-", "a", "a"),
    "DeclarativeValidationBeta": ("-", "-", "B", "B"),
    "DRAFractionalCapacityRange": ("-", "-", "-", "b"),
    "DRAOptionalNodeOperations": ("-", "-", "-", "a"),
    "DRADeviceCompatibilityGroups": ("-", "-", "-", "a"),
    "DRADerivedAttributes": ("-", "-", "-", "a"),
    "DRAPartitionableDevicesType": ("-", "-", "-", "a"),
    "CompositePodGroup": ("-", "-", "-", "a"),
}
SERVED: dict[tuple[str, str], tuple[bool, ...]] = {
    ("v1", "DeviceClass"): (True, True, True, True),
    ("v1", "ResourceClaim"): (True, True, True, True),
    ("v1", "ResourceClaimTemplate"): (True, True, True, True),
    ("v1", "ResourceSlice"): (True, True, True, True),
    ("v1beta2", "DeviceClass"): (True, True, True, True),
    ("v1beta2", "ResourceClaim"): (True, True, True, True),
    ("v1beta2", "ResourceClaimTemplate"): (True, True, True, True),
    ("v1beta2", "ResourceSlice"): (True, True, True, True),
    ("v1beta1", "DeviceClass"): (True, True, True, True),
    ("v1beta1", "ResourceClaim"): (True, True, True, True),
    ("v1beta1", "ResourceClaimTemplate"): (True, True, True, True),
    ("v1beta1", "ResourceSlice"): (True, True, True, True),
    ("v1alpha3", "DeviceTaintRule"): (True, True, True, True),
    ("v1beta2", "DeviceTaintRule"): (False, False, True, True),
    ("v1alpha3", "ResourcePoolStatusRequest"): (False, False, True, True),
    ("v1", "DeviceTaintRule"): (False, False, False, True),
}
CEL: dict[str, tuple[Any, ...]] = {
    "cel_go": ("0.26", "0.26", "0.26", "0.29"),
    "lists_in_new": (False, True, True, True),
    "includes": (None, None, "bounded", "library"),
    "dyn_in_stored": (False, False, False, True),
}
VALIDATION: dict[str, tuple[Any, ...]] = {
    "stops_at_limit": (False, True, True, True),
    "duplicate_at_key": (True, False, False, False),
    "map_key_at_entry": (True, True, False, False),
    "union_members_always": (True, False, False, False),
    "counters_in_total": (True, False, False, False),
    "driver_required_only": (False, True, True, True),
    "qualified_name_required": (True, False, False, False),
    "class_name_declared": (False, True, True, True),
    "class_update_twice": (True, False, False, False),
    "claim_update_in_full": (True, False, False, False),
    "template_update_spec": (True, False, False, False),
    "taint_unchanged_tolerated": (False, True, True, True),
    "capacity_unchanged_tolerated": (False, False, False, True),
    "attribute_missing_required": (True, False, False, False),
    "stored_cel": (True, True, True, False),
    "default_path": (False, False, False, True),
    "step_checked": (False, False, False, True),
    "tolerations_in_results": (False, False, False, True),
    "declarative": (False, False, False, True),
    "label_unit": ("characters", "bytes", "bytes", "bytes"),
    "label_key_phrase": (
        "a qualified name",
        "a valid label key",
        "a valid label key",
        "a valid label key",
    ),
    "owners_indexed": (False, False, False, True),
    "conditions_required": (False, False, False, True),
    "warns_of_driver_case": (False, True, True, True),
    "names_embedded": (False, True, True, True),
    "new_effect_new_time": (False, False, True, True),
    "drops_tolerations": (False, True, True, True),
    "drops_distinct_attribute": (False, True, True, True),
    "drops_binding_by_both_gates": (True, False, False, False),
    "quota_counts_extended": (False, True, True, True),
    "quota_first_claim_only": (False, False, True, True),
    "max_taints": (4, 16, 16, 16),
    "max_devices_with_extras": (128, 64, 64, 64),
    "effects": (
        ("NoExecute", "NoSchedule"),
        ("NoExecute", "NoSchedule", "None"),
        ("NoExecute", "NoSchedule", "None"),
        ("NoExecute", "NoSchedule", "None"),
    ),
    "group_versions": ((), ("v1alpha1",), ("v1alpha2",), ("v1beta1", "v1alpha3")),
}
# Fields, TYPE.FIELD, and the first release that has them, lacks them, takes objects without them.
SINCE: dict[str, str] = {
    "DeviceTaintRule.status": "1.35",
    "Device.nodeAllocatableResourceMappings": "1.36",
    "BasicDevice.nodeAllocatableResourceMappings": "1.36",
    "DeviceAttribute.ints": "1.36",
    "DeviceAttribute.bools": "1.36",
    "DeviceAttribute.strings": "1.36",
    "DeviceAttribute.versions": "1.36",
    "DeviceRequest@v1beta1.derivedAttributes": "1.37",
    "ExactDeviceRequest.derivedAttributes": "1.37",
    "DeviceSubRequest.derivedAttributes": "1.37",
    "DeviceRequestAllocationResult.skipNodeOperations": "1.37",
    "ResourceSliceSpec.partitionTypeAttribute": "1.37",
    "ResourceSliceSpec.skipNodeOperations": "1.37",
    "ResourceSliceSpec@v1beta1.partitionTypeAttribute": "1.37",
    "ResourceSliceSpec@v1beta1.skipNodeOperations": "1.37",
    "Device.nodeAllocatableResources": "1.37",
    "BasicDevice.nodeAllocatableResources": "1.37",
    "DeviceCounterConsumption.compatibilityGroups": "1.37",
    "ResourcePoolStatusRequestSpec.defaultPartitionTypeAttribute": "1.37",
    "PoolStatus.partitionSummary": "1.37",
    "PoolStatus.shareableSummary": "1.37",
}
REMOVED_IN: dict[str, str] = {
    "DeviceTaintSelector.deviceClassName": "1.35",
    "DeviceTaintSelector.selectors": "1.35",
    "Device.nodeAllocatableResourceMappings": "1.37",
    "BasicDevice.nodeAllocatableResourceMappings": "1.37",
}
NOT_REQUIRED_SINCE: dict[str, str] = {
    "DeviceClass.spec": "1.37",
    "ResourceClaim.spec": "1.37",
    "ResourceClaimTemplate.spec": "1.37",
    "ResourceClaimTemplateSpec.spec": "1.37",
}
