"""Totals of a simulation: pods by answer, devices by model, and how large a group of free devices is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from dradsl.allocator.inventory.slices import DeviceId

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from dradsl.allocator.inventory.allocated import AllocatedState
    from dradsl.allocator.inventory.slices import Amount, DeviceRecord, Inventory, Slice
    from dradsl.simulate.plugin.verdicts import PodReport

_Row: TypeAlias = "tuple[DeviceId, str, str, bool]"

__all__ = ["ModelTotals", "count_pods", "counters_left", "device_totals", "model_of"]

_MODELS = ("productName", "model", "modelName", "product", "deviceName", "type", "profile")
_ROOT = "resource.kubernetes.io/pcieRoot"


@dataclass(frozen=True, slots=True)
class ModelTotals:
    """Devices of one model. `shared` have shares given out and may have room for more, `blocked` are
    partitions for which others leave too little; `on_one_node` is
    the largest number of free ones that a node has, `on_one_root` that of one PCIe root (None: no device says
    on which it is)."""

    model: str
    total: int
    used_before: int
    used_now: int
    shared: int
    blocked: int
    free: int
    on_one_node: int
    on_one_root: int | None


def model_of(device: DeviceRecord) -> str:
    """What kind of device it is, as far as an attribute with a usual name tells."""
    own = {name.rpartition("/")[2]: value for name, (_, value) in device.attributes.items()}
    told = [str(own[name]) for name in _MODELS if isinstance(own.get(name), str)]
    profile = own.get("profile")
    if told and isinstance(profile, str) and profile != told[0]:
        return f"{told[0]} {profile}"  # a partition: the model is that of the whole device
    return told[0] if told else ""


def count_pods(reports: Iterable[PodReport]) -> dict[str, int]:
    """Pods by what was said of them; the number that fits comes first."""
    found = Counter({"fits": 0})
    for report in reports:
        found[report.prospect.value] += 1 + report.alike
    return dict(found)


def device_totals(
    inventory: Inventory, before: AllocatedState, after: AllocatedState
) -> list[ModelTotals]:
    """The devices that slices of complete pools publish, by model."""
    rows: dict[str, list[_Row]] = {}
    for slices in inventory.pools.values():
        newest = max(entry.generation for entry in slices)
        current = [entry for entry in slices if entry.generation == newest]
        if len(current) < max(entry.count for entry in current):
            continue
        left = counters_left(current, {*after.exclusive, *after.shares})
        for entry in current:
            for device in entry.devices:
                model = model_of(device) or entry.driver
                root = str(device.attributes.get(_ROOT, ("", ""))[1])
                node = entry.node_name or device.traits.node_name or ""
                identity = DeviceId(entry.driver, entry.pool, device.name)
                blocked = any(
                    amount > left.get((one.counter_set, name), 0)
                    for one in device.traits.consumes
                    for name, amount in one.counters
                )
                rows.setdefault(model, []).append((identity, node, root, blocked))
    return [_of_model(model, found, before, after) for model, found in sorted(rows.items())]


def counters_left(
    slices: Iterable[Slice], taken: Container[DeviceId]
) -> dict[tuple[str, str], Amount]:
    """What devices that are `taken` leave of the counters of a pool, by counter set and counter."""
    left: dict[tuple[str, str], Amount] = {}
    for entry in slices:
        for counters in entry.counters:
            left |= {(counters.name, name): amount for name, amount in counters.counters}
    if not left:
        return left
    for entry in slices:
        for device in entry.devices:
            identity = DeviceId(entry.driver, entry.pool, device.name)
            if identity in taken:
                for one in device.traits.consumes:
                    for name, amount in one.counters:
                        left[one.counter_set, name] = left.get((one.counter_set, name), 0) - amount
    return left


def _of_model(
    model: str,
    rows: Iterable[_Row],
    before: AllocatedState,
    after: AllocatedState,
) -> ModelTotals:
    listed = list(rows)
    nodes: Counter[str] = Counter()
    roots: Counter[tuple[str, str]] = Counter()
    used_before = used_now = shared = blocked = free = 0
    for device, node, root, is_blocked in listed:
        if device in before.exclusive:
            used_before += 1
        elif device in after.exclusive:
            used_now += 1
        elif device in after.shares:
            shared += 1
        elif is_blocked:
            blocked += 1
        else:
            free += 1
            nodes[node] += 1
            roots[node, root] += bool(root)
    has_roots = any(root for _, _, root, _ in listed)
    return ModelTotals(
        model,
        len(listed),
        used_before,
        used_now,
        shared,
        blocked,
        free,
        max(nodes.values(), default=0),
        max(roots.values(), default=0) if has_roots else None,
    )
