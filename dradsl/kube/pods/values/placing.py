"""What the API server's validation rejects in where a decoded pod may run: tolerations, affinity, spread constraints,
scheduling gates; and in the selectors of these and of workloads.

Source: kubernetes pkg/apis/core/validation/validation.go at 1.34.10 to 1.37.2.
"""

from __future__ import annotations

from dradsl.kube.pods.values.structs import structs
from dradsl.kube.validation.formats import label_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values.structs import Findings, Relation

__all__ = ["RELATIONS", "placing_errors"]


def placing_errors(spec: Any, path: Path, found: Findings) -> None:
    """What occurs twice in the gates and spread constraints of a pod spec."""
    gates = [gate.get("name") or "" for _, gate in structs(spec, "schedulingGates", path)]
    for index, name in enumerate(gates):
        if name in gates[:index]:
            found.duplicate((*path, "schedulingGates", index), name)
    constraints = list(structs(spec, "topologySpreadConstraints", path))
    pairs = [(c.get("topologyKey") or "", c.get("whenUnsatisfiable") or "") for _, c in constraints]
    for at, _ in constraints:
        key, action = pair = pairs.pop(0)
        if pair in pairs:
            found.duplicate((*at, "{topologyKey, whenUnsatisfiable}"), f"{{{key}, {action}}}")


def _affinity_term(term: Any, path: Path, found: Findings) -> Any:
    for name in term.get("namespaces") or ():
        found.named((*path, "namespace"), name or "", "label")
    return _label_keys(term, path, found)


def _label_keys(term: Any, path: Path, found: Findings) -> Any:
    """Keys whose values are those of the pod, beside a selector: a pod has rules for those of its labels there."""
    selector, others = term.get("labelSelector"), term.get("mismatchLabelKeys") or ()
    keys = term.get("matchLabelKeys") or ()
    if selector is None:
        return {name: each for name, each in term.items() if not name.endswith("LabelKeys")}
    rules = [rule.get("key") for _, rule in structs(selector, "matchExpressions", path)]
    selected = [*(selector.get("matchLabels") or ()), *rules, *(k for k in keys if k in found.keys)]
    for index, key in enumerate(keys):
        if key in others:
            text = "exists in both matchLabelKeys and mismatchLabelKeys"
            found.invalid((*path, "matchLabelKeys", index), key, text)
        if selected.count(key) > 1:
            text = "exists in both matchLabelKeys and labelSelector"
            found.invalid((*path, index), key, text)
    return term


def _node_requirement(rule: Any, path: Path, found: Findings) -> None:
    """A rule of a node selector; preferred ones may have values that are no label's."""
    key, values = rule.get("key") or "", rule.get("values") or ()
    of_label = path[-2] == "matchExpressions"
    if of_label:
        found.named((*path, "key"), key, "labelname")
    if "preference" not in path if of_label else key == "metadata.name":
        for index, value in enumerate(values):
            format_ = "labelvalue" if of_label else "subdomain"
            found.named((*path, "values", index), value or "", format_)


def _toleration(toleration: Any, at: Path, found: Findings) -> None:
    value = toleration.get("value") or ""
    if toleration.get("operator") in (None, "", "Equal"):
        messages = [str(getattr(each, "detail", each)) for each in label_value(value, found.rules)]
        if messages:
            found.invalid((*at, "operator"), value, ";".join(messages))


RELATIONS: Mapping[str, Relation] = {
    "v1.NodeSelectorRequirement": _node_requirement,
    "v1.PodAffinityTerm": _affinity_term,
    "v1.Toleration": _toleration,
    "v1.TopologySpreadConstraint": _label_keys,
}
