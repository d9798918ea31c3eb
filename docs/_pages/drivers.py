"""The index of drivers, and a page for each, made of their schemas under `schemas/drivers/`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs._pages.cells import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.schema.model import (
        AttributeSchema,
        CapacitySchema,
        DeviceTypeSchema,
        DriverSchema,
    )

__all__ = ["driver_index", "driver_page"]


def driver_index(schemas: list[DriverSchema]) -> Iterator[str]:
    yield "# Drivers\n"
    yield "What dradsl knows about each DRA driver: the data behind rules 2xx and 8xx, behind the"
    yield "Python handles and behind the migration. `dradsl schema` shows it on a terminal.\n"
    yield "| Driver | Vendor | Devices | Known from |"
    yield "| --- | --- | --- | --- |"
    for schema in schemas:
        link = f"[{schema.name}]({schema.name}.md)"
        yield f"| {link} | {schema.vendor} | {cell(schema.summary)} | {schema.completeness} |"


def driver_page(schema: DriverSchema) -> Iterator[str]:
    yield f"# {schema.name}\n"
    yield f"{schema.vendor}: {schema.summary}.\n"
    if schema.note:
        yield f"{schema.note}\n"
    if schema.versions:
        yield f"Versions known: {', '.join(schema.version_order)}.\n"
    for kind in schema.device_types:
        yield from _device_type(kind)
    if schema.classes:
        yield "## Device classes that it installs\n"
        for known in schema.classes:
            selectors = ", ".join(f"`{selector}`" for selector in known.selectors)
            yield f"- `{known.name}`" + (f": {selectors}" if selectors else "")
        yield ""
    if schema.configs:
        yield "## Configuration that it takes\n"
        for config in schema.configs:
            version = f" ({config.api_version})" if config.api_version else ""
            yield f"- `{config.kind}`{version}" + (f": {config.note}" if config.note else "")
        yield ""
    if schema.device_types:
        yield "## Handles in Python\n"
        yield f"{_handles(schema.name)}\n"
    if schema.uncertain:
        yield "## Not certain\n"
        yield from (f"- {text}" for text in schema.uncertain)
        yield ""
    yield "## Sources\n"
    for source in schema.sources:
        what = source.repository or source.document or source.note or ""
        yield f"- {what}" + (f" at `{source.commit}`" if source.commit else "")


def _handles(driver: str) -> str:
    """Where they are: few drivers have a module, the command writes that of any."""
    from dradsl.dsl.data.modules import module_of

    module = module_of(driver)
    if module is not None:
        return f"`dradsl.devices.{module}` has them."
    return f"`dradsl schema export {driver} --as python -o FILE.py` writes them."


def _device_type(kind: DeviceTypeSchema) -> Iterator[str]:
    yield f"## Device type {kind.name}\n"
    if kind.summary:
        yield f"{kind.summary[0].upper()}{kind.summary[1:]}.\n"
    if kind.discriminator:
        yield f"Told from the others by `{kind.discriminator}`.\n"
    if kind.attributes:
        yield "| Attribute | Type | Presence | Meaning |"
        yield "| --- | --- | --- | --- |"
        for attribute in kind.attributes.values():
            types = " or ".join(str(type_) for type_ in attribute.types)
            yield (
                f"| `{cell(attribute.qualified)}` | {types} "
                f"| {_presence(attribute)} | {_meaning(attribute)} |"
            )
        yield ""
    if kind.capacities:
        yield "| Capacity | Unit | Presence | Meaning |"
        yield "| --- | --- | --- | --- |"
        for capacity in kind.capacities.values():
            yield (
                f"| `{cell(capacity.qualified)}` | {capacity.unit or ''} "
                f"| {_presence(capacity)} | {_meaning(capacity)} |"
            )
        yield ""


def _presence(entry: AttributeSchema | CapacitySchema) -> str:
    parts = [str(entry.presence)]
    if entry.lifetime.since:
        parts.append(f"since {entry.lifetime.since}")
    if entry.lifetime.removed_in:
        parts.append(f"removed in {entry.lifetime.removed_in}")
    if entry.gate:
        parts.append(f"with {entry.gate}")
    return ", ".join(parts)


def _meaning(entry: AttributeSchema | CapacitySchema) -> str:
    parts = [entry.meaning, entry.note]
    values = getattr(entry, "values", None)
    if values:
        parts.append("one of " + ", ".join(f"`{value}`" for value in values))
    return cell("; ".join(part for part in parts if part))
