"""Texts with variables: `${NAME:=default}` of envsubst and Flux, `{{ … }}` of templates.

The grammar is that of github.com/fluxcd/pkg/envsubst (parse/parse.go, template.go, funcs.go), a fork of
drone/envsubst; names follow fluxcd/pkg/kustomize (kustomize_varsub.go, varsubRegex).
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from dradsl.records import Record
from dradsl.values import limits
from dradsl.values.limits import LEVELS_OF_DEFAULTS, LONGEST_WITH_VARIABLES
from dradsl.values.patterns import pattern
from dradsl.values.plain import member

__all__ = [
    "Hole",
    "Parts",
    "Value",
    "can_be",
    "evaluate",
    "fill",
    "is_off",
    "parse",
    "variables_in",
]

_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_MARK = pattern(r"\$\$|\$\{|\{\{")
# A script puts a value there before it applies the file, or a reader of the page.
_OF_A_SCRIPT = pattern(r"\$\$[A-Z][A-Z0-9_]*|<[A-Za-z][\w. -]*>|__[A-Z][A-Z0-9_]*__")
_OPERATOR = pattern(r":[-=?+]|=|,,?|\^\^?|//|/[#%]?|##?|%%?|:")


class Hole(Record):
    """A value that is not known; `text` is what is there."""

    text: str


class _Variable(Record):
    """`${name}` with an operator and its arguments, each of which may hold variables again."""

    name: str
    operator: str
    arguments: tuple[_Parsed, ...]
    text: str


Parts = tuple[str | Hole, ...]
"""A text of which some parts are not known."""

_Parsed = tuple[str | _Variable | Hole, ...]


class Value(Record):
    """What a text comes to. `assumed` says that a default stands for a value that is not given, `too_large` that
    no object can hold it."""

    parts: Parts
    assumed: bool = False
    too_large: bool = False

    @property
    def text(self) -> str | None:
        """The text if all of it is known."""
        if any(isinstance(part, Hole) for part in self.parts):
            return None
        return "".join(str(part) for part in self.parts)


def parse(text: str, *, variables: bool = True) -> _Parsed | None:
    """The parts of a text that holds a variable or a template; None for any other text.

    Without `variables` only templates count. What is no variable of envsubst is text.
    """
    if len(text) > LONGEST_WITH_VARIABLES:
        return None
    if _OF_A_SCRIPT.fullmatch(text):
        return (Hole(text),)
    found: list[str | _Variable | Hole] = []
    start = at = 0
    special = False
    last = text.rfind("}}")
    while (mark := _MARK.search(text, at)) is not None:
        at = mark.start()
        part: _Variable | Hole | None = None
        end = at + 1
        if mark[0] == "{{":
            if at < last:
                end = text.index("}}", at) + 2
                part = Hole(text[at:end])
        elif mark[0] == "${" and variables:
            read = _read(text, at, 0)
            if read is not None:
                part, end = read
        elif mark[0] == "$$":
            end = at + 2  # what follows is no variable: `$${NAME}`
        if part is not None:
            special = True
            if at > start:
                found.append(_unescaped(text[start:at]))
            found.append(part)
            start = end
        at = end
    if not special:
        return None
    if start < len(text):
        found.append(_unescaped(text[start:]))
    return tuple(found)


def _unescaped(text: str) -> str:
    return text.replace("$$", "$")


def _read(text: str, at: int, level: int) -> tuple[_Variable, int] | None:
    """The variable that begins at `at` with `${`, and where it ends."""
    if level > LEVELS_OF_DEFAULTS:
        return None
    at += 2
    length = text.startswith("#", at)
    name = _NAME.match(text, at + length)
    if name is None:
        return None
    begin, at = at - 2, name.end()
    if length:
        closed = text.startswith("}", at)
        return (_Variable(name[0], "#", (), text[begin : at + 1]), at + 1) if closed else None
    operator = _OPERATOR.match(text, at)
    word = operator[0] if operator is not None else ""
    at += len(word)
    pieces: list[str | _Variable | Hole] = []
    start = at
    while at < len(text) and text[at] != "}":
        if text.startswith("${", at):
            inner = _read(text, at, level + 1)
            if inner is None:
                return None
            pieces += [text[start:at], inner[0]] if at > start else [inner[0]]
            at = start = inner[1]
        else:
            at += 1
    if at >= len(text) or (not word and (at > start or pieces)):
        return None
    if at > start:
        pieces.append(text[start:at])
    return _Variable(name[0], word, (tuple(pieces),), text[begin : at + 1]), at + 1


_OFF = "kustomize.toolkit.fluxcd.io/substitute"


def is_off(data: object) -> bool:
    """Whether an object says that Flux leaves its variables alone."""
    marks = (member(data, "metadata", name, _OFF) for name in ("labels", "annotations"))
    return "disabled" in marks


def variables_in(parsed: _Parsed) -> tuple[str, ...]:
    """The names of the variables in a text, those within defaults too."""
    names: list[str] = []
    pending = list(parsed)
    while pending:
        part = pending.pop()
        if isinstance(part, _Variable):
            names.append(part.name)
            pending += [each for argument in part.arguments for each in argument]
    return tuple(dict.fromkeys(names))


_DEFAULTS = frozenset({"=", ":=", ":-"})
# `:?` and `:+` hold a message and an alternative: nothing that is where no value is given.
_GIVEN = _DEFAULTS | {":?", ":+"}


def evaluate(parsed: _Parsed, known: Mapping[str, str], open_names: Container[str] = ()) -> Value:
    """What the parts come to where `known` says the values of variables.

    A variable that is not known has its default, if that is more than nothing; else it is a hole. So is one
    of the `open_names`, which has some value that is not known, and a text that would be larger than an object
    may be.
    """
    parts: list[str | Hole] = []
    run: list[str] = []  # texts that follow each other
    assumed = False
    left = limits.MOST_FILLED
    for part in parsed:
        if isinstance(part, _Variable):
            value = _value(part, known, open_names)
            assumed |= value.assumed
            new = value.parts
        else:
            new = (part,)
        for each in new:
            if isinstance(each, str):
                run.append(each)
                left -= len(each)
                continue
            parts += ["".join(run)] if any(run) else []
            run.clear()
            parts.append(each)
        if left < 0:
            written = (each if isinstance(each, str) else each.text for each in parsed)
            return Value((Hole("".join(written)),), too_large=True)
    parts += ["".join(run)] if any(run) else []
    return Value(tuple(parts), assumed)


def _value(variable: _Variable, known: Mapping[str, str], open_names: Container[str]) -> Value:
    value = known.get(variable.name)
    if variable.operator == "" or (value is None and variable.name in open_names):
        return Value((Hole(variable.text) if value is None else value,))
    if variable.operator in _GIVEN and value:
        return Value((value,))
    if variable.operator not in _DEFAULTS:  # a function: few ever write one
        return Value((Hole(variable.text),))
    argument = evaluate(variable.arguments[0], known, open_names)
    if not argument.parts:
        return Value((Hole(variable.text) if value is None else "",))
    return Value(argument.parts, assumed=True)


def can_be(parts: Parts, text: str) -> bool:
    """Whether a text of which parts are not known can be `text`: a hole can be anything."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0] == text
    at, end = 0, len(text)
    if parts and isinstance(parts[0], str):
        if not text.startswith(parts[0]):
            return False
        at = len(parts[0])
    if parts and isinstance(parts[-1], str):
        if not text.endswith(parts[-1]):
            return False
        end -= len(parts[-1])
    for part in parts[1:-1]:
        if isinstance(part, str):
            found = text.find(part, at, max(end, at))
            if found < 0:
                return False
            at = found + len(part)
    return at <= end


def fill(parts: Parts, values: Mapping[str, str]) -> str:
    """The text with a value in each hole, by what is there; a hole without one stays."""
    return "".join(
        part if isinstance(part, str) else values.get(part.text, part.text) for part in parts
    )
