"""DRA418, DRA420: the pods that share a ResourceClaim: replicas of one workload, and more than it can be reserved for.

The limit is ResourceClaimReservedForMaxSize of k8s.io/api resource/v1: the API server rejects the update that
reserves the claim for one pod more, and the scheduler tries again indefinitely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.records import dataclass
from dradsl.values.plain import list_at, mapping_at, member

__all__ = ["Consumer", "check", "consumers_of_claims"]

_REPLICAS = "DRA418"
_TOO_MANY = "DRA420"
_MOST = 256
_HOSTNAME = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WORDS = ("resourceClaimName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        replicas = pod.at.replicas or 0
        for path, name in pod.named("resourceClaimName") if replicas > 1 else ():
            if replicas > _MOST:
                more = replicas - _MOST
                yield RuleFinding(
                    _TOO_MANY,
                    pod.manifest,
                    path,
                    f'{_MOST} pods at most can use ResourceClaim "{name}" at a time: {more} of the '
                    f"{replicas} replicas {'never starts' if more == 1 else 'never start'}",
                    help="use several claims, or one for each pod with resourceClaimTemplateName",
                    upstream=f"status.reservedFor: Too many: {_MOST + 1}: must have at most {_MOST} items",
                )
            else:
                apart = _on_other_nodes(pod)
                yield RuleFinding(
                    _REPLICAS,
                    pod.manifest,
                    path,
                    f'all {replicas} replicas share the one allocation of ResourceClaim "{name}"'
                    + (", and have to be on different nodes" if apart else ""),
                    help="for devices of its own per replica use resourceClaimTemplateName",
                    severity=Severity.WARNING if apart else None,
                )


def _on_other_nodes(pod: PodView) -> bool:
    """Whether no two pods of the workload may be on one node, where the devices of a node mostly are.

    By required anti-affinity against its own labels on the node's name.
    """
    terms = list_at(pod.spec, "affinity", "podAntiAffinity", _REQUIRED)
    labels = mapping_at(pod.at.metadata, "labels")
    spread = False
    for term in terms:
        selector = mapping_at(term, "labelSelector")
        wanted = mapping_at(selector, "matchLabels")
        own = all(labels.get(key) == value for key, value in wanted.items())
        if wanted and own and selector == {"matchLabels": wanted}:
            spread = spread or member(term, "topologyKey") == _HOSTNAME
    return spread


@dataclass(frozen=True, slots=True)
class Consumer:
    """A pod spec that names a claim: `path` is where, `pods` how many pods are made of it at least."""

    pod: PodView
    path: FieldPath
    pods: int


def consumers_of_claims(run: Run) -> Mapping[tuple[str, int, FieldPath], list[Consumer]]:
    """The consumers of each claim of the run, by the key of its manifest.

    A name that may mean several claims, of several environments say, counts for none.
    """
    return run.remember("consumers-of-claims", lambda: _consumers(run))


def _consumers(run: Run) -> Mapping[tuple[str, int, FieldPath], list[Consumer]]:
    found: dict[tuple[str, int, FieldPath], list[Consumer]] = {}
    for pod in run.pods:
        for path, name in pod.named("resourceClaimName"):
            meant = run.index.meant("ResourceClaim", name, pod.manifest)
            if len(meant) == 1:
                pods = (2 if pod.at.per_node else 1) if pod.at.replicas is None else pod.at.replicas
                found.setdefault(meant[0].key, []).append(Consumer(pod, path, pods))
    return found
