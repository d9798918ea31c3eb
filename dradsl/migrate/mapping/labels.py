"""Node labels that a pod selects on, as conditions on devices if the correspondence is certain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import find_labels, label_form, quote, translate_label
from dradsl.migrate.edits.operations import Remove
from dradsl.records import Record
from dradsl.values.plain import list_at, mapping_at

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.device_plugin import LabelMatch
    from dradsl.migrate.mapping.resource import Observed
    from dradsl.migrate.places import PodAt
    from dradsl.text.paths import FieldPath

__all__ = [
    "AUTO_MODE",
    "Condition",
    "LabelPlan",
    "conditions_of",
    "label_hints",
    "nodes_without_dra",
    "plan_labels",
]

_TERMS = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
# Only labels with the device plugin's own names describe devices; others are for autoscalers.
_PRESENT = "nvidia.com/gpu.present"
# Platforms without DRA, by what selects their nodes: Google Cloud "Prepare GKE infrastructure for DRA workloads", Amazon EKS
# user guide "device-management" (stored 2026-08: none; a newer one: with drivers of its own, from Kubernetes 1.36).
AUTO_MODE = "EKS-Auto-Mode"
_WITHOUT_DRA: Mapping[str, str] = MappingProxyType(
    {
        "GKE Autopilot": r"cloud\.google\.com/compute-class: (Accelerator|autopilot|autopilot-spot)",
        AUTO_MODE: r"eks\.amazonaws\.com/(compute-type: auto|instance-.*)",
    }
)


class Condition(Record):
    """A condition of a pod on the labels of its node, in a field; `alone` is False in one of several terms."""

    key: str
    operator: str
    values: tuple[str, ...]
    path: FieldPath
    field: str
    alone: bool = True

    @property
    def text(self) -> str:
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}: {self.values[0]}"
        return f"{self.key} {self.operator} {', '.join(self.values)}".strip()


class LabelPlan(Record):
    """CEL for the devices of one driver, the selectors that it replaces, and what was left."""

    selectors: tuple[str, ...] = ()
    removals: tuple[Remove, ...] = ()
    notes: tuple[str, ...] = ()


def nodes_without_dra(pod: PodAt, accepted: frozenset[str]) -> str | None:
    """Why the nodes that a pod selects cannot allocate its claims, except those of platforms in `accepted`."""
    for condition in conditions_of(pod):
        for platform, selector in _WITHOUT_DRA.items():
            if platform not in accepted and re.fullmatch(selector, condition.text):
                has = "has DRA from Kubernetes 1.36 on" if platform == AUTO_MODE else "has no DRA"
                return f"{condition.text} selects nodes of {platform}, which {has}"
    return None


def conditions_of(pod: PodAt) -> Iterator[Condition]:
    """Node selector and required node affinity of a pod."""
    for key, value in mapping_at(pod.spec, "nodeSelector").items():
        path = (*pod.field_at("nodeSelector"), key)
        yield Condition(str(key), "In", (str(value),), path, "nodeSelector")
    terms = list_at(pod.spec, *_TERMS)
    for number, term in enumerate(terms):
        for index, item in enumerate(list_at(term, "matchExpressions")):
            if isinstance(item, Mapping):
                yield Condition(
                    str(item.get("key")),
                    str(item.get("operator")),
                    tuple(map(str, list_at(item, "values"))),
                    (*pod.field_at(_TERMS[0]), *_TERMS[1:], number, "matchExpressions", index),
                    _TERMS[0],
                    alone=len(terms) == 1,
                )


def plan_labels(
    pod: PodAt, driver: str, catalogue: Catalogue, observed: Observed, *, keep: bool
) -> LabelPlan:
    """The conditions of a pod on node labels that can become conditions on devices of `driver`."""
    selectors: list[str] = []
    removals: list[Remove] = []
    notes: list[str] = []
    for condition in conditions_of(pod):
        known = [m for m in find_labels(condition.key, catalogue) if m.driver.name == driver]
        if not known:
            continue
        selector, reason = _selector(condition, known[0], observed)
        if reason is None and condition.field in pod.shared:
            reason = "it is in defaults, which hold for other pods too"
        if keep or reason is not None:
            why = reason or "node labels are kept as asked for"
            notes.append(f"node label {condition.text} stays: {why}")
            continue
        removals.append(Remove(condition.path, _emptied(pod)))
        if selector is not None:
            selectors.append(selector)
    # From the end: a removal must not move the items that are removed later.
    removals.sort(key=lambda removal: [str(part).rjust(6) for part in removal.path], reverse=True)
    return LabelPlan(tuple(selectors), tuple(removals), tuple(notes))


def _selector(
    condition: Condition, match: LabelMatch, observed: Observed
) -> tuple[str | None, str | None]:
    """CEL for a condition (None: no condition is left), or why the condition stays."""
    if not condition.alone:
        return None, "it is in one of several alternatives"
    if condition.key == _PRESENT and condition.operator in ("In", "Exists"):
        return (None, None) if condition.values in ((), ("true",)) else (None, "its value is odd")
    if condition.operator not in ("In", "NotIn") or not condition.values:
        return None, f"{condition.operator} says nothing sure about a device"
    if match.label.stays:
        note = match.label.note or "the node's other parts go by it"
        return None, note.replace(", so it stays", "")
    parts = []
    for value in condition.values:
        seen = _recorded(match, value, observed)
        if seen is not None:
            parts.append(seen)
            continue
        translation = translate_label(match, condition.key, value)
        if translation.selector is None or not translation.certain:
            stale = "" if match.label.attribute or match.label.capacity else _STALE
            return None, (translation.reason or "no attribute says it for sure") + stale
        parts.append(translation.selector)
    joined = parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"
    if condition.operator == "NotIn":
        return f"!({' || '.join(parts)})", None
    return joined, None


def _recorded(match: LabelMatch, value: str, observed: Observed) -> str | None:
    """CEL for the one recorded text whose label form `value` is."""
    label = match.label
    if label.translate != "spaces-to-dashes" or label.attribute is None:
        return None
    texts = observed.texts.get((match.driver.name, label.attribute), frozenset())
    found = [text for text in texts if label_form(text) == value]
    if len(found) != 1:
        return None
    return f"device.attributes[{quote(match.driver.name)}].{label.attribute} == {quote(found[0])}"


_STALE = "; without feature discovery nobody keeps this label up to date"


def _emptied(pod: PodAt) -> tuple[FieldPath, ...]:
    """The collections that may be removed with the last condition in them."""
    start = pod.field_at(_TERMS[0])
    affinity = tuple((*start, *_TERMS[1 : depth + 1]) for depth in range(len(_TERMS)))
    term = (*start, *_TERMS[1:], 0)
    return (pod.field_at("nodeSelector"), *affinity, term, (*term, "matchExpressions"))


def label_hints(pod: PodAt) -> Iterator[tuple[str, str]]:
    """Hints on nvidia.com/gpu in the labels that a pod demands of its node: ("shared", a sentence),
    ("profile", a MIG profile) and ("layout", the name of a layout that divides GPUs)."""
    for condition in conditions_of(pod):
        if condition.operator != "In" or not condition.values:
            continue
        for value in condition.values:
            yield from _label_hint(condition.key, value)


def _label_hint(key: str, value: str) -> Iterator[tuple[str, str]]:
    if key == "nvidia.com/gpu.product":
        if value.endswith("-SHARED"):
            yield "shared", f"node label {key}={value} is that of shared GPUs"
        profile = re.search(r"-MIG-([0-9]+g\.[0-9]+gb.*?)(-SHARED)?$", value)
        if profile:
            yield "profile", profile[1]
    elif key == "nvidia.com/gpu.sharing-strategy" and value != "none":
        yield "shared", f"node label {key}={value} is that of shared GPUs"
    elif key in _GKE_SHARING:
        yield "shared", f"node label {key}={value} is that of GPUs which GKE shares between pods"
    elif key == "cloud.google.com/gke-gpu-partition-size":
        yield "profile", value
    elif key == "nvidia.com/mig.config" and value != "all-disabled":
        yield "layout", value


# GKE documents these for GPUs that its nodes share or divide; pods still ask for nvidia.com/gpu.
_GKE_SHARING = frozenset(
    {"cloud.google.com/gke-gpu-sharing-strategy", "cloud.google.com/gke-max-shared-clients-per-gpu"}
)
