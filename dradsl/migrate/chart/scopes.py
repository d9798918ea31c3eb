"""What holds at each line of a Helm template: the conditions around it, expressed from the root of the values.

So a condition within `with`, or one with a variable, can be evaluated again in another file of the chart.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.records import dataclass, replace
from dradsl.tree.charts.go_template import OPENING, actions_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.tree.charts.go_template import Action

__all__ = ["Scope", "UnclearError", "conditions_of", "rooted", "scopes_of", "variables_of"]

_TEXTS = r"\"(?:\\.|[^\"\\])*\"|`[^`]*`"
_WORD = re.compile(r"(?P<word>[a-z]+)\b\s*(?P<rest>.*)", re.DOTALL)
_TOKEN = re.compile(
    rf"(?P<text>{_TEXTS})|(?P<variable>\$\w*)(?P<fields>(?:\.\w+)*)|(?<![\w)\]])\.(?P<path>\w+(?:\.\w+)*)?"
)
_NAMED = re.compile(r"(?P<names>\$\w+(?:\s*,\s*\$\w+)*)\s*(?P<sign>:?=)\s*(?P<what>.+)", re.DOTALL)
_PATH = re.compile(r"(?:\.\w+)+")


class UnclearError(Exception):
    """Why something cannot be expressed from the root, and the question whose answer may change that."""

    def __init__(self, reason: str, question: str | None = None) -> None:
        super().__init__(reason)
        self.question = question


@dataclass(frozen=True, slots=True)
class Scope:
    """A block that is open at a line: its conditions from the root, or why they are `unclear`, and the value of the dot in it."""

    number: int
    conditions: tuple[str, ...]
    dot: str
    unclear: str | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    scope: Scope
    word: str
    outer: str  # the dot around it
    passed: tuple[str, ...] = ()  # the conditions of the branches before


def scopes_of(text: str) -> list[tuple[Scope, ...]]:
    """For each line of a template the blocks that are open where it begins."""
    variables = variables_of(text)
    actions = [*actions_in(text)]
    blocks: list[_Block] = []
    lines: list[tuple[Scope, ...]] = []
    at = start = number = 0
    for line in text.split("\n"):
        lines.append(tuple(each.scope for each in blocks))
        start += len(line) + 1
        while at < len(actions) and actions[at].start < start:
            number += 1
            _take(actions[at], blocks, number, variables)
            at += 1
    return lines


def _take(action: Action, blocks: list[_Block], number: int, variables: Mapping[str, str]) -> None:
    word, rest = action.word, action.rest
    if word == "end" and blocks:
        blocks.pop()
    elif word == "else" and blocks:
        blocks.append(_otherwise(blocks.pop(), rest, variables, number))
    elif word in OPENING:
        dot = blocks[-1].scope.dot if blocks else "."
        blocks.append(_block(word, rest, dot, (), variables, number))


def _block(
    word: str,
    rest: str,
    dot: str,
    passed: tuple[str, ...],
    variables: Mapping[str, str],
    number: int,
) -> _Block:
    scope = Scope(number, passed, dot)
    if word not in ("if", "with"):
        return _Block(replace(scope, unclear=f"it stands in {{{{ {word} }}}}"), word, dot)
    named = _NAMED.match(rest)
    try:
        condition = rooted(named["what"] if named is not None else rest, dot, variables)
    except UnclearError as error:
        return _Block(replace(scope, unclear=str(error)), word, dot, passed)
    inside = dot if word == "if" else condition if _PATH.fullmatch(condition) else f"({condition})"
    return _Block(Scope(number, (*passed, condition), inside), word, dot, passed)


def _otherwise(block: _Block, rest: str, variables: Mapping[str, str], number: int) -> _Block:
    if block.scope.unclear is not None or block.word not in ("if", "with"):
        scope = Scope(number, (), block.outer, block.scope.unclear or "it stands behind {{ else }}")
        return replace(block, scope=scope)
    passed = (*block.passed, f"not ({block.scope.conditions[-1]})")
    found = _WORD.match(rest)
    if found is None:
        return _Block(Scope(number, passed, block.outer), block.word, block.outer, passed)
    return _block(found["word"], found["rest"], block.outer, passed, variables, number)


def variables_of(text: str) -> dict[str, str]:
    """The variables that a template sets once, outside of all blocks, with their expressions."""
    set_at: dict[str, list[str | None]] = {}
    depth = 0
    for action in actions_in(text):
        opens = action.word in OPENING
        named = _NAMED.match(action.rest if opens else action.inner)
        if named is not None:
            plain = not action.word and not depth and "," not in named["names"]
            for name in re.split(r"\s*,\s*", named["names"]):
                set_at.setdefault(name, []).append(named["what"] if plain else None)
        depth += opens - (action.word == "end")
    known: dict[str, str] = {}
    for name, found in set_at.items():
        if len(found) == 1 and found[0] is not None:
            try:
                known[name] = rooted(found[0], ".", known)
            except UnclearError:
                continue
    return known


def rooted(expression: str, dot: str, variables: Mapping[str, str]) -> str:
    """An expression rewritten for a place where the dot is the root.

    Raises:
        UnclearError: if it holds a variable that is not known.
    """

    def said(token: re.Match[str]) -> str:
        if token["text"] is not None:
            return token[0]
        if token["variable"] is None:
            path = token["path"]
            if path is None:
                return dot
            return f".{path}" if dot == "." else f"{dot}.{path}"
        if token["variable"] == "$":
            return token["fields"] or "."
        known = variables.get(token["variable"])
        if known is None:
            raise UnclearError(f"what {token['variable']} stands for is not known")
        return (known if _PATH.fullmatch(known) else f"({known})") + token["fields"]

    return _TOKEN.sub(said, expression.strip())


def conditions_of(scopes: Sequence[Scope]) -> Iterator[str]:
    """All conditions, from the outermost on.

    Raises:
        UnclearError: if one is not known.
    """
    for each in scopes:
        if each.unclear is not None:
            raise UnclearError(each.unclear)
        yield from each.conditions
