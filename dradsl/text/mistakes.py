"""What mistakes in a text look like to people: signs that tell more than the words of the YAML reader."""

from __future__ import annotations

from dradsl.records import replace
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.diagnostics import Span
    from dradsl.text.documents import TextProblem

__all__ = ["RUN_TOGETHER", "TWICE", "one_each", "sign_of"]

_NO_BLANK = pattern(r" *-[A-Za-z]+:")

TWICE = ("duplicate-key", "repeated-key")
RUN_TOGETHER = (
    "a second object begins here without --- before it: its values replace those of the first"
)


def one_each(text: str, problems: Sequence[TextProblem]) -> Iterator[TextProblem]:
    """The problems, but one for two objects that no `---` parts, and not one for each of their keys."""
    twice = [each for each in problems if each.reason in TWICE]
    lines = text.split("\n") if len(twice) > 1 else []
    keys = [
        lines[each.span.line - 1][each.span.column - 1 : each.span.end_column - 1].strip("\"'")
        for each in (twice if lines else ())
    ]
    if not {"apiVersion", "kind"} <= set(keys):
        yield from problems
        return
    named = dict(zip(twice, keys, strict=True))
    start = next(each for each in twice if named[each] in ("apiVersion", "kind")).span.column
    begun: set[str] = set()  # the keys of the object that was said to begin
    for each in problems:
        name = named.get(each)
        if name is None or each.span.column != start:
            yield each
        elif name in ("apiVersion", "kind") and (not begun or name in begun):
            begun = {name}
            yield replace(each, reason="duplicate-key", message=RUN_TOGETHER)
        elif begun:
            begun.add(name)
        else:
            yield each


def sign_of(lines: Sequence[str], problem: TextProblem) -> tuple[Span, str]:
    """Where the text is wrong that the YAML reader cannot read, and what it says, or what the lines show."""
    span = problem.span
    for line in range(max(span.line - 3, 0), span.line):
        if _NO_BLANK.match(lines[line]):
            column = lines[line].index("-") + 1
            there = replace(
                span, line=line + 1, column=column, end_line=line + 1, end_column=column + 1
            )
            return there, "a dash without a blank"
    if not lines[span.line - 1].strip(" .…\r"):
        return span, "a line of dots"
    if "expected key" in problem.message:
        before = lines[span.line - 1][: span.column - 1].rstrip()
        return span, "text after quotes" if before.endswith(
            ("'", '"', "]", "}")
        ) else problem.message
    above = lines[span.line - 2].rstrip() if span.line > 1 else ""
    is_block = "simple key" in problem.message and above.endswith(("|", ">", "|-", ">-"))
    return span, "text of a block" if is_block else problem.message
