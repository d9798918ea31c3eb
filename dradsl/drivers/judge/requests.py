"""Requests against driver schemas: amounts of capacity, device types, shared and joint devices.

Selectors are `check`'s matter, constraints those of `constraints`; this module looks at what stands
beside them. The shapes of device that a request can get come from `check.reachable`.
"""

from __future__ import annotations

from dradsl.drivers.judge.findings import RequestFinding
from dradsl.drivers.schema.suggest import closest, listed
from dradsl.values.quantity import Quantity, QuantityError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.drivers.schema.model import Capacity
    from dradsl.drivers.schema.shapes import Shape

__all__ = ["check_request"]


def check_request(
    body: Mapping[str, Any], shapes: Sequence[Shape], selectors: Sequence[str] = ()
) -> list[RequestFinding]:
    """Findings in a request (its `exactly`, or an alternative) that gets devices of `shapes`.

    `selectors` are its own; paths are relative to `body`. Nothing is said where `shapes` holds the
    unknown device.
    """
    if not shapes or any(shape.driver is None for shape in shapes):
        return []
    found = list(_capacities(body, shapes))
    if body.get("adminAccess") is not True:
        found.extend(_mixed(shapes, selectors))
    if not selectors:  # they may ask for nodes with one device
        found.extend(_part(body, shapes))
    found.extend(_whole(body, shapes))
    return found


# Capacity requests ----------------------------------------------------------------------------


def _capacities(body: Mapping[str, Any], shapes: Sequence[Shape]) -> Iterator[RequestFinding]:
    capacity = body.get("capacity")
    requests = capacity.get("requests") if isinstance(capacity, dict) else None
    for key, amount in requests.items() if isinstance(requests, dict) else ():
        path = ("capacity", "requests", str(key))
        entries = [e for shape in shapes for spelt, e in _spelt(shape).items() if spelt == key]
        if not entries:
            yield _unknown_key(str(key), path, shapes)
            continue
        try:
            quantity = Quantity.parse(str(amount))
        except QuantityError:
            continue
        yield from _amount(str(key), str(amount), quantity, path, entries)


def _spelt(shape: Shape) -> dict[str, Capacity]:
    """The capacities of a shape as its slices spell them."""
    if shape.driver is None or shape.device_type is None:
        return {}
    found = {}
    for entry in shape.device_type.capacities.values():
        if shape.exists(entry.lifetime):
            own = entry.domain == shape.driver.name and not shape.driver.qualified_names
            found[entry.name if own else entry.qualified] = entry
    return found


def _unknown_key(key: str, path: tuple[str, ...], shapes: Sequence[Shape]) -> RequestFinding:
    """A key that no device publishes: it hides every device, without an error."""
    known = list(dict.fromkeys(spelt for shape in shapes for spelt in _spelt(shape)))
    drivers = listed(dict.fromkeys(s.driver.name for s in shapes if s.driver is not None))
    bare = key.rpartition("/")[2]
    other = [each for each in known if each.rpartition("/")[2] == bare]
    if other:
        message = f'the slices of {drivers} spell it "{other[0]}", and the scheduler takes keys as written: no device fits'
        return RequestFinding("DRA204", path, message, None, at_key=True, suggestion=other[0])
    mistaken = {
        wrong: right
        for shape in shapes
        if shape.driver is not None
        for wrong, right in shape.driver.mistaken.capacities.items()
        if right in known
    }
    meant = closest(key, known, mistaken)
    message = f'devices of {drivers} have no capacity "{key}": no device fits'
    if meant is not None:
        message += f'; did you mean "{meant}"?'
    helped = f"they have {listed(known)}" if known else "they have no capacity"
    return RequestFinding("DRA204", path, message, helped, at_key=True, suggestion=meant)


