"""Constraints of claims against driver schemas: can they be met, and do they ask for anything?

A claim is met by devices in reach of one node, so a value that all devices of a node share is always
the same inside a claim: such a constraint does not bring together the pods of a workload, which
have a claim each.
"""

from __future__ import annotations

from dradsl.drivers.judge.findings import RequestFinding
from dradsl.drivers.schema.model import Attribute
from dradsl.drivers.schema.shapes import Name, Shape, Standing
from dradsl.drivers.schema.suggest import closest, listed
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Literal, TypeAlias

__all__ = ["ConstrainedRequest", "ConstraintKind", "check_constraint"]

ConstraintKind: TypeAlias = "Literal['matchAttribute', 'distinctAttribute']"


@dataclass(frozen=True, slots=True)
class ConstrainedRequest:
    """A request under a constraint, or one of its alternatives (then its name is `R/S`).

    `count` is how many devices it takes, at least: 1 for `allocationMode: All`, where `exact` is
    False. `derived` names the attributes that it computes itself (`derivedAttributes`).
    """

    name: str
    shapes: tuple[Shape, ...]
    count: int
    derived: frozenset[str] = frozenset()
    exact: bool = True


def check_constraint(
    attribute: str,
    kind: ConstraintKind,
    requests: Sequence[ConstrainedRequest],
) -> list[RequestFinding]:
    """Findings in a constraint on the (qualified) `attribute`; the path is its field.

    Requests whose devices are not known are passed over.
    """
    domain, slash, key = attribute.partition("/")
    if not slash:
        return []
    name: Name = ("attributes", domain, key)
    path = (kind,)
    known = [each for each in requests if _is_known(each) and attribute not in each.derived]
    for request in known:
        if all(shape.standing(name) is Standing.NEVER for shape in request.shapes):
            return [_never_there(name, path, request)]
    found = list(_forms(name, path, known))
    if kind == "matchAttribute" and not found:
        found.extend(_unique(name, path, known) or _groups(name, path, known))
    if len(known) == len(requests) and not found:
        found.extend(_same_on_node(name, kind, known))
    return found or [*_single(name, kind, requests), *_deprecated(name, path, known)]


def _is_known(request: ConstrainedRequest) -> bool:
    return bool(request.shapes) and all(shape.driver is not None for shape in request.shapes)


def _never_there(name: Name, path: tuple[str, ...], request: ConstrainedRequest) -> RequestFinding:
    """An attribute that no device of a request has: a constraint fails where it is missing."""
    _, domain, key = name
    shape = request.shapes[0]
    driver = shape.driver
    drivers = listed(dict.fromkeys(s.driver.name for s in request.shapes if s.driver is not None))
    message = f'no device of request "{request.name}" ({drivers}) has attribute "{domain}/{key}": the constraint cannot be met'
    old = next((e for s in request.shapes if (e := s.entry_of_any_version(name))), None)
    if old is not None:
        successor = old.lifetime.replaced_by
        gone = old.lifetime.removed_in
        message += f"; it is gone since {gone}" if gone else f"; it comes with {old.lifetime.since}"
        return RequestFinding("DRA214", path, message, suggestion=successor)
    if any(s.entry(("capacity", domain, key)) for s in request.shapes):
        return RequestFinding("DRA205", path, f"{message}; it is a capacity")
    names = {
        entry.qualified: None
        for each in request.shapes
        if each.device_type is not None
        for entry in each.device_type.attributes.values()
        if each.exists(entry.lifetime)
    }
    same = [each for each in names if each.rpartition("/")[2] == key]
    mistaken = driver.mistaken.attributes.get(key) if driver is not None else None
    if mistaken is not None and driver is not None and "/" not in mistaken:
        mistaken = f"{driver.name}/{mistaken}"
    meant = same[0] if same else mistaken or closest(f"{domain}/{key}", names)
    if meant is not None:
        message += f'; did you mean "{meant}"?'
    return RequestFinding("DRA201", path, message, suggestion=meant)


def _entries(name: Name, request: ConstrainedRequest) -> list[Attribute]:
    entries = (shape.entry(name) for shape in request.shapes)
    return [entry for entry in entries if isinstance(entry, Attribute)]


