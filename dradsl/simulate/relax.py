"""The smallest change to a pod's claims under which they fit a node, found by trying.

A relaxation is only named after the allocator has found devices for the changed claims on that very
node, in the same state.
"""

from __future__ import annotations

import copy
import itertools
import re
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.allocator.explain.clauses import join_clauses, split_clauses
from dradsl.allocator.inventory.allocated import AllocatedState, DeviceShare
from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.records import Record
from dradsl.values.patterns import pattern
from dradsl.values.quantity import Quantity, exact_amount

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import DeviceRecord
    from dradsl.cel.syntax.ast import Expr
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        DeviceSelectorDict,
        DeviceSubRequestDict,
        ExactDeviceRequestDict,
        ResourceClaimDict,
    )
    from dradsl.simulate.attempts import Simulation

__all__ = ["Relaxation", "relax"]

_MAX_TRIALS = 120
_BUDGET = 50_000
_FEW, _SOME = 3, 16
_LAST = 9
_PLACE = pattern(r"(?i)numa|pci|socket|root")  # attributes that tell where a device is
_PLACES = ("resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/numaNode")
_NUMBERED = pattern(r"\w*\d\w*")  # a word with digits names a product or a size
_PRODUCT = pattern(r"(?i)product|model|architecture|family|brand|type$")
_DROPPED = (0, 5)  # the places of clauses and whole selectors among changes
_NEAR = Fraction(9, 10)
_AMOUNT = "[0-9]+([KMGTPE]i|[kMGTPE])"
_ABILITY = pattern(r"(?:[!=]=\s*(?:true|false)|^!?device\.attributes\[[^\]]+\]\.\w+)$")
_MAPS = ("attributes", "capacity")
_INDEXED = pattern(r"\bdevice\.(attributes|capacity)\[(['\"])([^'\"]+)\2\]\.(\w+)")
_COMPARED = pattern(
    r"(\bdevice\.attributes\[[^\]]+\]\.(\w+)) *([<>]=?) *['\"]v?([0-9]+(?:\.[0-9]+){0,2})['\"]"
)
_QUOTED = pattern(
    r"(\bdevice\.attributes\[[^\]]+\]\.(\w+)) *([!=]=) *(?:['\"](?i:(true|false|[0-9]+))['\"]|(true|false|[0-9]+)\b)"
)
_NAMED = pattern(r"\.(\w+)(?:\s*(?:==|in)\s*\[?|\.(?:contains|startsWith)\()\s*['\"]([^'\"]+)['\"]")
_VERSION = pattern(r"\.(\w+)\.compareTo\(semver\(['\"]([^'\"]+)['\"]\)\)\s*>=\s*0$")

