"""The plain parts of Helm templates, judged: wrong values, names and shapes in what is written outside of braces.

What is missing there can come from an action, and what is not found can be made by another template: such findings
are not reported.
"""

from __future__ import annotations

from dradsl.lint.catalogue.rules import traits_of
from dradsl.records import replace
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine.state import RunInput
    from dradsl.text.documents import Stream
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["has_plain_parts", "plain_streams", "template_findings"]

_JUDGED = ("value", "name", "shape")
_VERSION = pattern(r"(?m)^apiVersion:")
_GROUPS = ("resource.k8s.io/", "v1", "apps/v1", "batch/v1")


def has_plain_parts(source: SourceText) -> bool:
    """Whether a file is a Helm template about claims that cannot be read as YAML."""
    from dradsl.text.splitting import speaks_of_helm
    from dradsl.tree.inputs.choice import speaks_of_claims

    stream = source.stream
    return (
        stream.is_template
        and not stream.is_page
        and any(document.data is None for document in stream.documents)
        and speaks_of_helm(stream.text)
        and speaks_of_claims(stream.text)
    )


def plain_streams(stream: Stream) -> Iterator[tuple[Stream, frozenset[int]]]:
    """The plain parts of a template as YAML, once for each choice of branches: those documents that can be read.

    With the numbers of the documents whose `apiVersion` depends on the choice.
    """
    from dradsl.text.documents import load
    from dradsl.text.masking import unmasked
    from dradsl.tree.charts.plain_parts import plain_parts

    for parts in plain_parts(stream.text):
        made = load(parts.text.encode("utf-8", "surrogatepass"))
        documents = tuple(
            replace(each, data=unmasked(each.data), masked=True, problems=())
            for each in made.documents
            if each.data is not None and not any(problem.fatal for problem in each.problems)
        )
        versions = {
            each.index: _VERSION.search(parts.text, each.start, each.end) for each in documents
        }
        open_versions = frozenset(
            index
            for index, found in versions.items()
            if found is None or parts.is_chosen(found.start())
        )
        # The text as it is says where something is not known.
        made = replace(made, text=stream.text, documents=documents, is_template=False, problems=())
        yield made, open_versions


def template_findings(
    work: RunInput, found: Sequence[Finding], check: Callable[[RunInput], Sequence[Finding]]
) -> Iterator[Finding]:
    """What is wrong in the plain parts of the templates of a run, besides what was `found` in them."""
    templates = [
        (each, [*plain_streams(each.stream)]) for each in work.sources if has_plain_parts(each)
    ]
    read = {each.name for each, _ in templates}
    others = tuple(each for each in work.sources if each.name not in read)
    seen = {_key(each) for each in found if each.path in read}
    for number in range(max((len(streams) for _, streams in templates), default=0)):
        chosen = [(source, *made[number]) for source, made in templates if number < len(made)]
        part = replace(
            work,
            sources=tuple(replace(source, stream=stream) for source, stream, _ in chosen),
            context=(*work.context, *(replace(each, context=True) for each in others)),
            previous=None,
            failures=(),
            skipped=(),
            notes=(),
        )
        open_versions = {source.name: indexes for source, _, indexes in chosen}
        for finding in check(part):
            version_known = finding.document not in open_versions.get(finding.path, ())
            if _key(finding) not in seen and _holds(finding, version_known):
                seen.add(_key(finding))
                yield replace(finding, fix=None, folded=())


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
