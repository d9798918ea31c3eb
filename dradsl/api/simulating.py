"""`dradsl.simulate`: which pods start on a fleet, on which nodes and with which devices."""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from dradsl.api.objects import documents, sorted_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dradsl.api.fleet import Fleet
    from dradsl.api.objects import JsonValue, Objects
    from dradsl.releases import ReleaseName
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import SimulationOutcome

__all__ = [
    "AllocatedDevice",
    "NodeOrder",
    "PodResult",
    "SimulationResult",
    "fit",
    "simulate",
]

Answer = Literal["fits", "chance", "unknown", "never"]
NodeOrder = Literal["score", "name", "pack", "spread"]
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")


@dataclass(frozen=True, slots=True)
class AllocatedDevice:
    """A device that a pod gets.

    Args:
        claim: the claim's name in the pod.
        request: the request of that claim, with the alternative: "gpu" or "gpu/large".
        driver: the driver.
        pool: the pool, mostly the node's name.
        device: the name of the device.
    """

    claim: str
    request: str
    driver: str
    pool: str
    device: str


@dataclass(frozen=True, slots=True)
class PodResult:
    """What becomes of a pod.

    Args:
        namespace: its namespace.
        name: its name.
        answer: "fits", "chance" (it depends on what the scheduler looks at first), "never", or
            "unknown" if it was not examined.
        node: the node that it runs on.
        devices: the devices that it gets.
        reason: why it does not surely start.
        alike: how many further pods of its workload fare the same.
        not_known: what it needs of the node besides devices, such as "cpu" or "label zone", and the node
            does not state.
        fitting: on how many nodes it fits, if only one of them is asked.
    """

    namespace: str
    name: str
    answer: Answer
    node: str | None
    devices: tuple[AllocatedDevice, ...] = ()
    reason: str = ""
    alike: int = 0
    not_known: tuple[str, ...] = ()
    fitting: int = 0

    @property
    def fits(self) -> bool:
        """Whether it surely starts."""
        return self.answer == "fits"


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What `simulate` found out. `str()` is the report that the command line prints.

    Args:
        pods: the pods, in the order in which they were placed.
        kubernetes: the release whose scheduler was followed.
        rejected: objects that the API server rejects, and why.
        notes: further sentences about the run.
    """

    pods: tuple[PodResult, ...]
    kubernetes: str
    rejected: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    _outcome: SimulationOutcome | None = field(default=None, repr=False, compare=False)
    _place: Callable[[], SimulationOutcome] | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[SimulationResult], tuple[object, ...]]:
        # Compiled selectors cannot be pickled: `report` works the outcome out again.
        kept = (self.pods, self.kubernetes, self.rejected, self.notes)
        return type(self), (*kept, None, self._place)

    @property
    def fits(self) -> bool:
        """Whether every pod surely starts."""
        return not self.rejected and all(pod.fits for pod in self.pods)

    @property
    def pending(self) -> tuple[PodResult, ...]:
        """The pods that do not surely start."""
        return tuple(pod for pod in self.pods if not pod.fits)

    def pod(self, name: str) -> PodResult:
        """The pod of that name, or `namespace/name`.

        Raises:
            KeyError: if there is none, or several.
        """
        found = [one for one in self.pods if name in (one.name, f"{one.namespace}/{one.name}")]
        if len(found) != 1:
            known = ", ".join(f"{one.namespace}/{one.name}" for one in self.pods)
            raise KeyError(f"{len(found)} pods are called {name} (known: {known})")
        return found[0]

    def __iter__(self) -> Iterator[PodResult]:
        return iter(self.pods)

    def __len__(self) -> int:
        return len(self.pods)

    def __bool__(self) -> bool:
        raise TypeError("ask .fits: a result has no truth value")

    def report(self, output_format: Literal["text", "json", "yaml", "html"] = "text") -> str:
        """The report of `dradsl simulate --output-format`.

        Args:
            output_format: one of its formats.

        Raises:
            ValueError: for another format.
        """
        from dradsl.simulate.report import FORMATS

        if output_format not in FORMATS:
            known = ", ".join(FORMATS)
            raise ValueError(f"unknown output format {output_format!r} (known: {known})")
        outcome = self._outcome or (self._place and self._place())
        if outcome is None:
            return "".join(f"{one.namespace}/{one.name}: {one.answer}\n" for one in self.pods)
        out = io.StringIO()
        renderer = importlib.import_module(f"dradsl.simulate.report.{output_format}")
        renderer.render(replace(outcome, verbose=output_format != "text"), out)
        return out.getvalue()

    def __str__(self) -> str:
        return self.report().rstrip("\n")


def simulate(
    objects: Objects,
    fleet: Fleet,
    *,
    kube_version: ReleaseName | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    replicas: int | None = None,
    pods_for_claims: bool = True,
    known_classes: bool = True,
    node_order: NodeOrder = "score",
) -> SimulationResult:
    """Place the pods of `objects` on `fleet`, one after the other, as the scheduler would.

    Args:
        objects: an app, objects, plain data, or paths of files: pods and workloads, with their
            claims, templates and classes. Apps that an app uses bring their classes.
        fleet: the devices, and what is in use of them.
        kube_version: the release whose scheduler is followed; that of the app, else the newest.
        feature_gates: gates that differ from the release's defaults.
        replicas: pods of each workload; as many as it says if None.
        pods_for_claims: also place a pod for each claim and template that no pod names.
        known_classes: take classes that are missing as their drivers install them.
        node_order: which of the nodes that fit is taken.

    Raises:
        ValueError: for an unknown release or gate, for a fleet or objects that cannot be read, and
            if there is nothing to place.
        OSError: for a file that cannot be read.
    """

    question = _question_of(
        objects, fleet, kube_version, feature_gates, pods_for_claims, known_classes
    )
    outcome = question.outcome(node_order, replicas)
    cluster = outcome.simulation.cluster
    rejected = tuple(
        f"{one.subject}: {one.text}" for one in cluster.notes if one.kind == "rejected"
    )
    if not cluster.workloads and not rejected:
        raise ValueError("there are no pods, workloads or claims to place")
    return SimulationResult(
        tuple(map(_pod_result, outcome.reports)),
        question.release,
        rejected,
        tuple(f"{one.subject}: {one.text}" for one in cluster.notes if one.kind != "rejected"),
        outcome,
        partial(question.outcome, node_order, replicas),
    )


def fit(
    objects: Objects,
    fleet: Fleet,
    *,
    kube_version: ReleaseName | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    limit: int = 1000,
    known_classes: bool = True,
) -> dict[str, int]:
    """How many pods of each workload fit on `fleet`, each workload for itself.

    Args:
        objects: as for `simulate`.
        fleet: the devices.
        kube_version: the release whose scheduler is followed; that of the app, else the newest.
        feature_gates: gates that differ from the release's defaults.
        limit: where counting stops.
        known_classes: take classes that are missing as their drivers install them.

    Returns:
        The number by workload, as in `{"Deployment ml/server": 12}`.
    """
    from dradsl.api._cluster import count_fitting

    question = _question_of(objects, fleet, kube_version, feature_gates, True, known_classes)
    simulation = question.simulation("score")
    return {
        one.label: count_fitting(simulation, one, limit, {}).count
        for one in simulation.cluster.workloads
    }


@dataclass(frozen=True, slots=True)
class _Scenario:
    """What a simulation reads, as plain data: a pickled result works its report out of it again."""

    release: str
    gates: Mapping[str, bool]
    recorded: tuple[JsonValue, ...]
    manifests: tuple[tuple[str, dict[str, Any]], ...]
    known_classes: bool
    left_out: Mapping[str, list[str]]
    source: str = ""

    def simulation(self, node_order: NodeOrder) -> Simulation:
        """The cluster before any pod of the manifests is placed."""
        from dradsl.api._cluster import cluster_builder, simulation_on
        from dradsl.kube.server.api_server import ApiServer
        from dradsl.releases import get_release
        from dradsl.simulate.input.notes import notes_on_files

        release = get_release(self.release)
        features = release.features(self.gates)
        builder = cluster_builder(ApiServer(release, features), known_classes=self.known_classes)
        for data in self.recorded:
            builder.add_recorded(dict(data), "the fleet")
        builder.notes += notes_on_files(self.left_out)
        for name, data in self.manifests:
            builder.add_manifest(data, name)
        return simulation_on(builder.build(), release, features, node_order)

    def outcome(self, node_order: NodeOrder, replicas: int | None) -> SimulationOutcome:
        """The pods, placed."""
        from dradsl.releases import get_release
        from dradsl.simulate.replicas import place_workloads
        from dradsl.simulate.report import SimulationOutcome

        simulation = self.simulation(node_order)
        reports = tuple(place_workloads(simulation, simulation.cluster.workloads, replicas))
        return SimulationOutcome(
            simulation, get_release(self.release), reports, (), node_order, source=self.source
        )


def _question_of(
    objects: Objects,
    fleet: Fleet,
    kube_version: str | None,
    feature_gates: Mapping[str, bool] | None,
    pods_for_claims: bool,
    known_classes: bool,
) -> _Scenario:
    from dradsl.api.fleet import Fleet

    if not isinstance(fleet, Fleet):
        raise TypeError(f"expected a Fleet, such as Fleet.from_file(path), not {fleet!r}")
    release, gates = _release(objects, kube_version, feature_gates)
    left_out: dict[str, list[str]] = {}
    given = list(documents([objects], left_out))
    manifests = [(name, data) for name, each in given for data in each]
    manifests += [("apps that are used", data) for data in _of_used(objects)]
    if pods_for_claims:
        pods = _pods_for_claims([data for _, each in given for data in each])
        manifests += [("claims", pod) for pod in pods]
    return _Scenario(
        release, gates, fleet.documents, tuple(manifests), known_classes, left_out, fleet.source
    )


def _of_used(objects: Objects) -> Iterator[dict[str, object]]:
    """What the apps of the call use of others: classes, claims, templates. Their pods are not placed."""
    apps, _, _ = sorted_out([objects])
    seen, todo = {id(app) for app in apps}, [one for app in apps for one in app.uses]
    for app in todo:
        if id(app) in seen:
            continue
        seen.add(id(app))
        todo += app.uses
        for data in app.to_dicts():
            if data["apiVersion"].startswith("resource.k8s.io/") or data["kind"] == "Namespace":
                yield data


def _release(
    objects: Objects, kube_version: str | None, gates: Mapping[str, bool] | None
) -> tuple[str, dict[str, bool]]:
    """The release to follow, and the gates that differ from its defaults."""
    from dradsl.releases import expect_switches, get_release, newest_release

    apps, _, _ = sorted_out([objects])
    of_apps = [one.for_release for one in apps if one.for_release is not None]
    name = kube_version or (of_apps[0] if of_apps else None)
    release = get_release(name) if name else newest_release()
    expect_switches(gates)
    given: dict[str, bool] = {}
    for app in apps:
        given |= app.feature_gates
    return release.name, {**given, **(gates or {})}


def _pods_for_claims(given: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """A pod for each claim and template that no pod names."""
    from dradsl.simulate.pods import pod_with

    made = [pod for data in given if (pod := pod_with(data)) is not None]
    named = {pair for data in given if data.get("kind") not in _CLAIMS for pair in _named(data)}
    yield from (pod for pod in made if named.isdisjoint(_named(pod)))


def _named(value: object) -> Iterator[tuple[str, str]]:
    """The claims and templates that anything in an object names."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in ("resourceClaimName", "resourceClaimTemplateName"):
                yield str(key), str(item)
            else:
                yield from _named(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _named(item)


def _pod_result(report: PodReport) -> PodResult:
    reason = report.reason
    if not reason and not report.fitting and report.prospect.value != "fits":
        reason = "; ".join(
            f"{verdict.label}: {verdict.text or verdict.kind}" for verdict in report.verdicts
        )
    return PodResult(
        report.pod.namespace,
        report.pod.name,
        report.prospect.value,
        report.node,
        tuple(_devices(report.allocations)),
        report.problem or reason,
        report.alike,
        report.unknown,
        report.fitting,
    )


def _devices(allocations: Mapping[str, JsonValue]) -> Iterator[AllocatedDevice]:
    for claim, allocation in allocations.items():
        devices = allocation.get("devices")
        results = devices.get("results") if isinstance(devices, Mapping) else None
        for one in results if isinstance(results, list | tuple) else ():
            yield AllocatedDevice(
                claim,
                str(one["request"]),
                str(one["driver"]),
                str(one["pool"]),
                str(one["device"]),
            )
