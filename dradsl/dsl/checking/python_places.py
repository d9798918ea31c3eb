"""Places in a user's Python: the argument of a call that a field of an object comes from."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.diagnostics import Span
from dradsl.dsl.checking.python_calls import keyword_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.dsl.data.fragment import FieldPath
    from dradsl.dsl.data.places import PythonPlace

__all__ = ["Sources", "shown_path"]

# Builder -> what its arguments without a name are.
_POSITIONAL = {
    "Request": ("name", "device_class"),
    "same": ("matchAttribute",),
    "distinct": ("distinctAttribute",),
}


def shown_path(path: str) -> str:
    """A path as reports show it: from the working directory, where it is below that."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


@dataclass(slots=True)
class Sources:
    """The Python files that findings point into; `texts` are theirs by the path that is shown."""

    texts: dict[str, str] = field(default_factory=dict)
    _calls: dict[str, dict[tuple[int, int], ast.Call]] = field(default_factory=dict)

    def place(self, place: PythonPlace, below: FieldPath = ()) -> tuple[str, Span]:
        """Path and span of a call, or of its argument for the field `below` what it builds."""
        path = shown_path(place.path)
        if path not in self.texts:
            self.texts[path] = _read(place.path)
        argument = self._argument(path, place, below) if below else None
        return path, _in_characters(argument or place.span, self.texts[path])

    def _argument(self, path: str, place: PythonPlace, below: FieldPath) -> Span | None:
        if path not in self._calls:
            self._calls[path] = dict(_calls_in(self.texts[path]))
        span = place.span
        call = self._calls[path].get((span.line, span.column - 1))
        if call is None or (call.end_lineno, call.end_col_offset) != (
            span.end_line,
            span.end_column - 1,
        ):
            return None
        found = _argument_of(call, tuple(part for part in below if part not in ("exactly", "spec")))
        if found is None or found.end_lineno is None or found.end_col_offset is None:
            return None
        return Span(found.lineno, found.col_offset + 1, found.end_lineno, found.end_col_offset + 1)


def _argument_of(call: ast.Call, below: FieldPath) -> ast.expr | None:
    if not below or not isinstance(below[0], str):
        return None
    name = below[0]
    wanted = keyword_of(name)
    builder = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    positional = dict(zip(_POSITIONAL.get(builder, ("name",)), call.args, strict=False))
    by_name = {keyword.arg: keyword.value for keyword in call.keywords}
    value = by_name.get(wanted) or positional.get(wanted) or positional.get(name)
    if isinstance(value, ast.List | ast.Tuple) and len(below) > 1 and isinstance(below[1], int):
        items = value.elts
        return items[below[1]] if below[1] < len(items) else value
    return value


def _calls_in(source: str) -> Iterator[tuple[tuple[int, int], ast.Call]]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield (node.lineno, node.col_offset), node


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _in_characters(span: Span, source: str) -> Span:
    """A span with columns in characters; Python counts them in bytes."""
    lines = re.split(r"\r\n?|\n", source)
    if span.line > len(lines):
        return span
    line = lines[span.line - 1]

    def characters(byte_column: int) -> int:
        return len(line.encode()[: byte_column - 1].decode(errors="ignore")) + 1

    # Of a call over several lines, its first one: that is where its name stands.
    end = characters(span.end_column) if span.line == span.end_line else len(line) + 1
    return Span(span.line, characters(span.column), span.line, end)
