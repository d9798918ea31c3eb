"""What an editor shows of `.Values` in the templates of a chart: the value that the chart brings, and where."""

from __future__ import annotations

import os

from lsprotocol import types

from dradsl.text.render import render_block
from dradsl.tree.charts.go_template import actions_in
from dradsl.tree.charts.template_values import key_of
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.values.of_chart import values_of_chart
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.lsp.answers.completion import Rows
    from dradsl.lsp.texts.buffers import Buffer, Buffers
    from dradsl.tree.values.of_chart import ValuesOfChart

__all__ = ["keys_before", "shown", "value_at"]

_BEGUN = pattern(r"\$?\.Values((?:\.\w*)+)$")
_SHOWN = 20  # lines of a value


def value_at(
    buffer: Buffer, buffers: Buffers, offset: int
) -> tuple[ValuesOfChart, tuple[str, ...]] | None:
    """The values of the chart, and the key that the action at an offset of a template is about."""
    inner = _action_at(buffer.text, offset)
    key = None if inner is None else key_of(inner)
    values = None if key is None else _values(buffer, buffers)
    return None if key is None or values is None else (values, key)


def shown(values: ValuesOfChart, key: tuple[str, ...]) -> str:
    """A value as Markdown, with its place."""
    name, value, span = ".".join(key), values.value(key), values.span(key)
    if value is None:
        return f"**{name}** is not in {os.path.basename(values.path)}"
    lines = render_block(value).split("\n")
    rest = [*lines[:_SHOWN], "..."] if len(lines) > _SHOWN else lines
    place = "" if span is None else f", {os.path.basename(values.path)}:{span.line}"
    return "\n".join([f"**{name}**{place}", "```yaml", *rest, "```"])


def keys_before(buffer: Buffer, buffers: Buffers, offset: int) -> tuple[str, Rows] | None:
    """What may follow `.Values.` before an offset: the begun key, and those that the chart has there."""
    begun = _BEGUN.search(buffer.text[max(0, offset - 200) : offset])
    if begun is None or _action_at(buffer.text, offset) is None:
        return None
    *above, word = begun[1].split(".")[1:]
    values = _values(buffer, buffers)
    found = None if values is None else values.value(above)
    if not isinstance(found, dict):
        return None
    rows = [
        (key, types.CompletionItemKind.Property, "", f"```yaml\n{render_block(each)[:400]}\n```")
        for key, each in found.items()
        if isinstance(key, str) and key.isidentifier()
    ]
    return word, rows


def _action_at(text: str, offset: int) -> str | None:
    """What is within the braces around an offset."""
    start = text.rfind("{{", max(0, offset - 1000), offset)
    end = text.find("}}", offset, offset + 1000)
    if start < 0 or end < 0 or "}}" in text[start:offset]:
        return None
    return next((each.inner for each in actions_in(text, start, end + 2)), "")


def _values(buffer: Buffer, buffers: Buffers) -> ValuesOfChart | None:
    opened = [SourceText(each.path, each.known) for each in buffers.open.values() if each.known]
    return values_of_chart(buffer.path, opened)
