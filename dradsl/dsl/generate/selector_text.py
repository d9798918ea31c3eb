"""Selectors as Python source: handles where a driver schema knows the words, else CEL as text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.drivers.schema.model import AttributeSchema
from dradsl.dsl.data.modules import module_of
from dradsl.dsl.expressions.facts import NOTHING_KNOWN, Fact, facts
from dradsl.dsl.expressions.literals import quantity_of, version_of
from dradsl.dsl.expressions.nodes import (
    And,
    Comparison,
    ConditionNode,
    Driver,
    Exists,
    Is,
    Op,
    Operand,
    Or,
    Raw,
)
from dradsl.dsl.expressions.recognise import recognise
from dradsl.dsl.expressions.render import render
from dradsl.dsl.generate.python_text import (
    Brackets,
    Code,
    Method,
    Operators,
    call,
    literal,
    sequence,
    text_lines,
)
from dradsl.dsl.generate.vocabulary import DeviceHandle, Member, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.dsl.expressions.recognise import Source

__all__ = ["SelectorText"]

_METHODS = {
    Op.STARTS: "startswith",
    Op.ENDS: "endswith",
    Op.CONTAINS: "contains",
    Op.MATCHES: "matches",
    Op.IN: "in_",
}
_QUOTED = re.compile(r"""["']([^"']+)["']""")


class _UnknownWordError(Exception):
    """The handles have no word for a part of an expression."""


class SelectorText:
    """Writes selectors; `used` are the names of `dradsl`, `handles` the (module, handle) it took.

    `names` says what a handle is called where that is not its own name.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        names: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self._catalogue = catalogue
        self.names: dict[tuple[str, str], str] = dict(names or {})
        self._vocabularies: dict[str, Vocabulary | None] = {}
        self.used: set[str] = set()
        self.handles: set[tuple[str, str]] = set()

    def select(
        self, texts: Sequence[str], of_class: Iterable[ConditionNode] = (), name: str = ""
    ) -> tuple[Code | None, tuple[ConditionNode, ...]]:
        """The value of `select=` for CEL texts, and the conditions that it makes.

        `of_class` are the conditions of the device class `name`, which spare guards.
        """
        known = NOTHING_KNOWN.union(*map(facts, of_class))
        codes: list[Code] = []
        made: list[ConditionNode] = []
        for text in texts:
            code, node = self._one(text, name, known)
            codes.append(code)
            made.append(node)
            known |= facts(node)
        if not codes:
            return None, ()
        return (codes[0] if len(codes) == 1 else sequence(codes)), tuple(made)

    def _one(self, text: str, name: str, known: frozenset[Fact]) -> tuple[Code, ConditionNode]:
        kinds, drivers = self._words_for(text, name)
        known |= {kind.type for kind in kinds if name in kind.type.classes}
        known |= {one.driver for one in drivers if name in one.driver.classes}

        def words(source: Source, domain: str, word: str) -> Operand | None:
            ordered = sorted(kinds, key=lambda kind: kind.type not in known)
            return next(
                (
                    member.operand
                    for kind in ordered
                    for member in kind.members
                    if _is_called(member, source, domain, word)
                ),
                None,
            )

        node = recognise(text, words, [kind.node for kind in kinds], known)
        try:
            writer = _SelectorWriter(kinds, self.names)
            code = writer.code(Raw(text) if node is None else node)
        except _UnknownWordError:
            node = None
        if node is None or isinstance(node, Raw):
            return text_lines(text), Raw(text)
        if render(node, known=known) != text:
            code = Method(_operand(node, code), "spelled", _argument(text))
        self.used |= writer.used
        self.handles.update(map(_handle, writer.kinds))
        return code, node

    def handle_of(self, class_name: str) -> str | None:
        """The handle whose driver installs that class for it; None if there is none."""
        for one in self._words_for("", class_name)[1]:
            for kind in one.kinds:
                if kind.shipped == class_name:
                    self.handles.add(_handle(kind))
                    return self.names.get(_handle(kind), kind.name)
        return None

    def attribute(self, qualified: str, class_names: Iterable[str]) -> str | None:
        """The handle's member for an attribute that a constraint over those classes names."""
        kinds = [
            kind
            for name in class_names
            for kind in self._words_for("", name)[0]
            if name in kind.type.classes
        ]
        own = self._vocabulary(qualified.partition("/")[0])
        kinds += own.kinds if own is not None else ()
        for kind in kinds:
            for member in kind.members:
                operand = member.operand
                if (
                    operand.source == "attributes"
                    and operand.qualified == qualified
                    and member.name
                ):
                    self.handles.add(_handle(kind))
                    return f"{self.names.get(_handle(kind), kind.name)}.{member.name}"
        return None

    def _words_for(self, text: str, name: str) -> tuple[list[DeviceHandle], list[Vocabulary]]:
        """The handles that an expression for class `name` can be about."""
        wanted = dict.fromkeys(_QUOTED.findall(text))
        known = self._catalogue.device_class(name) if name else None
        names = [*([known[0].name] if known else []), *wanted]
        found = (self._vocabulary(one) for one in dict.fromkeys(names))
        drivers = [one for one in found if one is not None]
        return [kind for one in drivers for kind in one.kinds], drivers

    def _vocabulary(self, driver: str) -> Vocabulary | None:
        if driver not in self._vocabularies:
            schema = self._catalogue.get(driver) if module_of(driver) else None
            self._vocabularies[driver] = None if schema is None else Vocabulary(schema)
        return self._vocabularies[driver]


