"""A driver schema as text for people: who, which versions, and a table for each device type."""

from __future__ import annotations

import textwrap

from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema, Presence
from dradsl.drivers.schema.suggest import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.drivers.schema.model import ConfigKind, DeviceTypeSchema, DriverSchema

__all__ = ["describe", "overview", "table"]


def table(rows: Sequence[Sequence[str]], width: int, indent: str = "") -> Iterator[str]:
    """Rows in columns; the last column is wrapped within `width`."""
    if not rows:
        return
    columns = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    left = len(indent) + sum(columns) + 2 * len(columns)
    for row in rows:
        cells = "".join(f"{cell:<{size}}  " for cell, size in zip(row, columns, strict=False))
        lines = textwrap.wrap(row[-1], max(width - left, 24)) or [""]
        yield f"{indent}{cells}{lines[0]}".rstrip()
        for line in lines[1:]:
            yield f"{' ' * left}{line}"


def overview(schemas: Iterable[DriverSchema], width: int) -> Iterator[str]:
    """One line a driver."""
    rows: list[tuple[str, ...]] = [
        ("driver", "types", "attributes", "capacities", "facts", "devices")
    ]
    for schema in schemas:
        attributes = {attribute.qualified for _, attribute in schema.attributes()}
        capacities = {capacity.qualified for _, capacity in schema.capacities()}
        counts = (len(schema.device_types), len(attributes), len(capacities))
        rows.append((schema.name, *map(str, counts), schema.completeness, schema.summary))
    yield from table(rows, width)


def describe(
    schema: DriverSchema, device_type: str | None, versions: Sequence[str], width: int
) -> Iterator[str]:
    """Everything about a driver; with `device_type`, that type alone. `versions` are those in use."""
    if device_type is None:
        yield f"{schema.name} ({schema.vendor}): {schema.summary}"
        yield ""
        yield from table(list(_facts(schema)), width)
    for kind in schema.device_types:
        if device_type in (None, kind.name) and _lives(schema, kind, versions):
            yield ""
            yield from _device_type(schema, kind, versions, width)
    if device_type is None:
        yield from _lists(schema, width)


def _facts(schema: DriverSchema) -> Iterator[tuple[str, str]]:
    versions = [v.name if v.released else f"{v.name} (not released)" for v in schema.versions]
    if versions:
        yield "versions", ", ".join(versions)
    yield "facts", schema.completeness
    sources = dict.fromkeys(
        each.repository or each.document or each.note or "" for each in schema.sources
    )
    yield "sources", ", ".join(name for name in sources if name)
    if schema.qualified_names:
        yield "names", f"slices spell them with the domain: {schema.name}/…"
    if schema.open_domains:
        yield "open", schema.open_reason or ", ".join(schema.open_domains)
    if schema.note:
        yield "note", schema.note
    if schema.uncertain:
        yield "uncertain", "; ".join(schema.uncertain)


def _lives(schema: DriverSchema, kind: DeviceTypeSchema, versions: Sequence[str]) -> bool:
    return not versions or any(schema.exists(kind.lifetime, each) for each in versions)


def _device_type(
    schema: DriverSchema, kind: DeviceTypeSchema, versions: Sequence[str], width: int
) -> Iterator[str]:
    title = f"type {kind.name}"
    yield f"{title}: {kind.summary}" if kind.summary else title
    facts = [
        ("selects", kind.discriminator),
        ("device", kind.device_name),
        ("gate", kind.gate),
        ("counters", ", ".join(kind.counters.names) if kind.counters is not None else None),
        ("note", kind.note),
    ]
    yield from table([(name, text) for name, text in facts if text], width, "  ")
    for title, entries in (
        ("attribute", kind.attributes.values()),
        ("capacity", kind.capacities.values()),
    ):
        rows = [_row(schema, entry) for entry in entries if _shown(schema, entry, versions)]
        if rows:
            yield ""
            header = (title, "type" if title == "attribute" else "unit", "there", "versions", "")
            yield from table([header, *rows], width, "  ")


