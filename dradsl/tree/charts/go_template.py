"""Go templates as a tree: text, actions, and the blocks of if, with, range, define and block with their branches.

Upstream: Go text/template/parse/lex.go and parse.go. A template that Go rejects is read as far as it goes: an action
that does not end is text, a block without its end reaches to the end of the file, an end without a block is an action.
The time grows with the length of the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dradsl.records import Record
from dradsl.values.patterns import pattern

__all__ = [
    "OPENING",
    "Action",
    "Block",
    "Branch",
    "Template",
    "TextNode",
    "actions_in",
    "parse",
    "set_once",
]

OPENING = frozenset({"if", "with", "range", "define", "block"})
"""The words that open a block."""

_SIMPLE = pattern(r"\{\{[^\"'`/}]*\}\}")  # most are without quotes
_SIGN = pattern(r"[\"'`]|\}\}")
_QUOTED = pattern(r"\"(?:\\.|[^\"\\\n])*\"")
_CHARACTER = pattern(r"'(?:\\.|[^'\\\n])'")
_COMMENT = pattern(r"\{\{(?:-\s)?/\*")
_WORD = pattern(r"([a-z]+)\b\s*")
_SET = pattern(
    r"(?:(?:else\s+)?(?P<word>if|with|range)\s+)?(?P<names>\$\w+(?:\s*,\s*\$\w+)*)\s*:?=\s*(?P<what>.+)",
    re.DOTALL,
)


class TextNode(Record):
    """What is written as it is, from offset `start` to `end` of the template."""

    start: int
    end: int


class Action(Record):
    """What is in `{{ }}`: `inner` without these, marks for trimming and space around, from offset `at`.

    `word` is the first word, if it is a keyword or a function of small letters, and `rest` the pipeline after it.
    """

    start: int
    end: int
    inner: str
    at: int
    word: str = ""
    rest: str = ""

    @property
    def is_comment(self) -> bool:
        return self.inner.startswith("/*")


class Branch(Record):
    """What is rendered behind an action: the one that opens the block, or an `else`."""

    action: Action
    nodes: tuple[Node, ...]


class Block(Record):
    """A block with its branches, to its `end`; None if it has none."""

    branches: tuple[Branch, ...]
    end_action: Action | None
    end: int

    @property
    def opening(self) -> Action:
        """The action that opens the block."""
        return self.branches[0].action

    @property
    def start(self) -> int:
        return self.opening.start

    @property
    def body(self) -> tuple[int, int]:
        """The offsets of what is between the opening action and the end."""
        return self.opening.end, self.end if self.end_action is None else self.end_action.start


Node = TextNode | Action | Block


class Template(Record):
    """A template: its nodes at the top, and all actions in order."""

    text: str
    nodes: tuple[Node, ...]
    actions: tuple[Action, ...]

    def blocks(self) -> Iterator[Block]:
        """All blocks, each before those within it."""
        waiting: list[Node] = [*reversed(self.nodes)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Block):
                yield node
                for branch in reversed(node.branches):
                    waiting += reversed(branch.nodes)


def parse(text: str) -> Template:
    """The tree of a template."""
    actions = tuple(actions_in(text))
    top: list[Node] = []
    opened: list[_OpenBlock] = []
    nodes, at = top, 0
    for action in actions:
        if action.start > at:
            nodes.append(TextNode(at, action.start))
        at = action.end
        if action.word in OPENING:
            opened.append(_OpenBlock(nodes, action))
            nodes = opened[-1].nodes
        elif action.word == "else" and opened:
            nodes = opened[-1].otherwise(action)
        elif action.word == "end" and opened:
            nodes = opened.pop().close(action, action.end)
        else:
            nodes.append(action)
    if at < len(text):
        nodes.append(TextNode(at, len(text)))
    while opened:
        opened.pop().close(None, len(text))
    return Template(text, tuple(top), actions)


class _OpenBlock:
    """A block whose end was not read yet."""

    def __init__(self, around: list[Node], action: Action) -> None:
        self.around = around
        self.action = action
        self.nodes: list[Node] = []
        self.branches: list[Branch] = []

    def otherwise(self, action: Action) -> list[Node]:
        self.branches.append(Branch(self.action, tuple(self.nodes)))
        self.action, self.nodes = action, []
        return self.nodes

    def close(self, action: Action | None, end: int) -> list[Node]:
        self.otherwise(self.action)
        self.around.append(Block(tuple(self.branches), action, end))
        return self.around


def actions_in(text: str, start: int = 0, end: int | None = None) -> Iterator[Action]:
    """The actions of a text, or of a part of it, in order."""
    end = len(text) if end is None else end
    comments = True
    while (at := text.find("{{", start, end)) >= 0:
        simple = _SIMPLE.match(text, at, end)
        if simple is not None:
            stop: int | None = simple.end()
        else:
            opened = _COMMENT.match(text, at, end) if comments else None
            inside = at + 2
            if opened is not None:
                closed = text.find("*/", opened.end(), end)
                comments = closed >= 0
                inside = closed + 2 if comments else inside
            stop = _stop(text, inside, end)
        if stop is None:
            return
        yield _action(text, at, stop)
        start = stop


def _stop(text: str, at: int, end: int) -> int | None:
    """The end of an action, behind its `}}`; None if it does not end."""
    plain_to = at  # a quote that its line does not close is none, and so are the others of the line
    while (sign := _SIGN.search(text, at, end)) is not None:
        at = sign.end()
        if sign[0] == "}}":
            return at
        if sign[0] == "`":
            closed = text.find("`", at, end)
            at = at if closed < 0 else closed + 1
        elif sign.start() >= plain_to:
            quoted = (_QUOTED if sign[0] == '"' else _CHARACTER).match(text, sign.start(), end)
            if quoted is not None:
                at = quoted.end()
            elif sign[0] == '"':
                line = text.find("\n", at, end)
                plain_to = end if line < 0 else line
    return None


def _action(text: str, start: int, end: int) -> Action:
    first, last = start + 2, end - 2
    if text[first] == "-" and not text[first + 1].isdigit():
        first += 1
    if text[last - 1] == "-" and last > first:
        last -= 1
    inner = text[first:last]
    at = first + len(inner) - len(inner.lstrip())
    inner = inner.strip()
    word = _WORD.match(inner)
    if word is None:
        return Action(start, end, inner, at)
    return Action(start, end, inner, at, word[1], inner[word.end() :])


def set_once(text: str) -> dict[str, tuple[str, bool]]:
    """The variables that a template sets in one place, with their expressions, and whether that is outside of all
    blocks; the expression of a variable of a `range` is empty."""
    found: dict[str, list[tuple[str, bool]]] = {}
    depth = 0
    for action in actions_in(text) if "=" in text else ():
        named = _SET.match(action.inner)
        if named is not None:
            what = "" if named["word"] == "range" else named["what"].strip()
            for name in re.split(r"\s*,\s*", named["names"]):
                found.setdefault(name, []).append((what, not depth and named["word"] is None))
        depth += (action.word in OPENING) - (action.word == "end")
    return {name: every[0] for name, every in found.items() if len(every) == 1}
