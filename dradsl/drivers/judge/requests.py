"""Requests against driver schemas: amounts of capacity, device types, shared and joint devices.

Selectors are `check`'s matter, constraints those of `constraints`; this module looks at what stands
beside them. The shapes of device that a request can get come from `check.reachable`.
"""

from __future__ import annotations

import re

from dradsl.observations import Observation
from dradsl.values.later import Later
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.judge import request_facts as facts
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import CapacitySchema
    from dradsl.drivers.schema.shapes import Name, Shape
    from dradsl.values import quantity as quantities
else:
    quantities = Later("dradsl.values.quantity")
    facts = Later("dradsl.drivers.judge.request_facts")

__all__ = ["check_request", "looked_at", "named_after_other"]


def looked_at(body: Mapping[str, object]) -> Hashable:
    """All that `check_request` looks at of a body itself, beside shapes and selectors."""
    capacity, mode = body.get("capacity"), body.get("allocationMode", "ExactCount")
    amounts = None if capacity is None else repr(capacity)
    return amounts, body.get("adminAccess") is True, mode, body.get("count", 1) == 1


def check_request(
    body: Mapping[str, object], shapes: Sequence[Shape], selectors: Sequence[str] = ()
) -> list[Observation]:
    """What is wrong with a request (its `exactly`, or an alternative) that gets devices of `shapes`.

    `selectors` are its own; paths are relative to `body`. Nothing is said where `shapes` holds the
    unknown device.
    """
    if not shapes or any(shape.driver is None for shape in shapes):
        return []
    found = list(_capacities(body, shapes))
    if body.get("adminAccess") is not True:
        found.extend(_mixed(body, shapes, selectors))
    if not selectors:  # they may ask for nodes with one device
        found.extend(_part(body, shapes))
    found.extend(_whole(body, shapes))
    return found


# Capacity requests ----------------------------------------------------------------------------


def _capacities(body: Mapping[str, object], shapes: Sequence[Shape]) -> Iterator[Observation]:
    for key, amount in mapping_at(body, "capacity", "requests").items():
        path = ("capacity", "requests", str(key))
        entries = [e for shape in shapes for spelt, e in _spelt(shape).items() if spelt == key]
        if not entries:
            yield _unknown_key(str(key), path, shapes)
            continue
        try:
            quantity = quantities.Quantity.parse(str(amount))
        except quantities.QuantityError:
            continue
        yield from _amount(str(key), str(amount), quantity, path, entries)


def _spelt(shape: Shape) -> dict[str, CapacitySchema]:
    """The capacities of a shape as its slices spell them."""
    if shape.driver is None or shape.device_type is None:
        return {}
    found = {}
    for entry in shape.device_type.capacities.values():
        if shape.exists(entry.lifetime):
            own = entry.domain == shape.driver.name and not shape.driver.qualified_names
            found[entry.name if own else entry.qualified] = entry
    return found


def _unknown_key(key: str, path: tuple[str, ...], shapes: Sequence[Shape]) -> Observation:
    """A key that no device publishes: it hides every device, without an error."""
    known = list(dict.fromkeys(spelt for shape in shapes for spelt in _spelt(shape)))
    drivers = tuple(dict.fromkeys(s.driver.name for s in shapes if s.driver is not None))
    bare = key.rpartition("/")[2]
    other = [each for each in known if each.rpartition("/")[2] == bare]
    if other:
        spelt = facts.CapacitySpeltOtherwise(drivers, other[0])
        return Observation(spelt, path, on_key=True, instead=other[0])
    mistaken = {
        wrong: right
        for shape in shapes
        if shape.driver is not None
        for wrong, right in shape.driver.mistaken.capacities.items()
        if right in known
    }
    from dradsl.drivers.schema import suggest

    meant = suggest.closest(key, known, mistaken)
    found = facts.UnknownCapacityRequest(key, drivers, tuple(known), meant)
    return Observation(found, path, on_key=True, instead=meant)


def _amount(
    key: str,
    text: str,
    amount: quantities.Quantity,
    path: tuple[str, ...],
    entries: list[CapacitySchema],
) -> Iterator[Observation]:
    limits = [limit for entry in entries if (limit := _most(entry)) is not None]
    if len(limits) == len(entries) and amount > max(limits):
        yield Observation(facts.AmountOverPolicy(key, text, str(max(limits))), path)
        return
    published = [
        quantities.Quantity.parse(each) for entry in entries for each in entry.values or ()
    ]
    if published and all(entry.values is not None for entry in entries):
        yield from _fixed(key, text, amount, path, entries, published)
        return
    ranges = [entry.range for entry in entries if entry.range is not None]
    if len(ranges) < len(entries) or amount.sign() <= 0:
        return
    lowest = min(quantities.Quantity.parse(str(each.minimum)) for each in ranges)
    highest = max(quantities.Quantity.parse(str(each.maximum)) for each in ranges)
    if amount.shifted(3) < lowest:
        guess = _with_unit(amount, highest)
        small = facts.AmountTooSmall(key, text, str(lowest), str(highest), guess)
        yield Observation(small, path, instead=guess)
        return
    from dradsl.drivers.suggestions.names import is_far_above

    if is_far_above(amount, highest):
        yield Observation(facts.AmountTooLarge(key, text, str(lowest), str(highest)), path)


