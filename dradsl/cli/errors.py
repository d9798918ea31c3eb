"""How a command ends whose input cannot be used."""

from __future__ import annotations

import click

from dradsl.values.printable import printable

__all__ = ["InputError"]


class InputError(click.ClickException):
    """The input cannot be used: the command says why and ends with exit code 2."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))
