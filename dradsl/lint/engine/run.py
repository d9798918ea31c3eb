"""A lint run from end to end: look at every release asked for, settle the findings, report."""

from __future__ import annotations

import os

from dradsl.lint.catalogue.rules import INTERNAL_ERROR
from dradsl.lint.engine.settle import at_least, merge_releases
from dradsl.lint.engine.state import read_state
from dradsl.lint.engine.sure.consequences import HIDING
from dradsl.lint.engine.workload import RunInput
from dradsl.lint.input.sources import OUTSIDE, SourceText
from dradsl.lint.report.model import Report, Skipped, sort_key
from dradsl.lint.settings.config import LintConfig
from dradsl.records import replace
from dradsl.releases import newest_release, parse_releases
from dradsl.text.documents import unusual
from dradsl.values.deadline import NO_DEADLINE, TimeIsUp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.custom.model import CustomRule
    from dradsl.lint.engine.checks import ReleaseResult
    from dradsl.lint.engine.state import RunObjects
    from dradsl.releases import Release
    from dradsl.values.deadline import Deadline

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
    try:
        report = _lint(work, config, config_of, progress, deadline)
        around = work.surroundings
        if not report.findings or around is None or not around.unseen:
            return report
        # What was found may be of a patch whose kustomization stands elsewhere.
        complete = around.complete
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
        part = replace(work, sources=(source,), failures=(), outside=(), skipped=(), notes=())
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
        unfinished=_unfinished(replace(work, unread=unread), (), (), deadline)
        or next((report.unfinished for report in reports if report.unfinished), ""),
    )


def _is_answer(error: Exception) -> bool:
    """Whether an error is about the call, and no internal one."""
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.lint.input.sources import UsageProblem
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.releases import UnknownGateError, UnknownReleaseError
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
    from dradsl.lint.engine.checks import check_release
    from dradsl.lint.engine.textual import text_findings

    state = read_state(work, config)
    findings = [*work.failures]
    for source in work.sources:
        is_patch = state.unknowns is not None and state.unknowns.is_patch(source.name)
        embedded = state.embedded.get(source.name, ())
        findings += text_findings(source, embedded, is_patch=is_patch)
    wanted = _wanted(work, config, config_of)
    per_release: list[tuple[str, ReleaseResult]] = []
    left_out: list[str] = []
    for release in releases_of(config):
        if (per_release or left_out) and deadline.is_over:
            left_out.append(release.name)
            continue
        try:
            checked = check_release(
                release,
                state,
                config,
                wanted,
                progress,
                deadline,
                complete=not work.unread,
                config_of=config_of or (lambda _name: config),
            )
        except TimeIsUp:  # what was found without what qualifies it may be wrong
            left_out.append(release.name)
            continue
        per_release.append((release.name, checked))
    settled = merge_releases([(name, result.findings) for name, result in per_release])
    if not deadline.is_over and not HIDING.isdisjoint({each.code for each in settled}):
        from dradsl.lint.engine.after_shape_fixes import findings_after_shape_fixes

        before = dict(per_release)

        def check(mended: RunObjects) -> list[Finding]:
            return merge_releases(
                [
                    (
                        release.name,
                        check_release(
                            release, mended, config, wanted, before=before[release.name].run
                        ).findings,
                    )
                    for release in releases_of(config)
                ]
            )

        settled += findings_after_shape_fixes(settled, state, check)
    findings += settled
    ran = frozenset().union(*(result.ran for _, result in per_release))
    unfinished = _unfinished(work, per_release, left_out, deadline)
    if unfinished:
        ran = frozenset()
    notes = tuple(dict.fromkeys(note for _, result in per_release for note in result.notes))
    unseen = None if state.unknowns is None else state.unknowns.note()
    if unseen is not None:
        notes = (*notes, unseen)
    names = tuple(name for name, _ in per_release)
    report = _report(findings, work, state, ran, notes, names, config_of or (lambda _name: config))
    rendered = max(result.rendered for _, result in per_release) if per_release else 0
    return replace(report, unfinished=unfinished, objects=report.objects + rendered)


