"""Files of `dradsl schema`: schemas by name, file or version, slices, manifests, output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from dradsl.cli.say import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.drivers.schema.recorded import RecordedDevice


__all__ = [
    "devices_in",
    "devices_of",
    "known_version",
    "manifest_objects",
    "fixed",
    "named_schema",
    "names_schema",
    "pinned_versions",
    "read_catalogue",
    "schema_or_file",
    "write_output",
]


_SUFFIXES = (".yaml", ".yml", ".json")


def read_catalogue(
    schemas: Iterable[str], versions: dict[str, tuple[str, ...]] | None = None
) -> Catalogue:
    """The shipped schemas with those of the user; `versions` are the driver versions in use."""
    from dradsl.drivers.schema.catalogue import Catalogue

    catalogue: Catalogue = fixed(
        lambda: Catalogue(map(Path, schemas), versions=versions, outside=".")
    )
    return catalogue


def fixed(work: Any) -> Any:
    """The result of `work`; what is wrong with a schema file is the user's to fix."""
    from dradsl.drivers.schema.model import SchemaError

    try:
        return work()
    except SchemaError as error:
        raise click.UsageError(str(error)) from None


def named_schema(driver: str, catalogue: Catalogue) -> DriverSchema:
    """The schema of a driver; if there is none, the error says which one was meant."""
    schema: DriverSchema | None = fixed(lambda: catalogue.get(driver))
    return schema if schema is not None else _unknown(driver, catalogue)


def _unknown(driver: str, catalogue: Catalogue) -> NoReturn:
    from dradsl.drivers.schema.suggest import closest

    index = catalogue.index()
    parts = [name for name in catalogue.names() if driver.lower() in name.split(".")]
    near = index.classes.get(driver) or closest(driver, catalogue.names(), index.mistaken)
    meant = " or ".join(parts[:4]) or near
    hint = f"; did you mean {meant}?" if meant else "; `dradsl schema` lists all"
    raise click.BadParameter(f"no schema of driver {driver!r}{hint}", param_hint="DRIVER")


def known_version(schema: DriverSchema, text: str) -> str:
    """The version of a driver as its schema calls it."""
    found = schema.find_version(text)
    if found is None:
        known = ", ".join(schema.version_order) or "none"
        raise click.UsageError(f"{schema.name} has no version {text!r} (known: {known})")
    return found


def pinned_versions(texts: Iterable[str], drivers: list[str]) -> dict[str, tuple[str, ...]]:
    """[DRIVER@]VERSION options by driver; one without a driver holds for all of `drivers`."""
    versions: dict[str, tuple[str, ...]] = {}
    for text in texts:
        driver, at, version = text.rpartition("@")
        for name in [driver] if at else drivers:
            versions[name] = (*versions.get(name, ()), version)
    return versions


_SCHEMA_FILE = re.compile(rb"""(?m)^(\{\s*)?["']?driver["']?\s*:""")


def names_schema(text: str, *, versions: bool = True) -> bool:
    """Whether an argument is a schema: a file that holds one, or with `versions` no path at all."""
    from dradsl.text.files import SETTINGS_BYTES, FileError, read_bytes

    path = Path(text)
    if not path.exists():
        return versions or path.suffix in _SUFFIXES
    try:
        return path.is_file() and _SCHEMA_FILE.search(read_bytes(path, SETTINGS_BYTES)) is not None
    except FileError:
        return False


def schema_or_file(
    text: str, catalogue: Catalogue, of_driver: str = ""
) -> tuple[DriverSchema, str]:
    """A schema from a file, DRIVER@VERSION, DRIVER (its newest release) or a VERSION of one, and what to call it."""
    from dradsl.drivers.judge.compare import at_version
    from dradsl.drivers.schema.catalogue import read_schema_file

    path = Path(text)
    if path.is_file():
        schema: DriverSchema = fixed(lambda: read_schema_file(path, catalogue))
        return schema, text
    if path.suffix in _SUFFIXES:
        raise click.UsageError(f"no such file: {text}")
    if of_driver and "@" not in text and named_schema(of_driver, catalogue).find_version(text):
        text = f"{of_driver}@{text}"
    driver, at, version = text.partition("@")
    schema = named_schema(driver, catalogue)
    if at:
        version = known_version(schema, version)
    elif schema.version_order:
        version = schema.current_versions()[0]
    else:
        return schema, driver
    return at_version(schema, version), f"{driver}@{version}"


