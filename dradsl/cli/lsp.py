"""`dradsl lsp`: the language server on standard input and output."""

from __future__ import annotations

import errno
import os
import sys

import click

from dradsl.cli.commands import Explained
from dradsl.cli.say import say

__all__ = ["command"]


@click.command("lsp", cls=Explained)
@click.option(
    "--stdio",
    is_flag=True,
    expose_value=False,
    help="Accepted for editors that pass it. It changes nothing.",
)
def command() -> None:
    """Run the language server on standard input and output.

    Editors start it. It needs the extra `lsp` of dradsl. It writes no file, starts no program and opens
    no connection. Only the setting python.build of the editor lets it run Python modules.
    """
    if sys.__stdin__ is None:  # the caller closed it
        say(f"dradsl lsp: standard input: {os.strerror(errno.EBADF)}", err=True)
        sys.exit(2)
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
