"""CEL as Kubernetes uses it: parse, check, estimate cost, evaluate; selectors of devices.

    from dradsl.cel import compile_selector, device_view

    selector = compile_selector('device.driver == "gpu.nvidia.com"', "1.36")
    selector.error                      # what the API server would say, or None
    selector.match(device_view("gpu.nvidia.com", {"attributes": {}}))

Everything here is imported when it is first used. The functions `parse` and `check` are in the
modules of these names.
Private: names may change in any version.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.checker.check import CheckedExpression
    from dradsl.cel.checker.environment import Dialect, Environment, Sized
    from dradsl.cel.checker.errors import Issue
    from dradsl.cel.compile import CelCompileError, Program, check_text, compile_expression
    from dradsl.cel.cost.estimate import estimate
    from dradsl.cel.dra import (
        CompiledSelector,
        CompileFailure,
        DeviceView,
        SelectorCache,
        compile_selector,
        device_environment,
        device_view,
    )
    from dradsl.cel.explain import clauses, parts
    from dradsl.cel.runtime.values import CelRuntimeError
    from dradsl.cel.syntax.parse import CelSyntaxError
    from dradsl.cel.syntax.printer import format_expression

__all__ = [
    # any environment
    "CelCompileError",
    "CelRuntimeError",
    "CelSyntaxError",
    "CheckedExpression",
    # selectors of devices
    "CompileFailure",
    "CompiledSelector",
    "DeviceView",
    "Dialect",
    "Environment",
    "Issue",
    "Program",
    "SelectorCache",
    "Sized",
    "check_text",
    "clauses",
    "compile_expression",
    "compile_selector",
    "device_environment",
    "device_view",
    "estimate",
    "format_expression",
    "parts",
]

_MODULES = {
    "CompileFailure": "dra",
    "CompiledSelector": "dra",
    "DeviceView": "dra",
    "SelectorCache": "dra",
    "compile_selector": "dra",
    "device_environment": "dra",
    "device_view": "dra",
    "CelCompileError": "compile",
    "Program": "compile",
    "compile_expression": "compile",
    "CelRuntimeError": "runtime.values",
    "CelSyntaxError": "syntax.parse",
    "CheckedExpression": "checker.check",
    "check_text": "compile",
    "Dialect": "checker.environment",
    "Environment": "checker.environment",
    "Sized": "checker.environment",
    "Issue": "checker.errors",
    "clauses": "explain",
    "parts": "explain",
    "estimate": "cost.estimate",
    "format_expression": "syntax.printer",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
