"""The type checker: a type for every node, the overloads each call may use, or the reasons why not.

One method per kind of node, as in cel-go `checker/checker.go` and `checker/types.go`, whose
rules (and order dependence) it follows. A node that fails gets the error type, which goes with
everything, so that one mistake gives one message.
"""

from __future__ import annotations

from types import MappingProxyType

from dradsl.cel.checker.assign import Substitutions, most_general
from dradsl.cel.checker.references import Reference
from dradsl.cel.checker.validators import validate
from dradsl.cel.runtime.values import Uint
from dradsl.cel.syntax.ast import (
    Call,
    Comprehension,
    Expr,
    FieldInit,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Span,
    StructExpr,
    reach,
)
from dradsl.cel.syntax.deep import deep
from dradsl.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
    type_of,
)
from dradsl.records import Record
from dradsl.values.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.cel.checker import errors
    from dradsl.cel.checker.environment import Environment
    from dradsl.cel.checker.errors import Issue
    from dradsl.cel.checker.functions import Function
else:
    errors = Later("dradsl.cel.checker.errors")

__all__ = ["CheckedExpression", "check"]


class CheckedExpression(Record):
    """A checked expression. Without `issues` every node has a type. `levels` is its `reach`."""

    expr: Expr
    types: Mapping[Expr, Type]
    references: Mapping[Expr, Reference]
    issues: tuple[Issue, ...]
    levels: int

    @property
    def result(self) -> Type:
        """The type of the whole expression."""
        return self.types[self.expr]


def check(expr: Expr, env: Environment) -> CheckedExpression:
    """Checks `expr` in `env`; never fails, see `CheckedExpression.issues` (in order of position)."""
    levels = reach(expr)
    checker = _Checker(env)
    deep(checker.check, levels, expr)
    final = deep(checker.subs.apply_to_all, levels, checker.types)
    issues = checker.issues
    if not issues:
        issues = validate(expr, final, checker.references)
    ordered = tuple(sorted(issues, key=lambda issue: issue.start))
    return CheckedExpression(
        expr, MappingProxyType(final), MappingProxyType(checker.references), ordered, levels
    )


_LITERALS: Mapping[type, Type] = {
    bool: BOOL,
    int: INT,
    Uint: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
}

_NULL_VALUE = "google.protobuf.NullValue.NULL_VALUE"