_Seen: TypeAlias = "Sequence[tuple[str, DeviceRecord]]"
"""Devices with their drivers."""
_Ask: TypeAlias = "ExactDeviceRequestDict | DeviceSubRequestDict"
Accepts: TypeAlias = "Callable[[Node, Sequence[AllocationResultDict]], bool]"


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """A change that makes the claims fit `node`: what to change, and the claims so changed.

    `devices`: instead of changing claims, these devices that are in use now have to be free. `gives_up`: what of the request is lost by each change.
    """

    node: str
    changes: tuple[str, ...]
    claims: tuple[ResourceClaimDict, ...]
    devices: tuple[DeviceId | DeviceShare, ...] = ()
    gives_up: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The changes in words, joined by "and"."""
        return " and ".join(self.changes)


class _Edit(Record):
    """One change: which claim, what it does in words, the change itself as a path and value, and what
    of the request it gives up.

    `value` None removes what `path` names. `near`: it writes what devices publish a little differently.
    """

    claim: int
    text: str
    path: tuple[str | int, ...]
    value: Any = None
    loses: str = ""
    near: bool = False


def relax(
    simulation: Simulation,
    claims: Sequence[ResourceClaimDict],
    nodes: Sequence[Node],
    accepts: Accepts | None = None,
    leftover: Collection[DeviceId | DeviceShare] = (),
    *,
    keep_selectors: bool = False,
    held: Sequence[Sequence[Collection[DeviceId | DeviceShare]]] = (),
) -> Relaxation | None:
    """The smallest relaxation that lets `claims` fit one of `nodes`; None if none was found.

    `accepts`: whether the node still does once the claims have got these allocations.

    One change is smaller than two; among single changes constants that devices publish a little
    differently go first, then clauses, constraints, counts, taints and capacities, and waiting for devices
    in use goes last. `leftover` are devices in use for pods that are gone: to free them goes before
    all changes. `keep_selectors`: no selector or clause is dropped. `held` are the devices that become free
    together, by how little it matters; with it, to free the fewest of these sets, of the first lists that are enough,
    goes before changes that give up what was asked.
    """
    trials = _Trials(simulation, accepts)
    for node in nodes if leftover else ():
        if found := trials.freed(claims, node, leftover):
            return found
    trials = _Trials(simulation, accepts)
    seen = [
        (entry.driver, device)
        for node in nodes
        for pool in trials.pools(node)
        for entry in pool.slices
        for device in entry.devices
    ]
    edits = list(_edits(claims, simulation, seen, keep_selectors=keep_selectors))
    near = [edit for edit in edits if edit.near] if held else []
    pairs = [pair for pair in itertools.combinations(near, 2) if _compatible(*pair)]
    others = [(edit,) for edit in edits if edit not in near]
    for group in ([*((edit,) for edit in near), *pairs], others):
        for last in range(len(held) if group is others else 0):
            sets = [frozenset(unit) for level in held[: last + 1] for unit in level]
            by_node = (trials.freed(claims, node, held=sets) for node in nodes if sets)
            freed = [one for one in by_node if one]
            costs = [[n for n, unit in enumerate(sets) if unit & {*one.devices}] for one in freed]
            # The fewest sets of all nodes, and of as many the first.
            for _, one in sorted(zip(costs, freed, strict=True), key=lambda p: (len(p[0]), p[0])):
                return one
        for node in nodes:
            for chosen in group:
                if found := trials.attempt(claims, chosen, node):
                    return found
    for node in nodes:
        if not held and (found := trials.freed(claims, node)):
            return found
    for node in nodes:
        for pair in itertools.combinations(edits, 2):
            if _compatible(*pair) and (found := trials.attempt(claims, pair, node)):
                return found
    return None


def _compatible(a: _Edit, b: _Edit) -> bool:
    """Whether two changes can be made together: not where one replaces or removes the other."""
    shorter = min(len(a.path), len(b.path))
    return a.claim != b.claim or a.path[:shorter] != b.path[:shorter]


class _Trials:
    def __init__(self, simulation: Simulation, accepts: Accepts | None) -> None:
        self._simulation = simulation
        self._accepts = accepts
        self._left = _MAX_TRIALS

    def attempt(
        self, claims: Sequence[ResourceClaimDict], edits: Sequence[_Edit], node: Node
    ) -> Relaxation | None:
        changed = [copy.deepcopy(claim) for claim in claims]
        # Later list items first, so that removals do not move what is still to be changed.
        order = [[(s, "") if isinstance(s, int) else (-1, s) for s in one.path] for one in edits]
        for _, edit in sorted(
            zip(order, edits, strict=True), key=lambda pair: pair[0], reverse=True
        ):
            _apply(changed[edit.claim], edit)
        if not self._fits(changed, node, self._simulation.state):
            return None
        texts, lost = (tuple(edit.text for edit in edits), tuple(edit.loses for edit in edits))
        return Relaxation(node.name, texts, tuple(changed), gives_up=tuple(filter(None, lost)))

    def freed(
        self,
        claims: Sequence[ResourceClaimDict],
        node: Node,
        only: Collection[DeviceId | DeviceShare] | None = None,
        held: Sequence[Collection[DeviceId | DeviceShare]] = (),
    ) -> Relaxation | None:
        """Whether the claims fit once no device is in use, or none of `only`, and how few devices, or sets of
        `held`, must become free."""
        state = self._simulation.state
        used = (
            {*state.exclusive, *state.shares, *state.consumed}
            if only is None
            else set(map(_id, only))
        )
        here = [
            name
            for pool in self.pools(node)
            for entry in pool.slices
            for device in entry.devices
            if (name := DeviceId(entry.driver, entry.pool, device.name)) in used
        ]
        there = set(here)
        devices = [name for name in only or here if _id(name) in there]
        units = [tuple(one) for one in held if not there.isdisjoint(map(_id, one))]
        rest = AllocatedState() if only is None and not held else state.without(devices)
        rest = state.without(itertools.chain(*units)) if held else rest
        if not (units if held else devices) or not self._fits(claims, node, rest):
            return None
        units = units or [(name,) for name in devices]
        for count in range(1, min(len(units), _FEW) + 1):
            for chosen in itertools.islice(itertools.combinations(units, count), 30):
                names = tuple(name for unit in chosen for name in unit)
                if self._fits(claims, node, state.without(names)):
                    freed = ", ".join(name.device for name in names)
                    text = f"wait until {freed} {'is' if len(names) == 1 else 'are'} free"
                    return Relaxation(node.name, (text,), tuple(claims), names)
        if held:
            # All of them do; those that need not become free are taken out again, the last ones first.
            for unit in units[::-1]:
                fewer = [one for one in units if one is not unit]
                if self._fits(claims, node, state.without(itertools.chain(*fewer))):
                    units = fewer
            devices = [name for unit in units for name in unit]
        text = f"wait until more of its {len(devices)} devices in use are free"
        return Relaxation(node.name, (text,), tuple(claims), tuple(devices))

    def pools(self, node: Node) -> Sequence[Any]:
        try:
            return self._simulation.fleet.pools(node)
        except GatherError:
            return ()

    def _fits(self, claims: Sequence[ResourceClaimDict], node: Node, state: AllocatedState) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        allocator = self._simulation.allocator(claims, state=state, budget=_BUDGET)
        result = allocator.allocate(node)
        if not result.fits or self._accepts is None:
            return result.fits
        return self._accepts(node, result.allocations or ())


def _id(name: DeviceId | DeviceShare) -> DeviceId:
    return DeviceId(*name[:3])


def _apply(document: ResourceClaimDict, edit: _Edit) -> None:
    place: Any = document
    for step in edit.path[:-1]:
        place = place[step]
    last = edit.path[-1]
    if edit.value is None:
        del place[last]
    else:
        place[last] = edit.value


def _edits(
    claims: Sequence[ResourceClaimDict],
    simulation: Simulation,
    seen: _Seen,
    *,
    keep_selectors: bool,
) -> Iterator[_Edit]:
    """Every single change worth trying, the mildest kinds first. `seen` are devices of the nodes."""
    found: list[tuple[int, _Edit]] = []
    for number, claim in enumerate(claims):
        devices = (claim.get("spec") or {}).get("devices") or {}
        for place, request in enumerate(devices.get("requests") or ()):
            base: tuple[str | int, ...] = ("spec", "devices", "requests", place)
            asks: list[tuple[tuple[str | int, ...], str, _Ask]] = []
            name = str(request.get("name") or "")
            if request.get("exactly"):
                asks.append(((*base, "exactly"), name, request["exactly"]))
            for i, part in enumerate(request.get("firstAvailable") or ()):
                asks.append(((*base, "firstAvailable", i), f"{name}/{part.get('name')}", part))
            for path, label, ask in asks:
                found += _ask_edits(number, path, label, ask, simulation, seen)
        for i, constraint in enumerate(devices.get("constraints") or ()):
            attribute = constraint.get("matchAttribute") or constraint.get("distinctAttribute")
            path = ("spec", "devices", "constraints", i)
            key = "matchAttribute" if constraint.get("matchAttribute") else "distinctAttribute"
            for meant, near in _instead(str(attribute), seen):
                verb = "write" if near else "match"
                text = f"{verb} {meant} instead of {attribute} in the constraint"
                lost = (
                    "" if near else f"devices of the same {attribute}: they have the same {meant}"
                )
                if near or key == "matchAttribute":
                    found.append((-1, _Edit(number, text, (*path, key), meant, lost, near)))
            text = f"drop the constraint on {attribute}"
            found.append((1, _Edit(number, text, path, loses=f"the constraint on {attribute}")))
    found.sort(key=lambda pair: pair[0])
    yield from (edit for rank, edit in found if not (keep_selectors and rank in _DROPPED))


def _ask_edits(
    claim: int,
    path: tuple[str | int, ...],
    label: str,
    ask: _Ask,
    simulation: Simulation,
    seen: _Seen,
) -> Iterator[tuple[int, _Edit]]:
    for i, selector in enumerate(ask.get("selectors") or ()):
        yield from _clause_edits(claim, (*path, "selectors", i), label, selector, seen)
    count = ask.get("count") or 1
    if ask.get("allocationMode") != "All":
        for fewer in range(min(count, 33) - 1, 0, -1):
            text = f"ask for {fewer} instead of {count} in request {label}"
            yield (
                2,
                _Edit(claim, text, (*path, "count"), fewer, f"{count - fewer} of {count} devices"),
            )
    yield from _taint_edits(claim, path, label, ask, simulation)
    for name, amount in ((ask.get("capacity") or {}).get("requests") or {}).items():
        if most := _most(name, str(amount), seen):
            text = f"ask for {most} of {name} instead of {amount} in request {label}"
            place = (*path, "capacity", "requests", name)
            yield 3, _Edit(claim, text, place, most, f"{name} above {most}")
    if ask.get("capacity"):
        text = f"drop the capacity request of request {label}"
        yield 4, _Edit(claim, text, (*path, "capacity"), loses="the capacity")


def _most(name: str, amount: str, seen: _Seen) -> str:
    """The most of a capacity that a device gives to one request, if it is less than this amount; else empty."""
    found = [(Fraction(0), "")]
    capacities: list[Any] = [one.traits.capacity.get(name) or {} for _, one in seen]
    for given in capacities:
        policy = given.get("requestPolicy") or {}
        most = (policy.get("validRange") or {}).get("max") or given.get("value")
        values = policy.get("validValues") or [most]
        found += [(exact_amount(one) or Fraction(0), str(one)) for one in values]
    top, text = max(found)
    return text if 0 < top < (exact_amount(amount) or 0) else ""


def _clause_edits(
    claim: int, path: tuple[str | int, ...], label: str, selector: DeviceSelectorDict, seen: _Seen
) -> Iterator[tuple[int, _Edit]]:
    cel = selector.get("cel")
    expression = str(cel.get("expression") or "") if cel else ""
    near = [(changed, texts, "", True) for changed, texts in _spelled(expression, seen)]
    near = near or list(_named(expression, seen))
    for changed, texts, instead, same in near:
        text = f"write {' and '.join(texts)} in request {label}"
        least = [one.partition(" ")[0] for one in texts if re.match(_AMOUNT, one)]
        lost = " and ".join(f"what is above {one}" for one in least) or instead
        selects = {"cel": {"expression": changed}}
        yield -1 if same else _LAST, _Edit(claim, text, path, selects, lost, near=same)
    if near:
        return  # to drop what is only misspelled would ask for something else
    clauses = split_clauses(expression)
    kept = False  # what a device has to be able to do is not dropped
    for i, clause in enumerate(clauses):
        less = _less(clause, seen)
        kept |= less is not None or _ABILITY.search(clause) is not None
        if less is not None:
            written, most = less
            rest = join_clauses([*clauses[:i], clause.replace(written, most), *clauses[i + 1 :]])
            text, lost = f"write {most} instead of {written} in request {label}", "what is above"
            lower = {"cel": {"expression": rest}}
            yield _DROPPED[0], _Edit(claim, text, path, lower, f"{lost} {most}")
        elif len(clauses) > 1 and not _ABILITY.search(clause):
            rest = join_clauses([*clauses[:i], *clauses[i + 1 :]])
            text = f"drop the clause `{clause}` of request {label}"
            shorter = {"cel": {"expression": rest}}
            yield _DROPPED[0], _Edit(claim, text, path, shorter, "what the clause asks for")
    if not kept:
        text = f"drop the selector `{expression}` of request {label}"
        rank = _DROPPED[len(clauses) > 1]
        yield rank, _Edit(claim, text, path, loses="what the selector asks for")


def _less(clause: str, seen: _Seen) -> tuple[str, str] | None:
    """The amount of a capacity in a clause, and the most that a device has of it, as it is published, or a version and
    the newest; None if the clause asks for none, or if that is not less."""
    if least := _VERSION.search(clause.strip()):
        rows = (pair for _, one in seen for pair in one.attributes.items())
        given = (str(value) for name, (_, value) in rows if name.rpartition("/")[2] == least[1])
        known = [([*map(int, re.findall("[0-9]+", one))], one) for one in (least[2], *given)]
        newest = max(known[1:], default=known[0])
        return (least[2], newest[1]) if newest < known[0] else None
    written = re.search(rf"quantity\(['\"]({_AMOUNT}|[0-9]+)['\"]\)", clause)
    if written is None:
        return None
    found: list[tuple[Fraction, str]] = []
    for traits in {id(one.traits): one.traits for _, one in seen}.values():
        for name, capacity in traits.capacity.items():
            if re.search(rf"\b{re.escape(name.rpartition('/')[2])}\b", clause):
                text = str(capacity.get("value") or "0")
                found.append((exact_amount(text) or Fraction(0), text))
    most, text = max(found, default=(Fraction(0), ""))
    less = 0 < most < Quantity.parse(written[1]).as_fraction()
    return (written[1], text) if less else None


def _spelled(expression: str, seen: _Seen) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A selector with one or several constants as devices publish them, and what was written in words."""
    waiting: list[tuple[str, tuple[str, ...]]] = [(expression, ())]
    known = {expression}
    for given, texts in waiting:
        for written, meant, changed in _near(given, seen) if len(texts) < _FEW else ():
            if changed not in known:
                known.add(changed)
                waiting.append((changed, (*texts, f"{meant} instead of {written}")))
    yield from waiting[1:]


