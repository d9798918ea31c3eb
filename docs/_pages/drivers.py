"""The index of drivers, and a page for each, made of their schemas under `schemas/drivers/`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from docs._pages.cells import cell, code_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.schema.model import (
        AttributeSchema,
        CapacitySchema,
        DeviceTypeSchema,
        DriverSchema,
    )

__all__ = ["driver_index", "driver_page", "in_a_selector"]

FILTER = '<div class="table-filter" data-rows="{}"></div>\n'


def driver_index(schemas: list[DriverSchema]) -> Iterator[str]:
    yield "# Drivers\n"
    yield "What each DRA driver publishes, as far as dradsl knows it: names, types and values, with the CEL to copy."
    yield "The rules 2xx and 8xx, the handles in Python and the migration use the same data, and `dradsl schema show DRIVER`"
    yield "prints it. Your driver is missing? [Describe it](../tutorials/write-a-driver-schema.md).\n"
    yield FILTER.format("drivers")
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
    if any(kind.attributes or kind.capacities for kind in schema.device_types):
        yield "A selector starts with the driver, because one error in CEL stops the whole pod"
        yield "([why](../explanation/dra.md)):\n"
        yield f'```cel\ndevice.driver == "{schema.name}"\n```\n'
        yield FILTER.format("names")
    for kind in schema.device_types:
        yield from _device_type(schema, kind)
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
        yield "## Known uncertainties\n"
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


def _device_type(schema: DriverSchema, kind: DeviceTypeSchema) -> Iterator[str]:
    yield f"## Device type {kind.name}\n"
    if kind.summary:
        yield f"{kind.summary[0].upper()}{kind.summary[1:]}.\n"
    if kind.discriminator:
        yield f"Select this type with:\n\n```cel\n{kind.discriminator}\n```\n"
    if kind.attributes:
        yield "| Attribute | In a selector | Type | Presence | Meaning |"
        yield "| --- | --- | --- | --- | --- |"
        for attribute in kind.attributes.values():
            types = " or ".join(str(type_) for type_ in attribute.types)
            yield (
                f"| {code_cell(attribute.qualified)} | {_copied(in_a_selector(schema, attribute))} | {types} "
                f"| {_presence(attribute)} | {_meaning(attribute)} |"
            )
        yield ""
    if kind.capacities:
        yield "| Capacity | In a selector | Unit | Presence | Meaning |"
        yield "| --- | --- | --- | --- | --- |"
        for capacity in kind.capacities.values():
            yield (
                f"| {code_cell(capacity.qualified)} | {_copied(in_a_selector(schema, capacity))} | {capacity.unit or ''} "
                f"| {_presence(capacity)} | {_meaning(capacity)} |"
            )
        yield ""


def _copied(expression: str | None) -> str:
    """A cell that `assets/site.js` gives a button to copy it."""
    return f"{code_cell(expression)}{{ .copied }}" if expression else ""


def in_a_selector(schema: DriverSchema, entry: AttributeSchema | CapacitySchema) -> str | None:
    """CEL that selects by a name, with a guard if a device of the driver may lack it.

    None for a name that newer versions do not publish, or with a number to fill in.
    """
    from dradsl.drivers.schema.model import AttributeSchema

    if "<" in entry.name or entry.lifetime.removed_in is not None:
        return None
    attribute = isinstance(entry, AttributeSchema)
    kind = "attributes" if attribute else "capacity"
    access = f'device.{kind}["{entry.domain}"].{entry.name}'
    compared = _compared(entry, access)
    if compared is None:
        return None
    everywhere = all(
        _always((each.attributes if attribute else each.capacities).get(entry.qualified))
        for each in schema.device_types
    )
    return compared if everywhere else f"has({access}) && {compared}"


def _always(entry: AttributeSchema | CapacitySchema | None) -> bool:
    """Say if devices of all versions have this name, whatever is switched on."""
    from dradsl.drivers.schema.model import Presence

    return (
        entry is not None
        and entry.presence is Presence.ALWAYS
        and entry.gate is None
        and entry.lifetime.since is None
    )


def _compared(entry: AttributeSchema | CapacitySchema, access: str) -> str | None:
    from dradsl.drivers.schema.model import AttributeSchema

    if not isinstance(entry, AttributeSchema):
        amounts = [*(entry.values or ()), *(entry.examples or {}).values()]
        least = entry.range and entry.range.minimum
        return f'{access}.compareTo(quantity("{next(iter(amounts), least or 1)}")) >= 0'
    meant = (entry.mistaken_values or {}).values()
    known = [*entry.examples, *meant, *(entry.values or ())]
    named = (each for each in known if each not in ("", "None", "Unknown"))
    value = next(named, known[0] if known else None)
    match str(entry.type):
        case "bool":
            return access
        case "int":
            least = entry.range.minimum if entry.range else 0
            return f"{access} == {value}" if value is not None else f"{access} >= {least}"
        case "version":
            return f'{access}.compareTo(semver("{value or "1.0.0"}")) >= 0'
        case "string":
            return f'{access} != ""' if value is None else f"{access} == {json.dumps(value)}"
        case _:  # a list needs a feature gate, and one more look at what it holds
            return None


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
    examples = getattr(entry, "examples", None)
    if values:
        parts.append("one of " + ", ".join(f"`{value}`" for value in values))
    elif examples:
        shown = examples.values() if isinstance(examples, dict) else examples
        parts.append("such as " + ", ".join(f"`{value}`" for value in [*shown][:3] if value != ""))
    return cell("; ".join(part for part in parts if part))
