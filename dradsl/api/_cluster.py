"""Simulations as the command line and the public functions run them; no part of the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.errors import DradslError
from dradsl.values.deadline import NO_DEADLINE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.kube.server.api_server import ApiServer
    from dradsl.releases import Features, Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.choose import NodeOrder
    from dradsl.simulate.cluster import Cluster, ClusterBuilder, Workload
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import FitReport
    from dradsl.values.deadline import Deadline

__all__ = ["GivenError", "cluster_builder", "count_fitting", "simulation_on"]


class GivenError(DradslError, ValueError):
    """Pods that are to run first, of which not all fit; `str()` says how many do."""


def cluster_builder(server: ApiServer, *, known_classes: bool = True) -> ClusterBuilder:
    """The builder of a cluster, which knows what drivers install."""
    from dradsl.api.known_classes import known_class, known_resource, replaced_by
    from dradsl.simulate.cluster import ClusterBuilder

    return ClusterBuilder(
        server,
        known_class=known_class if known_classes else None,
        known_resource=known_resource if known_classes else None,
        replaced_by=replaced_by,
    )


def simulation_on(
    cluster: Cluster, release: Release, features: Features, node_order: NodeOrder = "score"
) -> Simulation:
    """The simulation that places pods on a cluster."""
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.simulate.attempts import Simulation

    selectors = CelSelectors(release, features)
    return Simulation(cluster, release, features, selectors, node_order=node_order)


def count_fitting(
    simulation: Simulation,
    workload: Workload,
    limit: int,
    given: Mapping[Workload, int],
    *,
    allow_chance: bool = False,
    deadline: Deadline = NO_DEADLINE,
    progress: Callable[[PodReport], None] | None = None,
    moved: Sequence[Workload] = (),
) -> FitReport:
    """How many pods of a workload fit once those that are `given` run, and those that are `moved` as far as they fit.

    Raises:
        GivenError: if not all of these fit.
    """
    from dradsl.simulate.replicas import place_workloads
    from dradsl.simulate.report import FitReport

    alone = simulation.fresh()
    unknown: dict[str, None] = {}

    def fitting_pod(report: PodReport) -> None:
        unknown.update(dict.fromkeys(report.unknown))
        if progress is not None:
            progress(report)

    for _ in place_workloads(alone, moved, 1):
        pass
    for other, number in given.items():
        fitting, stopped = alone.fit(
            other, number, progress, allow_chance=allow_chance, deadline=deadline
        )
        if stopped is not None:
            raise GivenError(f"{other.name}={number}: only {fitting} of them fit")
    count, stopped = alone.fit(
        workload, limit, fitting_pod, allow_chance=allow_chance, deadline=deadline
    )
    whole = workload.at.per_node and count < limit and stopped is None and not deadline.is_over
    return FitReport(workload.label, count, stopped, limit, alone, whole, tuple(unknown))