def _unfinished(
    work: RunInput,
    per_release: Sequence[tuple[str, ReleaseResult]],
    left_out: Sequence[str],
    deadline: Deadline,
) -> str:
    """What was not looked at because the time of the run was over; empty if everything was."""
    from dradsl.values.counted import plural

    parts = []
    if work.unread:
        parts.append(plural(work.unread, "file"))
    for name, checked in per_release:
        of = f" for Kubernetes {name}" if left_out or len(per_release) > 1 else ""
        if checked.objects:
            parts.append(f"{plural(checked.objects, 'object')}{of}")
        if checked.rules:
            parts.append(f"rules on several objects{of}")
    parts += [f"Kubernetes {name}" for name in left_out]
    return f"{deadline.words}; not looked at: {', '.join(parts)}" if parts else ""


def _wanted(
    work: RunInput, config: LintConfig, config_of: Callable[[str], LintConfig] | None
) -> frozenset[str]:
    """The codes that some file's configuration reports."""
    from dradsl.lint.catalogue.rules import RULES

    configs = [config]
    if config_of is not None:
        configs = [
            *{id(c): c for source in work.sources for c in (config_of(source.name),)}.values()
        ]
    return frozenset(
        code for code, rule in RULES.items() if any(c.enabled(code, rule.name) for c in configs)
    )


def releases_of(config: LintConfig) -> tuple[Release, ...]:
    """The releases that a configuration asks for: the newest, if it names none."""
    if not config.kube_version:
        return (newest_release(),)
    return parse_releases(",".join(config.kube_version))


def _report(
    findings: Sequence[Finding],
    work: RunInput,
    state: RunObjects,
    ran: frozenset[str],
    notes: tuple[str, ...],
    releases: tuple[str, ...],
    config_of: Callable[[str], LintConfig],
) -> Report:
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.path, []).append(finding)
    kept: list[Finding] = [
        failure
        if failure.code == INTERNAL_ERROR
        else replace(failure, severity=config_of(failure.path).severity_of(failure))
        for failure in work.failures
        if failure.code == INTERNAL_ERROR
        or (
            failure.path not in state.by_source
            and config_of(failure.path).enabled(failure.code, failure.name)
        )
    ]
    for source in work.sources:
        found = by_file.get(source.name, ())
        if found or "dradsl" in source.stream.text:  # as every ignore has it
            kept += _settle_file(source, found, state, ran, config_of)
    gaps = _with_gaps(work.sources)
    unjudged = tuple(_unjudged(gaps, {finding.path for finding in kept}))
    names = {each.path for each in unjudged}
    judged = [source for source in work.sources if source.name not in names]
    return Report(
        findings=tuple(sorted(kept, key=sort_key)),
        files=len({*(s.name for s in judged), *(f.path for f in work.failures)}),
        documents=sum(len(source.stream.documents) for source in judged),
        objects=_objects(judged, state),
        skipped=(
            *unjudged,
            *(Skipped(each.name, each.reason, each.named) for each in work.skipped),
            *(Skipped(name, OUTSIDE) for name in work.outside),
        ),
        notes=(
            *notes,
            *work.notes,
            *_in_part([source for source in gaps if source.name not in names]),
        ),
        releases=releases,
        sources={source.name: source.stream.text for source in work.sources},
        own=_own_rules(kept, config_of),
    )


def _own_rules(
    findings: Sequence[Finding], config_of: Callable[[str], LintConfig]
) -> Mapping[str, CustomRule]:
    """The rules of the team that found something."""
    own: dict[str, CustomRule] = {}
    for finding in findings:
        if not finding.code.startswith("DRA") and finding.code not in own:
            rules = config_of(finding.path).own
            own |= {rule.code: rule for rule in rules if rule.code == finding.code}
    return own


def _with_gaps(sources: Sequence[SourceText]) -> Sequence[SourceText]:
    """The files that hold nothing to judge, or a document that could not be read."""
    return [
        source
        for source in sources
        if source.values_only
        or not source.stream.documents
        or any(document.data is None for document in unusual(source.stream.documents))
    ]


