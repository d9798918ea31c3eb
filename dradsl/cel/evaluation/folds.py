"""Closures of the macros: loops over lists and maps, and names for values.

The loops behave as upstream's folds over the expanded expression: `all` and `exists` absorb
errors, the others fail with the error that is in the accumulator at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableSequence

from dradsl.cel.evaluation.code import Constant, panic_of
from dradsl.cel.library.two_variable import insert, insert_found
from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.values import CelRuntimeError, Value, value_of_key
from dradsl.cel.syntax.ast import Call, Comprehension, Expr, ListExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.evaluation.code import Code
    from dradsl.cel.evaluation.variables import Variables

__all__ = ["Folds"]

Frame = MutableSequence[Value]
Toll = Callable[[Frame, int], None]
"""Adds a cost to what the evaluation in this frame has cost so far."""
Compile = Callable[[Expr], "Code"]

_UNSET = object()


class _Failed:
    """A bound value whose computation failed: it fails again at each use."""

    __slots__ = ("error",)

    def __init__(self, error: CelRuntimeError) -> None:
        self.error = error


class Folds:
    """Compiles the comprehensions of one expression.

    `compile_part` compiles the expressions in them. `charge` counts the cost of a loop's own steps, if
    cost is counted.
    """

    def __init__(
        self, compile_part: Compile, variables: Variables, charge: Toll | None = None
    ) -> None:
        self._compile = compile_part
        self._variables = variables
        self._toll = charge
        self._initial: dict[int, Code] = {}

    def compile(self, node: Comprehension) -> Code:
        """The closure of a comprehension, by the macro it was written as."""
        if isinstance(node.range, ListExpr) and node.accu != "@result":
            return self._bind(node)
        variables = self._variables
        over = self._compile(node.range)
        first = variables.declare(node.var)
        second = None if node.var2 is None else variables.declare(node.var2)
        loop = _LOOPS[node.macro](self._compile, node, self._toll)
        variables.forget(1 if second is None else 2)
        return _iterate(over, first, second, loop, node)

    # -- cel.bind and what is made of it -------------------------------------------------

    def _bind(self, node: Comprehension) -> Code:
        """A name for a value, computed when first used."""
        variables = self._variables
        initial = self._compile(node.init)
        slot = variables.declare(node.accu)
        variables.lazy |= {slot}
        self._initial[slot] = initial
        self._compile(node.step)  # the name itself, which may be rejected though it is never used
        body = self._compile(node.result)
        variables.forget()

        def run(frame: Frame) -> Value:
            frame[slot] = _UNSET
            return body(frame)

        return run

    def read_lazy(self, slot: int) -> Code:
        """Code that reads a bound name."""
        initial = self._initial[slot]

        def read(frame: Frame) -> Value:
            value = frame[slot]
            if value is _UNSET:
                try:
                    value = initial(frame)
                except CelRuntimeError as error:
                    frame[slot] = _Failed(error)
                    raise
                frame[slot] = value
            elif type(value) is _Failed:
                raise value.error
            return value

        return read


# -- iteration -----------------------------------------------------------------------------

Loop = Callable[[Frame, Iterable[None]], Value]


def _iterate(over: Code, first: int, second: int | None, loop: Loop, node: Comprehension) -> Code:
    """Runs `loop` with an iterator that sets the variables at each step."""
    span = node.range.span

    def run(frame: Frame) -> Value:
        values = over(frame)
        if second is None:
            return loop(frame, _ones(frame, values, first, span))
        return loop(frame, _pairs(frame, values, first, second, span))

    return run


def _ones(frame: Frame, values: Value, slot: int, span: tuple[int, int]) -> Iterable[None]:
    if isinstance(values, dict):
        values = [value_of_key(key) for key in values]
    elif not isinstance(values, list | tuple):
        name = runtime.go_type(values)
        raise CelRuntimeError(f"got '{name}', expected iterable type", *span)
    return _assign(frame, slot, values)


def _assign(frame: Frame, slot: int, values: Iterable[Value]) -> Iterable[None]:
    for value in values:
        frame[slot] = value
        yield


def _pairs(
    frame: Frame, values: Value, first: int, second: int, span: tuple[int, int]
) -> Iterable[None]:
    if isinstance(values, dict):
        pairs = [(value_of_key(key), value) for key, value in values.items()]
    elif isinstance(values, list | tuple):
        pairs = list(enumerate(values))
    else:
        name = runtime.go_type(values)
        raise CelRuntimeError(f"unsupported comprehension range type: {name}", *span)
    return _assign_pairs(frame, first, second, pairs)


def _assign_pairs(
    frame: Frame, first: int, second: int, pairs: Iterable[tuple[Value, Value]]
) -> Iterable[None]:
    for one, other in pairs:
        frame[first] = one
        frame[second] = other
        yield


# -- loops ---------------------------------------------------------------------------------


def _quantifier(compile_part: Compile, node: Comprehension, charge: Toll | None) -> Loop:
    """`all` (decided by false) and `exists` (decided by true)."""
    decisive = node.macro == "exists"
    predicate_node = _args(node.step)[1]
    predicate, span = compile_part(predicate_node), predicate_node.span
    # What cel-go charges per iteration for the loop condition: 2 for `all`, 3 for `exists`, whose
    # condition has a negation more; then 1 for `@result`.
    condition_cost = 3 if decisive else 2

    def loop(frame: Frame, steps: Iterable[None]) -> bool:
        failure: CelRuntimeError | None = None
        result = not decisive
        for _ in steps:
            if charge is not None:
                charge(frame, condition_cost)
                if result is decisive:
                    break
                charge(frame, 1)
            try:
                value = predicate(frame)
            except CelRuntimeError as error:
                failure = failure or error
                continue
            if value is decisive:
                failure, result = None, decisive
                if charge is None:
                    break
            elif value is not True and value is not False:
                failure = failure or runtime.no_overload().at(span)
        if charge is not None:
            charge(frame, 1)
        if failure is not None:
            raise failure
        return result

    return loop


class _Accumulator:
    """The result under construction, or the error that has taken its place."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: CelRuntimeError | None = None

    def finish(self) -> None:
        if self.error is not None:
            raise self.error


