"""What the DSL calls the things in a driver schema: handles, their members, their operands."""

from __future__ import annotations

import functools
import keyword
from typing import TYPE_CHECKING, Literal

from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema, Presence
from dradsl.dsl.expressions.facts import facts
from dradsl.dsl.expressions.handle import Handle
from dradsl.dsl.expressions.nodes import (
    And,
    ConditionNode,
    DeviceType,
    Driver,
    Is,
    Operand,
    ValueType,
    joined,
)
from dradsl.dsl.expressions.recognise import Source, recognise
from dradsl.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.schema.model import (
        DeviceClassInfo,
        DeviceTypeSchema,
        DriverSchema,
        Lifetime,
    )

__all__ = ["DeviceHandle", "Member", "Vocabulary"]

Entry = AttributeSchema | CapacitySchema


class Member(Record):
    """An attribute or capacity of a handle; `name` is None where Python has no such name."""

    name: str | None
    entry: Entry
    operand: Operand

    @property
    def is_gone(self) -> bool:
        """Newer versions of the driver publish it no more, or will not."""
        deprecated = isinstance(self.entry, AttributeSchema) and self.entry.deprecated
        return deprecated or self.entry.lifetime.removed_in is not None


class DeviceHandle(Record):
    """A device type as a handle: `name` of the object, `class_name` of its class."""

    schema: DeviceTypeSchema
    name: str
    class_name: str
    type: DeviceType
    condition: ConditionNode | None
    shipped: str | None
    members: tuple[Member, ...] = field(repr=False)

    @property
    def node(self) -> Is:
        """The handle as a condition."""
        return Is(self.type, _node(self.type.driver, self.condition))


def _node(driver: str, condition: ConditionNode | None) -> ConditionNode:
    node = Driver(driver)
    return node if condition is None else joined(And, (node, condition))


class Vocabulary:
    """Names and operands for one driver schema.

    Where a driver has several device types, only their discriminators tell them apart; a type
    without one is no more than a device of the driver.
    """

    def __init__(self, schema: DriverSchema) -> None:
        self.schema = schema
        self.driver: DeviceType = DeviceType(schema.name)
        classes = tuple(known.name for known in schema.classes if self._asks_for_driver(known))
        self.driver = DeviceType(schema.name, classes=classes)

    @functools.cached_property
    def kinds(self) -> tuple[DeviceHandle, ...]:
        """The handles, one a device type."""
        return tuple(map(self._kind, self.schema.device_types))

    def _kind(self, schema: DeviceTypeSchema) -> DeviceHandle:
        type_, condition = self._told_apart(schema)
        name = identifier(schema.name)
        return DeviceHandle(
            schema=schema,
            name=name,
            class_name="".join(part.capitalize() for part in name.split("_")),
            type=type_,
            condition=condition,
            shipped=self._shipped(type_, _node(self.schema.name, condition)),
            members=tuple(self._members(schema, type_)),
        )

    def _told_apart(self, schema: DeviceTypeSchema) -> tuple[DeviceType, ConditionNode | None]:
        if len(self.schema.device_types) == 1 or schema.discriminator is None:
            return self.driver, None
        condition = self._discriminator(schema.discriminator)
        node = _node(self.schema.name, condition)
        classes = tuple(
            known.name
            for known in self.schema.classes
            if _parts(node) <= {part for one in known.selectors for part in _parts(self._read(one))}
        )
        return DeviceType(self.schema.name, schema.name, classes), condition

    def _discriminator(self, text: str) -> ConditionNode | None:
        return recognise(text, self._common, known=frozenset({self.driver}))

    def _asks_for_driver(self, known: DeviceClassInfo) -> bool:
        return any(self.driver in facts(self._read(one)) for one in known.selectors)

    def _read(self, selector: str) -> ConditionNode:
        node = recognise(selector, self._common)
        return Driver("") if node is None else node

    def _shipped(self, type_: DeviceType, node: ConditionNode) -> str | None:
        """The class that selects the devices of `type_`, all of them and no others."""
        names = [
            known.name
            for known in self.schema.classes
            if known.name in type_.classes
            and len(known.selectors) == 1
            and _parts(self._read(known.selectors[0])) == _parts(node)
        ]
        if len(names) > 1 and self.schema.name in names:
            return self.schema.name
        return names[0] if len(names) == 1 else None

    def _common(self, source: Source, domain: str, name: str) -> Operand | None:
        """The operand as it is on every device of the driver, for telling types apart."""
        entries = [
            found
            for kind in self.schema.device_types
            if (found := _find(kind, source, domain, name)) is not None
        ]
        if not entries:
            return None
        return self._operand(entries[0], source, self._always(source, domain, name, None))

    def _always(
        self, source: Source, domain: str, name: str, own: DeviceType | None
    ) -> DeviceType | None:
        def everywhere(kind: DeviceTypeSchema) -> bool:
            entry = _find(kind, source, domain, name)
            return entry is not None and self._is_always(entry)

        return self.driver if all(map(everywhere, self.schema.device_types)) else own

    def _is_always(self, entry: Entry) -> bool:
        versions = self.schema.version_order
        lifetime: Lifetime = entry.lifetime
        from_the_start = lifetime.since is None or lifetime.since == versions[0]
        return entry.presence is Presence.ALWAYS and from_the_start and not lifetime.removed_in

    def _operand(self, entry: Entry, source: Source, always: DeviceType | None) -> Operand:
        type_: ValueType = entry.type.value if isinstance(entry, AttributeSchema) else "quantity"
        return Operand(source, entry.domain, entry.name, type_, always)

    def _members(self, schema: DeviceTypeSchema, type_: DeviceType) -> Iterator[Member]:
        taken = {name for name in dir(Handle) if not name.startswith("_")}
        groups: tuple[tuple[Source, tuple[Entry, ...]], ...] = (
            ("attributes", tuple(schema.attributes.values())),
            ("capacity", tuple(schema.capacities.values())),
        )
        for source, entries in groups:
            # A name of the driver's own goes before the same name of another domain.
            for entry in sorted(entries, key=lambda one: one.domain != self.schema.name):
                always = type_ if self._is_always(entry) else None
                where = self._always(source, entry.domain, entry.name, always)
                # As in configurations: what Python keeps for itself gets a line after it.
                called = f"{entry.name}_" if keyword.iskeyword(entry.name) else entry.name
                usable = _is_member(called) and called not in taken
                taken.add(called)
                name = called if usable else None
                yield Member(name, entry, self._operand(entry, source, where))


def _parts(node: ConditionNode) -> set[ConditionNode]:
    return set(node.parts) if isinstance(node, And) else {node}


def _find(
    kind: DeviceTypeSchema, source: Literal["attributes", "capacity"], domain: str, name: str
) -> Entry | None:
    if source == "attributes":
        return kind.attribute(domain, name)
    return kind.capacity(domain, name)


def _is_member(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_")


def identifier(text: str) -> str:
    """`text` as a name in Python: "amdgpu-partition" becomes amdgpu_partition."""
    name = "".join(c if c.isalnum() and c.isascii() else "_" for c in text).lower()
    name = name if name[:1].isalpha() else f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name
