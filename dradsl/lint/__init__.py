"""Checking manifests: rules, what the API server says, configuration, fixes, reports.

    from dradsl.lint import lint_text
    for finding in lint_text(text).findings: ...

Names are imported when they are first used.

Called, as in `dradsl.lint(...)`, it is a function: `help(dradsl.api.lint)`.
Private: names may change in any version.
"""

from __future__ import annotations

from dradsl.lint.engine.run import lint, lint_text
from dradsl.lint.engine.session import Session
from dradsl.lint.engine.state import RunInput
from dradsl.lint.report.model import Report
from dradsl.lint.settings.config import LintConfig

__all__ = ["LintConfig", "Report", "RunInput", "Session", "lint", "lint_text"]

_HOMES = {
    "LintConfig": "settings.config",
    "Report": "report.model",
    "Session": "engine.session",
    "RunInput": "engine.run",
    "lint": "engine.run",
    "lint_text": "engine.run",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
