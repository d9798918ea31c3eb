"""What lint found, as a value for programs and tests."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dradsl.diagnostics import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.lint.report import Report

__all__ = ["LintFormat", "LintResult", "SeverityName", "severity_of"]

SeverityName = Literal["error", "warning", "info"]
LintFormat = Literal["text", "json", "sarif", "junit", "github", "gitlab"]


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
        unfinished: what was not looked at, if the time was over.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    objects: int = 0
    kubernetes: tuple[str, ...] = ()
    unfinished: str = ""
    _report: Report | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, *reports: Report) -> LintResult:
        """The result of lint's own reports."""
        whole = reports[0] if len(reports) == 1 else _together(reports)
        return cls(
            whole.findings, whole.notes, whole.objects, whole.releases, whole.unfinished, whole
        )

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
        """Whether something was looked at, all of it, and there is neither an error nor a warning."""
        documents = 0 if self._report is None else self._report.documents
        looked = self.objects > 0 or documents > 0
        return looked and not self.unfinished and not self.at_least("warning")

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

    def report(self, output_format: LintFormat = "text") -> str:
        """The report of `dradsl lint --output-format`.

        Args:
            output_format: one of its formats.

        Raises:
            ValueError: for another format.
        """
        from dradsl._version import __version__
        from dradsl.lint.report import Report, ReportOptions, render
        from dradsl.tree.files import work_tree

        here = str(Path.cwd())
        # Code hosts place findings from the top of the repository.
        hosted = output_format in ("github", "gitlab", "sarif")
        base = (work_tree(here) or here) if hosted else here
        report = self._report or Report(self.findings, notes=self.notes, releases=self.kubernetes)
        out = io.StringIO()
        render(output_format, report, out, ReportOptions(base=base, tool_version=__version__))
        return out.getvalue()

    def __str__(self) -> str:
        return self.report().rstrip("\n")


def _together(reports: Sequence[Report]) -> Report:
    """Several reports as one."""
    from dradsl.lint.report import Report

    return Report(
        tuple(one for report in reports for one in report.findings),
        files=sum(report.files for report in reports),
        documents=sum(report.documents for report in reports),
        objects=sum(report.objects for report in reports),
        skipped=tuple(one for report in reports for one in report.skipped),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        releases=tuple(dict.fromkeys(name for report in reports for name in report.releases)),
        unfinished=next((report.unfinished for report in reports if report.unfinished), ""),
        sources={name: text for report in reports for name, text in report.sources.items()},
        own={code: rule for report in reports for code, rule in report.own.items()},
    )
