"""The reasons of what the declarative rules reject."""

from __future__ import annotations

__all__ = ["reason_of"]

# Reason of an error by rule, where the field does not make it a more special one.
_REASONS = {
    "required": "value-required",
    "immutable": "spec-immutable",
    "no-modify": "allocation-immutable",
    "max-items": "too-many-items",
    "unique": "duplicate-item",
    "each-enum": "unknown-skip-operation",
    "max-length": "driver-too-long",
    "max-bytes": "network-value-too-long",
    "long-name": "invalid-subdomain",
    "long-name-caseless": "invalid-driver-name",
    "short-name": "invalid-dns-label",
    "keys-short-name": "invalid-dns-label",
    "each-short-name": "invalid-dns-label",
    "label-key": "invalid-label-key",
    "pool-name": "invalid-pool-name",
    "uuid": "invalid-share-id",
    "fully-qualified": "invalid-attribute-name",
    "extended-resource": "invalid-extended-resource-name",
    "gated": "field-gate-off",
    "minimum": "number-out-of-bounds",
    "maximum": "number-out-of-bounds",
    "union": "attribute-ambiguous",
}
_FIELD_REASONS = {
    ("deviceClassName", "required"): "device-class-required",
    ("deviceClassName", "long-name"): "invalid-device-class-name",
    ("metadata.name", "long-name"): "invalid-object-name",
    ("requests", "max-items"): "too-many-requests",
    ("requests", "unique"): "duplicate-request",
    ("firstAvailable", "max-items"): "too-many-alternatives",
    ("firstAvailable", "unique"): "duplicate-alternative",
    ("constraints", "max-items"): "too-many-constraints",
    ("config", "max-items"): "too-many-configs",
    ("selectors", "max-items"): "too-many-selectors",
    ("derivedAttributes", "max-items"): "too-many-derived-attributes",
    ("name", "required"): "derived-attribute-incomplete",
    ("expression", "required"): "derived-attribute-incomplete",
    ("allocationMode", "enum"): "unknown-allocation-mode",
    ("operator", "enum"): "unknown-toleration-operator",
    ("operator", "required"): "unknown-toleration-operator",
    ("effect", "enum"): "unknown-taint-effect",
    ("effect", "required"): "taint-effect-required",
    ("driver", "required"): "driver-required",
    ("pool", "required"): "pool-name-required",
    ("poolName", "required"): "pool-name-required",
    ("source", "required"): "config-source-unknown",
    ("source", "enum"): "config-source-unknown",
    ("reservedFor", "max-items"): "too-many-consumers",
    ("reservedFor", "unique"): "duplicate-consumer",
    ("devices", "unique"): "duplicate-device-status",
    ("results", "max-items"): "too-many-results",
    ("bindingConditions", "max-items"): "too-many-binding-conditions",
    ("bindingFailureConditions", "max-items"): "too-many-binding-conditions",
    ("sharedCounters", "max-items"): "too-many-counter-sets",
    ("sharedCounters", "unique"): "duplicate-counter-set",
    ("consumesCounters", "max-items"): "too-many-counter-consumptions",
    ("consumesCounters", "unique"): "duplicate-counter-consumption",
    ("counterSet", "required"): "counter-set-name-required",
    ("counters", "required"): "counters-required",
    ("compatibilityGroups", "max-items"): "too-many-compatibility-groups",
    ("compatibilityGroups", "unique"): "duplicate-compatibility-group",
    ("skipNodeOperations", "unique"): "duplicate-skip-operation",
    ("ips", "max-items"): "too-many-addresses",
    ("ips", "unique"): "duplicate-address",
    ("NodeAllocatableMapping", "union"): "node-resource-incomplete",
}
_SPECIAL = {
    ("DeviceConstraint", "requests", "max-items"): "too-many-request-references",
    ("DeviceConstraint", "requests", "unique"): "duplicate-request-reference",
    ("DeviceClaimConfiguration", "requests", "max-items"): "too-many-request-references",
    ("DeviceClaimConfiguration", "requests", "unique"): "duplicate-request-reference",
    ("DeviceAllocationConfiguration", "requests", "max-items"): "too-many-request-references",
    ("DeviceAllocationConfiguration", "requests", "unique"): "duplicate-request-reference",
    ("CounterSet", "name", "required"): "counter-set-name-required",
    ("ShareableCapacityStatus", "name", "required"): "value-required",
}


def reason_of(owner: str, field: str, rule: str) -> str:
    """The reason id of an error of `rule` at `field` of the type `owner`."""
    return _SPECIAL.get((owner, field, rule)) or _FIELD_REASONS.get((field, rule)) or _REASONS[rule]
