"""Other feature gates and releases, tried where the scheduler rejects a pod that dradsl would place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.releases import RELEASES, Features, get_release
from dradsl.simulate.pods import the_pod
from dradsl.why.dump import key_of
from dradsl.why.world import build_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dradsl.releases import Release
    from dradsl.simulate.pods import Pod
    from dradsl.why.answer import Answer
    from dradsl.why.dump import Document
    from dradsl.why.world import RecordedCluster

__all__ = ["explained_elsewhere"]

_TRIED_OBJECTS = 2000


def explained_elsewhere(
    world: RecordedCluster, document: Document, place: Callable[[RecordedCluster, Pod], Answer]
) -> Iterator[tuple[str, Answer]]:
    """The feature gates and neighbouring releases with which the devices stop the pod, each tried alone.

    Nothing is tried for a dump of more than 2,000 objects.
    """
    if sum(world.dump.counts.values()) > _TRIED_OBJECTS:
        return
    for label, release, features in _others(world):
        if label not in world.others:
            world.others[label] = build_world(
                world.dump, world.pending, (), release, features, world.known_class
            )
        workload = world.others[label].asked.get(key_of(document))
        answer = None if workload is None else place(world.others[label], the_pod(workload))
        if answer is not None and answer.step in ("allocation", "class"):
            yield label, answer


def _others(world: RecordedCluster) -> Iterator[tuple[str, Release, Features]]:
    release, enabled = world.release, world.simulation.features.enabled
    for name, gate in sorted(release.gates.items()):
        if name.startswith("DRA") and not gate.locked:
            label = f"{name}={str(name not in enabled).lower()}"
            yield label, release, Features(release.name, enabled ^ {name})
    names = list(RELEASES)
    place = names.index(release.name)
    for name in (*names[max(place - 1, 0) : place], *names[place + 1 : place + 2]):
        other = get_release(name)
        yield f"Kubernetes {name}", other, other.features()
