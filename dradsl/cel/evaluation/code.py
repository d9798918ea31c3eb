"""Closures that evaluate: what they are, and the ones that apply a function to arguments.

Every closure takes the frame, a list that holds the variables: those of the environment first,
then one slot for each variable of a macro.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, MutableSequence, Sequence

from dradsl.cel.runtime.values import CelRuntimeError, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.syntax.ast import Span

__all__ = ["Code", "Constant", "Frame", "apply", "constants", "panic_of"]

Frame = MutableSequence[Value]
Code = Callable[[Frame], Value]


class Constant:
    """Code that gives the same value in every frame.

    `folded` marks what this compiler has computed beyond what upstream computes beforehand;
    rules about constants do not see it.
    """

    __slots__ = ("folded", "value")

    def __init__(self, value: Value, *, folded: bool = False) -> None:
        self.value = value
        self.folded = folded

    def __call__(self, _: Frame) -> Value:
        return self.value


def constants(codes: Sequence[Code]) -> list[Constant] | None:
    """The codes as constants, None if one is none."""
    found = [code for code in codes if isinstance(code, Constant)]
    return found if len(found) == len(codes) else None


def apply(body: Callable[..., Value], codes: Sequence[Code], span: Span) -> Code:
    """A call whose arguments are evaluated in turn; an error of the body gets the span."""
    if len(codes) == 1:
        return _apply_one(body, codes[0], span)
    if len(codes) == 2:
        return _apply_two(body, codes[0], codes[1], span)

    def call(frame: Frame) -> Value:
        args = [code(frame) for code in codes]
        try:
            return body(*args)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


def _apply_one(body: Callable[..., Value], code: Code, span: Span) -> Code:
    def call(frame: Frame) -> Value:
        arg = code(frame)
        try:
            return body(arg)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


def _apply_two(body: Callable[..., Value], left: Code, right: Code, span: Span) -> Code:
    if isinstance(right, Constant):
        constant = right.value

        def call_constant(frame: Frame) -> Value:
            first = left(frame)
            try:
                return body(first, constant)
            except CelRuntimeError as error:
                raise error.at(span) from None

        return call_constant

    def call(frame: Frame) -> Value:
        try:
            first = left(frame)
        except CelRuntimeError:
            panic_of(right, frame)
            raise
        second = right(frame)
        try:
            return body(first, second)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


def panic_of(code: Code, frame: Frame) -> None:
    """Evaluates for nothing but a panic: upstream looks at both operands before it fails."""
    with contextlib.suppress(CelRuntimeError):
        code(frame)
