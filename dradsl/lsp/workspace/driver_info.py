"""What a release and the driver schemas know, for one configuration: environments, drivers, and their words."""

from __future__ import annotations

from dradsl.cel.dra import device_environment
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.model import AttributeSchema, AttributeType
from dradsl.lint.engine.run import releases_of
from dradsl.values.plain import find_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.cel.checker.environment import Environment
    from dradsl.cel.checker.functions import Overload
    from dradsl.drivers.schema.model import CapacitySchema, DeviceTypeSchema, DriverSchema
    from dradsl.lint.settings.config import LintConfig
    from dradsl.releases import Features

__all__ = ["DriverInfo", "signature", "type_of"]

_CEL_TYPES = {
    AttributeType.STRING: "string",
    AttributeType.INT: "int",
    AttributeType.BOOL: "bool",
    AttributeType.VERSION: "kubernetes.Semver",
}


class DriverInfo:
    """The newest release that a configuration names, and the drivers that it knows.

    `inventory` are recorded objects: attributes that only they show are known, too.
    """

    def __init__(self, config: LintConfig, inventory: Sequence[Mapping[str, object]] = ()) -> None:
        releases = releases_of(config)
        self.oldest, self.release = releases[0], releases[-1]
        self.features: Features = self.release.features(config.feature_gates)
        versions = {driver: (version,) for driver, version in config.driver_versions.items()}
        self.drivers = Catalogue(config.driver_schema, versions=versions, outside=config.outside)
        self.slices = [each for each in inventory if each.get("kind") == "ResourceSlice"]
        recorded = {str(find_at(each, ("spec", "driver"))) for each in self.slices}
        self.named = recorded | config.driver_versions.keys()  # drivers
        self._shown: Catalogue | None = None
        if inventory:
            self._take(inventory, config)
        self.environment: Environment = device_environment(self.release, self.features)

    def _take(self, inventory: Sequence[Mapping[str, object]], config: LintConfig) -> None:
        """Take over what recorded slices show and no schema says; lint may have worked it out already."""
        from dradsl.drivers.schema.recorded import recorded_devices
        from dradsl.drivers.schema.sharpen import sharpened
        from dradsl.lint.view.recorded import RecordedObjects

        if isinstance(inventory, RecordedObjects) and not (config.driver_schema or config.isolated):
            self._shown = inventory.sharpened_for(config.driver_versions)
        if self._shown is None:
            self._shown = sharpened(self.drivers, recorded_devices(self.slices))
        known = set(self.drivers.names())
        new = [self._shown.get(name) for name in self._shown.names() if name not in known]
        self.drivers = self.drivers.with_schemas([each for each in new if each is not None])

    def entries(
        self, kind: str, domain: str, near: str | None = None
    ) -> dict[str, list[tuple[DriverSchema, DeviceTypeSchema, AttributeSchema | CapacitySchema]]]:
        """The "attributes" or the "capacity" in a domain, by name, with the device types that have it."""
        found: dict[
            str, list[tuple[DriverSchema, DeviceTypeSchema, AttributeSchema | CapacitySchema]]
        ] = {}
        schemas = list(self._schemas(domain, near))
        for schema in schemas:
            for device, entry in _entries(schema, kind):
                if entry.domain == domain:
                    found.setdefault(entry.name, []).append((schema, device, entry))
        written = set(found)
        for schema in schemas:
            shown = None if self._shown is None else self._shown.get(schema.name)
            for device, entry in _entries(shown, kind) if shown is not None else ():
                if entry.domain == domain and entry.name not in written:
                    found.setdefault(entry.name, []).append((schema, device, entry))
        return found

    def domains(self, kind: str, near: str | None = None) -> dict[str, DriverSchema]:
        """The domains of attributes or capacities, those of the driver at hand first."""
        found: dict[str, DriverSchema] = {}
        names = self.drivers.names()
        for name in dict.fromkeys((near, *names) if near else names):
            schema = self.drivers.get(name)
            if schema is None:
                continue
            pairs = schema.attributes() if kind == "attributes" else schema.capacities()
            for domain in (schema.name, *(entry.domain for _, entry in pairs)):
                found.setdefault(domain, schema)
        return found

    def _schemas(self, domain: str, near: str | None) -> Iterator[DriverSchema]:
        """The driver of the domain; for a domain of several, the one at hand, else all."""
        names = (near,) if near else ()
        own = self.drivers.get(domain)
        if own is not None:
            yield own
            return
        for name in names or self.drivers.names():
            schema = self.drivers.get(name)
            if schema is not None and domain in schema.domains():
                yield schema

    def driver_of_class(self, name: object) -> str | None:
        """The driver of a class that a driver brings along."""
        known = self.drivers.device_class(name) if isinstance(name, str) else None
        return None if known is None else known[0].name

    def overloads(self, name: str) -> tuple[Overload, ...]:
        """The signatures of a function."""
        function = self.environment.functions.find(name)
        return () if function is None else function.overloads

    def methods(self, type_: str | None) -> Mapping[str, str]:
        """The methods of a value of a type (None: of any), with a signature each."""
        found: dict[str, str] = {}
        for name in self.environment.functions.names:
            if not name[:1].isalpha():
                continue
            for overload in self.overloads(name):
                if overload.member and (type_ is None or str(overload.args[0]) == type_):
                    found.setdefault(name, signature(name, overload))
        return found

    def globals(self) -> Mapping[str, str]:
        """The functions that stand alone, with a signature each."""
        found: dict[str, str] = {}
        for name in self.environment.functions.names:
            if name[:1].isalpha():
                for overload in self.overloads(name):
                    if not overload.member:
                        found.setdefault(name, signature(name, overload))
        return found


def _entries(
    schema: DriverSchema, kind: str
) -> Iterator[tuple[DeviceTypeSchema, AttributeSchema | CapacitySchema]]:
    yield from schema.attributes() if kind == "attributes" else schema.capacities()


def signature(name: str, overload: Overload) -> str:
    """A function as it is called, with types."""
    args = [str(each) for each in overload.args]
    if overload.member:
        return f"{args[0]}.{name}({', '.join(args[1:])}) -> {overload.result}"
    return f"{name}({', '.join(args)}) -> {overload.result}"


def type_of(entry: AttributeSchema | CapacitySchema) -> str | None:
    """The CEL type of an attribute or a capacity; None for lists."""
    if isinstance(entry, AttributeSchema):
        return _CEL_TYPES.get(entry.type)
    return "kubernetes.Quantity"
