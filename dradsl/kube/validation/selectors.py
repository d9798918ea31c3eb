"""Selectors: CEL expressions that pick devices, node selectors that pick nodes.

Sources: kubernetes pkg/apis/resource/validation/validation.go (validateSelector) and pkg/apis/core/validation/validation.go (ValidateNodeSelector) at 1.34.10
to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.errors import FieldError, Path, forbidden, invalid, required
from dradsl.kube.limits import MAX_SELECTORS
from dradsl.kube.validation.formats import check_label_key, check_label_value, dns_subdomain
from dradsl.kube.validation.lists import check_list
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.errors import ExpressionKind
    from dradsl.kube.fields.typed_dicts import NodeSelectorDict, NodeSelectorRequirementDict
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "check_expression",
    "check_node_name",
    "check_node_selector",
    "check_selectors",
]


# Upstream: validateSelectorSlice, validateSelector (pkg/apis/resource/validation/validation.go)
def check_selectors(
    selectors: Any, path: Path, context: Context, *, stored: bool = False
) -> list[FieldError]:
    """A list of device selectors; `stored` ones were accepted before."""

    def check(selector: JsonMapping, at: Path) -> list[FieldError]:
        cel = selector.get("cel")
        if cel is None:
            return [required((*at, "cel"), "selector-empty")]
        if stored and not context.rules.stored_cel:
            return []
        kind: ExpressionKind = "stored" if stored else "new"
        return check_expression(
            cel.get("expression", ""), (*at, "cel", "expression"), context, kind
        )

    return check_list(
        selectors, MAX_SELECTORS, check, path, context.rules, reason="too-many-selectors"
    )


# Upstream: validateCELExpression, validateCELSelector (pkg/apis/resource/validation/validation.go)
# Upstream: convertCELErrorToValidationError (pkg/apis/resource/validation/validation.go)
def check_expression(
    text: str, path: Path, context: Context, kind: ExpressionKind
) -> list[FieldError]:
    """What the server rejects in a CEL expression."""
    error = context.expressions.judge(text, kind).error
    return [] if error is None else [replace(error, path=path)]


# Upstream: validateNodeName (pkg/apis/resource/validation/validation.go)
def check_node_name(name: str, path: Path) -> list[FieldError]:
    """The name of a node."""
    return [invalid(path, "invalid-node-name", name, message) for message in dns_subdomain(name)]


# Upstream: ValidateNodeSelector, ValidateNodeSelectorTerm (pkg/apis/core/validation/validation.go)
def check_node_selector(
    selector: NodeSelectorDict, path: Path, context: Context
) -> list[FieldError]:
    """A node selector: at least one term, each requirement well formed."""
    at: Path = (*path, "nodeSelectorTerms")
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        detail = "must have at least one node selector term"
        return [required(at, "node-selector-without-terms", detail)]
    errors: list[FieldError] = []
    for index, term in enumerate(terms):
        for number, requirement in enumerate(term.get("matchExpressions") or ()):
            place: Path = (*at, index, "matchExpressions", number)
            errors += _check_requirement(requirement, place, context)
        for number, requirement in enumerate(term.get("matchFields") or ()):
            errors += _check_field(requirement, (*at, index, "matchFields", number))
    return errors


# Upstream: ValidateNodeSelectorRequirement (pkg/apis/core/validation/validation.go)
def _check_requirement(
    requirement: NodeSelectorRequirementDict, path: Path, context: Context
) -> list[FieldError]:
    errors: list[FieldError] = []
    operator, values = requirement.get("operator", ""), requirement.get("values") or ()
    at: Path = (*path, "values")
    reason = "invalid-node-selector"
    if operator in ("In", "NotIn"):
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.append(required(at, reason, detail))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(at, reason, detail))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(required(at, reason, detail))
    else:
        detail = "not a valid selector operator"
        errors.append(invalid((*path, "operator"), reason, operator, detail))
    errors += check_label_key(requirement.get("key", ""), (*path, "key"), context.rules)
    for index, value in enumerate(values):
        errors += check_label_value(value, (*at, index), context.rules)
    return errors


# Upstream: ValidateFieldSelectorRequirement (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
def _check_field(requirement: NodeSelectorRequirementDict, path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    operator, values = requirement.get("operator", ""), requirement.get("values") or ()
    reason = "invalid-node-selector"
    if operator in ("In", "NotIn"):
        if len(values) != 1:
            detail = (
                "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            )
            errors.append(required((*path, "values"), reason, detail))
    else:
        detail = "not a valid selector operator"
        errors.append(invalid((*path, "operator"), reason, operator, detail))
    key = requirement.get("key", "")
    if key != "metadata.name":
        errors.append(invalid((*path, "key"), reason, key, "not a valid field selector key"))
    else:
        for index, value in enumerate(values):
            errors += check_node_name(value, (*path, "values", index))
    return errors
