"""Macros of CEL: calls that the parser rewrites into folds and conditionals.

Expansions are those of cel-go `parser/macro.go`, `cel/library.go` (optionals),
`ext/comprehensions.go`, `ext/bindings.go` and `ext/lists.go`: checker, cost estimate and
evaluation see the same tree as upstream.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import (
    Call,
    Comprehension,
    Expr,
    FieldInit,
    Ident,
    ListExpr,
    Literal,
    MapEntry,
    MapExpr,
    Select,
    StructExpr,
    walk,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from dradsl.cel.runtime.values import Value
    from dradsl.cel.syntax.macro_names import MacroKey

__all__ = ["ACCUMULATOR", "EXPANSIONS", "MacroError", "expand"]

ACCUMULATOR = "@result"
_LEGACY_ACCUMULATOR = "__result__"
_UNUSED = "#unused"
# optMap repeats its target, so a chain of them doubles at each link. Upstream has no limit.
_COPY_LIMIT = 2_000


class MacroError(Exception):
    """A macro with arguments that do not fit; `at` is the offset of the wrong one."""

    def __init__(self, message: str, at: int, node: Expr) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.node = node


class _Builder:
    """Makes nodes that are where the macro's call stands."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.span = call.span
        self.at = call.at
        self.args = call.args

    @property
    def target(self) -> Expr:
        """What the macro is called on; only macros with a target ask."""
        if self.call.target is None:
            raise AssertionError(f"{self.call.function} has no target")
        return self.call.target

    def literal(self, value: Value) -> Literal:
        return Literal(self.span, self.at, value)

    def ident(self, name: str) -> Ident:
        return Ident(self.span, self.at, name)

    def accu(self) -> Ident:
        return self.ident(ACCUMULATOR)

    def list(self, *elements: Expr) -> ListExpr:
        return ListExpr(self.span, self.at, elements)

    def function(self, name: str, *args: Expr) -> Call:
        return Call(self.span, self.at, name, None, args, self.call.name_span)

    def member(self, name: str, target: Expr, *args: Expr) -> Call:
        return Call(self.span, self.at, name, target, args, self.call.name_span)

    def conditional(self, test: Expr, then: Expr, other: Expr, *, whole: bool = False) -> Call:
        origin = self.call if whole else None
        span = self.call.name_span
        return Call(self.span, self.at, "_?_:_", None, (test, then, other), span, origin)

    def fold(
        self,
        over: Expr,
        variables: tuple[str, str | None],
        init: Expr,
        condition: Expr,
        step: Expr,
        result: Expr,
        *,
        accu: str = ACCUMULATOR,
        macro: str | None = None,
    ) -> Comprehension:
        return Comprehension(
            self.span, self.at, macro or self.call.function, over, *variables,
            accu, init, condition, step, result, self.call,
        )  # fmt: skip

    def bind(self, name: str, value: Expr, body: Expr, macro: str) -> Comprehension:
        """A fold over nothing: `name` stands for `value` within `body`."""
        return self.fold(
            self.list(), (_UNUSED, None), value, self.literal(False), self.ident(name), body,
            accu=name, macro=macro,
        )  # fmt: skip


_Macro: TypeAlias = "Callable[[_Builder], Expr | None]"


def expand(key: MacroKey, call: Call) -> Expr | None:
    """The expansion of `call`, or None if it is not a use of the macro after all.

    Raises:
        MacroError: if it is one, but its arguments do not fit.
    """
    return EXPANSIONS[key](_Builder(call))


def _name(node: Expr, message: str) -> str:
    if not isinstance(node, Ident):
        raise MacroError(message, node.at, node)
    return node.name


def _variable(node: Expr, message: str = "argument must be a simple name") -> str:
    name = _name(node, message)
    if name in (ACCUMULATOR, _LEGACY_ACCUMULATOR):
        raise MacroError("iteration variable overwrites accumulator variable", node.at, node)
    return name


def _two_variables(first: Expr, second: Expr) -> tuple[str, str]:
    message = "argument must be a simple name"
    names = (_name(first, message), _name(second, message))
    if names[0] == names[1]:
        raise MacroError(f"duplicate variable name: {names[0]}", second.at, second)
    _variable(first)
    _variable(second)
    return names


def _has(build: _Builder) -> Expr:
    tested = build.args[0]
    if not isinstance(tested, Select):
        raise MacroError("invalid argument to has() macro", tested.at, tested)
    return Select(
        build.span, build.at, tested.operand, tested.field, True, tested.field_span, build.call
    )


def _variables(args: tuple[Expr, ...], count: int) -> tuple[str, str | None]:
    return _two_variables(args[0], args[1]) if count == 2 else (_variable(args[0]), None)


def _decided(count: int, join: str, *, start: bool) -> _Macro:
    """`all`, which starts as true, and `exists`: they end where nothing can change the result."""

    def macro(build: _Builder) -> Expr:
        variables = _variables(build.args, count)
        open_ = build.accu() if start else build.function("!_", build.accu())
        return build.fold(
            build.target,
            variables,
            build.literal(start),
            build.function("@not_strictly_false", open_),
            build.function(join, build.accu(), build.args[count]),
            build.accu(),
        )

    return macro


def _exists_one(count: int) -> _Macro:
    def macro(build: _Builder) -> Expr:
        variables = _variables(build.args, count)
        counted = build.function("_+_", build.accu(), build.literal(1))
        return build.fold(
            build.target,
            variables,
            build.literal(0),
            build.literal(True),
            build.conditional(build.args[count], counted, build.accu()),
            build.function("_==_", build.accu(), build.literal(1)),
        )

    return macro


