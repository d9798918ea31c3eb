"""More nodes like one: its Node object and slices again, under names of their own."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, TypeAlias

from dradsl.allocator.inventory.slices import InventoryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.values.json_types import JsonObject

__all__ = ["copies_of", "nodes_in", "renamed"]

Document: TypeAlias = "JsonObject"


def nodes_in(documents: Iterable[Document]) -> list[str]:
    """The nodes that Node objects and slices name, in order."""
    return list(dict.fromkeys(name for name in map(_node_of, documents) if name))


def _node_of(document: Document) -> str:
    part = document.get("metadata" if document.get("kind") == "Node" else "spec")
    if document.get("kind") not in ("Node", "ResourceSlice") or not isinstance(part, dict):
        return ""
    return str(part.get("name" if document["kind"] == "Node" else "nodeName") or "")


def copies_of(documents: Sequence[Document], node: str, count: int) -> Iterator[Document]:
    """The objects of a node `count` times more: node `n` gives `n-copy-1`, `n-copy-2`, and so on.

    Raises:
        InventoryError: if no object is of this node.
    """
    own = [document for document in documents if _node_of(document) == node]
    if not own:
        raise InventoryError(f"no Node and no ResourceSlice of node {node}: nothing to copy")
    for number in range(1, count + 1):
        for document in own:
            yield renamed(document, node, f"{node}-copy-{number}", number)


def renamed(document: Document, node: str, name: str, number: int) -> Document:
    """The object of a node for another one; `number` makes other names unique."""
    made = copy.deepcopy(document)
    if made["kind"] == "Node":
        made["metadata"]["name"] = name
        labels = made["metadata"].get("labels")
        if isinstance(labels, dict) and "kubernetes.io/hostname" in labels:
            labels["kubernetes.io/hostname"] = name
        return made
    metadata = made.get("metadata")
    if isinstance(metadata, dict) and metadata.get("name"):
        metadata["name"] = f"{metadata['name']}-copy-{number}"
    made["spec"]["nodeName"] = name
    pool = made["spec"].get("pool")
    if isinstance(pool, dict):
        old = str(pool.get("name") or "")
        pool["name"] = old.replace(node, name) if node in old else f"{old}-copy-{number}"
    return made
