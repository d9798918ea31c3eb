"""Obvious repairs of a text that is no YAML: what is said of the rest is said in the same run.

A repair counts only if the whole document can be read with all of its repairs. Each one is tried on the text: of
several ways to write a line the first counts after which it can be read, else the first that leads further.
"""

from __future__ import annotations

from dradsl.diagnostics import Edit
from dradsl.records import Record
from dradsl.text.documents import DEFAULT_LIMITS
from dradsl.text.reading import read_chunk
from dradsl.values.limits import LINES_OF_A_QUOTE, LONGEST_REPAIRED, ROUNDS_OF_REPAIRS
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.text.documents import Document
    from dradsl.text.plain import Complaint

__all__ = ["Repair", "repairs_of"]


_KEY = pattern(r"( *)((?:- +)*)([A-Za-z][\w./-]*)")
_NO_BLANK = pattern(r" *(?:- +)*[A-Za-z][\w-]*:(?=[^\s:/])")
_EQUALS = pattern(r" *(?:- +)*[A-Za-z]\w*( *=(?!=) *)(?=\S)")
_VALUE = pattern(r" *(?:- +)*(?:[A-Za-z][\w-]*: +)?(\S.*?)[ \t\r]*$")
_TABBED = pattern(r"(?m)^ *\t[ \t]*(?=\S)")
_DASH = pattern(r" *-(?=[A-Za-z])")
_HEAD = pattern(r"(?m)^(apiVersion|kind): ")
_END = pattern(r"(?m)^\.\.\.[ \t\r]*$")
_NO_YAML = ("```", "~~~", "$ ", "kubectl ", "cat <<", "EOF", "eof")
_BLOCK = ("|", ">", "|-", ">-")


class Repair(Record):
    """A repair of a document: offsets in its text, and new texts."""

    edits: tuple[tuple[int, int, str], ...]

    def applied(self, text: str) -> str:
        """The text with the repair."""
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def edits_of(self, document: Document) -> list[Edit]:
        """The repair as edits of the file."""
        at = document.start
        return [Edit(document.lines.span(at + a, at + b), new) for a, b, new in self.edits]

    def words(self, document: Document) -> str | None:
        """What to write, if it is one line."""
        text = document.text
        starts = {text.rfind("\n", 0, start) + 1 for start, _, _ in self.edits}
        start = starts.pop()
        new = self.applied(text)
        before, after = text[start : _end(text, start)], new[start : _end(new, start)]
        if starts or (after == "---" and before[:1].isalpha()):
            return None
        if before.strip() == after.strip():
            return f"indent it with {_width(new, start)} spaces"
        return f"write {after.strip()}" if after.strip() else "remove the line"


def repairs_of(document: Document) -> tuple[Repair, ...]:
    """The repairs of a document, one after another; none if it cannot be read with them either."""
    text = document.text
    if any(each.reason == "content-after-end" for each in document.problems):
        return (Repair(tuple([(*each.span(), "") for each in _END.finditer(text)])),)
    if document.data is not None:
        return _parted(text)
    found: list[Repair] = []
    is_object = len(text) <= LONGEST_REPAIRED and "apiVersion" in text and "kind" in text
    complaint = _complaint(text) if is_object else None
    while complaint is not None:
        best: tuple[Repair, Complaint | None] | None = None
        line = text.count("\n", 0, complaint.start)
        for edits in _candidates(text, complaint):
            repair = Repair(edits)
            new = repair.applied(text)
            left = _complaint(new)
            reached = new.count("\n", 0, left.start) if left is not None else len(text)
            if left is None or (reached > line and best is None):
                best = (repair, left)
            if left is None:
                break
        if best is None or len(found) == ROUNDS_OF_REPAIRS:
            return ()
        found.append(best[0])
        text, complaint = best[0].applied(text), best[1]
    return (*found,)


