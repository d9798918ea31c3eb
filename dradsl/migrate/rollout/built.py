"""The objects of a tree as it is applied: what Kustomize, Flux and Argo CD build, and what stands alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dradsl.records import dataclass
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.values.limits import MOST_OVERLAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.migrate.options import Options
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["BuiltTree", "build_tree"]


@dataclass(frozen=True, slots=True)
class BuiltTree:
    """`objects` as plain data, `built` how many builds there are, `failed` those that do not build."""

    objects: tuple[Any, ...]
    built: int
    failed: tuple[str, ...]


def build_tree(sources: Sequence[SourceText], options: Options) -> BuiltTree:
    """Build everything that the files show to be applied."""
    from dradsl.migrate.files import is_template
    from dradsl.tree.applied.repository import Repository
    from dradsl.tree.builds import Builds
    from dradsl.tree.manifests.manifest import manifests_of

    around = options.around
    others = [
        (f"{folder}/kustomization.yaml", stream)
        for folder, stream in (around.kustomizations if around is not None else ())
    ]
    files = [(source.name, source.stream) for source in sources]
    repository = Repository(files, others, around.roots if around is not None else ())
    builds = Builds(None, repository)
    objects: list[Any] = []
    failed: list[str] = []
    taken: set[str] = set()
    applied = repository.applied()[:MOST_OVERLAYS]
    for each in applied:
        options.deadline.check()
        made = [*builds.of([each.root], 1)]
        if not made and isinstance(each.root, str):
            overlay = builds.overlay(each.root)
            reason = overlay.rejected or next((u.message for u in overlay.unknowns), "not known")
            failed.append(f"{each.root}: {reason}")
        taken |= {*each.files} if made else set()
        objects += (one.data for build in made for one in build.overlay.objects)
    for source in sources:
        alone = os.path.realpath(source.name) not in taken and not is_kustomization(source.name)
        if alone and not is_template(source):
            objects += (manifest.data for manifest in manifests_of(source) if not manifest.is_patch)
    return BuiltTree(tuple(objects), len(applied) - len(failed), tuple(failed))
