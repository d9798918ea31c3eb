"""Text edits at the places of nodes: what is not edited stays as it is, to the byte.

The builders read node positions and return edits of the original text; `apply` makes them all at
once. They know block and flow style, keep comments, and write the line ends that the file has.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort

from dradsl.diagnostics import Edit, Fix
from dradsl.records import Record
from dradsl.text.lines import Lines
from dradsl.text.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from dradsl.text.render import render_block, render_flow, render_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "as_item",
    "EditError",
    "OverlapError",
    "apply",
    "compatible",
    "delete_entry",
    "delete_item",
    "edit",
    "hoist",
    "insert_entry",
    "insert_item",
    "nest",
    "rename_key",
    "replace_node",
    "replace_value",
]


class EditError(ValueError):
    """The text cannot be edited so: the node is elsewhere (an alias), or nowhere."""


class OverlapError(ValueError):
    """Two edits change the same characters."""


class _Change(Record):
    start: int
    end: int
    order: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all edits made, which are all of the text as given.

    Insertions at one place follow each other in the order of `edits`. Raises OverlapError.
    """
    parts: list[str] = []
    position = 0
    for change in _sorted(Lines(text), edits):
        if change.start < position:
            raise OverlapError(f"two edits change the text at offset {change.start}")
        parts += (text[position : change.start], change.text)
        position = change.end
    return "".join(parts) + text[position:]


