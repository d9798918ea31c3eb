"""Values in messages as the API server prints them: Go's JSON of the type that its check was given.

A hand-written check has an internal type, without tags for JSON: the fields have their names in Go, and a pointer or list
that is not there is `null`. A declarative one of 1.37 has the type of the version.
"""

from __future__ import annotations

from dradsl.kube.fields.table import Category, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from dradsl.kube.fields.table import FieldType

__all__ = ["in_order", "internal_attribute", "internal_pod_claim", "internal_terms"]


def in_order(value: Any, type_: FieldType, version: str, release: str) -> Any:
    """A value of a type of resource.k8s.io with its fields in the order of the type."""
    if type_.category is Category.LIST and type_.item is not None and isinstance(value, list):
        return [in_order(each, type_.item, version, release) for each in value]
    if type_.category is not Category.STRUCT or not isinstance(value, dict):
        return value
    fields = fields_of(type_.name, version, release)
    return {
        name: in_order(value[name], field.type, version, release)
        for name, field in fields.items()
        if name in value
    }


# The type PodResourceClaim of pkg/apis/core/types.go.
def internal_pod_claim(claim: Mapping[str, object]) -> dict[str, object]:
    """An entry of a pod's `resourceClaims`."""
    return {
        "Name": claim.get("name", ""),
        "ResourceClaimName": claim.get("resourceClaimName"),
        "ResourceClaimTemplateName": claim.get("resourceClaimTemplateName"),
    }


# The types NodeSelectorTerm and NodeSelectorRequirement of pkg/apis/core/types.go.
def internal_terms(terms: Iterable[Any] | None) -> list[object] | None:
    """The `nodeSelectorTerms` of a node selector."""

    def requirements(term: Mapping[str, Any], name: str) -> list[object] | None:
        listed = term.get(name)
        if listed is None:
            return None
        return [
            {
                "Key": each.get("key", ""),
                "Operator": each.get("operator", ""),
                "Values": each.get("values"),
            }
            for each in listed
        ]

    if terms is None:
        return None
    return [
        {
            "MatchExpressions": requirements(term, "matchExpressions"),
            "MatchFields": requirements(term, "matchFields"),
        }
        for term in terms
    ]


# The type DeviceAttribute of pkg/apis/resource/types.go.
def internal_attribute(attribute: Mapping[str, object], release: str) -> dict[str, object]:
    """The value of a device's attribute."""
    names = ["int", "bool", "string", "version"]
    shown = {f"{name.capitalize()}Value": attribute.get(name) for name in names}
    if "ints" in fields_of("DeviceAttribute", "v1", release):
        shown |= {f"{name.capitalize()}Values": attribute.get(f"{name}s") for name in names}
    return shown