def _is_called(member: Member, source: Source, domain: str, word: str) -> bool:
    operand = member.operand
    return (operand.source, operand.domain, operand.name) == (source, domain, word)


def _operand(node: ConditionNode, code: Code) -> Code:
    """An expression as something that a method can be called on."""
    if isinstance(node, Comparison) and node.op in _SIGNS | {Op.NOT_HOLDS}:
        return Operators("&", (f"{code}",))
    return code if isinstance(code, Operators) or not str(code).startswith("~") else f"({code})"


def _argument(text: str) -> Code:
    lines = text_lines(text)
    return replace(lines, opening="", closing="") if isinstance(lines, Brackets) else lines


class _SelectorWriter:
    """Writes one expression; `used` are the names of `dradsl`, `kinds` the handles that it needs."""

    def __init__(self, kinds: Sequence[DeviceHandle], names: Mapping[tuple[str, str], str]) -> None:
        self._all = kinds
        self._names = names
        self.used: set[str] = set()
        self.kinds: list[DeviceHandle] = []

    def code(self, node: ConditionNode) -> Code:
        """The expression, to be broken at its operators."""
        match node:
            case And(parts):
                return Operators("&", tuple(self._part(part, And) for part in parts))
            case Or(parts):
                return Operators("|", tuple(self._part(part, Or) for part in parts))
            case Comparison(op=Op.IN | Op.NOT_IN as op, value=tuple(values)):
                # A call, so that a long list is broken at its items.
                name = f"{_not(op is Op.NOT_IN)}{self._left(node)}.in_"
                return call(name, literal(list(values)))
            case Raw(text, False):
                self.used.add("raw_cel")
                return call("raw_cel", literal(text))
        return self._text(node)

    def _part(self, node: ConditionNode, outer: type[And | Or]) -> Code:
        code = self.code(node)
        if isinstance(node, Comparison) and node.op in _SIGNS:
            return f"({code})"
        if isinstance(node, Or) and outer is And and isinstance(code, Operators):
            return replace(code, grouped=True)
        return code

    def _text(self, node: ConditionNode) -> str:
        match node:
            case Is(type=type_, negated=negated):
                kind = next(kind for kind in self._all if kind.type == type_)
                return _not(negated) + self._use(kind)
            case Driver(name, negated):
                self.used.add("driver")
                return f"{_not(negated)}driver({literal(name)})"
            case Exists(operand, negated):
                return f"{_not(negated)}{self._operand(operand)}.exists()"
            case Comparison():
                return self._comparison(node)
            case Raw(text, True):
                self.used.add("raw_cel")
                return f"~raw_cel({literal(text)})"
        raise _UnknownWordError

    def _comparison(self, node: Comparison) -> str:
        left = self._left(node)
        value = node.value
        if node.op in (Op.HOLDS, Op.NOT_HOLDS):
            return _not(node.op is Op.NOT_HOLDS) + left
        if node.op in _SIGNS:
            return f"{left} {node.op} {literal(value)}"
        negated = node.op not in _METHODS
        method = _METHODS[node.op.opposite if negated else node.op]
        return f"{_not(negated)}{left}.{method}({literal(value)})"

    def _left(self, node: Comparison) -> str:
        return self._operand(node.operand, node) + ("" if node.guarded else ".unguarded")

    def _operand(self, operand: Operand, node: Comparison | None = None) -> str:
        for kind in sorted(self._all, key=lambda one: one not in self.kinds):
            for member in kind.members:
                if (
                    member.name is not None
                    and member.operand == operand
                    and member.operand.always == operand.always
                    and (node is None or _accepts(member, node))
                ):
                    return f"{self._use(kind)}.{member.name}"
        raise _UnknownWordError

    def _use(self, kind: DeviceHandle) -> str:
        if kind not in self.kinds:
            self.kinds.append(kind)
        return self._names.get(_handle(kind), kind.name)


def _handle(kind: DeviceHandle) -> tuple[str, str]:
    return module_of(kind.type.driver) or "", kind.name


_SIGNS = {Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE}


def _not(negated: bool) -> str:
    return "~" if negated else ""


def _accepts(member: Member, node: Comparison) -> bool:
    """Whether the handle would take the constant, and as it is."""
    values = node.value if isinstance(node.value, tuple) else (node.value,)
    operand = member.operand
    known = member.entry.values if isinstance(member.entry, AttributeSchema) else None
    if known and node.op in (Op.EQ, Op.NE, Op.IN, Op.NOT_IN):
        return all(value in known for value in values)
    try:
        match operand.type:
            case "version" | "versions":
                return all(version_of(value, operand.name) == value for value in values)
            case "quantity":
                return all(quantity_of(value, operand.name) == value for value in values)
    except ValueError:
        return False
    if node.op in (Op.MATCHES, Op.NOT_MATCHES):
        return _is_pattern(str(node.value))
    return True


def _is_pattern(text: str) -> bool:
    from dradsl.regexp import PatternError, compile_pattern

    try:
        compile_pattern(text)
    except PatternError:
        return False
    return True
