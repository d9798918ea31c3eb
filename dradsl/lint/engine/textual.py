"""Findings about a file as text: what the reader complains of, and ignores that hide nothing."""

from __future__ import annotations

from dradsl.diagnostics import Finding, Related, Severity
from dradsl.lint.catalogue.rules import RULES, rule_named
from dradsl.lint.catalogue.table import table_of
from dradsl.text.mistakes import RUN_TOGETHER, TWICE, one_each, sign_of
from dradsl.text.splitting import holds_template_signs, speaks_of_helm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.lint.engine.suppress import UnusedIgnore
    from dradsl.text.documents import Document, TextProblem
    from dradsl.text.repairs import Repair
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.embedded import Embedded

__all__ = [
    "has_plain_parts",
    "is_none_of_ours",
    "is_template",
    "may_be_repaired",
    "repairable",
    "text_findings",
    "unused_ignore_finding",
]


def text_findings(
    source: SourceText, embedded: Sequence[Embedded] = (), *, is_patch: bool = False
) -> Iterator[Finding]:
    """What is wrong with the file before any object is looked at.

    The source of a template is not YAML; what its unrendered text looks like says nothing. Of a
    page of Markdown, and of strings in ConfigMaps (`embedded`), only whole objects count. A patch
    need not say what it changes.
    """
    if _is_unrendered(source):
        return
    if not is_none_of_ours(source):
        for problem in source.stream.problems:
            yield _finding(source, problem, 0)
        for document in _with_problems(source):
            for problem in one_each(source.stream.text, document.problems):
                yield _finding(source, problem, document.index, document.source_comment)
    for document in source.stream.documents:
        if document.data is None and is_template(source, document):
            continue
        if source.is_markdown and not _is_whole(source, document):
            continue
        if not (source.is_markdown or is_patch or _is_plainly_one_object(document.data)):
            from dradsl.lint.engine.incomplete_objects import incomplete_objects

            yield from incomplete_objects(source, document)
    for each in embedded:
        if each.is_whole and (each.is_file or each.document.data is not None):
            for problem in each.document.problems:
                yield _finding(source, problem, each.document.index)


def may_be_repaired(source: SourceText) -> bool:
    """Whether something in a file is no YAML, or says not rightly what it is."""
    return any(
        each.problems or not _is_plainly_one_object(each.data) for each in source.stream.documents
    )


def repairable(source: SourceText) -> Iterator[tuple[Document, Repair]]:
    """The documents with mistakes in their texts that are obvious to repair, and the first repair of each."""
    readable = all(each.reason != "encoding" for each in source.stream.all_problems())
    if readable and not (_is_unrendered(source) or is_none_of_ours(source)):
        from dradsl.text.repairs import repairs_of

        for document in _with_problems(source):
            for repair in repairs_of(document)[:1]:
                yield document, repair


def is_none_of_ours(source: SourceText) -> bool:
    """Whether a file that was found has mistakes in its text, and nothing in it is about claims or devices.

    One note names all of these files: who checks claims wants no red run for others. A file that the
    call names is judged.
    """
    if source.top is None or _is_unrendered(source):
        return False
    if not source.stream.problems and next(_with_problems(source), None) is None:
        return False
    from dradsl.tree.inputs.choice import mentions_devices

    return not mentions_devices(source.stream.text)


def _is_unrendered(source: SourceText) -> bool:
    return source.values_only or (not source.is_markdown and speaks_of_helm(source.stream.text))


def _with_problems(source: SourceText) -> Iterator[Document]:
    """The documents with mistakes in their texts that are any business of a run."""
    for document in source.stream.documents:
        if not document.problems or (document.data is None and is_template(source, document)):
            continue
        if source.is_markdown and not _is_whole(source, document):
            continue
        if _is_ours(source, document):
            yield document


def _is_ours(source: SourceText, document: Document) -> bool:
    """Whether mistakes in the text of a document are any business of a run.

    They are where the call names the file. In one that was found, a key that values of some chart
    hold twice is not.
    """
    data = document.data
    if source.top is None or data is None or isinstance(data, list):
        return True
    if isinstance(data, dict) and {"apiversion", "kind"} & {str(key).lower() for key in data}:
        return True
    from dradsl.tree.inputs.choice import speaks_of_claims

    return speaks_of_claims(document.text)


def _is_plainly_one_object(data: object) -> bool:
    """Whether there is nothing to ask: nearly all documents are like that."""
    return (
        isinstance(data, dict)
        and "items" not in data
        and isinstance(version := data.get("apiVersion"), str)
        and isinstance(kind := data.get("kind"), str)
        and bool(version and kind)
    )


def is_template(source: SourceText, document: Document) -> bool:
    """Whether a document cannot be read because it is a template."""
    if document.data is not None or not source.is_template:
        return False
    if holds_template_signs(document.text) or not source.stream.is_template:
        return True
    return not source.is_markdown and speaks_of_helm(source.stream.text)


def has_plain_parts(source: SourceText) -> bool:
    """Whether a file is a Helm template about claims that cannot be read as YAML."""
    from dradsl.tree.inputs.choice import speaks_of_claims

    stream = source.stream
    return (
        stream.is_template
        and not stream.is_page
        and any(document.data is None for document in stream.documents)
        and speaks_of_helm(stream.text)
        and speaks_of_claims(stream.text)
    )


def _is_whole(source: SourceText, document: Document) -> bool:
    """Whether a document says what object it is, or was meant to."""
    from dradsl.tree.manifests.manifest import manifests_in

    if document.data is not None:
        return any(True for _ in manifests_in(source, (document,)))
    says = {line.strip().partition(":")[0] for line in document.text.split("\n")}
    return {"apiVersion", "kind"} <= says


def _finding(
    source: SourceText, problem: TextProblem, document: int, origin: str | None = None
) -> Finding:
    code, help_ = table_of("text_messages")["reasons"][problem.reason]
    message, span = problem.message, problem.span
    if problem.reason == "yaml-syntax":
        span, sign = sign_of(source.stream.text.split("\n"), problem)
        rows = (
            row for known, row in table_of("text_messages")["yaml-syntax"].items() if known in sign
        )
        plain, help_ = next(rows, (None, None))
        message = plain or message
    if problem.message is RUN_TOGETHER:
        help_ = "write --- on a line of its own before it"
    rule = RULES[code]
    related = problem.related
    return Finding(
        code=code,
        name=rule.name,
        severity=Severity.INFO if problem.reason == "repeated-key" else rule.severity,
        message=message,
        path=source.name,
        span=span,
        document=document,
        help=help_,
        why="both values are equal" if problem.reason == "repeated-key" else None,
        # Strict decoding would name the key, but kubectl sends the last value alone.
        upstream=None if problem.reason in TWICE else problem.upstream,
        related=(Related("the first one", source.name, related),) if related else (),
        origin=origin,
    )


def unused_ignore_finding(source: SourceText, ignore: UnusedIgnore) -> Finding:
    """DRA010: an ignore that hides nothing, or names a rule that does not exist."""
    rule = rule_named("unused-ignore")
    codes = ", ".join(ignore.codes)
    message, help_ = {
        "unknown": (f"no rule is called {codes}", "see `dradsl rule`"),
        "unused": (f"nothing to ignore here: {codes}", "remove it: it could hide a new finding"),
        "empty": ("an ignore names what it ignores", "write `dradsl: ignore[CODE]`"),
    }[ignore.problem]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=message,
        path=source.name,
        span=ignore.span,
        help=help_,
    )
