"""What holds at each line of a Helm template: the conditions around it, expressed from the root of the values.

So a condition within `with`, or one with a variable, can be evaluated again in another file of the chart.
"""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from dradsl.records import dataclass
from dradsl.tree.charts.go_template import Block, parse, set_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.tree.charts.go_template import Node

__all__ = ["Scope", "UnclearError", "rooted", "scopes_of", "variables_of"]

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


def scopes_of(text: str) -> list[tuple[Scope, ...]]:
    """For each line of a template the blocks that are open where it begins."""
    variables = variables_of(text)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lines: list[tuple[Scope, ...]] = [() for _ in starts]
    waiting: list[tuple[Sequence[Node], str]] = [(parse(text).nodes, ".")]
    while waiting:
        nodes, dot = waiting.pop()
        for block in (each for each in nodes if isinstance(each, Block)):
            ends = [each.action.start for each in block.branches[1:]]
            ends.append(block.end if block.end_action is None else block.end_action.start)
            scopes = _scopes(block, dot, variables)
            for branch, scope, end in zip(block.branches, scopes, ends, strict=True):
                inside = bisect_right(starts, branch.action.start), bisect_right(starts, end)
                for line in range(*inside):
                    lines[line] += (scope,)
                waiting.append((branch.nodes, scope.dot))
    return lines


def _scopes(block: Block, dot: str, variables: Mapping[str, str]) -> Iterator[Scope]:
    """The scope of each branch of a block: what the branches before need does not hold."""
    passed: tuple[str, ...] = ()
    unclear = None
    for branch in block.branches:
        word, rest = branch.action.word, branch.action.rest
        if word == "else":
            found = _WORD.match(rest)
            word, rest = ("", "") if found is None else (found["word"], found["rest"])
        if unclear is None and word:
            scope = _scope(branch.action.start, word, rest, dot, passed, variables)
        else:
            scope = Scope(branch.action.start, () if unclear else passed, dot, unclear)
        yield scope
        unclear = scope.unclear
        if unclear is None and word:
            passed = (*passed, f"not ({scope.conditions[-1]})")


def _scope(
    number: int,
    word: str,
    rest: str,
    dot: str,
    passed: tuple[str, ...],
    variables: Mapping[str, str],
) -> Scope:
    if word not in ("if", "with"):
        return Scope(number, passed, dot, f"it is in {{{{ {word} }}}}")
    named = _NAMED.match(rest)
    try:
        condition = rooted(named["what"] if named is not None else rest, dot, variables)
    except UnclearError as error:
        return Scope(number, passed, dot, str(error))
    inside = dot if word == "if" else condition if _PATH.fullmatch(condition) else f"({condition})"
    return Scope(number, (*passed, condition), inside)


def variables_of(text: str) -> dict[str, str]:
    """The variables that a template sets once, outside of all blocks, with their expressions."""
    known: dict[str, str] = {}
    for name, (what, is_outside) in set_once(text).items():
        if is_outside:
            with contextlib.suppress(UnclearError):
                known[name] = rooted(what, ".", known)
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
