"""Fixes of fields that are at the wrong level: moved down under a key, or up in its place."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dradsl.diagnostics import FieldPath, Fix
from dradsl.kube.errors import FieldError
from dradsl.lint.fixes.edits import node_at
from dradsl.records import replace
from dradsl.text.edits import (
    EditError,
    delete_entry,
    hoist,
    insert_entry,
    nest,
    rename_key,
    replace_value,
)
from dradsl.text.nodes import Entry, MappingNode, SequenceNode, to_plain
from dradsl.tree.manifests.manifest import Manifest

__all__ = ["shape_fix"]

# Reason -> the key under which every other field of the same kind of mapping belongs.
_NESTED: Mapping[str, str] = MappingProxyType(
    {
        "flat-request-field": "exactly",
        "device-field-outside-basic": "basic",
        "expression-outside-cel": "cel",
        "field-outside-devices": "devices",
        "claim-spec-not-nested": "spec",
    }
)

# What stays where it is while its neighbours are moved.
_STAY = frozenset({"name", "firstAvailable", "metadata", "cel", "spec"})

# Lists of containers that may have claims.
_WITH_CLAIMS = (("containers",), ("initContainers",))
_LISTS = frozenset(
    {"claims", "resourceClaims", "selectors", "requests", "constraints", "config", "tolerations"}
)
_HOISTED = frozenset(
    {
        *("exactly-in-v1beta1", "exactly-in-alternative", "basic-outside-v1beta1"),
        *("old-claim-source", "claim-spec-in-spec"),
    }
)

_ELSEWHERE = frozenset({"field-above-pod-spec", "field-of-another-level"})


# Of each group, an object may have one: a second one would be another mistake.
_ONE_OF = (
    frozenset({"exactly", "firstAvailable"}),
    frozenset({"resourceClaimName", "resourceClaimTemplateName"}),
    frozenset({"matchAttribute", "distinctAttribute"}),
    frozenset({"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"}),
    frozenset({"bool", "bools", "int", "ints", "string", "strings", "version", "versions"}),
)


def shape_fix(manifest: Manifest, error: FieldError, path: FieldPath) -> Fix | None:
    """The edit that puts the field at `path` where it belongs; None where a person must decide.

    Moving a field is safe where there is one way to read what was meant: the API server rejects the object as it
    is. Renaming a misspelt field is a guess, so unsafe, and so is moving one that has its name in several places.
    """
    mapping = _mapping_at(manifest, path[:-1])
    if mapping is None:
        return None
    try:
        if error.reason in _NESTED:
            to = (*path[:-1], _NESTED[error.reason], path[-1])
            return _nested(mapping, _NESTED[error.reason]) or _moved(manifest, mapping, path, to)
        if error.reason == "claims-outside-resources":
            of_container = path[-3:-2] in _WITH_CLAIMS
            return _into_resources(mapping, str(path[-1])) if of_container else None
        if error.reason == "claims-among-amounts":
            return _beside(manifest, mapping, path)
        if error.reason in _ELSEWHERE and error.suggestion:
            fix = _moved(manifest, mapping, path, _steps(error.suggestion))
            if fix is not None and error.reason != "field-above-pod-spec":
                return replace(fix, applicability="unsafe")  # other fields can have the name
            return fix
        if error.reason in _HOISTED:
            return _hoisted(mapping, str(path[-1]))
        if error.reason == "unknown-field" and error.suggestion:
            return _renamed(mapping, str(path[-1]), error.suggestion)
    except EditError:
        return None  # the field comes from an alias or a merge: it is elsewhere
    return None


def _mapping_at(manifest: Manifest, path: FieldPath) -> MappingNode | None:
    node = node_at(manifest, path)
    return node if isinstance(node, MappingNode) else None


def _nested(mapping: MappingNode, key: str) -> Fix | None:
    if mapping.get(key) is not None or mapping.get("firstAvailable") is not None:
        return None
    names = [entry.name for entry in mapping.entries if entry.name not in _STAY]
    return Fix(f"move under {key}", tuple(nest(mapping, names, key)))


def _into_resources(container: MappingNode, key: str) -> Fix | None:
    if key != "claims" or container.get("resources") is not None:
        return None
    return Fix("move under resources", tuple(nest(container, [key], "resources")))


def _beside(manifest: Manifest, amounts: MappingNode, path: FieldPath) -> Fix | None:
    """Claims that stand alone below limits or requests take their place; among others they are moved up."""
    resources = _mapping_at(manifest, path[:-2])
    entry = None if resources is None else resources.entry(str(path[-2]))
    if (
        resources is None
        or entry is None
        or path[-1] != "claims"
        or path[-5:-4] not in _WITH_CLAIMS
    ):
        return None
    if resources.get("claims") is not None:
        return None
    if len(amounts.entries) == 1:
        return Fix(f"move up what is under {path[-2]}", tuple(hoist(resources, entry)))
    if _has_more(entry):
        return None
    left = {each.name: to_plain(each.value) for each in amounts.entries}
    claims = left.pop("claims")
    edits = (replace_value(resources, entry, left), insert_entry(resources, "claims", claims))
    return Fix("move to resources.claims", edits)


def _moved(manifest: Manifest, mapping: MappingNode, path: FieldPath, to: FieldPath) -> Fix | None:
    """The field at `path` as the last one of another mapping."""
    target, entry = _mapping_at(manifest, to[:-1]), mapping.entry(str(path[-1]))
    if target is None or entry is None or _has_more(entry):
        return None
    if target.get(str(to[-1])) is not None:
        return None
    after = None
    if (
        path[: len(to) - 1] == to[:-1]
    ):  # up: what holds the field may not be changed twice at its end
        around = target.entry(str(path[len(to) - 1]))
        before = [each for each in target.entries if each is not around]
        if around is target.entries[-1]:
            if not before:
                return None
            after = before[-1]
    edits = (
        insert_entry(target, str(to[-1]), to_plain(entry.value), after=after),
        *delete_entry(mapping, entry),
    )
    where = ".".join(str(step) for step in to if not isinstance(step, int))
    return Fix(f"move to {where}", edits)


def _steps(path: str) -> FieldPath:
    """The path of a field as upstream prints it, step by step."""
    parts = path.replace("[", ".").replace("]", "").split(".")
    return tuple(int(part) if part.isdigit() else part for part in parts)


def _has_more(entry: Entry) -> bool:
    """Whether comments, anchors or tags would be lost if the value were written anew elsewhere."""
    text = entry.key.lines.text[entry.value.start : entry.value.end]
    return entry.alias is not None or any(sign in text for sign in "#&*!")


def _hoisted(mapping: MappingNode, key: str) -> Fix | None:
    entry = mapping.entry(key)
    if entry is None or not isinstance(entry.value, MappingNode):
        return None
    if any(mapping.get(inner.name) is not None for inner in entry.value.entries):
        return None  # both levels set the same field: which one counts is not ours to say
    return Fix(f"move up what is under {key}", tuple(hoist(mapping, entry)))


def _renamed(mapping: MappingNode, old: str, new: str) -> Fix | None:
    entry = mapping.entry(old)
    excluded = next((group for group in _ONE_OF if new in group), (new,))
    if entry is None or any(mapping.get(each) is not None for each in excluded):
        return None
    if new in _LISTS and not isinstance(entry.value, SequenceNode):
        return None  # with the right name it would still be of the wrong type
    return Fix(f"rename to {new}", (rename_key(entry, new),), "unsafe")