def _named(expression: str, seen: _Seen) -> Iterator[tuple[str, tuple[str, ...], str, bool]]:
    """A selector with a published text for one that no device publishes, what is written, what that gives up, and whether
    it stays the same product. A version is written as one."""
    for found in _NAMED.finditer(expression):
        asked = set(_NUMBERED.findall(found[2]))
        values = {
            str(value): kind
            for _, one in seen
            for name, (kind, value) in one.attributes.items()
            if name.rpartition("/")[2] == found[1] and not set(str(value)) & {*"'\"\\"}
        }
        start, end = found.start(2), found.end(2)
        if "version" in values.values():
            written = expression[start - 1 : end + 1]
            changed = f"{expression[: start - 1]}semver({written}){expression[end + 1 :]}"
            yield changed, (f"semver({written}) instead of {written}",), "", True
            continue
        parts = [*values, found[2]] if found[1] == "profile" else []  # of a GPU, by size
        sizes = {one: int((re.findall("[0-9]+", one) or "0")[0]) for one in parts}
        size = sizes.get(found[2], 0)
        alike = sorted(values, key=lambda one: (sizes.get(one, 0) < size, sizes.get(one, 0)))
        whole = [*values] if "(" in found[0] else []
        fails = found[2] not in values and not any(found[2] in one for one in whole)
        for value in alike[:_SOME] if fails else ():
            changed = f"{expression[:start]}{value}{expression[end:]}"
            same = set() < asked <= set(_NUMBERED.findall(value)) or not _PRODUCT.search(found[1])
            yield changed, (f"{value} instead of {found[2]}",), f"what {found[2]} stands for", same


