"""DeviceClasses and extended resources that drivers are known to install, for clusters that lack them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dradsl.allocator.engine.plan import ClassRecord

__all__ = ["known_class", "known_resource", "replaced_by"]


def known_class(name: str) -> ClassRecord | None:
    """The class of this name as its driver installs it."""
    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    found = shipped_catalogue().device_class(name)
    return None if found is None else ClassRecord(name, tuple(found[1].selectors))


def replaced_by(resource: str) -> frozenset[str]:
    """The drivers that take the place of the device plugin of an extended resource."""
    from dradsl.drivers.schema.catalogue import shipped_catalogue
    from dradsl.drivers.schema.device_plugin import find_resources

    found = find_resources(resource, shipped_catalogue())
    return frozenset(match.driver.name for match in found)


def known_resource(driver: str, resource: str) -> ClassRecord | None:
    """The class that is behind an extended resource of a driver."""
    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(driver)
    for known in schema.classes if schema is not None else ():
        if known.extended_resource_name == resource:
            return ClassRecord(known.name, tuple(known.selectors))
    return None
