"""Which objects a selector takes: anchored regular expressions, labels and annotations.

Upstream: kustomize api/types/selector.go, apimachinery pkg/labels/selector.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dradsl.records import Record
from dradsl.tree.kustomize.parts.resources import GroupVersionKind, Resource, ResourceId
from dradsl.tree.nodes import KustomizeError
from dradsl.values.limits import LONGEST_PATH

__all__ = ["Selector", "fits", "read_selector", "search"]

_PLAIN = re.compile(r"[A-Za-z0-9_/-]*")


def _searched(text: str, value: str) -> bool:
    from dradsl.regexp import PatternError, SearchLimitError, compile_pattern

    if len(text) > LONGEST_PATH:
        raise KustomizeError("the regular expression is too long")
    try:
        return compile_pattern(text).search(value)
    except (PatternError, SearchLimitError) as error:
        raise KustomizeError(str(error)) from error


def search(text: str, value: str) -> bool:
    """Whether a regular expression fits somewhere in a value."""
    if _PLAIN.fullmatch(text):
        return text in value
    return _searched(text, value)


def fits(text: str, value: str) -> bool:
    """Whether a regular expression fits a whole value; nothing fits any."""
    if not text:
        return True
    if _PLAIN.fullmatch(text):
        return text == value
    return _searched(f"^(?:{text})$", value)


class Selector(Record):
    """What a target selects."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    labels: str = ""
    annotations: str = ""

    @property
    def has_id(self) -> bool:
        return bool(self.group or self.version or self.kind or self.name or self.namespace)

    def fits_kind(self, kind: GroupVersionKind) -> bool:
        return (
            fits(self.group, kind.group)
            and fits(self.version, kind.version)
            and fits(self.kind, kind.kind)
        )

    def fits_id(self, each: ResourceId) -> bool:
        return (
            self.fits_kind(each.kind)
            and fits(self.name, each.name)
            and fits(self.namespace, each.namespace)
        )

    def fits_marks(self, resource: Resource) -> bool:
        """Whether labels and annotations fit."""
        return (not self.labels or _has(self.labels, resource.strings("labels"))) and (
            not self.annotations or _has(self.annotations, resource.strings("annotations"))
        )

    def takes(self, resource: Resource) -> bool:
        """Whether a patch with this target changes an object."""
        now, first = resource.id, resource.original_id
        return (
            (
                fits(self.namespace, first.effective_namespace)
                or fits(self.namespace, now.effective_namespace)
            )
            and (fits(self.name, first.name) or fits(self.name, now.name))
            and self.fits_kind(now.kind)
            and self.fits_marks(resource)
        )


_NAMES = {
    "group": "group",
    "version": "version",
    "kind": "kind",
    "name": "name",
    "namespace": "namespace",
    "labelselector": "labels",
    "annotationselector": "annotations",
}


def read_selector(data: object) -> Selector:
    """The selector in a mapping.

    Raises:
        KustomizeError: if it has another shape.
    """
    if not isinstance(data, dict):
        raise KustomizeError("expected a mapping")
    found: dict[str, str] = {}
    for key, value in data.items():
        name = _NAMES.get(key.lower())
        if name is None:
            raise KustomizeError(f"unknown field {key!r}")
        if value is None:
            continue
        if not isinstance(value, str):
            raise KustomizeError(f"{key}: expected a string")
        found[name] = value
    return Selector(**found)


_TERM = re.compile(
    r"\s*(?:(?P<not>!)\s*(?P<absent>[^\s,=!()]+)"
    r"|(?P<key>[^\s,=!()]+)(?:\s*(?P<op>==|=|!=)\s*(?P<value>[^\s,=!()]*)"
    r"|\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)"
)


def _has(text: str, marks: Mapping[str, str]) -> bool:
    at = 0
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None or term.end() == at:
            raise KustomizeError(f"unable to parse the selector {text!r}")
        at = term.end()
        if term["not"]:
            if term["absent"] in marks:
                return False
            continue
        value = marks.get(term["key"])
        if term["set"]:
            inside = value in [each.strip() for each in term["values"].split(",")]
            if (term["set"] == "in") != (value is not None and inside):
                return False
        elif term["op"] == "!=":
            if value == term["value"]:
                return False
        elif term["op"]:
            if value != term["value"]:
                return False
        elif value is None:
            return False
    return True
