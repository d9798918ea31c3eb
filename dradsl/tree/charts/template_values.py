"""What the values of a chart make of the simple actions in its templates: references to values, with functions of Helm
whose result follows from the value alone.

Everything else is not known: templates that are included, values that are empty or stand for others, and what is
behind a condition that these values do not meet.
"""

from __future__ import annotations

import json

from dradsl.records import Record
from dradsl.text.splitting import has_marks
from dradsl.tree.charts.go_template import Action, Block, Node, Template
from dradsl.values.limits import LONGEST_OF_VALUES
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


__all__ = ["Written", "key_of", "value_of", "written_by"]

_REFERENCE = pattern(r"(?:(?P<call>\S.*\S|\S)\s+)?\$?\.Values(?P<key>(?:\.[A-Za-z_]\w*)+)")
_CALL = pattern(
    r"(?P<name>[A-Za-z]+)(?:\s+(?:\"(?P<text>[^\"\\]*)\"|(?P<number>0|[1-9][0-9]{0,5})))?"
)
_ASCII = pattern(r"[ -~]*")  # Go quotes it as JSON does
_CHANGES = pattern(r"\b(?:set|unset|merge|mergeOverwrite|mustMerge|mustMergeOverwrite)\b.*\.Values")
_WITH_EXPONENT = 1_000_000  # from here on Go may write a number so


class Written(Record):
    """What an action writes, and the key of the value."""

    text: str
    key: tuple[str, ...]


def written_by(template: Template, values: Mapping[str, Any]) -> dict[int, Written]:
    """What the actions of a template write, by their offsets: those that these values make known; nothing if that is
    more than any chart writes, or if an action changes values."""
    if any(_CHANGES.search(each.inner) for each in template.actions):
        return {}
    found: dict[int, Written] = {}
    left = LONGEST_OF_VALUES
    waiting: list[tuple[Node, bool]] = [(node, True) for node in template.nodes]
    while waiting:
        node, at_top = waiting.pop()
        if isinstance(node, Block):
            at_top &= node.opening.word == "if"  # elsewhere the dot may be another one
            if node.opening.word not in ("define", "block"):
                waiting += [(each, at_top) for each in _taken(node, values)]
        elif isinstance(node, Action) and (at_top or "$.Values" in node.inner):
            made, written = _written(node.inner, values)
            if written is not None and not _joins(node, template.text, written.text):
                found[node.start] = written
            left -= made
            if left < 0:
                return {}
    return found


def _joins(action: Action, text: str, written: str) -> bool:
    """Whether the marks of an action remove blanks beside what it writes."""
    before, after = text[: action.start][-1:], text[action.end :][:1]
    left = text[action.start + 2] == "-" and before.isspace() and not written.startswith("\n")
    return left or (text[action.end - 3] == "-" and after.isspace())


def key_of(inner: str) -> tuple[str, ...] | None:
    """The key of the value that an action, or a condition, is about."""
    found = _REFERENCE.fullmatch(inner.split("|")[0].strip())
    return None if found is None else tuple(found["key"].split(".")[1:])


def _taken(block: Block, values: Mapping[str, Any]) -> Iterator[Node]:
    """The nodes of the branches that may be rendered with these values."""
    for branch in block.branches:
        condition = branch.action.rest
        if branch.action.word == "else":
            condition = condition.partition("if ")[2] if condition.startswith("if ") else ""
        holds = _holds(condition.strip(), values) if block.opening.word == "if" else None
        if holds is not False:
            yield from branch.nodes
        if holds:
            return


def _holds(condition: str, values: Mapping[str, Any]) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    negated = condition.startswith("not ")
    key = key_of(condition.removeprefix("not "))
    if key is None or " " in condition.removeprefix("not ").strip():
        return None
    return bool(value_of(values, key)) is not negated


def value_of(values: Mapping[str, Any], key: Sequence[str]) -> Any:
    """The value at a key; None if there is none."""
    data: Any = values
    for step in key:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _written(inner: str, values: Mapping[str, Any]) -> tuple[int, Written | None]:
    """How many characters were made on the way, and what an action writes; None if that is not known."""
    first, *pipes = (each.strip() for each in inner.split("|"))
    found, key, made = _REFERENCE.fullmatch(first), key_of(first), 0
    if found is None or key is None:
        return 0, None
    value: Any = value_of(values, key)
    for call in (*filter(None, [found["call"]]), *pipes):
        value = _called(call, value)
        made += len(value) if isinstance(value, str) else 0
        if value is None:
            return made, None
    text = _printed(value) or ""
    return made + len(text), None if not text or has_marks(text) else Written(text, key)


class _Output(str):
    """What a function has made for the text of the template: no function but those that indent takes it further."""

    __slots__ = ()


def _called(call: str, value: Any) -> Any:
    """What a function makes of a value; None if that is not known."""
    match = _CALL.fullmatch(call)
    if match is None:
        return None
    name, text, number = match["name"], match["text"], match["number"]
    if name == "default":
        constant = text if text is not None else None if number is None else int(number)
        return value or constant
    if name in ("indent", "nindent"):
        if not isinstance(value, str) or number is None or len(number) > 2:
            return None
        blanks = " " * int(number)
        lines = _Output("\n".join(blanks + line for line in value.split("\n")))
        return _Output(f"\n{lines}") if name == "nindent" else lines
    known = _FUNCTIONS.get(name)
    if (text is not None and name != "required") or number is not None:
        return None
    if known is None or value is None or value == "" or isinstance(value, _Output):
        return None
    return known(value)


def _printed(value: Any) -> str | None:
    """What Go writes for a value."""
    if isinstance(value, _Output):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < _WITH_EXPONENT else None
    return value if isinstance(value, str) and "\n" not in value else None


def _quoted(value: Any) -> _Output | None:
    text = _printed(value)
    return _Output(json.dumps(text)) if text is not None and _ASCII.fullmatch(text) else None


def _as_yaml(value: Any) -> _Output | None:
    from dradsl.text.render import render_block

    return _Output(render_block(value)) if value and isinstance(value, dict | list) else None


def _of_text(function: Callable[[str], str]) -> Callable[[Any], str | None]:
    return lambda value: (
        function(value) if isinstance(value, str) and _ASCII.fullmatch(value) else None
    )


_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "quote": _quoted,
    "toYaml": _as_yaml,
    "toString": _printed,
    "trim": _of_text(str.strip),
    "lower": _of_text(str.lower),
    "upper": _of_text(str.upper),
    "int": lambda value: value if type(value) is int else None,
    "required": lambda value: value,
}
