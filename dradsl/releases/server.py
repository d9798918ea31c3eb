"""What differs in the API server from release to release: the switches of CEL and of validation.

Every switch says what it does, and after "Upstream:" the Go function that decides it, with the end of
its file's path.
"""

from __future__ import annotations

from dradsl.records import dataclass

__all__ = ["CelLibraries", "Validation"]


@dataclass(frozen=True, slots=True)
class CelLibraries:
    """What CEL for device selectors is made of."""

    cel_go: str
    """The minor version of cel-go, a row of `dradsl.cel.dialects`."""

    lists_in_new: bool
    """New expressions may use the list library of cel-go (`slice`, `sort` and others); stored ones
    always may.

    Upstream: MustBaseEnvSet (apiserver/pkg/cel/environment/base.go)
    """

    includes: str | None
    """Which `includes` function there is: none, "bounded" (its own in 1.36) or "library".

    Upstream: newCompiler (dynamic-resource-allocation/cel/compile.go)
    """

    dyn_in_stored: bool
    """Attributes have the type `dyn` in stored expressions, whatever the feature gates say.

    Upstream: newCompiler (dynamic-resource-allocation/cel/compile.go)
    """


@dataclass(frozen=True, slots=True)
class Validation:
    """How the API server validates objects of resource.k8s.io and the claims of pods."""

    stops_at_limit: bool
    """Items of a list or map that is too long are not validated.

    Upstream: validateSlice, validateSet, validateMap (pkg/apis/resource/validation/validation.go)
    """

    duplicate_at_key: bool
    """A duplicate item is reported at the field that is the key, not at the item.

    Upstream: validateSet (pkg/apis/resource/validation/validation.go)
    """

    map_key_at_entry: bool
    """An invalid key of a map is reported at the entry, not at the map.

    Upstream: validateMap (pkg/apis/resource/validation/validation.go)
    """

    union_members_always: bool
    """`exactly` and `firstAvailable` are validated even if both are set.

    Upstream: validateDeviceRequest (pkg/apis/resource/validation/validation.go)
    """

    counters_in_total: bool
    """Counters are limited per slice, not per set, and consumed counters must exist in the slice.

    Upstream: validateResourceSliceSpec (pkg/apis/resource/validation/validation.go)
    """

    driver_required_only: bool
    """An empty driver name gives one error, "Required".

    Upstream: ValidateCSIDriverName (pkg/apis/core/validation/validation.go)
    """

    qualified_name_required: bool
    """An empty attribute name, or an empty part of one, is "Required", not "Invalid".

    Upstream: validateQualifiedName (pkg/apis/resource/validation/validation.go)
    """

    class_name_declared: bool
    """The name of a DeviceClass is validated by declarative rules as well.

    Upstream: ValidateDeviceClass (pkg/apis/resource/validation/validation.go)
    """

    class_update_twice: bool
    """An update of a DeviceClass validates the spec as for a new class, too.

    Upstream: ValidateDeviceClassUpdate (pkg/apis/resource/validation/validation.go)
    """

    claim_update_in_full: bool
    """An update of a ResourceClaim validates the spec, which cannot change.

    Upstream: ValidateResourceClaimUpdate (pkg/apis/resource/validation/validation.go)
    """

    template_update_spec: bool
    """An update of a ResourceClaimTemplate validates the spec a second time, as a stored one.

    Upstream: ValidateResourceClaimTemplateUpdate (pkg/apis/resource/validation/validation.go)
    """

    taint_unchanged_tolerated: bool
    """An unknown effect of a taint is accepted in an update that does not change it.

    Upstream: validateDeviceTaint (pkg/apis/resource/validation/validation.go)
    """

    capacity_unchanged_tolerated: bool
    """A capacity of a device is not validated in an update that does not change it.

    Upstream: validateDevice (pkg/apis/resource/validation/validation.go)
    """

    attribute_missing_required: bool
    """An attribute without a value is "Required", not "Invalid".

    Upstream: validateDeviceAttribute (pkg/apis/resource/validation/validation.go)
    """

    stored_cel: bool
    """Expressions that are stored already are compiled again, in the environment of stored ones.

    Upstream: validateCELSelector, validateCELExpression (pkg/apis/resource/validation/validation.go)
    """

    default_path: bool
    """A default outside the range is reported at `default`, not at the bound.

    Upstream: validateRequestPolicyRange (pkg/apis/resource/validation/validation.go)
    """

    step_checked: bool
    """The step of a range must be greater than zero, and amounts must fit into 64 bits.

    Upstream: validateRequestPolicyRangeStep (pkg/apis/resource/validation/validation.go)
    """

    tolerations_in_results: bool
    """Tolerations in the results of an allocation are validated.

    Upstream: validateDeviceRequestAllocationResult (pkg/apis/resource/validation/validation.go)
    """

    declarative: bool
    """The declarative rules of resource.k8s.io decide, not only those of a few fields.

    Upstream: resourceclaimStrategy.DeclarativeValidationConfig (pkg/registry/resource/resourceclaim/strategy.go)
    """

    label_unit: str
    """What messages call the unit of a label's length: "characters" or "bytes".

    Upstream: IsQualifiedName, IsValidLabelValue (apimachinery/pkg/util/validation/validation.go)
    Upstream: IsLabelKey, IsLabelValue (apimachinery/pkg/api/validate/content/kube.go)
    """

    label_key_phrase: str
    """What messages call the key of a label: "a qualified name" or "a valid label key".

    Upstream: IsQualifiedName (apimachinery/pkg/util/validation/validation.go)
    Upstream: IsLabelKey (apimachinery/pkg/api/validate/content/kube.go)
    """

    owners_indexed: bool
    """Errors in owner references name the item, and missing fields are "Required".

    Upstream: validateOwnerReference (apimachinery/pkg/api/validation/objectmeta.go)
    """

    conditions_required: bool
    """Fields that conditions and managed fields lack are "Required", at the item.

    Upstream: ValidateCondition (apimachinery/pkg/apis/meta/v1/validation/validation.go)
    """

    warns_of_driver_case: bool
    """Upper case in the driver name of a ResourceSlice gives a warning.

    Upstream: resourceSliceStrategy.WarningsOnCreate (pkg/registry/resource/resourceslice/strategy.go)
    """

    names_embedded: bool
    """Decoding errors name embedded structs (`DeviceConfiguration`) in the path.

    Upstream: decodeState.addErrorContext (sigs.k8s.io/json/internal/golang/encoding/json/decode.go)
    """

    new_effect_new_time: bool
    """A DeviceTaintRule whose effect changes gets the time of the update as `timeAdded`.

    Upstream: deviceTaintRuleStrategy.PrepareForUpdate (pkg/registry/resource/devicetaintrule/strategy.go)
    """

    drops_tolerations: bool
    """Tolerations in the spec of a claim are dropped while DRADeviceTaints is off.

    Upstream: dropDisabledDRADeviceTaintsFields (pkg/api/resourceclaimspec/util.go)
    """

    drops_distinct_attribute: bool
    """`distinctAttribute` is dropped while DRAConsumableCapacity is off.

    Upstream: dropDisabledDRAResourceClaimConsumableCapacityFields (pkg/api/resourceclaimspec/util.go)
    """

    drops_binding_by_both_gates: bool
    """Binding conditions in results are dropped if one of two feature gates is off, and with them
    `allocationTimestamp`; else DRADeviceBindingConditions alone decides, and the time stays.

    Upstream: dropDeviceBindingConditionsFields (pkg/registry/resource/resourceclaim/strategy.go)
    """

    quota_counts_extended: bool
    """A claim counts against quotas by the extended resources of its classes, and a pod by those that are named
    after classes (with DRAExtendedResource).

    Upstream: claimEvaluator.addExtendedResourceQuota (pkg/quota/v1/evaluator/core/resource_claims.go)
    """

    quota_first_claim_only: bool
    """Of several claims for the extended resources of a pod only the first is not counted twice.

    Upstream: claimEvaluator.getVerifiedPodUsage (pkg/quota/v1/evaluator/core/resource_claims.go)
    """

    max_taints: int
    """Taints of a device, at most.

    Upstream: validateDevice (pkg/apis/resource/validation/validation.go)
    """

    max_devices_with_extras: int
    """Devices of a slice that has taints or consumes counters, at most.

    Upstream: validateResourceSliceSpec (pkg/apis/resource/validation/validation.go)
    """

    effects: tuple[str, ...]
    """The effects of taints, in the order of messages.

    Upstream: validateDeviceTaint (pkg/apis/resource/validation/validation.go)
    """

    group_versions: tuple[str, ...]
    """The API versions of scheduling.k8s.io that have PodGroups or Workloads, the preferred first.

    Upstream: *.NewRESTStorage (pkg/registry/scheduling/rest/storage_scheduling.go)
    """
