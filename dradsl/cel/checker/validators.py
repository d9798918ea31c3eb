"""What upstream checks once all types fit: literals that cannot mean anything.

Durations, timestamps, regular expressions, format strings, lists and maps of one type
(cel-go `cel/validator.go`, `ext/formatting.go`).
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Expr, ListExpr, Literal, MapExpr
from dradsl.cel.types import every_pair
from dradsl.values.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.cel.checker import errors
    from dradsl.cel.checker.errors import Issue
    from dradsl.cel.checker.references import Reference
    from dradsl.cel.types import Type
else:
    errors = Later("dradsl.cel.checker.errors")

__all__ = ["validate"]


def validate(
    expr: Expr, types: Mapping[Expr, Type], references: Mapping[Expr, Reference]
) -> list[Issue]:
    """The issues of an expression whose types all fit."""
    issues: list[Issue] = []
    for node, in_format in _nodes(expr):
        if isinstance(node, Call):
            issues += _literal_argument(node)
            if _is_constant_format(node, references):
                issues += _format(node, types)
        elif isinstance(node, ListExpr) and not in_format:
            issues += _list_of_one_type(node, types)
        elif isinstance(node, MapExpr) and not in_format:
            issues += _map_of_one_type(node, types)
    return issues


def _nodes(expr: Expr) -> Iterator[tuple[Expr, bool]]:
    """All nodes, and whether each stands within a call of `format`, which may mix types."""
    stack = [(expr, False)]
    while stack:
        node, in_format = stack.pop()
        yield node, in_format
        inner = in_format or (isinstance(node, Call) and node.function == "format")
        stack.extend([(child, inner) for child in node.below()[::-1]])


def _literal_argument(node: Call) -> Iterator[Issue]:
    if node.function not in ("duration", "timestamp", "matches") or not node.args:
        return
    literal = node.args[0]
    if isinstance(literal, Literal) and not _valid(node.function, literal.value):
        yield errors.invalid_literal(literal, node.function)


def _valid(function: str, value: object) -> bool:
    from dradsl.cel.library import regex
    from dradsl.cel.runtime import times
    from dradsl.cel.runtime.values import CelRuntimeError

    try:
        if function == "matches":
            regex.compile_pattern(str(value))
        elif function == "duration":
            times.to_duration(value)
        else:
            times.to_timestamp(value)
    except CelRuntimeError:
        return False
    return True


def _list_of_one_type(node: ListExpr, types: Mapping[Expr, Type]) -> Iterator[Issue]:
    first: Type | None = None
    for index, element in enumerate(node.elements):
        type_ = types[element]
        if index in node.optional:
            if not type_.params:
                yield errors.upstream_panic(element)
                return
            type_ = type_.params[0]
        if first is None:
            first = type_
        elif not _same(first, type_):
            yield errors.expected_type(element, first, type_)
            return


def _map_of_one_type(node: MapExpr, types: Mapping[Expr, Type]) -> Iterator[Issue]:
    keys: Type | None = None
    values: Type | None = None
    for entry in node.entries:
        key, value = types[entry.key], types[entry.value]
        if entry.optional:
            if not value.params:
                yield errors.upstream_panic(entry.value)
                return
            value = value.params[0]
        if keys is None or values is None:
            keys, values = key, value
            continue
        if not _same(keys, key):
            yield errors.expected_type(entry.key, keys, key)
        if not _same(values, value):
            yield errors.expected_type(entry.value, values, value)


def _same(first: Type, second: Type) -> bool:
    """Equal types, up to the names of type parameters."""
    return every_pair(first, second, _same_here)


def _same_here(first: Type, second: Type) -> bool | None:
    if first.kind != second.kind or len(first.params) != len(second.params):
        return False
    return None if first.kind == "param" or first.name == second.name else False


def _is_constant_format(node: Call, references: Mapping[Expr, Reference]) -> bool:
    return (
        node.function == "format"
        and isinstance(node.target, Literal)
        and isinstance(node.target.value, str)
        and len(node.args) == 1
        and isinstance(node.args[0], ListExpr)
        and "string_format" in references[node].overloads
    )


def _format(node: Call, types: Mapping[Expr, Type]) -> Iterator[Issue]:
    from dradsl.cel.library.formatting import FormatClauseError, check_format

    template, values = node.target, node.args[0]
    if not isinstance(template, Literal) or not isinstance(values, ListExpr):
        return
    try:
        used = check_format(template.value, values.elements, types)
    except FormatClauseError as problem:
        yield errors.format_clause(problem.node or node, str(problem))
        return
    if len(values.elements) > used:
        yield errors.too_many_format_arguments(node, used, len(values.elements))
