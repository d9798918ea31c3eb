"""Constraints of claims against driver schemas: can they be met, and do they ask for anything?

A claim is met by devices in reach of one node, so a value that all devices of a node share is always
the same inside a claim: such a constraint does not bring together the pods of a workload, which
have a claim each.
"""

from __future__ import annotations

from dradsl.cel.syntax import ast
from dradsl.drivers.judge.reachable import parsed
from dradsl.drivers.schema.model import AttributeSchema
from dradsl.drivers.schema.read import standard_attributes
from dradsl.drivers.schema.shapes import Name, Shape, Standing
from dradsl.observations import Impact, Observation
from dradsl.records import Record
from dradsl.values.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
    from typing import Literal, TypeAlias

    from dradsl.cel.runtime.values import Value
    from dradsl.drivers.judge import request_facts as facts
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import AttributeType
else:
    facts = Later("dradsl.drivers.judge.request_facts")

__all__ = [
    "ConstrainedRequest",
    "ConstraintKind",
    "check_constraint",
    "fixed_value",
    "largest_group",
    "like",
]

ConstraintKind: TypeAlias = "Literal['matchAttribute', 'distinctAttribute']"


class ConstrainedRequest(Record):
    """A request under a constraint, or one of its alternatives (then its name is `R/S`).

    `count` is how many devices it takes, at least: 1 for `allocationMode: All`, where `exact` is
    False. `derived` names the attributes that it computes itself (`derivedAttributes`). `fixed` is the one value of
    the constrained attribute that its selectors let through, None where they let several.
    """

    name: str
    shapes: tuple[Shape, ...]
    count: int
    derived: frozenset[str] = frozenset()
    exact: bool = True
    fixed: Value | None = None


_OF_NODES = ("node", "nodename", "hostname", "host")  # devices of a claim are of one node


def fixed_value(attribute: str, selectors: Iterable[str]) -> Value | None:
    """The value with which selectors compare a (qualified) attribute, where no other one gets through."""
    domain, _, key = attribute.partition("/")
    pending = [*parsed(selectors)]
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.Call):
            continue
        if node.function == "_&&_":
            pending += node.args
        elif node.function == "_==_":
            for one, other in (node.args, node.args[::-1]):
                if isinstance(one, ast.Literal) and _reads(other, domain, key):
                    return one.value
    return None


def _reads(node: ast.Expr, domain: str, key: str) -> bool:
    """Whether an expression is `device.attributes["domain"].key`."""
    if not isinstance(node, ast.Select) or node.field != key or node.test_only:
        return False
    match node.operand:
        case ast.Call(
            function="_[_]",
            args=(
                ast.Select(operand=ast.Ident(name="device"), field="attributes"),
                ast.Literal(value=value),
            ),
        ):
            return bool(value == domain)
    return False


def check_constraint(
    attribute: str,
    kind: ConstraintKind,
    requests: Sequence[ConstrainedRequest],
    catalogue: Catalogue | None = None,
) -> list[Observation]:
    """What is wrong with a constraint on the (qualified) `attribute`; the path is its field.

    Requests whose devices are not known are passed over. `catalogue` knows which versions of the
    drivers are settled; without it all are.
    """
    domain, slash, key = attribute.partition("/")
    if not slash:
        return []
    name: Name = ("attributes", domain, key)
    path = (kind,)
    known = [each for each in requests if _is_known(each) and attribute not in each.derived]
    for request in known:
        if all(shape.standing(name) is Standing.NEVER for shape in request.shapes):
            return [_never_there(name, path, request, catalogue, _shared(known))]
        if all(shape.standing(name) is Standing.UNKNOWN for shape in request.shapes):
            meant = _near(attribute, request)
            if meant is not None:
                return [_near_listed(attribute, path, request, meant)]
    found = list(_forms(name, path, known)) or list(_fixed(attribute, kind, requests))
    if kind == "matchAttribute" and not found:
        found.extend(_unique(name, path, known) or _groups(name, path, known))
    deprecated = tuple(_deprecated(name, path, known))
    if not found and not deprecated:  # a successor says more
        found.extend(_foreign(name, path, known))
    if len(known) == len(requests) and not found:
        found.extend(_same_on_node(name, kind, known) or _same_on_model(name, kind, known))
    return found or [*_single(name, kind, requests), *deprecated]


