"""Closures of operators: logic that absorbs errors, equality, order, membership, patterns.

Source: cel-go `interpreter/interpretable.go` and `interpreter/decorators.go`.
"""

from __future__ import annotations

from dradsl.cel.checker.instantiation import InstantiationError
from dradsl.cel.evaluation.code import Code, Constant, Frame, apply
from dradsl.cel.evaluation.lookups import PRIMITIVES
from dradsl.cel.runtime import arithmetic, operations as runtime
from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.cel.syntax.ast import Span

__all__ = [
    "BODIES",
    "compare_constant",
    "equals",
    "logic",
    "member_of_constants",
    "negation",
    "pattern_test",
    "require_list",
    "sorting",
    "unnamed",
]


# -- logic ---------------------------------------------------------------------------------


def logic(codes: Sequence[Code], spans: Sequence[Span], decisive: bool) -> Code:
    """A chain of `&&` (decided by false) or of `||` (decided by true).

    An error is absorbed if another operand decides; else the first one counts.
    """
    if len(codes) == 2:
        return _logic_two(codes[0], codes[1], spans, decisive)

    def chain(frame: Frame) -> bool:
        failure: CelRuntimeError | None = None
        for code, span in zip(codes, spans, strict=True):
            try:
                value = code(frame)
            except CelRuntimeError as error:
                failure = failure or error
                continue
            if value is decisive:
                return bool(value)
            if value is not True and value is not False:
                failure = failure or runtime.no_overload().at(span)
        if failure is not None:
            raise failure
        return not decisive

    return chain


def _logic_two(left: Code, right: Code, spans: Sequence[Span], decisive: bool) -> Code:
    other = not decisive

    def after_failure(frame: Frame, failure: CelRuntimeError) -> bool:
        try:
            value = right(frame)
        except CelRuntimeError:
            raise failure from None
        if value is decisive:
            return bool(value)
        raise failure

    def two(frame: Frame) -> bool:
        try:
            value = left(frame)
        except CelRuntimeError as error:
            return after_failure(frame, error)
        if value is decisive:
            return bool(value)
        if value is not other:
            return after_failure(frame, runtime.no_overload().at(spans[0]))
        value = right(frame)
        if value is decisive or value is other:
            return bool(value)
        raise runtime.no_overload().at(spans[1])

    return two


def negation(value: Value) -> bool:
    """`!value`."""
    if value is True:
        return False
    if value is False:
        return True
    raise runtime.no_overload()


# -- equality and membership ---------------------------------------------------------------


def equals(left: Code, right: Code, span: Span) -> Code:
    """`left == right`, quick where the right side is a plain constant."""
    if not isinstance(right, Constant) or type(right.value) not in (str, int, bool):
        return apply(runtime.equal, (left, right), span)
    constant, kind = right.value, type(right.value)

    def run(frame: Frame) -> bool:
        value = left(frame)
        if type(value) is kind:
            return bool(value == constant)
        try:
            return runtime.equal(value, constant)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


def _differs(left: Value, right: Value) -> bool:
    """`!=`: what cannot be compared is different."""
    try:
        return not runtime.equal(left, right)
    except CelRuntimeError:
        return True


def member_of_constants(element: Code, items: Sequence[Value]) -> Code:
    """Membership in a list of constants, which upstream looks up in a hash table."""
    strings = frozenset([item for item in items if type(item) is str])

    def run(frame: Frame) -> bool:
        value = element(frame)
        kind = type(value)
        if kind is str:
            return value in strings
        runtime.check_hashable(value)
        return kind in PRIMITIVES and runtime.contains(value, items)

    return run


# -- order ---------------------------------------------------------------------------------


def _ordering(function: str, test: Callable[[int], bool]) -> Callable[[Value, Value], bool]:
    def ordered(left: Value, right: Value) -> bool:
        if not runtime.is_ordered(left):
            raise runtime.no_overload(function)
        return test(runtime.compare(left, right))

    return ordered


def compare_constant(function: str, left: Code, constant: int, span: Span) -> Code:
    """`left < 5` and its kin."""
    body, quick = BODIES[function], _INTEGERS[function]

    def run(frame: Frame) -> bool:
        value = left(frame)
        if type(value) is int:
            return quick(value, constant)
        try:
            return bool(body(value, constant))
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


