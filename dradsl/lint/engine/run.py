"""A lint run from end to end: look at every release asked for, settle the findings, report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from dradsl.diagnostics import Finding
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.engine.examine import ReleaseResult, check_release
from dradsl.lint.engine.settle import hide_others, merge_releases, report_of
from dradsl.lint.engine.state import RunInput, RunObjects, read_state
from dradsl.lint.engine.textual import may_be_repaired
from dradsl.lint.report.model import Report, sort_key
from dradsl.lint.settings.config import LintConfig
from dradsl.records import replace
from dradsl.releases import (
    Release,
    UnknownGateError,
    UnknownReleaseError,
    newest_release,
    parse_releases,
)
from dradsl.tree.inputs.sources import SourceText, UsageProblem
from dradsl.values.deadline import NO_DEADLINE, Deadline, TimeIsUp

__all__ = ["lint", "lint_text", "releases_of"]


def lint(
    work: RunInput,
    config: LintConfig,
    *,
    config_of: Callable[[str], LintConfig] | None = None,
    progress: Callable[[int], None] | None = None,
    each_file: bool = False,
    deadline: Deadline = NO_DEADLINE,
) -> Report:
    """Lint files that were read already.

    `config` holds for the run (releases, gates, inventory, driver versions); which rules hold for
    a file, `config_of` its name says, `config` where it is not given. `progress` is called with the
    number of objects done since its last call. A file for which dradsl itself fails is a finding
    (DRA099); the others are checked all the same. With `each_file` no file is looked into for
    another one, so that the report on it does not depend on which others there are. At `deadline`
    the run ends with what was found (`Report.unfinished`).

    Raises:
        UnknownGateError: for a gate override that one of the releases does not take.
        ConfigError, SchemaError, UsageProblem: for what the configuration names and cannot be used.
    """
    if each_file:
        return _each_file(work, config, config_of, progress, deadline)
    report = _report(work, config, config_of, progress, deadline)
    if not report.findings or not any(map(may_be_repaired, work.sources)):
        return report
    from dradsl.lint.engine.repaired import report_with_repairs

    # Progress was told already.
    again = partial(lint, config=config, config_of=config_of, deadline=deadline)
    return report_with_repairs(work, report, again) or report


def _report(
    work: RunInput,
    config: LintConfig,
    config_of: Callable[[str], LintConfig] | None,
    progress: Callable[[int], None] | None,
    deadline: Deadline,
) -> Report:
    """The report on the files as they are written."""
    try:
        report = _lint(work, config, config_of, progress, deadline)
        around = work.surroundings
        if not report.findings or around is None or not around.unseen:
            return report
        # What was found may be of a patch whose kustomization is elsewhere.
        complete = around.search_whole_trees()
        return (
            _lint(replace(work, surroundings=complete), config, config_of, deadline=deadline)
            if complete.files
            else report
        )
    except MemoryError:
        raise
    except Exception as error:
        if _is_answer(error):
            raise
        from dradsl.lint.engine.isolate import without_failing

        def check(part: RunInput) -> Report:
            return _lint(part, config, config_of, deadline=deadline)

        return check(without_failing(work, check, error))


def _each_file(
    work: RunInput,
    config: LintConfig,
    config_of: Callable[[str], LintConfig] | None,
    progress: Callable[[int], None] | None,
    deadline: Deadline,
) -> Report:
    """The reports on each file alone, as one; of files after `deadline` there is none."""
    reports = [_lint(replace(work, sources=()), config, config_of)]
    unread = work.unread
    for source in work.sources:
        if unread or deadline.is_over:
            unread += 1
            continue
        part = replace(work, sources=(source,), failures=(), skipped=(), notes=())
        reports.append(
            lint(part, config, config_of=config_of, progress=progress, deadline=deadline)
        )
    findings = [finding for report in reports for finding in report.findings]
    return replace(
        reports[0],
        findings=tuple(sorted(findings, key=sort_key)),
        files=sum(report.files for report in reports),
        documents=sum(report.documents for report in reports),
        objects=sum(report.objects for report in reports),
        skipped=tuple(each for report in reports for each in report.skipped),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        sources={name: text for report in reports for name, text in report.sources.items()},
        own={code: rule for report in reports for code, rule in report.own.items()},
        unfinished=_unfinished(replace(work, unread=unread), {}, (), deadline)
        or next((report.unfinished for report in reports if report.unfinished), ""),
    )


def _is_answer(error: Exception) -> bool:
    """Whether an error is about the call, and no internal one."""
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.text.files import FileError

    answers = (
        ConfigError, FileError, SchemaError, UnknownGateError, UnknownReleaseError, UsageProblem,
    )  # fmt: skip
    return isinstance(error, answers)


def _lint(
    work: RunInput,
    config: LintConfig,
    config_of: Callable[[str], LintConfig] | None,
    progress: Callable[[int], None] | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> Report:
    state = read_state(work, config)
    findings = [*work.failures, *_of_texts(work, state)]
    wanted = _wanted(work, config, config_of)
    of_file = config_of or (lambda _name: config)
    check = partial(
        check_release,
        config=config,
        wanted=wanted,
        progress=progress,
        deadline=deadline,
        complete=not work.unread,
        config_of=of_file,
    )
    results: dict[str, ReleaseResult] = {}
    releases = releases_of(config)
    for release in releases:
        if release is not releases[0] and deadline.is_over:
            break
        try:
            results[release.name] = check(release, state)
        except TimeIsUp:  # what was found without what qualifies it may be wrong
            break
    found = merge_releases([(name, result.findings) for name, result in results.items()])
    if not deadline.is_over and hide_others(found):
        from dradsl.lint.engine.after_shape_fixes import findings_after_shape_fixes, with_shown

        def check_fixed(fixed: RunObjects, wanted: frozenset[str]) -> list[Finding]:
            runs = [(release, results[release.name].run) for release in releases]
            checked = (
                (release.name, check_release(release, fixed, config, wanted, before=run).findings)
                for release, run in runs
            )
            return merge_releases([*checked])

        shown = findings_after_shape_fixes(found, state, check_fixed, wanted)
        found = [*with_shown(found, shown)]
    if any(source.stream.is_template for source in work.sources) and not deadline.is_over:
        from dradsl.lint.engine.certainty.templates import template_findings

        found += template_findings(
            work, found, lambda part: _lint(part, config, config_of, deadline=deadline).findings
        )
    unfinished = _unfinished(
        work, results, [r.name for r in releases if r.name not in results], deadline
    )
    ran = frozenset().union(*(result.ran for result in results.values()))
    report = report_of(
        [*findings, *found],
        work,
        state,
        frozenset() if unfinished else ran,
        _notes(state, results.values()),
        tuple(results),
        of_file,
    )
    rendered = max((result.rendered for result in results.values()), default=0)
    return replace(report, unfinished=unfinished, objects=report.objects + rendered)


def _of_texts(work: RunInput, state: RunObjects) -> Iterator[Finding]:
    """What is wrong with the files as texts."""
    from dradsl.lint.engine.textual import text_findings

    for source in work.sources:
        is_patch = state.unknowns is not None and state.unknowns.is_patch(source.name)
        yield from text_findings(source, state.embedded.get(source.name, ()), is_patch=is_patch)


def _notes(state: RunObjects, results: Iterable[ReleaseResult]) -> tuple[str, ...]:
    """What the releases note, and what was not known."""
    notes = dict.fromkeys(note for result in results for note in result.notes)
    unseen = None if state.unknowns is None else state.unknowns.note()
    return (*notes,) if unseen is None else (*notes, unseen)


def _unfinished(
    work: RunInput,
    results: Mapping[str, ReleaseResult],
    left_out: Sequence[str],
    deadline: Deadline,
) -> str:
    """What was not looked at because the time of the run was over; empty if everything was."""
    from dradsl.values.counted import plural

    parts = []
    if work.unread:
        parts.append(plural(work.unread, "file"))
    for name, checked in results.items():
        of = f" for Kubernetes {name}" if left_out or len(results) > 1 else ""
        if checked.unchecked_objects:
            parts.append(f"{plural(checked.unchecked_objects, 'object')}{of}")
        if checked.skipped_run_rules:
            parts.append(f"rules on several objects{of}")
    parts += [f"Kubernetes {name}" for name in left_out]
    return f"{deadline.words}; not looked at: {', '.join(parts)}" if parts else ""


def _wanted(
    work: RunInput, config: LintConfig, config_of: Callable[[str], LintConfig] | None
) -> frozenset[str]:
    """The codes that some file's configuration reports."""
    configs = [config]
    if config_of is not None:
        configs = [
            *{id(c): c for source in work.sources for c in (config_of(source.name),)}.values()
        ]
    if any(each.reports_all for each in configs):
        return frozenset(RULES)
    return frozenset(
        code for code, rule in RULES.items() if any(c.enabled(code, rule.name) for c in configs)
    )


def releases_of(config: LintConfig) -> tuple[Release, ...]:
    """The releases that a configuration asks for: the newest, if it names none."""
    if not config.kube_version:
        return (newest_release(),)
    return parse_releases(",".join(config.kube_version))


def lint_sources(sources: Iterable[SourceText], kube_version: Iterable[str] = ()) -> Report:
    """Lint files that were read, without any configuration."""
    config = LintConfig(root=os.getcwd(), kube_version=tuple(kube_version))
    return lint(RunInput(tuple(sources)), config)


def lint_text(text: str | bytes, name: str = "<text>", config: LintConfig | None = None) -> Report:
    """Lint the YAML or JSON of one file: the library's way in for a single text."""
    from dradsl.lint.input.reading import load_named

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    work = RunInput((SourceText(name, load_named(name, data, variables=True)),))
    return lint(work, config or LintConfig(root=os.getcwd()))
