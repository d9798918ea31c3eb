"""Nodes, and which of them a node selector picks.

Follows NewNodeSelector and Match of k8s.io/component-helpers scheduling/corev1/nodeaffinity, and
labels.NewRequirement of k8s.io/apimachinery, texts of errors included.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dradsl.records import Record
from dradsl.values.names import label_key, label_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.kube.fields.typed_dicts import NodeSelectorDict, NodeSelectorRequirementDict
    from dradsl.kube.pods.typed_dicts import TaintDict


__all__ = ["Node", "ParsedNodeSelector", "SelectorError", "compile_selector", "matches_labels"]

_NAME_FIELD = "metadata.name"
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


class SelectorError(ValueError):
    """A node selector that does not parse, in upstream's words.

    `detail` is the reason alone; the message shows the selector before it, as for slices.
    """

    def __init__(self, shown: str, detail: str) -> None:
        super().__init__(f"failed to parse node selector {shown}: {detail}")
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Node:
    """What the allocator sees of a node, and what pods ask of it.

    `taints` and `allocatable` come from a Node object; both are empty for a node that is known
    from its slices only.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[TaintDict, ...] = ()
    allocatable: Mapping[str, str] = field(default_factory=dict)
    unschedulable: bool = False
    declared_features: frozenset[str] = frozenset()
    known: bool = True  # there is a Node object, so that labels and taints are the whole truth


class _Requirement(Record):
    key: str
    operator: str
    values: tuple[str, ...]

    def accepts(self, value: str | None) -> bool:
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        have, want = _int64(value), _int64(self.values[0])
        if have is None or want is None:
            return False
        return have > want if self.operator == "Gt" else have < want


class _Term(Record):
    labels: tuple[_Requirement, ...]
    fields: tuple[_Requirement, ...]

    def matches(self, node: Node) -> bool:
        if not all(need.accepts(node.labels.get(need.key)) for need in self.labels):
            return False
        # A node without a name has no fields, and then upstream skips this half.
        return not node.name or all(
            need.accepts(node.name if need.key == _NAME_FIELD else "") for need in self.fields
        )


class ParsedNodeSelector(Record):
    """A parsed node selector: terms are alternatives, an empty term picks nothing."""

    terms: tuple[_Term, ...]

    def matches(self, node: Node) -> bool:
        return any(term.matches(node) for term in self.terms)


def matches_labels(wanted: Mapping[str, str], node: Node) -> bool:
    """Whether the node has all the labels of a pod's `nodeSelector`."""
    return all(node.labels.get(key) == value for key, value in wanted.items())


def compile_selector(selector: NodeSelectorDict) -> ParsedNodeSelector:
    """The node selector of a slice, device or pod affinity, in the API's JSON form.

    Raises:
        SelectorError: with the text in which upstream reports it.
    """
    errors: list[str] = []
    terms = []
    for i, term in enumerate(selector.get("nodeSelectorTerms") or ()):
        expressions = term.get("matchExpressions") or ()
        fields = term.get("matchFields") or ()
        if not expressions and not fields:
            continue
        path = f"nodeSelectorTerms[{i}]"
        terms.append(
            _Term(
                _label_requirements(expressions, f"{path}.matchExpressions", errors),
                _field_requirements(fields, f"{path}.matchFields", errors),
            )
        )
    if errors:
        listed = list(dict.fromkeys(errors))
        text = listed[0] if len(listed) == 1 else f"[{', '.join(listed)}]"
        raise SelectorError(_go_text(selector), text)
    return ParsedNodeSelector(tuple(terms))


def _label_requirements(
    listed: Sequence[NodeSelectorRequirementDict], path: str, errors: list[str]
) -> tuple[_Requirement, ...]:
    found = []
    for i, entry in enumerate(listed):
        at = f"{path}[{i}]"
        operator, values = entry.get("operator") or "", entry.get("values")
        if operator not in _OPERATORS:
            errors.append(_unsupported(f"{at}.operator", operator, _OPERATORS))
            continue
        key = entry.get("key") or ""
        wrong = list(_wrong_in_label(key, operator, values, at))
        if wrong:
            errors.extend(wrong)
            continue
        found.append(_Requirement(key, operator, tuple(values or ())))
    return tuple(found)


def _wrong_in_label(key: str, operator: str, values: Any, at: str) -> Iterable[str]:
    given = values or ()
    if problems := label_key(key):
        yield _invalid(f"{at}.key", key, "; ".join(problems))
    if operator in ("In", "NotIn") and not given:
        text = "for 'in', 'notin' operators, values set can't be empty"
        yield _invalid(f"{at}.values", values, text)
    if operator in ("Exists", "DoesNotExist") and given:
        text = "values set must be empty for exists and does not exist"
        yield _invalid(f"{at}.values", values, text)
    if operator in ("Gt", "Lt"):
        if len(given) != 1:
            text = "for 'Gt', 'Lt' operators, exactly one value is required"
            yield _invalid(f"{at}.values", values, text)
        for i, value in enumerate(given):
            if _int64(value) is None:
                text = "for 'Gt', 'Lt' operators, the value must be an integer"
                yield _invalid(f"{at}.values[{i}]", value, text)
    for i, value in enumerate(given):
        if problems := label_value(value):
            yield _invalid(f"{at}.values[{i}][{key}]", value, "; ".join(problems))


def _field_requirements(
    listed: Sequence[NodeSelectorRequirementDict], path: str, errors: list[str]
) -> tuple[_Requirement, ...]:
    found = []
    for i, entry in enumerate(listed):
        at = f"{path}[{i}]"
        operator, values = entry.get("operator", ""), tuple(entry.get("values") or ())
        if operator not in _FIELD_OPERATORS:
            errors.append(_unsupported(f"{at}.operator", operator, _FIELD_OPERATORS))
        elif len(values) != 1:
            errors.append(_invalid(f"{at}.values", entry.get("values"), "must have one element"))
        else:
            found.append(_Requirement(entry.get("key") or "", operator, (values[0],)))
    return tuple(found)


def _int64(text: str | None) -> int | None:
    """The number in `text` as strconv.ParseInt reads it."""
    if text is None or not _INTEGER.fullmatch(text) or len(text) > 64:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def _invalid(path: str, value: Any, detail: str) -> str:
    shown = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"{path}: Invalid value: {shown}: {detail}"


def _unsupported(path: str, value: str, known: Sequence[str]) -> str:
    listed = ", ".join(json.dumps(name) for name in known)
    return f"{path}: Unsupported value: {json.dumps(value)}: supported values: {listed}"


def _go_text(selector: NodeSelectorDict) -> str:
    """The selector as the generated String method of k8s.io/api core/v1 prints it."""
    terms = "".join(
        "NodeSelectorTerm{"
        f"MatchExpressions:{_go_requirements(term.get('matchExpressions'))},"
        f"MatchFields:{_go_requirements(term.get('matchFields'))},"
        "},"
        for term in selector.get("nodeSelectorTerms") or ()
    )
    return f"&NodeSelector{{NodeSelectorTerms:[]NodeSelectorTerm{{{terms}}},}}"


def _go_requirements(listed: Sequence[NodeSelectorRequirementDict] | None) -> str:
    entries = "".join(
        "NodeSelectorRequirement{"
        f"Key:{entry.get('key', '')},Operator:{entry.get('operator', '')},"
        f"Values:[{' '.join(entry.get('values') or ())}],}},"
        for entry in listed or ()
    )
    return f"[]NodeSelectorRequirement{{{entries}}}"
