"""What changed in a long text since it was last linted: only those documents are judged again."""

from __future__ import annotations

from bisect import bisect_right

from dradsl.records import Record, replace
from dradsl.text.lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.diagnostics import Finding, Span
    from dradsl.text.documents import Document, Stream
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["Linted", "changed_part", "in_documents"]

_FEW = 16
"""Documents of a text that is judged whole after each change."""


class Linted(Record):
    """A text as it was linted, with all that was found in it."""

    stream: Stream
    findings: tuple[Finding, ...]


class ChangedPart(Record):
    """The documents to judge, the others to look into, and what was found in those before, at its place now."""

    judged: SourceText
    others: SourceText
    kept: tuple[Finding, ...]


def changed_part(source: SourceText, before: Linted | None) -> ChangedPart | None:
    """Compare a text with what it was; None if all of it has to be judged."""
    new = source.stream.documents
    if before is None or len(new) < _FEW or source.stream.problems or before.stream.problems:
        return None
    old = before.stream.documents
    head = _same(new, old)
    tail = min(_same(new[::-1], old[::-1]), len(new) - head, len(old) - head)
    if 2 * (len(new) - head - tail) > len(new):
        return None
    # Messages about the text of a document can name its lines.
    same = {id(each) for each in (*new[:head], *new[len(new) - tail :]) if not each.problems}
    judged = tuple(each for each in new if id(each) not in same)
    others = tuple(each for each in new if id(each) in same)
    # What reads the text once more, as to try a fix, finds blanks in place of the others.
    text = _blanked(source.stream.text, judged)
    return ChangedPart(
        replace(
            source,
            stream=replace(source.stream, text=text, lines=Lines(text), documents=judged),
        ),
        replace(source, stream=replace(source.stream, documents=others), context=True),
        tuple(_moved(before, source.stream, head, tail)),
    )


def _blanked(text: str, kept: Sequence[Document]) -> str:
    """A text of the same length and lines, in which all but some documents is blank."""
    parts: list[str] = []
    at = 0
    for document in kept:
        parts += (_blanks(text[at : document.start]), text[document.start : document.end])
        at = document.end
    return "".join((*parts, _blanks(text[at:])))


def _blanks(text: str) -> str:
    """Blanks for a text between documents; two of them stay apart."""
    lines = [" " * len(line) for line in text.split("\n")]
    if len(lines) > 1 and len(lines[-2]) >= 3:
        lines[-2] = f"---{lines[-2][3:]}"
    return "\n".join(lines)


def in_documents(findings: Iterable[Finding], stream: Stream) -> Iterator[Finding]:
    """Findings with the document of a text in which each is; they may count those of a part."""
    starts = [stream.lines.position(each.start)[0] for each in stream.documents]
    for finding in findings:
        position = max(0, bisect_right(starts, finding.span.line) - 1)
        index = stream.documents[position].index if starts else 0
        yield finding if finding.document == index else replace(finding, document=index)


def _same(new: Sequence[Document], old: Sequence[Document]) -> int:
    """How many documents at the start have the same text."""
    return next(
        (
            index
            for index, (one, two) in enumerate(zip(new, old, strict=False))
            if one.text != two.text
        ),
        min(len(new), len(old)),
    )


def _moved(before: Linted, now: Stream, head: int, tail: int) -> Iterator[Finding]:
    """The findings in documents that are the same, where these are now."""
    count = len(before.stream.documents)
    lines = now.text.count("\n") - before.stream.text.count("\n")
    documents = len(now.documents) - count
    first = _first_line(before.stream, count - tail)
    broken = {each.index for each in before.stream.documents if each.problems}
    for finding in before.findings:
        if finding.document in broken:
            continue
        if finding.document < head:
            yield _shifted(finding, first, lines, 0)
        elif finding.document >= count - tail:
            yield _shifted(finding, first, lines, documents)


def _first_line(stream: Stream, index: int) -> int:
    """The line on which a document starts; behind the last one, a line that no text has."""
    if index >= len(stream.documents):
        return stream.text.count("\n") + 2
    return stream.text.count("\n", 0, stream.documents[index].start) + 1


def _shifted(finding: Finding, first: int, lines: int, documents: int) -> Finding:
    def moved(span: Span) -> Span:
        if span.line < first:
            return span
        return replace(span, line=span.line + lines, end_line=span.end_line + lines)

    fix = finding.fix
    if fix is not None:
        edits = tuple(replace(each, span=moved(each.span)) for each in fix.edits)
        fix = replace(fix, edits=edits)
    return replace(
        finding,
        span=moved(finding.span),
        document=finding.document + documents,
        fix=fix,
        related=tuple(
            replace(each, span=moved(each.span)) if each.path == finding.path else each
            for each in finding.related
        ),
        folded=tuple(_shifted(each, first, lines, documents) for each in finding.folded),
    )