def like(
    requests: Sequence[ConstrainedRequest], largest: Callable[[tuple[Shape, ...]], int]
) -> Hashable:
    """What decides whether anything is wrong with a constraint on these requests.

    Not their names, but which of them belong together; and of their counts only whether they are 1,
    or more than share a value: `largest` gives the `largest_group` of shapes.
    """
    most = max(2, *(largest(each.shapes) + 1 for each in requests)) if requests else 2
    parents: dict[str, int] = {}
    found = []
    for each in requests:
        parent = each.name.partition("/")[0]
        number = parents.setdefault(parent, len(parents))
        rest, count = each.name[len(parent) :], min(each.count, most)
        found.append((number, rest, each.shapes, count, each.derived, each.exact, each.fixed))
    return tuple(found)


def largest_group(attribute: str, shapes: Sequence[Shape]) -> int:
    """The most devices of these shapes that share a value of a (qualified) attribute; 0 if that is
    not known."""
    domain, _, key = attribute.partition("/")
    entries = (shape.entry(("attributes", domain, key)) for shape in shapes)
    sizes = [entry.group_size or 0 for entry in entries if isinstance(entry, AttributeSchema)]
    return max(sizes, default=0)


def _is_known(request: ConstrainedRequest) -> bool:
    return bool(request.shapes) and all(shape.driver is not None for shape in request.shapes)


def _never_there(
    name: Name,
    path: tuple[str, ...],
    request: ConstrainedRequest,
    catalogue: Catalogue | None,
    shared: tuple[str, ...],
) -> Observation:
    """An attribute that no device of a request has: a constraint fails where it is missing."""
    _, domain, key = name
    attribute = f"{domain}/{key}"
    drivers = tuple(_drivers(request))
    old = next((e for s in request.shapes if (e := s.entry_of_any_version(name))), None)
    if old is not None:
        lifetime = old.lifetime
        found = facts.ConstraintOnOtherVersion(
            attribute,
            request.name,
            drivers,
            lifetime.replaced_by,
            removed_in=lifetime.removed_in,
            since=None if lifetime.removed_in else lifetime.since,
        )
        return Observation(found, path, instead=lifetime.replaced_by)
    if any(s.entry(("capacity", domain, key)) for s in request.shapes):
        on_amount = facts.ConstraintOnCapacity(attribute, request.name, drivers, shared=shared)
        return Observation(on_amount, path)
    meant = _meant(attribute, request)
    # A later version of a driver may publish what is no slip of a name that this one has: another
    # name altogether, or one that drivers share.
    newest = _newest(catalogue, drivers)
    is_guess = newest is not None and (meant is None or attribute in standard_attributes())
    unknown = facts.ConstraintOnUnknown(
        attribute, request.name, drivers, meant, newest if is_guess else None, shared
    )
    impact = Impact.MISLEADING if is_guess else Impact.FATAL
    return Observation(unknown, path, instead=None if is_guess else meant, impact=impact)


def _shared(requests: Sequence[ConstrainedRequest]) -> tuple[str, ...]:
    """What drivers agreed to publish, and the devices of all requests have; nothing where there is one device."""
    if _least(requests) < 2:
        return ()
    names = ("resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/numaNode")
    return tuple([each for each in names if all(_may_match(each, request) for request in requests)])


def _may_match(attribute: str, request: ConstrainedRequest) -> bool:
    domain, _, key = attribute.partition("/")
    entries = _entries(("attributes", domain, key), request)
    return bool(entries) and not any(entry.unique for entry in entries)


def _near(attribute: str, request: ConstrainedRequest) -> str | None:
    """An attribute of the request's devices that differs in one letter, in a domain that may have others."""
    from dradsl.drivers.schema.suggest import distance

    domain = attribute.partition("/")[0]
    listed = [each for each in _published(request) if each.partition("/")[0] == domain]
    return next((each for each in listed if distance(each, attribute) == 1), None)


