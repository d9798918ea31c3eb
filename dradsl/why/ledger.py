"""All devices of a cluster with who holds them, and all claims with what they hold."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dradsl.allocator.inventory.slices import DeviceId
from dradsl.records import Record
from dradsl.simulate.input.ailments import Published
from dradsl.simulate.pod_claims import claims_of
from dradsl.simulate.report.totals import counters_left, model_of
from dradsl.values.digits import in_natural_order
from dradsl.values.plain import mapping_at
from dradsl.why.dump import key_of, spec_of, status_of
from dradsl.why.holders import devices_by_id, taint_text, uses, uses_of
from dradsl.why.lives import consumers_of, pod_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.slices import Amount, DeviceRecord, Inventory, Slice
    from dradsl.why.answer import DeviceUse
    from dradsl.why.dump import Dump

__all__ = ["ClaimRow", "DeviceRow", "claim_rows", "device_rows"]

_EVERYWHERE = "(any node)"


class DeviceRow(Record):
    """A device and who holds it. `state`: "free", "held", "shared" (more shares may fit), "blocked" (a partition
    for which too little is left of what it shares with others), "incomplete" (its pool is being updated, or a slice lacks its
    driver, pool or nodes) or
    "gone" (held, and no slice publishes it)."""

    node: str
    driver: str
    pool: str
    device: str
    model: str
    state: str
    uses: tuple[DeviceUse, ...] = ()
    taints: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()


class ClaimRow(Record):
    """A claim with its devices and pods: each pod with what is known of it."""

    claim: str
    state: str
    devices: tuple[DeviceUse, ...]
    pods: tuple[tuple[str, str], ...]


def device_rows(dump: Dump, inventory: Inventory) -> list[DeviceRow]:
    """Every device that slices publish or claims hold, in the order of nodes, pools and names."""
    known = devices_by_id(inventory)
    held: dict[DeviceId, list[DeviceUse]] = defaultdict(list)
    for use in uses(dump, inventory, known):
        held[DeviceId(use.driver, use.pool, use.device)].append(use)
    taken = {device for device, found in held.items() if not all(use.admin for use in found)}
    rows = []
    for slices in inventory.pools.values():
        newest = max(entry.generation for entry in slices)
        current = [entry for entry in slices if entry.generation == newest]
        complete = all(map(_is_whole, current)) and len(current) >= max(
            one.count for one in current
        )
        left = counters_left(current, taken)
        for entry in current:
            for device in entry.devices:
                device_id = DeviceId(entry.driver, entry.pool, device.name)
                rows.append(_row(entry, device, held.pop(device_id, []), left, complete=complete))
    nodes = {(row.driver, row.pool): row.node for row in rows}
    rows += [
        DeviceRow(nodes.get(device[:2], _EVERYWHERE), *device, "", "gone", tuple(found))
        for device, found in held.items()
    ]
    return sorted(
        rows, key=lambda row: (row.node, row.driver, row.pool, in_natural_order(row.device))
    )


def _is_whole(entry: Slice) -> bool:
    """Whether a slice has what the scheduler needs to use it."""
    somewhere = entry.node_name or entry.all_nodes or entry.node_selector or entry.per_device
    return bool(entry.driver and entry.pool and entry.count and somewhere)


def _row(
    entry: Slice,
    device: DeviceRecord,
    found: Sequence[DeviceUse],
    left: Mapping[tuple[str, str], Amount],
    *,
    complete: bool,
) -> DeviceRow:
    node = entry.node_name or device.traits.node_name or _EVERYWHERE
    holding = [use for use in found if not use.admin]
    state = "free"
    blocked: tuple[str, ...] = ()
    if holding:
        state = "shared" if all(use.share for use in holding) else "held"
    elif not complete:
        state = "incomplete"
    else:
        blocked = tuple(_short(device, left))
        state = "blocked" if blocked else "free"
    taints = tuple(map(taint_text, device.traits.taints))
    alone = list(dict.fromkeys(use.claim for use in holding if not use.share))
    if len(alone) > 1:
        blocked = (f"allocated to {len(alone)} claims at once",)
    return DeviceRow(
        node,
        entry.driver,
        entry.pool,
        device.name,
        model_of(device, with_profile=True),
        state,
        tuple(found),
        taints,
        blocked,
    )


def _short(device: DeviceRecord, left: Mapping[tuple[str, str], Amount]) -> Iterator[str]:
    for consumption in device.traits.consumes:
        short = [
            name
            for name, amount in consumption.counters
            if amount > left.get((consumption.counter_set, name), 0)
        ]
        if short:
            yield f"{consumption.counter_set}: too little {', '.join(short)} left"


def claim_rows(dump: Dump, inventory: Inventory) -> list[ClaimRow]:
    """Every claim, with the pods that name it or that it is reserved for."""
    known = devices_by_id(inventory)
    published = Published(inventory)
    naming: dict[str, list[str]] = defaultdict(list)
    for pod in dump.all("Pod"):
        namespace, name = key_of(pod)
        for entry in claims_of(spec_of(pod), namespace, name, status_of(pod)):
            naming["/".join(entry.key)].append(f"{namespace}/{name}")
    rows = []
    for claim in dump.claims.values():
        label = "/".join(key_of(claim))
        found = tuple(uses_of(claim, dump, published, known))
        reserved = {
            one.name.removeprefix("pod "): one.state
            for one in consumers_of(claim, dump)
            if one.name.startswith("pod ")
        }
        allocated = bool(mapping_at(claim, "status").get("allocation"))
        state = "allocated" if allocated else "not allocated"
        if allocated and not reserved:
            state = "allocated, reserved for no pod"
        if mapping_at(claim, "metadata").get("deletionTimestamp"):
            state += ", being deleted"
        for name in naming[label]:
            reserved.setdefault(
                name,
                pod_state(dump, dump.get("Pod", (name.partition("/")[0], name.partition("/")[2]))),
            )
        rows.append(ClaimRow(label, state, found, tuple(reserved.items())))
    return sorted(rows, key=lambda row: row.claim)
