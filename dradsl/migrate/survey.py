"""The evidence of a run: all that is known of its files before the first pod is planned."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dradsl.migrate.cluster.clusters import Clusters
from dradsl.migrate.detection.unjudged import named_values
from dradsl.migrate.detection.values import recipe_book
from dradsl.migrate.evidence import gather
from dradsl.migrate.kustomize.tree import build_tree, real_path
from dradsl.migrate.planning.plan import Planner
from dradsl.migrate.targets.operator import installs_driver
from dradsl.records import Record, cached, field, replace
from dradsl.tree.charts.template_pods import helpers_in
from dradsl.tree.kustomize.surrounding import files_outside
from dradsl.tree.manifests.manifest import manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.values import RecipeBook
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.overlays.controllers import Controller
    from dradsl.migrate.planning.answers import Options
    from dradsl.releases import Release
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["RunEvidence", "survey"]


class RunEvidence(Record):
    """What all files of a run have in common.

    `controllers` are what Flux and Argo CD build.
    `has_driver` says that a DRA driver is installed. `helpers` are
    named templates of charts, `named` the values that templates ask for by name.
    """

    options: Options
    sources: tuple[SourceText, ...]
    evidence: Evidence
    catalogue: Catalogue
    tree: KustomizationTree
    book: RecipeBook
    controllers: tuple[Controller, ...] = ()
    has_driver: bool = False
    helpers: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    @property
    def builds(self) -> bool:
        """Whether overlays are built: patches beside manifests that stay (`separate`) change no tree."""
        return bool(self.tree.folders or self.controllers) and not self.options.separate

    @cached
    def built_by(self) -> frozenset[tuple[str, int, FieldPath]]:
        """The objects of Flux and Argo CD that are built."""
        return frozenset(each.place for each in self.controllers)

    @cached
    def charts(self) -> frozenset[str]:
        """The folders of charts in the run."""
        parts = (each.name.rpartition("/") for each in self.sources)
        return frozenset(folder for folder, _, name in parts if name == "Chart.yaml")

    @property
    def clusters(self) -> Clusters:
        """The files by the clusters that they go to."""
        return self.evidence.clusters or Clusters(self.sources, self.options.around)

    @property
    def release(self) -> Release:
        """The release of Kubernetes that the result is for."""
        from dradsl.releases import get_release, newest_release

        version = self.options.kube_version
        return get_release(version) if version else newest_release()

    @property
    def planner(self) -> Planner:
        """What plans objects as they are written."""
        decide = partial(self._decided, written=())
        return Planner(decide, self.evidence, self.catalogue, self.book)

    @property
    def of_builds(self) -> Planner:
        """What plans objects as they are built."""
        return replace(self.planner, decide=self._decide_built)

    def _decide_built(self, file: str, workload: str) -> Decisions:
        """What a build gives another namespace is also named as in its file."""
        written = self._written.get(file, frozenset()) if self.options.answers.rules else ()
        named = any(space and f" {space}/" in workload for space in written)
        return self._decided(file, workload, () if named else written)

    def _decided(self, file: str, workload: str, written: Iterable[str]) -> Decisions:
        answers = self.options.answers
        uses = self.clusters.repository.origin(file).uses if answers.rules else ()
        found = [each.namespace or each.fallback for each in uses]
        return answers.decide(file, workload, dict.fromkeys((*written, *filter(None, found))))

    @cached
    def _written(self) -> Mapping[str, frozenset[str]]:
        """The namespaces of the objects in each file; empty texts for those without one."""
        return {
            source.name: frozenset(each.namespace or "" for each in manifests_of(source))
            for source in self.sources
        }


def survey(sources: Sequence[SourceText], options: Options, catalogue: Catalogue) -> RunEvidence:
    """Gather what decides about every file. Nothing is planned."""
    tops, outside = files_outside(sources, options.around)
    return RunEvidence(
        options,
        tuple(sources),
        gather(sources, options.inventory, options.around, tuple(outside.values())),
        catalogue,
        build_tree(sources, options.around, catalogue),
        recipe_book(sources, options.recipes, tuple(outside.values())),
        _controllers(sources, options, tops, outside),
        has_driver=installs_driver(sources),
        helpers=helpers_in([s.stream.text for s in sources if "define" in s.stream.text]),
        named=named_values(sources),
    )


def _controllers(
    sources: Sequence[SourceText],
    options: Options,
    tops: tuple[str, ...],
    outside: Mapping[str, SourceText],
) -> tuple[Controller, ...]:
    """What Flux and Argo CD build of the folders on disk, by their objects in the run and in its Git repositories."""
    from dradsl.migrate.overlays.controllers import find_controllers
    from dradsl.migrate.overlays.drafts import TreeEdit
    from dradsl.tree.kustomize.parts.files import Files

    if options.around is None or options.separate:
        return ()
    texts = {path: s.stream.text for s in sources if (path := real_path(s.name)) is not None}
    every = {**texts, **{path: s.stream.text for path, s in outside.items()}}
    return find_controllers(every, TreeEdit(Files(tops), texts).files(), tops)
