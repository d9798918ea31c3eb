"""The source of a Helm template, by lines: what asks for devices in it, and what holds where that stands.

The conditions around a line are expressed from the root of the values. So a condition within `with`, or one with a
variable, can be evaluated again in another file of the chart.
"""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.detection.texts import amounts_above
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.mapping.resource import is_device
from dradsl.records import Record
from dradsl.tree.charts.go_template import Block, parse, set_once
from dradsl.tree.charts.template_pods import is_built_in
from dradsl.values.digits import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.tree.charts.go_template import Node
    from dradsl.tree.charts.template_pods import TemplateContainer, TemplatePod

__all__ = ["TemplateText", "UnclearError", "rooted_in", "scopes_of"]

_TEXTS = r"\"(?:\\.|[^\"\\])*\"|`[^`]*`"
_WORD = re.compile(r"(?P<word>[a-z]+)\b\s*(?P<rest>.*)", re.DOTALL)
_TOKEN = re.compile(
    rf"(?P<text>{_TEXTS})|(?P<variable>\$\w*)(?P<fields>(?:\.\w+)*)|(?<![\w)\]])\.(?P<path>\w+(?:\.\w+)*)?"
)
_NAMED = re.compile(r"(?P<names>\$\w+(?:\s*,\s*\$\w+)*)\s*(?P<sign>:?=)\s*(?P<what>.+)", re.DOTALL)
_PATH = re.compile(r"(?:\.\w+)+")


class UnclearError(Exception):
    """Why something cannot be expressed from the root, and the question whose answer may change that, with a likely one."""

    def __init__(self, reason: str, question: str | None = None, hint: str | None = None) -> None:
        super().__init__(reason)
        self.question, self.hint = question, hint


class Scope(Record):
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


_LINE = re.compile(
    r"(?P<space>[ \t]*)(?P<quote>[\"']?)(?P<key>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w.-]+)(?P=quote)\s*:\s*(?P<value>.*?)\s*$"
)
_ANYWHERE = re.compile(r"(?<![\w.-])(?P<key>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w.-]+)[\"']?\s*:")
_NUMBER = re.compile(r"([\"']?)(?P<number>[0-9]+)\1(?:\s+#.*)?$")
_VALUE = re.compile(r"([\"']?)\{\{ ?(?P<what>[^{}]+?) ?\}\}\1(?:\s+#.*)?$")
_LAST = re.compile(r"\s*\|\s*(?:quote|squote|toString|int|int64|toYaml|trim)\s*$")
_NAMESPACE = re.compile(r"  namespace:\s*(?P<what>\S.*?)\s*$")
_INNER = re.compile(r"\{\{-?(?P<inner>.*?)-?\}\}")