def _unjudged(sources: Sequence[SourceText], found_in: Collection[str]) -> Iterator[Skipped]:
    """The files that were read and hold nothing to judge."""
    for source in sources:
        broken = all(document.data is None for document in source.stream.documents)
        if source.name in found_in or not (source.values_only or broken):
            continue
        from dradsl.lint.input.choice import NOT_KUBERNETES, TEMPLATE

        if source.values_only:
            yield Skipped(source.name, NOT_KUBERNETES, named=False)
        elif source.is_template:
            yield Skipped(source.name, TEMPLATE)


def _objects(sources: Sequence[SourceText], state: RunObjects) -> int:
    """How many objects were looked at; values of a chart count as one."""
    total = 0
    for source in sources:
        total += len(state.by_source[source.name])
        if not state.by_source[source.name]:
            from dradsl.lint.input.choice import may_hold_values

            is_mapping = any(isinstance(d.data, dict) for d in source.stream.documents)
            total += is_mapping and may_hold_values(source.stream.text)
    return total


def _in_part(sources: Sequence[SourceText]) -> Iterator[str]:
    """A note on files of which some documents are templates, and the others were checked."""
    from dradsl.lint.engine.textual import is_template

    names: list[str] = []
    count = 0
    for source in sources:
        documents = unusual(source.stream.documents)
        broken = sum(d.data is None and is_template(source, d) for d in documents)
        if broken:
            count += broken
            names.append(source.name)
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        are = "1 document is a template" if count == 1 else f"{count} documents are templates"
        yield f"{are}, not judged: {names[0]}{more}"


def _settle_file(
    source: SourceText,
    findings: Sequence[Finding],
    state: RunObjects,
    ran: frozenset[str],
    config_of: Callable[[str], LintConfig],
) -> list[Finding]:
    """Selection, ignores and severity of one file, in that order."""
    from dradsl.lint.catalogue.rules import RULES
    from dradsl.lint.engine.suppress import ANNOTATION, object_ignore, suppress
    from dradsl.lint.engine.textual import unused_ignore_finding
    from dradsl.text.ignores import find_ignores

    comments = find_ignores(source.stream, _embedded_parts(source, state))
    manifests = state.by_source[source.name]
    objects = []
    if state.may_say(ANNOTATION):
        objects = [ignore for m in manifests if (ignore := object_ignore(m)) is not None]
    if not (findings or comments or objects):
        return []
    config = config_of(source.name)

    def is_on(code: str, name: str) -> bool:
        return config.enabled(code, name) and not config.ignored_in(source.name, code, name)

    wanted = [f for f in findings if is_on(f.code, f.name)]
    active: dict[str, str] = {}
    if comments or objects:  # few files ignore anything, and all rules are many
        active = {c: r.name for c, r in RULES.items() if c in ran and is_on(c, r.name)}
        if ran:
            active |= {r.code: r.name for r in config.own if is_on(r.code, r.name)}
    unread = _unread(source) if comments or objects else ()
    result = suppress(wanted, comments, objects, active, config.own, unread)
    unused = [unused_ignore_finding(source, ignore) for ignore in result.unused]
    left = [*result.kept, *(f for f in unused if is_on(f.code, f.name))]
    if config.severities or config.preset != "default":
        left = [replace(f, severity=config.severity_of(f)) for f in left]
    return at_least(left, config.severity)


def _unread(source: SourceText) -> tuple[tuple[int, int], ...]:
    """The first and last lines of what could not be judged: broken documents and templates."""
    stream = source.stream
    if any(problem.fatal for problem in stream.problems):
        return ((1, len(stream.lines)),)
    return tuple(
        (stream.lines.position(each.start)[0], stream.lines.position(each.end)[0])
        for each in unusual(stream.documents)
        if any(problem.fatal for problem in each.problems)
    )


def _embedded_parts(source: SourceText, state: RunObjects) -> Sequence[tuple[int, int]]:
    """Where documents within ConfigMaps stand in the file, as they are."""
    documents = [each.document for each in state.embedded.get(source.name, ())]
    return [(each.start, each.end) for each in documents if each.lines.editable]


def lint_text(text: str | bytes, name: str = "<text>", config: LintConfig | None = None) -> Report:
    """Lint the YAML or JSON of one file: the library's way in for a single text."""
    from dradsl.lint.input.reading import load_named

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    work = RunInput((SourceText(name, load_named(name, data, variables=True)),))
    return lint(work, config or LintConfig(root=os.getcwd()))