def _parted(text: str) -> tuple[Repair, ...]:
    """`---` before each object that begins in the lines of another."""
    heads = [*_HEAD.finditer(text)]
    pairs = [{each[1] for each in heads[at : at + 2]} for at in range(0, len(heads), 2)]
    edits = tuple([(each.start(), each.start(), "---\n") for each in heads[2::2]])
    return (Repair(edits),) if edits and all(map({"apiVersion", "kind"}.__eq__, pairs)) else ()


def _complaint(text: str) -> Complaint | None:
    for reading in read_chunk(text, DEFAULT_LIMITS.max_depth, DEFAULT_LIMITS.max_nodes):
        if reading.data is None and reading.complaints:
            return reading.complaints[0]
    return None


def _candidates(text: str, complaint: Complaint) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Ways to repair what the reader complains of, the most likely first."""
    if complaint.reason == "tab-indent":
        yield from _without_tabs(text)
    if complaint.reason != "yaml-syntax" or "unknown anchor" in complaint.message:
        return
    start = text.rfind("\n", 0, complaint.start) + 1
    for above in (0, 1, 2):  # what is wrong may only show below it
        at = _above(text, start, above)
        written = text[at : _end(text, at)]
        if (dash := _DASH.match(written)) is not None:
            yield ((at + dash.end(), at + dash.end(), " "),)
        if (key := _NO_BLANK.match(written)) is not None:
            yield ((at + key.end(), at + key.end(), " "),)
        if (key := _EQUALS.match(written)) is not None:
            yield ((at + key.start(1), at + key.end(1), ": "),)
    yield from _signs(text, start)
    yield from _quotes(text, start)
    yield from _indented(text, start)
    if complaint.context is not None and text.startswith(("[", "{"), complaint.context):
        bracket = text[complaint.context]
        end = _written_end(text, text.rfind("\n", 0, complaint.context) + 1)
        yield ((end, end, "]" if bracket == "[" else "}"),)
    if (quoted := _quoted(text, start)) is not None:
        yield (quoted,)


def _signs(text: str, start: int) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Lines that are no YAML at all, and keys without a colon, here or above."""
    for above in (0, 1):
        at = _above(text, start, above)
        written = text[at : _end(text, at)]
        if not written.strip(". \r…") or written.lstrip().startswith(_NO_YAML):
            yield ((at, at + len(written), ""),)
        if not written.strip("-–— \r"):
            yield ((at, at + len(written), "---"),)
        key = _KEY.match(written)
        rest = written[key.end() :].strip() if key is not None else ":"
        if key is not None and rest[:1] not in (":", "=", "#") and " " not in rest:
            yield ((at + key.end(), at + key.end(), ":"),)


def _quotes(text: str, start: int) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Quotes that nothing closes, here or above, and quotes inside of quotes."""
    line = text[start : _end(text, start)]
    quoted = _quoted(text, start, within=True)
    if quoted is not None and line.count('"') % 2 == line.count("'") % 2 == 0:
        yield (quoted,)
    at = start
    for _ in range(LINES_OF_A_QUOTE):
        written = text[at : _end(text, at)]
        value = _VALUE.match(written)
        quote = value[1][0] if value is not None else ""
        if quote in ("'", '"') and value is not None and value[1].count(quote) % 2:
            end = _written_end(text, at)
            if '"' in text[at + value.start(1) + 1 : end] and quote == '"':
                yield ((at + value.start(1), at + value.start(1) + 1, ""),)
            yield ((end, end, quote),)
        if at == 0:
            break
        at = _above(text, at, 1)
    if quoted is not None:
        yield (quoted,)


def _quoted(text: str, start: int, *, within: bool = False) -> tuple[int, int, str] | None:
    """The value of a line in single quotes; `within` for one that begins with a quote."""
    value = _VALUE.match(text[start : _end(text, start)])
    if value is None or value[1][0] in "|>#" or within is not (value[1][0] in "\"'"):
        return None
    inner = value[1]
    quote = inner[0]
    if within and inner[-1] == quote and len(inner) > 1:
        # Quotes around quotes: the first within opens a text, as in x["y"]; not so in "x" == "y".
        first = inner.find(quote, 1)
        if not inner[first - 1].isalnum():
            inner = inner[1:-1]
    elif within and inner.count(quote) % 2:
        inner = inner[1:]  # nothing closes the first
    text_of = inner.replace("'", "''")
    return start + value.start(1), start + value.end(1), f"'{text_of}'"


def _without_tabs(text: str) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Blanks in place of tabs: those of the lines around one line, else as many for each."""
    tabbed = [*_TABBED.finditer(text)]
    if len(tabbed) == 1:
        for width in _widths(text, tabbed[0].start()):
            yield ((*tabbed[0].span(), " " * width),)
    for width in (2, 4, 8, 1, 3):
        yield tuple([(*each.span(), each[0].replace("\t", " " * width)) for each in tabbed])
    if len(tabbed) > 1:
        for width in _widths(text, tabbed[0].start()):
            yield ((*tabbed[0].span(), " " * width),)


