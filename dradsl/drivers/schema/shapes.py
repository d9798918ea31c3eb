"""The kinds of device that a selector may meet, and what is known of a name on each of them.

A shape is one device type of one driver (of one version, where several are in use), or the device
of a driver that is not known. Selectors are judged on every shape apart.
"""

from __future__ import annotations

import enum

from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema, Presence
from dradsl.records import cached, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, TypeAlias

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DeviceTypeSchema, DriverSchema, Lifetime

__all__ = ["KindOfName", "Name", "Shape", "Standing", "shapes_of"]

KindOfName: TypeAlias = "Literal['attributes', 'capacity']"

Name = tuple[KindOfName, str, str]
"""Whether it is an attribute or a capacity, its domain, its name."""


class Standing(enum.Enum):
    """Whether devices of a shape have a name."""

    ALWAYS = enum.auto()
    USUALLY = enum.auto()
    """Missing only on odd machines: possible, but no reason to guard every selector."""
    SOMETIMES = enum.auto()
    NEVER = enum.auto()
    UNKNOWN = enum.auto()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shape:
    """A device type of a driver; without one, a device about which nothing is known.

    `versions` are the driver versions that it stands for: what any of them publishes, it has.
    `own_domains` are the domains that belong to known drivers, for the unknown device: it may publish
    names there, but it need not, even where the author of a selector reads one. `none_such` are names
    of drivers that it cannot be of, since no driver has that name.
    """

    driver: DriverSchema | None
    device_type: DeviceTypeSchema | None
    versions: tuple[str, ...] = ()
    own_domains: frozenset[str] = frozenset()
    none_such: frozenset[str] = frozenset()

    @cached
    def _entries(self) -> dict[Name, AttributeSchema | CapacitySchema | None]:
        """What `entry_of_any_version` has found so far."""
        return {}

    @cached
    def _known(self) -> dict[Name, tuple[AttributeSchema | CapacitySchema | None, Standing]]:
        """What `_judged` has found so far."""
        return {}

    def __repr__(self) -> str:
        driver = self.driver.name if self.driver is not None else "any"
        return f"Shape({driver}: {self.label}, {', '.join(self.versions)})"

    @property
    def label(self) -> str:
        """What to call it in a message."""
        if self.driver is None or self.device_type is None:
            return "another driver's device"
        return self.device_type.name

    def entry(self, name: Name) -> AttributeSchema | CapacitySchema | None:
        """What the schema says about a name that these versions publish, or None."""
        return self._judged(name)[0]

    def standing(self, name: Name) -> Standing:
        """Whether devices of this shape have the name."""
        return self._judged(name)[1]

    def _judged(self, name: Name) -> tuple[AttributeSchema | CapacitySchema | None, Standing]:
        """Entry and standing; asked for in every run of an expression, so worked out once."""
        known = self._known.get(name)
        if known is None:
            entry = self.entry_of_any_version(name)
            entry = entry if entry is not None and self.exists(entry.lifetime) else None
            known = self._known[name] = (entry, self._standing(name, entry))
        return known

    def _standing(self, name: Name, entry: AttributeSchema | CapacitySchema | None) -> Standing:
        if "/" in name[1]:
            return Standing.NEVER  # the first key is a domain, and no domain has a slash
        if self.driver is None:
            return Standing.SOMETIMES if name[1] in self.own_domains else Standing.UNKNOWN
        if entry is None:
            return Standing.UNKNOWN if self.driver.is_open(name[1]) else Standing.NEVER
        if entry.presence is Presence.SOMETIMES and not self._always_back_then(entry):
            return Standing.SOMETIMES
        if entry.presence is Presence.USUAL and not self._always_back_then(entry):
            return Standing.USUALLY
        return Standing.ALWAYS

    def entry_of_any_version(self, name: Name) -> AttributeSchema | CapacitySchema | None:
        """What the schema says about a name, be it gone or not yet there."""
        if name not in self._entries:
            self._entries[name] = self._look_up(name)
        return self._entries[name]

    def _look_up(self, name: Name) -> AttributeSchema | CapacitySchema | None:
        kind, domain, key = name
        if self.device_type is None:
            return None
        if kind == "attributes":
            return self.device_type.attribute(domain, key)
        return self.device_type.capacity(domain, key)

    def exists(self, lifetime: Lifetime) -> bool:
        """Whether any of the shape's versions publishes a name with that lifetime."""
        if self.driver is None or not self.versions:
            return True
        return any(self.driver.exists(lifetime, version) for version in self.versions)

    def has_domain(self, kind: KindOfName, domain: str) -> Standing:
        """Whether devices of this shape have any name of that kind in the domain."""
        if self.driver is None or self.device_type is None:
            return Standing.SOMETIMES if domain in self.own_domains else Standing.UNKNOWN
        entries: Iterable[AttributeSchema | CapacitySchema] = (
            self.device_type.attributes.values()
            if kind == "attributes"
            else self.device_type.capacities.values()
        )
        standings = {
            self.standing((kind, domain, each.name)) for each in entries if each.domain == domain
        }
        if Standing.ALWAYS in standings:
            return Standing.ALWAYS
        if standings & {Standing.SOMETIMES, Standing.USUALLY}:
            return Standing.SOMETIMES
        return Standing.UNKNOWN if self.driver.is_open(domain) else Standing.NEVER

    def _always_back_then(self, entry: AttributeSchema | CapacitySchema) -> bool:
        if self.driver is None or entry.always_before is None or not self.versions:
            return False
        return all(self.driver.precedes(each, entry.always_before) for each in self.versions)


def shapes_of(schema: DriverSchema, catalogue: Catalogue) -> tuple[Shape, ...]:
    """The shapes of a driver: its device types, each version apart if the user pinned several."""
    versions = catalogue.versions(schema.name)
    sets = [(each,) for each in versions] if catalogue.pinned(schema.name) else [versions]
    shapes = (Shape(schema, kind, chosen) for chosen in sets for kind in schema.device_types)
    return tuple(
        shape
        for shape in shapes
        if shape.device_type is not None and shape.exists(shape.device_type.lifetime)
    )
