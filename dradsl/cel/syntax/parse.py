"""Parses CEL: text to a tree of `dradsl.cel.syntax.ast` nodes with macros expanded.

Hand-written: operators by precedence on an explicit stack, so that only brackets recurse.
`tests/cel/grammar.lark` states the same language and is held against this parser by
a test. Limits, the order of operands and the positions of nodes follow cel-go
`parser/parser.go` and `parser/gen/CEL.g4`.
"""

from __future__ import annotations

from dradsl.cel.runtime.values import well_formed
from dradsl.cel.syntax import literals
from dradsl.cel.syntax.ast import (
    Call,
    Expr,
    FieldInit,
    Ident,
    ListExpr,
    Literal,
    MapEntry,
    MapExpr,
    Select,
    StructExpr,
)
from dradsl.cel.syntax.deep import deep
from dradsl.cel.syntax.lexer import LexError, tokenize
from dradsl.cel.syntax.macro_names import ALL_MACROS, MacroKey
from dradsl.errors import DradslError
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn

__all__ = ["MAX_CODE_POINTS", "MAX_DEPTH", "CelSyntaxError", "SyntaxIssue", "parse"]

MAX_DEPTH = 250
MAX_CODE_POINTS = 100_000

RESERVED = frozenset({
    "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in",
    "let", "loop", "package", "namespace", "null", "return", "true", "var", "void", "while",
})  # fmt: skip

# Names of the operators, and how strongly they bind.
BINARY = {
    "||": ("_||_", 1),
    "&&": ("_&&_", 2),
    "==": ("_==_", 3),
    "!=": ("_!=_", 3),
    "<": ("_<_", 3),
    "<=": ("_<=_", 3),
    ">": ("_>_", 3),
    ">=": ("_>=_", 3),
    "in": ("@in", 3),
    "+": ("_+_", 4),
    "-": ("_-_", 4),
    "*": ("_*_", 5),
    "/": ("_/_", 5),
    "%": ("_%_", 5),
}
_FIRST = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
    "STRING, BYTES, IDENTIFIER}"
)
_STARTS = frozenset({
    "[", "{", "(", ".", "-", "!", "true", "false", "null", "float", "int", "uint", "string",
    "bytes", "ident",
})  # fmt: skip
_LITERALS: Mapping[str, Callable[[str], object]] = {
    "int": literals.int_literal,
    "uint": literals.uint_literal,
    "float": literals.double_literal,
    "string": literals.string_literal,
    "bytes": literals.bytes_literal,
    "true": lambda _: True,
    "false": lambda _: False,
    "null": lambda _: None,
}


@dataclass(frozen=True, slots=True)
class SyntaxIssue:
    """One thing wrong with the text: upstream's message, and ours.

    `start` is -1 where upstream gives no position (a limit exceeded).
    """

    start: int
    end: int
    message: str
    help: str


class CelSyntaxError(DradslError, ValueError):
    """An expression that cannot be parsed; `issues` in the order of their position."""

    def __init__(self, issues: tuple[SyntaxIssue, ...]) -> None:
        super().__init__(issues[0].help)
        self.issues = issues
        self.start = issues[0].start
        self.end = issues[0].end
        self.message = issues[0].message
        self.help = issues[0].help


class _LimitError(Exception):
    """A limit on nesting is exceeded: upstream stops at once, without a position."""

    def __init__(self, message: str, *, while_reading: bool = True) -> None:
        super().__init__(message)
        self.while_reading = while_reading


class _Stop(Exception):  # noqa: N818 - leaves the parser at the first syntax error
    pass


