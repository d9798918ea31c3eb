"""Every reason for which the API server rejects something: stable ids, one row each.

`type` is upstream's error type without "FieldValue" (several where it depends on the value or the
release); "Decoding" = the body cannot be read, "StrictDecoding" = rejected by strict field
validation, "NoKindMatch" = no such kind in the version. A test holds this table against the code.
"""

from __future__ import annotations

import functools
from types import MappingProxyType

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Reason", "reasons"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A row: the id, upstream's error types, what it means."""

    id: str
    types: tuple[str, ...]
    meaning: str


_TABLE = """
not-an-object | Decoding | the document is not a mapping
missing-api-version | NoKindMatch | no apiVersion
missing-kind | NoKindMatch | no kind
unknown-api-version | NoKindMatch | the group has no such version
unknown-kind | NoKindMatch | the group has no such kind
kind-of-another-group | NoKindMatch | the kind is one of another group
kind-removed | NoKindMatch | a kind of early alpha versions
kind-not-served | NoKindMatch | the release does not know the kind in this version
unknown-field | StrictDecoding | no field of that name here
field-not-in-release | StrictDecoding | the field exists in other releases only
flat-request-field | StrictDecoding | a field of v1beta1's flat requests outside `exactly`
exactly-in-v1beta1 | StrictDecoding | `exactly` in a version with flat requests
exactly-in-alternative | StrictDecoding | `exactly` in an alternative, whose fields are flat
device-field-outside-basic | StrictDecoding | a device's field outside v1beta1's `basic`
basic-outside-v1beta1 | StrictDecoding | `basic` in a version without it
field-outside-devices | StrictDecoding | `requests`, `constraints` or `config` beside `devices` and not in it
expression-outside-cel | StrictDecoding | `expression` beside `cel` and not in it
claim-spec-not-nested | StrictDecoding | `devices` in a template's spec and not in spec.spec
claim-spec-in-spec | StrictDecoding | a second `spec` in that of a claim
admin-access-in-alternative | StrictDecoding | adminAccess in an alternative
claims-outside-resources | StrictDecoding | claims of a container beside its resources
claims-among-amounts | Decoding | claims of a container below the limits or requests of its resources
field-above-pod-spec | StrictDecoding | a field of a pod spec above the one place of the pod spec
field-of-another-level | StrictDecoding | a field of a pod or workload one level too high or low
old-claim-source | StrictDecoding | the `source` wrapper of a pod's claims, gone since 1.31
wrong-type | Decoding | text where a number is expected, and the like
number-not-whole | Decoding | a fraction where a whole number is expected
number-out-of-range | Decoding | a whole number that does not fit
invalid-quantity | Decoding | no quantity
invalid-time | Decoding | no RFC 3339 time
pod-value-required | Required | a value that a pod or workload must have
invalid-pod-value | Invalid | a value of a pod or workload that breaks a rule
unsupported-pod-value | NotSupported | a value of a pod or workload outside a closed list
duplicate-pod-value | Duplicate | a name that a pod has twice
forbidden-pod-value | Forbidden | a field that a pod or workload must not have here
labels-not-selected | Invalid | labels of a template that the selector of its workload does not select
unknown-in-pod | NotFound | a name that the pod does not have
name-required | Required | neither name nor generateName
invalid-object-name | Invalid | no DNS subdomain as the object's name
namespace-required | Required | a namespaced object without namespace
namespace-on-cluster-kind | Forbidden | a namespace on a cluster-wide object
invalid-namespace | Invalid | no DNS label as namespace
invalid-generation | Invalid | a negative or decreasing generation
invalid-label-key | Invalid | no label key (labels, annotations, taints, tolerations, selectors)
invalid-label-value | Invalid | no label value
annotations-too-long | TooLong | annotations of more than 256 KiB
owner-incomplete | Invalid, Required | an owner reference lacks a part
owner-not-allowed | Invalid | a kind that cannot own
several-controllers | Invalid | two owners that are controllers
invalid-finalizer | Invalid | no finalizer name, or two that exclude each other
finalizer-while-deleted | Forbidden | a finalizer added while the object is being deleted
invalid-managed-fields | Invalid, NotSupported, Required, TooLong | a malformed entry of managedFields
metadata-immutable | Invalid | name, uid and the like changed by an update
resource-version-required | Invalid | an update without resourceVersion of a kind that insists
template-metadata-not-allowed | Forbidden | more than labels and annotations in a template's metadata
spec-immutable | Invalid | the spec of a claim, template or pool request changed
slice-immutable | Invalid | driver, pool name or node name of a slice changed
allocation-immutable | Invalid | an allocation changed
pool-status-immutable | Invalid | the status of a pool request changed
invalid-dns-label | Invalid | no DNS label
invalid-subdomain | Invalid | no DNS subdomain
driver-required | Required | no driver name
driver-too-long | TooLong | a driver name of more than 63 bytes
invalid-driver-name | Invalid | no driver name
pool-name-required | Required | no pool name
pool-name-too-long | TooLong | a pool name of more than 253 bytes
invalid-pool-name | Invalid | no pool name
invalid-node-name | Invalid | no node name
invalid-share-id | Invalid | no lower-case UUID as share ID
qualified-name-required | Required | an empty attribute or capacity name
qualified-name-part-empty | Invalid, Required | nothing before or after the slash
invalid-attribute-domain | Invalid, TooLong | no driver name before the slash
invalid-attribute-name | Invalid, TooLong | no C identifier as name
attribute-name-too-long | TooLong | a name of more than 32 bytes
attribute-without-domain | Invalid | a name that needs a domain has none
selector-empty | Required | a selector without `cel`
cel-too-long | TooLong | an expression of more than 10 KiB
cel-syntax | Invalid | an expression that does not parse
cel-does-not-compile | Invalid | an expression that does not type-check
cel-not-bool | Invalid | an expression with a value of another type than is asked for
cel-too-complex | Forbidden | an expression beyond the cost limit
cel-internal-error | Internal | the compiler failed
invalid-node-selector | Forbidden, Invalid, Required | a malformed requirement of a node selector
node-selector-without-terms | Required | a node selector without terms
node-selector-not-one-term | Invalid | a slice's node selector with more or less than one term
too-many-selectors | TooMany | more than 32 selectors
too-many-requests | TooMany | more than 32 requests
too-many-constraints | TooMany | more than 32 constraints
too-many-configs | TooMany | more than 32 configurations (64 in an allocation)
too-many-alternatives | TooMany | more than 8 alternatives
too-many-derived-attributes | TooMany | more than 32 derived attributes
too-many-request-references | TooMany | more than 32 requests named
duplicate-request | Duplicate | two requests of one name
duplicate-alternative | Duplicate | two alternatives of one name
duplicate-request-reference | Duplicate | a request named twice
duplicate-derived-attribute | Duplicate | a derived attribute twice
request-empty | Required | neither `exactly` nor `firstAvailable`
request-ambiguous | Invalid | both `exactly` and `firstAvailable`
device-class-required | Required | no device class
invalid-device-class-name | Invalid | no DNS subdomain as class
count-not-positive | Invalid | a negative count
count-with-all | Invalid | a count with allocationMode All
unknown-allocation-mode | NotSupported | neither All nor ExactCount
unknown-toleration-operator | NotSupported, Required | neither Equal nor Exists
toleration-value-unused | Invalid | a value with operator Exists
unknown-taint-effect | NotSupported | no known effect
taint-effect-required | Required | a taint without effect
derived-attribute-unused | Invalid | a derived attribute that no constraint uses
derived-attribute-incomplete | Required | a derived attribute without name or expression
derived-attributes-too-complex | Forbidden | derived attributes that cost too much together
constraint-empty | Required | a constraint without attribute
unknown-request-reference | Invalid | no such request in the claim
config-empty | Required | a configuration without `opaque`
parameters-required | Required | no parameters
parameters-too-long | TooLong | parameters of more than 10 KiB
parameters-not-an-object | Invalid | parameters that are no JSON object
admin-access-not-allowed | Forbidden | admin access in a namespace without the label
invalid-extended-resource-name | Invalid | no extended resource name
consumer-incomplete | Required | an entry of reservedFor lacks a part
too-many-consumers | TooMany | more than 256 consumers
duplicate-consumer | Duplicate | a consumer twice
reserved-without-allocation | Forbidden | consumers of a claim that is not allocated
reserved-while-deleted | Forbidden | a consumer added while the claim is being deleted
too-many-results | TooMany | more than 32 allocated devices
config-source-unknown | NotSupported, Required | neither FromClaim nor FromClass
device-not-allocated | Invalid | status of a device that is not allocated
duplicate-device-status | Duplicate | status of a device twice
duplicate-condition | Duplicate | a condition twice
invalid-condition | Invalid, NotSupported, Required, TooLong | a malformed condition
too-many-conditions | TooMany | too many conditions
network-value-too-long | TooLong | a network value that is too long
too-many-addresses | TooMany | more than 16 addresses
duplicate-address | Duplicate | an address twice
invalid-address | Invalid | no interface address in canonical CIDR form
slice-count-not-positive | Invalid | resourceSliceCount below 1
pool-generation-negative | Invalid | a negative pool generation
node-choice-missing | Required | no choice of nodes
node-choice-ambiguous | Invalid | several choices of nodes
node-choice-empty | Invalid | an empty or false choice of nodes
devices-and-counters | Invalid | devices and counter sets in one slice
too-many-devices | TooMany | too many devices in a slice
duplicate-device | Duplicate | two devices of one name
too-many-counter-sets | TooMany | more than 8 counter sets
duplicate-counter-set | Duplicate | two counter sets of one name
counter-set-name-required | Required | a counter set without name
counters-required | Required | no counters
too-many-counters | Invalid, TooMany | too many counters
unknown-counter | Invalid | no such counter in the slice (1.34)
too-many-counter-consumptions | TooMany | more than 2 counter sets consumed
duplicate-counter-consumption | Duplicate | a counter set consumed twice
too-many-compatibility-groups | TooMany | more than 2 compatibility groups
duplicate-compatibility-group | Duplicate | a compatibility group twice
partition-type-without-counters | Invalid | partitionTypeAttribute without counter consumption
partition-type-missing | Invalid, Required | a device without the partition type attribute
skip-prepare-only | Invalid | preparation skipped without unpreparation
unknown-skip-operation | NotSupported | no known operation to skip
duplicate-skip-operation | Duplicate | an operation to skip twice
too-many-attributes | Invalid, TooMany | more than 32 attributes and capacities
too-many-attribute-values | Invalid | more than 48 attribute values
attribute-without-value | Invalid, Required | an attribute without value
attribute-ambiguous | Invalid | an attribute with several values
attribute-list-empty | Invalid | an attribute with an empty list
attribute-value-too-long | TooLong | a text value of more than 64 bytes
invalid-version | Invalid | no semantic version
too-many-taints | TooMany | too many taints
device-node-choice-not-allowed | Invalid | a device chooses nodes though the slice does
device-node-choice-missing | Required | a device chooses no nodes though it should
device-node-choice-ambiguous | Invalid | a device chooses nodes in several ways
too-many-binding-conditions | TooMany | more than 4 binding conditions
invalid-binding-condition | Invalid | no label key as binding condition
duplicate-binding-condition | Duplicate | a binding condition twice
binding-conditions-overlap | Invalid | a condition that means binding and failure
binding-conditions-incomplete | Invalid | binding without failure conditions, or the reverse
policy-without-sharing | Forbidden | a request policy on a device that is not shared
policy-ambiguous | Forbidden | validValues and validRange
policy-default-required | Required | a policy without default
policy-default-not-allowed | Invalid | a default outside the policy
policy-beyond-capacity | Invalid | a bound above the capacity
valid-values-not-sorted | Invalid | values that do not ascend
duplicate-valid-value | Duplicate | a value twice
too-many-valid-values | TooMany | more than 10 values
range-min-required | Required | a range without min
range-min-above-max | Invalid | min above max
range-step-not-positive | Invalid | a step of zero or less
range-step-crash | Internal | a step of zero, which crashes the request up to 1.36
range-off-step | Invalid | default or max off the steps
range-bound-not-countable | Invalid | a bound beyond what the server can count
not-a-node-resource | Invalid | a resource that nodes do not allocate
node-resource-incomplete | Invalid, Required | a node resource mapping lacks a part, or has too many
unknown-capacity-key | Invalid, NotFound | no such capacity of the device
multiplier-not-positive | Invalid | a multiplier of zero or less
overhead-negative | Invalid | a negative overhead
field-gate-off | Forbidden | a field whose feature gate is off
value-required | Required | a field that must be set
number-out-of-bounds | Invalid | a number outside its bounds
too-many-items | TooMany | a list that is too long
duplicate-item | Duplicate | an item twice
request-in-pod-claim | StrictDecoding | a field of a request in a pod's claim
field-outside-metadata | StrictDecoding | a field of metadata beside it
claims-in-static-pod | Forbidden | a static pod with claims
pod-claim-name-required | Required | a pod's claim without name
duplicate-pod-claim | Duplicate | two claims of a pod with one name
invalid-pod-claim-name | Invalid | no DNS label as a pod's claim name
pod-claim-ambiguous | Invalid | both resourceClaimName and resourceClaimTemplateName
pod-claim-without-source | Invalid | neither resourceClaimName nor resourceClaimTemplateName
invalid-claim-name | Invalid | no DNS subdomain as claim or template name
container-claim-name-required | Required | a container's claim without name
duplicate-container-claim | Duplicate | a container names a claim or request twice
unknown-pod-claim | NotFound | a container names a claim that the pod does not have
invalid-request-name | Invalid | no DNS label as request
claims-at-pod-level | Forbidden | claims in the pod-level resources
resources-in-ephemeral-container | Forbidden | resources of an ephemeral container
too-many-group-claims | TooMany | more than 4 claims of a PodGroup
group-claims-immutable | Invalid | the claims of a PodGroup or of a Workload's template changed
invalid-resource-name | Invalid | no resource name
extended-resource-negative | Invalid | a negative amount
extended-resource-not-whole | Invalid | a fraction of an extended resource
extended-resource-without-limit | Required | an extended resource requested without limit
extended-resource-not-equal | Invalid | request and limit of an extended resource differ
extended-resource-above-limit | Invalid | a request above its limit
"""


@functools.cache
def reasons() -> Mapping[str, Reason]:
    """The table, by id."""
    rows = (line.split(" | ") for line in _TABLE.strip().splitlines())
    table = {id_: Reason(id_, tuple(types.split(", ")), meaning) for id_, types, meaning in rows}
    return MappingProxyType(table)
