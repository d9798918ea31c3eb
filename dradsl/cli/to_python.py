"""`dradsl to-python`: turn manifests into Python that builds them."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from dradsl.cli.cluster_options import DRIVER_SCHEMA, RELEASE
from dradsl.cli.commands import Command
from dradsl.cli.options import options_decorator
from dradsl.cli.say import note, put, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.cli.isolation import Isolated
    from dradsl.dsl.data.fragment import ManifestError
    from dradsl.dsl.objects.manifest import Manifest

__all__ = ["command"]


@click.command("to-python", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options_decorator((RELEASE, DRIVER_SCHEMA))
def command(
    files: tuple[str, ...], kube_version: str | None, driver_schema: tuple[str, ...]
) -> None:
    """Turn manifests into Python that builds them.

    FILE is YAML or JSON; "-" is standard input. Documents without a Kubernetes object are left out and
    named.

    \b
    Exit codes:
      0  written
      1  written without some documents
      2  a file cannot be used
    """
    from dradsl.cli.isolation import Isolated
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.dsl.data.fragment import ManifestError
    from dradsl.dsl.generate.to_python import to_python
    from dradsl.text.files import FileError
    from dradsl.values.failing import apart_from_failing

    _check_release(kube_version)
    broken = Isolated()  # the objects of other files are written all the same
    given = _Input()
    for name in files:
        _read_file(name, given, broken)
    if given.left_out and not any(objects for _, objects in given.objects):
        _fail(given.left_out[0])

    def written(some: Sequence[tuple[str, list[Manifest]]]) -> str:
        objects = [one for _, found in some for one in found]
        return to_python(
            objects,
            Catalogue(map(Path, driver_schema)),
            for_release=kube_version,
            comments=given.comments,
        )

    try:
        text, failed = apart_from_failing(
            given.objects, written, (FileError, SchemaError, ManifestError)
        )
        for (name, _), failure in failed:
            broken.add(name, failure)
        if broken.names and len(broken.names) == len(files):
            sys.exit(2)
        put(text)
    except (FileError, SchemaError, ManifestError) as error:
        _fail(str(error))
    if given.older:
        more = "" if kube_version else "; App(for_release=...) builds what that release serves"
        note(f"dradsl to-python: note: {', '.join(sorted(given.older))} became v1{more}")
    for line in given.left_out:
        say(f"dradsl to-python: {line}: left out", err=True)
    if broken.names:
        sys.exit(2)
    if given.left_out:
        sys.exit(1)


def _fail(message: str) -> NoReturn:
    say(f"dradsl to-python: {message}", err=True)
    sys.exit(2)


class _Input:
    """What was read of the files."""

    def __init__(self) -> None:
        self.objects: list[tuple[str, list[Manifest]]] = []  # each with its file
        self.comments: dict[tuple[str, str, str, str], tuple[str, ...]] = {}
        self.left_out: list[str] = []  # messages on documents that are no objects
        self.older: set[str] = set()  # API versions before v1


def _check_release(name: str | None) -> None:
    from dradsl.releases import UnknownReleaseError, get_release

    try:
        if name is not None:
            get_release(name)
    except UnknownReleaseError as error:
        _fail(f"--kube-version: {error}")


def _read_file(name: str, given: _Input, broken: Isolated) -> None:
    from dradsl.dsl.data.fragment import ManifestError
    from dradsl.text.decoding import DecodingError
    from dradsl.text.files import FileError

    errors: list[ManifestError] = []
    known = (FileError, ManifestError, DecodingError)
    try:
        found = broken.attempt(name, functools.partial(_objects, name, errors, given), known)
    except FileError as error:
        _fail(str(error))
    except (ManifestError, DecodingError) as error:
        _fail(f"{name}: {error}")
    if found is not None:
        given.objects.append((name, found))
        given.left_out += [f"{name}: {error}" for error in errors]


def _objects(name: str, errors: list[ManifestError], given: _Input) -> list[Manifest]:
    """The objects in a file; `errors` gets its documents that are none."""
    from dradsl.dsl.objects.manifest import GROUP, KubernetesObject
    from dradsl.dsl.objects.reading import comments_in, from_dict
    from dradsl.dsl.objects.yaml_text import read_yaml

    text = _read(name)
    objects = []
    for data in read_yaml(text, errors.append):
        objects.append(from_dict(data))
        version = str(data["apiVersion"])
        built = not isinstance(objects[-1], KubernetesObject)
        if built and version.startswith(f"{GROUP}/") and version != f"{GROUP}/v1":
            given.older.add(version)
    given.comments.update(comments_in(text))
    return objects


def _read(name: str) -> str:
    from dradsl.text.decoding import decode
    from dradsl.text.files import MANIFEST_BYTES, read_bytes, read_standard_input

    data = read_standard_input() if name == "-" else read_bytes(Path(name))
    # What is no UTF-8 is told by the reader, with its place.
    return decode(data, MANIFEST_BYTES).text
