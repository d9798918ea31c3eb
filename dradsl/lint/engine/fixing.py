"""Applying fixes: non-overlapping edits a pass, lint again, until nothing more changes."""

from __future__ import annotations

import difflib

from dradsl.lint.engine.run import lint
from dradsl.lint.input.sources import SourceText
from dradsl.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine.run import Workload
    from dradsl.lint.report.model import Report
    from dradsl.lint.settings.config import Config

__all__ = ["Fixed", "fix_all", "print_diff", "write_fixed"]

# A fix can make another possible (a renamed field that then has a wrong value); ten rounds are
# more than any chain known, and stop two fixes that undo each other.
_PASSES = 10


@dataclass(frozen=True, slots=True)
class Fixed:
    """The outcome: what is left to report, the new texts by file name, how many fixes were made."""

    report: Report
    changed: dict[str, str]
    count: int


def fix_all(
    work: Workload,
    config: Config,
    config_of: Callable[[str], Config],
    *,
    unsafe: bool,
) -> Fixed:
    """Apply every safe fix (with `unsafe` all fixes) to the texts; writes nothing."""
    from dradsl.text.documents import load

    changed: dict[str, str] = {}
    count = 0
    for _ in range(_PASSES):
        report = lint(work, config, config_of=config_of)
        texts = _one_pass(work, report, unsafe)
        if not texts:
            return Fixed(report, changed, count)
        count += sum(done for _, done in texts.values())
        changed |= {name: text for name, (text, _) in texts.items()}
        sources = tuple(
            SourceText(s.name, load(texts[s.name][0].encode())) if s.name in texts else s
            for s in work.sources
        )
        work = replace(work, sources=sources)
    return Fixed(lint(work, config, config_of=config_of), changed, count)


def _one_pass(work: Workload, report: Report, unsafe: bool) -> dict[str, tuple[str, int]]:
    """File name -> its text with this pass's fixes, and how many they are."""
    from dradsl.text.edits import apply, compatible

    result: dict[str, tuple[str, int]] = {}
    for source in work.sources:
        wanted = [f.fix for f in report.findings if f.path == source.name and _wanted(f, unsafe)]
        fixes = compatible(source.stream.text, [fix for fix in wanted if fix is not None])
        if fixes:
            text = apply(source.stream.text, [edit for fix in fixes for edit in fix.edits])
            if text != source.stream.text:
                result[source.name] = (text, len(fixes))
    return result


def _wanted(finding: Finding, unsafe: bool) -> bool:
    return finding.fix is not None and (unsafe or finding.fix.applicability == "safe")


def write_fixed(fixed: Fixed, work: Workload) -> None:
    """Write the changed texts, each file whole or not at all, in the encoding that it had.

    Raises:
        FileError: if a file cannot be written; those before it are.
    """
    from dradsl.text.files import write_bytes

    for source in work.sources:
        text = fixed.changed.get(source.name)
        if text is not None:
            write_bytes(source.name, source.stream.encode(text))


def print_diff(before: Workload, fixed: Fixed, out: TextIO) -> None:
    """The changes as a unified diff, one file after the other."""
    for source in before.sources:
        new = fixed.changed.get(source.name)
        if new is None:
            continue
        out.writelines(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(
                source.stream.text.splitlines(keepends=True),
                new.splitlines(keepends=True),
                source.name,
                source.name,
            )
        )
