"""The command line: `dradsl COMMAND`; each command's module is imported only when it is run."""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import TextIO

import click

from dradsl._version import __version__

__all__ = ["main"]

# Command -> (module that holds `command`, one line for the overview).
_COMMANDS: dict[str, tuple[str, str]] = {
    "lint": (
        "dradsl.cli.lint",
        "Check manifests for what the API server or the scheduler refuses.",
    ),
    "rule": ("dradsl.cli.rule", "Explain a rule."),
    "rules": ("dradsl.cli.rules", "List the rules."),
    "cel": ("dradsl.cli.cel", "Check, evaluate, explain and format CEL device selectors."),
    "schema": ("dradsl.cli.schema", "Show, infer, compare and check driver schemas."),
    "simulate": ("dradsl.cli.simulate", "Allocate claims against recorded ResourceSlices."),
    "record": ("dradsl.cli.record", "Turn `kubectl get -o json` output into an inventory file."),
    "build": ("dradsl.cli.build", "Write the manifests that a Python module builds."),
    "to-python": ("dradsl.cli.to_python", "Turn manifests into Python that builds them."),
    "migrate": ("dradsl.cli.migrate", "Move device-plugin requests to resource claims."),
    "convert": (
        "dradsl.cli.convert",
        "Rewrite manifests in another API version, keeping comments.",
    ),
}


class _LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = _COMMANDS.get(cmd_name)
        if row is None:
            return None
        command = importlib.import_module(row[0]).command
        assert isinstance(command, click.Command)  # noqa: S101 - the table's own contract
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The overview comes from the table: no command module is imported to print it.
        with formatter.section("Commands"):
            formatter.write_dl([(name, row[1]) for name, row in _COMMANDS.items()])


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="dradsl")
def _dradsl() -> None:
    """Lint, write, migrate and simulate Kubernetes Dynamic Resource Allocation manifests."""


def main() -> None:
    """Run the command line; exit codes: 0 nothing found, 1 findings, 2 usage or internal failure."""
    _prepare(sys.stdout)
    _prepare(sys.stderr)
    try:
        _dradsl(prog_name="dradsl")
    except BrokenPipeError:
        # The reader of our output went away (`| head`): silence Python's own complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except Exception as error:
        if os.environ.get("DRADSL_DEBUG"):
            raise
        click.echo(
            f"dradsl: internal error: {type(error).__name__}: {error}\n"
            "Please report this; DRADSL_DEBUG=1 shows where it happened.",
            err=True,
        )
        sys.exit(2)


def _prepare(stream: TextIO) -> None:
    """No locale may turn a report into an error: UTF-8 into files and pipes, else what can be shown."""
    if isinstance(stream, io.TextIOWrapper):
        encoding = None if stream.isatty() else "utf-8"
        stream.reconfigure(encoding=encoding, errors="replace")
