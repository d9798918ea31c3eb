"""What lower layers observed, as the linter reports it: with the code and words of its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dradsl.diagnostics import FieldPath, Fix, Severity
from dradsl.lint.catalogue.messages import Rows, severity_of, why_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.observations import Facts, Observation
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import find_at

__all__ = ["first_of_file", "reported"]


def reported(
    manifest: Manifest,
    path: FieldPath,
    observed: Observation,
    rows: Rows,
    *,
    and_so: str = "",
    severity: Severity | None = None,
    fixed: bool = True,
) -> RuleFinding:
    """The finding at `path` of a manifest, with its fix if it is to be `fixed`.

    `and_so` continues the message, `severity` goes before that of the words.
    """
    row = rows[type(observed.facts)]
    words = row.words(observed.facts)
    return RuleFinding(
        code=row.code,
        manifest=manifest,
        path=path,
        message=words.message + and_so,
        help=f"write {observed.written}" if observed.written else words.help,
        upstream=words.upstream if observed.fails else None,
        on_key=observed.on_key,
        why=words.why or why_of(row.code, words, observed, find_at(manifest.data, path)),
        text=observed.span,
        severity=severity_of(row.code, severity or words.severity, observed),
        fix=_fix(manifest, path, observed) if fixed else None,
    )


def first_of_file(
    found: Iterable[tuple[Manifest, FieldPath, Observation]], rows: Rows
) -> Iterator[tuple[Manifest, FieldPath, Observation]]:
    """The observations without those already reported in their file, where the rule reports once a file."""
    reported_already: set[tuple[str, Facts]] = set()
    for manifest, path, observed in found:
        if rows[type(observed.facts)].once_per_file:
            key = (manifest.path, observed.facts)
            if key in reported_already:
                continue
            reported_already.add(key)
        yield manifest, path, observed


def _fix(manifest: Manifest, path: FieldPath, observed: Observation) -> Fix | None:
    from dradsl.lint.fixes.edits import rename_or_replace, replace_in_string

    fix, instead = observed.fix, observed.instead
    if fix is not None:
        edit = replace_in_string(manifest, path, fix.start, fix.end, fix.text)
        title = f"write {fix.text}" if fix.text else "leave it out"
        return Fix(title, (edit,), fix.applicability) if edit else None
    if instead is None:
        return None
    edit = rename_or_replace(manifest, path, instead, at_key=observed.on_key)
    return Fix(f"write {instead}", (edit,), "unsafe") if edit else None
