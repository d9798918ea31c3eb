"""The devices that allocations name, and what they take of their nodes.

Follows filterSlicesForNode, getDeviceFromSlices and deviceMatchesNode of
nodeallocatabledynamicresources.go (kubernetes dynamicresources plugin, 1.37.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.nodes import (
    Node,
    ParsedNodeSelector,
    SelectorError,
    compile_selector,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.allocator.inventory.slices import (
        DeviceRecord,
        Inventory,
        NodeResource,
        Slice,
        Traits,
    )
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        DeviceRequestAllocationResultDict,
    )
    from dradsl.releases.scheduling import NodeRules

__all__ = ["Devices", "results_of"]


class Devices:
    """Finds the devices that allocations name.

    Where several could be meant, upstream takes the one that its cache happens to list first: of
    slices of any generation, in 1.36 even of any driver and node. Ours is the newest that fits.
    """

    def __init__(self, inventory: Inventory, rules: NodeRules) -> None:
        self._rules = rules
        self._slices: dict[tuple[str, str], list[Slice]] = {}
        for entry in sorted(inventory.slices, key=lambda one: -one.generation):
            self._slices.setdefault((entry.driver, entry.pool), []).append(entry)
        self._selectors: dict[Slice | Traits, ParsedNodeSelector | None] = {}
        self.any_take = any(self.resources_of(device) for _, device in inventory.devices())

    def resources_of(self, device: DeviceRecord) -> tuple[NodeResource, ...]:
        """What a device takes of its node."""
        traits = device.traits
        return traits.node_mappings if self._rules.mappings else traits.node_resources

    # Upstream: getDeviceFromSlices (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    # Upstream: getDeviceFromManager (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    def find(
        self, result: DeviceRequestAllocationResultDict, node: Node | None
    ) -> DeviceRecord | str:
        """The device of an allocation's result, for a node if one is given; or why there is none."""
        driver, pool = str(result.get("driver") or ""), str(result.get("pool") or "")
        name = result.get("device")
        text = f"device {name} not found in pool {pool} for driver {driver}"
        for entry in self._slices.get((driver, pool), ()):
            if node is not None and not self._reaches(entry, node):
                continue
            for device in entry.devices:
                if device.name == name:
                    if node is None or not entry.per_device or self._is_for(device, node):
                        return device
                    text = f"device {name} does not match node"
        return text

    # Upstream: deviceMatchesNode (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    def _is_for(self, device: DeviceRecord, node: Node) -> bool:
        traits = device.traits
        there = traits.node_name == node.name or traits.all_nodes
        return there or self._matches(traits, node)

    def is_mapped(self, allocation: AllocationResultDict) -> bool:
        """Whether a device of an allocation stands for a resource of nodes."""
        for result in results_of(allocation):
            device = self.find(result, None)
            found = () if isinstance(device, str) else self.resources_of(device)
            if any(resource.mapped for resource in found):
                return True
        return False

    def takes(self, allocation: AllocationResultDict, node: Node) -> bool:
        """Whether a device of an allocation takes resources of the node at all."""
        for result in results_of(allocation):
            device = self.find(result, node)
            if not isinstance(device, str) and self.resources_of(device):
                return True
        return False

    # Upstream: filterSlicesForNode (plugins/dynamicresources/nodeallocatabledynamicresources.go)
    def _reaches(self, entry: Slice, node: Node) -> bool:
        if entry.node_name == node.name or entry.all_nodes:
            return True
        if entry.node_selector is not None:
            return self._matches(entry, node)
        return bool(entry.per_device)

    def _matches(self, owner: Slice | Traits, node: Node) -> bool:
        """Whether the node selector of a slice, or of devices, picks the node."""
        if owner.node_selector is None:
            return False
        if owner not in self._selectors:
            try:
                self._selectors[owner] = compile_selector(owner.node_selector)
            except SelectorError:
                self._selectors[owner] = None
        compiled = self._selectors[owner]
        return compiled is not None and compiled.matches(node)


def results_of(allocation: AllocationResultDict) -> Iterable[DeviceRequestAllocationResultDict]:
    """The results of an allocation: a device each."""
    return (allocation.get("devices") or {}).get("results") or ()
