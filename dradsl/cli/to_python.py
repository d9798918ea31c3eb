"""`dradsl to-python`: turn manifests into Python that builds them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from dradsl.cli.say import put, say

if TYPE_CHECKING:
    from dradsl.dsl.objects.manifest import Manifest

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

    FILE is YAML or JSON; "-" is standard input. Documents that hold no Kubernetes object are left
    out and named. Exit codes: 0 written, 1 written without some documents, 2 a file cannot be used.
    """
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.dsl.generate.to_python import to_python
    from dradsl.dsl.objects.fragment import ManifestError
    from dradsl.dsl.objects.reading import from_yaml
    from dradsl.text.decoding import DecodingError
    from dradsl.text.files import FileError
    from dradsl.text.replacing import write_bytes

    objects: list[Manifest] = []
    left_out: list[str] = []
    for name in files:
        errors: list[ManifestError] = []
        try:
            objects += from_yaml(_read(name), errors.append)
        except FileError as error:
            _fail(str(error))
        except (ManifestError, DecodingError) as error:
            _fail(f"{name}: {error}")
        left_out += [f"{name}: {error}" for error in errors]
    if left_out and not objects:
        _fail(left_out[0])
    try:
        text = to_python(objects, Catalogue(driver_schema), rewrite_cel=rewrite_cel)
        if output is not None:
            write_bytes(Path(output), text.encode("utf-8"))
        else:
            put(text)
    except (FileError, SchemaError, ManifestError) as error:
        _fail(str(error))
    for line in left_out:
        say(f"dradsl to-python: {line}: left out", err=True)
    if left_out:
        sys.exit(1)


def _fail(message: str) -> NoReturn:
    say(f"dradsl to-python: {message}", err=True)
    sys.exit(2)


def _read(name: str) -> str:
    from dradsl.text.decoding import decode
    from dradsl.text.files import MANIFEST_BYTES, read_bytes, read_standard_input

    data = read_standard_input() if name == "-" else read_bytes(Path(name))
    # What is no UTF-8 is told by the reader, with its place.
    return decode(data, MANIFEST_BYTES).text
