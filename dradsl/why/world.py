"""A dump as a simulation: the cluster that its objects describe, and the pods that are asked about."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.kube.server.api_server import ApiServer
from dradsl.records import Record, field
from dradsl.releases import Features
from dradsl.simulate.attempts import Simulation
from dradsl.simulate.cluster import Cluster, ClusterBuilder
from dradsl.simulate.input.ailments import results_of
from dradsl.why.dump import conditions_of, key_of
from dradsl.why.holders import held_of
from dradsl.why.lives import leftovers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.allocator.inventory.allocated import DeviceShare
    from dradsl.allocator.inventory.slices import DeviceId
    from dradsl.releases import Release
    from dradsl.simulate.input.workload import Workload
    from dradsl.why.dump import Document, Dump, Key

__all__ = ["RecordedCluster", "build_cluster", "build_world", "reason_of", "with_shown"]

_RECORDED = (
    "ResourceSlice",
    "Node",
    "DeviceTaintRule",
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "Pod",
)


class RecordedCluster(Record):
    """`asked` are workloads of pods in question, by namespace and name of the pod; `new` are those of
    manifests that no cluster has seen, `rules` the DeviceTaintRules among them; `rejected` is what the API server says against manifests. `leftover` are devices and shares held for pods that are gone, ended or cannot end.
    `others` are the same cluster under other feature gates or releases, built when an answer needs them."""

    dump: Dump
    simulation: Simulation
    asked: dict[Key, Workload]
    new: tuple[Workload, ...]
    rejected: tuple[tuple[str, str], ...]
    rules: tuple[Document, ...]
    release: Release
    pending: tuple[Document, ...]
    known_class: Callable[[str], ClassRecord | None] | None
    leftover: frozenset[DeviceId | DeviceShare]
    others: dict[str, RecordedCluster] = field(default_factory=dict)


def reason_of(pod: Document) -> str:
    """Why the scheduler rejected a pod, by its condition."""
    return str(conditions_of(pod).get("PodScheduled", {}).get("message") or "")


def with_shown(dump: Dump, release: Release, features: Features) -> Features:
    """These features, and those without which the API server would have dropped fields that readable objects have, or
    would not serve a kind that the dump has."""
    rules = {"DRADeviceTaintRules"} & set(release.gates) if dump.has("DeviceTaintRule") else set()
    features = Features(features.release, features.enabled | rules)
    for document in (one for kind in _RECORDED for one in dump.all(kind)):
        with suppress(AttributeError, TypeError, KeyError):
            dropped = ApiServer(release, features).dropped(document)
            more = {gate for one in dropped for gate in one.gates}
            features = Features(features.release, features.enabled | more) if more else features
    return features


def build_cluster(
    dump: Dump,
    pending: Iterable[Document],
    manifests: Iterable[Document],
    release: Release,
    features: Features,
    known_class: Callable[[str], ClassRecord | None] | None,
) -> tuple[Cluster, list[tuple[str, str]]]:
    """The cluster of a dump, and what the API server rejects of manifests.

    Raises:
        InventoryError: if an object is not in the shape of the API.
    """
    server = ApiServer(release, features)
    waiting = list(pending)
    # What the scheduler misses was not left out of the dump.
    said = any("device class" in reason_of(pod) for pod in waiting)
    known = None if said or dump.has("DeviceClass") else known_class
    builder = ClusterBuilder(server, known_class=known)
    for kind in _RECORDED:
        for document in dump.all(kind):
            builder.add_recorded(document)
    for namespace in dump.all("Namespace"):
        server.add_namespace(namespace)
    for pod in waiting:
        builder.add_manifest(pod, "asked")
    for document in manifests:
        builder.add_manifest(document, "new")
    cluster = builder.build()
    return cluster, [(note.subject, note.text) for note in cluster.notes if note.kind == "rejected"]


def build_world(
    dump: Dump,
    pending: Iterable[Document],
    manifests: Iterable[Document],
    release: Release,
    features: Features,
    known_class: Callable[[str], ClassRecord | None] | None,
) -> RecordedCluster:
    """The world of a dump, `pending` pods of it, and manifests.

    Raises:
        InventoryError: if an object is not in the shape of the API.
    """
    given, waiting = list(manifests), tuple(pending)
    cluster, notes = build_cluster(dump, waiting, given, release, features, known_class)
    rejected = {subject for subject, _ in notes}
    return RecordedCluster(
        dump,
        Simulation(cluster, release, features, CelSelectors(release, features)),
        {(one.namespace, one.name): one for one in cluster.workloads if one.origin == "asked"},
        tuple(one for one in cluster.workloads if one.origin == "new"),
        tuple(notes),
        tuple(
            one
            for one in given
            if one.get("kind") == "DeviceTaintRule"
            and f"DeviceTaintRule {key_of(one)[1]}" not in rejected
        ),
        release,
        waiting,
        known_class,
        frozenset(
            held_of(result)
            for claim in dump.claims.values()
            if leftovers_of(claim, dump)
            for result in results_of(claim)
        ),
    )
