"""`dradsl schema`: the driver schemas on a terminal, and work with recorded slices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import DRIVER_SCHEMA, FORMAT
from dradsl.cli.commands import BranchingCommand
from dradsl.cli.completing import drivers
from dradsl.cli.options import file, flag, many, options_decorator, string
from dradsl.cli.say import put, say, say_json
from dradsl.cli.schema_export import export_command
from dradsl.cli.schema_input import (
    devices_in,
    devices_of,
    fixed,
    known_version,
    manifest_objects,
    named_schema,
    names_schema,
    pinned_versions,
    read_catalogue,
    schema_or_file,
    write_output,
)
from dradsl.cli.schema_output import (
    breaking,
    changed,
    changes_as_json,
    details,
    report,
    result,
    summary,
    terminal_width,
)

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue

__all__ = ["command"]

_DRIVER = string("--driver", "NAME", "The driver, if the files hold several or do not name it.")


@click.group("schema", cls=BranchingCommand)
@options_decorator(
    (many("--driver", "NAME", "Only this driver. Repeatable.", name="names"), DRIVER_SCHEMA, FORMAT)
)
def command(names: tuple[str, ...], driver_schema: tuple[str, ...], output_format: str) -> None:
    """List the drivers with a schema. The commands below show one, make one, and compare."""
    from dradsl.drivers.schema.show import overview

    catalogue = read_catalogue(driver_schema)
    found = [named_schema(name, catalogue) for name in names or catalogue.names()]
    if output_format == "json":
        say_json([summary(schema) for schema in found])
        return
    for line in overview(found, terminal_width()):
        say(line)


command.add_command(export_command)
command.meant = {"list": "schema", "diff": "check", "json": "export", "handles": "export"}


@command.command("show", short_help="Show what a driver publishes and replaces.")
@click.argument("driver", metavar="DRIVER[@VERSION][/TYPE]", shell_complete=drivers)
@options_decorator((DRIVER_SCHEMA, FORMAT))
def show_command(driver: str, driver_schema: tuple[str, ...], output_format: str) -> None:
    """Show what DRIVER publishes, its classes and configuration, and what it replaces.

    VERSION is a version of the driver, by default the newest. TYPE is one of its device types.
    """
    from dradsl.drivers.schema.show import describe

    catalogue = read_catalogue(driver_schema)
    name, _, kind = driver.partition("/")
    name, at, version = name.partition("@")
    schema = named_schema(name, catalogue)
    if kind and schema.device_type(kind) is None:
        known = ", ".join(each.name for each in schema.device_types)
        raise click.BadParameter(f"{name} has no type {kind!r} (it has {known})")
    versions: tuple[str, ...] = ()
    if at:
        versions = (known_version(schema, version),)
    elif output_format == "text":
        versions = catalogue.versions(name)
    if output_format == "json":
        say_json(details(schema, kind or None, versions))
        return
    for line in describe(schema, kind or None, versions, terminal_width()):
        say(line)


@command.command("infer", short_help="Derive a schema from recorded slices.")
@click.argument("paths", nargs=-1, required=True, metavar="SLICES...")
@options_decorator(
    (
        _DRIVER,
        file("--output", "Write the schema to FILE. If it holds one, add to it.", short="-o"),
        flag("--force", "Write FILE anew, whatever it holds."),
    )
)
def infer_command(
    paths: tuple[str, ...], driver: str | None, output: Path | None, force: bool
) -> None:
    """Derive a schema from recorded SLICES: types, names, how many devices have them, and values."""
    from dradsl.drivers.schema.infer import infer_plain, to_yaml
    from dradsl.drivers.schema.merge import merged_plain
    from dradsl.drivers.schema.read import plain_of
    from dradsl.text.files import SETTINGS_BYTES, FileError
    from dradsl.tree.files import Tree

    if force and output is None:
        raise click.UsageError("--force overwrites a file: give -o FILE")
    before = None if force else b""
    base = None
    if output is not None and not force and output.exists():
        try:
            before = Tree.around(output.parent).read(output, SETTINGS_BYTES)
        except FileError as error:
            raise click.UsageError(str(error)) from None
        base = fixed(lambda: plain_of(before, str(output))) if before else None
    wanted = driver or (base["driver"] if base is not None else None)
    devices = devices_of(wanted, devices_in(paths, wanted))
    plain = infer_plain(devices[0].driver, devices)
    text = to_yaml(plain if base is None else merged_plain(base, plain))
    if output is None:
        put(text)
    else:
        write_output(output, text, expected=before)


@command.command("check", short_help="Compare recorded slices, or a schema, with a schema.")
@click.argument("given", nargs=-1, required=True, metavar="SLICES... | FILE | DRIVER[@VERSION]")
@options_decorator(
    (
        many(
            "--against",
            "[DRIVER@]VERSION|FILE",
            "Compare with this version of the driver, or this schema. Repeatable for SLICES.",
        ),
        many(
            "--context",
            "PATH",
            "With a schema: show which selectors in these manifests break. Repeatable.",
        ),
        _DRIVER,
        DRIVER_SCHEMA,
        FORMAT,
    )
)
def check_command(given: tuple[str, ...], **options: Any) -> None:
    """Compare recorded SLICES with the schemas; or a schema, in a FILE or of a DRIVER, with another.

    \b
    Exit codes:
      0  nothing is missing
      1  a device has something that its schema does not know; or something breaks: a name,
         class or value is gone, or with --context a selector breaks
      2  wrong command line or input, or --timeout was reached
    """
    against, context, form = options["against"], options["context"], options["output_format"]
    if len(given) == 1 and names_schema(given[0]):
        if len(against) != 1:
            raise click.UsageError("a schema is compared with one other: give --against")
        if options["driver"] is not None:
            raise click.UsageError("--driver is for slices")
        _compare(given[0], against[0], context, read_catalogue(options["driver_schema"]), form)
        return
    if context:
        raise click.UsageError("--context is for the comparison of two schemas")
    from dradsl.drivers.schema.conform import conform_all

    devices = devices_in(given, options["driver"])
    there = dict.fromkeys(device.driver for device in devices)
    files = [each for each in against if names_schema(each, versions=False)]
    versions = pinned_versions([each for each in against if each not in files], list(there))
    catalogue = read_catalogue((*options["driver_schema"], *files), versions)
    results = list(conform_all(devices, catalogue))
    if form == "json":
        say_json([result(each) for each in results])
    else:
        for line in report(results, catalogue):
            say(line)
    if any(each.mismatches for each in results):
        raise click.exceptions.Exit(1)


def _compare(
    new: str, old: str, context: tuple[str, ...], catalogue: Catalogue, output_format: str
) -> None:
    """Show what changes from the schema `old` to `new`; `old` may be a version alone."""
    from dradsl.drivers.judge.compare import broken_selectors, diff
    from dradsl.drivers.judge.selectors import selectors_in

    after, after_name = schema_or_file(new, catalogue)
    before, before_name = schema_or_file(old, catalogue, after.name)
    if before.name != after.name:
        raise click.UsageError(f"two drivers: {before.name} and {after.name}")
    changes = diff(before, after)
    selectors = list(selectors_in(manifest_objects(map(Path, context))))
    broken = list(breaking(broken_selectors(before, after, selectors)))
    if output_format == "json":
        say_json(changes_as_json(changes, broken))
    else:
        say(f"from {before_name} to {after_name}:")
        for line in changed(changes, broken, len(selectors) if context else None):
            say(line)
    if broken if context else any(change.breaks for change in changes):
        raise click.exceptions.Exit(1)
