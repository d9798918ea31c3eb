"""`dradsl schema`: the driver schemas on a terminal, and work with recorded slices."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from dradsl.cli.schema_handles import handles_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.drivers.catalogue import Catalogue
    from dradsl.drivers.conform import Conformance
    from dradsl.drivers.recorded import RecordedDevice
    from dradsl.drivers.schema import DriverSchema

__all__ = ["command"]

_FORMAT = click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
_SCHEMAS = click.option(
    "--driver-schema",
    "schemas",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A schema of your own, or a folder of them; goes before the shipped one.",
)
_SLICES = click.argument(
    "slices", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)


@click.group("schema")
def command() -> None:
    """Show, infer, compare and check driver schemas."""


command.add_command(handles_command)


@command.command("list")
@_SCHEMAS
@_FORMAT
def list_command(schemas: tuple[Path, ...], output_format: str) -> None:
    """List the drivers with a schema."""
    from dradsl.drivers.show import overview

    catalogue = _catalogue(schemas)
    found = [schema for name in catalogue.names() if (schema := catalogue.get(name)) is not None]
    if output_format == "json":
        click.echo(json.dumps([_summary(schema) for schema in found], indent=2))
        return
    for line in overview(found, _width()):
        click.echo(line)


@command.command("show")
@click.argument("driver")
@click.option("--type", "device_type", help="This device type alone.")
@click.option("--driver-version", help="As this version publishes it (default: the newest).")
@_SCHEMAS
@_FORMAT
def show_command(
    driver: str,
    device_type: str | None,
    driver_version: str | None,
    schemas: tuple[Path, ...],
    output_format: str,
) -> None:
    """Show what DRIVER publishes, the classes and configuration it brings, what it replaces."""
    from dradsl.drivers.show import describe

    catalogue = _catalogue(schemas)
    schema = _schema(driver, catalogue)
    if device_type is not None and schema.device_type(device_type) is None:
        known = ", ".join(kind.name for kind in schema.device_types)
        raise click.BadParameter(f"{driver} has no type {device_type!r} (it has {known})")
    versions: tuple[str, ...] = ()
    if driver_version is not None:
        versions = (_version(schema, driver_version),)
    elif output_format == "text":
        versions = catalogue.versions(driver)
    if output_format == "json":
        click.echo(json.dumps(_details(schema, device_type, versions), indent=2))
        return
    for line in describe(schema, device_type, versions, _width()):
        click.echo(line)


@command.command("infer")
@_SLICES
@click.option("--driver", help="Whose devices, where the files hold several or do not say it.")
@click.option(
    "--merge",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add to this schema file instead of starting anew.",
)
@click.option(
    "--closed", is_flag=True, help="Few values on many devices are all there are: write `values`."
)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write here.")
def infer_command(
    slices: tuple[Path, ...],
    driver: str | None,
    merge: Path | None,
    closed: bool,
    output: Path | None,
) -> None:
    """Derive a schema from recorded SLICES: types, who has a name, which values there are."""
    from dradsl.drivers.infer import infer_plain, merged_plain, to_yaml
    from dradsl.drivers.read import read_plain

    base = None if merge is None else _read(lambda: read_plain(merge))
    wanted = driver or (base["driver"] if base is not None else None)
    devices = _devices(slices, wanted)
    drivers = sorted({device.driver for device in devices})
    if wanted is not None:
        devices = [device for device in devices if device.driver == wanted]
    elif len(drivers) > 1:
        raise click.UsageError(f"devices of several drivers, say --driver: {', '.join(drivers)}")
    if not devices:
        raise click.UsageError("no devices found in these files")
    plain = infer_plain(devices[0].driver, devices, closed=closed)
    text = to_yaml(plain if base is None else merged_plain(base, plain))
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


@command.command("check")
@_SLICES
@click.option("--driver", help="Whose devices, where the files do not say it.")
@click.option(
    "--driver-version", multiple=True, metavar="[DRIVER=]VERSION", help="Versions in use."
)
@_SCHEMAS
@_FORMAT
def check_command(
    slices: tuple[Path, ...],
    driver: str | None,
    driver_version: tuple[str, ...],
    schemas: tuple[Path, ...],
    output_format: str,
) -> None:
    """Compare recorded SLICES with the schemas. Exit 1 if a device has what its schema does not know."""
    from dradsl.drivers.conform import conform_all

    devices = _devices(slices, driver)
    drivers = dict.fromkeys(device.driver for device in devices)
    catalogue = _catalogue(schemas, _versions(driver_version, list(drivers)))
    results = list(conform_all(devices, catalogue))
    if output_format == "json":
        click.echo(json.dumps([_result(each) for each in results], indent=2))
    else:
        for line in _report(results):
            click.echo(line)
    if any(each.mismatches for each in results):
        raise click.exceptions.Exit(1)


@command.command("diff")
@click.argument("old")
@click.argument("new")
@click.option(
    "--manifests",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Say which selectors in these files break.",
)
@_SCHEMAS
@_FORMAT
def diff_command(
    old: str, new: str, manifests: tuple[Path, ...], schemas: tuple[Path, ...], output_format: str
) -> None:
    """Show what changes from OLD to NEW: schema files, or DRIVER@VERSION. Exit 1 if something breaks."""
    from dradsl.diagnostics import Severity
    from dradsl.drivers.diff import broken_selectors, diff
    from dradsl.drivers.selectors import selectors_in

    catalogue = _catalogue(schemas)
    before, after = _named(old, catalogue), _named(new, catalogue)
    if before.name != after.name:
        raise click.UsageError(f"two drivers: {before.name} and {after.name}")
    changes = diff(before, after)
    selectors = list(selectors_in(_manifests(manifests)))
    broken = list(broken_selectors(before, after, selectors, Severity.WARNING))
    if output_format == "json":
        rows = [
            {"kind": c.kind, "deviceType": c.device_type, "name": c.name, "text": c.text,
             "breaks": c.breaks}
            for c in changes
        ]  # fmt: skip
        found = [
            {"object": b.selector.object, "field": b.selector.place, "text": b.selector.text,
             "findings": [{"code": f.code, "message": f.message} for f in b.findings]}
            for b in broken
        ]  # fmt: skip
        click.echo(json.dumps({"changes": rows, "broken": found}, indent=2))
    else:
        for change in changes:
            where = f"type {change.device_type}, " if change.device_type else ""
            sign = "-" if change.breaks else "+"
            click.echo(f"{sign} {where}{change.kind} {change.name} {change.text}")
        for each in broken:
            click.echo(f"breaks {each.selector.object} {each.selector.place}: {each.selector.text}")
            for finding in each.findings:
                click.echo(f"    {finding.code} {finding.message}")
        if not changes:
            click.echo("nothing changes")
    worse = broken if manifests else [change for change in changes if change.breaks]
    if worse:
        raise click.exceptions.Exit(1)


@command.command("export")
@click.argument("driver", required=False)
@click.option("--json-schema", is_flag=True, help="The JSON Schema of schema files, for editors.")
@click.option("--config", metavar="KIND", help="The JSON Schema of a kind of opaque parameters.")
@_SCHEMAS
def export_command(
    driver: str | None, json_schema: bool, config: str | None, schemas: tuple[Path, ...]
) -> None:
    """Print the schema file of DRIVER, a JSON Schema of its parameters, or that of schema files."""
    from dradsl.data import data_path

    if json_schema:
        path = Path(data_path("schemas", "driver.schema.json"))
        click.echo(path.read_text(encoding="utf-8"), nl=False)
        return
    if driver is None:
        raise click.UsageError("name a DRIVER, or give --json-schema")
    schema = _schema(driver, _catalogue(schemas))
    if config is None:
        path = Path(data_path("schemas", "drivers", f"{driver}.yaml"))
        if not path.is_file():
            raise click.UsageError(f"the schema of {driver} is a file of your own")
        click.echo(path.read_text(encoding="utf-8"), nl=False)
        return
    kind = next((each for each in schema.configs if each.kind == config), None)
    if kind is None:
        known = ", ".join(each.kind for each in schema.configs) or "none"
        raise click.BadParameter(f"{driver} knows no kind {config!r} (known: {known})")
    click.echo(json.dumps(kind.schema, indent=2))


# Input ----------------------------------------------------------------------------------------


def _catalogue(
    schemas: Iterable[Path], versions: dict[str, tuple[str, ...]] | None = None
) -> Catalogue:
    from dradsl.drivers.catalogue import Catalogue

    catalogue: Catalogue = _read(lambda: Catalogue(schemas, versions=versions))
    return catalogue


def _read(work: Any) -> Any:
    """The result of `work`; what is wrong with a schema file is the user's to mend."""
    from dradsl.drivers.schema import SchemaError

    try:
        return work()
    except SchemaError as error:
        raise click.UsageError(str(error)) from None


