"""What the API server's validation rejects in where a decoded pod may run: tolerations, affinity, spread constraints,
scheduling gates; and in the selectors of these and of workloads.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2.
"""

from __future__ import annotations

from dradsl.kube.pods.values import structs
from dradsl.kube.validation.formats import label_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values import Findings, Relation

__all__ = ["RELATIONS", "placing_errors"]

_NO_OPERATOR = "not a valid selector operator"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_BOTH = "exists in both matchLabelKeys and"


def placing_errors(spec: Any, path: Path, found: Findings) -> None:
    """What occurs twice in the gates and spread constraints of a pod spec."""
    gates = [gate.get("name") or "" for _, gate in structs(spec, "schedulingGates", path)]
    for index, name in enumerate(gates):
        at = (*path, "schedulingGates", index)
        found.named(at, name, "labelname")
        if name in gates[:index]:
            found.duplicate(at, name)
    constraints = list(structs(spec, "topologySpreadConstraints", path))
    pairs = [(c.get("topologyKey") or "", c.get("whenUnsatisfiable") or "") for _, c in constraints]
    for at, _ in constraints:
        key, action = pair = pairs.pop(0)
        if pair in pairs:
            found.duplicate((*at, "{topologyKey, whenUnsatisfiable}"), f"{{{key}, {action}}}")


def _spread(constraint: Any, path: Path, found: Findings) -> None:
    action = constraint.get("whenUnsatisfiable") or ""
    if constraint.get("minDomains") is not None and action != "DoNotSchedule":
        text = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        found.invalid((*path, "minDomains"), constraint["minDomains"], text)
    _label_keys(constraint, path, found)


def _affinity_term(term: Any, path: Path, found: Findings) -> None:
    for name in term.get("namespaces") or ():
        found.named((*path, "namespace"), name or "", "label")
    _label_keys(term, path, found)


def _label_keys(term: Any, path: Path, found: Findings) -> None:
    """Keys whose values are those of the pod, beside a selector."""
    selector = term.get("labelSelector")
    matching, others = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    for name, keys in (("matchLabelKeys", matching), ("mismatchLabelKeys", others)):
        if keys and selector is None:
            text = "must not be specified when labelSelector is not set"
            found.forbidden((*path, name), text)
        for index, key in enumerate(keys if selector is not None else ()):
            found.named((*path, name, index), key or "", "labelname")
    for index, key in enumerate(matching):
        if key in others:
            at = (*path, "matchLabelKeys", index)
            found.invalid(at, key, f"{_BOTH} mismatchLabelKeys")
        # What the API server adds to the selector for the key is then there twice.
        rules = (selector or {}).get("matchExpressions") or ()
        selected = ((selector or {}).get("matchLabels") or {}).keys() | {
            r.get("key") for r in rules
        }
        if key in selected:
            found.invalid((*path, index), key, f"{_BOTH} labelSelector")


def _node_term(term: Any, path: Path, found: Findings) -> None:
    """The rules of a node selector; preferred ones may have values that are no label's."""
    strict = path[-1] != "preference"
    for at, rule in structs(term, "matchExpressions", path):
        if rule.get("operator") not in ("Gt", "Lt"):
            _requirement(rule, at, found, values=strict)
            continue
        if len(rule.get("values") or ()) != 1:
            text = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            found.required((*at, "values"), text)
        _key_and_values(rule, at, found, values=strict)
    for at, rule in structs(term, "matchFields", path):
        values, operator = rule.get("values") or (), rule.get("operator") or ""
        if operator not in ("In", "NotIn"):
            found.invalid((*at, "operator"), operator, _NO_OPERATOR)
        elif len(values) != 1:
            text = (
                "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            )
            found.required((*at, "values"), text)
        if rule.get("key") != "metadata.name":
            text = "not a valid field selector key"
            found.invalid((*at, "key"), rule.get("key") or "", text)
        else:
            for index, value in enumerate(values):
                found.named((*at, "values", index), value or "", "subdomain")


def _requirement(rule: Any, path: Path, found: Findings, *, values: bool = True) -> None:
    operator, given = rule.get("operator") or "", rule.get("values")
    if operator in ("In", "NotIn"):
        if not given:
            text = "must be specified when `operator` is 'In' or 'NotIn'"
            found.required((*path, "values"), text)
    elif operator not in ("Exists", "DoesNotExist"):
        found.invalid((*path, "operator"), operator, _NO_OPERATOR)
    elif given:
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        found.forbidden((*path, "values"), text)
    _key_and_values(rule, path, found, values=values)


def _key_and_values(rule: Any, path: Path, found: Findings, *, values: bool) -> None:
    found.named((*path, "key"), rule.get("key") or "", "labelname")
    for index, value in enumerate(rule.get("values") or () if values else ()):
        for message in label_value(value or "", found.rules):
            found.invalid((*path, "values", index), value or "", message)


def _toleration(toleration: Any, at: Path, found: Findings) -> None:
    key, operator = toleration.get("key") or "", toleration.get("operator") or ""
    value, effect = toleration.get("value") or "", toleration.get("effect") or ""
    if not key and operator != "Exists":
        text = (
            "operator must be Exists when `key` is empty, which means"
            ' "match all values and all keys"'
        )
        found.invalid((*at, "operator"), operator, text)
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        found.invalid((*at, "effect"), effect, text)
    if operator in ("", "Equal"):
        messages = [str(getattr(each, "detail", each)) for each in label_value(value, found.rules)]
        if messages:
            found.invalid((*at, "operator"), value, ";".join(messages))
    elif operator == "Exists":
        if value:
            text = "value must be empty when `operator` is 'Exists'"
            found.invalid((*at, "operator"), value, text)
    elif operator not in ("Lt", "Gt"):
        found.one_of((*at, "operator"), operator, ("Equal", "Exists"))
    if effect:
        found.one_of((*at, "effect"), effect, _EFFECTS)


RELATIONS: Mapping[str, Relation] = {
    "v1.LabelSelectorRequirement": _requirement,
    "v1.NodeSelectorTerm": _node_term,
    "v1.PodAffinityTerm": _affinity_term,
    "v1.Toleration": _toleration,
    "v1.TopologySpreadConstraint": _spread,
}
