"""Everything the checker can say: one constructor per message, in upstream's words.

Texts are facts of cel-go `checker/errors.go`, `cel/validator.go` and `ext/formatting.go`.
"""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.cel.syntax.ast import Expr, Span
    from dradsl.cel.types import Type

__all__ = [
    "Issue",
    "expected_type",
    "field_type_mismatch",
    "format_clause",
    "invalid_literal",
    "no_field_selection",
    "no_matching_overload",
    "not_a_message_type",
    "not_a_range",
    "not_a_type",
    "too_many_format_arguments",
    "undeclared_reference",
    "undefined_field",
    "unresolved_type",
    "upstream_panic",
]


@dataclass(frozen=True, slots=True)
class Issue:
    """One reason why an expression is rejected.

    `start` is the offset that upstream reports, `span` the text to underline; `reason` is a
    stable id; `node` is the sub-expression, None for errors of syntax; `help` is our wording,
    where there is one. `name` and `types` are what the message mentions: the variable, function,
    field or type, and the types as upstream shows them (of a call: of what it is called on, and of
    its arguments).
    """

    start: int
    span: Span
    message: str
    reason: str
    node: Expr | None = None
    help: str = ""
    name: str = ""
    types: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The code point after the last one of the mistake."""
        return max(self.span[1], self.start)


def undeclared_reference(node: Expr, name: str, span: Span) -> Issue:
    """A name that the environment does not have."""
    message = f"undeclared reference to '{name}' (in container '')"
    return Issue(node.at, span, message, "undeclared-reference", node, name=name)


def undefined_field(node: Expr, at: int, field: str, span: Span) -> Issue:
    """A field that the type does not have."""
    return Issue(at, span, f"undefined field '{field}'", "undefined-field", node, name=field)


def unresolved_type(node: Expr, at: int, name: str) -> Issue:
    """A type name that cannot be resolved."""
    message = f"unexpected failed resolution of '{name}'"
    return Issue(at, node.span, message, "unresolved-type", node, name=name)


def no_field_selection(node: Expr, type_: Type) -> Issue:
    """A field of something that has no fields."""
    message = f"type '{type_.shown}' does not support field selection"
    return Issue(node.at, node.span, message, "no-field-selection", node)


def no_matching_overload(node: Expr, name: str, args: Sequence[Type], member: bool) -> Issue:
    """A function or operator with arguments of other types; `member`: the first is the receiver."""
    target = f"{args[0].shown}." if member else ""
    types = tuple([arg.shown for arg in args])
    shown = ", ".join(types[member:])
    message = f"found no matching overload for '{name}' applied to '{target}({shown})'"
    reason = "no-matching-overload"
    return Issue(node.at, node.span, message, reason, node, name=name, types=types)


def expected_type(node: Expr, expected: Type, actual: Type) -> Issue:
    """A value of another type than expected."""
    message = f"expected type '{expected.shown}' but found '{actual.shown}'"
    return Issue(node.at, node.span, message, "type-mismatch", node)


def field_type_mismatch(node: Expr, at: int, name: str, field: Type, value: Type) -> Issue:
    """A field of a message literal with a value of another type."""
    message = (
        f"expected type of field '{name}' is '{field.shown}' but provided type is '{value.shown}'"
    )
    return Issue(at, node.span, message, "field-type-mismatch", node)


def not_a_range(node: Expr, type_: Type) -> Issue:
    """A comprehension over something that is no list, map or dyn."""
    message = (
        f"expression of type '{type_.shown}' cannot be range of a comprehension "
        "(must be list, map, or dynamic)"
    )
    return Issue(node.at, node.span, message, "not-a-range", node, types=(type_.shown,))


def not_a_type(node: Expr, name: str) -> Issue:
    """A message literal whose name is no type."""
    return Issue(node.at, node.span, f"'{name}' is not a type", "not-a-type", node)


def not_a_message_type(node: Expr, name: str) -> Issue:
    """A message literal of a type that is no message."""
    return Issue(node.at, node.span, f"'{name}' is not a message type", "not-a-message", node)


def invalid_literal(node: Expr, function: str) -> Issue:
    """A constant that the function cannot read, such as a quantity or a version."""
    message = f"invalid {function} argument"
    return Issue(node.at, node.span, message, "invalid-literal", node, name=function)


def format_clause(node: Expr, message: str) -> Issue:
    """A mistake in the text of `string.format`."""
    return Issue(node.at, node.span, message, "format-clause", node)


def upstream_panic(node: Expr) -> Issue:
    """An optional entry of dynamic type: the API server's check fails with a panic."""
    message = "panic: runtime error: index out of range [0] with length 0"
    return Issue(node.at, node.span, message, "upstream-panic", node)


def too_many_format_arguments(node: Expr, expected: int, given: int) -> Issue:
    """More arguments of `string.format` than clauses: numbers of both."""
    message = f"too many arguments supplied to string.format (expected {expected}, got {given})"
    return Issue(node.at, node.span, message, "format-clause", node)