def _indented(text: str, start: int) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """A line at the level of the lines around it, with what is below it or alone."""
    own = _width(text, start)
    lines = [start]
    at = _end(text, start) + 1
    above = _above(text, start, 1)
    is_text = text[above : _end(text, above)].rstrip().endswith(_BLOCK)
    if not (is_text or _is_key(text, start) or text[start:].lstrip().startswith("- ")):
        return
    while at < len(text) and (_width(text, at) > own or (is_text and not _is_key(text, at))):
        lines.append(at)
        at = _end(text, at) + 1
    rest = [at for at in _starts(text, start) if _width(text, at) >= own]
    for width in _widths(text, start):
        for moved in (lines, lines[:1], rest):
            if width >= own:
                yield tuple([(each, each, " " * (width - own)) for each in moved])
            else:
                yield tuple([(each, each + own - width, "") for each in moved])


def _starts(text: str, start: int) -> Iterator[int]:
    """Where the lines begin from one on."""
    while start < len(text):
        yield start
        start = _end(text, start) + 1


def _widths(text: str, start: int) -> Iterator[int]:
    """How far a line may be indented, by the lines before and after it."""
    above, below = _above(text, start, 1), _end(text, start) + 1
    while below < len(text) and not text[below : _end(text, below)].strip():
        below = _end(text, below) + 1
    written = text[above : _end(text, above)].rstrip()
    key = _KEY.match(written)
    level = _width(text, above) if key is None else len(key[1]) + len(key[2])
    after = _width(text, below) if below < len(text) else -1
    found = [level, after, _width(text, above)]
    if written.endswith((":", *_BLOCK)):
        found = [after if after > level else level + 2, *found]
    at = above
    while at > 0 and level > 0:  # the levels above
        at = _above(text, at, 1)
        level = min(level, _width(text, at))
        found.append(level)
    yield from (each for each in dict.fromkeys(found) if each >= 0)


def _above(text: str, start: int, count: int) -> int:
    """Where the line begins that is so many written lines above one."""
    for _ in range(count):
        while start > 0:
            start = text.rfind("\n", 0, start - 1) + 1
            written = text[start : _end(text, start)].strip()
            if written and not written.startswith("#"):
                break
    return start


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _written_end(text: str, start: int) -> int:
    """Where the text of a line ends, before a comment."""
    line = text[start : _end(text, start)]
    return start + len(line.partition(" #")[0].rstrip())


def _width(text: str, start: int) -> int:
    line = text[start : _end(text, start)]
    return len(line) - len(line.lstrip(" "))


def _is_key(text: str, start: int) -> bool:
    written: Sequence[str] = text[start : _end(text, start)].split(": ")
    key = _KEY.match(written[0])
    return key is not None and written[0][key.end() :].strip() in ("", ":")