def _instead(name: str, seen: _Seen) -> Iterator[tuple[str, bool]]:
    """The attributes that a constraint can name instead, and if each is what was meant: of this name in another domain or, of a
    name without any device, spelled otherwise; then, of a place, those of Kubernetes for places, the narrowest first."""
    published = _published(seen)
    own, near = name.rpartition("/")[2].lower(), name not in published
    same = [one for one in sorted(published - {name}) if one.rpartition("/")[2].lower() == own]
    for one in same or (get_close_matches(name, published, 1) if near else ()):
        yield one, near
    for one in _PLACES if _PLACE.search(own) else ():
        if one in published and one not in (name, *same):
            yield one, False


def _published(seen: _Seen, of: str = "") -> set[str]:
    """The attributes and capacities of devices (or one kind of them), with their domains."""
    return {
        name if "/" in name else f"{driver}/{name}"
        for driver, one in seen
        for place, held in zip(_MAPS, (one.attributes, one.traits.capacity), strict=True)
        for name in (held if of in ("", place) else ())
    }


def _near(expression: str, seen: _Seen) -> Iterator[tuple[str, str, str]]:
    """Constants of a selector that no device publishes, as devices publish them: the constant, the other
    one, and the selector with it."""
    from dradsl.cel.syntax.ast import Call, Literal, walk
    from dradsl.cel.syntax.parse import CelSyntaxError, parse

    try:
        nodes = list(walk(parse(expression)))
    except CelSyntaxError:
        return
    calls = [one for one in nodes if isinstance(one, Call)]
    amounts = {id(arg) for one in calls if one.function == "quantity" for arg in one.args}
    names = {id(one.args[1]) for one in calls if one.function == "_[_]"}
    yield from _typed(expression, seen)
    yield from _near_names(expression, nodes, seen)
    for node in nodes:
        if not isinstance(node, Literal) or not isinstance(node.value, str) or id(node) in names:
            continue
        near = _near_amount if id(node) in amounts else _near_text
        other = near(node.value, seen)
        start, end = node.span
        if other and node.value in expression[start:end] and not set(other) & {*"'\"\\"}:
            changed = expression[start:end].replace(node.value, other)
            yield node.value, other, expression[:start] + changed + expression[end:]


