"""Findings as the editor's diagnostics."""

from __future__ import annotations

from lsprotocol import types

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.report.places import rule_url
from dradsl.lsp.texts.uris import uri_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.diagnostics import Finding
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.lsp.texts.places import Places

__all__ = ["config_diagnostic", "diagnostic_of"]

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_TAGS = {
    "unnecessary": types.DiagnosticTag.Unnecessary,
    "deprecated": types.DiagnosticTag.Deprecated,
}


def diagnostic_of(finding: Finding, places_of: Callable[[str], Places]) -> types.Diagnostic:
    """The diagnostic of a finding; `places_of` gives the text of a file."""
    lines = (finding.message, finding.help, finding.why)
    tag = _TAGS.get(traits_of(finding.code).editor)
    address = finding.url or rule_url(finding.code)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri_of(each.path), places_of(each.path).range_of(each.span)),
            each.message,
        )
        for each in finding.related
    ]
    return types.Diagnostic(
        range=places_of(finding.path).range_of(finding.span),
        message="\n".join(filter(None, lines)),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=None if address is None else types.CodeDescription(address),
        source="dradsl",
        tags=None if tag is None else [tag],
        related_information=related or None,
        data={"name": finding.name, "field": finding.field, "upstream": finding.upstream},
    )


def config_diagnostic(error: ConfigError) -> types.Diagnostic:
    """What is wrong with a configuration, at its line."""
    line = (error.line or 1) - 1
    return types.Diagnostic(
        range=types.Range(types.Position(line, 0), types.Position(line + 1, 0)),
        message=error.message,
        severity=types.DiagnosticSeverity.Error,
        source="dradsl",
    )
