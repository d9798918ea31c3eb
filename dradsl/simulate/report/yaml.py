"""A simulation as ResourceClaims with their allocation in the status."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.simulate.prospect import Prospect
from dradsl.simulate.report.text import alike
from dradsl.values.dump import dump_yaml
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import SimulationOutcome

__all__ = ["render"]


def render(outcome: SimulationOutcome, out: TextIO) -> None:
    """Write one document a claim that was allocated; comments tell of pods that do not surely fit."""
    first = True
    for report in outcome.reports:
        if not report.fits:
            word = "by chance: " if report.prospect is Prospect.CHANCE else ""
            reason = word + " ".join(report.reason.split())
            out.write(printable(f"# pod {report.pod.label}: {reason}") + "\n")
            if report.alike:
                out.write(f"# {alike(report)}\n")
        for claim in _claims(report):
            if not first:
                out.write("---\n")
            first = False
            out.write(dump_yaml(claim))
    out.writelines(
        printable(f"# {fit.workload}: {fit.count} replicas fit") + "\n" for fit in outcome.fits
    )


def _claims(report: PodReport) -> list[dict[str, object]]:
    claims: list[dict[str, object]] = []
    for claim in report.claims.values():
        status = dict(claim.get("status") or {})
        status["reservedFor"] = [{"resource": "pods", "name": report.pod.name}]
        metadata = {
            key: value
            for key, value in (claim.get("metadata") or {}).items()
            if key in ("name", "namespace", "labels", "annotations")
        }
        claims.append(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaim",
                "metadata": metadata,
                "spec": claim.get("spec") or {},
                "status": status,
            }
        )
    return claims
