"""How to migrate: the choices of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.planning.answers import Answers
from dradsl.records import dataclass, field
from dradsl.values.deadline import NO_DEADLINE, Deadline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.tree.charts.recipes import Recipe
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to migrate. `inventory` are recorded objects, `separate` keeps new objects out of the
    manifests' own files, `recipes` go before the shipped ones. `around` are the kustomizations on disk
    around the files; without it only those among the files count. `renderer` renders both sides. A run that is not complete at the `deadline` ends without a result."""

    strategy: str = "claims"
    answers: Answers = field(default_factory=lambda: Answers({}))
    kube_version: str | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    separate: bool = False
    recipes: tuple[Recipe, ...] = ()
    prove: bool = True
    around: SurroundingKustomizations | None = None
    renderer: Renderer | None = None
    deadline: Deadline = NO_DEADLINE

    @property
    def by_class(self) -> bool:
        """Whether DeviceClasses answer the requests, which stay as they are."""
        return self.strategy == "extended-resource"
