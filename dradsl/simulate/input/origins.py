"""Recordings that cannot be one cluster: two files that mean different objects by one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.slices import InventoryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import PoolId, Slice

__all__ = ["Origins"]

_REMEDY = "record them with `dradsl record --prefix NAME` or `--keep nodes`, so that names differ"


class Origins:
    """Remembers which recorded file an object comes from; an empty origin is that of a manifest, which may
    say again, and otherwise, what is recorded."""

    def __init__(self) -> None:
        self._nodes: dict[str, tuple[Node, str]] = {}
        self._slices: dict[str, str] = {}

    def node(self, node: Node, origin: str) -> None:
        """A Node object of a file.

        Raises:
            InventoryError: if another file has another node of this name.
        """
        if not origin:
            return
        before = self._nodes.setdefault(node.name, (node, origin))
        if before[1] != origin and before[0] != node:
            raise InventoryError(
                f"Node {node.name} differs from that of {before[1]}: two machines of one name; {_REMEDY}"
            )

    def slice(self, name: str, entry: Slice, earlier: Slice | None, origin: str) -> None:
        """A ResourceSlice of a file; `earlier` is one of this name.

        Raises:
            InventoryError: if another file has another slice of this name, pool and generation.
        """
        before = self._slices.setdefault(name, origin)
        if not (before and origin):
            return
        if earlier is None or before == origin or earlier == entry:
            return
        if (earlier.pool_id, earlier.generation) == (entry.pool_id, entry.generation):
            raise InventoryError(
                f"ResourceSlice {name} differs from that of {before}, in one generation of one pool: "
                f"two machines of one name; {_REMEDY}"
            )

    def check(self, pools: Mapping[PoolId, Iterable[Slice]]) -> None:
        """Compare how many slices pools have with what they announce.

        Raises:
            InventoryError: if slices of several files make a pool of more than it announces.
        """
        for name, slices in pools.items():
            listed = list(slices)
            newest = max(entry.generation for entry in listed)
            current = [entry for entry in listed if entry.generation == newest]
            if len(current) <= min(entry.count for entry in current):
                continue
            given = (self._slices.get(entry.name, "") for entry in current)
            files = list(dict.fromkeys(filter(None, given)))
            if len(files) > 1:
                raise InventoryError(
                    f"{files[0]} and {files[1]} both have the pool {name}, with more slices together "
                    f"than it has: two machines of one name; {_REMEDY}"
                )
