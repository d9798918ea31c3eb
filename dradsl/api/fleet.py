"""`Fleet`: the devices of a cluster, recorded or made up, that pods are placed on."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.dsl.expressions.handle import Handle
from dradsl.dsl.objects.slices import Device, Pool, ResourceSlice
from dradsl.values.counted import first_of
from dradsl.values.plain import list_at

if TYPE_CHECKING:
    from dradsl.api.objects import JsonValue, Objects, Path_
    from dradsl.dsl.expressions.attributes import Attribute
    from dradsl.dsl.objects.slices import (
        Published,
        PublishedAttributes,
        PublishedCapacity,
        Taint,
    )
    from dradsl.values.json_types import JsonObject

__all__ = ["Fleet"]

_MOST_DEVICES = 128
"""Devices of one ResourceSlice."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """The devices of a cluster, and what else of it was recorded: nodes, classes, claims in use.

    Fleets are added with `+`. `len()` is the number of devices.

    Args:
        documents: ResourceSlices and other recorded objects as plain data.
    """

    documents: tuple[JsonValue, ...] = ()
    _source: str = field(default="", init=False, repr=False, compare=False)

    @classmethod
    def from_file(cls, *paths: Path_) -> Fleet:
        """The fleet in files or folders: what `dradsl record` or `kubectl get -o yaml` wrote.

        Raises:
            ValueError: for a file that holds no recorded objects.
            OSError: for a file that cannot be read.
        """
        from dradsl.api.objects import documents

        made = cls(tuple(data for _, each in documents(paths) for data in each))
        names = first_of([Path(path).name or str(path) for path in paths])
        object.__setattr__(made, "_source", names)
        return made

    @property
    def source(self) -> str:
        """The names of the files that it was read from; empty for one that was made or added up."""
        return self._source

    @classmethod
    def from_objects(cls, *objects: Objects) -> Fleet:
        """The fleet in objects, such as an app of ResourceSlices, or plain data."""
        from dradsl.api.objects import documents

        return cls(tuple(data for _, each in documents(objects) for data in each))

    @classmethod
    def of(
        cls,
        kind: Handle,
        *,
        count: int = 1,
        nodes: int | Iterable[str] = 1,
        attributes: PublishedAttributes | None = None,
        capacity: PublishedCapacity | None = None,
        taints: Iterable[Taint] = (),
        shared: bool = False,
    ) -> Fleet:
        """Nodes with devices of one kind, as a driver would publish them.

        What tells the kind from the driver's other devices is filled in: `Fleet.of(gpu, count=8,
        capacity={gpu.memory: "80Gi"})` publishes the type, and nothing else that is not given.

        Args:
            kind: the handle, such as `dradsl.devices.nvidia.gpu`.
            count: devices of each node.
            nodes: how many nodes, or their names.
            attributes: by handle attribute or name; each value is checked as a comparison checks it.
            capacity: amounts by handle capacity or name.
            taints: taints of each device.
            shared: several claims may have a device at a time (consumable capacity).

        Raises:
            TypeError: for numbers that are no int, names of nodes that are no list of str, and a
                `shared` that is no bool.
            ValueError: for no nodes, or a count below zero.
        """
        if not isinstance(kind, Handle):
            raise TypeError(f"a fleet is made of a handle such as gpu, not {kind!r}")
        if not isinstance(shared, bool):
            raise TypeError(f"shared: expected True or False, not {shared!r}")
        driver = kind.__device__.driver
        names = _node_names(nodes)
        published = _telling(kind)
        if attributes is not None:
            published.update(attributes.items())
        word = (kind.__device__.name or "device").replace("_", "-").replace(".", "-").lower()
        other = {"allowMultipleAllocations": True} if shared else {}
        devices = [
            Device(
                f"{word}-{number}",
                attributes=published,
                capacity={} if capacity is None else capacity,
                taints=tuple(taints),
                other=other,
            )
            for number in range(_number("count", count, 0))
        ]
        return cls(tuple(data for node in names for data in _slices(driver, node, devices)))

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes that publish devices, or that were recorded."""
        found: dict[str, None] = {}
        for one in self.documents:
            spec, metadata = one.get("spec"), one.get("metadata")
            if one.get("kind") == "ResourceSlice" and isinstance(spec, Mapping):
                if spec.get("nodeName"):
                    found[str(spec["nodeName"])] = None
            elif one.get("kind") == "Node" and isinstance(metadata, Mapping):
                found[str(metadata.get("name"))] = None
        return tuple(found)

    def __add__(self, other: Fleet) -> Fleet:
        if not isinstance(other, Fleet):
            return NotImplemented
        return Fleet((*self.documents, *_renamed(self.documents, other.documents)))

    def __len__(self) -> int:
        slices = (one for one in self.documents if one.get("kind") == "ResourceSlice")
        return sum(len(list_at(one, "spec", "devices")) for one in slices)

    def __repr__(self) -> str:
        return f"<fleet of {len(self)} devices on {len(self.nodes)} nodes>"


def _number(name: str, number: object, least: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{name}: expected a whole number, not {number!r}")
    if number < least:
        raise ValueError(f"{name}: expected {least} or more, not {number}")
    return number


def _node_names(nodes: int | Iterable[str]) -> list[str]:
    if isinstance(nodes, str) or not isinstance(nodes, Iterable):
        return [f"node-{number + 1}" for number in range(_number("nodes", nodes, 1))]
    names = list(nodes)
    if not names:
        raise ValueError("nodes: expected at least one name")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"nodes: expected names, not {name!r}")
    return names


def _slices(driver: str, node: str, devices: list[Device]) -> list[JsonValue]:
    parts = [devices[i : i + _MOST_DEVICES] for i in range(0, len(devices), _MOST_DEVICES)] or [[]]
    word = driver.replace("/", "-")
    return [
        ResourceSlice(
            f"{node}-{word}" if len(parts) == 1 else f"{node}-{word}-{number}",
            driver=driver,
            pool=Pool(node, slices=len(parts)),
            node_name=node,
            devices=part,
        ).to_dict()
        for number, part in enumerate(parts)
    ]


def _telling(kind: Handle) -> dict[Attribute | str, Published]:
    """What tells devices of the kind from others of its driver, where that is an equality."""
    from dradsl.dsl.expressions.nodes import And, Comparison, Op

    node = kind.__node__().condition
    parts = node.parts if isinstance(node, And) else (node,)
    found: dict[Attribute | str, Published] = {}
    for part in parts:
        if isinstance(part, Comparison) and part.operand.source == "attributes":
            value = part.value[0] if isinstance(part.value, tuple) else part.value
            if part.op in (Op.EQ, Op.IN):
                found[part.operand.qualified] = (
                    {"version": str(value)} if part.operand.type == "version" else value
                )
            elif part.op is Op.HOLDS:
                found[part.operand.qualified] = True
    return found


def _renamed(there: Iterable[JsonValue], added: Iterable[JsonValue]) -> list[JsonValue]:
    """`added`; slices of a pool that is there already become a pool of their own."""
    pools = {pool for one in there if (pool := _pool_of(one))}
    found: list[JsonValue] = []
    for one in added:
        pool, number = _pool_of(one), 2
        if pool is None or pool not in pools:
            found.append(one)
            continue
        driver, name = pool
        while (driver, f"{name}-{number}") in pools:
            number += 1
        data: JsonObject = copy.deepcopy(dict(one))
        data["metadata"] = {**data["metadata"], "name": f"{data['metadata']['name']}-{number}"}
        data["spec"]["pool"]["name"] = f"{name}-{number}"
        found.append(data)
    return found


def _pool_of(one: JsonValue) -> tuple[str, str] | None:
    """Driver and pool of a slice; None for other objects."""
    spec = one.get("spec")
    pool = spec.get("pool") if isinstance(spec, Mapping) else None
    if one.get("kind") != "ResourceSlice" or not isinstance(pool, Mapping):
        return None
    driver = spec.get("driver") if isinstance(spec, Mapping) else None
    return str(driver), str(pool.get("name"))
