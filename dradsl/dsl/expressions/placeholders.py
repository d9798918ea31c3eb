"""Values that are known when a template is filled in: each has a default here.

A placeholder is its default to everything that looks at it, so names, lint and the simulator check what
the chart gives without further values. Only where templates are written, it is what Helm fills in.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

from dradsl.dsl.data.frozen import MARKS, FrozenDict, Open

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "PLACEHOLDERS",
    "PlaceholderList",
    "PlaceholderStr",
    "action_of",
    "as_templates",
    "filled_in",
    "marked",
]

_BLOCK_END = "dradsl-placeholder-block"
_INNER = re.compile(r"dradsl-placeholder-\d+-end")


class PlaceholderBool(Open, int):
    """True or false: whether an object is there, or a field of plain data."""

    plain = bool


class PlaceholderInt(Open, int):
    """A whole number."""

    plain = int
    how = "int64"


class PlaceholderList(Open, tuple[Any, ...]):  # noqa: SLOT001 - it has attributes
    """A list."""

    plain = list


class PlaceholderMap(Open, FrozenDict[str, Any]):  # type: ignore[misc] # pickled as all of these
    """A map."""

    plain = dict

    def __init__(self, default: dict[str, Any], template: str, rules: dict[str, object]) -> None:
        super().__init__(default)


class PlaceholderStr(Open, str):  # noqa: SLOT000 - it has attributes
    """A text."""

    plain = str
    how = "quote"

    def must_match(self, pattern: str) -> None:
        """The text is used where only what the pattern matches can be; a pattern of the user's own counts more."""
        if "enum" not in self.rules:
            self.rules.setdefault("pattern", pattern)


PLACEHOLDERS = (PlaceholderBool, PlaceholderInt, PlaceholderStr, PlaceholderList, PlaceholderMap)


@contextlib.contextmanager
def as_templates() -> Iterator[None]:
    """Where `action_of` and `marked` write placeholders as marks, for `filled_in`."""
    token = MARKS.set({})
    try:
        yield
    finally:
        MARKS.reset(token)


def action_of(value: object, *, text: bool) -> str | None:
    """The mark of a placeholder for a literal of CEL, where templates are written; None for all else.

    What Helm puts there is a whole literal: a string of JSON is one of CEL, and nothing in it can end it.
    """
    tokens = MARKS.get()
    if tokens is None or not isinstance(value, Open):
        return None
    return _token(tokens, value.template, "toString | toJson" if text else value.how)


def marked(data: Any) -> Any:
    """Plain data with marks instead of placeholders; text with marks becomes a block, where quotes mean nothing."""
    tokens = MARKS.get()
    if tokens is not None and isinstance(data, Open):
        return _token(tokens, data.template, data.how)
    if isinstance(data, dict):
        return {key: marked(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [marked(value) for value in data]
    if isinstance(data, str) and _INNER.search(data):
        return f"{data}\n{_BLOCK_END}"
    return data


def filled_in(text: str) -> tuple[str, frozenset[str]]:
    """The text with actions of Helm instead of marks and with its own braces escaped, and what is filled in."""
    used = set()
    text = text.replace("{{", '{{ "{{" }}')
    text = re.sub(rf"\n *{_BLOCK_END}$", "", text, flags=re.MULTILINE)
    for token, (template, how) in (MARKS.get() or {}).items():
        if token in text:
            used.add(template)
        text = text.replace(token, f"{{{{ {template} | {how} }}}}")
    return text, frozenset(used)


def _token(tokens: dict[str, tuple[str, str]], template: str, how: str) -> str:
    token = f"dradsl-placeholder-{len(tokens)}-end"
    for known, entry in tokens.items():
        if entry == (template, how):
            return known
    tokens[token] = (template, how)
    return token
