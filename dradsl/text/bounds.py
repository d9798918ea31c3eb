"""Whether YAML text stays within limits: asked before a reader that has none of its own sees it."""

from __future__ import annotations

from dradsl.text.compose import TooDeepError, compose, may_hold_aliases
from dradsl.text.plain import expansion_complaint
from dradsl.text.pyyaml import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.text.compose import RawNode
    from dradsl.text.documents import Limits

__all__ = ["excess"]


def excess(text: str, limits: Limits) -> str | None:
    """What the first document of `text` has too much of, with its line; None if nothing, or no YAML."""
    if len(text) > limits.max_document:
        return f"has {len(text)} characters; the limit is {limits.max_document}"
    signs = text.count("\n") + text.count(":") + text.count(",")
    if signs > limits.max_separators:
        return f"has {signs} colons, commas and lines; the limit is {limits.max_separators}"
    try:
        root = compose(text, limits.max_depth)
        if root is not None:
            _expect_shallow(root, limits.max_depth)
    except TooDeepError as error:
        return _at(text, error.offset, f"nested more than {limits.max_depth} levels deep")
    except (yaml.YAMLError, UnicodeEncodeError):
        return None  # for the reader to say
    if root is None or not may_hold_aliases(text):
        return None
    complaint = expansion_complaint(root, limits.max_nodes)
    return None if complaint is None else _at(text, complaint.start, complaint.message)


def _expect_shallow(root: RawNode, max_depth: int) -> None:
    pending = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        if node.__class__ is yaml.MappingNode:
            children = [child for pair in node.value for child in pair]
        elif node.__class__ is yaml.SequenceNode:
            children = node.value
        else:
            continue
        if depth >= max_depth:
            raise TooDeepError(node.start_mark.index)
        pending += [(child, depth + 1) for child in children]


def _at(text: str, offset: int, message: str) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"line {line}: {message}"
