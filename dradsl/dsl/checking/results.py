"""What lint found, as a value for programs and tests."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dradsl.diagnostics import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.lint.report import Report

__all__ = ["LintResult", "SeverityName", "severity_of"]

SeverityName = Literal["error", "warning", "info"]


def severity_of(name: Severity | SeverityName) -> Severity:
    """The severity of that name.

    Raises:
        ValueError: if there is none.
    """
    try:
        return Severity(name)
    except ValueError:
        known = ", ".join(Severity)
        raise ValueError(f"no severity is called {name!r} (known: {known})") from None


@dataclass(frozen=True, slots=True)
class LintResult:
    """What `lint` found. It is iterable, and `str()` is the report that the command line prints.

    Args:
        findings: the findings, by file and place.
        notes: sentences about the run.
        objects: how many objects were looked at.
        kubernetes: the releases that were asked about.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    objects: int = 0
    kubernetes: tuple[str, ...] = ()
    _report: Report | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, *reports: Report) -> LintResult:
        """The result of lint's own reports."""
        from dradsl.lint.report import Report

        findings = tuple(one for report in reports for one in report.findings)
        sources = {name: text for report in reports for name, text in report.sources.items()}
        notes = tuple(dict.fromkeys(note for report in reports for note in report.notes))
        releases = tuple(dict.fromkeys(name for report in reports for name in report.releases))
        objects = sum(report.objects for report in reports)
        whole = Report(
            findings,
            files=sum(report.files for report in reports),
            documents=sum(report.documents for report in reports),
            objects=objects,
            notes=notes,
            releases=releases,
            sources=sources,
            own={code: rule for report in reports for code, rule in report.own.items()},
        )
        return cls(findings, notes, objects, releases, whole)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of severity error: it will not work."""
        return self._of(Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings of severity warning: it will surprise."""
        return self._of(Severity.WARNING)

    @property
    def infos(self) -> tuple[Finding, ...]:
        """The findings of severity info."""
        return self._of(Severity.INFO)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the rules that found something, each once, in order."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings))

    @property
    def ok(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return not self.at_least("warning")

    def at_least(self, severity: Severity | SeverityName) -> tuple[Finding, ...]:
        """The findings of that severity and worse."""
        rank = severity_of(severity).rank
        return tuple(one for one in self.findings if one.severity.rank <= rank)

    def without(self, rules: Iterable[str]) -> LintResult:
        """The result without findings of the rules, named by code, beginning of a code, or name."""
        from dataclasses import replace

        from dradsl.lint.settings.selection import selects

        left = tuple(
            one
            for one in self.findings
            if not any(selects(rule, one.code, one.name) for rule in rules)
        )
        report = self._report
        if report is not None:
            from dradsl.records import replace as replace_record

            report = replace_record(report, findings=left)
        return replace(self, findings=left, _report=report)

    def _of(self, severity: Severity) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.severity is severity)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        raise TypeError("ask .ok, or whether .findings is empty: a result has no truth value")

    def __str__(self) -> str:
        from dradsl.lint.report import Report, ReportOptions, render

        out = io.StringIO()
        report = self._report or Report(self.findings, notes=self.notes, releases=self.kubernetes)
        render("text", report, out, ReportOptions())
        return out.getvalue().rstrip("\n")
