"""Fields that objects of a pod were applied with and do not have: an API server drops them while their feature gate is off."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES, Features
from dradsl.simulate.extended import extended_resources
from dradsl.values.plain import find_at, mapping_at, mappings_at
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
    on = (name for name, one in RELEASES.items() if gate in one.gates and one.gates[gate].default)
    name = next(on, "")
    return f"on by default only from {name} on" if name else "off by default"


def dropped_fields(world: RecordedCluster, pod: Pod) -> Iterator[str]:
    """What the claims, templates and classes of a pod were applied with and do not have, with the gate that would keep it."""
    bare = ApiServer(world.release, Features(world.release.name, frozenset()))
    for document in _objects(world, pod):
        found = mapping_at(document, "metadata", "annotations").get(_APPLIED)
        dropped: list[tuple[tuple[str | int, ...], tuple[str, ...]]] = []
        with suppress(ValueError, AttributeError, TypeError, KeyError):
            applied = json.loads(str(found or "{}"))
            dropped = [(one.path, one.gates) for one in bare.dropped(applied)]
        for path, gates in dropped:
            on = world.simulation.features.enabled.intersection(gates)
            field = ".".join(str(step) for step in path if not isinstance(step, int))
            if not on and find_at(document, path) is None:
                yield (
                    f"{label_of(document)} was applied with {field}, and does not have it: an API server drops it while the "
                    f"feature gate {gates[0]} is off, which is {default_from(gates[0])}"
                )


def _objects(world: RecordedCluster, pod: Pod) -> Iterator[Document]:
    """The templates, claims and classes that a pod asks with."""
    for entry in mappings_at(pod.spec, "resourceClaims"):
        keys = ((kind, (pod.namespace, str(entry.get(one)))) for kind, one in CLAIM_FIELDS.items())
        yield from filter(None, (world.dump.get(kind, key) for kind, key in keys))
    claims = [world.simulation.claims.get(entry.key) for entry in pod.claims]
    asked = [one for each in claims for one in mappings_at(each, "spec", "devices", "requests")]
    names = {mapping_at(one, "exactly").get("deviceClassName") for one in asked}
    for one in world.dump.all("DeviceClass"):
        if extended_resources(pod.spec) or mapping_at(one, "metadata").get("name") in names:
            yield one
