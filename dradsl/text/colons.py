"""Colons in plain scalars within `[]` and `{}`: `[2001:db8::]` is what kubectl's reader takes it for.

go.yaml.in/yaml/v2 ends a plain scalar only at a colon before white space (yaml_parser_scan_plain_scalar). libyaml
0.2.5 rejects a colon before `,?[]{}` there, and PyYAML's own scanner ends the scalar. Such colons are replaced by a
character that no manifest holds, so that all places stay, and put back into the nodes.
"""

from __future__ import annotations

from dradsl.text.pyyaml import HAS_LIBYAML, yaml
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["compose_with_colons", "is_rejected_colon", "may_hold_colons"]

_MASK = "\uf8d0"
_IN_SCALAR = pattern(r"(?<=[\w:./-]):(?=[,?\[\]{}])")
_ONE_BY_ONE = 20  # then all colons that look like these are replaced at once


def is_rejected_colon(error: yaml.YAMLError, text: str) -> bool:
    """Say if libyaml stopped at a colon that kubectl's reader may take for a part of a scalar."""
    return getattr(error, "problem", None) == "found unexpected ':'" and _MASK not in text


def compose_with_colons(text: str, error: Any, compose: Callable[[str], Any]) -> Any:
    """Compose a document with the rejected colons as parts of their scalars.

    `error` is what libyaml said of `text`; None for PyYAML's own scanner, which says nothing.

    Raises:
        yaml.YAMLError: for what kubectl's reader rejects as well.
    """
    masked = _IN_SCALAR.sub(_MASK, text) if error is None else _masked(text, error)
    for attempt in range(2 * _ONE_BY_ONE):
        try:
            root = compose(masked)
        except yaml.scanner.ScannerError as next_error:
            if next_error.problem != "found unexpected ':'":
                raise
            masked = _masked(masked, next_error)
            if attempt == _ONE_BY_ONE:
                masked = _IN_SCALAR.sub(_MASK, masked)
        else:
            _unmask(root)
            return root
    return compose(masked)


def may_hold_colons(text: str) -> bool:
    """Say if PyYAML's own scanner may end a scalar at a colon that belongs to it."""
    return not HAS_LIBYAML and _MASK not in text and _IN_SCALAR.search(text) is not None


def _masked(text: str, error: Any) -> str:
    offset = error.problem_mark.index
    return f"{text[:offset]}{_MASK}{text[offset + 1 :]}"


def _unmask(root: Any) -> None:
    pending = [root] if root is not None else []
    seen = set()
    while pending:
        node = pending.pop()
        if node.__class__ is yaml.ScalarNode:
            if _MASK in node.value:
                node.value = node.value.replace(_MASK, ":")
        elif node.__class__ is yaml.MappingNode:
            pending += [child for pair in node.value for child in pair]
        elif node.__class__ is yaml.SequenceNode:
            pending += node.value
        elif node.target not in seen:
            seen.add(node.target)
            pending.append(node.target)
