"""Placeholders such as `{template}` in what recipes write, anywhere in mappings, lists and texts."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["filled"]


def filled(value: object, names: Mapping[str, object]) -> object:
    """`value` with its placeholders replaced, in keys too. A text that is only a placeholder becomes its value."""
    if isinstance(value, dict):
        return {filled(key, names): filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    if value[:1] == "{" and value[-1:] == "}" and value[1:-1] in names:
        return names[value[1:-1]]
    for name, text in names.items():
        if isinstance(text, str):
            value = value.replace(f"{{{name}}}", text)
    return value
