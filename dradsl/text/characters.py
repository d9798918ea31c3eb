"""A character inside a decoded string back to the character in the file.

Every style of scalar loses something on the way in: indentation, escapes, line breaks that fold.
The rules are those of libyaml's scanner (yaml_parser_scan_block_scalar, …_flow_scalar,
…_plain_scalar), which the Kubernetes reader shares.
"""

from __future__ import annotations

from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from dradsl.diagnostics import Span
    from dradsl.text.nodes import ScalarNode

__all__ = ["character_ranges", "is_known", "span_in_scalar"]

Range: TypeAlias = tuple[int, int]
_Piece: TypeAlias = tuple[str, int, int]

_SHORT = 2_000  # code points of a scalar whose places are kept: each takes more room than the text
_PROPERTIES = pattern(r"(?:[&!]\S*(?:\s|#[^\n]*\n)*)*")
_BREAK = pattern(r"\r\n|[\n\r\x85\u2028\u2029]")
# Blanks around line breaks, which fold; breaks alone are kept apart by _BREAK.
_FOLD = pattern(r"[ \t]*(?:\r\n|[\n\r\x85\u2028\u2029])[ \t\r\n\x85\u2028\u2029]*")
_HEADER = pattern(r"[|>][-+0-9]*[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?")
_TEXT = pattern(r"[^\r\n\x85\u2028\u2029]*")
_SPACES = pattern(r" *")
_ESCAPE = pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?s:.))"
)


def span_in_scalar(scalar: ScalarNode, start: int, end: int) -> Span:
    """Where the code points `start` up to `end` of the scalar's decoded text are in the file.

    The span of the whole scalar where that cannot be told (an empty or a synthetic scalar).
    """
    verbatim = _verbatim(scalar)
    if verbatim is not None and scalar.text:
        first, length = verbatim, len(scalar.text)
        start = min(max(start, 0), length)
        return scalar.lines.span(first + start, first + min(max(end, start), length))
    ranges = _kept_ranges(scalar)
    if ranges is None or not ranges:
        return scalar.span
    start = min(max(start, 0), len(ranges))
    end = min(max(end, start), len(ranges))
    first = ranges[start][0] if start < len(ranges) else ranges[-1][1]
    last = ranges[end - 1][1] if end > start else first
    return scalar.lines.span(first, last)


def character_ranges(scalar: ScalarNode) -> list[Range] | None:
    """For each code point of the scalar's text, the offsets in the file that stand for it.

    None if the file's text does not lead to the scalar's text.
    """
    verbatim = _verbatim(scalar)
    if verbatim is not None:
        end = verbatim + len(scalar.text)
        return list(zip(range(verbatim, end), range(verbatim + 1, end + 1), strict=True))
    text, start = scalar.lines.text, _content(scalar)
    if scalar.style in ("|", ">"):
        pieces = _block(text, start, scalar)
    elif scalar.style in ("'", '"'):
        pieces = _flow(text, start + 1, scalar.end - 1, scalar.style)
    else:
        pieces = _flow(text, start, scalar.end, "")
    ranges: list[Range] = []
    wanted = scalar.text
    for character, first, last in pieces:
        if len(ranges) == len(wanted):
            break
        if character != wanted[len(ranges)]:
            return None
        ranges.append((first, last))
    return ranges if len(ranges) == len(wanted) else None


def is_known(scalar: ScalarNode) -> bool:
    """Whether `character_ranges` can tell the places."""
    return _verbatim(scalar) is not None or _kept_ranges(scalar) is not None


def _kept_ranges(scalar: ScalarNode) -> Sequence[Range] | None:
    if len(scalar.text) > _SHORT:
        return character_ranges(scalar)
    kept: dict[str, list[Range] | None] = scalar.kept
    if "ranges" not in kept:
        kept["ranges"] = character_ranges(scalar)
    return kept["ranges"]


def _content(scalar: ScalarNode) -> int:
    """The offset behind anchor and tag."""
    match = _PROPERTIES.match(scalar.lines.text, scalar.start, scalar.end)
    return match.end() if match else scalar.start


def _verbatim(scalar: ScalarNode) -> int | None:
    """The offset of the first character of a plain or quoted scalar that is written as it reads: no escapes,
    no line breaks. None for others."""
    if scalar.style in ("|", ">"):
        return None
    start = _content(scalar)
    written = f"{scalar.style}{scalar.text}{scalar.style}"
    if scalar.end - start != len(written) or not scalar.lines.text.startswith(written, start):
        return None
    special = "\\" if scalar.style == '"' else "''" if scalar.style == "'" else ""
    if (special and special in scalar.text) or _BREAK.search(scalar.text) is not None:
        return None
    return start + len(scalar.style)


