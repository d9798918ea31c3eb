"""What plans pods wherever they are found: the answers, the evidence, the drivers and the recipes of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.detection.values import all_pods
from dradsl.migrate.planning.plan import PodPlan, plan_pod, reject_plan
from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.recipes import RecipeBook
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.mapping.targets import Rejection
    from dradsl.migrate.places import PodAt
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["Planned", "Planner"]


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A pod's plan, and the decisions for it."""

    plan: PodPlan
    decisions: Decisions


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans pods by the answers (`decide`, for a file and a workload by its title) and the evidence of the run."""

    decide: Callable[[str, str], Decisions]
    evidence: Evidence
    catalogue: Catalogue
    recipes: RecipeBook

    def pods(self, manifest: Manifest) -> Iterator[PodAt]:
        """The pods of an object or of values that use devices."""
        return all_pods(manifest, self.catalogue, self.recipes)

    def plan(self, file: str, pod: PodAt, rejection: Rejection | None = None) -> Planned:
        """The plan of a pod of a file; with a `rejection` that for all of its uses."""
        decisions = self.decide(file, pod.title)
        plan = plan_pod(pod, decisions, self.evidence, self.catalogue)
        return Planned(plan if rejection is None else reject_plan(plan, rejection), decisions)
