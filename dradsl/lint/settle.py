"""From what rules found to findings: places in files, one finding for all releases, selection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.diagnostics import Finding, Fix, Related, Severity
from dradsl.lint.catalogue import RULES, Rule, matches
from dradsl.text.paths import format_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.lint.found import Found

__all__ = ["Selection", "at_least", "merge_releases", "place"]


def place(found: Found) -> Finding:
    """The finding with its place in the file."""
    rule = RULES[found.code]
    manifest = found.manifest
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=found.severity or rule.severity,
        message=found.message,
        path=manifest.path,
        span=manifest.span(found.path, on_key=found.on_key, text=found.text),
        document=manifest.document.index,
        object=manifest.ref,
        field=format_path(found.path) or None,
        help=found.help,
        why=found.why,
        upstream=found.upstream,
        fix=Fix(found.fix.title, found.fix.edits, found.fix.applicability) if found.fix else None,
        related=tuple(
            Related(r.message, r.manifest.path, r.manifest.span(r.path, on_key=r.on_key))
            for r in found.related
        ),
    )


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
    return [replace(finding, kubernetes=tuple(names)) for finding, names in merged.values()]


class Selection:
    """Which rules are asked for: `--select`, `--ignore`, `--extend-select`."""

    def __init__(
        self,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        extend_select: Sequence[str] = (),
    ) -> None:
        self._select = tuple(select)
        self._ignore = tuple(ignore)
        self._extend = tuple(extend_select)

    def wants(self, rule: Rule) -> bool:
        """A longer (more exact) selector beats a shorter one; on a tie, ignore wins."""
        chosen = _longest(rule, self._select) if self._select else 0
        chosen = max(chosen, _longest(rule, self._extend))
        return chosen > _longest(rule, self._ignore)

    def unknown(self) -> list[str]:
        """The entries that mean no rule at all."""
        return [
            entry
            for entry in (*self._select, *self._ignore, *self._extend)
            if not any(matches(rule, entry) for rule in RULES.values())
        ]


def _longest(rule: Rule, entries: Iterable[str]) -> int:
    """How exactly the entries mean the rule: -1 not at all, 0 ALL, else the prefix's length."""
    best = -1
    for entry in entries:
        if matches(rule, entry):
            upper = entry.strip().upper()
            best = max(best, 0 if upper == "ALL" else len(upper) if upper.startswith("DRA") else 6)
    return best


def at_least(findings: Iterable[Finding], severity: Severity) -> list[Finding]:
    """The findings of that severity or worse."""
    return [f for f in findings if f.severity.rank <= severity.rank]
