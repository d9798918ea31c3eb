"""`dradsl schema handles`: generate typed handles from driver schemas."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dradsl.cli.commands import Command
from dradsl.cli.say import put, say
from dradsl.cli.schema_input import named_schema

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema

__all__ = ["handles_command"]


@click.command("handles", cls=Command, short_help="Generate typed handles for Python.")
@click.argument("schemas", nargs=-1, required=True, metavar="FILE|DRIVER...")
@click.option("-o", "--output", metavar="FILE", help="Write the module to FILE.")
@click.option("--check", is_flag=True, help="Write nothing. Fail if FILE differs.")
def handles_command(schemas: tuple[str, ...], output: str | None, check: bool) -> None:
    """Generate a Python module with typed handles.

    FILE is a driver schema of your own (see `dradsl schema infer`). DRIVER is the name of a driver that
    dradsl knows.

    \b
    Exit codes:
      0  written
      1  with --check: FILE differs
      2  a schema cannot be used
    """
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.dsl.generate.handles import generate
    from dradsl.text.files import read_bytes
    from dradsl.tree.replacing import write_bytes

    if check and output is None:
        raise click.UsageError("--check compares with a file: give -o FILE")
    catalogue = Catalogue()
    try:
        found = [_schema(one, catalogue) for one in schemas]
        text = generate(found)
        if output is None:
            put(text)
        elif not check:
            write_bytes(output, text.encode())
        elif read_bytes(output).decode() != text:
            say(f"{output} differs")
            sys.exit(1)
    except (SchemaError, OSError, ValueError) as error:
        say(f"dradsl schema handles: {error}", err=True)
        sys.exit(2)


def _schema(text: str, catalogue: Catalogue) -> DriverSchema:
    """The schema of a driver or in a file, if there is anything to make handles of."""
    from dradsl.drivers.schema.catalogue import read_schema_file

    path = Path(text)
    known = catalogue.get(text)
    if known is not None:
        schema = known
    elif path.is_file() or path.suffix in (".yaml", ".yml", ".json"):
        schema = read_schema_file(path, catalogue)
    else:
        schema = named_schema(text, catalogue)
    if not schema.device_types and not schema.configs:
        raise ValueError(f"{schema.name} publishes no devices: there is nothing to make handles of")
    return schema
