"""The namespaces in which the objects of a run's files end up, as far as their builds say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.tree.applied.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations

__all__ = ["Namespaces"]


class Namespaces:
    """The files of a run with the kustomizations and builders among and around them."""

    def __init__(
        self, sources: Iterable[SourceText], around: SurroundingKustomizations | None
    ) -> None:
        found = around.kustomizations if around is not None else ()
        others = [(f"{folder}/kustomization.yaml", stream) for folder, stream in found]
        tops = around.roots if around is not None else ()
        files = [(source.name, source.stream) for source in sources]
        self._repository = Repository(files, others, tops)

    def is_built(self, name: str) -> bool:
        """Whether a kustomization, Flux or Argo CD builds what stands in a file, as far as that is visible."""
        return bool(self._repository.origin(name).uses)

    def effective(self, name: str, written: str | None) -> str | None:
        """The namespace in which an object of a file ends up. `written` is its own one (None: not written), which
        is also the answer if the builds differ."""
        uses = self._repository.origin(name).uses
        found = {each.namespace or written or each.fallback for each in uses}
        return next(iter(found)) if len(found) == 1 else written
