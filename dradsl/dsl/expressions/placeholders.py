"""Values that are known when a template is filled in: a number or text that has a default here.

A placeholder is its default to everything that looks at it, so names, lint and the simulator check what
the chart gives without further values. Only where templates are written, it is what Helm fills in.
"""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

__all__ = ["PlaceholderInt", "PlaceholderStr", "as_templates", "filled_in", "marked", "text_of"]

_tokens: ContextVar[dict[str, tuple[str, bool]] | None] = ContextVar("_tokens", default=None)


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
    """A text that a template leaves open; `template` is what fills it in."""

    template: str

    def __new__(cls, default: str, template: str) -> Self:
        made = super().__new__(cls, default)
        made.template = template
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return self


@contextlib.contextmanager
def as_templates() -> Iterator[None]:
    """Where `text_of` writes placeholders as marks, for `filled_in`."""
    token = _tokens.set({})
    try:
        yield
    finally:
        _tokens.reset(token)


def text_of(value: object) -> str:
    """`value` as text; a placeholder, where templates are written, as a mark."""
    tokens = _tokens.get()
    if tokens is not None and isinstance(value, PlaceholderInt | PlaceholderStr):
        return _token(tokens, value.template, whole=False)
    return str(value)


def marked(data: Any) -> Any:
    """Plain data with marks instead of placeholders."""
    tokens = _tokens.get()
    if isinstance(data, dict):
        return {key: marked(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [marked(value) for value in data]
    if tokens is not None and isinstance(data, PlaceholderInt):
        return _token(tokens, data.template, whole=False)
    if tokens is not None and isinstance(data, PlaceholderStr):
        return _token(tokens, data.template, whole=True)
    return data


def filled_in(text: str) -> tuple[str, frozenset[str]]:
    """The text with actions of Helm instead of marks, and what is filled in."""
    used = set()
    for token, (template, whole) in (_tokens.get() or {}).items():
        if token in text:
            used.add(template)
        action = f"{{{{ {template} | quote }}}}" if whole else f"{{{{ {template} }}}}"
        text = text.replace(token, action)
    return text, frozenset(used)


def _token(tokens: dict[str, tuple[str, bool]], template: str, *, whole: bool) -> str:
    token = f"dradsl-placeholder-{len(tokens)}-end"
    for known, entry in tokens.items():
        if entry == (template, whole):
            return known
    tokens[token] = (template, whole)
    return token
