"""Why a node has no devices for a request: how many devices fall out where.

Every number is a count of devices that can be made again by hand; nothing here decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.allocator.engine.constraints import lookup
from dradsl.allocator.engine.eligibility import Fault, SelectorFailureError
from dradsl.allocator.engine.plan import ALL
from dradsl.allocator.explain.clauses import split_clauses
from dradsl.allocator.inventory.taints import blocking_taint
from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.allocator.engine.plan import ConstraintPlan, RequestData
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.inventory.slices import Attribute, DeviceId, DeviceRecord, Slice

__all__ = ["FailedClause", "Funnel", "PoolTrouble", "Stage", "ValueGroups", "explain"]

STAGES = (
    "class",
    "selector",
    "node",
    "binding",
    "error",
    "in use",
    "partition",
    "capacity",
    "taint",
    "counters",
)
"""Where a device can fall out, in the order in which it is asked; each falls out once."""

_SHOWN = 5


class FailedClause(Record):
    """A clause that devices fail, and what those devices have instead.

    `values` are attributes that the clause reads with the values found, most frequent first.
    """

    text: str
    devices: tuple[DeviceId, ...]
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    error: str | None = None


class Stage(Record):
    """Devices that fall out at one stage. `clauses` tell class and selector apart further;
    `detail` names taints, holders, capacities."""

    name: str
    devices: tuple[DeviceId, ...]
    clauses: tuple[FailedClause, ...] = ()
    detail: tuple[str, ...] = ()


class ValueGroups(Record):
    """The devices left, by the value that a constraint compares: value and count, largest first."""

    attribute: str
    distinct: bool
    groups: tuple[tuple[str, int], ...]
    missing: int
    wanted: int

    @property
    def largest(self) -> int:
        """How many of the devices left the constraint allows together."""
        if self.distinct:
            return len(self.groups)
        return self.groups[0][1] if self.groups else 0


class Funnel(Record):
    """One request on one node: devices seen, where they fall out, and what is left.

    `wanted` is the count, or the number of devices that All mode found. `left` can be taken singly.
    """

    claim: str
    request: str
    class_name: str
    everything: bool
    wanted: int
    seen: int
    stages: tuple[Stage, ...]
    left: tuple[DeviceId, ...]
    groupings: tuple[ValueGroups, ...]

    @property
    def enough(self) -> bool:
        return len(self.left) >= self.wanted and all(
            grouping.largest >= grouping.wanted for grouping in self.groupings
        )


class PoolTrouble(Record):
    """A pool of the node that is not used, and why."""

    pool: str
    text: str


@dataclass(slots=True)
class _Fallen:
    devices: list[DeviceId] = field(default_factory=list)
    detail: dict[str, int] = field(default_factory=dict)
    places: list[tuple[Slice, DeviceRecord]] = field(default_factory=list)


def pool_troubles(problem: SearchProblem) -> tuple[PoolTrouble, ...]:
    """The pools that hold nothing for this node's search."""
    found = []
    for pool in problem.gathered:
        if pool.invalid:
            found.append(PoolTrouble(str(pool.id), f"pool invalid: {pool.reason}"))
        elif pool.incomplete:
            counts = f"{pool.found} of {pool.announced} slices"
            found.append(PoolTrouble(str(pool.id), f"pool being updated ({counts})"))
    return tuple(found)


def explain(allocator: Allocator, problem: SearchProblem) -> tuple[Funnel, ...]:
    """The funnel of every request of the pod on the node that poses `problem`."""
    return tuple(
        _Explainer(allocator, problem, request_data).funnel()
        for request_data in allocator.plan.all_requests
    )


