"""DRA418: a workload with several replicas names one ResourceClaim, which all of them share."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run
from dradsl.values.plain import list_at, mapping_at, member

CODE = "DRA418"
_MOST = 256  # with more, DRA420 says that some never start
_HOSTNAME = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WORDS = ("resourceClaimName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        replicas = pod.at.replicas
        if replicas is None or not 2 <= replicas <= _MOST:
            continue
        apart = _on_other_nodes(pod)
        for index, entry in pod.claims():
            name = entry.get("resourceClaimName")
            if not isinstance(name, str) or not name:
                continue
            yield RuleFinding(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "resourceClaimName"),
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