class TemplateText:
    """A template with its lines (from 0), `name` within the chart, and what is open at each line."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.lines = [line.removesuffix("\r") for line in text.split("\n")]
        self._scopes = scopes_of(text)
        self._variables = variables_of(text)

    def uses(self) -> list[int]:
        """The lines that ask for devices."""
        return [number for number in range(len(self.lines)) if self._is_use(number)]

    def _is_use(self, number: int) -> bool:
        line = self.lines[number]
        if line.lstrip().startswith("#"):
            return False
        for found in _ANYWHERE.finditer(line):
            if is_device(found["key"], shipped_catalogue()):
                return "{" in line[: found.start()] or self.amounts_above(number) is not None
        return False

    def entry(self, number: int) -> tuple[str, str] | None:
        """The resource and the amount at a line, as they are written; None for another form."""
        found = _LINE.match(self.lines[number])
        return None if found is None else (found["key"], found["value"])

    def amounts_above(self, number: int) -> int | None:
        """The line of the `limits` or `requests` that contain a line."""
        return amounts_above(self.lines, number)

    def resources_above(self, container: TemplateContainer, line: int) -> int:
        """The line of the `resources` of a container that contain a line.

        Raises:
            UnclearError: if it is not seen.
        """
        for at in range(line - 1, container.line - 1, -1):
            stripped = self.lines[at].strip().removeprefix("- ")
            if re.match(r"resources:\s*(#.*)?$", stripped):
                return at
        raise UnclearError("what its resources are is not seen")

    def end_of_values(self, at: int) -> int:
        """The line after resources that are values as a whole.

        Raises:
            UnclearError: if it is not seen, or more than the values is written.
        """
        depth, seen = 0, False
        for number in range(at, len(self.lines)):
            line = self.lines[number]
            actions = [each["inner"].strip() for each in _INNER.finditer(line)]
            for inner in actions:
                word = inner.partition(" ")[0]
                depth += (word in ("if", "with")) - (word == "end")
            if depth < 0 or any(each.startswith(("else", "range")) for each in actions):
                break
            if re.search(r"\btpl\b", line):
                raise UnclearError("the template renders these values as a template")
            if number > at and not actions and line.strip():
                break
            seen = seen or any("toYaml" in each or "include" in each for each in actions)
            if seen and not depth:
                return number + 1
        raise UnclearError("where these resources end is not seen")

    def conditions(self, line: int) -> tuple[str, ...]:
        """The conditions around a line, from the root.

        Raises:
            UnclearError: if one is not known.
        """
        scopes = self._scopes[line]
        unclear = next((each.unclear for each in scopes if each.unclear is not None), None)
        if unclear is not None:
            raise UnclearError(unclear)
        return tuple(condition for each in scopes for condition in each.conditions)

    def mentions_around(self, line: int, word: str) -> bool:
        """Whether a condition around a line has a word."""
        return any(word in each for scope in self._scopes[line] for each in scope.conditions)

    def amount(self, line: int) -> tuple[str, tuple[str, ...]]:
        """The amount at a line and its conditions, from the root.

        Raises:
            UnclearError: if it has another form than one number or one value.
        """
        found = self.entry(line)
        if found is None or self.is_chomped(line):
            raise UnclearError(f"line {line + 1} takes the line end away")
        conditions = self.conditions(line)
        number = _NUMBER.match(found[1])
        if number is not None:
            count = whole_number(number["number"])
            if count is None:
                raise UnclearError("it asks for more devices than a count can hold")
            if not count:
                raise UnclearError("it asks for no device")
            return str(count), conditions
        value = _VALUE.match(found[1])
        what = "" if value is None else value["what"]
        if not what or what.startswith(("-", "if ", "/*")) or what.endswith("-"):
            raise UnclearError(f"the count at line {line + 1} is more than one value")
        what = what.strip()
        while (last := _LAST.search(what)) is not None:
            what = what[: last.start()]
        return rooted(what, self._dot(line), self._variables), conditions

    def is_chomped(self, line: int) -> bool:
        """Whether the text before a line ends with an action that takes the white space behind it."""
        above = next((each for each in reversed(self.lines[:line]) if each.strip()), "")
        return above.rstrip().endswith("-}}")

    def keeps_claims(self, pod: TemplatePod) -> bool:
        """Whether the kind of a pod's object is known to keep claims."""
        if is_built_in(self.text, pod.line) or not pod.form.named:
            return True
        words = {"apiVersion": "", "kind": ""}
        for each in self.lines[: pod.line]:
            key, _, value = each.partition(":")
            if each.startswith("---"):
                words = {"apiVersion": "", "kind": ""}
            elif key in words:
                words[key] = value.partition("#")[0].strip().strip("\"'")
        group = words["apiVersion"].partition("/")[0]
        if "{{" in words["kind"] or group in ("apps", "batch", "v1"):
            return False
        row = row_of(group, words["kind"])
        return row is not None and row.verdict == "keeps"

    def namespace(self, pod: TemplatePod) -> str | None:
        """The namespace that is written in the object of a pod, from the root.

        Raises:
            UnclearError: if it depends on the values whether there is one.
        """
        start = pod.line
        while start > 0 and not self.lines[start].startswith("---"):
            start -= 1
        scopes: tuple[Scope, ...] | None = None
        for number in range(start, pod.line):
            line = self.lines[number]
            if line.startswith("kind:"):
                scopes = self._scopes[number]
            found = _NAMESPACE.match(line)
            if found is None:
                continue
            if scopes is None or self._scopes[number] != scopes:
                raise UnclearError(f"the namespace at line {number + 1} is not always written")
            return rooted_in(found["what"], self._dot(number), self._variables)
        return None

    def _dot(self, line: int) -> str:
        scopes = self._scopes[line]
        return scopes[-1].dot if scopes else "."


def rooted_in(text: str, dot: str, variables: Mapping[str, str]) -> str:
    """A text with its actions rewritten for any block, where only `$` is sure to be the root."""
    return _INNER.sub(lambda each: f"{{{{ {rooted(each['inner'], dot, variables)} }}}}", text)
