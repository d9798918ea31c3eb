"""`dradsl schema handles`: generate typed handles from driver schemas."""

from __future__ import annotations

import sys
from pathlib import Path

import click

__all__ = ["handles_command"]


@click.command("handles")
@click.argument("schemas", nargs=-1, required=True, metavar="FILE|DRIVER...")
@click.option("-o", "--output", metavar="FILE", help="Write the module there.")
@click.option("--check", is_flag=True, help="Write nothing; fail if FILE differs.")
def handles_command(schemas: tuple[str, ...], output: str | None, check: bool) -> None:
    """Generate a Python module with typed handles for use with dradsl's builders.

    FILE is a driver schema of your own (see `dradsl schema infer`), DRIVER the name of a driver
    whose schema is shipped. Exit codes: 0 written, 1 FILE differs, 2 a schema cannot be used.
    """
    from dradsl.drivers.catalogue import Catalogue, read_schema_file
    from dradsl.drivers.schema import SchemaError
    from dradsl.dsl.handles import generate

    if check and output is None:
        raise click.UsageError("--check compares with a file: give -o FILE")
    catalogue = Catalogue()
    try:
        found = [catalogue.get(one) or read_schema_file(Path(one), catalogue) for one in schemas]
        text = generate(found)
        if output is None:
            click.echo(text, nl=False)
        elif not check:
            Path(output).write_text(text, encoding="utf-8")
        elif Path(output).read_text(encoding="utf-8") != text:
            click.echo(f"{output} differs")
            sys.exit(1)
    except (SchemaError, OSError, ValueError) as error:
        click.echo(f"dradsl schema handles: {error}", err=True)
        sys.exit(2)
