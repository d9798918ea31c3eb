"""What lint and simulate say of what was written, through the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.api.fleet import Fleet
    from dradsl.diagnostics import Finding
    from dradsl.values.json_types import JsonMapping

__all__ = ["Answer", "answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Findings above info, and of how many nodes the workload fits on how many; None without a fleet."""

    findings: tuple[Finding, ...]
    fitting: int | None = None
    nodes: int = 0
    reason: str = ""


def answer(
    objects: Sequence[JsonMapping],
    fleet: Fleet | None,
    kube_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    context: Sequence[JsonMapping] = (),
) -> Answer:
    """Lint the objects, and place one pod of each workload on the fleet; `context` is visible besides.

    Raises:
        ValueError: for a release or gate that is not known, or a fleet that cannot be read.
    """
    from dradsl.api.linting import lint
    from dradsl.api.simulating import simulate

    found = lint(
        *objects,
        kube_version=kube_version,
        feature_gates=feature_gates,
        fleet=fleet,
        context=context,
    )
    findings = found.at_least("warning")
    if fleet is None or any(each.severity.rank == 0 for each in findings):
        return Answer(findings)
    result = simulate(
        [*context, *objects],
        fleet,
        kube_version=kube_version,
        feature_gates=feature_gates,
        replicas=1,
        pods_for_claims=False,
    )
    pods = [pod for pod in result if pod.devices or not pod.fits]
    fitting = min((pod.fitting for pod in pods), default=0)
    reasons = [*result.refused, *(pod.reason for pod in pods if not pod.fits)]
    return Answer(findings, fitting, len(fleet.nodes), "; ".join(reasons[:1]))
