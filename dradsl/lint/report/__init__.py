"""Reports of a lint run, one module a format; only the format asked for is imported."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, TextIO, cast

from dradsl.lint.report.model import Report, ReportOptions, Skipped, sort_key

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FORMATS", "Renderer", "Report", "ReportOptions", "Skipped", "render", "sort_key"]

FORMATS: tuple[str, ...] = ("text", "json", "sarif", "junit", "github", "gitlab", "rdjson")


class Renderer(Protocol):
    """What every format's module offers as `render`."""

    def __call__(self, report: Report, out: TextIO, options: ReportOptions) -> None:
        """Write the whole report to `out`, ending with a newline."""


def render(format: str, report: Report, out: TextIO, options: ReportOptions) -> None:  # noqa: A002
    """Write `report` to `out` in `format`, one of `FORMATS`.

    Raises:
        ValueError: for another format.
        OSError: as `out.write` does.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown output format {format!r} (known: {', '.join(FORMATS)})")
    module = importlib.import_module(f"dradsl.lint.report.{format}")
    cast("Callable[[Report, TextIO, ReportOptions], None]", module.render)(report, out, options)
