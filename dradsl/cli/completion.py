"""`dradsl completion SHELL`: the script that makes a shell complete our commands and their words."""

from __future__ import annotations

import click

from dradsl.cli.commands import Command
from dradsl.cli.say import put

__all__ = ["command"]


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, rules, gates and drivers in your shell."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    root = context.find_root()
    assert kind is not None  # noqa: S101 - click has all three
    # The class for bash starts bash to see its version: we start nothing.
    put(ShellComplete.source(kind(root.command, {}, "dradsl", "_DRADSL_COMPLETE")), "\n")