class _Checker:
    def __init__(self, env: Environment) -> None:
        self.env = env
        self.types: dict[Expr, Type] = {}
        self.references: dict[Expr, Reference] = {}
        self.issues: list[Issue] = []
        self.subs = Substitutions()
        self.scopes: list[dict[str, Type]] = []

    def check(self, node: Expr) -> None:
        _METHODS[type(node)](self, node)

    # -- leaves --------------------------------------------------------------------------

    def literal(self, node: Literal) -> None:
        self.types[node] = _LITERALS[type(node.value)]

    def ident(self, node: Ident) -> None:
        if not self.resolve_name(node, node.name):
            self.fail(node, errors.undeclared_reference(node, node.name, node.span))

    def resolve_name(self, node: Expr, name: str) -> bool:
        """Whether `name` is a variable, a type or a constant; types `node` accordingly."""
        plain = name.removeprefix(".")
        found = self.variable(name, plain)
        if found is not None:
            self.types[node] = found
            self.references[node] = Reference(plain)
        elif (named := self.env.type_named(plain)) is not None:
            self.types[node] = type_of(named)
            self.references[node] = Reference(plain, constant=named)
        elif plain == _NULL_VALUE:
            self.types[node] = INT
            self.references[node] = Reference(plain, constant=0)
        else:
            return False
        return True

    def variable(self, name: str, plain: str) -> Type | None:
        local = not (self.env.dialect.leading_dot_is_global and name.startswith("."))
        for scope in reversed(self.scopes) if local else ():
            if plain in scope:
                return scope[plain]
        return self.env.variables.get(plain)

    # -- selections ----------------------------------------------------------------------

    def select(self, node: Select) -> None:
        qualified = None if node.test_only else qualified_name(node)
        if qualified is not None and self.resolve_qualified(node, qualified):
            return
        result = self.field(node, node.operand, node.field, node.field_span, optional=False)
        self.types[node] = self.subs.apply(BOOL if node.test_only else result)

    def resolve_qualified(self, node: Select, name: str) -> bool:
        first = name.partition(".")[0]
        if self.env.dialect.leading_dot_is_global and any(first in scope for scope in self.scopes):
            return False
        return self.resolve_name(node, name)

    def field(self, node: Expr, operand: Expr, name: str, span: Span, *, optional: bool) -> Type:
        """The type of field `name` of `operand`."""
        self.check(operand)
        type_ = self.subs.apply(self.types[operand])
        target = type_.params[0] if type_.is_optional else type_
        result = ERROR
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "struct":
            result = self.struct_field(node, node.at, target.name, name, span)
        elif target.kind == "param":
            self.subs.assign(DYN, target)
            result = DYN
        else:
            if not target.is_dyn_or_error:
                self.issues.append(errors.no_field_selection(node, target))
            result = DYN
        return optional_of(result) if optional or type_.is_optional else result

    def struct_field(self, node: Expr, at: int, type_name: str, name: str, span: Span) -> Type:
        fields = self.env.fields_of(type_name)
        if fields is not None and name in fields:
            return fields[name]
        if fields is None:
            self.issues.append(errors.unresolved_type(node, at, type_name))
        else:
            self.issues.append(errors.undefined_field(node, at, name, span))
        return ERROR

    # -- calls ---------------------------------------------------------------------------

    def call(self, node: Call) -> None:
        if node.function == "_?._":
            self.optional_select(node)
            return
        for arg in node.args:
            self.check(arg)
        if node.target is None:
            function = self.env.functions.find(node.function.removeprefix("."))
            if function is None:
                self.undeclared(node)
            else:
                self.overload(node, function, None)
            return
        prefix = qualified_name(node.target)
        if prefix is not None:
            function = self.env.functions.find(f"{prefix}.{node.function}".removeprefix("."))
            if function is not None:
                self.overload(node, function, None, namespaced=True)
                return
        self.check(node.target)
        function = self.env.functions.find(node.function)
        if function is None:
            self.undeclared(node)
        else:
            self.overload(node, function, node.target)

    def undeclared(self, node: Call) -> None:
        self.fail(node, errors.undeclared_reference(node, node.function, node.name_span))

    def optional_select(self, node: Call) -> None:
        operand, key = node.args
        if not isinstance(key, Literal):
            raise TypeError("the parser gives `.?` a literal")
        result = self.field(node, operand, key.value, key.span, optional=True)
        self.types[key] = STRING
        self.types[node] = self.subs.apply(result)
        self.references[node] = Reference("_?._", ("select_optional_field",))

    def overload(
        self, node: Call, function: Function, target: Expr | None, *, namespaced: bool = False
    ) -> None:
        """Types a call by the overloads whose arguments fit."""
        args = node.args if target is None else (target, *node.args)
        types = [self.types[arg] for arg in args]
        if function.name == "_&&_" or function.name == "_||_":
            self.logical(node, function, types)
            return
        chosen: list[str] = []
        result: Type | None = None
        for overload in function.overloads:
            if overload.member is (target is None):
                continue
            fresh = self.subs.fresh(overload.params)
            params = [self.subs.instance(param, fresh) for param in overload.args]
            if not self.subs.assign_all(types, params):
                continue
            chosen.append(overload.id)
            fitting = self.subs.apply(self.subs.instance(overload.result, fresh))
            if result is None:
                result = fitting
            elif not result.is_dyn and fitting != result:
                result = DYN
        if result is None:
            shown = list(self.subs.apply_to_all(dict(enumerate(types))).values())
            member = target is not None
            self.fail(node, errors.no_matching_overload(node, function.name, shown, member))
            return
        self.types[node] = result
        self.references[node] = Reference(function.name, tuple(chosen), namespaced)

    def logical(self, node: Call, function: Function, types: list[Type]) -> None:
        fits = True
        for arg, type_ in zip(node.args, types, strict=True):
            if not self.subs.assign(type_, BOOL):
                self.issues.append(errors.expected_type(arg, BOOL, type_))
                fits = False
        self.types[node] = BOOL if fits else ERROR
        if fits:
            self.references[node] = Reference(function.name, (function.overloads[0].id,))

    # -- literals of containers ----------------------------------------------------------

    def list_literal(self, node: ListExpr) -> None:
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            self.check(element)
            type_ = self.types[element]
            if index in node.optional:
                type_ = self.unwrap(element, type_)
            joined = self.join(joined, type_)
        self.types[node] = list_of(joined or self.subs.fresh_variable())

    def map_literal(self, node: MapExpr) -> None:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            self.check(entry.key)
            keys = self.join(keys, self.types[entry.key])
            self.check(entry.value)
            type_ = self.types[entry.value]
            if entry.optional:
                type_ = self.unwrap(entry.value, type_)
            values = self.join(values, type_)
        if keys is None or values is None:
            keys, values = self.subs.fresh_variable(), self.subs.fresh_variable()
        self.types[node] = map_of(keys, values)

    def unwrap(self, node: Expr, type_: Type) -> Type:
        """The type within an optional, as an entry written with `?` needs one."""
        if type_.is_optional:
            return type_.params[0]
        if not type_.is_dyn:
            self.issues.append(errors.expected_type(node, optional_of(type_), type_))
        return type_

    def join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        if self.subs.assign(previous, current):
            return most_general(previous, current)
        return DYN  # whether all are of one type is for the validators to say

    def struct_literal(self, node: StructExpr) -> None:
        name = node.type_name.removeprefix(".")
        result = self.message_type(node, name)
        if result is None:
            return
        self.types[node] = result
        for init in node.fields:
            self.field_init(node, init, name)

    def message_type(self, node: StructExpr, name: str) -> Type | None:
        named = self.env.type_named(name)
        variable = self.variable(node.type_name, name)
        if named is None and variable is None:
            shown = errors.undeclared_reference(node, node.type_name, node.span)
            self.fail(node, shown)
            return None
        self.references[node] = Reference(name)
        if variable is not None or named is None:
            self.issues.append(errors.not_a_type(node, (variable or ERROR).declared_name))
            return ERROR
        well_known = name.startswith("google.protobuf.") or named.kind == "struct"
        if not well_known:
            self.issues.append(errors.not_a_message_type(node, named.declared_name))
            return ERROR
        return named

    def field_init(self, node: StructExpr, init: FieldInit, type_name: str) -> None:
        self.check(init.value)
        expected = self.struct_field(init.value, init.at, type_name, init.name, init.value.span)
        given = self.types[init.value]
        if init.optional:
            given = self.unwrap(init.value, given)
        if not self.subs.assign(expected, given):
            self.issues.append(
                errors.field_type_mismatch(init.value, init.at, init.name, expected, given)
            )

    # -- macros --------------------------------------------------------------------------

    def comprehension(self, node: Comprehension) -> None:
        self.check(node.range)
        self.check(node.init)
        over = self.subs.apply(self.types[node.range])
        accu = self.types[node.init]
        self.scopes.append({node.accu: accu})
        first, second = self.iteration_types(node, over)
        variables = {node.var: first}
        if node.var2 is not None:
            variables[node.var2] = second
        self.scopes.append(variables)
        self.check(node.condition)
        self.require(node.condition, BOOL)
        self.check(node.step)
        self.require(node.step, accu)
        self.scopes.pop()
        self.check(node.result)
        self.scopes.pop()
        self.types[node] = self.subs.apply(self.types[node.result])

    def iteration_types(self, node: Comprehension, over: Type) -> tuple[Type, Type]:
        """The types of the variables; the second counts in the two-variable form alone."""
        if over.kind == "list":
            element = over.params[0]
            return (element, element) if node.var2 is None else (INT, element)
        if over.kind == "map":
            return over.params[0], over.params[1]
        if over.kind in ("dyn", "error", "param"):
            self.subs.assign(DYN, over)
            return DYN, DYN
        self.issues.append(errors.not_a_range(node.range, over))
        return ERROR, ERROR

    def require(self, node: Expr, type_: Type) -> None:
        actual = self.types[node]
        if not self.subs.assign(type_, actual):
            self.issues.append(errors.expected_type(node, type_, actual))

    def fail(self, node: Expr, issue: Issue) -> None:
        self.types[node] = ERROR
        self.issues.append(issue)


_METHODS: Mapping[type, Callable[..., None]] = {
    Literal: _Checker.literal,
    Ident: _Checker.ident,
    Select: _Checker.select,
    Call: _Checker.call,
    ListExpr: _Checker.list_literal,
    MapExpr: _Checker.map_literal,
    StructExpr: _Checker.struct_literal,
    Comprehension: _Checker.comprehension,
}


def qualified_name(node: Expr) -> str | None:
    """`a.b.c` as a name, if the node is nothing but names and dots."""
    parts: list[str] = []
    while isinstance(node, Select) and not node.test_only:
        parts.append(node.field)
        node = node.operand
    if not isinstance(node, Ident):
        return None
    return ".".join([node.name, *reversed(parts)])
