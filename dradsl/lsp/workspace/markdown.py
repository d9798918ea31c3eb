"""What is said of an attribute, a capacity, a class, a field or a rule, as Markdown."""

from __future__ import annotations

from dradsl.drivers.schema.model import AttributeSchema, Presence
from dradsl.kube.fields.table import Category, fields_of, known_somewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.drivers.schema.model import (
        CapacitySchema,
        DeviceClassInfo,
        DeviceTypeSchema,
        DriverSchema,
    )
    from dradsl.kube.fields.table import Field, FieldType
    from dradsl.releases import Release
    from dradsl.text.paths import FieldPath

__all__ = [
    "about_class",
    "about_driver",
    "about_entry",
    "about_field",
    "about_rule",
    "field_at",
    "values_of",
]

_SHOWN_VALUES = 12


def about_entry(
    found: Sequence[tuple[DriverSchema, DeviceTypeSchema, AttributeSchema | CapacitySchema]],
) -> str:
    """An attribute or capacity, of each device type that has it."""
    blocks: dict[str, list[str]] = {}
    for _, device, entry in found:
        blocks.setdefault(_entry(entry), []).append(device.name)
    schema, _, first = found[0]
    kind = "attribute" if isinstance(first, AttributeSchema) else "capacity"
    parts = [f"**{first.qualified}**, {kind} of `{schema.name}`"]
    for text, devices in blocks.items():
        types = "" if len(schema.device_types) == 1 else f"*{', '.join(dict.fromkeys(devices))}*: "
        parts.append(f"{types}{text}")
    return "\n\n".join(parts)


def _entry(entry: AttributeSchema | CapacitySchema) -> str:
    lines = []
    if isinstance(entry, AttributeSchema):
        lines.append(" or ".join(each.value for each in entry.types))
    elif entry.unit:
        lines.append(f"quantity, {entry.unit}")
    else:
        lines.append("quantity")
    lines.append(_presence(entry))
    since, gone = entry.lifetime.since, entry.lifetime.removed_in
    if since:
        lines.append(f"since {since}")
    if gone:
        lines.append(f"gone in {gone}")
    if entry.gate:
        lines.append(f"with {entry.gate}")
    text = ", ".join(lines)
    values = values_of(entry)
    shown = ", ".join(f"`{each}`" for each in values[:_SHOWN_VALUES])
    if len(values) > _SHOWN_VALUES:
        shown += f" and {len(values) - _SHOWN_VALUES} more"
    closed = entry.values is not None
    more = [
        entry.meaning,
        f"{'Values' if closed else 'Such as'}: {shown}" if values else None,
        f"Replaced by `{entry.lifetime.replaced_by}`." if entry.lifetime.replaced_by else None,
        entry.note,
    ]
    return "\n\n".join([text, *(each for each in more if each)])


def _presence(entry: AttributeSchema | CapacitySchema) -> str:
    return {Presence.ALWAYS: "always there", Presence.USUAL: "usually there"}.get(
        entry.presence, "sometimes there"
    )


def values_of(entry: AttributeSchema | CapacitySchema) -> list[str]:
    """The values that are known of an attribute or capacity, as CEL or a quantity writes them."""
    if isinstance(entry, AttributeSchema):
        values: Iterable[object] = entry.values or entry.examples
        return [_literal(each) for each in values]
    return list(dict.fromkeys(entry.values or (entry.examples or {}).values()))


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def about_driver(schema: DriverSchema) -> str:
    """A driver and what it publishes."""
    types = ", ".join(f"`{each.name}`" for each in schema.device_types)
    classes = ", ".join(f"`{each.name}`" for each in schema.classes)
    lines = [f"**{schema.name}** ({schema.vendor})", schema.summary, f"Device types: {types}"]
    if classes:
        lines.append(f"Device classes: {classes}")
    return "\n\n".join(lines)


def about_class(schema: DriverSchema, known: DeviceClassInfo) -> str:
    """A class that comes with a driver."""
    lines = [f"**DeviceClass {known.name}**, comes with `{known.by or schema.name}`"]
    lines += [f"```cel\n{selector}\n```" for selector in known.selectors]
    if known.extended_resource_name:
        lines.append(f"Takes the extended resource `{known.extended_resource_name}`.")
    facts = [f"since {known.since}" if known.since else None, known.condition, known.note]
    lines += [fact for fact in facts if fact]
    return "\n\n".join(lines)


def field_at(
    kind: str, path: FieldPath, version: str, release: str
) -> tuple[FieldType | None, Field | None, str]:
    """The type of what is at a path of an object, the field that holds it, of any release, and the type that has the field."""
    type_name: str | None = kind
    owner = kind
    held: FieldType | None = None
    field: Field | None = None
    for step in path:
        if isinstance(step, int):
            held = None if held is None or held.category is not Category.LIST else held.item
        elif held is not None and held.category is Category.MAP:
            held, field = held.item, None
        else:
            if type_name is None:
                return None, None, owner
            owner = type_name
            field = fields_of(type_name, version, release).get(step) or known_somewhere(
                type_name, version, step
            )
            held = None if field is None else field.type
        if held is None:
            return None, None, owner
        type_name = held.name if held.category is Category.STRUCT else None
    return held, field, owner


def about_field(field: Field, path: FieldPath, release: Release, owner: str) -> str:
    """A field of the API, which the type `owner` has."""
    from dradsl.kube.schemas import description_of, values_of as values_of_type
    from dradsl.text.paths import format_path

    lines = [f"**{format_path(path)}**: `{field.type}`", description_of(owner, field.name) or ""]
    facts = ["required" if field.required_in(release.name) else "optional"]
    if field.since:
        facts.append(f"since Kubernetes {field.since}")
    if field.until:
        facts.append(f"until Kubernetes {field.until}")
    if field.gates:
        facts.append(f"needs {' and '.join(field.gates)}")
    if not field.exists_in(release.name):
        facts.append(f"not in Kubernetes {release.name}")
    lines.append(", ".join(facts))
    values = values_of_type(field.type, release)
    if values:
        lines.append("Values: " + ", ".join(f"`{each}`" for each in values))
    return "\n\n".join(filter(None, lines))


def about_rule(code: str) -> str | None:
    """What a rule finds, why it hurts and how to fix it."""
    from dradsl.lint.pages.documents import UnknownRuleError, load_document

    try:
        document = load_document(code)
    except UnknownRuleError:
        return None
    parts = [f"**{document.code} {document.name}**: {document.title}"]
    for heading in ("What it finds", "Why it hurts", "How to fix"):
        text = document.section(heading)
        if text:
            parts.append(text)
    return "\n\n".join(parts)