def _typed(expression: str, seen: _Seen) -> Iterator[tuple[str, str, str]]:
    """Capacities that are asked for as attributes, attributes as capacities, and values that are compared with another type."""
    for found in _INDEXED.finditer(expression):
        (other,) = {*_MAPS} - {found[1]}
        if f"{found[3]}/{found[4]}" in _published(seen, other) - _published(seen, found[1]):
            meant = found[0].replace(found[1], other, 1)
            yield found[0], meant, expression.replace(found[0], meant)
    kinds = {
        n.rpartition("/")[2]: kind for _, one in seen for n, (kind, _) in one.attributes.items()
    }
    for found in _QUOTED.finditer(expression):
        quoted, kind = found[4] is not None, kinds.get(found[2], "")
        if quoted is (kind in ("bool", "int")) and kind in ("bool", "int", "string"):
            value = found[4].lower() if quoted else f"'{found[5]}'"
            meant = f"{found[1]} {found[3]} {value}"
            yield found[0], meant, expression.replace(found[0], meant)
    for found in _COMPARED.finditer(expression):
        if kinds.get(found[2]) == "version":
            parts = [str(int(one)) for one in found[4].split(".")]
            version = ".".join((*parts, "0", "0")[:3])
            meant = f"{found[1]}.compareTo(semver('{version}')) {found[3]} 0"
            yield found[0], meant, expression.replace(found[0], meant)