_INTEGERS: Mapping[str, Callable[[int, int], bool]] = {
    "_<_": int.__lt__,
    "_<=_": int.__le__,
    "_>_": int.__gt__,
    "_>=_": int.__ge__,
}


# -- patterns ------------------------------------------------------------------------------


def pattern_test(pattern: Code) -> Callable[[Value, Value], bool]:
    """`matches`, with the pattern tried at once if it is a constant.

    Raises:
        InstantiationError: if RE2 rejects a constant pattern.
    """
    from dradsl.cel.library import regex

    fixed = isinstance(pattern, Constant) and not pattern.folded
    if isinstance(pattern, Constant) and fixed and isinstance(pattern.value, str):
        try:
            regex.compile_pattern(pattern.value)
        except CelRuntimeError as error:
            raise InstantiationError(error.message) from None

    def test(text: Value, source: Value) -> bool:
        if type(text) is not str:
            raise runtime.no_overload() if fixed else runtime.without_trait("matches", text)
        if type(source) is not str:
            raise runtime.no_overload()
        return regex.matches(text, source)

    return test


def unnamed(body: Callable[..., Value]) -> Callable[..., Value]:
    """A function whose errors of type do not name it, as those of compiled patterns do not."""

    def call(*args: Value) -> Value:
        try:
            return body(*args)
        except CelRuntimeError as error:
            if error.message.startswith("no such overload"):
                raise runtime.no_overload() from None
            raise

    return call


# -- functions that sort -------------------------------------------------------------------


def sorting(body: Callable[..., Value], codes: Sequence[Code], span: Span) -> Code:
    """`sort`, `sortBy`, `distinct`: upstream counts their cost before it looks whether the list
    failed, and panics over what is no list."""

    def run(frame: Frame) -> Value:
        try:
            args = [code(frame) for code in codes]
        except CelRuntimeError as error:
            require_list(error)
            raise
        require_list(args[-1])
        try:
            return body(*args)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


def flattening(body: Callable[..., Value], codes: Sequence[Code], span: Span) -> Code:
    """`flatten` with a number of levels, which upstream reads for the cost before anything else."""

    def run(frame: Frame) -> Value:
        args: list[Value] = []
        failure: CelRuntimeError | None = None
        for code in codes:
            try:
                args.append(code(frame))
            except CelRuntimeError as error:
                failure, args = failure or error, [*args, error]
        require_levels(args[-1])
        if failure is not None:
            raise failure
        try:
            return body(*args)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


def require_levels(value: Value) -> None:
    """Panics over a number of levels that is none, or an error in its place."""
    if type(value) is int:
        return
    name = "*types.Err" if isinstance(value, CelRuntimeError) else runtime.go_type(value)
    raise CelPanicError(
        f"internal error: interface conversion: ref.Val is {name}, not types.Int"
    ) from None


def require_list(value: Value) -> None:
    """Panics over a value, or an error in its place, that cannot be sorted."""
    if isinstance(value, list | tuple):
        return
    name = "*types.Err" if isinstance(value, CelRuntimeError) else runtime.go_type(value)
    raise CelPanicError(
        f"internal error: interface conversion: {name} is not traits.Lister: missing method Add"
    ) from None


BODIES: Mapping[str, Callable[..., Value]] = {
    "_+_": arithmetic.add,
    "_-_": arithmetic.subtract,
    "_*_": arithmetic.multiply,
    "_/_": arithmetic.divide,
    "_%_": arithmetic.modulo,
    "-_": arithmetic.negate,
    "!_": negation,
    "_==_": runtime.equal,
    "_!=_": _differs,
    "@in": runtime.contains,
    "_<_": _ordering("_<_", lambda order: order < 0),
    "_<=_": _ordering("_<=_", lambda order: order <= 0),
    "_>_": _ordering("_>_", lambda order: order > 0),
    "_>=_": _ordering("_>=_", lambda order: order >= 0),
    "size": runtime.size,
}
"""Operators and functions of one body for all types."""