def _fixed(
    key: str,
    text: str,
    amount: quantities.Quantity,
    path: tuple[str, ...],
    entries: list[CapacitySchema],
    published: list[quantities.Quantity],
) -> Iterator[Observation]:
    """An amount of a capacity of which all devices publish the same few values."""
    meaning = next((entry.meaning for entry in entries if entry.meaning), None)
    amounts = tuple(dict.fromkeys(map(str, published)))
    if amount > max(published):
        yield Observation(facts.AmountAboveAll(key, text, amounts, meaning), path)
    elif amount <= min(published) and all(entry.request_policy is None for entry in entries):
        yield Observation(facts.AmountBelowAll(key, amounts, meaning), path)


def _with_unit(amount: quantities.Quantity, highest: quantities.Quantity) -> str | None:
    """The number of an amount with the suffix that makes it a plausible one."""
    if not amount.is_integer():
        return None
    texts = (f"{amount.as_integer()}{unit}" for unit in ("Mi", "Gi"))
    return next(
        (
            t
            for t in texts
            if quantities.Quantity.parse("1Mi") <= quantities.Quantity.parse(t) <= highest
        ),
        None,
    )


def _most(entry: CapacitySchema) -> quantities.Quantity | None:
    """The largest amount that one request may take."""
    policy = entry.request_policy
    if policy is None:
        return None
    if policy.valid_values:
        return max(quantities.Quantity.parse(each) for each in policy.valid_values)
    return None if policy.maximum is None else quantities.Quantity.parse(policy.maximum)


# Device types ---------------------------------------------------------------------------------


def _mixed(
    body: Mapping[str, object], shapes: Sequence[Shape], selectors: Sequence[str]
) -> Iterator[Observation]:
    """A request that takes whole devices and parts of them alike."""
    types = {shape.label: shape.device_type for shape in shapes if shape.device_type is not None}
    drivers = {shape.driver.name for shape in shapes if shape.driver is not None}
    told_apart = all(
        kind.discriminator and ".type ==" in kind.discriminator for kind in types.values()
    )
    chosen = any(".type" in text or "?type" in text for text in selectors)
    if len(types) < 2 or len(drivers) != 1 or not told_apart or chosen:
        return
    words = re.split(r"[^a-z0-9]+", str(body.get("deviceClassName", "")).lower())
    promised = next((label for label in types if label.lower() in words), None)
    if promised is not None and len([label for label in types if label.lower() in words]) > 1:
        promised = None  # gpu-mig: it names both
    chosen_type = types[promised] if promised is not None else next(iter(types.values()))
    if promised is not None and promised == next(iter(types)):
        promised = None  # the whole device is what a driver's name says as well
    found = facts.MixedDeviceTypes(tuple(types), chosen_type.discriminator or "", promised)
    yield Observation(found, ("deviceClassName",))


def named_after_other(
    names: Iterable[str], shapes: Sequence[Shape], catalogue: Catalogue
) -> Iterator[Observation]:
    """A MIG profile in the name of a request that gets whole GPUs, and the like."""
    drivers = {shape.driver.name: shape.driver for shape in shapes if shape.driver is not None}
    if not drivers:
        return
    from dradsl.drivers.judge.reachable import class_of
    from dradsl.drivers.schema.shapes import shapes_of
    from dradsl.drivers.suggestions.names import access_text

    text = " ".join(names).replace("-", ".")
    for schema in drivers.values() if len(drivers) == 1 and all(s.driver for s in shapes) else ():
        for shape in shapes_of(schema, catalogue):
            for entry in shape.device_type.attributes.values() if shape.device_type else ():
                pattern = entry.pattern if entry.examples and "+" in (entry.pattern or "") else None
                said = re.search(rf"(?<!\w){pattern}", text) if pattern else None
                name: Name = ("attributes", entry.domain, entry.name)
                other = class_of([shape], catalogue)
                if said and other and all(each.entry(name) is None for each in shapes):
                    condition = f'{access_text(name)} == "{said[0]}"'
                    types = tuple(dict.fromkeys(each.label for each in shapes))
                    found = facts.NamedAfterOther(said[0], entry.name, types, condition, other)
                    yield Observation(found, ("deviceClassName",))
                    return


def _part(body: Mapping[str, object], shapes: Sequence[Shape]) -> Iterator[Observation]:
    """One of several devices that work together only."""
    kinds = [shape.device_type for shape in shapes if shape.device_type is not None]
    reason = next((kind.taken_together for kind in kinds if kind.taken_together), None)
    if reason is None or not all(kind.taken_together for kind in kinds):
        return
    if body.get("allocationMode", "ExactCount") == "ExactCount" and body.get("count", 1) == 1:
        yield Observation(facts.PartOfWhole(reason), ("deviceClassName",))


def _whole(body: Mapping[str, object], shapes: Sequence[Shape]) -> Iterator[Observation]:
    """A device made to be shared, without an amount: the default takes all of it."""
    if body.get("adminAccess") is True or isinstance(body.get("capacity"), dict):
        return
    names: dict[str, None] = {}
    for shape in shapes:
        if shape.device_type is None or not shape.device_type.allows_multiple_allocations:
            return
        taken = [
            spelt
            for spelt, entry in _spelt(shape).items()
            if entry.request_policy is not None
            and entry.request_policy.default == "whole"
            and entry.request_policy.gate is None
        ]
        if not taken:
            return
        names.update(dict.fromkeys(taken))
    yield Observation(facts.WholeDeviceTaken(tuple(names)), ("deviceClassName",))
