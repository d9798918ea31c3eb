"""The list of `--show-files`: which files a run reads, which it leaves out, and why."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.engine.certainty.templates import has_plain_parts
from dradsl.lint.engine.textual import is_none_of_ours
from dradsl.lint.engine.workload import RunInput
from dradsl.lint.report.terminal import printable
from dradsl.tree.inputs.choice import BROKEN, NOT_KUBERNETES, PLAIN_PARTS, TEMPLATE
from dradsl.tree.inputs.sources import SourceText

__all__ = ["render_files"]


def render_files(work: RunInput, *, as_json: bool) -> Iterator[str]:
    """Give a line for each file or folder, by name; folders that are not entered end in a slash."""
    rows = sorted(_rows(work), key=lambda row: row[0])
    if as_json:
        import json

        files = [{"path": name, "read": reason is None, "reason": reason} for name, reason in rows]
        yield json.dumps({"version": 1, "files": files}, indent=2) + "\n"
        return
    for name, reason in rows:
        yield f"{printable(name)}: {'read' if reason is None else f'left out, {reason}'}\n"


def _rows(work: RunInput) -> Iterator[tuple[str, str | None]]:
    for source in work.sources:
        yield source.name, _why_not(source)
    for each in (*work.skipped, *work.left_out):
        yield each.name, each.reason
    for failure in work.failures:
        yield failure.path, failure.message


def _why_not(source: SourceText) -> str | None:
    """Why a file that was opened is not judged, as far as that shows before anything is checked."""
    if source.values_only:
        return f"{NOT_KUBERNETES}, perhaps values of a chart: only looked at as such"
    if is_none_of_ours(source):
        return BROKEN
    broken = all(document.data is None for document in source.stream.documents)
    if not (source.is_template and broken):
        return None
    return PLAIN_PARTS if has_plain_parts(source) else TEMPLATE
