"""Nodes whose devices both a device plugin and a DRA driver hand out, as recorded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue

__all__ = ["served_twice"]


def served_twice(
    nodes: Mapping[str, Mapping[str, str]], slices: Iterable[tuple[str, str]], catalogue: Catalogue
) -> Iterator[tuple[str, str, str]]:
    """Node, extended resource and driver, where a node has an amount of a resource and the driver that takes the
    place of its device plugin publishes devices of that node.

    `nodes` gives the allocatable resources by name of the node, `slices` node and driver of each slice with
    devices.
    """
    from dradsl.drivers.schema.device_plugin import find_resources

    drivers: dict[str, set[str]] = {}
    for node, driver in slices:
        drivers.setdefault(node, set()).add(driver)
    replaced: dict[str, frozenset[str]] = {}
    for node in nodes:
        for resource, amount in nodes[node].items():
            if "/" not in resource or str(amount) in ("0", ""):
                continue
            if resource not in replaced:
                found = find_resources(resource, catalogue)
                replaced[resource] = frozenset(match.driver.name for match in found)
            for driver in sorted(replaced[resource] & drivers.get(node, set())):
                yield node, resource, driver
