"""The plain parts of Helm templates, judged: wrong values, names and shapes in what is written outside of braces, and
in what the values of the chart make of simple actions.

What is missing there can come from an action, and what is not found can be made by another template: such findings
are not reported. What follows from values is a warning: others may set them.
"""

from __future__ import annotations

from dradsl.diagnostics import Edit, Finding, Related, Severity
from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine.textual import has_plain_parts
from dradsl.records import Record, field, replace
from dradsl.text.lines import Lines
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.lint.engine.state import RunInput
    from dradsl.text.documents import Stream
    from dradsl.text.original_places import OriginalPlaces
    from dradsl.tree.charts.plain_parts import PlainParts
    from dradsl.tree.charts.template_values import Written
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.values.of_chart import ValuesOfChart

__all__ = ["has_plain_parts", "plain_streams", "template_findings"]

_JUDGED = ("value", "name", "shape")
_VERSION = pattern(r"(?m)^apiVersion:")
_BY_VALUES = " (with the values of the chart)"
_GROUPS = ("resource.k8s.io/", "v1", "apps/v1", "batch/v1")


def plain_streams(stream: Stream) -> Iterator[tuple[Stream, frozenset[int]]]:
    """The plain parts of a template as YAML, once for each choice of branches: those documents that can be read.

    With the numbers of the documents whose `apiVersion` depends on the choice.
    """
    from dradsl.tree.charts.plain_parts import plain_parts

    for parts in plain_parts(stream.text):
        yield _stream_of(stream.text, parts.text, parts)


def _stream_of(
    text: str, masked: str, parts: PlainParts, places: OriginalPlaces | None = None
) -> tuple[Stream, frozenset[int]]:
    """The documents of a masked text that can be read, and the numbers of those whose `apiVersion` depends on a choice."""
    from dradsl.text.documents import load
    from dradsl.text.masking import unmasked

    made = load(masked.encode("utf-8", "surrogatepass"))
    documents = tuple(
        replace(each, data=unmasked(each.data), masked=True, problems=())
        for each in made.documents
        if each.data is not None and not any(problem.fatal for problem in each.problems)
    )
    versions = {each.index: _VERSION.search(masked, each.start, each.end) for each in documents}
    open_versions = frozenset(
        index
        for index, found in versions.items()
        if found is None
        or parts.is_chosen(found.start() if places is None else places.origin(found.start()))
    )
    # The text as it is says where something is not known.
    return (
        replace(made, text=text, documents=documents, is_template=False, problems=()),
        open_versions,
    )


class _Variant(Record):
    """A template as YAML, one choice of its branches.

    With `values` those of its chart are in place of `actions`, each with its offset in the template; `places` lead back.
    """

    source: SourceText
    stream: Stream
    open_versions: frozenset[int]
    values: ValuesOfChart | None = None
    actions: Mapping[int, Written] = field(default_factory=dict)
    places: OriginalPlaces | None = None


def _variants(
    source: SourceText, work: RunInput, charts: dict[str, ValuesOfChart | None]
) -> Iterator[_Variant]:
    """A template with each choice of branches, first as it is, then with the values of its chart."""
    from dradsl.text.edits import apply
    from dradsl.text.masking import unmask
    from dradsl.text.original_places import OriginalPlaces
    from dradsl.tree.charts.go_template import parse
    from dradsl.tree.charts.plain_parts import plain_parts
    from dradsl.tree.charts.template_values import written_by
    from dradsl.tree.values.of_chart import values_of_chart

    text = source.stream.text
    every = [*plain_parts(text)]
    for parts in every:
        yield _Variant(source, *_stream_of(text, parts.text, parts))
    has_values = every and ".Values" in text
    around = (*work.sources, *work.context)
    values = values_of_chart(source.name, around, charts) if has_values else None
    written = {} if values is None else written_by(parse(text), values.data)
    lines = Lines(text)
    for parts in every:
        known = {each.start: each for each in parts.actions if each.start in written}
        if not known:
            continue
        edits = [
            Edit(lines.span(each.start, each.end), written[each.start].text)
            for each in known.values()
        ]
        filled, places = apply(parts.text, edits), OriginalPlaces(text)
        places.edited(parts.text, edits)
        made = _stream_of(unmask(filled), filled, parts, places)
        yield _Variant(source, *made, values, {at: written[at] for at in known}, places)


def template_findings(
    work: RunInput, found: Sequence[Finding], check: Callable[[RunInput], Sequence[Finding]]
) -> Iterator[Finding]:
    """What is wrong in the templates of a run, besides what was `found` in them."""
    charts: dict[str, ValuesOfChart | None] = {}
    templates = [[*_variants(each, work, charts)] for each in work.sources if has_plain_parts(each)]
    read = {made[0].source.name for made in templates if made}
    others = tuple(each for each in work.sources if each.name not in read)
    seen = {_key(each) for each in found if each.path in read}
    for number in range(max(map(len, templates), default=0)):
        chosen = {
            made[number].source.name: made[number] for made in templates if number < len(made)
        }
        part = replace(
            work,
            sources=tuple(replace(each.source, stream=each.stream) for each in chosen.values()),
            context=(*work.context, *(replace(each, context=True) for each in others)),
            previous=None,
            failures=(),
            skipped=(),
            notes=(),
        )
        for finding in check(part):
            variant = chosen.get(finding.path)
            if variant is None or not _holds(
                finding, finding.document not in variant.open_versions
            ):
                continue
            made = _in_template(replace(finding, fix=None, folded=()), variant)
            if made is not None and _key(made) not in seen:
                seen.add(_key(made))
                by_values = variant.values is not None
                yield replace(made, message=f"{made.message}{_BY_VALUES}") if by_values else made


def _in_template(finding: Finding, variant: _Variant) -> Finding | None:
    """A finding at its place in the template; of a variant with values, those that it is about, None if it is about none."""
    values, places = variant.values, variant.places
    if values is None or places is None:
        return finding
    lines, span = variant.stream.lines, finding.span
    first = places.origin(lines.offset(span.line, span.column))
    last = places.origin(lines.offset(span.end_line, span.end_column) - 1)
    keys = dict.fromkeys(each.key for at, each in variant.actions.items() if first <= at <= last)
    if not keys:
        return None
    named = [(".".join(key), values.span(key)) for key in keys]
    return replace(
        finding,
        span=places.before(variant.stream.text, span),
        severity=max(finding.severity, Severity.WARNING, key=lambda each: each.rank),
        related=tuple(Related(name, values.path, at) for name, at in named if at is not None),
    )


def _key(finding: Finding) -> tuple[object, ...]:
    return (finding.code, finding.path, finding.span, finding.message)


def _holds(finding: Finding, version_known: bool) -> bool:
    """Whether a finding holds whatever the actions write beside its place."""
    about, traits = finding.object, traits_of(finding.code)
    return (
        traits.about in (_JUDGED if version_known else ("name",))
        and traits.compares in ("nothing", "fields")
        and not traits.elsewhere
        and about is not None
        and about.api_version.startswith(_GROUPS)
    )
