"""The driver schemas at hand: the shipped ones, read when first asked for, and those of the user.

A user's schema goes before the shipped one of the same driver; with `extends: true` it adds to it.
`schemas/drivers/_index.json` says which driver a DeviceClass, an extended resource or a node label
belongs to without reading every file; `python -m maintenance.driver_schemas` renews it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
from types import MappingProxyType

from dradsl.data import data_path
from dradsl.drivers.schema.model import DeviceClassInfo, DriverSchema, SchemaError
from dradsl.drivers.schema.parsed import load_shipped
from dradsl.drivers.schema.read import build_schema, merge_plain, read_plain, validate_plain
from dradsl.records import dataclass
from dradsl.text.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.text.files import StrPath

__all__ = [
    "Catalogue",
    "NameIndex",
    "build_index",
    "read_schema_file",
    "shipped_catalogue",
]


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names that lead to drivers. Resource and label names may hold `<word>` patterns."""

    classes: Mapping[str, str]
    resources: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, tuple[str, ...]]
    mistaken: Mapping[str, str]
    """What people write for a driver's name, and the driver that they mean."""
    charts: Mapping[str, tuple[str, ...]]
    """By driver: the names of its repositories, which its chart has in its labels."""


class Catalogue:
    """Looks up driver schemas by driver name; reads a file once, when it is first asked for."""

    def __init__(
        self,
        user_schemas: Iterable[StrPath | DriverSchema] = (),
        *,
        shipped: bool = True,
        versions: Mapping[str, tuple[str, ...]] | None = None,
        outside: StrPath | None = None,
    ) -> None:
        """A catalogue of the user's schemas and, unless `shipped` is false, the shipped ones.

        Args:
            user_schemas: files or folders of them, or schemas; a later one goes before an earlier.
            versions: driver versions in use, by driver, as `driver-versions` of the configuration
                has them: "v25.8", or several with commas between them.
            outside: the tree that is looked at: schemas of packages that are installed outside of it
                count for drivers and classes that are not known otherwise. None: they do not count.

        Raises:
            SchemaError: if a file cannot be used, or a driver has no such version.
        """
        self._folder = data_path("schemas", "drivers") if shipped else None
        self._schemas: dict[str, DriverSchema | None] = {}
        self._outside = outside
        for each in user_schemas:
            for schema in [each] if isinstance(each, DriverSchema) else self._read(each):
                self._schemas[schema.name] = schema
        self._user = tuple(self._schemas)
        self._hidden: frozenset[str] = frozenset()
        self._versions = {
            driver: self._resolve(driver, names) for driver, names in (versions or {}).items()
        }

    def get(self, driver: str) -> DriverSchema | None:
        """The schema of `driver`, or None if it is not known."""
        if driver not in self._schemas:
            found = self._load(driver)
            if found is None:
                self._take_installed()
            self._schemas.setdefault(driver, found)
        return self._schemas[driver]

    def _take_installed(self) -> None:
        """Take in the schemas of installed packages, once: a driver or class is not known without them."""
        if self._outside is None:
            return
        from dradsl.drivers.schema.installed import installed_schema_files

        outside, self._outside = self._outside, None
        known = {*self.names(), *self._hidden}
        new: dict[str, DriverSchema] = {}
        for file in installed_schema_files(str(outside)):
            # A file that cannot be used is left out: its driver stays unknown.
            with contextlib.suppress(SchemaError, OSError):
                schema = read_schema_file(file)
                if schema.name not in known:
                    new.setdefault(schema.name, schema)
        self._schemas |= new
        self._user = (*self._user, *new)

    def names(self) -> tuple[str, ...]:
        """Every driver with a schema, sorted; reads no file."""
        shipped = _shipped_names(self._folder) if self._folder is not None else ()
        return tuple(sorted({*shipped, *self._user} - self._hidden))

    def index(self) -> NameIndex:
        """Which driver a class, resource or label belongs to."""
        base = _shipped_index(self._folder) if self._folder is not None else build_index(())
        own = [schema for name in self._user if (schema := self._schemas[name]) is not None]
        return _joined(base, build_index(own)) if own else base

    def device_class(self, name: str) -> tuple[DriverSchema, DeviceClassInfo] | None:
        """The DeviceClass called `name`, if a driver brings one, and that driver."""
        if name not in self.index().classes:
            self._take_installed()
        driver = self.index().classes.get(name)
        schema = self.get(driver) if driver is not None else None
        known = schema.device_class(name) if schema is not None else None
        return None if schema is None or known is None else (schema, known)

    def versions(self, driver: str) -> tuple[str, ...]:
        """The versions of `driver` to check against: those in use, else the newest."""
        chosen = self._versions.get(driver)
        if chosen:
            return chosen
        schema = self.get(driver)
        return schema.current_versions() if schema is not None else ()

    def pinned(self, driver: str) -> bool:
        """Whether the user said which versions of `driver` are in use."""
        return driver in self._versions

    def settled(self, driver: str) -> bool:
        """Whether the schema is that of the drivers in use: of a version named, the user's, or recorded."""
        return driver in self._versions or driver in self._user

    def with_schemas(self, schemas: Iterable[DriverSchema], *, settled: bool = True) -> Catalogue:
        """A catalogue in which `schemas` go before this one's (an inventory's, for example)."""
        given = tuple(schemas)
        return self._but(given, self._hidden - {s.name for s in given}, given if settled else ())

    def _but(
        self, schemas: Iterable[DriverSchema], hidden: frozenset[str], users: Iterable[DriverSchema]
    ) -> Catalogue:
        """This catalogue with `schemas` before its own, and without those of `hidden`."""
        other = Catalogue(shipped=False)
        other._folder = self._folder
        other._schemas = {**self._schemas, **{schema.name: schema for schema in schemas}}
        other._schemas.update(dict.fromkeys(hidden))
        other._user = tuple(dict.fromkeys((*self._user, *(s.name for s in users))))
        other._versions = self._versions
        other._outside = self._outside
        other._hidden = hidden
        return other

    def is_hidden(self, driver: str) -> bool:
        """Whether there is a schema of `driver` that this catalogue leaves out."""
        return driver in self._hidden

    def without(self, drivers: Iterable[str]) -> Catalogue:
        """A catalogue that has no schema of `drivers`; their classes are still known by name."""
        return self._but((), self._hidden | frozenset(drivers), ())

    def _resolve(self, driver: str, names: tuple[str, ...]) -> tuple[str, ...]:
        schema = self.get(driver)
        if schema is None:
            raise SchemaError(f"driver-versions: no schema for driver {driver!r}")
        found = []
        for name in (part for text in names for part in text.split(",")):
            version = schema.find_version(name)
            if version is None:
                known = ", ".join(schema.version_order) or "none"
                raise SchemaError(
                    f"driver-versions: {driver} has no version {name!r} (known: {known})"
                )
            found.append(version)
        return tuple(found)

    def _load(self, driver: str) -> DriverSchema | None:
        if self._folder is None or driver not in _shipped_names(self._folder):
            return None
        return _shipped_schema(self._folder, driver)

    def _read(self, path: StrPath) -> list[DriverSchema]:
        if not os.path.isdir(path):
            return [read_schema_file(path, self)]
        files = sorted(_schema_files(path))
        return [read_schema_file(os.path.join(path, file), self) for file in files]