def parse(
    text: str,
    macros: frozenset[MacroKey] = ALL_MACROS,
    *,
    backtick_names: bool = False,
) -> Expr:
    """The tree of `text`, with calls of `macros` expanded.

    `backtick_names`: fields may be written in back-ticks, as newer versions of CEL let them.

    Raises:
        CelSyntaxError: with all that is wrong up to the first place where parsing stops.
    """
    if len(text) > MAX_CODE_POINTS:
        message = (
            f"expression code point size exceeds limit: size: {len(text)}, limit {MAX_CODE_POINTS}"
        )
        raise CelSyntaxError((SyntaxIssue(-1, -1, message, "the expression is too long"),))
    parser = _Parser(text, macros, backtick_names)
    root = deep(parser.run, 3 * parser.nesting)
    if parser.issues or root is None:
        issues = sorted(parser.issues, key=lambda issue: issue.start)
        raise CelSyntaxError(tuple(issues))
    return root


class _Parser:
    """One run over the tokens of one expression."""

    def __init__(self, text: str, macros: frozenset[MacroKey], backtick_names: bool) -> None:
        tokens = tokenize(well_formed(text))
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.length = len(text)
        self.macros = macros
        self.backtick_names = backtick_names
        self.position = 0
        self.issues = [_unrecognised(error) for error in tokens.errors]
        # How many times the rules expr, relation and calc of upstream's grammar are open:
        # each may be entered 250 times.
        self.exprs = self.relations = self.calcs = 0
        # Height of the node parsed last, counted as upstream's visitor does.
        self.height = 0

    @property
    def nesting(self) -> int:
        """An upper bound of how deep brackets and conditionals nest."""
        return min(MAX_DEPTH, sum(self.kinds.count(kind) for kind in "([{?")) + 1

    def run(self) -> Expr | None:
        try:
            root = self.expr()
            if self.kinds[self.position] != "eof":
                self.unexpected("<EOF>", "the end of the expression", at_end=True)
        except _Stop:
            return None
        except _LimitError as limit:
            if limit.while_reading:  # upstream has read no further, and has expanded no macro
                reached = self.starts[self.position]
                self.issues = [
                    issue
                    for issue in self.issues
                    if issue.start < reached and issue.message.startswith("Syntax error")
                ]
            self.issues.append(SyntaxIssue(-1, -1, str(limit), "the expression nests too deeply"))
            return None
        return root

    # -- expressions ---------------------------------------------------------------------

    def expr(self) -> Expr:
        """expr: or ('?' or ':' expr)?"""
        self.exprs += 1
        if self.exprs > MAX_DEPTH:
            raise _LimitError(f"expression recursion limit exceeded: {MAX_DEPTH}")
        start = self.position
        node = self.operators()
        if self.kinds[self.position] == "?":
            height = self.height
            question = self.take()
            then = self.operators()
            height = max(height, self.height)
            self.expect(":", "':' and the value for when the condition is false")
            other = self.expr()
            args = (node, then, other)
            node = self.call("_?_:_", question, start, args)
            self.grow(height, self.height)
        self.exprs -= 1
        return node

    def operators(self) -> Expr:
        """Binary operators: what upstream's grammar calls conditionalOr."""
        pending: list[_Pending] = []
        start = self.position
        while True:
            node = self.unary(pending)
            height = self.height
            operator = BINARY.get(self.kinds[self.position])
            binding = operator[1] if operator else 0
            while pending and (
                pending[-1].binding > binding or (pending[-1].binding == binding and binding > 2)
            ):
                top = pending.pop()
                node = self.close(top, node, height)
                height = self.height
                start = top.start
            if operator is None:
                return node
            if pending and pending[-1].binding == binding:
                pending[-1].extend(self.position, node, height)
            else:
                pending.append(_Pending(operator[0], binding, start, self.position, node, height))
            self.position += 1
            start = self.position

    def close(self, top: _Pending, right: Expr, height: int) -> Expr:
        """The node of a pending operator whose right operand is complete."""
        top.terms.append(right)
        height = max(top.height, height)
        if top.binding > 2:
            node = self.call(top.function, top.operators[0], top.start, tuple(top.terms))
            self.grow(height)
            return node
        self.height = height  # `&&` and `||` do not count
        return self.balanced(top, 0, len(top.operators) - 1)

    def balanced(self, top: _Pending, low: int, high: int) -> Expr:
        """A chain of `&&` or `||` as a balanced tree, so that long chains stay shallow."""
        middle = (low + high + 1) // 2
        left = top.terms[middle] if middle == low else self.balanced(top, low, middle - 1)
        right = top.terms[middle + 1] if middle == high else self.balanced(top, middle + 1, high)
        operator = top.operators[middle]
        span = (self.starts[top.start], self.ends[self.position - 1])
        if (low, high) != (0, len(top.operators) - 1):
            span = (left.span[0], right.span[1])
        name = (self.starts[operator], self.ends[operator])
        return Call(span, self.starts[operator], top.function, None, (left, right), name)

    def unary(self, pending: list[_Pending]) -> Expr:
        """Runs of `!` or of `-`, or an operand; `-1` is a literal."""
        self.check_open(pending)
        kind = self.kinds[self.position]
        if kind != "!" and kind != "-":
            return self.member(self.position, self.primary(pending), pending)
        start = self.position
        while self.kinds[self.position] == kind:
            self.position += 1
        count = self.position - start
        if kind == "-" and count == 1 and self.kinds[self.position] in ("int", "float"):
            return self.member(start, self.literal(start), pending)
        operand_start = self.position
        if kind == "-" or self.kinds[operand_start] != "-":
            node = self.primary(pending)
        elif self.kinds[operand_start + 1] in ("int", "float"):
            self.position += 1
            node = self.literal(operand_start)
        else:
            self.position += 1
            self.unexpected("{NUM_FLOAT, NUM_INT}", "a number after '-'")
        node = self.member(operand_start, node, pending)
        if count % 2:
            height = self.height
            node = self.call("!_" if kind == "!" else "-_", start, start, (node,))
            self.height = height
        return node

    def check_open(self, pending: list[_Pending]) -> None:
        if self.relations + self.calcs + len(pending) < MAX_DEPTH - 4:
            return
        relations, calcs = self.open_rules(pending)
        if relations > MAX_DEPTH or calcs > MAX_DEPTH:
            raise _LimitError(f"expression recursion limit exceeded: {MAX_DEPTH}")

    def open_rules(self, pending: list[_Pending]) -> tuple[int, int]:
        """How often the rules relation and calc are open within the operators pending."""
        relations = self.relations + 1 + sum(p.binding == 3 for p in pending)
        return relations, self.calcs + 1 + sum(p.binding > 3 for p in pending)

    def inner(self, pending: list[_Pending]) -> Expr:
        """An expression within brackets, or an argument."""
        relations, calcs = self.relations, self.calcs
        self.relations, self.calcs = self.open_rules(pending)
        node = self.expr()
        self.relations, self.calcs = relations, calcs
        return node

    # -- operands ------------------------------------------------------------------------

    def member(self, start: int, node: Expr, pending: list[_Pending]) -> Expr:
        """What follows an operand: `.name`, `.?name`, `.name(...)`, `[index]`, `[?index]`."""
        while True:
            kind = self.kinds[self.position]
            if kind == ".":
                node = self.dot(start, node, pending)
            elif kind == "[":
                height = self.height
                bracket = self.take()
                optional = self.accept("?")
                index = self.inner(pending)
                self.expect("]", "']' after the index")
                height = max(height, self.height)
                function = "_[?_]" if optional else "_[_]"
                node = self.call(function, bracket, start, (node, index))
                self.grow(height)
            else:
                return node

    def dot(self, start: int, node: Expr, pending: list[_Pending]) -> Expr:
        dot = self.take()
        optional = self.accept("?")
        name = self.position
        kind = self.kinds[name]
        if kind not in ("ident", "escaped"):
            self.unexpected("{IDENTIFIER, ESC_IDENTIFIER}", "a field name after '.'")
        self.position += 1
        field = self.field_name(name)
        name_span = (self.starts[name], self.ends[name])
        if optional:
            key = Literal(name_span, name_span[0], field)
            node = self.call("_?._", dot, start, (node, key))
            self.grow(self.height)
        elif self.kinds[self.position] == "(" and kind == "ident":
            height = self.height
            paren = self.take()
            args = self.arguments(pending)
            span = (self.starts[start], self.ends[self.position - 1])
            call = Call(span, self.starts[paren], field, node, args, name_span)
            node = self.macro(call)
            self.grow(max(height, self.height))
        else:
            span = (self.starts[start], self.ends[name])
            node = Select(span, self.starts[dot], node, field, False, name_span)
            self.grow(self.height)
        return node

    def primary(self, pending: list[_Pending]) -> Expr:
        kind = self.kinds[self.position]
        start = self.position
        if kind == "ident" or (kind == "." and self.kinds[start + 1] == "ident"):
            return self.name(pending)
        if kind in _LITERALS:
            return self.literal(start)
        if kind == "(":
            self.position += 1
            node = self.inner(pending)
            is_list = start > 0 and self.texts[start - 1] == "in"
            self.expect(")", 'a list in brackets: in ["a", "b"]' if is_list else "')' to close '('")
            return node
        if kind == "[":
            return self.list_literal(pending)
        if kind == "{":
            return self.map_literal(pending)
        if kind == ".":
            self.position += 1
            self.unexpected("IDENTIFIER", "a name after '.'")
        return self.unexpected(_FIRST, "a value")

    def literal(self, start: int) -> Expr:
        """The literal at the present token; `start` is its minus sign, if it has one."""
        token = self.take()
        text = self.texts[token] if token == start else "-" + self.texts[token]
        span = (self.starts[start], self.ends[token])
        self.height = 0
        try:
            value = _LITERALS[self.kinds[token]](text)
        except literals.LiteralError as error:
            self.issues.append(SyntaxIssue(*span, str(error), _LITERAL_HELP[self.kinds[token]]))
            value = None
        return Literal(span, span[0], value)

    def name(self, pending: list[_Pending]) -> Expr:
        """A variable, a call of a function, or a message literal."""
        start = self.position
        name = start + (self.kinds[start] == ".")
        if (end := self.message_name(name)) is not None:
            return self.message(start, end, pending)
        text = self.texts[name]
        called = self.kinds[name + 1] == "("
        if text in RESERVED:
            at, end_at = self.starts[start], self.ends[name]
            help_ = f"{text!r} is a reserved word of CEL and cannot be a name"
            if text == "return":
                help_ = "remove it: an expression is its own value"
            if text in ("if", "else"):
                help_ = "CEL has no if: write CONDITION ? a : b, or CONDITION && …"
            self.issues.append(SyntaxIssue(at, end_at, f"reserved identifier: {text}", help_))
        full = text if name == start else "." + text
        name_span = (self.starts[name], self.ends[name])
        self.position = name + 1
        self.height = 0
        if not called:
            return Ident((self.starts[start], self.ends[name]), self.starts[name], full)
        paren = self.take()
        args = self.arguments(pending)
        span = (self.starts[start], self.ends[self.position - 1])
        return self.macro(Call(span, self.starts[paren], full, None, args, name_span))

    def message_name(self, name: int) -> int | None:
        """The index of the `{` if a message literal starts at token `name`."""
        kinds = self.kinds
        while kinds[name + 1] == "." and kinds[name + 2] == "ident":
            name += 2
        return name + 1 if kinds[name + 1] == "{" else None

    def message(self, start: int, brace: int, pending: list[_Pending]) -> Expr:
        type_name = "".join(self.texts[start:brace])
        self.position = brace + 1
        fields: list[FieldInit] = []
        height = 0
        while self.more("}", bool(fields)):
            optional = self.accept("?")
            name = self.position
            if self.kinds[name] not in ("ident", "escaped"):
                self.unexpected("{'}', IDENTIFIER, ESC_IDENTIFIER}", "a field name or '}'")
            self.position += 1
            colon = self.expect(":", "':' after the field name")
            value = self.inner(pending)
            height = max(height, self.height)
            at = self.starts[colon]
            fields.append(FieldInit(at, self.field_name(name), value, optional))
        self.expect("}", "',' or '}' to close the message")
        self.height = height
        span = (self.starts[start], self.ends[self.position - 1])
        return StructExpr(span, self.starts[brace], type_name, tuple(fields))

    def list_literal(self, pending: list[_Pending]) -> Expr:
        start = self.take()
        elements: list[Expr] = []
        optional: set[int] = set()
        height = 0
        while self.more("]", bool(elements)):
            if self.accept("?"):
                optional.add(len(elements))
            elements.append(self.inner(pending))
            height = max(height, self.height)
        self.expect("]", "',' or ']' to close the list")
        self.height = height
        span = (self.starts[start], self.ends[self.position - 1])
        return ListExpr(span, span[0], tuple(elements), frozenset(optional))

    def map_literal(self, pending: list[_Pending]) -> Expr:
        start = self.take()
        entries: list[MapEntry] = []
        height = 0
        while self.more("}", bool(entries)):
            optional = self.accept("?")
            key = self.inner(pending)
            height = max(height, self.height)
            colon = self.expect(":", "':' after the key")
            value = self.inner(pending)
            height = max(height, self.height)
            entries.append(MapEntry(self.starts[colon], key, value, optional))
        self.expect("}", "',' or '}' to close the map")
        self.height = height
        span = (self.starts[start], self.ends[self.position - 1])
        return MapExpr(span, span[0], tuple(entries))

    def more(self, close: str, filled: bool) -> bool:
        """Whether another element follows; a comma may be before `close`, even alone."""
        if not filled:
            # Behind a comma that nothing is before, the literal has to end.
            return not self.accept(",") and self.kinds[self.position] != close
        if not self.accept(","):
            return False
        return self.kinds[self.position] != close

    def arguments(self, pending: list[_Pending]) -> tuple[Expr, ...]:
        """The arguments of a call and its closing parenthesis; no comma may be before it."""
        height = 0
        args: list[Expr] = []
        if not self.accept(")"):
            while True:
                args.append(self.inner(pending))
                height = max(height, self.height)
                if not self.accept(","):
                    break
            self.expect(")", "',' or ')' to close the arguments")
        self.height = height
        return tuple(args)

    # -- helpers -------------------------------------------------------------------------

    def macro(self, call: Call) -> Expr:
        key = call.function, len(call.args), call.target is not None
        if key not in self.macros:
            return call
        from dradsl.cel.syntax.macros import MacroError, expand

        try:
            return expand(key, call) or call
        except MacroError as error:
            span = error.node.span
            help_ = f"{call.function}(): {error.message}"
            if call.function == "has":
                help_ = 'write has(device.attributes["DRIVER"].NAME), or "NAME" in device.attributes["DRIVER"]'
            self.issues.append(SyntaxIssue(error.at, span[1], error.message, help_))
            return Literal(call.span, error.at, None)

    def call(self, function: str, operator: int, start: int, args: tuple[Expr, ...]) -> Call:
        span = (self.starts[start], self.ends[self.position - 1])
        at = self.starts[operator]
        return Call(span, at, function, None, args, (at, self.ends[operator]))

    def field_name(self, token: int) -> str:
        text = self.texts[token]
        if self.kinds[token] == "escaped":
            if self.backtick_names:
                return text[1:-1]
            start, end = self.starts[token], self.ends[token]
            help_ = 'names in back-ticks are not supported; write ["name"] instead'
            self.issues.append(SyntaxIssue(start, end, "unsupported syntax: '`'", help_))
        return text

    def grow(self, *heights: int) -> None:
        """A node that upstream's visitor counts now is on nodes of these heights."""
        self.height = max(heights) + 1
        if self.height > MAX_DEPTH:
            raise _LimitError("max recursion depth exceeded", while_reading=False)

    def take(self) -> int:
        self.position += 1
        return self.position - 1

    def accept(self, kind: str) -> bool:
        if self.kinds[self.position] != kind:
            return False
        self.position += 1
        return True

    def expect(self, kind: str, wanted: str) -> int:
        if self.kinds[self.position] != kind:
            self.unexpected(f"'{kind}'", wanted)
        return self.take()

    def unexpected(self, upstream: str, wanted: str, *, at_end: bool = False) -> NoReturn:
        """The present token cannot be here: reports it and leaves the parser."""
        here = self.position
        kind, text = self.kinds[here], self.texts[here]
        following = self.kinds[here + 1] if kind != "eof" else "eof"
        lone = following == "eof" if at_end else following in _STARTS
        what = "extraneous" if lone and kind != "eof" else "mismatched"
        start, end = self.starts[here], self.ends[here]
        found = "the expression ends here" if kind == "eof" else f"{text!r} cannot be here"
        before = self.texts[here - 1] if here else ""
        word = next((word for word in (text, before) if word in _WORDS), None)
        help_ = f"write {_WORDS[word]!r} for {word!r}" if word else f"{found}: expected {wanted}"
        if (before, text) == ("<", ">"):
            help_ = "write '!=' for '<>'"
        elif before.isdigit() and text in _UNITS:
            help_ = f'write quantity("{before}{text}")'
        elif at_end and text in _TESTS:
            of = self.texts[here + 1]
            help_ = f"write .{_TESTS[text]}({of}) for {text} {of}"
        elif at_end and kind == "ident" and not word:
            help_ = f"{found}: expected '&&' or '||' before the next condition, or the end"
        self.issues.append(
            SyntaxIssue(
                start,
                end,
                f"Syntax error: {what} input '{text}' expecting {upstream}",
                help_,
            )
        )
        raise _Stop


