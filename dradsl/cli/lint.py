"""`dradsl lint` as a click command: check manifests."""

from __future__ import annotations

from typing import Any

import click

from dradsl.cli.commands import Command
from dradsl.cli.lint_options import OPTIONS
from dradsl.cli.options import click_option

__all__ = ["command"]


def _lint(**options: Any) -> None:
    """Find mistakes that the API server rejects, or that leave pods pending.

    PATH is a file, a folder (its *.yaml, *.yml and *.json files), a glob, or "-" for standard input.
    Default: the working directory.

    \b
    Exit codes:
      0  no finding at or above --fail-on
      1  findings
      2  wrong command line or configuration, or --timeout was reached
    """
    from dradsl.cli.linting import run_lint

    run_lint(options)


command = Command(
    "lint",
    params=[
        click.Argument(["paths"], nargs=-1, metavar="[PATH]... [-]"),
        *(click_option(option) for option in OPTIONS),
    ],
    callback=_lint,
    help=_lint.__doc__,
)
