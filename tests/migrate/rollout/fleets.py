"""Made-up nodes and slices for plans: a short file a fleet in `fleets`, with what plugins and drivers serve there."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["DRIVERS", "FakedNode", "nodes_in", "recorded"]

DRIVERS: Mapping[str, Mapping[str, Any]] = {
    "gpu.nvidia.com": {
        "attributes": {
            "type": {"string": "gpu"},
            "productName": {"string": "NVIDIA L4"},
            "architecture": {"string": "Ada Lovelace"},
            "cudaComputeCapability": {"version": "8.9.0"},
        },
        "capacity": {"memory": {"value": "23034Mi"}},
    },
    "gpu.intel.com": {
        "attributes": {"model": {"string": "Arc A380"}, "driver": {"string": "i915"}},
        "capacity": {"memory": {"value": "5940Mi"}, "millicores": {"value": "1k"}},
    },
    "gpu.amd.com": {
        "attributes": {"type": {"string": "amdgpu"}, "family": {"string": "AI"}},
        "capacity": {"memory": {"value": "192Gi"}},
    },
}
"""What a device of a driver looks like."""
# As NVIDIA's driver publishes it with consumable shares (cmd/gpu-kubelet-plugin/consumable_shares.go of v0.5.0).
_MEMORY = {"default": "0", "validRange": {"min": "0", "step": "1Mi"}}


@dataclass(frozen=True)
class FakedNode:
    """A node: its labels and taints, and how many devices of each driver it has. A plugin gives each of them to `sharers`
    pods under the name `resource`; a driver that shares publishes them with as many `shares`."""

    name: str
    labels: dict[str, str]
    taints: list[dict[str, str]]
    devices: dict[str, int]
    sharers: int
    resource: str
    shares: int

    def slices(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The devices that each driver publishes."""
        for driver, count in self.devices.items():
            device = {**DRIVERS[driver]}
            if self.shares:
                policy = {"default": "1", "validRange": {"min": "1", "step": "1"}}
                shares = {"value": str(self.shares), "requestPolicy": policy}
                memory = {**device["capacity"]["memory"], "requestPolicy": _MEMORY}
                device["capacity"] = {"memory": memory, "shares": shares}
                device["allowMultipleAllocations"] = True
            yield driver, [{"name": f"gpu-{number}", **device} for number in range(count)]


def nodes_in(path: Path) -> list[FakedNode]:
    """The nodes of a fleet file."""
    return [
        FakedNode(
            each["name"],
            {"kubernetes.io/hostname": each["name"], **each.get("labels", {})},
            each.get("taints", []),
            each.get("devices", {}),
            each.get("sharers", 1),
            each.get("resource", "nvidia.com/gpu"),
            each.get("shares", 0),
        )
        for each in yaml.safe_load(path.read_text())
    ]


def recorded(path: Path) -> str:
    """The fleet as `--slices` takes it: nodes, and the slices of nodes that have moved."""
    objects: list[dict[str, Any]] = []
    for node in nodes_in(path):
        metadata = {"name": node.name, "labels": node.labels}
        amounts = {"cpu": "64", "memory": "256Gi", "pods": "110"}
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": metadata,
                "spec": {"taints": node.taints},
                "status": {"allocatable": amounts},
            }
        )
        for driver, devices in node.slices():
            pool = {"name": node.name, "generation": 1, "resourceSliceCount": 1}
            spec = {"driver": driver, "nodeName": node.name, "pool": pool, "devices": devices}
            objects.append(
                {
                    "apiVersion": "resource.k8s.io/v1",
                    "kind": "ResourceSlice",
                    "metadata": {"name": f"{node.name}-{driver}"},
                    "spec": spec,
                }
            )
    return yaml.safe_dump_all(objects, sort_keys=False)


if __name__ == "__main__":
    sys.stdout.write(recorded(Path(sys.argv[1])))
