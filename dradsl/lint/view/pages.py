"""The parts of a Markdown page: each fenced block is an example of its own, which says nothing of the others."""

from __future__ import annotations

import re
from bisect import bisect_left

from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.patterns import pattern

__all__ = ["are_apart", "part_of"]

_FENCE = pattern(r"^[ >\t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ ]+)*(?:`{3,}|~{3,})", re.MULTILINE)


def part_of(run: Run, manifest: Manifest) -> tuple[str, int]:
    """What an object is shown with: its file, of a page its fenced block."""
    source = manifest.source
    if not source.is_markdown:
        return manifest.path, 0
    document = manifest.document if manifest.within is None else manifest.within.document
    starts = run.remember(
        ("fences", manifest.path), lambda: [m.start() for m in _FENCE.finditer(source.stream.text)]
    )
    return manifest.path, bisect_left(starts, document.start)


def are_apart(run: Run, one: Manifest, other: Manifest) -> bool:
    """Whether one of two objects is an example on a page that does not show the other."""
    if not (one.source.is_markdown or other.source.is_markdown):
        return False
    return part_of(run, one) != part_of(run, other)
