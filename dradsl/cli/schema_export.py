"""`dradsl schema export`: schemas as files: of drivers, for editors, and as typed handles for Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import DRIVER_SCHEMA, RELEASE
from dradsl.cli.commands import Command
from dradsl.cli.completing import drivers
from dradsl.cli.options import choice, file, flag, options_decorator
from dradsl.cli.say import put, say
from dradsl.cli.schema_input import fixed, named_schema, read_catalogue, write_output

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema

__all__ = ["export_command"]

# Of files that users write for dradsl itself, and of what commands print; every other name is an API version.
_REPORTS = ("lint", "simulate", "why", "devices", "claims", "migrate", "cel", "rules")
_OWN = ("config", "custom-rules", "driver", *_REPORTS)


@click.command(
    "export", cls=Command, short_help="Print a schema: as YAML, for editors, for Python."
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=drivers)
@options_decorator(
    (
        choice(
            "--as", ("yaml", "json", "python"), "The form. Default: yaml of a driver, else json."
        ),
        RELEASE,
        file("--output", "Write to FILE. Default: standard output.", short="-o"),
        flag("--check", "Write nothing. Exit with 1 if FILE differs."),
        DRIVER_SCHEMA,
    )
)
def export_command(names: tuple[str, ...], **options: Any) -> None:
    """Print a schema, as a file to change or for programs that read it.

    \b
    As yaml:    the schema file of a DRIVER
    As json:    the JSON Schema of DRIVER/KIND (opaque parameters), config (.dradsl.yaml), driver
                (schema files), v1, v1beta2, v1beta1 or v1alpha3 (objects of resource.k8s.io), and
                lint, simulate, why, devices, claims, migrate, cel or rules (JSON reports)
    As python:  a module with typed handles for each DRIVER or FILE with a schema

    \b
    Exit codes:
      0  printed or written
      1  with --check: FILE differs
      2  wrong command line, or a schema cannot be used
    """
    from dradsl.text.files import FileError, read_bytes

    output: Path | None = options["output"]
    if options["check"] and output is None:
        raise click.UsageError("--check compares with a file: give -o FILE")
    catalogue = read_catalogue(options["driver_schema"])
    text = _text(names, options["as"], options["kube_version"], catalogue)
    if output is None:
        put(text)
    elif not options["check"]:
        write_output(output, text)
    else:
        try:
            differs = read_bytes(output) != text.encode()
        except FileError as error:
            raise click.UsageError(str(error)) from None
        if differs:
            say(f"{output} differs")
            raise click.exceptions.Exit(1)


def _text(
    names: tuple[str, ...], form: str | None, kube_version: str | None, catalogue: Catalogue
) -> str:
    from dradsl.data import data_path

    if form == "python":
        from dradsl.dsl.generate.handles import generate

        try:
            return generate([_with_devices(name, catalogue) for name in names])
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if len(names) > 1:
        raise click.UsageError("several names are for --as python: name one")
    (name,) = names
    driver, slash, kind = name.partition("/")
    if slash and form != "yaml":
        return _of_parameters(driver, kind, catalogue)
    if form == "json" or (form is None and "." not in name and catalogue.get(name) is None):
        return _for_editors(name, kube_version)
    named_schema(name, catalogue)
    path = Path(data_path("schemas", "drivers", f"{name}.yaml"))
    if not path.is_file():
        raise click.UsageError(f"the schema of {name} is a file of your own")
    return path.read_text(encoding="utf-8")


def _of_parameters(driver: str, kind: str, catalogue: Catalogue) -> str:
    from dradsl.values.printable import json_text

    schema = named_schema(driver, catalogue)
    found = next((each for each in schema.configs if each.kind == kind), None)
    if found is None:
        known = ", ".join(each.kind for each in schema.configs) or "none"
        raise click.BadParameter(f"{driver} knows no kind {kind!r} (known: {known})")
    return f"{json_text(found.schema)}\n"


def _for_editors(name: str, kube_version: str | None) -> str:
    from dradsl.data import data_path
    from dradsl.releases import UnknownReleaseError, get_release, newest_release

    if name in _OWN:
        if kube_version is not None:
            raise click.UsageError("--kube-version is for API versions only")
        return Path(data_path("schemas", f"{name}.schema.json")).read_text(encoding="utf-8")
    try:
        release = newest_release() if kube_version is None else get_release(kube_version)
    except UnknownReleaseError as error:
        raise click.BadParameter(str(error), param_hint="--kube-version") from None
    folder = Path(data_path("schemas", "kubernetes", release.name))
    known = {path.stem: path for path in folder.glob("*.json")}
    if name not in known:
        listed = ", ".join((*_OWN, *sorted(known)))
        raise click.BadParameter(f"no JSON Schema {name!r} (known: {listed})", param_hint="NAME")
    return known[name].read_text(encoding="utf-8")


def _with_devices(text: str, catalogue: Catalogue) -> DriverSchema:
    """The schema of a driver or in a file, if there is anything to make handles of."""
    from dradsl.drivers.schema.catalogue import read_schema_file

    path = Path(text)
    if catalogue.get(text) is None and (
        path.is_file() or path.suffix in (".yaml", ".yml", ".json")
    ):
        schema: DriverSchema = fixed(lambda: read_schema_file(path, catalogue))
    else:
        schema = named_schema(text, catalogue)
    if not schema.device_types and not schema.configs:
        raise ValueError(f"{schema.name} publishes no devices: there is nothing to make handles of")
    return schema