class _Explainer:
    def __init__(
        self, allocator: Allocator, problem: SearchProblem, request_data: RequestData
    ) -> None:
        self._allocator = allocator
        self._problem = problem
        self._request_data = request_data
        self._state = allocator.state
        self._class_count = (
            len(request_data.device_class.selectors) if request_data.device_class else 0
        )

    def funnel(self) -> Funnel:
        fallen: dict[str, _Fallen] = {}
        left: list[int] = []
        seen = 0
        for position, signature in enumerate(self._problem.signatures):
            if signature.fault is not None:
                continue
            seen += 1
            found = self._falls(position)
            if found is None:
                left.append(position)
                continue
            stage, reason = found
            entry = fallen.setdefault(stage, _Fallen())
            _, owner, device = self._problem.place(position)
            entry.devices.append(self._problem.device_id(position))
            entry.places.append((owner, device))
            entry.detail[reason] = entry.detail.get(reason, 0) + 1
        label = self._allocator.plan.claims[self._request_data.claim].label
        names = self._request_data.device_class
        return Funnel(
            claim=label,
            request=self._request_data.full_name,
            class_name=names.name if names else "",
            everything=self._request_data.mode == ALL,
            wanted=self._wanted(),
            seen=seen,
            stages=tuple(self._stage(name, fallen[name]) for name in STAGES if name in fallen),
            left=tuple(self._problem.device_id(position) for position in left),
            groupings=tuple(self._groupings(left)),
        )

    def _wanted(self) -> int:
        if self._request_data.mode != ALL:
            return self._request_data.count
        # All mode counts devices in use as well, but none that is too small.
        views = [
            signature.matches[self._request_data.index]
            for signature in self._problem.signatures
            if not signature.fault
        ]
        empty = self._allocator.variant.static_all
        return (
            sum(
                view.eligible is True and (view.fits_empty if empty else view.capacity) is not False
                for view in views
            )
            or 1
        )

    def _falls(self, position: int) -> tuple[str, str] | None:
        """The first stage at which a device falls out, and the words for it."""
        for stage in STAGES:
            reason = self._check(stage, position)
            if reason is not None:
                return stage, reason
        return None

    def _check(self, stage: str, position: int) -> str | None:
        _, owner, device = self._problem.place(position)
        signature = self._problem.signatures[position]
        view = signature.matches[self._request_data.index]
        match stage:
            case "class" | "selector":
                return self._selected(stage, owner, device)
            case "node":
                reaches = not owner.per_device or view.eligible is not False
                return None if reaches else self._unreached(owner, device)
            case "binding":
                return self._binding(device)
            case "error":
                if isinstance(view.eligible, Fault):
                    return view.eligible.text(self._problem.device_id(position))
                return None
            case "in use":
                return (
                    self._in_use(position)
                    if signature.in_use and not self._request_data.admin
                    else None
                )
            case "partition":
                return "uses a feature that is off" if signature.blocked else None
            case "capacity":
                return (
                    None
                    if view.capacity is None or isinstance(view.capacity, tuple)
                    else "too little"
                )
            case "taint":
                return self._taint(device) if view.tainted else None
        return self._counters(position)

    def _selected(self, stage: str, owner: Slice, device: DeviceRecord) -> str | None:
        answers = self._allocator.eligibility.explain(self._request_data, owner.driver, device)
        part = answers[: self._class_count] if stage == "class" else answers[self._class_count :]
        for expression, answer in part:
            if answer is False:
                return expression
            if answer is not True:
                # Errors are a stage of their own: nothing after them is asked.
                return None
        return None

    def _unreached(self, owner: Slice, device: DeviceRecord) -> str | None:
        answers = self._allocator.eligibility.explain(self._request_data, owner.driver, device)
        selected = all(answer is True for _, answer in answers)
        return "the device is for other nodes" if selected else None

    def _binding(self, device: DeviceRecord) -> str | None:
        on = "DeviceBindingAndStatus" in self._allocator.features
        return None if on or not device.traits.binding_conditions else "binding conditions are off"

    def _in_use(self, position: int) -> str:
        holders = self._state.holders.get(self._problem.device_id(position)) or ["another claim"]
        return f"held by {', '.join(holders)}"

    def _taint(self, device: DeviceRecord) -> str:
        taint = blocking_taint(
            device.traits.taints,
            self._request_data.tolerations,
            self._allocator.variant.every_taint_blocks,
        )
        if taint is None:
            return "taint"
        return (
            f"{taint.key}={taint.value}:{taint.effect}"
            if taint.value
            else (f"{taint.key}:{taint.effect}")
        )

    def _counters(self, position: int) -> str | None:
        """The counters that a device would need more of than is left, taken alone."""
        signature = self._problem.signatures[position]
        if (
            not signature.consumes_counters
            or "PartitionableDevices" not in self._allocator.features
        ):
            return None
        if (
            signature.allow_multiple_allocations
            and signature.shared
            and self._allocator.variant.second_share_free
        ):
            return None
        left = dict(self._problem.available[self._problem.origins[position]])
        for name, amount in signature.consumes_counters:
            if name in left:
                left[name] -= amount
        short = dict.fromkeys(name[0] for name, amount in left.items() if amount < 0)
        return f"too little left in {', '.join(short)}" if short else None

    # Words

    def _stage(self, name: str, fallen: _Fallen) -> Stage:
        clauses: tuple[FailedClause, ...] = ()
        detail = tuple(
            f"{text} ({count})" if len(fallen.devices) > 1 else text
            for text, count in sorted(fallen.detail.items(), key=lambda item: -item[1])
        )
        if name in ("class", "selector"):
            clauses = tuple(self._clauses(name, fallen))
            detail = ()
        elif name == "capacity":
            detail = tuple(self._capacities(fallen))
        return Stage(name, tuple(fallen.devices), clauses, detail)

    def _clauses(self, stage: str, fallen: _Fallen) -> list[FailedClause]:
        """The clauses that the devices fail first, with what they have instead."""
        by_clause: dict[str, list[tuple[DeviceId, DeviceRecord, str]]] = {}
        for identity, (owner, device) in zip(fallen.devices, fallen.places, strict=True):
            text = self._failed_clause(stage, owner, device)
            by_clause.setdefault(text, []).append((identity, device, owner.driver))
        return [
            FailedClause(
                text,
                tuple(identity for identity, _, _ in failed),
                self._values(text, [(device, driver) for _, device, driver in failed]),
            )
            for text, failed in sorted(by_clause.items(), key=lambda item: -len(item[1]))
        ]

    def _failed_clause(self, stage: str, owner: Slice, device: DeviceRecord) -> str:
        expression = self._selected(stage, owner, device) or ""
        for clause in split_clauses(expression):
            if self._answer(clause, owner.driver, device) is False:
                return clause
        return expression

    def _answer(self, expression: str, driver: str, device: DeviceRecord) -> bool | str:
        selector = self._allocator.eligibility.compiled(expression)
        if selector.error is not None:
            return selector.error
        try:
            return selector.match(driver, device.as_v1())
        except SelectorFailureError as error:
            return str(error)

    def _values(
        self, clause: str, devices: Sequence[tuple[DeviceRecord, str]]
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        reads = self._allocator.eligibility.compiled(clause).reads or frozenset()
        found = []
        for name in sorted(reads):
            if name.endswith("/*"):
                continue
            counts: dict[str, int] = {}
            for device, driver in devices:
                text = show_attribute(lookup(device, driver, name))
                counts[text] = counts.get(text, 0) + 1
            ranked = sorted(counts, key=lambda text: -counts[text])
            found.append((name, tuple(ranked[:_SHOWN])))
        if "device.driver" in clause:
            drivers = dict.fromkeys(driver for _, driver in devices)
            found.append(("driver", tuple(drivers)[:_SHOWN]))
        found += self._capacity_values(clause, devices)
        return tuple(found)

    def _capacity_values(
        self, clause: str, devices: Sequence[tuple[DeviceRecord, str]]
    ) -> list[tuple[str, tuple[str, ...]]]:
        if "device.capacity" not in clause:
            return []
        found: dict[str, dict[str, None]] = {}
        for device, _ in devices:
            for name, entry in device.traits.capacity.items():
                if name.rpartition("/")[2] in clause:
                    found.setdefault(name, {})[str(entry.get("value"))] = None
        return [(name, tuple(values)[:_SHOWN]) for name, values in found.items()]

    def _capacities(self, fallen: _Fallen) -> list[str]:
        """What a capacity request lacks, per capacity."""
        texts: dict[str, None] = {}
        for identity, (_, device) in zip(fallen.devices, fallen.places, strict=True):
            texts[self._lacking(identity, device)] = None
        return list(texts)[:_SHOWN]

    def _lacking(self, identity: DeviceId, device: DeviceRecord) -> str:
        from dradsl.allocator.engine.capacity import CapacityRejection, Demand

        demand = self._allocator.builder.demand(self._request_data, device)
        if isinstance(demand, CapacityRejection):
            return f"{demand.capacity}: {demand.why}"
        if isinstance(demand, Demand):
            used = self._state.consumed.get(identity, {})
            for (name, wanted, whole), (_, text) in zip(
                demand.amounts, demand.consumed, strict=True
            ):
                if wanted + used.get(name, 0) > whole:
                    return f"{name}: {text} wanted, {show_amount(whole - used.get(name, 0))} left"
        return "too little capacity"

    # Constraints

    def _groupings(self, left: Sequence[int]) -> list[ValueGroups]:
        return [
            self._grouping(constraint, left)
            for constraint in self._allocator.plan.constraints
            if self._request_data.index in constraint.covered
        ]

    def _grouping(self, constraint: ConstraintPlan, left: Sequence[int]) -> ValueGroups:
        counts: dict[str, int] = {}
        missing = 0
        for position in left:
            _, owner, device = self._problem.place(position)
            attribute = self._compared(constraint.attribute, owner.driver, device)
            if attribute is None:
                missing += 1
            else:
                shown = show_attribute(attribute)
                counts[shown] = counts.get(shown, 0) + 1
        groups = tuple(sorted(counts.items(), key=lambda item: -item[1]))
        return ValueGroups(
            constraint.attribute, constraint.distinct, groups, missing, self._wanted()
        )

    def _compared(self, name: str, driver: str, device: DeviceRecord) -> Attribute | None:
        """The attribute as the request has it, derived or of the device."""
        expression = self._request_data.derived.get(name)
        if expression is None:
            return lookup(device, driver, name)
        value = self._allocator.eligibility.derived(name, expression, driver, device)
        return None if isinstance(value, Fault) else value


def show_attribute(attribute: Attribute | None) -> str:
    """An attribute's value in words."""
    if attribute is None:
        return "missing"
    kind, value = attribute
    if kind == "bool":
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return f'"{value}"' if kind == "string" else str(value)


def show_amount(billionths: int) -> str:
    """An amount as a quantity."""
    from dradsl.values.quantity import Quantity

    whole, rest = divmod(billionths, 10**9)
    if rest:
        return str(Quantity(billionths, -9))
    return min((str(Quantity(whole, 0, one)) for one in ("BinarySI", "DecimalSI")), key=len)
