"""Values that are known when a template is filled in: a number or text that has a default here.

A placeholder is its default to everything that looks at it, so names, lint and the simulator check what
the chart gives without further values. Only where templates are written, it is what Helm fills in.
"""

from __future__ import annotations

import contextlib
import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

__all__ = ["PlaceholderInt", "PlaceholderStr", "action_of", "as_templates", "filled_in", "marked"]

_tokens: ContextVar[dict[str, tuple[str, str]] | None] = ContextVar("_tokens", default=None)
_BLOCK_END = "dradsl-placeholder-block"
_INNER = re.compile(r"dradsl-placeholder-\d+-end")


class PlaceholderInt(int):
    """A whole number that a template leaves open; `template` is what fills it in."""

    template: str

    def __new__(cls, default: int, template: str) -> Self:
        made = super().__new__(cls, default)
        made.template = template
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return self


class PlaceholderStr(str):  # noqa: SLOT000 - it has an attribute more
    """A text that a template leaves open; `template` is what fills it in, `rules` the JSON schema of it."""

    template: str
    rules: dict[str, object]

    def __new__(cls, default: str, template: str, rules: dict[str, object]) -> Self:
        made = super().__new__(cls, default)
        made.template, made.rules = template, rules
        return made

    def must_match(self, pattern: str) -> None:
        """The text is used where only what the pattern matches can be; a pattern of the user's own counts more."""
        if "enum" not in self.rules:
            self.rules.setdefault("pattern", pattern)

    def __deepcopy__(self, memo: object) -> Self:
        return self


@contextlib.contextmanager
def as_templates() -> Iterator[None]:
    """Where `action_of` and `marked` write placeholders as marks, for `filled_in`."""
    token = _tokens.set({})
    try:
        yield
    finally:
        _tokens.reset(token)


def action_of(value: object, *, text: bool) -> str | None:
    """The mark of a placeholder for a literal of CEL, where templates are written; None for all else.

    What Helm puts there is a whole literal: a string of JSON is one of CEL, and nothing in it can end it.
    """
    tokens = _tokens.get()
    if tokens is None or not isinstance(value, PlaceholderInt | PlaceholderStr):
        return None
    return _token(tokens, value.template, "toString | toJson" if text else "int64")


def marked(data: Any) -> Any:
    """Plain data with marks instead of placeholders; text with marks becomes a block, where quotes mean nothing."""
    tokens = _tokens.get()
    if isinstance(data, dict):
        return {key: marked(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [marked(value) for value in data]
    if tokens is not None and isinstance(data, PlaceholderInt):
        return _token(tokens, data.template, "int64")
    if tokens is not None and isinstance(data, PlaceholderStr):
        return _token(tokens, data.template, "quote")
    if isinstance(data, str) and _INNER.search(data):
        return f"{data}\n{_BLOCK_END}"
    return data


def filled_in(text: str) -> tuple[str, frozenset[str]]:
    """The text with actions of Helm instead of marks, and what is filled in."""
    used = set()
    text = re.sub(rf"\n *{_BLOCK_END}$", "", text, flags=re.MULTILINE)
    for token, (template, how) in (_tokens.get() or {}).items():
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
