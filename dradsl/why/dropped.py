"""Fields that were applied, and that objects of a pod do not have: an API server drops them while their feature gate is off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES, Features
from dradsl.simulate.extended import extended_resources
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.changes import CLAIM_FIELDS
from dradsl.why.dump import label_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.simulate.pods import Pod
    from dradsl.why.dump import Document
    from dradsl.why.world import RecordedCluster

__all__ = ["default_from", "dropped_fields"]

_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def default_from(gate: str) -> str:
    """The release from which on a feature gate is on by default, in words."""
    for name, release in RELEASES.items():
        if gate in release.gates and release.gates[gate].default:
            return f"on by default only from {name} on"
    return "off by default"


def dropped_fields(world: RecordedCluster, pod: Pod) -> Iterator[str]:
    """What the claims, templates and classes of a pod were applied with and do not have, with the gates that would keep it."""
    bare = ApiServer(world.release, Features(world.release.name, frozenset()))
    for document in _objects(world, pod):
        given: Any = mapping_at(document, "metadata", "annotations").get(_APPLIED)
        try:
            applied = json.loads(str(given))
            dropped = bare.dropped(applied) if given else ()
        except (ValueError, AttributeError, TypeError, KeyError):
            continue
        for one in dropped:
            off = [gate for gate in one.gates if gate not in world.simulation.features]
            field = ".".join(str(step) for step in one.path if not isinstance(step, int))
            if off == list(one.gates) and not _has(document, one.path):
                yield (
                    f"{label_of(document)} was applied with {field}, and does not have it: an API server drops it while the "
                    f"feature gate {off[0]} is off, which is {default_from(off[0])}"
                )


def _objects(world: RecordedCluster, pod: Pod) -> Iterator[Document]:
    """The templates, claims and classes that a pod asks with."""
    names, resources = set[object](), extended_resources(pod.spec)
    for entry in mappings_at(pod.spec, "resourceClaims"):
        for kind, field in CLAIM_FIELDS.items():
            if found := world.dump.get(kind, (pod.namespace, str(entry.get(field)))):
                yield found
    for claim in (world.simulation.claims.get(entry.key) for entry in pod.claims):
        requests = mappings_at(claim, "spec", "devices", "requests")
        names |= {mapping_at(one, "exactly").get("deviceClassName") for one in requests}
    for one in world.dump.all("DeviceClass"):
        if resources or mapping_at(one, "metadata").get("name") in names:
            yield one


def _has(document: object, path: tuple[object, ...]) -> bool:
    place: Any = document
    for step in path:
        try:
            place = place[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True
