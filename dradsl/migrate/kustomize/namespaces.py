"""The namespaces in which the objects of a run's files end up, as far as their builds say."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dradsl.tree.applied.repository import Repository

__all__ = ["effective_namespace", "is_built"]


def is_built(repository: Repository, name: str) -> bool:
    """Whether a kustomization, Flux or Argo CD builds what stands in a file, as far as that is visible."""
    return bool(repository.origin(name).uses)


def effective_namespace(repository: Repository, name: str, written: str | None) -> str | None:
    """The namespace in which an object of a file ends up. `written` is its own one (None: not written), which
    is also the answer if the builds differ."""
    uses = repository.origin(name).uses
    found = {each.namespace or written or each.fallback for each in uses}
    return next(iter(found)) if len(found) == 1 else written
