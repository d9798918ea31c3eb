"""A lint run from end to end: read, look at every release asked for, settle, report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.diagnostics import Finding, Severity
from dradsl.lint.manifests import Manifest, manifests_of
from dradsl.lint.report.model import Report, Skipped, sort_key
from dradsl.lint.settle import Selection, at_least, merge_releases
from dradsl.lint.sources import SourceText
from dradsl.releases import Release, newest_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from dradsl.text.documents import Stream

__all__ = ["LintOptions", "lint", "lint_text"]


@dataclass(frozen=True, slots=True)
class LintOptions:
    """What a run is asked for; the command line and the configuration both end up here."""

    releases: tuple[Release, ...] = field(default_factory=lambda: (newest_release(),))
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Severity = Severity.INFO
    driver_versions: Mapping[str, str] = field(default_factory=dict)
    driver_schemas: tuple[Path, ...] = ()
    inventory: tuple[Path, ...] = ()
    previous: tuple[SourceText, ...] | None = None  # the state before, for update rules


def lint(
    sources: Iterable[SourceText],
    options: LintOptions | None = None,
    *,
    problems: Sequence[Finding] = (),
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Lint files that were read already (see `lint_text` for a text).

    `problems` are findings made on the way (a file that cannot be read); they join the report.
    """
    options = options or LintOptions()
    read = tuple(sources)
    reported = tuple(source for source in read if not source.context)
    from dradsl.lint.checks import check_release
    from dradsl.lint.textual import text_findings

    manifests = {source: tuple(manifests_of(source)) for source in read}
    findings = [*problems]
    for source in reported:
        findings += text_findings(source)
    findings += merge_releases(
        [
            (release.name, check_release(release, manifests, options, progress))
            for release in options.releases
        ]
    )
    selection = Selection(options.select, options.ignore, options.extend_select)
    return _report(findings, reported, manifests, selection, options)


def _report(
    findings: list[Finding],
    reported: tuple[SourceText, ...],
    manifests: Mapping[SourceText, tuple[Manifest, ...]],
    selection: Selection,
    options: LintOptions,
) -> Report:
    from dradsl.lint.catalogue import RULES
    from dradsl.lint.suppression import suppress

    wanted = [f for f in findings if selection.wants(RULES[f.code])]
    kept = suppress(wanted, reported, manifests, selection, options.per_file_ignores)
    return Report(
        findings=tuple(sorted(at_least(kept, options.severity), key=sort_key)),
        files=len(reported),
        documents=sum(len(source.stream.documents) for source in reported),
        skipped=tuple(
            Skipped(source.name, "holds Helm template actions: lint what `helm template` prints")
            for source in reported
            if source.stream.is_template
        ),
        sources={source.name: source.stream.text for source in reported},
    )


def lint_text(
    text: str | bytes, name: str = "<text>", options: LintOptions | None = None
) -> Report:
    """Lint the YAML or JSON of one file."""
    return lint([SourceText(name, _load(text))], options)


def _load(text: str | bytes) -> Stream:
    from dradsl.text.documents import load

    return load(text.encode() if isinstance(text, str) else text)
