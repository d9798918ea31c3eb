"""CEL for whole objects: the environment of ValidatingAdmissionPolicy, with the variable `object`.

Source: apiserver `pkg/admission/plugin/cel/compile.go` and `pkg/cel/environment/base.go`. Device selectors
extend the same base environment, so that its libraries are those of `dradsl.cel.dialects`.
"""

from __future__ import annotations

import functools

from dradsl.cel.checker.environment import Environment
from dradsl.cel.checker.functions import FunctionTable
from dradsl.cel.compile import CelCompileError, compile_expression
from dradsl.cel.dialects import DIALECTS, base_declarations
from dradsl.cel.runtime.operations import NativeMap
from dradsl.cel.runtime.values import INT_MAX, INT_MIN, Value, well_formed
from dradsl.cel.syntax.macro_names import ALL_MACROS
from dradsl.cel.types import BOOL, DYN, STRING
from dradsl.releases import get_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from dradsl.cel.compile import Program
    from dradsl.cel.types import Type
    from dradsl.releases import Release
    from dradsl.releases.server import CelLibraries

__all__ = [
    "COST_LIMIT",
    "MAX_MESSAGE",
    "PolicyCompileError",
    "admission_environment",
    "compile_policy",
    "object_value",
    "scalar_value",
]

COST_LIMIT = 1_000_000
"""PerCallLimit: what one evaluation may cost (apiserver `pkg/apis/cel/config.go`)."""

MAX_MESSAGE = 5 * 1024
"""MaxEvaluatedMessageExpressionSizeBytes: a longer message of an expression is not used."""

Result: TypeAlias = "Literal['bool', 'string']"


def admission_environment(release: Release | str, result: Result = "bool") -> Environment:
    """The environment in which a release takes expressions of new policies.

    Of the variables of a policy it has `object` alone: who reads files knows of no request.
    """
    if isinstance(release, str):
        release = get_release(release)
    return _environment(release.cel, release.name, result)


@functools.cache
def _environment(libraries: CelLibraries, name: str, result: Result) -> Environment:
    dialect = DIALECTS[libraries.cel_go]
    macros = ALL_MACROS
    if not libraries.lists_in_new:
        macros = frozenset(key for key in ALL_MACROS if key[0] != "sortBy")
    wanted: Type = BOOL if result == "bool" else STRING
    return Environment(
        name=f"{name}/admission/{result}",
        functions=FunctionTable(base_declarations(lists=libraries.lists_in_new), dialect.without),
        variables={"object": DYN},
        dialect=dialect,
        macros=macros,
        results=(wanted,),
        results_text=str(wanted),
        cost_limit=COST_LIMIT,
    )


class PolicyCompileError(ValueError):
    """An expression that a release does not take: type and detail as the API server gives them."""

    def __init__(self, type_: str, detail: str, error: CelCompileError) -> None:
        super().__init__(detail)
        self.type = type_
        self.detail = detail
        self.issue = error.issues[0]


def compile_policy(text: str, release: Release | str, result: Result = "bool") -> Program:
    """The program of an expression that gives a verdict, or the text of a message.

    Raises:
        PolicyCompileError: if it does not compile, or gives something else.
    """
    text = well_formed(text)
    try:
        return compile_expression(text, admission_environment(release, result))
    except CelCompileError as error:
        issue = error.issues[0]
        if error.kind == "result":
            # Upstream's words differ from those about device selectors.
            detail = issue.message.replace(", not ", " but got ", 1)
            raise PolicyCompileError("RuleInvalid", detail, error) from error
        if error.kind == "instantiation":
            detail = f"program instantiation failed: {issue.message}"
            raise PolicyCompileError("InternalError", detail, error) from error
        from dradsl.cel.checker.display import render

        shown = render(text, [(each.start, each.message) for each in error.issues])
        raise PolicyCompileError("RuleInvalid", f"compilation failed: {shown}", error) from error


def object_value(data: object) -> Value:
    """Plain data of JSON as a value of CEL."""
    if isinstance(data, dict):
        return NativeMap({well_formed(str(key)): object_value(each) for key, each in data.items()})
    if isinstance(data, list):
        return [object_value(each) for each in data]
    return scalar_value(data)


def scalar_value(data: object) -> Value:
    """A value that holds no others; a number that is no int64 is a double, as JSON is read."""
    if isinstance(data, str):
        return well_formed(data)
    if type(data) is int and not INT_MIN <= data <= INT_MAX:
        return float(data)
    return data
