"""Applying fixes: non-overlapping edits a pass, lint again, until nothing more changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from dradsl.diagnostics import Finding, Fix
from dradsl.lint.engine.run import lint
from dradsl.lint.engine.state import RunInput
from dradsl.lint.input.reading import internal_error
from dradsl.lint.report.model import Report, sort_key
from dradsl.lint.settings.config import LintConfig
from dradsl.records import Record, replace
from dradsl.text.files import FileError
from dradsl.values.deadline import NO_DEADLINE, Deadline
from dradsl.values.limits import ROUNDS_OF_FIXES
from dradsl.values.printable import diff_name

__all__ = ["Fixed", "fix_all", "diff_of", "write_fixed"]


class Fixed(Record):
    """The outcome: what is left to report, and by file name the new texts and how many fixes it got."""

    report: Report
    changed: dict[str, str]
    counts: dict[str, int]


def fix_all(
    work: RunInput,
    config: LintConfig,
    config_of: Callable[[str], LintConfig],
    *,
    unsafe: bool,
    each_file: bool = False,
    deadline: Deadline = NO_DEADLINE,
) -> Fixed:
    """Apply every safe fix (with `unsafe` all fixes) to the texts; writes nothing.

    What a pass finds that `deadline` broke off is reported, and not fixed.

    `each_file` is as for `lint`.
    """
    changed: dict[str, str] = {}
    counts: dict[str, int] = {}
    broken: dict[str, Finding] = {}
    for _ in range(ROUNDS_OF_FIXES):
        report = lint(work, config, config_of=config_of, each_file=each_file, deadline=deadline)
        texts = {} if report.unfinished else _one_pass(work, report, unsafe, broken)
        if not texts:
            return Fixed(_with(report, broken), changed, counts)
        for name, (_, done) in texts.items():
            counts[name] = counts.get(name, 0) + done
        changed |= {name: text for name, (text, _) in texts.items()}
        sources = tuple(
            replace(s, stream=s.stream.reread(texts[s.name][0])) if s.name in texts else s
            for s in work.sources
        )
        work = replace(work, sources=sources)
    report = lint(work, config, config_of=config_of, each_file=each_file, deadline=deadline)
    return Fixed(_with(report, broken), changed, counts)


def _with(report: Report, broken: dict[str, Finding]) -> Report:
    """The report with what went wrong in fixing."""
    if not broken:
        return report
    findings = sorted((*report.findings, *broken.values()), key=sort_key)
    return replace(report, findings=tuple(findings))


def _one_pass(
    work: RunInput, report: Report, unsafe: bool, broken: dict[str, Finding]
) -> dict[str, tuple[str, int]]:
    """File name -> its text with this pass's fixes, and how many they are.

    A file for which that fails is left as it is, and gets a finding in `broken`.
    """
    from dradsl.text.edits import apply, compatible

    result: dict[str, tuple[str, int]] = {}
    wanted: dict[str, list[Fix]] = {}
    for finding in report.findings:
        if finding.fix is not None and (unsafe or finding.fix.applicability == "safe"):
            wanted.setdefault(finding.path, []).append(finding.fix)
    for source in work.sources:
        if source.name in broken or source.name not in wanted:
            continue
        try:
            fixes = compatible(source.stream.text, wanted[source.name])
            text = apply(source.stream.text, [edit for fix in fixes for edit in fix.edits])
            source.stream.encode(text)
        except Exception as error:
            if os.environ.get("DRADSL_DEBUG"):
                raise
            broken[source.name] = internal_error(source.name, error)
            continue
        if text != source.stream.text:
            result[source.name] = (text, len(fixes))
    return result


def write_fixed(fixed: Fixed, work: RunInput) -> list[FileError]:
    """Write the changed texts, each file whole or not at all; why some of them could not be."""
    failures = []
    for source in work.sources:
        text = fixed.changed.get(source.name)
        if text is not None:
            try:
                source.rewrite(text)
            except FileError as error:
                failures.append(error)
    return failures


def diff_of(before: RunInput, fixed: Fixed) -> Iterator[str]:
    """The changes as a unified diff, one file after the other."""
    from dradsl.text.diff import unified_diff

    for source in before.sources:
        new = fixed.changed.get(source.name)
        if new is not None:
            shown = diff_name(source.name)
            yield from unified_diff(source.stream.text, new, shown, shown)
