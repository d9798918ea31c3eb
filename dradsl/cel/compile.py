"""From text to a program: parse, check, estimate, compile; then evaluate as often as needed."""

from __future__ import annotations

from dradsl.cel.checker.check import CheckedExpression, check
from dradsl.cel.checker.instantiation import InstantiationError, may_be_rejected
from dradsl.cel.cost import estimate as cost
from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError
from dradsl.cel.syntax.deep import SHALLOW, deep
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.errors import DradslError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.cel.checker.environment import Environment
    from dradsl.cel.checker.errors import Issue
    from dradsl.cel.cost.actual import Meter
    from dradsl.cel.cost.ranges import Estimate
    from dradsl.cel.evaluation.code import Code
    from dradsl.cel.runtime.values import Value

__all__ = ["CelCompileError", "Program", "check_text", "compile_expression", "instantiate"]


class CelCompileError(DradslError, ValueError):
    """An expression that cannot be used; `issues` say why, in order of position."""

    def __init__(self, text: str, issues: tuple[Issue, ...], kind: str = "compile") -> None:
        super().__init__("; ".join([issue.message for issue in issues]))
        self.text = text
        self.issues = issues
        self.kind = kind


class Program:
    """An expression ready to evaluate in its environment; build it with `compile_expression`."""

    __slots__ = (
        "_bounded",
        "_code",
        "_locals",
        "_metered",
        "checked",
        "environment",
        "estimate",
        "text",
    )

    def __init__(self, text: str, checked: CheckedExpression, environment: Environment) -> None:
        self.text = text
        self.checked = checked
        self.environment = environment
        self.estimate: Estimate = cost.estimate(checked, environment)
        self._code: Code | None = None
        self._locals: tuple[None, ...] = ()
        if may_be_rejected(checked):
            self._compile()
        self._metered: _Metered | None = None
        self._bounded: bool | None = None

    @property
    def bounded(self) -> bool:
        """Whether no evaluation can exceed the environment's cost limit."""
        if self._bounded is None:
            from dradsl.cel.cost.bound import cost_bound

            limit = self.environment.cost_limit
            self._bounded = limit is None or cost_bound(self.checked, limit) is not None
        return self._bounded

    @property
    def code(self) -> Code:
        """The closure that evaluates, for programs that are `bounded` and shallow."""
        return self._code or self._compile()

    @property
    def locals(self) -> tuple[None, ...]:
        """The places for variables of macros, which follow the environment's in a frame."""
        if self._code is None:
            self._compile()
        return self._locals

    def _compile(self) -> Code:
        from dradsl.cel.dialects import base_functions
        from dradsl.cel.evaluation.compiler import Compiler

        env = self.environment
        compiler = Compiler(self.checked, env, base_functions(env.dialect))
        code: Code = deep(compiler.compile, 2 * self.checked.levels, self.checked.expr)
        self._locals = (None,) * (compiler.variables.width - len(env.variables))
        self._code = code
        return code

    def evaluate(self, bindings: Mapping[str, Value]) -> Value:
        """The value for these values of the environment's variables.

        Raises:
            CelRuntimeError: if the evaluation fails, with the span that failed.
            KeyError: if a variable has no value.
        """
        values = [bindings[name] for name in self.environment.variables]
        if self.bounded:
            return self._run(self.code, [*values, *self.locals])
        return self.measure(values)[0]

    def evaluate_with_cost(self, bindings: Mapping[str, Value]) -> tuple[Value, int]:
        """As `evaluate`, with the cost as upstream counts it."""
        return self.measure([bindings[name] for name in self.environment.variables])

    def measure(self, values: Sequence[Value], meter: Meter | None = None) -> tuple[Value, int]:
        """Evaluates with a cost counter, for the variables' values in their order.

        `meter` is where the cost of a failed evaluation can be read.
        """
        from dradsl.cel.cost.actual import Meter

        if self._metered is None:
            self._metered = _Metered(self)
        meter = meter or Meter(self.environment.cost_limit)
        value = self._run(self._metered.code, self._metered.frame(values, meter))
        return value, meter.cost

    def run(self, frame: list[Value]) -> Value:
        """Evaluates without a cost counter; `frame` holds the variables' values and `locals`."""
        return self._run(self.code, frame)

    def _run(self, code: Code, frame: list[Value]) -> Value:
        try:
            if self.checked.levels < SHALLOW:
                return code(frame)
            return deep(code, self.checked.levels, frame)
        except CelPanicError as panic:
            raise CelRuntimeError(str(panic), *self.checked.expr.span) from None


class _Metered:
    """The form of a program that counts cost."""

    def __init__(self, program: Program) -> None:
        from dradsl.cel.cost.actual import MeteredCompiler
        from dradsl.cel.dialects import base_functions

        env = program.environment
        compiler = MeteredCompiler(program.checked, env, base_functions(env.dialect))
        levels = 2 * program.checked.levels
        self.code: Code = deep(compiler.compile, levels, program.checked.expr)
        self._meter = compiler.meter
        self._width = compiler.variables.width

    def frame(self, values: Sequence[Value], meter: Meter) -> list[Value]:
        frame = [*values, *[None] * (self._width - len(values))]
        frame[self._meter] = meter
        return frame


def check_text(text: str, env: Environment) -> CheckedExpression:
    """Parses and checks.

    Raises:
        CelCompileError: with all issues, syntax or types.
    """
    try:
        expr = parse(text, env.macros, backtick_names=env.dialect.backtick_names)
    except CelSyntaxError as error:
        from dradsl.cel.checker import errors

        issues = tuple(
            [
                errors.Issue(
                    issue.start,
                    (issue.start, issue.end),
                    issue.message,
                    "syntax",
                    help=issue.help,
                )
                for issue in error.issues
            ]
        )
        raise CelCompileError(text, issues, "syntax") from error
    checked = check(expr, env)
    if checked.issues:
        raise CelCompileError(text, checked.issues)
    return checked


def compile_expression(text: str, env: Environment) -> Program:
    """A program for `text` in `env`.

    Raises:
        CelCompileError: if it does not parse, its types do not fit, its result has a type that
            the environment does not take, or a constant part of it cannot be computed.
    """
    checked = check_text(text, env)
    result = checked.result
    if env.results and not any(result == wanted for wanted in env.results):
        message = f"must evaluate to {env.results_text or env.results[0]}, not {result}"
        from dradsl.cel.checker import errors

        issue = errors.Issue(
            checked.expr.at, checked.expr.span, message, "result-type", checked.expr
        )
        raise CelCompileError(text, (issue,), "result")
    return instantiate(text, checked, env)


def instantiate(text: str, checked: CheckedExpression, env: Environment) -> Program:
    """A program for an expression that has been checked without issues.

    Raises:
        CelCompileError: of kind "instantiation", if a constant part cannot be computed.
    """
    try:
        return Program(text, checked, env)
    except InstantiationError as error:
        expr = checked.expr
        from dradsl.cel.checker import errors

        issue = errors.Issue(expr.at, expr.span, str(error), "instantiation", expr)
        raise CelCompileError(text, (issue,), "instantiation") from error