def _near_names(
    expression: str, nodes: Sequence[Expr], seen: _Seen
) -> Iterator[tuple[str, str, str]]:
    """Domains and ids of attributes and capacities that no device publishes, as devices publish them."""
    from dradsl.cel.syntax.ast import Call, Literal, Select

    published = _published(seen)
    domains = {name.rpartition("/")[0] for name in published} - {""}
    for written in (f"{place}.{one}" for one in sorted(domains) for place in _MAPS):
        if f"device.{written}." in expression:
            meant = "{}['{}']".format(*written.split(".", 1))
            yield written, meant, expression.replace(f"device.{written}.", f"device.{meant}.")
    for node in nodes:
        if not isinstance(node, (Call, Select)):
            continue
        index = node.operand if isinstance(node, Select) else node
        if not isinstance(index, Call) or index.function != "_[_]":
            continue
        domain = index.args[1]
        if not isinstance(domain, Literal) or not isinstance(domain.value, str):
            continue
        if isinstance(node, Call) and domain.value not in domains:
            inside = [one for one in sorted(domains) if one.endswith(f".{domain.value}")]
            found, span = inside or get_close_matches(domain.value, domains, 1), domain.span
            written = domain.value
        elif isinstance(node, Select) and domain.value in domains:
            ids = {
                name.rpartition("/")[2] for name in published if name.startswith(f"{domain.value}/")
            }
            same = [one for one in sorted(ids) if one.lower() == node.field.lower()]
            found = [] if node.field in ids else same or get_close_matches(node.field, ids, 1)
            written, span = node.field, node.field_span
        else:
            continue
        start, end = span
        for meant in found:
            if written in expression[start:end]:
                changed = expression[start:end].replace(written, meant)
                yield written, meant, expression[:start] + changed + expression[end:]


