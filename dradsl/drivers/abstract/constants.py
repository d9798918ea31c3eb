"""What a selector says without a device: its constants, computed by the release's own evaluator.

A call whose arguments are all written out has one value, or fails in one way, on every device. The
common ones (`quantity("40Gi")`, `semver("1.2.3")`) are read here; the evaluator is asked for the rest,
and for what upstream says of one that fails.
"""

from __future__ import annotations

import functools

from dradsl.cel.syntax.ast import Call, Expr, ListExpr, Literal, walk
from dradsl.drivers.abstract.values import UNKNOWN, KnownValue, ListValue, parsed
from dradsl.records import dataclass
from dradsl.values.limits import LONGEST_CONSTANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.cel.checker.environment import Environment
    from dradsl.drivers.abstract.values import AbstractValue

__all__ = ["Constants", "Failed", "error_of"]

_PLAIN = (bool, int, float, str)
_READ = frozenset({"quantity", "semver"})


@dataclass(frozen=True, slots=True)
class Failed:
    """A constant that cannot be computed: the innermost call that fails, and the evaluator's words."""

    node: Expr
    text: str


class Constants:
    """The constants of expressions, computed when first asked for; `release` names the evaluator's."""

    __slots__ = ("_release", "_texts", "_values")

    def __init__(self, release: str | None = None, *texts: tuple[Expr, str]) -> None:
        """`texts` are the expressions, each with its text; without it only what is read here is known."""
        self._release = release
        self._texts = {node: text for root, text in texts for node in _closed_calls(root)}
        self._values: dict[Call, AbstractValue | Failed | None] = {}

    def value(self, node: Call) -> AbstractValue | Failed | None:
        """The value of a call, how it fails, or None if it takes a device to tell."""
        if node not in self._texts:
            return None
        if node not in self._values:
            self._values[node] = self._compute(node)
        return self._values[node]

    @property
    def all_read(self) -> bool:
        """Whether no value that somebody asked for took the evaluator."""
        return all(
            node.function in _READ and isinstance(value, KnownValue)
            for node, value in self._values.items()
        )

    def _compute(self, node: Call) -> AbstractValue | Failed | None:
        if node.function in _READ and node.target is None:
            written = [each.value for each in node.args if isinstance(each, Literal)]
            if len(written) == len(node.args):
                value = parsed(node.function, written)
                if value is not UNKNOWN:
                    return value
        start, end = node.span
        if end - start > LONGEST_CONSTANT:
            return None
        outcome = _evaluated(self._texts[node][start:end], self._release)
        if not isinstance(outcome, _Error):
            return _lifted(outcome, node)
        for child in _inner_calls(node):
            inner = self.value(child)
            if isinstance(inner, Failed):
                return inner
        return Failed(node, outcome.text)


def error_of(text: str, release: str | None) -> str | None:
    """What the evaluator of a release says of an expression without variables that fails."""
    outcome = _evaluated(text, release)
    return outcome.text if isinstance(outcome, _Error) else None


@dataclass(frozen=True, slots=True)
class _Error:
    text: str


@functools.lru_cache(maxsize=1024)
def _evaluated(text: str, release: str | None) -> Any:
    """The value of a closed expression; `_Error` if it fails, None if nothing can be said."""
    from dradsl.cel.compile import CelCompileError, compile_expression
    from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError
    from dradsl.cel.syntax.parse import CelSyntaxError, parse

    try:
        if not all(isinstance(each, Call | ListExpr | Literal) for each in walk(parse(text))):
            return None  # a macro made the call: its place is that of the macro
    except CelSyntaxError:
        return None
    try:
        program = compile_expression(text, _environment(release))
    except CelCompileError as error:
        if error.kind == "instantiation":  # upstream computes some conversions early
            return _Error(error.issues[0].message)
        return None  # upstream's type checker sees it in its place
    try:
        return program.measure([None])[0]
    except CelRuntimeError as error:
        return _Error(error.message)
    except CelPanicError:
        return None


@functools.cache
def _environment(release: str | None) -> Environment:
    """The environment of stored selectors, for parts of them: these may have any type."""
    from dradsl.cel.dra import device_environment
    from dradsl.records import replace
    from dradsl.releases import newest_release

    environment = device_environment(release or newest_release(), mode="stored")
    return replace(environment, name=f"{environment.name}/part", results=(), results_text="")


def _lifted(value: Any, node: Expr) -> AbstractValue | None:
    if isinstance(value, _PLAIN):
        return KnownValue(value)
    if isinstance(value, list):
        lifted = [_lifted(each, node) for each in value]
        known = tuple(each for each in lifted if each is not None)
        if len(known) == len(lifted):
            return ListValue(known, (node,) * len(known))
    from dradsl.values import quantity as quantities, semver as versions

    return KnownValue(value) if isinstance(value, quantities.Quantity | versions.Semver) else None


def _inner_calls(node: Expr) -> list[Call]:
    """The calls nearest below a node."""
    found: list[Call] = []
    stack = list(node.below()[::-1])
    while stack:
        each = stack.pop()
        if isinstance(each, Call):
            found.append(each)
        else:
            stack.extend(each.below()[::-1])
    return found


def _closed_calls(root: Expr) -> list[Call]:
    """The calls that read nothing: no variable, and no macro, whose body has some."""
    closed: set[Expr] = set()
    for node in reversed(list(walk(root))):  # those below come first
        written = isinstance(node, Call | ListExpr | Literal)
        if written and closed.issuperset(node.below()):
            closed.add(node)
    return [node for node in closed if isinstance(node, Call)]
