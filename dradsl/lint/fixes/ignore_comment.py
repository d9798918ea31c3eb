"""The comment that hides a finding, as an edit: the editor offers it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from dradsl.diagnostics import Edit, Finding, Span
from dradsl.lint.catalogue.rules import traits_of
from dradsl.text.nodes import MappingNode, ScalarNode, SequenceNode
from dradsl.tree.inputs.sources import SourceText

__all__ = ["ignore_comment"]


def ignore_comment(source: SourceText, finding: Finding) -> Edit | None:
    """The comment that hides a finding, above its line; None where no comment can stand.

    Inside a text of several lines `#` is text too: there it goes above the line on which the text begins, and applies
    to all of it. JSON has no comments.
    """
    if not source.stream.documents or _is_json(source.stream.text):
        return None
    begins = {
        line: scalar.span.line
        for scalar in _long_scalars(source)
        for line in range(scalar.span.line + 1, scalar.span.end_line + 1)
    }
    line = begins.get(finding.span.line, finding.span.line)
    if line in begins or not traits_of(finding.code).ignore:
        return None
    text = source.stream.lines.line(line)
    indent = text[: len(text) - len(text.lstrip(" "))]
    newline = "\r\n" if "\r\n" in source.stream.text else "\n"
    return Edit(Span.point(line, 1), f"{indent}# dradsl: ignore[{finding.code}]{newline}")


def _is_json(text: str) -> bool:
    """Whether a text is JSON, which has no comments; YAML in braces is not."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _long_scalars(source: SourceText) -> Iterable[ScalarNode]:
    pending = [document.root for document in source.stream.documents]
    while pending:
        node = pending.pop()
        if isinstance(node, MappingNode):
            pending += [entry.value for entry in node.entries if not entry.merged]
        elif isinstance(node, SequenceNode):
            pending += node.items
        elif isinstance(node, ScalarNode) and node.span.line != node.span.end_line:
            yield node