def compatible(text: str, fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes, first come first served, that can be made together; those left out overlap one.

    Two insertions at one place, by two fixes, count as an overlap: their order is not known.
    """
    lines = Lines(text)
    taken: list[tuple[int, int]] = []
    chosen: list[Fix] = []
    for fix in fixes:
        places = [(change.start, change.end) for change in _sorted(lines, fix.edits)]
        own = any(a[1] > b[0] for a, b in itertools.pairwise(places))
        if not own and not any(_touches_one_of(taken, place) for place in places):
            for place in places:
                insort(taken, place)
            chosen.append(fix)
    return chosen


def _touches_one_of(taken: Sequence[tuple[int, int]], place: tuple[int, int]) -> bool:
    """Whether the place touches one of those that are taken, which are sorted and touch not each other."""
    at = bisect_left(taken, (place[0], -1))
    if at > 0 and _touches(place, taken[at - 1]):
        return True
    while at < len(taken) and taken[at][0] <= place[1]:
        if _touches(place, taken[at]):
            return True
        at += 1
    return False


def _sorted(lines: Lines, edits: Iterable[Edit]) -> list[_Change]:
    changes = []
    for order, item in enumerate(edits):
        span = item.span
        start = lines.offset(span.line, span.column)
        end = lines.offset(span.end_line, span.end_column)
        changes.append(_Change(start, end, order, item.new_text))
    # At one place insertions come before what replaces the text that follows.
    changes.sort(key=lambda change: (change.start, change.end > change.start, change.order))
    return changes


def _touches(a: tuple[int, int], b: tuple[int, int]) -> bool:
    if a[0] == a[1] or b[0] == b[1]:
        return a[0] <= b[1] and b[0] <= a[1]
    return a[0] < b[1] and b[0] < a[1]


def edit(lines: Lines, start: int, end: int, text: str) -> Edit:
    """The edit that puts `text` in the place of the characters from `start` to `end`."""
    return Edit(lines.span(start, end), text)


def replace_node(node: Node, value: object) -> Edit:
    """Puts `value` where `node` stands. A block collection stays one, if `value` is of its kind."""
    lines = node.lines
    if _same_block(node, value):
        text = _rendered(lines, value, _column(lines, node.start), node.end)
    else:
        text = (" " if node.start == node.end else "") + render_flow(value)
    return edit(lines, node.start, node.end, text)


def replace_value(mapping: MappingNode, entry: Entry, value: object) -> Edit:
    """Gives the entry another value. A collection in the place of a scalar goes below its key."""
    _reject_merged(entry)
    lines = mapping.lines
    start, end = _value_range(entry)
    if _same_block(entry.value, value) and not entry.alias:
        return edit(lines, start, end, _rendered(lines, value, _column(lines, start), end))
    colon = lines.text.find(":", entry.key.end) + 1
    if lines.text[colon:start].strip():
        # A comment, an anchor or a tag is between: it stays.
        colon = start
    if mapping.flow or not (isinstance(value, dict | list) and value):
        space = " " if colon < start or start == end else ""
        return edit(lines, colon, end, space + render_flow(value))
    column = _column(lines, entry.key.start) + (2 if isinstance(value, dict) else 0)
    space = _newline(lines) + " " * column
    if colon == start and not lines.text[_line_start(lines, start) : start].strip():
        column = max(column, _column(lines, start))
        space = " " * (column - _column(lines, start))
    return edit(lines, colon, end, space + _rendered(lines, value, column, end))


def rename_key(entry: Entry, name: str) -> Edit:
    """Gives the entry another key. Raises EditError for what a merge brought in."""
    _reject_merged(entry)
    key = entry.key
    text = render_scalar(name, key=True)
    if text == name and (key.style == '"' or key.lines.text[key.end + 1 : key.end + 2].strip()):
        # JSON needs its quotes, and behind a plain key a colon without a space ends nothing.
        text = f'"{name}"'
    return edit(key.lines, key.start, key.end, text)


def delete_entry(mapping: MappingNode, entry: Entry) -> list[Edit]:
    """Takes the entry out, with the comment on its last line; comments above it stay."""
    _reject_merged(entry)
    written = _written(mapping)
    end = _value_range(entry)[1]
    if mapping.flow:
        places = [(item.key.start, _value_range(item)[1]) for item in written]
        return [_delete_between(mapping.lines, places, written.index(entry))]
    if len(written) == 1 and len(mapping.entries) == 1 and "<<" not in _source(mapping):
        return [edit(mapping.lines, entry.key.start, end, "{}")]
    following = [item.key.start for item in written if item.key.start > entry.key.start]
    return [_delete_lines(mapping.lines, entry.key.start, end, min(following, default=None))]


def delete_item(sequence: SequenceNode, index: int) -> list[Edit]:
    """Takes an item out of a sequence, with the comment on its last line."""
    places = _item_ranges(sequence)
    if sequence.flow:
        return [_delete_between(sequence.lines, places, index)]
    if len(places) == 1:
        return [edit(sequence.lines, *places[0], "[]")]
    following = places[index + 1][0] if index + 1 < len(places) else None
    return [_delete_lines(sequence.lines, *places[index], following)]


def insert_entry(
    mapping: MappingNode, name: str, value: object, *, after: Entry | None = None
) -> Edit:
    """Adds `name: value` after an entry, by default after the last one."""
    lines, written = mapping.lines, _written(mapping)
    if mapping.flow:
        text = f"{render_scalar(name, key=True)}: {render_flow(value)}"
        places = [(item.key.start, _value_range(item)[1]) for item in written]
        index = written.index(after) if after else len(written) - 1
        return _insert_between(lines, mapping.start, places, index, text)
    if not written:
        raise EditError("all entries of this mapping come from a merge")
    anchor = after or max(written, key=lambda item: item.key.start)
    _reject_merged(anchor)
    column = _column(lines, anchor.key.start)
    newline = _newline(lines)
    text = newline + " " * column + render_block({name: value}, column, newline)
    at = _past_comments(lines, _line_end(lines, _value_range(anchor)[1]), column)
    return edit(lines, at, at, text + _last_newline(lines, at, value))


def insert_item(sequence: SequenceNode, value: object, *, index: int | None = None) -> Edit:
    """Adds an item before position `index`, by default at the end."""
    lines, places = sequence.lines, _item_ranges(sequence)
    before = len(places) if index is None else min(index, len(places))
    if sequence.flow:
        return _insert_between(lines, sequence.start, places, before - 1, render_flow(value))
    newline = _newline(lines)
    first = places[0][0]
    column = _column(lines, first)
    text = render_block([value], column, newline)
    if before == 0:
        return edit(lines, first, first, text + newline + " " * column)
    at = _past_comments(lines, _line_end(lines, places[before - 1][1]), column)
    text = newline + " " * column + text + _last_newline(lines, at, value)
    return edit(lines, at, at, text)


def nest(mapping: MappingNode, names: Sequence[str], key: str) -> list[Edit]:
    """Moves the entries called `names` under a new `key` that takes the place of the first.

    `{name: a, count: 2}` with count under `exactly` becomes `{name: a, exactly: {count: 2}}`.
    Comments above the moved entries, and on their lines, move along.
    """
    moved = [entry for entry in _written(mapping) if entry.name in set(names)]
    if not moved:
        raise EditError(f"no entry is called {' or '.join(names)}")
    if mapping.flow:
        return _nest_flow(mapping, moved, key)
    return _nest_block(mapping, moved, key)


def hoist(mapping: MappingNode, entry: Entry) -> list[Edit]:
    """Puts the entries of the mapping under `entry` in the place of `entry`: the reverse of nest.

    Raises EditError where the value is no mapping written there.
    """
    _reject_merged(entry)
    value, lines = entry.value, mapping.lines
    if not isinstance(value, MappingNode) or entry.alias or not _written(value):
        raise EditError(f"the value of {entry.name} is not a mapping written here")
    inner = _written(value)
    first, last = inner[0].key.start, _value_range(inner[-1])[1]
    if value.flow and not mapping.flow:
        column = _column(lines, entry.key.start)
        separator = _newline(lines) + " " * column
        text = separator.join(lines.text[i.key.start : _value_range(i)[1]] for i in inner)
        return [edit(lines, entry.key.start, value.end, text)]
    if value.flow:
        return [edit(lines, entry.key.start, first, ""), edit(lines, last, value.end, "")]
    shift = _column(lines, entry.key.start) - _column(lines, first)
    comments = _comments_between(lines, entry.key.end, first)
    margin = " " * _column(lines, entry.key.start)
    kept = "".join(f"{comment}{_newline(lines)}{margin}" for comment in comments)
    edits = [edit(lines, entry.key.start, first, kept)]
    return edits + _shift_lines(lines, first, last, shift)


def as_item(mapping: MappingNode) -> list[Edit]:
    """Makes the mapping the one item of a list."""
    lines, first, last = mapping.lines, mapping.start, mapping.end
    if mapping.flow:
        return [edit(lines, first, first, "["), edit(lines, last, last, "]")]
    return [edit(lines, first, first, "- "), *_shift_lines(lines, first, last, 2)]


def under(node: Node, key: int, name: str) -> Edit:
    """Puts a scalar under `name`, in a block below the key at `key`."""
    margin = _newline(node.lines) + " " * (_column(node.lines, key) + 2)
    return edit(node.lines, node.start, node.start, f"{margin}{name}: ")


# How entries and items lie in the text.


def _reject_merged(entry: Entry) -> None:
    if entry.merged:
        raise EditError(f"{entry.name} comes from a merge and is written elsewhere")


def _written(mapping: MappingNode) -> list[Entry]:
    entries = [entry for entry in mapping.entries if not entry.merged]
    return sorted(entries, key=lambda entry: entry.key.start)


def _source(node: Node) -> str:
    return node.lines.text[node.start : node.end]


def _value_range(entry: Entry) -> tuple[int, int]:
    if entry.alias is not None:
        lines, span = entry.key.lines, entry.alias
        return lines.offset(span.line, span.column), lines.offset(span.end_line, span.end_column)
    if entry.value.end < entry.key.end:
        raise EditError(f"the value of {entry.name} is written elsewhere")
    return entry.value.start, entry.value.end


def _item_ranges(sequence: SequenceNode) -> list[tuple[int, int]]:
    """From the dash (in flow style: from the item) to the end of each item."""
    places: list[tuple[int, int]] = []
    for index, item in enumerate(sequence.items):
        start, end = item.start, item.end
        alias = sequence.aliases[index] if index < len(sequence.aliases) else None
        if alias is not None:
            start = sequence.lines.offset(alias.line, alias.column)
            end = sequence.lines.offset(alias.end_line, alias.end_column)
        if not sequence.flow:
            # Only white space and comments lie between the dash and its item.
            low = places[-1][1] if places else sequence.start
            start = _dash(sequence.lines.text, low, start)
        places.append((start, end))
    return places


def _dash(text: str, low: int, high: int) -> int:
    """The offset of the dash that introduces the item at `high`."""
    position = low
    while position < high:
        character = text[position]
        if character == "#":
            position = text.find("\n", position)
        elif character == "-":
            return position
        position += 1
    return low


def _column(lines: Lines, offset: int) -> int:
    return lines.position(offset)[1] - 1


def _line_start(lines: Lines, offset: int) -> int:
    return lines.text.rfind("\n", 0, offset) + 1


def _line_end(lines: Lines, offset: int) -> int:
    """The end of the line at `offset`, before its line end."""
    end = lines.text.find("\n", offset)
    end = len(lines.text) if end < 0 else end
    return end - 1 if end > offset and lines.text[end - 1] == "\r" else end


def _last_newline(lines: Lines, at: int, value: object) -> str:
    """The line end that a value needs at the end of a text: a block scalar there has none of its own."""
    while isinstance(value, dict | list) and value:
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    ends = isinstance(value, str) and value.endswith("\n")
    return _newline(lines) if ends and at == len(lines.text) else ""


def _past_comments(lines: Lines, end: int, column: int) -> int:
    """The end of the last comment after the line that ends at `end` which stands deeper than `column`: it belongs to
    what is there."""
    at = end
    while True:
        start = _next_line(lines, at)
        if start <= at:
            return end
        at = _line_end(lines, start)
        line = lines.text[start:at]
        text = line.lstrip(" ")
        if text and not text.isspace():
            if text[0] != "#" or len(line) - len(text) <= column:
                return end
            end = at


def _next_line(lines: Lines, offset: int) -> int:
    end = lines.text.find("\n", offset)
    return len(lines.text) if end < 0 else end + 1


def _newline(lines: Lines) -> str:
    end = lines.text.find("\n")
    return "\r\n" if end > 0 and lines.text[end - 1] == "\r" else "\n"


def _same_block(node: Node, value: object) -> bool:
    """Whether `value` can be in the place of a block collection, being of the same kind."""
    if isinstance(node, ScalarNode) or node.flow or not value:
        return False
    return isinstance(value, dict if isinstance(node, MappingNode) else list)


def _rendered(lines: Lines, value: object, column: int, end: int) -> str:
    """`value` as a block at `column`; a comment may follow at `end` on the same line."""
    alone = not lines.text[end : _line_end(lines, end)].strip()
    return render_block(value, column, _newline(lines), literal=alone)


# Deleting and inserting.


def _delete_between(lines: Lines, places: list[tuple[int, int]], index: int) -> Edit:
    """Deletes one of the places of a flow collection and one comma."""
    start, end = places[index]
    if index + 1 < len(places):
        end = places[index + 1][0]
    elif index > 0:
        start = places[index - 1][1]
    return edit(lines, start, end, "")


def _insert_between(
    lines: Lines, opening: int, places: list[tuple[int, int]], index: int, text: str
) -> Edit:
    if not places:
        at = lines.text.find("{", opening) + 1 if lines.text[opening] == "{" else opening + 1
        return edit(lines, at, at, text)
    if index < 0:
        return edit(lines, places[0][0], places[0][0], f"{text}, ")
    at = places[index][1]
    return edit(lines, at, at, f", {text}")


def _delete_lines(lines: Lines, start: int, end: int, following: int | None) -> Edit:
    """Deletes an entry or item of a block collection; `following` is the start of the next one."""
    text = lines.text
    line_start = _line_start(lines, start)
    if not text[line_start:start].strip():
        stop = _next_line(lines, end)
        if stop == len(text) and not text.endswith("\n") and line_start > 0:
            line_start = _line_end(lines, line_start - 1 if line_start else 0)
            line_start -= line_start > 0 and text[line_start - 1 : line_start] == "\r"
        return edit(lines, line_start, stop, "")
    if following is None:
        return edit(lines, start, end, "")
    # The first entry of an item is behind the dash: the next one takes its place.
    if _comments_between(lines, _next_line(lines, end), following):
        return edit(lines, start, _line_end(lines, end), "")
    return edit(lines, start, following, "")


# Nesting and hoisting.


def _nest_flow(mapping: MappingNode, moved: list[Entry], key: str) -> list[Edit]:
    lines = mapping.lines
    written = _written(mapping)
    run = _leading_run(written, moved)
    start, end = run[0].key.start, _value_range(run[-1])[1]
    rest = [entry for entry in moved if entry not in run]
    tail = "".join(f", {lines.text[e.key.start : _value_range(e)[1]]}" for e in rest)
    edits = [
        edit(lines, start, start, f"{render_scalar(key, key=True)}: {{"),
        edit(lines, end, end, tail + "}"),
    ]
    # What moves is after the run, so there is always an entry before it.
    for entry in rest:
        before = written[written.index(entry) - 1]
        edits.append(edit(lines, _value_range(before)[1], _value_range(entry)[1], ""))
    return edits


def _leading_run(written: list[Entry], moved: list[Entry]) -> list[Entry]:
    """The first moved entry and those that follow it without a gap."""
    run = [moved[0]]
    for entry in written[written.index(moved[0]) + 1 :]:
        if entry not in moved:
            break
        run.append(entry)
    return run


def _nest_block(mapping: MappingNode, moved: list[Entry], key: str) -> list[Edit]:
    lines, newline = mapping.lines, _newline(mapping.lines)
    written = _written(mapping)
    run = _leading_run(written, moved)
    start, end = run[0].key.start, _value_range(run[-1])[1]
    column = _column(lines, start)
    head = f"{render_scalar(key, key=True)}:{newline}{' ' * (column + 2)}"
    edits = [edit(lines, start, start, head), *_shift_lines(lines, start, end, 2)]
    at = _line_end(lines, end)
    for entry in moved:
        if entry in run:
            continue
        previous = written[written.index(entry) - 1]
        begin = _next_line(lines, _value_range(previous)[1])
        stop = _line_end(lines, _value_range(entry)[1])
        block = lines.text[begin:stop]
        deeper = newline.join(
            f"  {line}" if line.strip() else line for line in block.split(newline)
        )
        edits.append(edit(lines, at, at, newline + deeper))
        # The line end before goes along, so that a file that ends without one still does.
        edits.append(edit(lines, _line_end(lines, _value_range(previous)[1]), stop, ""))
    return edits


def _shift_lines(lines: Lines, start: int, end: int, columns: int) -> list[Edit]:
    """Re-indents the lines after the one at `start` up to the one at `end`."""
    edits = []
    position = _next_line(lines, start)
    while position < end:
        stop = _line_end(lines, position)
        line = lines.text[position:stop]
        if line.strip():
            if columns > 0:
                edits.append(edit(lines, position, position, " " * columns))
            else:
                spaces = min(-columns, len(line) - len(line.lstrip(" ")))
                edits.append(edit(lines, position, position + spaces, ""))
        position = _next_line(lines, position)
    return edits


def _comments_between(lines: Lines, start: int, end: int) -> list[str]:
    """The comments between two nodes."""
    found = []
    for line in lines.text[start:end].splitlines():
        _, mark, comment = line.partition("#")
        if mark:
            found.append(f"#{comment.rstrip()}")
    return found
