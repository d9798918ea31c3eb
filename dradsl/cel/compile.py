"""From text to a program: parse, check, estimate, compile; then evaluate as often as needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.cel import cost
from dradsl.cel.check import Checked, check
from dradsl.cel.closures import Compiler, InstantiationError
from dradsl.cel.deep import SHALLOW, deep
from dradsl.cel.dialects import base_functions
from dradsl.cel.errors import Issue
from dradsl.cel.folds import Folds
from dradsl.cel.parse import CelSyntaxError, parse
from dradsl.cel.values import CelPanicError, CelRuntimeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cel.closures import Code
    from dradsl.cel.environment import Environment
    from dradsl.cel.estimates import Estimate
    from dradsl.cel.values import Value

__all__ = ["CelCompileError", "Program", "check_text", "compile_expression", "instantiate"]


class CelCompileError(ValueError):
    """An expression that cannot be used; `issues` say why, in order of position."""

    def __init__(self, text: str, issues: tuple[Issue, ...], kind: str = "compile") -> None:
        super().__init__("; ".join([issue.message for issue in issues]))
        self.text = text
        self.issues = issues
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Program:
    """An expression ready to evaluate in its environment."""

    text: str
    checked: Checked
    environment: Environment
    estimate: Estimate
    _code: Code
    _names: tuple[str, ...]
    _locals: tuple[None, ...]

    def evaluate(self, bindings: Mapping[str, Value]) -> Value:
        """The value for these values of the environment's variables.

        Raises:
            CelRuntimeError: if the evaluation fails, with the span that failed.
            KeyError: if a variable has no value.
        """
        return self.run([*[bindings[name] for name in self._names], *self._locals])

    def run(self, frame: list[Value]) -> Value:
        """As `evaluate`, with the values in the order of the environment's variables and a
        place for each variable of the expression's own (`frame`)."""
        try:
            if self.checked.levels < SHALLOW:
                return self._code(frame)
            return deep(self._code, self.checked.levels, frame)
        except CelPanicError as error:
            raise CelRuntimeError(str(error), *self.checked.expr.span) from None

    @property
    def code(self) -> Code:
        return self._code

    @property
    def locals(self) -> tuple[None, ...]:
        """Places for the expression's own variables, to follow the environment's values."""
        return self._locals


def check_text(text: str, env: Environment) -> Checked:
    """Parses and checks.

    Raises:
        CelCompileError: with all issues, syntax or types.
    """
    try:
        expr = parse(text, env.macros)
    except CelSyntaxError as error:
        issues = tuple(
            [
                Issue(issue.start, (issue.start, issue.end), issue.message, "syntax")
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
        issue = Issue(checked.expr.at, checked.expr.span, message, "result-type", checked.expr)
        raise CelCompileError(text, (issue,), "result")
    return instantiate(text, checked, env)


def instantiate(text: str, checked: Checked, env: Environment) -> Program:
    """A program for an expression that has been checked without issues.

    Raises:
        CelCompileError: of kind "instantiation", if a constant part cannot be computed.
    """
    compiler = Compiler(checked, env, base_functions(env.dialect), Folds)
    try:
        code = deep(compiler.compile, 2 * checked.levels, checked.expr)
    except InstantiationError as error:
        expr = checked.expr
        issue = Issue(expr.at, expr.span, str(error), "instantiation", expr)
        raise CelCompileError(text, (issue,), "instantiation") from error
    estimate = cost.estimate(checked, env)
    names = tuple(env.variables)
    places: tuple[None, ...] = (None,) * (compiler.width - len(names))
    return Program(text, checked, env, estimate, code, names, places)
