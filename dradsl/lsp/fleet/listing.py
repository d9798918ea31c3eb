"""The recorded devices of a folder as a list for a tree: drivers, nodes, devices, and who holds them; plain data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.lsp.fleet.recorded import Recorded, SeenDevice
    from dradsl.values.json_types import JsonObject

__all__ = ["inventory_of"]

MOST = 2_000
"""Devices that are listed; the others are counted."""


def inventory_of(recorded: Recorded) -> list[dict[str, object]]:
    """Each driver with its nodes, each node with its devices; devices without a node are under the pool."""
    holders = dict(_holders(recorded.objects))
    drivers: dict[str, dict[tuple[str, bool], list[SeenDevice]]] = {}
    for device in recorded.devices:
        where = (device.node, True) if device.node else (device.pool, False)
        drivers.setdefault(device.driver, {}).setdefault(where, []).append(device)
    left = MOST
    result: list[dict[str, object]] = []
    for driver in sorted(drivers):
        nodes: list[JsonObject] = []
        for (name, is_node), devices in sorted(drivers[driver].items()):
            shown, left = devices[:left], max(0, left - len(devices))
            nodes.append(
                {
                    "name": name,
                    "kind": "node" if is_node else "pool",
                    "count": len(devices),
                    "inUse": sum(_key(each) in holders for each in devices),
                    "devices": [_device(each, holders) for each in shown],
                }
            )
        counts = {key: sum(node[key] for node in nodes) for key in ("count", "inUse")}
        result.append({"name": driver, **counts, "nodes": nodes})
    return result


def _device(device: SeenDevice, holders: Mapping[tuple[str, str, str], str]) -> JsonObject:
    from dradsl.cel.explain import shown_value

    view: Any = device.view.value
    values = {
        (name if domain == device.driver else f"{domain}/{name}"): shown_value(value)
        for table in ("attributes", "capacity")
        for domain, entries in view[table].items()
        for name, value in entries.items()
    }
    return {
        "name": device.name,
        "pool": device.pool,
        "heldBy": holders.get(_key(device)),
        "values": values,
    }


def _key(device: SeenDevice) -> tuple[str, str, str]:
    return device.driver, device.pool, device.name


def _holders(
    objects: Sequence[Mapping[str, object]],
) -> Iterator[tuple[tuple[str, str, str], str]]:
    """The claims that hold devices, by driver, pool and device."""
    for data in objects:
        if data.get("kind") != "ResourceClaim":
            continue
        metadata = data.get("metadata")
        name = ""
        if isinstance(metadata, dict):
            name = f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"
        at: object = data
        for step in ("status", "allocation", "devices", "results"):
            at = at.get(step) if isinstance(at, dict) else None
        for each in at if isinstance(at, list) else ():
            if isinstance(each, dict):
                key = (str(each.get("driver")), str(each.get("pool")), str(each.get("device")))
                yield key, name
