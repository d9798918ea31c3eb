"""Reports of a lint run, one module a format; only the format asked for is imported."""

from __future__ import annotations

import importlib

from dradsl.lint.report.model import Report, ReportOptions, sort_key
from dradsl.lint.settings.options import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TextIO

__all__ = ["FORMATS", "Report", "ReportOptions", "render", "sort_key"]


def render(name: str, report: Report, out: TextIO, options: ReportOptions) -> None:
    """Write the whole of `report` to `out` in the format `name`, of `FORMATS`; a newline ends it.

    Raises:
        ValueError: for another format.
        OSError: as `out.write` does.
    """
    if name not in FORMATS:
        raise ValueError(f"unknown output format {name!r} (known: {', '.join(FORMATS)})")
    module = importlib.import_module(f"dradsl.lint.report.{name}")
    chunks: Callable[[Report, ReportOptions], Iterable[str]] = module.render
    out.writelines(chunks(report, options))
