"""What block YAML says line by line, whether or not it can be read as a whole: for texts that are being typed."""

from __future__ import annotations

from dradsl.records import Record, replace
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.text.paths import FieldPath

__all__ = ["Place", "Row", "place_at", "rows_around"]

_ROW = pattern(
    r"(?P<dashes>[ ]*(?:-[ ]+)*)(?P<key>[A-Za-z0-9_$./-]+|\"[^\"]*\"|'[^']*')[ ]*:(?:[ ]+(?P<value>.*))?$"
)
_ITEM = pattern(r"(?P<dashes>[ ]*(?:-[ ]+)*-)(?:[ ]+(?P<value>.*))?$")
_BLOCK = pattern(r"[|>][+\-0-9]*[ ]*(?:#.*)?$")
_KEY = pattern(r"(?P<dashes>[ ]*(?:-[ ]+)*)(?P<word>[A-Za-z0-9_./-]*)$")
_VALUE = pattern(r"(?P<dashes>[ ]*(?:-[ ]+)*)(?P<key>[A-Za-z0-9_$./-]+)[ ]*:[ ]+(?P<value>.*)$")


class Row(Record):
    """A key with what is behind it, or an item that is a value; `start` is the offset of the value."""

    path: FieldPath
    value: str
    start: int
    line: int


class Place(Record):
    """Where a cursor is: at a key that is being written (`path` leads to the mapping), or at a value.

    `word` is what is written of it so far, and begins at `column` if it is a key; `siblings` are the keys beside it. `objects` are the texts of
    apiVersion, kind and the like at the top of the document.
    """

    path: FieldPath
    is_key: bool
    word: str
    siblings: frozenset[str]
    rows: tuple[Row, ...]
    in_item: bool = False
    column: int = 0

    @property
    def top(self) -> Mapping[str, str]:
        """The plain values at the top of the document."""
        return {str(row.path[0]): _bare(row.value) for row in self.rows if len(row.path) == 1}


def rows_around(text: str, offset: int) -> tuple[tuple[Row, ...], int]:
    """The rows of the document around an offset, and where the document starts."""
    start = _document_start(text, offset)
    end = _document_end(text, offset)
    stack = _Stack()
    rows: list[Row] = []
    block: int | None = None
    at = start
    for number, line in enumerate(text[start:end].split("\n")):
        bare = line.rstrip("\r")
        indent = len(bare) - len(bare.lstrip(" "))
        if block is not None and (not bare.strip() or indent > block):
            at += len(line) + 1
            continue
        block = None
        if bare.strip() and not bare.lstrip().startswith("#"):
            row = stack.take(bare, at, number)
            if row is not None:
                rows.append(row)
                if _BLOCK.match(row.value):
                    block = stack.indent
        at += len(line) + 1
    return tuple(rows), start


def place_at(text: str, offset: int) -> Place | None:
    """Where the cursor stands; None where no key and no value of block YAML can be written."""
    rows, start = rows_around(text, offset)
    line_start = text.rfind("\n", 0, offset) + 1
    before = text[line_start:offset]
    stack = _Stack()
    block: int | None = None
    at = start
    for line in text[start:line_start].split("\n")[:-1]:
        bare = line.rstrip("\r")
        indent = len(bare) - len(bare.lstrip(" "))
        if not (block is not None and (not bare.strip() or indent > block)):
            block = None
            if bare.strip() and not bare.lstrip().startswith("#"):
                row = stack.take(bare, at, 0)
                if row is not None and _BLOCK.match(row.value):
                    block = stack.indent
        at += len(line) + 1
    written = len(before) - len(before.lstrip(" "))
    if block is not None and written > block:
        return None
    found = _VALUE.match(before)
    if found is not None:
        stack.take(f"{found['dashes']}{found['key']}:", at, 0)
        value = found["value"]
        if value[:1] in ("|", ">", "{", "&", "*"):
            return None
        in_item = value.startswith("[")
        word = value[1:].rpartition(",")[2].lstrip() if in_item else value
        return _rooted(Place(stack.path, False, word.lstrip("\"'"), frozenset(), rows, in_item))
    found = _KEY.match(before)
    if found is None:
        return None
    dashes = found["dashes"]
    path = stack.parent(dashes)
    siblings = frozenset(
        str(row.path[len(path)])
        for row in rows
        if len(row.path) > len(path) and row.path[: len(path)] == path
    )
    return _rooted(Place(path, True, found["word"], siblings, rows, column=len(dashes)))


def _rooted(place: Place) -> Place:
    """A place within an object that is below other keys, as in values of a chart, as one of that object."""
    kinds = {row.path[:-1] for row in place.rows if row.path[-1:] == ("kind",)}
    for end in range(1, len(place.path) + 1):
        root = place.path[:end]
        if () not in kinds and root in kinds:
            below = [each for each in place.rows if each.path[:end] == root and each.path != root]
            rows = tuple(replace(each, path=each.path[end:]) for each in below)
            return replace(place, path=place.path[end:], rows=rows)
    return place


class _Stack:
    """The way to the line at hand: each step with its column."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, str | int]] = []
        self.indent = 0

    @property
    def path(self) -> FieldPath:
        return tuple(step for _, step in self._steps)

    def take(self, line: str, at: int, number: int) -> Row | None:
        """Go on to a line; its row if it says something."""
        found = _ROW.match(line)
        if found is not None:
            column = self._dashes(found["dashes"])
            self._key(column, found["key"].strip("\"'"))
            value = found["value"] or ""
            start = at + (found.start("value") if found["value"] is not None else len(line))
            return Row(self.path, value, start, number)
        found = _ITEM.match(line)
        if found is None:
            return None
        self._dashes(found["dashes"])
        value = found["value"] or ""
        start = at + (found.start("value") if found["value"] is not None else len(line))
        return Row(self.path, value, start, number)

    def parent(self, dashes: str) -> FieldPath:
        """The way to the mapping or list in which a word after these spaces and dashes stands."""
        column = self._dashes(dashes)
        while self._steps and (
            self._steps[-1][0] >= column
            and not (isinstance(self._steps[-1][1], int) and self._steps[-1][0] < column)
        ):
            self._steps.pop()
        return self.path

    def _dashes(self, dashes: str) -> int:
        for column, sign in enumerate(dashes):
            if sign == "-":
                self._item(column)
        return len(dashes)

    def _item(self, column: int) -> None:
        steps = self._steps
        while steps and steps[-1][0] > column:
            steps.pop()
        index = 0
        if steps and steps[-1][0] == column and isinstance(steps[-1][1], int):
            index = int(steps.pop()[1]) + 1
        steps.append((column, index))
        self.indent = column

    def _key(self, column: int, name: str) -> None:
        steps = self._steps
        while steps and steps[-1][0] >= column:
            steps.pop()
        steps.append((column, name))
        self.indent = column


def _document_start(text: str, offset: int) -> int:
    line = text.rfind("\n", 0, offset) + 1
    while line > 0:
        if text.startswith("---", line):
            return text.find("\n", line) + 1 if text.find("\n", line) >= 0 else len(text)
        line = text.rfind("\n", 0, line - 1) + 1
    if text.startswith("---") and "\n" in text[:offset]:
        return text.find("\n") + 1
    return 0


def _document_end(text: str, offset: int) -> int:
    found = text.find("\n---", offset)
    return len(text) if found < 0 else found


def _bare(value: str) -> str:
    word = value.split(" #")[0].strip()
    return word.strip("\"'")