def _near_listed(
    attribute: str, path: tuple[str, ...], request: ConstrainedRequest, meant: str
) -> Observation:
    drivers = tuple(_drivers(request))
    unknown = facts.ConstraintOnUnknown(attribute, request.name, drivers, meant, None)
    return Observation(unknown, path, instead=meant, impact=Impact.MISLEADING)


def _fixed(
    attribute: str, kind: ConstraintKind, requests: Sequence[ConstrainedRequest]
) -> Iterator[Observation]:
    """Requests whose selectors fix the attribute: to different values, or to the same where all must differ."""
    fixed = [each for each in requests if each.fixed is not None and "/" not in each.name]
    for index, one in enumerate(fixed):
        others = [one] if one.count > 1 else []
        for other in (*others, *fixed[index + 1 :]):
            alike = type(one.fixed) is type(other.fixed) and one.fixed == other.fixed
            if alike is (kind == "distinctAttribute"):
                values = str(one.fixed), str(other.fixed)
                found = facts.ConstraintOnFixed(attribute, one.name, other.name, *values)
                yield Observation(found, (kind,))
                return


def _foreign(
    name: Name, path: tuple[str, ...], known: Sequence[ConstrainedRequest]
) -> Iterator[Observation]:
    """An attribute of the driver of one request, that devices of another driver are not known to have."""
    _, domain, key = name
    owners = {driver for each in known for driver in _drivers(each)}
    if domain not in owners:
        return
    for request in known:
        drivers = tuple(_drivers(request))
        if domain not in drivers and all(
            shape.standing(name) is Standing.UNKNOWN for shape in request.shapes
        ):
            found = facts.ConstraintOnForeign(f"{domain}/{key}", request.name, drivers, domain)
            yield Observation(found, path, impact=Impact.MISLEADING)
            return


def _newest(catalogue: Catalogue | None, drivers: Iterable[str]) -> str | None:
    """The newest version in the schema of a driver whose version in use is not given."""
    if catalogue is None:
        return None
    for driver in drivers:
        versions = catalogue.versions(driver)
        if versions and not catalogue.settled(driver):
            return versions[-1]
    return None


def _meant(attribute: str, request: ConstrainedRequest) -> str | None:
    """The attribute of the request's devices that was probably meant."""
    key = attribute.partition("/")[2]
    if key.lower() in _OF_NODES:
        return None
    names = {each.rpartition("/")[2]: each for each in reversed(_published(request))}
    driver = request.shapes[0].driver
    mistaken = driver.mistaken.attributes.get(key) if driver is not None else None
    if mistaken is not None and driver is not None and "/" not in mistaken:
        mistaken = f"{driver.name}/{mistaken}"
    from dradsl.drivers.schema import suggest

    return names.get(key) or mistaken or names.get(suggest.closest(key, reversed(names)) or "")


def _published(request: ConstrainedRequest) -> dict[str, None]:
    """The (qualified) attributes that devices of a request have."""
    return {
        entry.qualified: None
        for each in request.shapes
        if each.device_type is not None
        for entry in each.device_type.attributes.values()
        if each.exists(entry.lifetime)
    }


def _entries(name: Name, request: ConstrainedRequest) -> list[AttributeSchema]:
    entries = (shape.entry(name) for shape in request.shapes)
    return [entry for entry in entries if isinstance(entry, AttributeSchema)]