def shipped_catalogue() -> Catalogue:
    """The catalogue of the shipped schemas alone."""
    return Catalogue()


def read_schema_file(path: StrPath, base: Catalogue | None = None) -> DriverSchema:
    """The schema in the file at `path`; with `extends: true` it adds to the shipped one.

    Raises:
        SchemaError: if the file cannot be used.
    """
    plain = read_plain(path)
    extends = plain.get("extends") is True
    if extends and base is not None:
        shipped = data_path("schemas", "drivers", f"{plain['driver']}.yaml")
        if not os.path.isfile(shipped):
            raise SchemaError(f"{path}: extends: no schema for {plain['driver']} is shipped")
        plain = merge_plain(read_plain(shipped), plain)
    validate_plain(plain, str(path))
    return build_schema(plain, str(path))


def build_index(schemas: Iterable[DriverSchema]) -> NameIndex:
    """The index of `schemas`."""
    classes: dict[str, str] = {}
    resources: dict[str, tuple[str, ...]] = {}
    labels: dict[str, tuple[str, ...]] = {}
    mistaken: dict[str, str] = {}
    charts: dict[str, tuple[str, ...]] = {}
    for schema in schemas:
        charts[schema.name] = schema.charts()
        for known in schema.classes:
            classes.setdefault(known.name, schema.name)
        for resource in schema.device_plugin.resources:
            resources[resource.name] = (*resources.get(resource.name, ()), schema.name)
        for label in schema.device_plugin.node_labels:
            labels[label.label] = (*labels.get(label.label, ()), schema.name)
        mistaken.update(schema.mistaken.drivers)
    return NameIndex(classes, resources, labels, mistaken, charts)


def _joined(base: NameIndex, own: NameIndex) -> NameIndex:
    return NameIndex(
        {**base.classes, **own.classes},
        {**base.resources, **own.resources},
        {**base.labels, **own.labels},
        {**base.mistaken, **own.mistaken},
        {**base.charts, **own.charts},
    )


def _schema_files(folder: StrPath) -> list[str]:
    names = os.listdir(folder)
    return [name for name in names if name.endswith(".yaml") and not name.startswith("_")]


@functools.cache
def _shipped_names(folder: str) -> frozenset[str]:
    return frozenset(name.removesuffix(".yaml") for name in _schema_files(folder))


@functools.lru_cache(maxsize=64)
def _shipped_schema(folder: str, driver: str) -> DriverSchema:
    path = os.path.join(folder, f"{driver}.yaml")
    return build_schema(load_shipped(path), path)


@functools.cache
def _shipped_index(folder: str) -> NameIndex:
    plain = json.loads(read_bytes(os.path.join(folder, "_index.json")))
    return NameIndex(
        MappingProxyType(plain["classes"]),
        MappingProxyType({name: tuple(each) for name, each in plain["resources"].items()}),
        MappingProxyType({name: tuple(each) for name, each in plain["labels"].items()}),
        MappingProxyType(plain["mistaken"]),
        MappingProxyType({name: tuple(each) for name, each in plain["charts"].items()}),
    )
