"""Which schemas of example drivers a run means: `gpu.example.com` is "some driver" in most texts.

The names that RFC 2606 sets aside stand for any driver in proposals and documentation, and the drivers that
publish under them are examples too. Their schemas count where the run shows that these drivers are meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.model import DriverSchema, Presence
from dradsl.lint.view.index import ObjectIndex
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, mapping_at, string_at

__all__ = ["unused_placeholders"]

_SET_ASIDE = ("example.com", "example.net", "example.org", "example", "test", "invalid")
_CHART_KINDS = ("DaemonSet", "Deployment", "ServiceAccount", "DeviceClass", "ResourceSlice")


def unused_placeholders(
    catalogue: Catalogue,
    named: Collection[str],
    index: ObjectIndex,
    recorded: Iterable[Mapping[str, object]] = (),
) -> tuple[str, ...]:
    """The shipped drivers with placeholder names that the run does not mean.

    `named` are drivers that the configuration names (a version, a schema), `recorded` objects of a cluster,
    whose slices say what is published there.
    """
    placeholders = [each for each in catalogue.names() if _is_placeholder(each)]
    found = []
    shown = {_driver_of(each) for each in recorded} if placeholders else set()
    labels = _labels(index)
    for driver in placeholders:
        if driver in named or driver in shown:
            continue
        may_show = _may_show(catalogue, driver, index, labels)
        schema = catalogue.get(driver) if may_show else None
        if schema is None or not _shows(schema, index, labels):
            found.append(driver)
    return tuple(found)


def _is_placeholder(driver: str) -> bool:
    return any(driver == each or driver.endswith(f".{each}") for each in _SET_ASIDE)


def _may_show(catalogue: Catalogue, driver: str, index: ObjectIndex, labels: Iterable[str]) -> bool:
    """Whether it is worth reading the schema: the run has a slice or class of the driver, or its chart."""
    known = catalogue.index()
    return (
        any(_driver_of(each.data) == driver for each in index.kind("ResourceSlice"))
        or any(
            True
            for name, owner in known.classes.items()
            if owner == driver or catalogue.settled(owner)
            for _ in index.named("DeviceClass", name)
        )
        or _has_chart(known.charts.get(driver, ()), labels)
    )


def _shows(schema: DriverSchema, index: ObjectIndex, labels: Iterable[str]) -> bool:
    """Whether the driver's own class or chart, or slices that only it would publish, are in the run."""
    if any(
        _driver_of(m.data) == schema.name and _fits(schema, m) for m in index.kind("ResourceSlice")
    ):
        return True
    for known in schema.classes:
        shipped = [*map(_plain, known.selectors)]
        if any(_written(each.data) == shipped for each in index.named("DeviceClass", known.name)):
            return True
    return _has_chart(schema.charts(), labels)


def _has_chart(charts: Collection[str], labels: Iterable[str]) -> bool:
    begins = tuple(charts)
    return bool(begins) and any(each.startswith(begins) for each in labels)


def _labels(index: ObjectIndex) -> set[str]:
    """The values of labels of the objects that charts of drivers have."""
    every = (manifest.data for kind in _CHART_KINDS for manifest in index.kind(kind))
    return {str(v) for each in every for v in mapping_at(each, "metadata", "labels").values()}


def _driver_of(document: Mapping[str, object]) -> str | None:
    return string_at(document, "spec", "driver")


def _fits(schema: DriverSchema, manifest: Manifest) -> bool:
    """Whether every device of a slice has what those of one of the driver's types always have."""
    from dradsl.drivers.schema.recorded import recorded_devices

    always = [
        {
            entry.qualified
            for entry in kind.attributes.values()
            if entry.presence is Presence.ALWAYS and entry.lifetime.removed_in is None
        }
        for kind in schema.device_types
    ]
    devices = list(recorded_devices(manifest.data))
    return bool(devices) and all(
        any(names and names <= device.attributes.keys() for names in always) for device in devices
    )


def _written(device_class: Mapping[str, object]) -> list[str]:
    selectors = list_at(device_class, "spec", "selectors")
    return [_plain(string_at(each, "cel", "expression") or "") for each in selectors]


def _plain(text: str) -> str:
    """A selector, however it is quoted and spaced."""
    return "".join(text.split()).replace("'", '"')