def _shown(
    schema: DriverSchema, entry: AttributeSchema | CapacitySchema, versions: Sequence[str]
) -> bool:
    return not versions or any(schema.exists(entry.lifetime, each) for each in versions)


def _row(schema: DriverSchema, entry: AttributeSchema | CapacitySchema) -> tuple[str, ...]:
    name = entry.name if entry.domain == schema.name else entry.qualified
    if isinstance(entry, AttributeSchema):
        kind = " or ".join(each.value for each in entry.types)
        values = ", ".join(_literal(each) for each in entry.values or ())
        if not values and entry.examples:
            values = "such as " + listed((_literal(each) for each in entry.examples), 5)
    else:
        kind = entry.unit or ""
        values = ", ".join(f"{part}: {text}" for part, text in (entry.examples or {}).items())
        if entry.values is not None:
            values = f"always {' or '.join(entry.values)}"
    gate = f"with {entry.gate}" if entry.gate else None
    texts = (_ending(entry), entry.meaning, values, _sharing(entry), gate, entry.note)
    remarks = [text for text in texts if text]
    return name, kind, _presence(entry), _versions(entry), "; ".join(remarks)


def _sharing(entry: AttributeSchema | CapacitySchema) -> str | None:
    """How many devices have one value."""
    if isinstance(entry, AttributeSchema) and entry.same_on == "node":
        return "alike on one node"
    if isinstance(entry, AttributeSchema) and entry.same_on == "model":
        return "alike on all devices of a model"
    if isinstance(entry, AttributeSchema) and entry.group_size is not None:
        return f"alike on at most {entry.group_size} devices"
    return None


def _ending(entry: AttributeSchema | CapacitySchema) -> str | None:
    """That a name is on its way out or gone, and what goes in its place."""
    successor = entry.lifetime.replaced_by
    instead = f"replaced by {successor}" if successor else None
    if isinstance(entry, AttributeSchema) and entry.deprecated:
        return f"deprecated, {instead}" if instead else "deprecated"
    return instead


def _literal(value: object) -> str:
    if value == "":
        return '""'
    return str(value).lower() if isinstance(value, bool) else str(value)


def _presence(entry: AttributeSchema | CapacitySchema) -> str:
    return {Presence.ALWAYS: "always", Presence.USUAL: "usually"}.get(entry.presence, "sometimes")


def _versions(entry: AttributeSchema | CapacitySchema) -> str:
    since, gone = entry.lifetime.since, entry.lifetime.removed_in
    if since and gone:
        return f"{since} to before {gone}"
    if gone:
        return f"before {gone}"
    return f"from {since}" if since else ""


def _lists(schema: DriverSchema, width: int) -> Iterator[str]:
    if schema.classes:
        yield ""
        yield "device classes"
        rows: list[tuple[str, ...]] = []
        for known in schema.classes:
            extended = known.extended_resource_name
            takes = f"takes {extended}" if extended else ""
            rows.append((known.name, takes, " AND ".join(known.selectors)))
        yield from table(rows, width, "  ")
    if schema.configs:
        yield ""
        yield "configuration"
        rows = [(_kind(each), ", ".join(_fields(each.schema, ""))) for each in schema.configs]
        yield from table(rows, width, "  ")
    if schema.device_plugin.resources:
        yield ""
        yield "takes the place of"
        found = []
        for resource in schema.device_plugin.resources:
            goal = f"class {resource.device_class}" if resource.device_class else ""
            remark = resource.selector or resource.why or resource.note or ""
            found.append((resource.name, goal, remark))
        yield from table(found, width, "  ")


def _kind(config: ConfigKind) -> str:
    return " ".join(part for part in (config.api_version, config.kind) if part)


def _fields(schema: object, path: str) -> Iterator[str]:
    """The leaves of a configuration, as dotted names."""
    if not isinstance(schema, dict):
        return
    for name, each in schema.get("properties", {}).items():
        full = f"{path}.{name}" if path else name
        inner = list(_fields(each, full))
        yield from inner or [full]
