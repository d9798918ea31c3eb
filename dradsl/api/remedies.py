"""What helps against what a component wrote, by its words: `remedies.json`, and for drivers, nodes, kubelets and container
runtimes first `remedies_of_nodes.json`.

A row has the words (`when`, a regular expression), what to do (`then`), commands, and where the words alone do not name
the cause, what they mean (`means`); all are templates: {0} is the first group, and {namespace}, {name}, {kind} and {node} are those of the object in question. `of` is the source: the project with its release, and
where it has the words; or, for words of dradsl itself, what the advice follows from. A row with `whole` is about several objects,
and what it means goes before the rest of the cause.
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

    found: list[dict[str, Any]] = []
    for end in ("_of_nodes", ""):
        name = f"{__file__.removesuffix('.py')}{end}.json"
        found += json.loads(read_bytes(name, SETTINGS_BYTES))
    return found


# Where the words of one object begin.
_OBJECTS = r"(?:^|(?<=; ))(?=[A-Z]\w+ [\w./-]+(?: on [^:;,]+)?(?:, which [^:]+)?: )"
_ABOUT = r"(?:DaemonSet|Deployment|Pod) ([\w.-]+)/[^\s,:]+(?: on (\S+?))?(?:,? which [^:]+)?: "


def advised(answer: Answer) -> Answer:
    """The answer with what helps against the words in its cause, if no change was tried."""
    if answer.change is not None or answer.step in ("none", "scheduler"):
        return answer
    namespace, _, name = answer.subject.split()[1].partition("/")
    node = answer.state.partition(" on ")[2]
    # What is named last is behind the others.
    starts = [found.start() for found in re.finditer(_OBJECTS, answer.cause)]
    texts = [answer.cause[start:] for start in (*reversed(starts), 0)]
    whole = ((row, answer.cause) for row in _table() if row.get("whole"))
    for row, text in (*whole, *((row, text) for text in texts for row in _table())):
        if found := re.search(row["when"], text):
            for space, where in re.findall(_ABOUT, text[: found.end()]):
                namespace, node = space, "" if where == "no" else where or node
            place = {"namespace": namespace, "name": name, "node": node or "the node"}
            place["kind"] = answer.subject.partition(" ")[0].lower()
            commands = (one for one in row.get("commands", ()) if node or "{node}" not in one)
            groups = [one or "" for one in found.groups()]
            some = (row["then"], row.get("means", ""), *commands)
            then, means, *patch = (one.format(*groups, **place) for one in some)
            said = (means, answer.cause) if row.get("whole") else (answer.cause, means)
            change = TriedChange(then, patch=tuple(patch), tried=False)
            return replace(answer, change=change, cause="; ".join(filter(None, said)))
    return answer
