"""Values of charts that are a text within an object: edited inside their text, comments kept.

Argo CD has them under `helm.values`, the controller of k3s under `valuesContent`, Flux takes them from ConfigMaps
that a release names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.edits.patches import object_patch
from dradsl.migrate.places import value_in
from dradsl.migrate.planning.rewrite import items_of
from dradsl.migrate.targets.manifests import TextEdit, edit_document, migrated
from dradsl.migrate.values_within import about, read_values, texts_of
from dradsl.records import dataclass, replace
from dradsl.tree.charts.installed import Installed, fetched_in, installed_by
from dradsl.tree.charts.recipes import find
from dradsl.tree.manifests.manifest import Manifest, manifests_in, manifests_of
from dradsl.values.plain import mappings_at, string_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.edits.patches import ObjectPatch
    from dradsl.migrate.mapping.resource import Rejection
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.planning.planner import Planner
    from dradsl.migrate.result import Item
    from dradsl.text.documents import Document
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["TextValues", "ValuesOf", "releases_of", "text_patches"]


@dataclass(frozen=True, slots=True)
class ValuesOf:
    """A release that takes its values from a ConfigMap."""

    title: str
    namespace: str | None
    installed: Installed


def releases_of(sources: Sequence[SourceText]) -> dict[tuple[str, str], ValuesOf]:
    """The releases of Flux that take values from ConfigMaps, by name and key of these."""
    found: dict[tuple[str, str], ValuesOf] = {}
    wanted = [source for source in sources if "valuesFrom" in source.stream.text]
    fetched = fetched_in(m.data for source in sources if wanted for m in manifests_of(source))
    for source in wanted:
        for manifest in manifests_of(source):
            if f"{manifest.kind}.{manifest.group}" != "HelmRelease.helm.toolkit.fluxcd.io":
                continue
            made = ValuesOf(
                f"values of {manifest.kind}",
                string_at(manifest.data, "spec", "targetNamespace") or manifest.namespace,
                installed_by(manifest.data, ("spec", "values"), fetched),
            )
            for reference in mappings_at(manifest.data, "spec", "valuesFrom"):
                if reference.get("kind") == "ConfigMap":
                    key = str(reference.get("valuesKey") or "values.yaml")
                    found[str(reference.get("name")), key] = made
    return found


@dataclass(frozen=True, slots=True)
class TextValues:
    """The texts of values in the files of a run, and what becomes of them."""

    planner: Planner
    releases: Mapping[tuple[str, str], ValuesOf]
    obstacle: Callable[[Manifest, PodAt], Rejection | None]

    def edited(self, source: SourceText, document: Document) -> TextEdit | None:
        """A document whose texts of values were migrated; None if none holds a request."""
        text = document.text
        made = TextEdit(text)
        for values in self._values(source, document):
            outcome = self._one(values, made)
            if outcome is not None:
                made = outcome
        return made if made.read else None

    def _one(self, values: tuple[Manifest, Installed], made: TextEdit) -> TextEdit | None:
        manifest, installed = values
        file, book = manifest.source.name, self.planner.recipes
        book = replace(book, files={**book.files, file: installed})
        planner = replace(self.planner, recipes=book)
        planned = [
            planner.plan(file, pod, self.obstacle(manifest, pod)) for pod in planner.pods(manifest)
        ]
        within = manifest.within
        if not planned or within is None:
            return None
        edited = edit_document(manifest.document, planned, apart=True)
        items: list[Item] = []
        failures = dict(edited.failures or {})
        text, patches = made.text, made.patches
        if edited.text is not None:
            inner = str(value_in(within.document.data, within.path))
            document = manifest.document
            new = inner[: document.start] + edited.text + inner[document.end :]
            new = new.rstrip("\n") + inner[len(inner.rstrip("\n")) :]
            try:
                text = edit_text(text, [[Put(within.path, new)]])
                patches = (*patches, *text_patches(manifest, new))
            except CannotEditError as error:
                failures = dict.fromkeys(
                    planned, f"the text within the object cannot be edited: {error}"
                )
                edited = replace(edited, text=None, added=())
        for each in planned:
            items += items_of(each.plan, each.decisions, failures.get(each))
        done = [
            p for p in planned if edited.text is not None and p.plan.requests and p not in failures
        ]
        return replace(
            made,
            text=text,
            items=(*made.items, *items),
            added=(*made.added, *edited.added),
            workloads=(*made.workloads, *(migrated(each.plan) for each in done)),
            read=made.read | {within.path},
            patches=patches,
        )

    def _values(
        self, source: SourceText, document: Document
    ) -> Iterator[tuple[Manifest, Installed]]:
        for host in manifests_in(source, (document,)):
            for path, text in texts_of(host):
                yield from read_values(
                    source, host, path, text, about(host, path, self.planner.recipes.fetched)
                )
            if host.kind == "ConfigMap" and not host.group:
                for path, text in find(host.data, "data.*"):
                    release = self.releases.get((host.name or "", str(path[-1])))
                    if release is not None:
                        said = (release.title, release.namespace, release.installed)
                        yield from read_values(source, host, path, text, said)


def text_patches(inner: Manifest, text: str) -> Iterator[ObjectPatch]:
    """The patch that replaces the text that contains `inner` with a new one."""
    within = inner.within
    if within is not None:
        hosts = manifests_in(inner.source, (within.document,))
        host = next((h for h in hosts if within.path[: len(h.prefix)] == h.prefix), None)
        if host is not None:
            yield object_patch(host, [Put(within.path, text)])
