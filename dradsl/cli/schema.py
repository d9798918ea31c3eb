"""`dradsl schema`: the driver schemas on a terminal, and work with recorded slices."""

from __future__ import annotations

from pathlib import Path

import click

from dradsl.cli.commands import CommandGroup
from dradsl.cli.completing import drivers
from dradsl.cli.say import put, say, say_json
from dradsl.cli.schema_handles import handles_command
from dradsl.cli.schema_input import (
    devices_in,
    devices_of,
    fixed,
    known_version,
    manifest_objects,
    named_schema,
    pinned_versions,
    read_catalogue,
    schema_or_file,
    write_output,
)
from dradsl.cli.schema_json import json_command
from dradsl.cli.schema_output import (
    breaking,
    changed,
    details,
    report,
    result,
    summary,
    terminal_width,
)
from dradsl.cli.time_limit import in_time

__all__ = ["command"]

_FORMAT = click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", help="Default: text."
)
_SCHEMAS = click.option(
    "--driver-schema",
    "schemas",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A schema of your own, or a folder. It comes before the one of dradsl. Repeatable.",
)
_SLICES = click.argument(
    "slices", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)


@click.group("schema", cls=CommandGroup)
def command() -> None:
    """Show, infer, compare and check driver schemas."""


command.add_command(handles_command)
command.add_command(json_command)


@command.command("list", short_help="List the drivers with a schema.")
@_SCHEMAS
@_FORMAT
def list_command(schemas: tuple[Path, ...], output_format: str) -> None:
    """List the drivers with a schema."""
    from dradsl.drivers.schema.show import overview

    catalogue = read_catalogue(schemas)
    found = [schema for name in catalogue.names() if (schema := catalogue.get(name)) is not None]
    if output_format == "json":
        say_json([summary(schema) for schema in found])
        return
    for line in overview(found, terminal_width()):
        say(line)


@command.command("show", short_help="Show what a driver publishes and replaces.")
@click.argument("driver", shell_complete=drivers)
@click.option("--type", "device_type", help="Only this device type.")
@click.option("--driver-version", help="The version of the driver. Default: the newest.")
@_SCHEMAS
@_FORMAT
def show_command(
    driver: str,
    device_type: str | None,
    driver_version: str | None,
    schemas: tuple[Path, ...],
    output_format: str,
) -> None:
    """Show what DRIVER publishes, its classes and configuration, and what it replaces."""
    from dradsl.drivers.schema.show import describe

    catalogue = read_catalogue(schemas)
    schema = named_schema(driver, catalogue)
    if device_type is not None and schema.device_type(device_type) is None:
        known = ", ".join(kind.name for kind in schema.device_types)
        raise click.BadParameter(f"{driver} has no type {device_type!r} (it has {known})")
    versions: tuple[str, ...] = ()
    if driver_version is not None:
        versions = (known_version(schema, driver_version),)
    elif output_format == "text":
        versions = catalogue.versions(driver)
    if output_format == "json":
        say_json(details(schema, device_type, versions))
        return
    for line in describe(schema, device_type, versions, terminal_width()):
        say(line)


@command.command("infer", short_help="Derive a schema from recorded slices.")
@_SLICES
@click.option("--driver", help="The driver, if the files hold several or do not name it.")
@click.option(
    "--merge",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add to this schema file.",
)
@click.option(
    "--closed",
    is_flag=True,
    help="If there are only a few values on many devices, write them as all `values`.",
)
@in_time("the schema")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
def infer_command(
    slices: tuple[Path, ...],
    driver: str | None,
    merge: Path | None,
    closed: bool,
    output: Path | None,
) -> None:
    """Derive a schema from recorded SLICES: types, names, how many devices have them, and values."""
    from dradsl.drivers.schema.infer import infer_plain, to_yaml
    from dradsl.drivers.schema.merge import merged_plain
    from dradsl.drivers.schema.read import read_plain

    base = None if merge is None else fixed(lambda: read_plain(merge))
    wanted = driver or (base["driver"] if base is not None else None)
    devices = devices_of(wanted, devices_in(slices, wanted))
    plain = infer_plain(devices[0].driver, devices, closed=closed)
    text = to_yaml(plain if base is None else merged_plain(base, plain))
    if output is None:
        put(text)
    else:
        write_output(output, text)