_UNITS = ("Ki", "Mi", "Gi", "Ti", "M", "G", "T")
_WORDS = {"and": "&&", "or": "||", "not": "!(…)", "eq": "==", "is": "==", "ne": "!="}
_WORDS |= {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
"""Operators of other languages."""

_TESTS = {"contains": "contains", "includes": "contains", "like": "contains", "matches": "matches"}
_TESTS |= {"startsWith": "startsWith", "endsWith": "endsWith"}
"""Methods that other languages write between their operands."""


class _Pending:
    """A binary operator that still waits for its right operand; a chain, for && and ||."""

    __slots__ = ("binding", "function", "height", "operators", "start", "terms")

    def __init__(
        self, function: str, binding: int, start: int, operator: int, left: Expr, height: int
    ) -> None:
        self.function = function
        self.binding = binding
        self.start = start
        self.operators = [operator]
        self.terms = [left]
        self.height = height

    def extend(self, operator: int, term: Expr, height: int) -> None:
        self.operators.append(operator)
        self.terms.append(term)
        self.height = max(self.height, height)


_LITERAL_HELP = {
    "int": "an int must lie between -9223372036854775808 and 9223372036854775807",
    "uint": "a uint must lie between 0u and 18446744073709551615u",
    "float": "the number is beyond the range of a double",
    "string": "the string has an escape sequence that is not a character",
    "bytes": "the bytes have an escape sequence that is not a byte",
}


def _unrecognised(error: LexError) -> SyntaxIssue:
    shown = error.text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    if error.text[0] in "\"'" and len(error.text) > 1:
        help_ = "the string is not closed, or holds an unknown escape"
    elif error.text[0] in "‘’“”":
        help_ = "typographic quotes do not start a string; write \" or '"
    elif error.text == "=~":
        help_ = 'write a.matches("…") for a =~ "…"'
    elif error.text[0] in "=&|":
        help_ = f"{error.text[0]!r} is not an operator; write {error.text[0] * 2!r}"
    else:
        is_comment = error.text[0] == "#"
        help_ = f"{error.text[0]!r} {'begins no comment in CEL; write //' if is_comment else 'means nothing in CEL: remove it'}"
    message = f"Syntax error: token recognition error at: '{shown}'"
    return SyntaxIssue(error.start, error.end, message, help_)