def _amount(
    key: str, text: str, amount: Quantity, path: tuple[str, ...], entries: list[Capacity]
) -> Iterator[RequestFinding]:
    limits = [limit for entry in entries if (limit := _most(entry)) is not None]
    if len(limits) == len(entries) and amount > max(limits):
        message = f'a request may take {max(limits)} of "{key}" at most, not {text}: no device fits'
        yield RequestFinding("DRA223", path, message)
        return
    published = [Quantity.parse(each) for entry in entries for each in entry.values or ()]
    if published and all(entry.values is not None for entry in entries):
        yield from _fixed(key, text, amount, path, entries, published)
        return
    ranges = [entry.range for entry in entries if entry.range is not None]
    if len(ranges) < len(entries) or amount.sign() <= 0:
        return
    lowest = min(Quantity.parse(str(each.minimum)) for each in ranges)
    highest = max(Quantity.parse(str(each.maximum)) for each in ranges)
    if amount.shifted(3) < lowest:
        guess = _with_unit(amount, highest)
        message = f'{text} of "{key}" is next to nothing, devices have {lowest} to {highest}'
        message += f"; did you mean {guess}?" if guess else ""
        helped = "a number without suffix counts single bytes"
        yield RequestFinding("DRA217", path, message, helped, suggestion=guess)
    elif amount > highest.shifted(3):
        message = f'no device has {text} of "{key}", they have {lowest} to {highest}'
        yield RequestFinding("DRA217", path, message)


def _fixed(
    key: str,
    text: str,
    amount: Quantity,
    path: tuple[str, ...],
    entries: list[Capacity],
    published: list[Quantity],
) -> Iterator[RequestFinding]:
    """An amount of a capacity of which all devices publish the same few values."""
    meaning = next((f" ({entry.meaning})" for entry in entries if entry.meaning), "")
    shown = listed(dict.fromkeys(map(str, published)))
    if amount > max(published):
        message = f'no device has {text} of "{key}": each has {shown}{meaning}'
        yield RequestFinding("DRA223", path, message)
    elif amount <= min(published) and all(entry.request_policy is None for entry in entries):
        message = f'every device has {shown} of "{key}"{meaning}: the request asks nothing of it'
        helped = "leave it out; the driver shares no device, so the request takes a whole one"
        yield RequestFinding("DRA211", path, message, helped)


def _with_unit(amount: Quantity, highest: Quantity) -> str | None:
    """The number of an amount with the suffix that makes it a plausible one."""
    if not amount.is_integer():
        return None
    texts = (f"{amount.as_integer()}{unit}" for unit in ("Mi", "Gi"))
    return next((t for t in texts if Quantity.parse("1Mi") <= Quantity.parse(t) <= highest), None)


def _most(entry: Capacity) -> Quantity | None:
    """The largest amount that one request may take."""
    policy = entry.request_policy
    if policy is None:
        return None
    if policy.valid_values:
        return max(Quantity.parse(each) for each in policy.valid_values)
    return None if policy.maximum is None else Quantity.parse(policy.maximum)


# Device types ---------------------------------------------------------------------------------


def _mixed(shapes: Sequence[Shape], selectors: Sequence[str]) -> Iterator[RequestFinding]:
    """A request that takes whole devices and parts of them alike."""
    types = {shape.label: shape.device_type for shape in shapes if shape.device_type is not None}
    drivers = {shape.driver.name for shape in shapes if shape.driver is not None}
    told_apart = all(
        kind.discriminator and ".type ==" in kind.discriminator for kind in types.values()
    )
    chosen = any(".type" in text or "?type" in text for text in selectors)
    if len(types) < 2 or len(drivers) != 1 or not told_apart or chosen:
        return
    first = next(iter(types.values()))
    message = f"the request takes devices of type {' and '.join(types)} alike"
    yield RequestFinding("DRA224", ("deviceClassName",), message, f"choose: {first.discriminator}")


def _part(body: Mapping[str, Any], shapes: Sequence[Shape]) -> Iterator[RequestFinding]:
    """One of several devices that work together only."""
    kinds = [shape.device_type for shape in shapes if shape.device_type is not None]
    reason = next((kind.taken_together for kind in kinds if kind.taken_together), None)
    if reason is None or not all(kind.taken_together for kind in kinds):
        return
    if body.get("allocationMode", "ExactCount") == "ExactCount" and body.get("count", 1) == 1:
        helped = "use allocationMode All, or a count equal to the devices of the node"
        yield RequestFinding(
            "DRA225", ("deviceClassName",), f"one device is asked for, but {reason}", helped
        )


def _whole(body: Mapping[str, Any], shapes: Sequence[Shape]) -> Iterator[RequestFinding]:
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
    message = f"without an amount of {listed(names)} the request takes the whole device, which others could share"
    helped = f"say how much: capacity.requests.{next(iter(names))}"
    yield RequestFinding("DRA226", ("deviceClassName",), message, helped)
