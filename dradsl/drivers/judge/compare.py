"""What changes between two schemas of a driver, or two of its versions, and which selectors break."""

from __future__ import annotations

from types import MappingProxyType

from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_selector
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema, Presence
from dradsl.records import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal, TypeVar

    from dradsl.drivers.judge.selectors import FoundSelector
    from dradsl.drivers.schema.model import ConfigKind, DeviceTypeSchema, DriverSchema
    from dradsl.observations import Observation

__all__ = ["SchemaChange", "SelectorChange", "at_version", "broken_selectors", "diff"]

if TYPE_CHECKING:
    _Entry = TypeVar("_Entry", AttributeSchema, CapacitySchema)


_THERE = {
    Presence.ALWAYS: "always",
    Presence.USUAL: "usually",
    Presence.SOMETIMES: "sometimes",
}


class SchemaChange(Record):
    """One difference. `breaks` says whether a manifest that worked may stop working."""

    kind: Literal["device-type", "attribute", "capacity", "class", "config"]
    device_type: str | None
    name: str
    text: str
    breaks: bool


class SelectorChange(Record):
    """A selector of which something is observed with the new schema and not with the old."""

    selector: FoundSelector
    observed: tuple[Observation, ...]


def at_version(schema: DriverSchema, version: str) -> DriverSchema:
    """The schema of one version: what it publishes and nothing else."""
    kinds = tuple(
        replace(
            kind,
            attributes=MappingProxyType(
                {k: _at(schema, e, version) for k, e in kind.attributes.items() if schema.exists(e.lifetime, version)}
            ),
            capacities=MappingProxyType(
                {k: _at(schema, e, version) for k, e in kind.capacities.items() if schema.exists(e.lifetime, version)}
            ),
        )
        for kind in schema.device_types
        if schema.exists(kind.lifetime, version)
    )  # fmt: skip

    def there(since: str | None) -> bool:
        return since is None or not schema.precedes(version, since)

    return replace(
        schema,
        device_types=kinds,
        classes=tuple(each for each in schema.classes if there(each.since)),
        configs=tuple(each for each in schema.configs if there(each.since)),
    )


def _at(schema: DriverSchema, entry: _Entry, version: str) -> _Entry:
    if entry.always_before is not None and schema.precedes(version, entry.always_before):
        return replace(entry, presence=Presence.ALWAYS)
    return entry


def diff(old: DriverSchema, new: DriverSchema) -> list[SchemaChange]:
    """The changes from `old` to `new`, those that break something first."""
    found = list(_changes(old, new))
    return sorted(found, key=lambda each: not each.breaks)


def _changes(old: DriverSchema, new: DriverSchema) -> Iterator[SchemaChange]:
    before = {kind.name: kind for kind in old.device_types}
    after = {kind.name: kind for kind in new.device_types}
    for name in before.keys() - after.keys():
        yield SchemaChange("device-type", name, name, "is no longer published", True)
    for name in after.keys() - before.keys():
        yield SchemaChange("device-type", name, name, "is new", False)
    for name, kind in before.items():
        if name in after:
            yield from _device_type(kind, after[name])
    yield from _named(
        "class",
        {c.name: c.selectors for c in old.classes},
        {c.name: c.selectors for c in new.classes},
    )
    yield from _configs(old.configs, new.configs)


def _device_type(old: DeviceTypeSchema, new: DeviceTypeSchema) -> Iterator[SchemaChange]:
    for key in _ordered(old.attributes, new.attributes):
        before, after = old.attributes.get(key), new.attributes.get(key)
        for text, breaks in _attribute(before, after):
            yield SchemaChange("attribute", new.name, key, text, breaks)
    for key in _ordered(old.capacities, new.capacities):
        one, other = old.capacities.get(key), new.capacities.get(key)
        for text, breaks in _entry(one, other):
            yield SchemaChange("capacity", new.name, key, text, breaks)


def _ordered(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    return list(dict.fromkeys((*old, *new)))


def _entry(
    old: AttributeSchema | CapacitySchema | None, new: AttributeSchema | CapacitySchema | None
) -> Iterator[tuple[str, bool]]:
    if old is not None and new is None:
        successor = old.lifetime.replaced_by
        yield ("is gone" + (f"; its successor is {successor}" if successor else ""), True)
    elif old is None and new is not None:
        rare = " on some devices" if new.presence is not Presence.ALWAYS else ""
        yield f"is new{rare}", False
    elif old is not None and new is not None and old.presence is not new.presence:
        breaks = new.presence is Presence.SOMETIMES
        was, now = _THERE[old.presence], _THERE[new.presence]
        yield f"was {was} there, is {now} there now", breaks


def _attribute(
    old: AttributeSchema | None, new: AttributeSchema | None
) -> Iterator[tuple[str, bool]]:
    yield from _entry(old, new)
    if old is None or new is None:
        return
    if old.type is not new.type:
        yield f"was {old.type}, is {new.type} now", True
    if old.values is not None and new.values is not None:
        lost = [str(each) for each in old.values if each not in new.values]
        gained = [str(each) for each in new.values if each not in old.values]
        if lost:
            yield f"is never {', '.join(lost)} any more", True
        if gained:
            yield f"can be {', '.join(gained)} too", False


def _named(
    kind: Literal["class"], old: Mapping[str, object], new: Mapping[str, object]
) -> Iterator[SchemaChange]:
    for name in _ordered(old, new):
        if name not in new:
            yield SchemaChange(kind, None, name, "is gone", True)
        elif name not in old:
            yield SchemaChange(kind, None, name, "is new", False)
        elif old[name] != new[name]:
            yield SchemaChange(kind, None, name, "has other selectors", True)


def _configs(old: tuple[ConfigKind, ...], new: tuple[ConfigKind, ...]) -> Iterator[SchemaChange]:
    before = {(each.api_version, each.kind): each for each in old}
    after = {(each.api_version, each.kind): each for each in new}
    for key in dict.fromkeys((*before, *after)):
        name = " ".join(part for part in key if part)
        if key not in after:
            yield SchemaChange("config", None, name, "is gone", True)
        elif key not in before:
            yield SchemaChange("config", None, name, "is new", False)
        elif before[key].schema != after[key].schema:
            yield SchemaChange("config", None, name, "takes other fields or values", True)


def broken_selectors(
    old: DriverSchema, new: DriverSchema, selectors: Iterable[FoundSelector]
) -> Iterator[SelectorChange]:
    """The selectors of which the new schema says what the old one does not."""
    with_old, with_new = Catalogue().with_schemas([old]), Catalogue().with_schemas([new])
    for selector in selectors:
        before, after = (
            check_selector(selector.text, catalogue, _context(selector, catalogue))
            for catalogue in (with_old, with_new)
        )
        known = {(type(each.facts), each.span) for each in before}
        fresh = tuple(each for each in after if (type(each.facts), each.span) not in known)
        if fresh:
            yield SelectorChange(selector, fresh)


def _context(selector: FoundSelector, catalogue: Catalogue) -> SelectorContext:
    if selector.is_class:
        return SelectorContext(before=selector.before, is_class=True)
    filters = selector.class_selectors
    if filters is None and selector.class_name is not None:
        known = catalogue.device_class(selector.class_name)
        filters = known[1].selectors if known is not None else None
    return SelectorContext(
        before=(*(filters or ()), *selector.before),
        class_name=selector.class_name,
        class_known=filters is not None,
    )
