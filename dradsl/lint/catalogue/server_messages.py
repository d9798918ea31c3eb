"""What an API-server rejection is called here: reason id -> code, message and remedy.

Messages may use {value} (the refused value), {field} (the field's name), {detail} (upstream's words without examples)
and {suggestion}. A code after "|" holds for ResourceSlices and DeviceTaintRules; a remedy after "|" for errors
without a suggestion.
"""

from __future__ import annotations

from types import MappingProxyType

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WORDING", "Wording"]


@dataclass(frozen=True, slots=True)
class Wording:
    """One reason's code, message and remedy (both templates)."""

    code: str
    message: str
    help: str | None = None
    on_key: bool = False  # the field itself is wrong, not its value


def _row(
    reason: str, codes: str, message: str, help_: str | None = None, *, on_key: bool = False
) -> tuple[tuple[str, Wording], ...]:
    main, bar, in_slice = codes.partition("|")
    row = (reason, Wording(main, message, help_, on_key))
    if not bar:
        return (row,)
    return row, (f"slice:{reason}", Wording(in_slice, message, help_, on_key))


_ROWS = (
    # --- text and structure ---
    _row("not-an-object", "DRA006", "a Kubernetes object is a mapping of fields"),
    _row("missing-api-version", "DRA007", "apiVersion is missing"),
    _row("missing-kind", "DRA007", "kind is missing"),
    _row("unknown-api-version", "DRA501", "unknown API version {value}", "write {suggestion}"),
    _row(
        "unknown-kind",
        "DRA501",
        "resource.k8s.io has no kind {value}",
        "did you mean {suggestion}?",
    ),
    _row(
        "kind-of-another-group",
        "DRA501",
        "resource.k8s.io has no kind {value}",
        "write apiVersion: {suggestion}",
    ),
    _row(
        "kind-removed",
        "DRA501",
        "resource.k8s.io has no kind {value} any more: it is of an alpha version up to 1.31",
        "its place was taken by {suggestion}",
    ),
    _row(
        "kind-not-served",
        "DRA501",
        "this release has no such kind in {value} ({releases})",
        "write {suggestion}",
    ),
    _row(
        "unknown-field",
        "DRA005",
        'unknown field "{field}"',
        'did you mean "{suggestion}"?',
        on_key=True,
    ),
    _row("wrong-type", "DRA006", "{field} must be {wanted}, but is {found}"),
    _row("number-not-whole", "DRA006", "{field} is a whole number, not {value}"),
    _row("number-out-of-range", "DRA006", "{value} does not fit into {field}"),
    _row(
        "invalid-quantity",
        "DRA006",
        "{value} is not a quantity",
        'quantities look like "80Gi", "500m" or "2"',
    ),
    _row(
        "invalid-time", "DRA006", "{value} is not a time", 'times look like "2026-01-31T08:00:00Z"'
    ),
    _row(
        "field-not-in-release",
        "DRA504",
        'this release has no field "{field}" here ({releases})',
        on_key=True,
    ),
    _row(
        "flat-request-field",
        "DRA505",
        "in {version} this field is under exactly",
        "move the request's fields under `exactly:`, or into its alternatives if it has firstAvailable",
        on_key=True,
    ),
    _row(
        "exactly-in-v1beta1",
        "DRA505",
        "v1beta1 has no exactly: its requests are flat",
        "move the fields up into the request, or write resource.k8s.io/v1",
        on_key=True,
    ),
    _row(
        "exactly-in-alternative",
        "DRA505",
        "an alternative has no exactly: its fields stand directly in it",
        "move the fields up into the alternative",
        on_key=True,
    ),
    _row(
        "device-field-outside-basic",
        "DRA505",
        "in v1beta1 this field is under basic",
        "move the device's fields under `basic:`, or write resource.k8s.io/v1",
        on_key=True,
    ),
    _row(
        "basic-outside-v1beta1",
        "DRA505",
        "{version} has no basic: its devices are flat",
        "move the fields up into the device",
        on_key=True,
    ),
    _row(
        "expression-outside-cel",
        "DRA008",
        "expression belongs under cel",
        "write `cel: {{expression: …}}`",
        on_key=True,
    ),
    _row(
        "claim-spec-not-nested",
        "DRA008",
        "a template's claim spec belongs under spec.spec",
        "nest devices under a second `spec:`",
        on_key=True,
    ),
    _row(
        "claim-spec-in-spec",
        "DRA008",
        "a claim has one spec: only templates have spec.spec",
        "move up what is under the second `spec:`",
        on_key=True,
    ),
    _row(
        "admin-access-in-alternative",
        "DRA008",
        "adminAccess is not allowed in an alternative of firstAvailable",
        "ask for admin access with `exactly`",
        on_key=True,
    ),
    # --- metadata ---
    _row("name-required", "DRA009", "the object has no name", "set metadata.name"),
    _row("invalid-object-name", "DRA009", "{value} is not a legal object name: {detail}"),
    _row(
        "namespace-on-cluster-kind",
        "DRA011",
        "objects of this kind have no namespace",
        "remove metadata.namespace",
        on_key=True,
    ),
    _row("namespace-required", "DRA011", "objects of this kind live in a namespace"),
    _row("invalid-namespace", "DRA011", "{value} is not a legal namespace name: {detail}"),
    _row("annotations-too-long", "DRA011", "the annotations are too long: {detail}"),
    _row("invalid-finalizer", "DRA011", "{value} is not a legal finalizer: {detail}"),
    _row(
        "finalizer-while-deleted",
        "DRA011",
        "no finalizer can be added while the object is being deleted",
    ),
    _row("invalid-generation", "DRA011", "metadata.generation cannot be {value}"),
    _row("invalid-managed-fields", "DRA011", "managed fields: {detail}"),
    _row("metadata-immutable", "DRA314", "metadata.{field} cannot be changed"),
    _row("owner-incomplete", "DRA011", "an owner reference needs apiVersion, kind, name and uid"),
    _row("owner-not-allowed", "DRA011", "this kind cannot be an owner: {detail}"),
    _row("several-controllers", "DRA011", "only one owner can be the controller"),
    _row(
        "resource-version-required",
        "DRA011",
        "an update of this kind needs metadata.resourceVersion",
    ),
    _row(
        "template-metadata-not-allowed",
        "DRA008",
        "a template's spec.metadata takes labels and annotations only",
        "remove {field}; the claims get their names from their pods",
    ),
    # --- CEL ---
    _row("selector-empty", "DRA303", "a selector needs cel", "write `cel: {{expression: …}}`"),
    _row("cel-syntax", "DRA101", "{detail}"),
    _row("cel-does-not-compile", "DRA102", "{detail}"),
    _row("cel-not-bool", "DRA103", "{detail}"),
    _row("cel-internal-error", "DRA102", "{detail}"),
    _row(
        "cel-too-long",
        "DRA104",
        "the expression is longer than 10 KiB",
        "split it over several selectors: all of them must hold",
    ),
    _row(
        "cel-too-complex",
        "DRA105",
        "the estimated cost of the expression exceeds the limit",
        "avoid nested comprehensions and searches in long texts",
    ),
    # --- requests ---
    _row(
        "request-empty",
        "DRA301",
        "the request needs exactly or firstAvailable",
        "write `exactly:` with a deviceClassName",
    ),
    _row(
        "request-ambiguous",
        "DRA301",
        "the request has both exactly and firstAvailable",
        "keep one of them",
    ),
    _row(
        "device-class-required", "DRA303", "the request names no DeviceClass", "set deviceClassName"
    ),
    _row(
        "count-not-positive",
        "DRA304",
        "{value} devices cannot be asked for",
        "write a count of 1 or more",
    ),
    _row(
        "count-with-all", "DRA304", "count is not allowed with allocationMode All", "remove count"
    ),
    _row(
        "unknown-allocation-mode",
        "DRA305",
        "unknown allocation mode {value}",
        "write ExactCount or All",
    ),
    _row(
        "unknown-toleration-operator",
        "DRA305",
        "unknown toleration operator {value}",
        "write Equal or Exists",
    ),
    _row(
        "unknown-taint-effect",
        "DRA305|DRA607",
        "unknown taint effect {value}",
        "write NoSchedule or NoExecute",
    ),
    _row(
        "taint-effect-required",
        "DRA607",
        "the taint has no effect",
        "write NoSchedule or NoExecute",
    ),
    _row(
        "toleration-value-unused",
        "DRA311",
        "value is not allowed with operator Exists",
        "remove value, or write operator Equal",
    ),
    _row("invalid-label-key", "DRA306|DRA607", "{value} is not a legal key: {detail}"),
    _row("invalid-label-value", "DRA306|DRA607", "{value} is not a legal value: {detail}"),
    _row(
        "invalid-dns-label",
        "DRA306|DRA606",
        "{value} is not a legal name: {detail}",
        'use lower-case letters, digits and "-", at most 63',
    ),
    _row(
        "invalid-subdomain",
        "DRA306|DRA606",
        "{value} is not a legal name: {detail}",
        'use lower-case letters, digits, "-" and "."',
    ),
    _row("invalid-device-class-name", "DRA306", "{value} is not a legal class name: {detail}"),
    _row("invalid-driver-name", "DRA306|DRA606", "{value} is not a legal driver name: {detail}"),
    _row("driver-required", "DRA303|DRA601", "the driver is missing"),
    _row("driver-too-long", "DRA306|DRA606", "a driver name has at most 63 characters"),
    _row(
        "invalid-extended-resource-name",
        "DRA312",
        "{value} is not an extended resource name: {detail}",
        "write DOMAIN/NAME with a domain that is not kubernetes.io",
    ),
    _row(
        "unknown-request-reference",
        "DRA308",
        "the claim has no request {value}",
        'did you mean "{suggestion}"?',
    ),
    _row("duplicate-request-reference", "DRA302", "{value} is named twice"),
    _row("duplicate-request", "DRA302", "two requests are called {value}"),
    _row("duplicate-alternative", "DRA302", "two alternatives are called {value}"),
    _row("duplicate-derived-attribute", "DRA302", "{value} is derived twice"),
    _row(
        "constraint-empty",
        "DRA309",
        "the constraint names no attribute",
        "set matchAttribute or distinctAttribute",
    ),
    _row(
        "attribute-without-domain",
        "DRA310",
        "{value} has no domain: constraints need DOMAIN/NAME",
        "write {suggestion}",
    ),
    _row("invalid-attribute-name", "DRA310|DRA606", "{value} is not an attribute name: {detail}"),
    _row("invalid-attribute-domain", "DRA310|DRA606", "{value} has an illegal domain: {detail}"),
    _row("attribute-name-too-long", "DRA310|DRA606", "{value} is longer than 32 characters"),
    _row("qualified-name-part-empty", "DRA310|DRA606", "{value}: {detail}"),
    _row("qualified-name-required", "DRA310|DRA606", "the name is empty"),
    _row("derived-attribute-unused", "DRA313", "no constraint of this request uses {value}"),
    _row(
        "derived-attributes-too-complex",
        "DRA313",
        "the derived attributes of the claim cost too much in sum",
    ),
    _row(
        "config-empty",
        "DRA851",
        "the config entry has no opaque parameters",
        "add `opaque: {{driver: …, parameters: …}}`",
    ),
    _row("config-source-unknown", "DRA316", "{value} is not a source: FromClass or FromClaim"),
    _row("parameters-required", "DRA850", "the parameters are missing"),
    _row("parameters-not-an-object", "DRA850", "the parameters are not a JSON object: {detail}"),
    _row("parameters-too-long", "DRA850", "the parameters are longer than 10 KiB"),
    _row(
        "admin-access-not-allowed",
        "DRA315",
        "the namespace does not allow admin access",
        'label the namespace resource.kubernetes.io/admin-access: "true"',
    ),
    _row(
        "spec-immutable",
        "DRA314",
        "the spec cannot be changed once the object exists",
        "give the changed object a new name",
    ),
    _row("too-many-requests", "DRA307", "a claim has at most 32 requests, this one {value}"),
    _row(
        "too-many-alternatives",
        "DRA307",
        "firstAvailable takes at most 8 alternatives, not {value}",
    ),
    _row("too-many-constraints", "DRA307", "a claim has at most 32 constraints, this one {value}"),
    _row("too-many-configs", "DRA307", "too many config entries: {detail}"),
    _row("too-many-selectors", "DRA307", "a list takes at most 32 selectors, not {value}"),
    _row("too-many-request-references", "DRA307", "at most 32 requests can be named, not {value}"),
    _row(
        "too-many-derived-attributes",
        "DRA307",
        "a request takes at most 32 derived attributes, not {value}",
    ),
    # --- claim status ---
    _row("allocation-immutable", "DRA316", "an allocation cannot be changed, only removed"),
    _row("reserved-without-allocation", "DRA316", "reservedFor needs an allocation"),
    _row(
        "reserved-while-deleted",
        "DRA316",
        "no consumer can be added while the claim is being deleted",
    ),
    _row("consumer-incomplete", "DRA316", "a consumer needs resource, name and uid"),
    _row("duplicate-consumer", "DRA316", "duplicate consumer {value}"),
    _row("too-many-consumers", "DRA316", "a claim has at most 256 consumers"),
    _row("too-many-results", "DRA316", "an allocation has at most 32 results"),
    _row("device-not-allocated", "DRA316", "the device is not among those allocated"),
    _row("duplicate-device-status", "DRA316", "duplicate status of the device"),
    _row("invalid-share-id", "DRA316", "{value} is not a share ID: {detail}"),
    _row("duplicate-address", "DRA316", "duplicate address {value}"),
    _row("invalid-address", "DRA316", "{value} is not an address: {detail}"),
    _row("too-many-addresses", "DRA316", "a device has at most 16 addresses"),
    _row("network-value-too-long", "DRA316", "{field}: {detail}"),
    _row("duplicate-condition", "DRA316", "duplicate condition {value}"),
    _row("invalid-condition", "DRA316", "{field} of the condition: {detail}"),
    _row("too-many-conditions", "DRA316", "too many conditions: {detail}"),
    # --- slices ---
    _row("pool-name-required", "DRA316|DRA601", "the pool has no name"),
    _row("pool-name-too-long", "DRA316|DRA606", "a pool name has at most 253 characters"),
    _row("invalid-pool-name", "DRA316|DRA606", "{value} is not a pool name: {detail}"),
    _row(
        "slice-count-not-positive",
        "DRA612",
        "resourceSliceCount cannot be {value}",
        "write how many slices the pool has",
    ),
    _row("pool-generation-negative", "DRA612", "a generation cannot be negative"),
    _row("slice-immutable", "DRA611", "{field} cannot be changed once the slice exists"),
    _row(
        "node-choice-missing",
        "DRA602",
        "the slice does not say which nodes can use it",
        "set one of nodeName, nodeSelector, allNodes, perDeviceNodeSelection",
    ),
    _row(
        "node-choice-ambiguous",
        "DRA602",
        "the slice says in several ways which nodes can use it",
        "keep one of nodeName, nodeSelector, allNodes, perDeviceNodeSelection",
    ),
    _row("node-choice-empty", "DRA602", "{field} cannot be {value}: leave it out instead"),
    _row("invalid-node-name", "DRA602", "{value} is not a node name: {detail}"),
    _row("invalid-node-selector", "DRA316|DRA602", "the node selector is not legal: {detail}"),
    _row(
        "node-selector-not-one-term", "DRA602", "the node selector of a slice has exactly one term"
    ),
    _row("node-selector-without-terms", "DRA316|DRA602", "the node selector has no terms"),
    _row(
        "device-node-choice-missing",
        "DRA602",
        "with perDeviceNodeSelection each device says which nodes can use it",
    ),
    _row(
        "device-node-choice-ambiguous",
        "DRA602",
        "the device says in several ways which nodes can use it",
    ),
    _row(
        "device-node-choice-not-allowed",
        "DRA602",
        "a device chooses nodes only with perDeviceNodeSelection",
    ),
    _row(
        "devices-and-counters",
        "DRA608",
        "a slice holds devices or counter sets, not both",
        "put the counter sets into a slice of their own",
    ),
    _row("duplicate-device", "DRA610", "two devices are called {value}"),
    _row("duplicate-counter-set", "DRA610", "two counter sets are called {value}"),
    _row("duplicate-counter-consumption", "DRA610", "the counter set {value} is consumed twice"),
    _row("counter-set-name-required", "DRA601", "the counter set has no name"),
    _row("counters-required", "DRA601", "the counters are missing"),
    _row("unknown-counter", "DRA601", "unknown counter {value}"),
    _row("attribute-without-value", "DRA603", "the attribute has no value"),
    _row(
        "attribute-ambiguous",
        "DRA603",
        "the attribute has more than one value",
        "keep one of bool, int, string, version",
    ),
    _row("attribute-list-empty", "DRA603", "a list of values cannot be empty"),
    _row("attribute-value-too-long", "DRA603", "a value has at most 64 bytes"),
    _row(
        "invalid-version",
        "DRA603",
        "{value} is not a semantic version",
        'versions look like "1.2.3", without a leading v or zeros',
    ),
    _row(
        "policy-without-sharing", "DRA604", "a request policy needs allowMultipleAllocations: true"
    ),
    _row("policy-ambiguous", "DRA604", "a policy has validValues or validRange, not both"),
    _row("policy-default-required", "DRA604", "the policy needs a default"),
    _row("policy-default-not-allowed", "DRA604", "the default is not a legal amount: {detail}"),
    _row("policy-beyond-capacity", "DRA604", "more than the device has: {detail}"),
    _row("range-min-required", "DRA604", "the range needs a min"),
    _row("range-min-above-max", "DRA604", "min is larger than max: {detail}"),
    _row("range-off-step", "DRA604", "not a whole number of steps: {detail}"),
    _row("range-step-not-positive", "DRA604", "a step must be greater than zero"),
    _row(
        "range-step-crash",
        "DRA604",
        "a step of zero crashes the API server of this release",
        "write a step greater than zero",
    ),
    _row("range-bound-not-countable", "DRA604", "{detail}"),
    _row("valid-values-not-sorted", "DRA604", "validValues must be in ascending order"),
    _row("duplicate-valid-value", "DRA604", "duplicate value {value} in validValues"),
    _row("too-many-valid-values", "DRA605", "validValues takes at most 10 values"),
    _row(
        "too-many-devices",
        "DRA605",
        "too many devices in one slice: {detail}",
        "spread them over several slices of the pool",
    ),
    _row("too-many-attributes", "DRA605", "a device has at most 32 attributes and capacities"),
    _row(
        "too-many-attribute-values",
        "DRA605",
        "a device has at most 48 attribute values, list items counted",
    ),
    _row("too-many-taints", "DRA605", "too many taints: {detail}"),
    _row("too-many-counter-sets", "DRA605", "too many counter sets: {detail}"),
    _row("too-many-counters", "DRA605", "too many counters: {detail}"),
    _row("too-many-counter-consumptions", "DRA605", "too many counter sets consumed: {detail}"),
    _row("too-many-binding-conditions", "DRA316|DRA609", "too many binding conditions: {detail}"),
    _row(
        "binding-conditions-incomplete",
        "DRA609",
        "bindingConditions and bindingFailureConditions need each other",
    ),
    _row(
        "binding-conditions-overlap",
        "DRA609",
        "a condition cannot be both a binding and a failure condition",
    ),
    _row("duplicate-binding-condition", "DRA316|DRA609", "duplicate condition {value}"),
    _row("invalid-binding-condition", "DRA316|DRA609", "{value} is not a condition name: {detail}"),
    _row(
        "partition-type-missing", "DRA603", "the device lacks the slice's partition type attribute"
    ),
    _row(
        "partition-type-without-counters",
        "DRA608",
        "partitionTypeAttribute needs devices that consume counters",
    ),
    _row(
        "skip-prepare-only",
        "DRA316|DRA613",
        "NodePrepareResources can only be skipped together with NodeUnprepareResources",
    ),
    _row(
        "node-resource-incomplete", "DRA614", "the node resource mapping is not complete: {detail}"
    ),
    _row("not-a-node-resource", "DRA614", "{value} is not a resource that nodes have to allocate"),
    _row("multiplier-not-positive", "DRA614", "a multiplier must be positive"),
    _row("overhead-negative", "DRA614", "an overhead cannot be negative"),
    _row("unknown-capacity-key", "DRA614", "the device has no capacity {value}"),
    # --- pods ---
    _row(
        "old-claim-source",
        "DRA008",
        "source: is gone since 1.31; its field is in the entry itself",
        "write {suggestion} directly under the entry",
        on_key=True,
    ),
    _row(
        "claims-outside-resources",
        "DRA008",
        "the claims of a container belong under its resources",
        "write resources: {{claims: …}}",
        on_key=True,
    ),
    _row(
        "claims-among-amounts",
        "DRA008",
        "limits and requests are amounts: the claims of a container belong beside them",
        "write resources: {{claims: …}}",
        on_key=True,
    ),
    _row(
        "field-above-pod-spec",
        "DRA008",
        "{field} belongs in the pod spec",
        "move it to {suggestion}|the pod spec has this field, or is not there: put the two together",
        on_key=True,
    ),
    _row(
        "field-of-another-level",
        "DRA008",
        "{field} is a field of another level",
        "move it to {suggestion}",
        on_key=True,
    ),
    _row("pod-claim-name-required", "DRA401", "the pod's claim entry has no name"),
    _row(
        "pod-claim-without-source",
        "DRA401",
        "the entry names no claim",
        "set resourceClaimName or resourceClaimTemplateName",
    ),
    _row(
        "pod-claim-ambiguous",
        "DRA401",
        "the entry names a claim and a template",
        "keep one of resourceClaimName, resourceClaimTemplateName",
    ),
    _row("duplicate-pod-claim", "DRA402", "two entries are called {value}"),
    _row("duplicate-container-claim", "DRA402", "the container lists the claim {value} twice"),
    _row(
        "unknown-pod-claim",
        "DRA403",
        "the pod has no claim {value}",
        'did you mean "{suggestion}"?|list it under the pod\'s resourceClaims',
    ),
    _row("container-claim-name-required", "DRA403", "the container's claim entry has no name"),
    _row("invalid-pod-claim-name", "DRA404", "{value} is not a legal name: {detail}"),
    _row("invalid-claim-name", "DRA404", "{value} is not a legal name: {detail}"),
    _row(
        "invalid-request-name",
        "DRA404",
        "{value} is not a request's name: {detail}",
        "only main requests can be named, not alternatives",
    ),
    _row(
        "claims-at-pod-level",
        "DRA405",
        "claims are not allowed in spec.resources of a pod",
        "list them in the containers' resources.claims",
        on_key=True,
    ),
    _row("claims-in-static-pod", "DRA405", "a static pod cannot use claims"),
    _row(
        "resources-in-ephemeral-container",
        "DRA405",
        "resources are not allowed in an ephemeral container",
        on_key=True,
    ),
    _row("too-many-group-claims", "DRA307", "a PodGroup has at most 4 claims, this one {value}"),
    _row(
        "group-claims-immutable",
        "DRA314",
        "the claims cannot be changed once the object exists",
        "give the changed object a new name",
    ),
    _row("extended-resource-above-limit", "DRA406", "the request is above the limit: {detail}"),
    _row("extended-resource-negative", "DRA406", "the amount {value} is negative"),
    _row(
        "extended-resource-not-equal",
        "DRA406",
        "request and limit of an extended resource must be equal: {detail}",
    ),
    _row(
        "extended-resource-not-whole",
        "DRA406",
        "{value} devices cannot be asked for: an extended resource is a whole number",
    ),
    _row(
        "extended-resource-without-limit",
        "DRA406",
        "an extended resource needs a limit, not only a request",
    ),
    _row("invalid-resource-name", "DRA406", "{value} is not a resource name: {detail}"),
    # --- what only the declarative rules of 1.37 say ---
    _row(
        "derived-attribute-incomplete",
        "DRA313",
        "a derived attribute needs a name and an expression",
    ),
    _row("duplicate-compatibility-group", "DRA610", "duplicate compatibility group {value}"),
    _row("too-many-compatibility-groups", "DRA605", "too many compatibility groups: {detail}"),
    _row("duplicate-skip-operation", "DRA316|DRA613", "duplicate operation {value}"),
    _row("unknown-skip-operation", "DRA316|DRA613", "unknown operation {value}: {detail}"),
    _row("field-gate-off", "DRA503", "this field needs a feature gate that is off: {detail}"),
    _row("number-out-of-bounds", "DRA612", "{value} is out of bounds: {detail}"),
    _row("pool-status-immutable", "DRA314", "{field} cannot be changed once it is set"),
    _row("duplicate-item", "DRA302|DRA610", "duplicate {value}"),
    _row("too-many-items", "DRA307|DRA605", "too many items: {detail}"),
    _row("value-required", "DRA007", "{field} is missing"),
)

WORDING: Mapping[str, Wording] = MappingProxyType(dict(row for rows in _ROWS for row in rows))
