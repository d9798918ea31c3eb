"""Why a rule's finding hurts, in a clause: read straight from the rule's document.

A report needs one sentence of a few documents; parsing whole documents with their examples would
cost more than the rest of a report.
"""

from __future__ import annotations

import functools
import os
import re

from dradsl.data import data_folder
from dradsl.text.files import read_bytes
from dradsl.values.patterns import pattern

__all__ = ["reason_of"]

_SECTION = pattern(r"^## Why it hurts\n\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE = pattern(r"(.+?)\.(?:\s|$)")


def reason_of(code: str) -> str | None:
    """The first sentence of the rule's "Why it hurts", to be after a label; None without one."""
    folder = data_folder("rules")
    name = _documents(folder).get(code)
    path = None if name is None else os.path.join(folder, name)
    section = None if path is None else _SECTION.search(read_bytes(path).decode())
    if section is None:
        return None
    paragraph = " ".join(section[1].split())
    sentence = _SENTENCE.match(paragraph)
    return _as_clause(sentence[1] if sentence else paragraph)


@functools.cache
def _documents(folder: str) -> dict[str, str]:
    """The names of the rules' documents in a folder, by their codes."""
    return {name.partition("-")[0]: name for name in os.listdir(folder)}


def _as_clause(sentence: str) -> str:
    """A sentence without its capital and its full stop."""
    word = sentence.partition(" ")[0]
    lower = word.istitle() or word == "A"
    return (sentence[:1].lower() + sentence[1:] if lower else sentence).removesuffix(".")
