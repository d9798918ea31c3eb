"""What helps against what a component wrote, by its words: `remedies_of_placing.json` (the scheduler, claims, queues,
controllers, autoscalers) and `remedies_of_nodes.json` (drivers, kubelets, container runtimes) before `remedies.json`.

A row has the words (`when`, a regular expression), what to do (`then`), commands, and where the words alone do not name
the cause, what they mean (`means`). All are templates: {0} is the first group, and {namespace}, {name}, {kind} and
{node} are those of the object in question. `of` is the source: the project with its release, and where it has the
words; or, for words of dradsl itself, what the advice follows from. A row with `first` goes before a change that was
tried, if it matches the cause with this change: both are offered. A row with `whole` is about several objects, and what
it means goes before the rest of the cause.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.why.answer import TriedChange

if TYPE_CHECKING:
    from dradsl.why.answer import Answer

__all__ = ["advised"]

Row = dict[str, Any]


_TABLES = ("remedies_of_placing", "remedies_of_nodes", "remedies")


@functools.cache
def _table() -> list[Row]:
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    folder = Path(__file__).parent
    texts = (read_bytes(str(folder / f"{one}.json"), SETTINGS_BYTES) for one in _TABLES)
    return [row for text in texts for row in json.loads(text)]


# Where the words of one object begin.
_OBJECTS = r"(?:^|(?<=; ))(?=[A-Z]\w+ [\w./-]+(?: on [^:;,]+)?(?:, which [^:]+)?: )"
_ABOUT = r"(?:DaemonSet|Deployment|Pod) ([\w.-]+)/[^\s,:]+(?: on (\S+?))?(?:,? which [^:]+)?: "


def advised(answer: Answer) -> Answer:
    """The answer with what helps against the words in its cause, if no change was tried or this goes before it."""
    tried = answer.change
    if answer.step in ("none", "scheduler") or (tried is not None and not tried.tried):
        return answer
    namespace, _, name = answer.subject.split()[1].partition("/")
    node = answer.state.partition(" on ")[2]
    # What is named last is behind the others.
    starts = [found.start() for found in re.finditer(_OBJECTS, answer.cause)]
    texts = [answer.cause[start:] for start in (*reversed(starts), 0)]
    texts = texts if tried is None else [f"{answer.cause}; {tried.text}"]
    rows = [row for row in _table() if tried is None or "first" in row]
    whole = ((row, texts[-1]) for row in rows if "whole" in row)
    for row, text in (*whole, *((row, text) for text in texts for row in rows)):
        if found := re.search(row["when"], text):
            for space, where in re.findall(_ABOUT, text[: found.end()]):
                namespace, node = space, "" if where == "no" else where or node
            return _advice(answer, row, found, namespace, name, node)
    return answer


def _advice(
    answer: Answer, row: Row, found: re.Match[str], namespace: str, name: str, node: str
) -> Answer:
    """The answer with the advice of a row, whose words were `found`."""
    kind, tried = answer.subject.partition(" ")[0].lower(), answer.change
    place = {"namespace": namespace, "name": name, "node": node or "the node", "kind": kind}
    commands = (one for one in row.get("commands", ()) if node or "{node}" not in one)
    some = (row["then"], row.get("means", ""), *commands)
    then, means, *patch = (one.format(*found.groups(""), **place) for one in some)
    said = (means, answer.cause) if "whole" in row else (answer.cause, means)
    change = TriedChange(then, patch=tuple(patch), tried=False)
    change = change if tried is None else change.or_tried(tried)
    return replace(answer, change=change, cause="; ".join(filter(None, said)))
