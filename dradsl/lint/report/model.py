"""What a lint run hands to the report formats: the findings and what they were found in."""

from __future__ import annotations

from collections import Counter

from dradsl.diagnostics import Finding, Severity
from dradsl.records import Record, field
from dradsl.tree.inputs.sources import NotLinted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.lint.custom.model import CustomRule
    from dradsl.text.files import StrPath

__all__ = ["Report", "ReportOptions", "sort_key"]


class Report(Record):
    """The outcome of a lint run.

    `findings` are sorted by path, place and code (see `sort_key`); `files` and `documents` count
    what was judged, `objects` what was found in them, `skipped` are the files that were not judged;
    `releases` are those that were asked about; `notes` are said once at the end of a text report;
    `unfinished` says what was not looked at, if the run ended early; `sources` holds the text of
    files by the path that findings carry, for excerpts, and may lack any of them; `own` are the rules of the
    team that found something, by code; `switched_off` counts the rules that a configuration file turned off, at
    least in some files.
    """

    findings: tuple[Finding, ...]
    files: int = 0
    documents: int = 0
    objects: int = 0
    skipped: tuple[NotLinted, ...] = ()
    notes: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    unfinished: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, CustomRule] = field(default_factory=dict)
    switched_off: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was judged and nothing found: an answer that says nothing."""
        return not self.objects and not self.findings

    @property
    def counts(self) -> Mapping[Severity, int]:
        """How many findings there are of each severity, zeros included."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in Severity}

    @property
    def most_severe_first(self) -> tuple[Finding, ...]:
        """The findings, errors before warnings before infos, else in their order."""
        return tuple(sorted(self.findings, key=lambda finding: finding.severity.rank))


class ReportOptions(Record):
    """How a report is written.

    `width` is that of the terminal in columns (0: never cut a line); `quiet` leaves out all but
    the findings; formats for code hosts write paths relative to `base`.
    """

    color: bool = False
    width: int = 0
    quiet: bool = False
    base: StrPath | None = None
    tool_version: str = ""


def sort_key(finding: Finding) -> tuple[object, ...]:
    """The order of findings in a report: path, place, code; the rest only to be deterministic."""
    return (
        finding.path,
        finding.span,
        finding.code,
        finding.message,
        finding.kubernetes,
    )
