"""`dradsl lsp`: the language server on standard input and output."""

from __future__ import annotations

import sys

import click

from dradsl.cli.commands import Command
from dradsl.cli.say import say

__all__ = ["command"]


@click.command("lsp", cls=Command)
@click.option(
    "--stdio",
    is_flag=True,
    expose_value=False,
    help="For editors that say so; there is no other way.",
)
def command() -> None:
    """Serve an editor: diagnostics, completion, hover and more, on standard input and output.

    Editors start it. Needs the extra `lsp` of dradsl. It writes no file, starts no program and
    opens no connection, unless the editor's setting python.build lets it run Python modules.
    """
    try:
        from dradsl.lsp.server import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "attrs", "cattrs"):
            raise
        say(
            f"dradsl lsp: {error.name} is not installed: install dradsl with its extra `lsp`",
            err=True,
        )
        sys.exit(2)
    run()
