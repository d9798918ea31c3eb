"""CEL for whole objects: the environment of ValidatingAdmissionPolicy, with the variable `object`.

Source: apiserver `pkg/admission/plugin/cel/compile.go` and `pkg/cel/environment/base.go`. Device selectors
extend the same base environment, so that its libraries are those of `dradsl.cel.dialects`.
"""

from __future__ import annotations

import functools

from dradsl.cel.checker.environment import Environment
from dradsl.cel.checker.functions import FunctionTable
from dradsl.cel.dialects import DIALECTS, base_declarations
from dradsl.cel.runtime.operations import NativeMap
from dradsl.cel.runtime.values import INT_MAX, INT_MIN, Value, well_formed
from dradsl.cel.syntax.macros import ALL_MACROS
from dradsl.cel.types import BOOL, DYN, STRING
from dradsl.releases import get_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from dradsl.cel.types import Type
    from dradsl.releases import CelLibraries, Release

__all__ = ["COST_LIMIT", "MAX_MESSAGE", "admission_environment", "object_value"]

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
        macros = {key: macro for key, macro in ALL_MACROS.items() if key[0] != "sortBy"}
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
