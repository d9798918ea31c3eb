"""What helps against what a component wrote, by its words: `remedies.json`.

A row has the words (`when`, a regular expression), what to do (`then`) and commands, both templates: {0} is the first
group, and {namespace}, {name}, {kind} and {node} are those of the object in question. `of` is the source: the project with its release, and
where it has the words; or, for words of dradsl itself, what the advice follows from.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dradsl.why.answer import TriedChange

if TYPE_CHECKING:
    from dradsl.why.answer import Answer

__all__ = ["advised"]


@functools.cache
def _table() -> list[dict[str, Any]]:
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    found: list[dict[str, Any]] = json.loads(
        read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES)
    )
    return found


def advised(answer: Answer) -> Answer:
    """The answer with what helps against the words in its cause, if no change was tried."""
    if answer.change is not None or answer.step in ("none", "scheduler"):
        return answer
    namespace, _, name = answer.subject.split()[1].partition("/")
    node = answer.state.partition(" on ")[2]
    place = {"namespace": namespace, "name": name, "node": node or "the node"}
    place["kind"] = answer.subject.partition(" ")[0].lower()
    for row in _table():
        if found := re.search(row["when"], answer.cause):
            commands = (one for one in row.get("commands", ()) if node or "{node}" not in one)
            # Words that are quoted of a plugin's DaemonSet or pod are about its namespace.
            before = answer.cause[: found.start()]
            about = re.findall(r"(?:DaemonSet|Pod) ([\w.-]+)/\S+(?: which [^:]+)?: ", before)
            place["namespace"] = [namespace, *about][-1]
            words = (row["then"], *commands)
            groups = [one or "" for one in found.groups()]
            text, *patch = (one.format(*groups, **place) for one in words)
            return replace(answer, change=TriedChange(text, patch=tuple(patch), tried=False))
    return answer