def _schema(driver: str, catalogue: Catalogue) -> DriverSchema:
    schema: DriverSchema | None = _read(lambda: catalogue.get(driver))
    return schema if schema is not None else _unknown(driver, catalogue)


def _unknown(driver: str, catalogue: Catalogue) -> NoReturn:
    from dradsl.drivers.suggest import closest

    index = catalogue.index()
    meant = index.classes.get(driver) or closest(driver, catalogue.names(), index.mistaken)
    hint = f"; did you mean {meant}?" if meant else "; `dradsl schema list` shows all"
    raise click.BadParameter(f"no schema of driver {driver!r}{hint}", param_hint="DRIVER")


def _version(schema: DriverSchema, text: str) -> str:
    found = schema.find_version(text)
    if found is None:
        known = ", ".join(schema.version_order) or "none"
        raise click.UsageError(f"{schema.name} has no version {text!r} (known: {known})")
    return found


def _versions(texts: Iterable[str], drivers: list[str]) -> dict[str, tuple[str, ...]]:
    versions: dict[str, tuple[str, ...]] = {}
    for text in texts:
        driver, equals, version = text.rpartition("=")
        for name in [driver] if equals else drivers:
            versions[name] = (*versions.get(name, ()), version)
    return versions


def _named(text: str, catalogue: Catalogue) -> DriverSchema:
    """A schema from a file, a driver name, or DRIVER@VERSION."""
    from dradsl.drivers.catalogue import read_schema_file
    from dradsl.drivers.diff import at_version

    path = Path(text)
    if path.is_file():
        schema: DriverSchema = _read(lambda: read_schema_file(path, catalogue))
        return schema
    driver, at, version = text.partition("@")
    schema = _schema(driver, catalogue)
    return at_version(schema, _version(schema, version)) if at else schema


