"""The Go files that dradsl follows: patterns of paths in the modules of Kubernetes.

Paths are those in kubernetes/kubernetes; of its staging modules without `staging/src/`. A file that
is followed in part has a pattern of function names.
"""

from __future__ import annotations

__all__ = ["FOLLOWED", "IN_PART"]

_KUBERNETES = "k8s.io/kubernetes"
_DRA = "k8s.io/dynamic-resource-allocation"

# module -> patterns of paths in it; tests and mocks are never meant
FOLLOWED: dict[str, tuple[str, ...]] = {
    _KUBERNETES: (
        # API server: defaults, conversion, validation, strategies
        "pkg/apis/resource/v*/conversion.go",
        "pkg/apis/resource/v*/defaults.go",
        "pkg/apis/resource/v*/zz_generated.validations.go",
        "pkg/apis/resource/validation/*.go",
        "pkg/apis/core/validation/validation.go",
        "pkg/apis/scheduling/validation/validation.go",
        "pkg/api/resourceclaimspec/util.go",
        "pkg/registry/resource/*.go",
        "pkg/registry/resource/*/strategy.go",
        "pkg/registry/scheduling/*/strategy.go",
        "pkg/registry/scheduling/rest/storage_scheduling.go",
        # scheduler
        "pkg/scheduler/framework/plugins/dynamicresources/*.go",
        "pkg/scheduler/framework/plugins/noderesources/fit.go",
        # quota, and what the controllers do with claims and taints
        "pkg/quota/v1/evaluator/core/pods.go",
        "pkg/quota/v1/evaluator/core/resource_claims.go",
        "pkg/controller/devicetainteviction/device_taint_eviction.go",
        "pkg/controller/resourceclaim/controller.go",
    ),
    _DRA: (
        "cel/*.go",
        "structured/*.go",
        "structured/schedulerapi/*.go",
        "structured/internal/*.go",
        "structured/internal/stable/*.go",
        "structured/internal/incubating/*.go",
        "structured/internal/experimental/*.go",
        "resourceclaim/*.go",
        "resourceslice/tracker/tracker.go",
        "deviceclass/extendedresourcecache/*.go",
        "api/conversion.go",
    ),
    "k8s.io/apiserver": (
        "pkg/admission/plugin/resourcequota/controller.go",
        "pkg/cel/environment/base.go",
        "pkg/cel/library/cidr.go",
        "pkg/cel/library/cost.go",
        "pkg/cel/library/format.go",
        "pkg/cel/library/ip.go",
        "pkg/cel/library/lists.go",
        "pkg/cel/library/quantity.go",
        "pkg/cel/library/regex.go",
        "pkg/cel/library/semverlib.go",
        "pkg/cel/library/urls.go",
    ),
    "k8s.io/apimachinery": (
        "pkg/api/validation/*.go",
        "pkg/api/validate/content/*.go",
        "pkg/apis/meta/v1/validation/validation.go",
        "pkg/util/validation/validation.go",
        "pkg/api/resource/quantity.go",
        "pkg/api/resource/suffix.go",
    ),
    "sigs.k8s.io/json": ("internal/golang/encoding/json/decode.go",),
}

# path -> names of the functions that are meant (a regular expression, searched)
IN_PART: dict[str, str] = {
    "pkg/apis/core/validation/validation.go": (
        "ResourceClaim|NodeAllocatable|ExtendedResourceClaim|^havePodClaim$|^ValidateCSIDriverName$|"
        "^[vV]alidateResourceRequirements$|^[vV]alidateNodeSelector|^[vV]alidateTolerations$|"
        "^validateContainerResourceName$|^[vV]alidateResourceQuantityValue$|^ValidateTaint"
    ),
    "pkg/apis/scheduling/validation/validation.go": "PodGroup|Workload|ResourceClaim",
    "pkg/registry/scheduling/rest/storage_scheduling.go": "Storage$",
    "pkg/quota/v1/evaluator/core/pods.go": (
        "^(PodUsageFunc|podComputeUsageHelper|isExtendedResourceNameForQuota|podEvaluator[.]MatchingResources)$"
    ),
    "k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go": "^CheckRequest$",
    "pkg/registry/scheduling/priorityclass/strategy.go": "^$",
    "pkg/scheduler/framework/plugins/noderesources/fit.go": "^(fitsRequest|computePodResourceRequest)$",
    "sigs.k8s.io/json/internal/golang/encoding/json/decode.go": "[.]addErrorContext$",
}
