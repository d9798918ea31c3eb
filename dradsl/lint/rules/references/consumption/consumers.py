"""The pods that name each ResourceClaim, and how many pods that makes."""

from __future__ import annotations

from collections.abc import Mapping

from dradsl.diagnostics import FieldPath
from dradsl.lint.view.view import PodView, Run
from dradsl.records import dataclass

__all__ = ["Consumer", "consumers_of_claims"]

Key = tuple[str, int, FieldPath]


@dataclass(frozen=True, slots=True)
class Consumer:
    """A pod spec that names a claim: `path` is where, `pods` how many pods are made of it at least."""

    pod: PodView
    path: FieldPath
    pods: int


def consumers_of_claims(run: Run) -> Mapping[Key, tuple[Consumer, ...]]:
    """The consumers of each claim of the run, by the key of its manifest.

    A name that may mean several claims, of several environments say, counts for none.
    """
    found: dict[Key, list[Consumer]] = {}
    for pod in run.pods():
        for index, entry in pod.claims():
            name = entry.get("resourceClaimName")
            if not isinstance(name, str) or not name:
                continue
            meant = run.index.meant("ResourceClaim", name, pod.manifest)
            if len(meant) == 1:
                path = (*pod.at.path, "resourceClaims", index, "resourceClaimName")
                pods = (2 if pod.at.per_node else 1) if pod.at.replicas is None else pod.at.replicas
                found.setdefault(meant[0].key, []).append(Consumer(pod, path, pods))
    return {key: tuple(consumers) for key, consumers in found.items()}