def _map(build: _Builder) -> Expr:
    return _map_over(build, build.target)


def _map_over(build: _Builder, over: Expr) -> Expr:
    variable = _variable(build.args[0], "argument is not an identifier")
    step: Expr = build.function("_+_", build.accu(), build.list(build.args[-1]))
    if len(build.args) == 3:
        step = build.conditional(build.args[1], step, build.accu())
    return build.fold(over, (variable, None), build.list(), build.literal(True), step, build.accu())


def _filter(build: _Builder) -> Expr:
    variable = _variable(build.args[0], "argument is not an identifier")
    kept = build.function("_+_", build.accu(), build.list(build.args[0]))
    step = build.conditional(build.args[1], kept, build.accu())
    return build.fold(
        build.target, (variable, None), build.list(), build.literal(True), step, build.accu()
    )


def _transform_list(build: _Builder) -> Expr:
    variables = _two_variables(build.args[0], build.args[1])
    step: Expr = build.function("_+_", build.accu(), build.list(build.args[-1]))
    if len(build.args) == 4:
        step = build.conditional(build.args[2], step, build.accu())
    return build.fold(
        build.target, variables, build.list(), build.literal(True), step, build.accu()
    )


def _transform_map(build: _Builder) -> Expr:
    variables = _two_variables(build.args[0], build.args[1])
    entry = () if build.call.function == "transformMapEntry" else (build.ident(variables[0]),)
    step: Expr = build.function("cel.@mapInsert", build.accu(), *entry, build.args[-1])
    if len(build.args) == 4:
        step = build.conditional(build.args[2], step, build.accu())
    empty = MapExpr(build.span, build.at, ())
    return build.fold(build.target, variables, empty, build.literal(True), step, build.accu())


def _bind(build: _Builder) -> Expr | None:
    if not isinstance(build.target, Ident) or build.target.name != "cel":
        return None
    name = _name(build.args[0], "cel.bind() variable names must be simple identifiers")
    return build.bind(name, build.args[1], build.args[2], "cel.bind")


def _opt_map(flat: bool) -> _Macro:
    def macro(build: _Builder) -> Expr:
        function = build.call.function
        name = _name(build.args[0], f"{function}() variable name must be a simple identifier")
        if sum(1 for _ in walk(build.target)) > _COPY_LIMIT:
            raise MacroError("expression grows too large", build.target.at, build.target)
        value = build.member("value", _copy(build.target))
        mapped: Expr = build.bind(name, value, build.args[1], function)
        if not flat:
            mapped = build.function("optional.of", mapped)
        nothing = build.function("optional.none")
        return build.conditional(
            build.member("hasValue", build.target), mapped, nothing, whole=True
        )

    return macro


def _sort_by(build: _Builder) -> Expr:
    if not isinstance(build.target, ListExpr | Select | Ident | Comprehension | Call):
        message = (
            "sortBy can only be applied to a list, identifier, comprehension, "
            "call or select expression"
        )
        raise MacroError(message, build.target.at, build.target)
    name = "@__sortBy_input__"
    keys = _map_over(build, build.ident(name))
    body = build.member("@sortByAssociatedKeys", build.ident(name), keys)
    return build.bind(name, build.target, body, "sortBy")


def _copy(node: Expr) -> Expr:
    """The same tree made of new nodes, so that each has a type of its own."""
    span, at = node.span, node.at
    match node:
        case Literal():
            return Literal(span, at, node.value)
        case Ident():
            return Ident(span, at, node.name)
        case Select():
            operand = _copy(node.operand)
            return Select(
                span, at, operand, node.field, node.test_only, node.field_span, node.origin
            )
        case Call():
            target = None if node.target is None else _copy(node.target)
            args = tuple([_copy(arg) for arg in node.args])
            return Call(span, at, node.function, target, args, node.name_span, node.origin)
        case ListExpr():
            return ListExpr(span, at, tuple([_copy(e) for e in node.elements]), node.optional)
        case MapExpr():
            entries = [
                MapEntry(e.at, _copy(e.key), _copy(e.value), e.optional) for e in node.entries
            ]
            return MapExpr(span, at, tuple(entries))
        case StructExpr():
            fields = [FieldInit(f.at, f.name, _copy(f.value), f.optional) for f in node.fields]
            return StructExpr(span, at, node.type_name, tuple(fields))
        case Comprehension():
            return Comprehension(
                span, at, node.macro, _copy(node.range), node.var, node.var2, node.accu,
                _copy(node.init), _copy(node.condition), _copy(node.step), _copy(node.result),
                node.origin,
            )  # fmt: skip
    raise AssertionError(f"no such node: {node!r}")


EXPANSIONS: Mapping[MacroKey, _Macro] = {
    ("has", 1, False): _has,
    ("all", 2, True): _decided(1, "_&&_", start=True),
    ("exists", 2, True): _decided(1, "_||_", start=False),
    ("exists_one", 2, True): _exists_one(1),
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): _filter,
    ("all", 3, True): _decided(2, "_&&_", start=True),
    ("exists", 3, True): _decided(2, "_||_", start=False),
    ("existsOne", 3, True): _exists_one(2),
    ("exists_one", 3, True): _exists_one(2),
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_map,
    ("transformMapEntry", 4, True): _transform_map,
    ("bind", 3, True): _bind,
    ("optMap", 2, True): _opt_map(flat=False),
    ("optFlatMap", 2, True): _opt_map(flat=True),
    ("sortBy", 2, True): _sort_by,
}
