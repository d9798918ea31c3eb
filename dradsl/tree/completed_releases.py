"""Releases of charts with all of their values, and what the charts make of them.

Values of one release may be in several files: a claim in one, its use in another. They are put together as Flux
and Argo CD do it, where all of them are known.
"""

from __future__ import annotations

import functools
import os

from dradsl.text import mentions
from dradsl.text.splitting import has_marks
from dradsl.tree.charts.installed import Fetched, fetched_in
from dradsl.tree.kustomize.kustomization import generated
from dradsl.tree.nodes import SourceDocument, SourcePlace, ValueNode, of, sequence, text_of
from dradsl.tree.values.chart_objects import objects_of_release, values_files
from dradsl.values.plain import list_at, mapping_at, mappings_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.text.paths import FieldPath
    from dradsl.tree.applied.repository import BuiltBy, Repository
    from dradsl.tree.builds import ObjectsOfRun
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.kustomize.parts.outcome import BuiltObject
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "Releases",
    "chart_paths",
    "is_release",
    "namespace_of",
    "node_of",
    "values_at",
]

_FLUX, _ARGO_CD = "helm.toolkit.fluxcd.io", "argoproj.io"
_RELEASES = {"HelmRelease": _FLUX, "Application": _ARGO_CD}
_OF_HELM = ("valueFiles", "values", "parameters")


def is_release(manifest: Manifest) -> bool:
    """Whether an object is one by which Flux or Argo CD installs a chart."""
    return _RELEASES.get(manifest.kind) == manifest.group


class Releases:
    """The releases of a run, and the ConfigMaps and Secrets with their values."""

    def __init__(self, state: ObjectsOfRun) -> None:
        self._state = state

    @functools.cached_property
    def _every(self) -> list[Manifest]:
        found = (*self._state.manifests, *self._state.context)
        return [each for each in found if each.chart_output is None and not each.is_patch]

    @functools.cached_property
    def _charts(self) -> Fetched:
        return fetched_in(each.data for each in self._every)

    @functools.cached_property
    def _maps(self) -> Mapping[tuple[str, str], Sequence[Manifest]]:
        """The ConfigMaps and Secrets, by kind and name."""
        found: dict[tuple[str, str], list[Manifest]] = {}
        for manifest in self._every:
            if manifest.kind in ("ConfigMap", "Secret") and not manifest.group:
                found.setdefault((manifest.kind, str(manifest.name)), []).append(manifest)
        return found

    def wanted(
        self, repository: Repository | None
    ) -> Iterator[tuple[Manifest, tuple[str | BuiltBy, ...]]]:
        """The releases whose values are in several places and mention claims, with what builds them."""
        found = [
            each
            for each in self._state.manifests
            if is_release(each)
            and each.chart_output is None
            and not each.is_patch
            and _has_several(each)
        ]
        if not found:
            return
        speaking = self._speaking()
        for each in found:
            if _speaks(each.document.text) or not speaking.isdisjoint(_names(each)):
                keys = () if repository is None else repository.built_from(each.path)
                if keys is not None:
                    yield each, keys

    def _speaking(self) -> frozenset[str]:
        """Names of what holds values that mention claims: ConfigMaps, Secrets, and files."""
        found: set[str] = set()
        for source in self._state.sources:
            if _speaks(source.stream.text):
                found.add(os.path.basename(source.name))
                found |= {
                    str(member(each.data, "metadata", "name"))
                    for each in source.stream.documents
                    if member(each.data, "kind") in ("ConfigMap", "Secret")
                }
        for source in self._state.sources if found else ():
            if mentions.GENERATORS.is_in(source.stream.text):
                found |= {
                    str(entry.get("name"))
                    for document in source.stream.documents
                    for entry in generated(document.data)
                    for each in list_at(entry, "files")
                    if os.path.basename(str(each).rpartition("=")[2]) in found
                }
        return frozenset(found)

    # One release

    def completed(
        self,
        node: ValueNode,
        namespace: str,
        built: Sequence[BuiltObject],
        files: Files,
        top: str,
        *,
        filled: bool = False,
    ) -> ValueNode | None:
        """A release with all of its values at one place; None if they are not known. What was `built` with it is
        looked at first; with `filled` Flux has put in all variables."""
        from dradsl.tree.releases import complete_release, complete_source

        kind = node.get("kind")
        if kind is not None and kind.text == "HelmRelease":

            def find(kind: str, name: str) -> ValueNode | None:
                return self.find(kind, name, namespace, built, apart=not filled)

            return complete_release(node, find, files, top=top, filled=filled)
        spec = node.get("spec")
        if spec is None:
            return node
        source, several = spec.get("source"), spec.get("sources")
        if source is not None and source.is_map:
            made = complete_source(source, files, top)
            if made is None:
                return None
            spec = spec.with_field("source", made)
        if several is not None and several.is_seq:
            items = [complete_source(each, files, top) for each in several.items]
            if any(each is None for each in items):
                return None
            spec = spec.with_field(
                "sources", sequence([each for each in items if each is not None], several.at)
            )
        return node.with_field("spec", spec)

    def find(
        self,
        kind: str,
        name: str,
        namespace: str,
        built: Sequence[BuiltObject],
        *,
        apart: bool = True,
    ) -> ValueNode | None:
        """The ConfigMap or Secret of a name for a release in a namespace; None if it is not known. `apart` takes one
        of another build, too, as it is written; one with variables is not known."""
        near = [
            each
            for each in built
            if text_of(each.node.get("kind")) == kind
            and text_of(each.node.get("metadata", "name")) == name
            and text_of(each.node.get("metadata", "namespace")) in (namespace, "")
        ]
        if near:
            return near[0].node if len(near) == 1 and not near[0].incomplete else None
        others = self._maps.get((kind, name), ())
        if len(others) != 1:
            return None
        only = others[0]
        if not apart and "${" in only.document.text:
            return None
        same = namespace in ("", only.namespace) or only.namespaces == (namespace,)
        return node_of(only) if same and not only.build_context.holes else None

    def objects_made_of(self, host: Manifest) -> list[Manifest]:
        """What the chart of a release makes of its values, as far as claims go and all names are known."""
        if not _speaks(str(host.data)):
            return []
        return [
            each for each in objects_of_release(host, self._charts) if not _is_marked(each.data)
        ]


