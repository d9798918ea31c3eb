"""From what rules found to findings: places in files, one finding for all releases."""

from __future__ import annotations

from dradsl.diagnostics import Finding, Fix, Related, Severity
from dradsl.lint.catalogue.rules import RULES
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.lint.custom.model import CustomRule
    from dradsl.lint.view.rule_finding import RuleFinding

__all__ = ["at_least", "merge_releases", "place"]


def place(found: RuleFinding, release: str, own: CustomRule | None = None) -> Finding:
    """The finding of a release with its place in the file; `own` is its rule, if it is one of the team's."""
    from dradsl.text.paths import format_path

    rule = RULES[found.code] if own is None else own
    manifest = found.manifest
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=found.severity or rule.severity,
        message=found.message,
        path=manifest.path,
        span=manifest.span(found.path, on_key=found.on_key, text=found.text),
        document=manifest.index,
        object=manifest.ref if manifest.api_version else None,
        field=format_path(manifest.field_of(found.path)) or None,
        help=found.help,
        why=found.why,
        upstream=found.upstream,
        fix=_fix(found),
        related=tuple(
            Related(r.message, r.manifest.path, r.manifest.span(r.path, on_key=r.on_key))
            for r in found.related
        ),
        origin=manifest.origin,
        kubernetes=(release,),
        url=None if own is None else own.url,
    )


def _fix(found: RuleFinding) -> Fix | None:
    """The fix of a finding; what stands in a string of another form is not edited where it stands."""
    manifest = found.manifest
    if found.fix is None or manifest.within is not None or not manifest.document.lines.editable:
        return None
    if manifest.operation is not None:
        return None  # what is beside it stands elsewhere
    return Fix(found.fix.title, found.fix.edits, found.fix.applicability)


def merge_releases(per_release: Sequence[tuple[str, Iterable[Finding]]]) -> list[Finding]:
    """One finding for what several releases say alike; `kubernetes` names those that say it.

    A finding that holds in every release asked for names none when only one was asked for.
    """
    merged: dict[tuple[object, ...], tuple[Finding, list[str]]] = {}
    for release, findings in per_release:
        for finding in findings:
            key = (finding.code, finding.path, finding.span, finding.message)
            entry = merged.setdefault(key, (finding, []))
            if release not in entry[1]:
                entry[1].append(release)
    return [
        finding if len(names) == 1 else replace(finding, kubernetes=tuple(names))
        for finding, names in merged.values()
    ]


def at_least(findings: Iterable[Finding], severity: Severity) -> list[Finding]:
    """The findings of that severity or worse."""
    return [f for f in findings if f.severity.rank <= severity.rank]
