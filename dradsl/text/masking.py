"""`${...}` where YAML takes its braces for a mapping: read as a plain text, with all places kept.

`{count: ${N:=1}}` is YAML only after envsubst has put a value in. The signs inside are replaced one by one by
characters that no manifest holds, and put back in what is read.
"""

from __future__ import annotations

from dradsl.values.patterns import pattern

__all__ = ["mask", "masked_action", "unmask", "unmasked"]

_SIGNS = "{}[],:#'\"&*?|>%@`!="
_FIRST = 0xF8A0  # of the private use area
_MASKS = {ord(sign): _FIRST + index for index, sign in enumerate(_SIGNS)}
_BACK = {mask: sign for sign, mask in _MASKS.items()}
_VARIABLE = pattern(r"\$\{[A-Za-z_][^{}\r\n]{0,200}\}")
_TAKEN = pattern(rf"[{chr(_FIRST)}-{chr(_FIRST + len(_SIGNS))}]")


def mask(text: str) -> str | None:
    """The text with the signs of its variables replaced; None if it has none, or holds such characters."""
    if "${" not in text or _TAKEN.search(text) is not None:
        return None
    return _VARIABLE.sub(lambda match: "$" + match[0][1:].translate(_MASKS), text)


def masked_action(text: str) -> str:
    """The action of a template, with its signs replaced."""
    return text.translate(_MASKS)


def unmask(text: str) -> str:
    """A text that was read of a masked one."""
    return text.translate(_BACK)


def unmasked(value: object) -> object:
    """Plain data that was read of a masked text."""
    if isinstance(value, str):
        return unmask(value)
    if isinstance(value, dict):
        return {unmask(key): unmasked(each) for key, each in value.items()}
    return [unmasked(each) for each in value] if isinstance(value, list) else value
