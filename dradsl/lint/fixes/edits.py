"""Edits inside a string of a manifest: a range of the decoded text, written as its style needs."""

from __future__ import annotations

from dradsl.diagnostics import Edit, FieldPath
from dradsl.text.characters import is_known, span_in_scalar
from dradsl.text.edits import EditError, rename_key, replace_value
from dradsl.text.nodes import MappingNode, Node, ScalarNode
from dradsl.text.paths import locate
from dradsl.tree.manifests.manifest import Manifest

__all__ = ["WHOLE", "node_at", "rename_or_replace", "replace_in_string"]

WHOLE = "write the object in the shape of v1"  # the title of the fix that does


def node_at(manifest: Manifest, path: FieldPath) -> Node | None:
    """The node of a field that is written at its place; None for one that an alias or a merge shares with others."""
    root = manifest.document.root
    found = None if root is None else locate(root, manifest.place_of(path))
    return found.node if found is not None and found.exact and not found.shared else None


def replace_in_string(
    manifest: Manifest, path: FieldPath, start: int, end: int, text: str
) -> Edit | None:
    """Replace the code points from `start` to `end` of the string at `path` by `text`.

    None where the scalar's style cannot take the text without being written anew.
    """
    node = node_at(manifest, path) if path else None
    if not isinstance(node, ScalarNode) or not is_known(node):
        return None  # the place is not known to the character
    in_flow = not node.style and getattr(node_at(manifest, path[:-1]), "flow", False)
    written = _as_written(text, node.style, at_start=start == 0, in_flow=in_flow)
    return None if written is None else Edit(span_in_scalar(node, start, end), written)


def rename_or_replace(
    manifest: Manifest, path: FieldPath, text: str, *, at_key: bool
) -> Edit | None:
    """Give the field at `path` the key `text`, or the value; None where it is not written there."""
    mapping = node_at(manifest, path[:-1]) if path else None
    if not isinstance(mapping, MappingNode):
        return None
    entry = mapping.entry(str(path[-1]))
    if entry is None or (at_key and mapping.get(text) is not None):
        return None
    try:
        return rename_key(entry, text) if at_key else replace_value(mapping, entry, text)
    except EditError:
        return None


def _as_written(text: str, style: str, *, at_start: bool, in_flow: bool) -> str | None:
    if "\n" in text or not text.isprintable():
        return None
    if style == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if style == "'":
        return text.replace("'", "''")
    if style in ("|", ">"):
        return text
    # Plain: what would end the scalar or turn it into something else is left to a person.
    unsafe = ": " in text or " #" in text or text.endswith(":")
    unsafe = unsafe or (in_flow and any(sign in text for sign in ",?[]{}"))
    if at_start:
        unsafe = unsafe or text[:1] in "&*!|>%@`'\"{[]},?-#"
    return None if unsafe else text