def _objects(paths: Iterable[str]) -> Iterator[dict[str, object]]:
    """The objects in files and folders of YAML or JSON, packed or not; templates are left out."""
    from dradsl.recordings import RecordingError, find_recordings, read_recording

    for path in paths:
        try:
            for file in find_recordings(Path(path)):
                yield from read_recording(file)
        except RecordingError as error:
            raise click.UsageError(str(error)) from None


def manifest_objects(paths: Iterable[Path]) -> Iterator[object]:
    """The objects in manifests; what cannot be read is named and left out."""
    from dradsl.text.documents import expand_list, load
    from dradsl.text.files import FileError, read_bytes
    from dradsl.tree.files import Tree

    for path in paths:
        tree = Tree.of(path) if path.is_dir() else None
        files = [path] if tree is None else sorted(map(Path, tree.files(path)))
        for file in files:
            if tree is not None and file.suffix not in (".yaml", ".yml", ".json"):
                continue
            if tree is not None and tree.real(file) is None:
                say(f"skipped {file}: a link out of the tree", err=True)
                continue
            try:
                stream = load(read_bytes(file))
            except FileError as error:
                say(f"{error}: skipped", err=True)
                continue
            if stream.is_template:
                say(f"{file}: a Helm template, skipped", err=True)
                continue
            for problem in stream.all_problems():
                if problem.fatal:
                    say(f"{file}:{problem.span.line}: {problem.message}", err=True)
            for document in stream.documents:
                for _, each in expand_list(document.data):
                    yield each


def devices_in(paths: Iterable[str], driver: str | None) -> list[RecordedDevice]:
    """The devices in recorded slices; `driver` is whose they are where no file says it.

    Raises:
        click.UsageError: if there are none, or their driver is not given.
    """
    from dradsl.drivers.schema.recorded import recorded_devices

    objects = list(_objects(paths))
    found = list(recorded_devices(objects, ""))
    named = [device for device in found if device.driver]
    nameless = len(found) - len(named)
    if nameless and driver is not None and all(device.driver == driver for device in named):
        return list(recorded_devices(objects, driver))
    if not found:
        raise click.UsageError(
            "no devices found in these files: give ResourceSlices, such as the output of"
            " `kubectl get resourceslices -o yaml`"
        )
    if not named:
        raise click.UsageError("these files do not name the driver of their devices: give --driver")
    if nameless:
        say(f"left out: {nameless} devices in files that do not name the driver", err=True)
    return named


def devices_of(driver: str | None, devices: list[RecordedDevice]) -> list[RecordedDevice]:
    """Those of one driver.

    Raises:
        click.UsageError: if there are none, or several drivers have some and none is named.
    """
    from dradsl.drivers.schema.suggest import closest

    there = sorted({device.driver for device in devices})
    if driver is None:
        if len(there) > 1:
            raise click.UsageError(
                f"devices of several drivers; choose one with --driver: {', '.join(there)}"
            )
        return devices
    found = [device for device in devices if device.driver == driver]
    if not found:
        meant = closest(driver, there)
        hint = f"; did you mean {meant}?" if meant else f" (they hold some of {', '.join(there)})"
        raise click.UsageError(f"no devices of {driver} in these files{hint}")
    return found


def write_output(path: Path, text: str, *, expected: bytes | None = None) -> None:
    """Write a file as a whole; `expected` is as for `write_bytes`.

    Raises:
        click.UsageError: if it cannot be written.
    """
    from dradsl.text.files import FileError
    from dradsl.tree.replacing import write_bytes

    try:
        write_bytes(path, text.encode(), expected=expected)
    except FileError as error:
        raise click.UsageError(str(error)) from None