def _near_text(written: str, seen: _Seen) -> str:
    """A text that devices publish which differs in case or spelling, but in no number."""
    values = {
        str(value) for _, one in seen for kind, value in one.attributes.values() if kind == "string"
    }
    values |= {driver for driver, _ in seen}
    if written in values:
        return ""
    whole = [one for one in values if re.search(rf"(?i)\b{re.escape(written)}\b", one)]
    if len(whole) == 1 and len(written) >= _FEW:
        return whole[0]
    folded = {value.lower(): value for value in sorted(values)}
    for name in get_close_matches(written.lower(), folded, n=3, cutoff=0.8):
        if re.findall("[0-9]+", name) == re.findall("[0-9]+", written):
            return folded[name]
    return ""


def _near_amount(written: str, seen: _Seen) -> str:
    """The next lower amount, in the same unit, that devices have if it is lower by a tenth at most."""
    matched = re.fullmatch(_AMOUNT, written)
    if matched is None:
        bytes_of = re.fullmatch(r"([0-9]+) ?([KMGTP]i?)[bB]", written)
        return f"{bytes_of[1]}{bytes_of[2]}" if bytes_of else ""
    unit = Quantity.parse(f"1{matched[1]}").as_fraction()
    wanted, below = Quantity.parse(written).as_fraction(), []
    for traits in {id(one.traits): one.traits for _, one in seen}.values():
        for capacity in traits.capacity.values():
            value = exact_amount(capacity.get("value")) or Fraction(0)
            if value // unit * unit >= wanted * _NEAR:
                below.append(value)
    lower = [value for value in below if value < wanted]
    return f"{max(lower) // unit}{matched[1]}" if lower and len(lower) == len(below) else ""


def _taint_edits(
    claim: int, path: tuple[str | int, ...], label: str, ask: _Ask, simulation: Simulation
) -> Iterator[tuple[int, _Edit]]:
    if "DeviceTaints" not in simulation.allocator_features:
        return
    taints = {
        (taint.key, taint.effect)
        for _, device in simulation.cluster.inventory.devices()
        for taint in device.traits.taints
    }
    for key, effect in sorted(taints)[:4]:
        toleration = {"key": key, "operator": "Exists", "effect": effect}
        tolerations = [*(ask.get("tolerations") or ()), toleration]
        text = f"tolerate taint {key}:{effect} in request {label}"
        loses = f"the protection that {key} gives"
        yield 3, _Edit(claim, text, (*path, "tolerations"), tolerations, loses)
