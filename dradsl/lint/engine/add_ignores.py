"""`--add-ignores`: an ignore comment above every line with findings, so that a run is clean."""

from __future__ import annotations

import json

from dradsl.diagnostics import Edit, Span
from dradsl.lint.catalogue.rules import INTERNAL_ERROR
from dradsl.text.files import FileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine.workload import Workload
    from dradsl.lint.input.sources import SourceText
    from dradsl.text.nodes import ScalarNode

__all__ = ["add_ignores"]


def add_ignores(
    work: Workload, findings: Sequence[Finding]
) -> tuple[int, list[Finding], list[FileError]]:
    """Write the comments into the files.

    Returns how many, the findings that no comment can hide, and why files could not be written.

    A comment goes above the line, with its indentation. Inside a text of several lines `#` is text
    too: there it goes above the line on which the text begins, and speaks for all of it. JSON has no
    comments.
    """
    from dradsl.text.edits import apply

    written = 0
    left: list[Finding] = []
    failures: list[FileError] = []
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.code != INTERNAL_ERROR:  # what no comment hides needs none
            by_file.setdefault(finding.path, []).append(finding)
    for source in work.sources:
        lines, unplaced = _lines(source, by_file.get(source.name, []))
        left += unplaced
        if lines:
            edits = [_comment(source, line, codes) for line, codes in sorted(lines.items())]
            try:
                source.rewrite(apply(source.stream.text, edits))
                written += len(edits)
            except FileError as error:
                failures.append(error)
    return written, left, failures


def _lines(
    source: SourceText, findings: Iterable[Finding]
) -> tuple[dict[int, set[str]], list[Finding]]:
    """Line -> the codes to ignore there; and the findings that have no line for a comment."""
    lines: dict[int, set[str]] = {}
    unplaced: list[Finding] = []
    if not source.stream.documents or _is_json(source.stream.text):
        return {}, list(findings)
    begins = {
        line: scalar.span.line for scalar in _long_scalars(source) for line in _inner_lines(scalar)
    }
    for finding in findings:
        line = begins.get(finding.span.line, finding.span.line)
        if line in begins:
            unplaced.append(finding)
        else:
            lines.setdefault(line, set()).add(finding.code)
    return lines, unplaced


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
    from dradsl.text.nodes import MappingNode, ScalarNode, SequenceNode

    pending = [document.root for document in source.stream.documents]
    while pending:
        node = pending.pop()
        if isinstance(node, MappingNode):
            pending += [entry.value for entry in node.entries if not entry.merged]
        elif isinstance(node, SequenceNode):
            pending += node.items
        elif isinstance(node, ScalarNode) and node.span.line != node.span.end_line:
            yield node


def _inner_lines(scalar: ScalarNode) -> range:
    """The lines of a scalar after its first: nothing can be written between them."""
    return range(scalar.span.line + 1, scalar.span.end_line + 1)


def _comment(source: SourceText, line: int, codes: set[str]) -> Edit:
    lines = source.stream.lines
    text = lines.line(line)
    indent = text[: len(text) - len(text.lstrip(" "))]
    newline = "\r\n" if "\r\n" in source.stream.text else "\n"
    comment = f"{indent}# dradsl: ignore[{', '.join(sorted(codes))}]{newline}"
    return Edit(Span.point(line, 1), comment)
