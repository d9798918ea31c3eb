"""From what rules found to the report: places in files, one finding for all releases, ignores and severities."""

from __future__ import annotations

from dradsl.diagnostics import Finding, Fix, Related, Severity
from dradsl.lint.catalogue.rules import INTERNAL_ERROR, RULES, traits_of
from dradsl.lint.engine.textual import (
    has_plain_parts,
    is_none_of_ours,
    is_template,
    unused_ignore_finding,
)
from dradsl.lint.report.model import Report, sort_key
from dradsl.records import replace
from dradsl.tree.inputs.sources import NotLinted, SourceText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.lint.custom.model import CustomRule
    from dradsl.lint.engine.state import RunInput, RunObjects
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lint.view.rule_finding import RuleFinding

__all__ = ["at_least", "hide_others", "merge_releases", "place", "report_of"]


def place(found: RuleFinding, release: str) -> Finding:
    """The finding of a release with its place in the file."""
    from dradsl.text.paths import format_path

    own = found.own
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
        help=_help(found),
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
        folded=tuple([place(each, release) for each in found.folded]),
    )


def _help(found: RuleFinding) -> str | None:
    """The remedy; between double quotes an expression has single ones."""
    if found.help is None or found.text is None or '"' not in found.help:
        return found.help
    from dradsl.lint.fixes.edits import node_at

    in_quotes = getattr(node_at(found.manifest, found.path), "style", None) == '"'
    return found.help.replace('"', "'") if in_quotes else found.help


def _fix(found: RuleFinding) -> Fix | None:
    """The fix of a finding; what is in a string of another form is not edited where it stands."""
    manifest = found.manifest
    if found.fix is None or manifest.within is not None or not manifest.document.lines.editable:
        return None
    if manifest.operation is not None:
        return None  # what is beside it is elsewhere
    return found.fix


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


def hide_others(findings: Iterable[Finding]) -> bool:
    """Whether other mistakes may show once some of the findings are fixed."""
    return any(traits_of(code).hides_others for code in {each.code for each in findings})


def report_of(
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
    names = {each.name for each in unjudged}
    judged = [source for source in work.sources if source.name not in names]
    return Report(
        findings=tuple(sorted(kept, key=sort_key)),
        files=len({*(s.name for s in judged), *(f.path for f in work.failures)}),
        documents=sum(len(source.stream.documents) for source in judged),
        objects=_objects(judged, state),
        skipped=(*unjudged, *work.skipped),
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
        or source.stream.problems
        or any(document.data is None or document.problems for document in source.stream.documents)
    ]


def _unjudged(sources: Sequence[SourceText], found_in: Collection[str]) -> Iterator[NotLinted]:
    """The files that were read and hold nothing to judge."""
    for source in sources:
        if source.name in found_in:
            continue
        from dradsl.tree.inputs.choice import BROKEN, NOT_KUBERNETES, PLAIN_PARTS, TEMPLATE

        if is_none_of_ours(source):
            yield NotLinted(source.name, BROKEN, named=False)
            continue
        if not source.values_only and any(d.data is not None for d in source.stream.documents):
            continue
        if source.values_only:
            yield NotLinted(source.name, NOT_KUBERNETES, named=False)
        elif source.is_template:
            yield NotLinted(source.name, PLAIN_PARTS if has_plain_parts(source) else TEMPLATE)


def _objects(sources: Sequence[SourceText], state: RunObjects) -> int:
    """How many objects were looked at; values of a chart count as one."""
    total = 0
    for source in sources:
        total += len(state.by_source[source.name])
        if not state.by_source[source.name]:
            from dradsl.tree.inputs.choice import may_hold_values

            is_mapping = any(isinstance(d.data, dict) for d in source.stream.documents)
            total += is_mapping and may_hold_values(source.stream.text)
    return total


def _in_part(sources: Sequence[SourceText]) -> Iterator[str]:
    """A note on files of which some documents are templates, and the others were checked."""
    names: list[str] = []
    count = 0
    for source in sources:
        documents = source.stream.documents
        broken = sum(d.data is None and is_template(source, d) for d in documents)
        if broken and not has_plain_parts(source):
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
    from dradsl.lint.engine.suppress import object_ignore, suppress
    from dradsl.text.ignores import find_ignores

    comments = find_ignores(source.stream, _embedded_parts(source, state))
    objects = [each for m in state.by_source[source.name] if (each := object_ignore(m)) is not None]
    if not (findings or comments or objects):
        return []
    config = config_of(source.name)

    def is_on(code: str, name: str) -> bool:
        return config.enabled(code, name) and not config.ignored_in(source.name, code, name)

    left = [
        replace(f, folded=tuple(g for g in f.folded if is_on(g.code, g.name))) if f.folded else f
        for f in findings
        if is_on(f.code, f.name)
    ]
    if comments or objects:  # few files ignore anything, and all rules are many
        active = {c: r.name for c, r in RULES.items() if c in ran and is_on(c, r.name)}
        if ran:
            active |= {r.code: r.name for r in config.own if is_on(r.code, r.name)}
        result = suppress(left, comments, objects, active, config.own, _unread(source))
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
        for each in stream.documents
        if any(problem.fatal for problem in each.problems)
    )


def _embedded_parts(source: SourceText, state: RunObjects) -> Sequence[tuple[int, int]]:
    """Where documents within ConfigMaps are in the file, as they are."""
    documents = [each.document for each in state.embedded.get(source.name, ())]
    return [(each.start, each.end) for each in documents if each.lines.editable]
