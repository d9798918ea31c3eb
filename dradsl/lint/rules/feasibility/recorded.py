"""The recorded cluster of a run: its slices and nodes with every device free, and the known classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dradsl.allocator.engine.plan import ClassRecord, read_class
from dradsl.allocator.explain.feasibility import Fleets
from dradsl.allocator.inventory.slices import InventoryError
from dradsl.lint.view.view import Run
from dradsl.simulate.cluster import Cluster, ClusterBuilder
from dradsl.tree.inputs.sources import UsageProblem

__all__ = ["fleets_of", "recorded_cluster"]


def fleets_of(run: Run) -> Fleets:
    """The recorded cluster for claims alone."""
    return run.remember("fleets", lambda: _fleets(run))


def _fleets(run: Run) -> Fleets:
    cluster = recorded_cluster(run)
    return Fleets(cluster.inventory, cluster.classes, run.release, run.features)


def recorded_cluster(run: Run) -> Cluster:
    """The recorded cluster with the classes that it, the run and known drivers define.

    Raises:
        UsageProblem: for recorded objects that are not in the shape of the API.
    """
    return run.remember("recorded-cluster", lambda: _cluster(run))


def _cluster(run: Run) -> Cluster:
    key = ("recorded-objects", run.release.name, run.features.enabled)
    bare = run.remember(key, lambda: _bare(run), by="recorded")
    classes = _known_classes(run) | bare.classes | _own_classes(run)
    return replace(bare, classes=classes)


def _bare(run: Run) -> Cluster:
    """The recorded objects, with the classes among them."""
    twice = _of_two_clusters(run.inventory)
    if twice is not None:
        raise UsageProblem(
            f"--slices: {twice} is recorded with two uids: these are two clusters, or two times of one; pass one of them"
        )
    builder = ClusterBuilder(run.server)
    try:
        for document in run.inventory:
            builder.add_recorded(dict(document))
        return builder.build()
    except InventoryError as error:
        raise UsageProblem(f"--slices: {error}") from error


def _of_two_clusters(inventory: Iterable[Mapping[str, object]]) -> str | None:
    """A node of two clusters: by the uids of its own objects, and of those that own slices.

    What no node of several clusters can meet no node of one of them can, so that dumps of several are read together.
    But two nodes of one name have their pools in one, of which the scheduler would take the newest generation alone.
    """
    uids: dict[str, str] = {}
    for each in inventory:
        kind, metadata = each.get("kind"), each.get("metadata")
        if not isinstance(metadata, dict):
            continue
        owners = metadata.get("ownerReferences") if kind == "ResourceSlice" else None
        nodes = [metadata] if kind == "Node" else owners if isinstance(owners, list) else []
        for node in nodes:
            if not isinstance(node, dict) or node.get("kind", "Node") != "Node":
                continue
            name, uid = node.get("name"), node.get("uid")
            if isinstance(name, str) and isinstance(uid, str) and uids.setdefault(name, uid) != uid:
                return f'node "{name}"'
    return None


def _known_classes(run: Run) -> dict[str, ClassRecord]:
    """The classes that drivers install, as far as the claims name them."""
    found = {}
    for claim in run.claims:
        for request in claim.bodies:
            name = request.class_name
            known = run.drivers.device_class(name) if name is not None else None
            if known is not None and name is not None:
                found[name] = ClassRecord(name, tuple(known[1].selectors))
    return found


def _own_classes(run: Run) -> dict[str, ClassRecord]:
    """The classes of the run and of its context, as the API server stores them."""
    found = {}
    for manifest in run.index.kind("DeviceClass"):
        admission = run.admission(manifest)
        if admission is not None and admission.accepted and admission.object is not None:
            stored: Mapping[str, object] = admission.object
            device_class = read_class(stored)
            found[device_class.name] = device_class
    return found
