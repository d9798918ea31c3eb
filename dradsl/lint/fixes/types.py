"""Fixes of scalars whose type is one of writing: text that YAML takes for something else, or the reverse."""

from __future__ import annotations

from dradsl.diagnostics import Edit, FieldPath, Fix
from dradsl.kube.errors import Wanted
from dradsl.lint.fixes.edits import node_at
from dradsl.text.edits import replace_node
from dradsl.text.nodes import MappingNode, ScalarNode
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.patterns import pattern
from dradsl.values.quantity import exact_amount

__all__ = ["type_fix"]

_WHOLE = pattern(r"-?(?:0|[1-9][0-9]{0,17})")
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_BOOLEANS = {"true": True, "false": False}


def type_fix(manifest: Manifest, wanted: Wanted, path: FieldPath) -> Fix | None:
    """The edit that gives a scalar the type `wanted`.

    Safe, as the API server rejects the object as it is, and there is one way to read what was
    meant: the value is the same to a reader, only the quotes change.
    """
    node = _scalar_at(manifest, path)
    if node is None and wanted == "text" and path[-2:-1] == ("requests",):
        return _name_alone(manifest, path)
    if node is None or node.tag is not None:
        return None
    if (
        wanted == "mapping"
        and path[-3:-1] == ("resources", "claims")
        and isinstance(node.value, str)
    ):
        edit = replace_node(node, node.value)  # the entry is its name
        edit = Edit(edit.span, f"{{name: {edit.new_text}}}")
        return Fix(f"write {edit.new_text}", (edit,))
    if wanted == "mapping" and path[-2:-1] in (("attributes",), ("capacity",)):
        if "requests" in path:  # the amounts of a claim, by the names of capacities
            return None
        return _as_value(node, str(path[-2]))
    if wanted == "list" and path[-1] == "requests" and path[-3] in ("constraints", "config"):
        edit = replace_node(node, node.text.replace(",", " ").split())
        return Fix(f"write requests: {edit.new_text}", (edit,))
    value = _meant(node, wanted)
    if value is None:
        return None
    edit = replace_node(node, value)
    return Fix(f"write {edit.new_text}", (edit,))


def _name_alone(manifest: Manifest, path: FieldPath) -> Fix | None:
    """The name of a request in place of a mapping that has nothing else."""
    node = node_at(manifest, path)
    entry = node.entry("name") if isinstance(node, MappingNode) else None
    if not isinstance(node, MappingNode) or entry is None or len(node.entries) != 1:
        return None
    edit = replace_node(node, getattr(entry.value, "value", None))
    return Fix(f"write {edit.new_text}", (edit,))


def _as_value(node: ScalarNode, field: str) -> Fix | None:
    """A device's attribute or capacity whose value is where its type or `value` belongs.

    Unsafe where a text may be meant as a version.
    """
    value = node.value
    if isinstance(value, bool):
        key = "bool"
    elif isinstance(value, int):
        key = "int"
    elif isinstance(value, str):
        key = "string"
    else:
        return None
    if field == "capacity":
        if key == "bool" or exact_amount(node.text) is None:
            return None
        key = "value"
    edit = replace_node(node, node.text if key == "value" else value)
    edit = Edit(edit.span, f"{{{key}: {edit.new_text}}}")
    is_sure = key != "string" or not node.text[:1].isdigit()
    return Fix(f"write {edit.new_text}", (edit,), "safe" if is_sure else "unsafe")


def _scalar_at(manifest: Manifest, path: FieldPath) -> ScalarNode | None:
    node = node_at(manifest, path)
    if not isinstance(node, ScalarNode):
        return None
    # An anchor would be lost, and what refers to it with it.
    return None if node.lines.text.startswith("&", node.start) else node


def _meant(node: ScalarNode, wanted: Wanted) -> str | int | bool | None:
    if wanted == "text":
        # Nothing is no text: a missing value is left to its author.
        return node.text if isinstance(node.value, bool | int | float) else None
    if not isinstance(node.value, str):
        return None
    if wanted == "integer" and _WHOLE.fullmatch(node.text):
        return int(node.text)
    if wanted == "integer" and node.text.lower() in _NUMBERS:
        return _NUMBERS.index(node.text.lower())
    return _BOOLEANS.get(node.text) if wanted == "boolean" else None
