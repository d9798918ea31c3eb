"""The recorded cluster of a run: its slices and nodes with every device free, and the known classes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.allocator.engine.plan import DeviceClass
    from dradsl.allocator.explain.feasibility import Fleets
    from dradsl.lint.view.view import Run
    from dradsl.simulate.cluster import Cluster

__all__ = ["fleets_of", "recorded_cluster"]


def fleets_of(run: Run) -> Fleets:
    """The recorded cluster for claims alone."""
    return run.remember("fleets", lambda: _fleets(run))


def _fleets(run: Run) -> Fleets:
    from dradsl.allocator.explain.feasibility import Fleets

    cluster = recorded_cluster(run)
    return Fleets(cluster.inventory, cluster.classes, run.release, run.features)


def recorded_cluster(run: Run) -> Cluster:
    """The recorded cluster with the classes that it, the run and known drivers define.

    Raises:
        UsageProblem: for recorded objects that are not in the shape of the API.
    """
    return run.remember("recorded-cluster", lambda: _cluster(run))


def _cluster(run: Run) -> Cluster:
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.lint.input.sources import UsageProblem
    from dradsl.simulate.cluster import ClusterBuilder

    builder = ClusterBuilder(run.server)
    try:
        for document in run.inventory:
            builder.add_recorded(dict(document))
        cluster = builder.build()
    except InventoryError as error:
        raise UsageProblem(f"--slices: {error}") from error
    cluster.classes = _known_classes(run) | cluster.classes | _own_classes(run)
    return cluster


def _known_classes(run: Run) -> dict[str, DeviceClass]:
    """The classes that drivers install, as far as the claims name them."""
    from dradsl.allocator.engine.plan import DeviceClass

    found = {}
    for claim in run.claims():
        for request in claim.bodies():
            name = request.body.get("deviceClassName")
            known = run.drivers.device_class(name) if isinstance(name, str) else None
            if known is not None and isinstance(name, str):
                found[name] = DeviceClass(name, tuple(known[1].selectors))
    return found


def _own_classes(run: Run) -> dict[str, DeviceClass]:
    """The classes of the run and of its context, as the API server stores them."""
    from dradsl.allocator.engine.plan import read_class

    found = {}
    for manifest in run.index.kind("DeviceClass"):
        admission = run.admission(manifest)
        if admission is not None and admission.accepted and admission.object is not None:
            stored: Mapping[str, Any] = admission.object
            device_class = read_class(stored)
            found[device_class.name] = device_class
    return found
