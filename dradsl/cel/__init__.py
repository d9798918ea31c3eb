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
    from dradsl.cel.checker.environment import Environment
    from dradsl.cel.compile import CelCompileError, Program, compile_expression
    from dradsl.cel.dra import (
        CompiledSelector,
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
    # selectors of devices
    "CompiledSelector",
    "DeviceView",
    "Environment",
    "Program",
    "SelectorCache",
    "clauses",
    "compile_expression",
    "compile_selector",
    "device_environment",
    "device_view",
    "format_expression",
    "parts",
]

_MODULES = {
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
    "Environment": "checker.environment",
    "clauses": "explain",
    "parts": "explain",
    "format_expression": "syntax.printer",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