Test = Callable[[Frame, _Accumulator], bool]


def _test(predicate: Code, span: tuple[int, int]) -> Test:
    """A predicate: false, with the error noted, where it fails. A later error counts."""

    def test(frame: Frame, accumulator: _Accumulator) -> bool:
        try:
            value = predicate(frame)
        except CelRuntimeError as error:
            accumulator.error = error
            return False
        if value is True or value is False:
            return bool(value)
        accumulator.error = runtime.no_overload().at(span)
        return False

    return test


def _filtered(compile_part: Compile, step: Expr) -> tuple[Test | None, Expr]:
    """The predicate of a macro that has one, and what is done where it holds."""
    if not (isinstance(step, Call) and step.function == "_?_:_"):
        return None, step
    predicate, then = step.args[0], step.args[1]
    return _test(compile_part(predicate), predicate.span), then


def _exists_one(compile_part: Compile, node: Comprehension, charge: Toll | None) -> Loop:
    predicate_node = _args(node.step)[0]
    test = _test(compile_part(predicate_node), predicate_node.span)

    def loop(frame: Frame, steps: Iterable[None]) -> bool:
        accumulator = _Accumulator()
        count = 0
        for _ in steps:
            if test(frame, accumulator):
                count += 1
                if charge is not None:
                    charge(frame, 2)
        if charge is not None:
            charge(frame, 2)
        accumulator.finish()
        return count == 1

    return loop


def _collect(compile_part: Compile, node: Comprehension, charge: Toll | None) -> Loop:
    """`map`, `filter` and `transformList`: a list of what the step appends."""
    test, step = _filtered(compile_part, node.step)
    appended = _args(step)[1]
    if not isinstance(appended, ListExpr):
        raise TypeError("the macro appends a list")
    transform = compile_part(appended.elements[0])
    # The list of one element, unless that is a constant, and the addition; `@result` comes before.
    price = 1 if isinstance(transform, Constant) and not transform.folded else 11

    def loop(frame: Frame, steps: Iterable[None]) -> Value:
        accumulator = _Accumulator()
        result: list[Value] = []
        for _ in steps:
            if test is not None and not test(frame, accumulator):
                continue
            if charge is not None:
                charge(frame, 1)
            elif accumulator.error is not None:
                continue
            try:
                result.append(transform(frame))
            except CelRuntimeError as error:
                accumulator.error = accumulator.error or error
            if charge is not None:
                charge(frame, price)
        if charge is not None:
            charge(frame, 1)
        accumulator.finish()
        return result

    return loop


def _insertion(compile_part: Compile, node: Comprehension, charge: Toll | None) -> Loop:
    """`transformMap` and `transformMapEntry`: a map of what the step inserts."""
    test, step = _filtered(compile_part, node.step)
    inserted = [compile_part(arg) for arg in _args(step)[1:]]
    span = step.span

    def put(frame: Frame, result: dict[Value, Value]) -> None:
        if charge is not None:
            charge(frame, 1)  # `@result`
        try:
            values = [code(frame) for code in inserted]
        except CelRuntimeError:
            if charge is not None:
                charge(frame, 1)
            raise
        if charge is not None:
            charge(frame, 1)
        try:
            _put(result, values)
        except CelRuntimeError as error:
            raise error.at(span) from None

    def after_error(frame: Frame, charge: Toll) -> None:
        """What a further step costs: an entry is evaluated in vain, key and value are not."""
        charge(frame, 1)
        if len(inserted) == 1:
            panic_of(inserted[0], frame)
            charge(frame, 1)

    def loop(frame: Frame, steps: Iterable[None]) -> Value:
        accumulator = _Accumulator()
        result: dict[Value, Value] = {}
        for _ in steps:
            if test is not None and not test(frame, accumulator):
                continue
            if accumulator.error is not None:
                if charge is not None:
                    after_error(frame, charge)
                continue
            try:
                put(frame, result)
            except CelRuntimeError as error:
                accumulator.error = error
        if charge is not None:
            charge(frame, 1)
        accumulator.finish()
        return result

    return loop


def _put(result: dict[Value, Value], values: list[Value]) -> None:
    """Adds an entry, given as key and value, or the entries of a map."""
    if len(values) == 2:
        insert(result, values[0], values[1])
        return
    if not isinstance(values[0], dict):
        raise runtime.no_overload("cel.@mapInsert", result, values[0])
    for key, value in values[0].items():
        insert_found(result, key, value)


def _args(node: Expr) -> tuple[Expr, ...]:
    if not isinstance(node, Call):
        raise TypeError("the step of a macro is a call")
    return node.args


_LOOPS: Mapping[str, Callable[[Compile, Comprehension, Toll | None], Loop]] = {
    "all": _quantifier,
    "exists": _quantifier,
    "exists_one": _exists_one,
    "existsOne": _exists_one,
    "map": _collect,
    "filter": _collect,
    "sortBy": _collect,
    "transformList": _collect,
    "transformMap": _insertion,
    "transformMapEntry": _insertion,
}
