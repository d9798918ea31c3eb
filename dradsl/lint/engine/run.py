"""A lint run from end to end: look at every release asked for, settle the findings, report."""

from __future__ import annotations

import os

from dradsl.lint.catalogue.rules import INTERNAL_ERROR
from dradsl.lint.engine.hiding import DISTORTING
from dradsl.lint.engine.settle import at_least, merge_releases
from dradsl.lint.engine.state import State
from dradsl.lint.engine.workload import Workload
from dradsl.lint.input.manifests import manifests_of
from dradsl.lint.input.sources import OUTSIDE, SourceText
from dradsl.lint.report.model import Report, Skipped, sort_key
from dradsl.lint.settings.config import Config
from dradsl.releases import newest_release, parse_releases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.input.manifests import Manifest
    from dradsl.releases import Release

__all__ = ["lint", "lint_text", "releases_of"]


def lint(
    work: Workload,
    config: Config,
    *,
    config_of: Callable[[str], Config] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Lint files that were read already.

    `config` holds for the run (releases, gates, inventory, driver versions); which rules hold for
    a file, `config_of` its name says, `config` where it is not given. `progress` is called with the
    number of objects done since its last call. A file for which dradsl itself fails is a finding
    (DRA099); the others are checked all the same.

    Raises:
        UnknownGateError: for a gate override that one of the releases does not take.
        ConfigError, SchemaError, UsageProblem: for what the configuration names and cannot be used.
    """
    try:
        return _lint(work, config, config_of, progress)
    except MemoryError:
        raise
    except Exception as error:
        if _is_answer(error):
            raise
        from dradsl.lint.engine.isolate import without_failing

        left = without_failing(work, lambda part: _lint(part, config, config_of), error)
        return _lint(left, config, config_of)


def _is_answer(error: Exception) -> bool:
    """Whether an error tells the caller what is wrong with the call, and none of dradsl's own."""
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
    work: Workload,
    config: Config,
    config_of: Callable[[str], Config] | None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    from dradsl.lint.engine.checks import check_release
    from dradsl.lint.engine.textual import text_findings

    state = _read(work)
    findings = [*work.failures]
    for source in work.sources:
        findings += text_findings(source)
    wanted = _wanted(work, config, config_of)
    per_release = [
        (release.name, check_release(release, state, config, wanted, progress))
        for release in releases_of(config)
    ]
    settled = merge_releases([(name, result.findings) for name, result in per_release])
    if not DISTORTING.isdisjoint({each.code for each in settled}):
        from dradsl.lint.engine.behind import behind_shapes

        def check(mended: State) -> list[Finding]:
            return merge_releases(
                [
                    (release.name, check_release(release, mended, config, wanted).findings)
                    for release in releases_of(config)
                ]
            )

        settled += behind_shapes(settled, state, check)
    findings += settled
    ran = frozenset().union(*(result.ran for _, result in per_release))
    notes = tuple(dict.fromkeys(note for _, result in per_release for note in result.notes))
    names = tuple(name for name, _ in per_release)
    return _report(findings, work, state, ran, notes, names, config_of or (lambda _name: config))


def _wanted(
    work: Workload, config: Config, config_of: Callable[[str], Config] | None
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


def _read(work: Workload) -> State:
    by_source = {source.name: tuple(manifests_of(source)) for source in work.sources}
    previous = work.previous
    return State(
        manifests=tuple(m for found in by_source.values() for m in found),
        context=tuple(m for source in work.context for m in manifests_of(source)),
        previous=None
        if previous is None
        else tuple(m for source in previous for m in manifests_of(source)),
        inventory=work.inventory,
        by_source=by_source,
        sources=work.sources,
    )


def releases_of(config: Config) -> tuple[Release, ...]:
    """The releases that a configuration asks for: the newest, if it names none."""
    if not config.kube_version:
        return (newest_release(),)
    return parse_releases(",".join(config.kube_version))


def _report(
    findings: Sequence[Finding],
    work: Workload,
    state: State,
    ran: frozenset[str],
    notes: tuple[str, ...],
    releases: tuple[str, ...],
    config_of: Callable[[str], Config],
) -> Report:
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.path, []).append(finding)
    kept: list[Finding] = [
        failure
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
            kept += _settle_file(source, found, state.by_source[source.name], ran, config_of)
    return Report(
        findings=tuple(sorted(kept, key=sort_key)),
        files=len({*(s.name for s in work.sources), *(f.path for f in work.failures)}),
        documents=sum(len(source.stream.documents) for source in work.sources),
        skipped=(
            *(
                Skipped(source.name, "Helm template: lint what `helm template` prints instead")
                for source in work.sources
                if source.stream.is_template
            ),
            *(Skipped(name, OUTSIDE) for name in work.outside),
        ),
        notes=notes,
        releases=releases,
        sources={source.name: source.stream.text for source in work.sources},
    )


def _settle_file(
    source: SourceText,
    findings: Sequence[Finding],
    manifests: Sequence[Manifest],
    ran: frozenset[str],
    config_of: Callable[[str], Config],
) -> list[Finding]:
    """Selection, ignores and severity of one file, in that order."""
    from dradsl.lint.catalogue.rules import RULES
    from dradsl.lint.engine.suppress import object_ignore, suppress
    from dradsl.lint.engine.textual import unused_ignore_finding
    from dradsl.text.ignores import find_ignores

    comments = find_ignores(source.stream)
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
    result = suppress(wanted, comments, objects, active)
    unused = [unused_ignore_finding(source, ignore) for ignore in result.unused]
    return at_least([*result.kept, *(f for f in unused if is_on(f.code, f.name))], config.severity)


def lint_text(text: str | bytes, name: str = "<text>", config: Config | None = None) -> Report:
    """Lint the YAML or JSON of one file: the library's way in for a single text."""
    from dradsl.text.documents import load

    stream = load(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    work = Workload((SourceText(name, stream),))
    return lint(work, config or Config(root=os.getcwd()))
