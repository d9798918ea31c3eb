"""How a simulation is shown: one module a format, each with `render(outcome, out)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import Record
from dradsl.simulate.prospect import Prospect, worst

if TYPE_CHECKING:
    from dradsl.releases import Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.changes.objects import ClusterChange
    from dradsl.simulate.changes.rematch import LostClaim
    from dradsl.simulate.plugin.verdicts import PodReport

__all__ = ["FORMATS", "Before", "FitReport", "SimulationOutcome"]

FORMATS: tuple[str, ...] = ("text", "json", "yaml", "html")


class FitReport(Record):
    """How often a workload fits, and what stops the next replica. `unknown`: see `PodReport.unknown`."""

    workload: str
    count: int
    stopped_by: PodReport | None
    limit: int
    simulation: Simulation  # as it is once all of them are placed
    whole: bool = False  # there are no more pods of it: one for each node
    unknown: tuple[str, ...] = ()

    @property
    def limit_words(self) -> str:
        """What ended the count where no replica stopped it."""
        if self.whole:
            return "all its nodes"
        return "the limit" if self.count >= self.limit else "the time limit"


class SimulationOutcome(Record):
    """What `dradsl simulate` found out: pods placed in order, or how often workloads fit. `before`: what it is compared
    with, if the call changes a cluster."""

    simulation: Simulation
    release: Release
    reports: tuple[PodReport, ...]
    fits: tuple[FitReport, ...]
    node_order: str
    verbose: bool = True  # each pod by itself, however many there are
    before: Before | None = None
    source: str = ""  # where the cluster is from: a context of kubectl, or files

    @property
    def prospect(self) -> Prospect:
        """What can be said of all pods together: the worst that can be said of one. Objects that
        the API server rejects never start, nor do pods whose claims no longer match."""
        if any(note.kind == "rejected" for note in self.simulation.cluster.notes):
            return Prospect.NEVER
        lost = self.before.lost if self.before is not None else ()
        claims = (Prospect.UNKNOWN if one.unseen else Prospect.NEVER for one in lost)
        return worst((*claims, *(report.prospect for report in self.reports)))


class Before(Record):
    """What the outcome is compared with: the cluster as it was recorded, and the pods of the manifests there.

    `lost` are claims that hold devices and would not get them again after the change.
    """

    change: ClusterChange
    outcome: SimulationOutcome
    lost: tuple[LostClaim, ...] = ()
