"""`--add-ignores`: an ignore comment above every line with findings, so that a run is clean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine import Workload

__all__ = ["add_ignores"]


def add_ignores(work: Workload, findings: Iterable[Finding]) -> tuple[int, list[Finding]]:
    """Write the comments into the files; returns how many, and the findings no comment can hide.

    A finding inside a block scalar gets its comment above the field that holds the scalar, since
    a `#` inside is part of the text.

    Raises:
        FileProblem: if a file cannot be written; those before it are.
    """
    from dradsl.text.files import rewrite
    from dradsl.text.ignores import with_ignore_comments

    by_file: dict[str, dict[int, set[str]]] = {}
    for finding in findings:
        by_file.setdefault(finding.path, {}).setdefault(finding.span.line, set()).add(finding.code)
    written, left = 0, []
    for source in work.sources:
        wanted = by_file.get(source.name)
        if wanted is None:
            continue
        text, unplaced = with_ignore_comments(source.stream, wanted)
        if text != source.stream.text:
            rewrite(Path(source.name), text)
        written += len(wanted) - len(unplaced)
        left += [f for f in findings if f.path == source.name and f.span.line in unplaced]
    return written, left
