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
    """How to migrate. `inventory` are recorded objects, `recipes` go before the shipped ones. `around` are the kustomizations on disk
    around the files; without it only those among the files count. `renderer` renders both sides. A run that is not complete at the `deadline` ends without a result."""

    answers: Answers = field(default_factory=lambda: Answers({}))
    kube_version: str | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    recipes: tuple[Recipe, ...] = ()
    prove: bool = True
    around: SurroundingKustomizations | None = None
    renderer: Renderer | None = None
    deadline: Deadline = NO_DEADLINE

    @property
    def separate(self) -> bool:
        """Whether the manifests stay, and patches are written beside them."""
        return self.answers.for_run.form != "files"

    @property
    def by_class(self) -> bool:
        """Whether DeviceClasses answer the requests, which stay as they are."""
        return self.answers.for_run.strategy == "extended-resource"
