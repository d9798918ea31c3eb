"""Edits inside a string of a manifest: a range of the decoded text, written as its style needs."""

from __future__ import annotations

from dradsl.diagnostics import Edit, FieldPath
from dradsl.text.characters import is_known, span_in_scalar
from dradsl.text.edits import EditError, rename_key, replace_value
from dradsl.text.nodes import MappingNode, ScalarNode
from dradsl.text.paths import locate
from dradsl.tree.manifests.manifest import Manifest

__all__ = ["rename_or_replace", "replace_in_string"]


def replace_in_string(
    manifest: Manifest, path: FieldPath, start: int, end: int, text: str
) -> Edit | None:
    """Replace the code points from `start` to `end` of the string at `path` by `text`.

    None where the scalar's style cannot take the text without being written anew.
    """
    root = manifest.document.root
    if root is None or not path:
        return None
    whole = manifest.place_of(path)
    found = locate(root, whole)
    if not found.exact or found.shared or not isinstance(found.node, ScalarNode):
        return None
    if not is_known(found.node):
        return None  # the place is not known to the character
    style = found.node.style
    in_flow = not style and getattr(locate(root, whole[:-1]).node, "flow", False)
    written = _as_written(text, style, at_start=start == 0, in_flow=in_flow)
    return None if written is None else Edit(span_in_scalar(found.node, start, end), written)


def rename_or_replace(
    manifest: Manifest, path: FieldPath, text: str, *, at_key: bool
) -> Edit | None:
    """Give the field at `path` the key `text`, or the value; None where it is not written there."""
    root = manifest.document.root
    if root is None or not path:
        return None
    found = locate(root, manifest.place_of(path[:-1]))
    if not found.exact or found.shared or not isinstance(found.node, MappingNode):
        return None
    entry = found.node.entry(str(path[-1]))
    if entry is None or (at_key and found.node.get(text) is not None):
        return None
    try:
        return rename_key(entry, text) if at_key else replace_value(found.node, entry, text)
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