def _forms(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> Iterator[Observation]:
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
            found = facts.ConstraintTypesDiffer(
                attribute=f"{name[1]}/{name[2]}",
                request=one,
                types=_kinds(first),
                other=other,
                other_types=_kinds(second),
                with_list=any(kind.is_list for kind in first | second),
            )
            yield Observation(found, path)
            return


def _kinds(kinds: Iterable[AttributeType]) -> tuple[str, ...]:
    return tuple(sorted(str(kind) for kind in kinds))


def _unique(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> list[Observation]:
    """Several devices with the same value of what no two devices share."""
    for request in requests:
        entries = _entries(name, request)
        if entries and all(entry.unique for entry in entries) and request.count > 1:
            attribute = f"{name[1]}/{name[2]}"
            found = facts.ConstraintOnUnique(attribute, request.name, request.count)
            return [Observation(found, path)]
    return []


def _groups(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> list[Observation]:
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
        total = _least(members)
        if total > sizes[driver]:
            found = facts.GroupTooSmall(f"{name[1]}/{name[2]}", driver, sizes[driver], total)
            return [Observation(found, path)]
    return []


def _same_on_node(
    name: Name, kind: ConstraintKind, requests: Sequence[ConstrainedRequest]
) -> list[Observation]:
    """An attribute that tells nodes apart, not the devices of one."""
    entries = [entry for request in requests for entry in _entries(name, request)]
    drivers = {driver for request in requests for driver in _drivers(request)}
    if not entries or len(drivers) != 1 or any(entry.same_on != "node" for entry in entries):
        return []
    attribute = f"{name[1]}/{name[2]}"
    if kind == "matchAttribute":
        return [Observation(facts.SameOnNode(attribute, _picks(name, requests)), (kind,))]
    if _least(requests) > 1:
        return [Observation(facts.NeverDistinct(attribute), (kind,))]
    return []


def _same_on_model(
    name: Name, kind: ConstraintKind, requests: Sequence[ConstrainedRequest]
) -> list[Observation]:
    """An attribute of the model, matched as if it were that of one parent."""
    entries = [entry for request in requests for entry in _entries(name, request)]
    if kind != "matchAttribute" or _least(requests) < 2:
        return []
    if not entries or any(entry.same_on != "model" for entry in entries):
        return []
    shapes = [shape for request in requests for shape in request.shapes]
    instead = "resource.kubernetes.io/pciBusID"
    bus: Name = ("attributes", "resource.kubernetes.io", "pciBusID")
    known = all(shape.standing(bus) is not Standing.NEVER for shape in shapes)
    found = facts.SameOnModel(f"{name[1]}/{name[2]}", instead if known else None)
    return [Observation(found, (kind,))]


def _least(requests: Sequence[ConstrainedRequest]) -> int:
    """How many devices the requests take together, at least."""
    return sum(min(counts) for counts in _counts(requests).values())


def _picks(name: Name, requests: Sequence[ConstrainedRequest]) -> bool:
    """Whether some device may lack the attribute: a constraint passes over it."""
    return any(
        shape.standing(name) not in (Standing.ALWAYS, Standing.USUALLY)
        for request in requests
        for shape in request.shapes
    )


def _single(
    name: Name, kind: ConstraintKind, requests: Sequence[ConstrainedRequest]
) -> Iterator[Observation]:
    """A constraint over one device."""
    counts = _counts(requests)
    if len(counts) == 1 and all(each.exact for each in requests):
        (request,) = counts
        if max(counts[request]) == 1:
            attribute = f"{name[1]}/{name[2]}"
            found = facts.OneDevice(attribute, request, _picks(name, requests))
            yield Observation(found, (kind,))


def _deprecated(
    name: Name, path: tuple[str, ...], requests: Sequence[ConstrainedRequest]
) -> Iterator[Observation]:
    """An attribute whose end its driver announces."""
    entries = [entry for request in requests for entry in _entries(name, request)]
    if entries and all(entry.deprecated for entry in entries):
        successor = next((e.lifetime.replaced_by for e in entries if e.lifetime.replaced_by), None)
        found = facts.ConstraintOnDeprecated(f"{name[1]}/{name[2]}", successor)
        yield Observation(found, path, instead=successor)


def _counts(requests: Sequence[ConstrainedRequest]) -> dict[str, list[int]]:
    """Per main request: how many devices each alternative takes."""
    counts: dict[str, list[int]] = {}
    for request in requests:
        counts.setdefault(request.name.partition("/")[0], []).append(request.count)
    return counts


def _drivers(request: ConstrainedRequest) -> list[str]:
    names = (shape.driver.name for shape in request.shapes if shape.driver is not None)
    return list(dict.fromkeys(names))
