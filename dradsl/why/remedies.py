"""What helps against what a component wrote, by its words: `remedies.json`.

A row has the words (`when`, a regular expression), what to do (`then`) and commands, both templates: {0} is the first
group, and {namespace}, {name} and {node} are those of the object in question. `of` is the upstream source of the words.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dradsl.why.answer import TriedChange
from dradsl.why.dump import key_of

if TYPE_CHECKING:
    from dradsl.why.answer import Answer
    from dradsl.why.dump import Document

__all__ = ["advised"]


@dataclass(frozen=True, slots=True)
class _Remedy:
    when: re.Pattern[str]
    then: str
    commands: tuple[str, ...]


@functools.cache
def _remedies() -> tuple[_Remedy, ...]:
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    table = json.loads(read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES))
    return tuple(
        _Remedy(re.compile(row["when"]), row["then"], tuple(row.get("commands", ())))
        for row in table
    )


def advised(answer: Answer, document: Document, node: str = "") -> Answer:
    """The answer with what helps against the words in its cause, if no change was tried."""
    if answer.change is not None or answer.step in ("none", "scheduler", "other-scheduler"):
        return answer
    namespace, name = key_of(document)
    place = {"namespace": namespace, "name": name, "node": node or "the node"}
    for row in _remedies():
        if found := row.when.search(answer.cause):
            groups = [one or "" for one in found.groups()]
            text = row.then.format(*groups, **place)
            commands = tuple(
                one.format(*groups, **place) for one in row.commands if node or "{node}" not in one
            )
            return replace(answer, change=TriedChange(text, patch=commands, tried=False))
    return answer