def _forms(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> Iterator[RequestFinding]:
    """Values of different types are never the same; a list and a scalar only behind a gate."""
    types = {}
    for request in requests:
        entries = _entries(name, request)
        if entries and all(entry.alternative is None for entry in entries):
            types[request.name] = {entry.type for entry in entries}
    pairs = list(types.items())
    for one, first in pairs:
        for other, second in pairs:
            if one >= other or first & second:
                continue
            shown = f'{_kinds(first)} for request "{one}" and {_kinds(second)} for "{other}"'
            message = f'"{name[1]}/{name[2]}" is {shown}: the values never match'
            lists = any(kind.is_list for kind in first | second)
            helped = (
                "a list and a single value match only where Kubernetes has DRAListTypeAttributes"
                if lists
                else None
            )
            yield RequestFinding("DRA227", path, message, helped)
            return


def _kinds(kinds: set[Any]) -> str:
    return " or ".join(sorted(str(kind) for kind in kinds))


def _unique(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> list[RequestFinding]:
    """Several devices with the same value of what no two devices share."""
    for request in requests:
        entries = _entries(name, request)
        if entries and all(entry.unique for entry in entries) and request.count > 1:
            message = f'no two devices have the same "{name[1]}/{name[2]}", and request "{request.name}" takes {request.count}'
            return [RequestFinding("DRA227", path, message)]
    return []


def _groups(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> list[RequestFinding]:
    """More devices than share a value."""
    by_driver: dict[str, list[ConstrainedRequest]] = {}
    sizes: dict[str, int] = {}
    for request in requests:
        entries = _entries(name, request)
        drivers = _drivers(request)
        if len(drivers) == 1 and entries and all(entry.group_size for entry in entries):
            by_driver.setdefault(drivers[0], []).append(request)
            size = max(entry.group_size or 0 for entry in entries)
            sizes[drivers[0]] = max(size, sizes.get(drivers[0], 0))
    for driver, members in by_driver.items():
        total = sum(min(counts) for counts in _counts(members).values())
        if total > sizes[driver]:
            message = f'at most {sizes[driver]} devices of {driver} have the same "{name[1]}/{name[2]}", and {total} are asked for'
            helped = "a claim is met on one node: pods on several nodes have a claim each"
            return [RequestFinding("DRA227", path, message, helped)]
    return []


def _same_on_node(
    name: Name, kind: ConstraintKind, requests: Sequence[ConstrainedRequest]
) -> Iterator[RequestFinding]:
    """An attribute that tells nodes apart, not the devices of one."""
    entries = [entry for request in requests for entry in _entries(name, request)]
    drivers = {driver for request in requests for driver in _drivers(request)}
    if not entries or len(drivers) != 1 or any(entry.same_on != "node" for entry in entries):
        return
    message = (
        f'all devices of a node have the same "{name[1]}/{name[2]}", and a claim is met on one node'
    )
    if kind == "matchAttribute":
        helped = "a constraint holds inside one claim; to bring pods together use pod affinity on a node label"
        if _picks(name, requests):
            message += f"; all it does is to pass over devices without {name[2]}"
            yield RequestFinding("DRA228", (kind,), message, helped)
            return
        yield RequestFinding("DRA228", (kind,), f"{message}: any of them match", helped)
    elif sum(min(counts) for counts in _counts(requests).values()) > 1:
        helped = "to spread pods over nodes use pod anti-affinity or topologySpreadConstraints"
        yield RequestFinding("DRA227", (kind,), f"{message}: the constraint is never met", helped)


def _picks(name: Name, requests: Sequence[ConstrainedRequest]) -> bool:
    """Whether some device may lack the attribute: a constraint passes over it."""
    return any(
        shape.standing(name) is not Standing.ALWAYS
        for request in requests
        for shape in request.shapes
    )


def _single(
    name: Name, kind: ConstraintKind, requests: Sequence[ConstrainedRequest]
) -> Iterator[RequestFinding]:
    """A constraint over one device."""
    counts = _counts(requests)
    if len(counts) == 1 and all(each.exact for each in requests):
        (request,) = counts
        if max(counts[request]) == 1:
            message = f'the constraint covers one device, that of request "{request}": there is nothing to compare'
            if _picks(name, requests):
                message += f"; all it does is to pass over devices without {name[2]}"
            helped = "a constraint holds inside one claim: request together what is to match, or leave it out"
            yield RequestFinding("DRA228", (kind,), message, helped)


def _deprecated(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> Iterator[RequestFinding]:
    """An attribute whose end its driver announces."""
    entries = [entry for request in requests for entry in _entries(name, request)]
    if entries and all(entry.deprecated for entry in entries):
        successor = next((e.lifetime.replaced_by for e in entries if e.lifetime.replaced_by), None)
        message = f'"{name[1]}/{name[2]}" is deprecated'
        message += f"; its successor is {successor}" if successor else ""
        yield RequestFinding("DRA222", path, message, suggestion=successor)


def _counts(requests: Sequence[ConstrainedRequest]) -> dict[str, list[int]]:
    """Per main request: how many devices each alternative takes."""
    counts: dict[str, list[int]] = {}
    for request in requests:
        counts.setdefault(request.name.partition("/")[0], []).append(request.count)
    return counts


def _drivers(request: ConstrainedRequest) -> list[str]:
    names = (shape.driver.name for shape in request.shapes if shape.driver is not None)
    return list(dict.fromkeys(names))