def chart_paths(node: ValueNode) -> Iterator[tuple[str, FieldPath]]:
    """The paths of the charts of a release, and the ways to their values in its spec."""
    spec = node.get("spec")
    if spec is None:
        return
    chart = spec.get("chart", "spec")
    if chart is not None:
        path, kind = chart.get("chart"), chart.get("sourceRef", "kind")
        if path is not None and kind is not None and kind.text in ("GitRepository", "Bucket"):
            files = chart.get("valuesFiles")
            if files is None or files.is_empty:  # they stand for the chart's own
                yield path.text, ("values",)
        return
    source = spec.get("source", "path")
    if source is not None:
        yield source.text, ("source", "helm", "valuesObject")
    for index, each in enumerate(spec.items_at("sources")):
        path = each.get("path")
        if path is not None:
            yield path.text, ("sources", index, "helm", "valuesObject")


def values_at(whole: ValueNode, way: FieldPath) -> list[dict[str, object]]:
    """The values in the spec of a release that has all of them."""
    found = whole.get("spec")
    for step in way:
        found = (
            None
            if found is None
            else found.items[step]
            if isinstance(step, int)
            else found.get(step)
        )
    data = found.plain() if found is not None and found.is_map else {}
    return [data] if isinstance(data, dict) else []


def namespace_of(node: ValueNode) -> str:
    """The namespace to which a release installs; "" if it names none."""
    for way in (("spec", "targetNamespace"), ("spec", "destination", "namespace")):
        found = node.get(*way)
        if found is not None and found.text:
            return found.text
    return ""


def node_of(manifest: Manifest) -> ValueNode | None:
    """An object of the run as a build would read it."""
    if manifest.within is not None or manifest.source.name.startswith("<"):
        return None
    at = SourcePlace(SourceDocument(os.path.realpath(manifest.source.name), manifest.document)).to(
        *manifest.prefix
    )
    return of(manifest.data, at)


def _has_several(manifest: Manifest) -> bool:
    """Whether values are elsewhere, or in other forms than that of an object."""
    spec = manifest.data.get("spec")
    if not isinstance(spec, dict):
        return False
    if manifest.kind == "HelmRelease":
        return bool(spec.get("valuesFrom") or values_files(spec))
    return any(helm.get(key) for helm in _helm_of(spec) for key in _OF_HELM)


def _helm_of(spec: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for each in (spec.get("source"), *list_at(spec, "sources")):
        yield mapping_at(each, "helm")


def _names(manifest: Manifest) -> Iterator[str]:
    """The names of what a release takes values from."""
    spec = mapping_at(manifest.data, "spec")
    yield from (str(each.get("name")) for each in mappings_at(spec, "valuesFrom"))
    files = [each for helm in _helm_of(spec) for each in list_at(helm, "valueFiles")]
    yield from (os.path.basename(str(each)) for each in (*values_files(spec), *files))


def _speaks(text: str) -> bool:
    """Whether a text may bring claims: their uses alone have nothing to be held against."""
    return mentions.CLAIM_SOURCES.is_in(text)


def _is_marked(value: object) -> bool:
    if isinstance(value, dict):
        return any(has_marks(str(key)) or _is_marked(each) for key, each in value.items())
    if isinstance(value, list):
        return any(map(_is_marked, value))
    return isinstance(value, str) and has_marks(value)
