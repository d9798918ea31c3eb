"""Whether a claim or a pod fits the recorded devices, and on how many nodes: the simulator, with a limit of time."""

from __future__ import annotations

from dradsl.records import Record, dataclass
from dradsl.values.deadline import NO_DEADLINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.releases import Features, Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import Cluster
    from dradsl.values.deadline import Deadline

__all__ = ["Placed", "PlacingQuestion", "place"]


@dataclass(frozen=True, slots=True, eq=False)
class PlacingQuestion:
    """An object, and what it needs to be placed: the claims, templates and classes that it names, plain data.

    `recorded` are the recorded objects.
    """

    subject: Mapping[str, object]
    others: tuple[Mapping[str, object], ...]
    recorded: Sequence[Mapping[str, object]]
    release: Release
    features: Features


class Placed(Record):
    """What becomes of a pod with the claim, or of the first pod of a workload.

    `answer` is "fits", "chance", "never", "unknown" or "rejected"; `fitting` of `nodes` do. `lines` is the
    report of `dradsl simulate`.
    """

    answer: str
    fitting: int
    nodes: int
    lines: tuple[str, ...]


def place(question: PlacingQuestion, deadline: Deadline = NO_DEADLINE) -> Placed | None:
    """What becomes of the object on the recorded devices; None if there is nothing to place.

    Raises:
        TimeOverError: if the deadline comes first.
        InventoryError: if recorded objects cannot be read.
    """
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.simulate.attempts import Simulation

    deadline.check()
    cluster = _cluster(question, deadline)
    rejected = [f"{one.subject}: {one.text}" for one in cluster.notes if one.kind == "rejected"]
    nodes = len(cluster.inventory.nodes)
    if rejected:
        return Placed("rejected", 0, nodes, tuple(rejected))
    if not cluster.workloads:
        return None
    release, features = question.release, question.features
    selectors = CelSelectors(release, features)
    simulation = Simulation(cluster, release, features, selectors, deadline=deadline)
    return _first(simulation, nodes)


def _cluster(question: PlacingQuestion, deadline: Deadline) -> Cluster:
    from dradsl.api._cluster import cluster_builder
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.simulate.pods import pod_with

    builder = cluster_builder(ApiServer(question.release, question.features))
    for number, recorded in enumerate(question.recorded):
        if number % 64 == 0:
            deadline.check()
        builder.add_recorded(dict(recorded), "the recording")
    pod = pod_with(question.subject)
    for document in (*question.others, question.subject, *([] if pod is None else [pod])):
        builder.add_manifest(dict(document), "the folder")
    return builder.build()


def _first(simulation: Simulation, nodes: int) -> Placed | None:
    """What becomes of the first pod; `dradsl simulate` tells of all."""
    from dradsl.simulate.controllers.daemon_sets import daemon_pods
    from dradsl.simulate.pods import expand
    from dradsl.simulate.report.text import describe_pod

    workload = simulation.cluster.workloads[0]
    pods = (
        daemon_pods(workload, simulation.cluster.inventory.nodes)
        if workload.at.per_node
        else expand(workload, None)
    )
    pod = next(iter(pods), None)
    if pod is None:
        return None
    report = simulation.place(pod)
    lines = tuple(describe_pod(report, simulation))
    return Placed(report.prospect.value, report.fitting, nodes, lines)