def _flow(text: str, start: int, end: int, style: str) -> Iterator[_Piece]:
    """The characters of a plain or quoted scalar between its delimiters."""
    position = start
    while position < end:
        fold = _FOLD.match(text, position, end)
        if fold:
            yield from _folded(text, position, fold.end(), escaped=False)
            position = fold.end()
        elif style == "'" and text.startswith("''", position):
            yield "'", position, position + 2
            position += 2
        elif style == '"' and text[position] == "\\":
            pieces, position = _escaped(text, position, end)
            yield from pieces
        else:
            yield text[position], position, position + 1
            position += 1


def _folded(text: str, start: int, end: int, escaped: bool) -> Iterator[_Piece]:
    """What line breaks fold to: one to a space, more to one less; none for an escaped one."""
    breaks = list(_BREAK.finditer(text, start, end))
    if not escaped:
        first = breaks.pop(0)
        if first[0] in "\u2028\u2029":
            yield first[0], first.start(), first.end()
        elif not breaks:
            yield " ", start, end
    for match in breaks:
        yield _normal(match[0]), match.start(), match.end()


def _escaped(text: str, position: int, end: int) -> tuple[list[_Piece], int]:
    """What an escape stands for, and where it ends."""
    line_break = _BREAK.match(text, position + 1, end)
    fold = _FOLD.match(text, position + 1, end)
    if line_break and fold:
        return list(_folded(text, line_break.end(), fold.end(), escaped=True)), fold.end()
    match = _ESCAPE.match(text, position, end)
    stop = match.end() if match else position + 1
    return [(_decode_escape(text[position:stop]), position, stop)], stop


_ESCAPES = dict(
    zip('0abt\tnvfre "/\\N_LP', '\0\a\b\t\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True)
)


def _decode_escape(escape: str) -> str:
    kind, digits = escape[1:2], escape[2:]
    if kind in "xuU" and len(digits) == 10:
        high, low = int(digits[:4], 16), int(digits[6:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if kind in ("x", "u", "U") and digits:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 else ""
    return _ESCAPES.get(kind, "")


def _block(text: str, start: int, scalar: ScalarNode) -> Iterator[_Piece]:
    """The characters of a literal or folded block, trailing line breaks included."""
    header = _HEADER.match(text, start)
    position = _after_break(text, header.end() if header else start)
    indent = _indent(text, position, scalar.text)
    literal = scalar.style == "|"
    leading: list[_Piece] = []
    was_blank = False
    position, trailing, inside = _empty_lines(text, position, indent)
    while inside:
        is_blank = text[position] in " \t"
        foldable = not literal and leading and leading[0][0] == "\n"
        if foldable and not was_blank and not is_blank:
            if not trailing:
                yield " ", leading[0][1], position
        else:
            yield from leading
        yield from trailing
        was_blank = is_blank
        stop = _end_of_line(text, position)
        for offset in range(position, stop):
            yield text[offset], offset, offset + 1
        position = _after_break(text, stop)
        leading = [(_normal(text[stop:position]), stop, position)] if position > stop else []
        position, trailing, inside = _empty_lines(text, position, indent)
    yield from leading
    yield from trailing


def _indent(text: str, position: int, decoded: str) -> int:
    """The indentation of a block: what its first line that is not blank has lost."""
    blank = len(decoded) - len(decoded.lstrip(" \n\t\x85\u2028\u2029"))
    kept_from = max(decoded.rfind("\n", 0, blank) + 1, 0)
    kept = len(decoded[kept_from:]) - len(decoded[kept_from:].lstrip(" "))
    while position < len(text):
        stop = _end_of_line(text, position)
        line = text[position:stop]
        if line.strip(" \t"):
            return len(line) - len(line.lstrip(" ")) - kept
        position = _after_break(text, stop)
        if position == stop:
            break
    return 0


def _empty_lines(text: str, position: int, indent: int) -> tuple[int, list[_Piece], bool]:
    """Passes indentation and empty lines.

    Gives where the next content begins, the breaks passed, and whether the block goes on there.
    """
    breaks: list[_Piece] = []
    while True:
        spaces = _SPACES.match(text, position, position + indent)
        stop = spaces.end() if spaces else position
        match = _BREAK.match(text, stop)
        if match is None:
            return stop, breaks, stop - position == indent and stop < len(text)
        breaks.append((_normal(match[0]), match.start(), match.end()))
        position = match.end()


def _end_of_line(text: str, position: int) -> int:
    match = _TEXT.match(text, position)
    return match.end() if match else position


def _after_break(text: str, position: int) -> int:
    match = _BREAK.match(text, position)
    return match.end() if match else position


def _normal(line_break: str) -> str:
    return line_break if line_break in ("\u2028", "\u2029") else "\n"