def _objects(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """The objects in files and folders of YAML or JSON, packed or not; templates are left out."""
    from dradsl.recordings import RecordingError, find_recordings, read_recording

    for path in paths:
        try:
            for file in find_recordings(path):
                yield from read_recording(file)
        except RecordingError as error:
            raise click.UsageError(str(error)) from None


def _manifests(paths: Iterable[Path]) -> Iterator[object]:
    """The objects in manifests; what cannot be read is named and left out."""
    from dradsl.text.documents import expand_list, load

    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if path.is_dir() and file.suffix not in (".yaml", ".yml", ".json"):
                continue
            stream = load(file.read_bytes())
            if stream.is_template:
                click.echo(f"{file}: a Helm template, skipped", err=True)
                continue
            for problem in stream.all_problems():
                if problem.fatal:
                    click.echo(f"{file}:{problem.span.line}: {problem.message}", err=True)
            for document in stream.documents:
                for _, each in expand_list(document.data):
                    yield each


def _devices(paths: Iterable[Path], driver: str | None) -> list[RecordedDevice]:
    from dradsl.drivers.recorded import recorded_devices

    return [each for item in _objects(paths) for each in recorded_devices(item, driver)]


# Output ---------------------------------------------------------------------------------------


def _width() -> int:
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 160))


def _summary(schema: DriverSchema) -> dict[str, object]:
    return {
        "driver": schema.name,
        "vendor": schema.vendor,
        "summary": schema.summary,
        "completeness": schema.completeness,
        "versions": list(schema.version_order),
        "deviceTypes": [kind.name for kind in schema.device_types],
        "classes": [known.name for known in schema.classes],
    }


def _details(
    schema: DriverSchema, device_type: str | None, versions: tuple[str, ...]
) -> dict[str, object]:
    from dradsl.drivers.diff import at_version

    shown = at_version(schema, versions[0]) if versions else schema
    kinds = [kind for kind in shown.device_types if device_type in (None, kind.name)]
    return {
        **_summary(schema),
        "deviceTypes": [
            {
                "name": kind.name,
                "discriminator": kind.discriminator,
                "attributes": [
                    {
                        "name": each.qualified,
                        "types": [str(kind) for kind in each.types],
                        "presence": str(each.presence),
                        "since": each.lifetime.since,
                        "removedIn": each.lifetime.removed_in,
                        "values": None if each.values is None else list(each.values),
                        "examples": list(each.examples),
                        "meaning": each.meaning,
                    }
                    for each in kind.attributes.values()
                ],
                "capacities": [
                    {
                        "name": each.qualified,
                        "presence": str(each.presence),
                        "unit": each.unit,
                        "since": each.lifetime.since,
                        "removedIn": each.lifetime.removed_in,
                        "values": None if each.values is None else list(each.values),
                        "examples": dict(each.examples or {}),
                    }
                    for each in kind.capacities.values()
                ],
            }
            for kind in kinds
        ],
    }


def _result(each: Conformance) -> dict[str, object]:
    return {
        "driver": each.device.driver,
        "device": each.device.name,
        "type": each.device_type,
        "known": each.schema is not None,
        "mismatches": [
            {"reason": m.reason, "kind": m.kind, "name": m.name, "detail": m.detail}
            for m in each.mismatches
        ],
    }


def _report(results: list[Conformance]) -> Iterator[str]:
    from dradsl.drivers.conform import fitting_versions

    by_driver: dict[str, list[Conformance]] = {}
    for each in results:
        by_driver.setdefault(each.device.driver, []).append(each)
    for driver, group in sorted(by_driver.items()):
        schema = group[0].schema
        if schema is None:
            yield f"{driver}: {len(group)} devices, no schema"
            continue
        counts: dict[str, int] = {}
        for each in group:
            counts[str(each.device_type)] = counts.get(str(each.device_type), 0) + 1
        types = ", ".join(f"{count} {name}" for name, count in counts.items())
        faults: dict[tuple[str, str, str], list[str]] = {}
        for each in group:
            for m in each.mismatches:
                faults.setdefault((m.kind, m.name, m.detail), []).append(each.device.name)
        versions = ", ".join(fitting_versions([each.device for each in group], schema))
        origin = f", as {versions} publishes them" if versions else ""
        yield f"{driver}: {types}{origin}" + ("" if faults else ": as the schema says")
        for (kind, name, detail), devices in faults.items():
            more = f" and {len(devices) - 3} more" if len(devices) > 3 else ""
            yield f"  {kind} {name}: {detail} ({', '.join(devices[:3])}{more})"