@command.command("check", short_help="Compare recorded slices with the schemas.")
@_SLICES
@click.option("--driver", help="The driver, if the files do not name it.")
@click.option(
    "--driver-version",
    multiple=True,
    metavar="[DRIVER=]VERSION",
    help="The version that runs. Repeatable.",
)
@in_time("the comparison of slices")
@_SCHEMAS
@_FORMAT
def check_command(
    slices: tuple[Path, ...],
    driver: str | None,
    driver_version: tuple[str, ...],
    schemas: tuple[Path, ...],
    output_format: str,
) -> None:
    """Compare recorded SLICES with the schemas.

    Exit code 1 if a device has something that its schema does not know.
    """
    from dradsl.drivers.schema.conform import conform_all

    devices = devices_in(slices, driver)
    drivers = dict.fromkeys(device.driver for device in devices)
    catalogue = read_catalogue(schemas, pinned_versions(driver_version, list(drivers)))
    results = list(conform_all(devices, catalogue))
    if output_format == "json":
        say_json([result(each) for each in results])
    else:
        for line in report(results, catalogue):
            say(line)
    if any(each.mismatches for each in results):
        raise click.exceptions.Exit(1)


@command.command("diff", short_help="Show what changes between driver versions.")
@click.argument("old")
@click.argument("new")
@click.option(
    "--manifests",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Show which selectors in these files break. Repeatable.",
)
@_SCHEMAS
@in_time("the comparison of schemas")
@_FORMAT
def diff_command(
    old: str,
    new: str,
    manifests: tuple[Path, ...],
    schemas: tuple[Path, ...],
    output_format: str,
) -> None:
    """Show what changes from OLD to NEW.

    OLD and NEW are schema files, DRIVER@VERSION, or DRIVER for its newest release. Exit code 1 if
    something breaks: a name, class or value is gone, or with --manifests a selector breaks.
    """
    from dradsl.drivers.judge.compare import broken_selectors, diff
    from dradsl.drivers.judge.selectors import selectors_in

    catalogue = read_catalogue(schemas)
    before, before_name = schema_or_file(old, catalogue)
    after, after_name = schema_or_file(new, catalogue)
    if before.name != after.name:
        raise click.UsageError(f"two drivers: {before.name} and {after.name}")
    changes = diff(before, after)
    selectors = list(selectors_in(manifest_objects(manifests)))
    broken = list(breaking(broken_selectors(before, after, selectors)))
    if output_format == "json":
        rows = [
            {"kind": c.kind, "deviceType": c.device_type, "name": c.name, "text": c.text,
             "breaks": c.breaks}
            for c in changes
        ]  # fmt: skip
        found = [
            {"object": b.selector.object, "field": b.selector.place, "text": b.selector.text,
             "findings": [{"code": code, "message": text} for code, text in b.findings]}
            for b in broken
        ]  # fmt: skip
        say_json({"changes": rows, "broken": found})
    else:
        say(f"from {before_name} to {after_name}:")
        for line in changed(changes, broken, len(selectors) if manifests else None):
            say(line)
    worse = broken if manifests else [change for change in changes if change.breaks]
    if worse:
        raise click.exceptions.Exit(1)


@command.command("export", short_help="Print a schema file or a JSON Schema.")
@click.argument("driver", required=False, shell_complete=drivers)
@click.option(
    "--json-schema", is_flag=True, help="Print the JSON Schema of schema files, for editors."
)
@click.option(
    "--config", metavar="KIND", help="Print the JSON Schema of a kind of opaque parameters."
)
@_SCHEMAS
def export_command(
    driver: str | None, json_schema: bool, config: str | None, schemas: tuple[Path, ...]
) -> None:
    """Print the schema file of DRIVER, a JSON Schema of its parameters, or that of schema files."""
    from dradsl.data import data_path

    if json_schema:
        path = Path(data_path("schemas", "driver.schema.json"))
        put(path.read_text(encoding="utf-8"))
        return
    if driver is None:
        raise click.UsageError("name a DRIVER, or give --json-schema")
    schema = named_schema(driver, read_catalogue(schemas))
    if config is None:
        path = Path(data_path("schemas", "drivers", f"{driver}.yaml"))
        if not path.is_file():
            raise click.UsageError(f"the schema of {driver} is a file of your own")
        put(path.read_text(encoding="utf-8"))
        return
    kind = next((each for each in schema.configs if each.kind == config), None)
    if kind is None:
        known = ", ".join(each.kind for each in schema.configs) or "none"
        raise click.BadParameter(f"{driver} knows no kind {config!r} (known: {known})")
    say_json(kind.schema)
