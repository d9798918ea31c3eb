"""`dradsl to-python`: turn manifests into Python that builds them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

__all__ = ["command"]


@click.command("to-python")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", metavar="FILE", help="Write the module there.")
@click.option(
    "--rewrite-cel",
    is_flag=True,
    help="Write selectors with handles also where the CEL then has other quotes, spaces or lines.",
)
@click.option(
    "--driver-schema",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Driver schemas of your own.",
)
def command(
    files: tuple[str, ...], output: str | None, rewrite_cel: bool, driver_schema: tuple[Path, ...]
) -> None:
    """Turn manifests into Python that builds them.

    FILE is YAML or JSON; "-" is standard input. Exit codes: 0 written, 2 a file cannot be used.
    """
    from dradsl.drivers.catalogue import Catalogue
    from dradsl.drivers.schema import SchemaError
    from dradsl.dsl.manifest import ManifestError
    from dradsl.dsl.reading import from_yaml
    from dradsl.dsl.to_python import to_python

    objects = []
    for name in files:
        try:
            objects += from_yaml(_read(name))
        except (OSError, ManifestError) as error:
            click.echo(f"dradsl to-python: {name}: {error}", err=True)
            sys.exit(2)
    try:
        text = to_python(objects, Catalogue(driver_schema), rewrite_cel=rewrite_cel)
        if output is not None:
            Path(output).write_text(text, encoding="utf-8")
        else:
            click.echo(text, nl=False)
    except (OSError, SchemaError, ManifestError) as error:
        click.echo(f"dradsl to-python: {error}", err=True)
        sys.exit(2)


def _read(name: str) -> str:
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    # What is no UTF-8 is told by the reader, with its place.
    return data.decode("utf-8", "surrogateescape")
