"""What kustomizations, Flux and Argo CD build of the files of a run: the service that every caller asks.

What Flux builds is built of its object as the builds above give it: a parent may patch it and fill its variables.
A build of which something is not known is none, but for variables: objects that keep some are incomplete.
"""

from __future__ import annotations

import os
from functools import cached_property

from dradsl.records import Record, replace
from dradsl.text.files import real_path
from dradsl.tree.files import top_of
from dradsl.tree.kustomize.kustomization import generated, is_kustomization
from dradsl.tree.nodes import SourceDocument, SourcePlace, ValueNode, of, text_of
from dradsl.values.limits import LEVELS_OF_BUILDS, MOST_BUILDS_ABOVE
from dradsl.values.plain import string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from dradsl.tree.applied.repository import BuiltBy, Repository
    from dradsl.tree.builder import TreeBuilder
    from dradsl.tree.flux.kustomizations import VariableSources
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.kustomize.parts.outcome import Overlay
    from dradsl.tree.manifests.manifest import Manifest

    class ObjectsOfRun(Protocol):
        """The objects of a run, those of its context, and its files."""

        @property
        def manifests(self) -> Sequence[Manifest]: ...
        @property
        def context(self) -> Sequence[Manifest]: ...
        @property
        def sources(self) -> Sequence[SourceText]: ...


__all__ = ["Build", "Builds", "GivenObjects", "shown"]

# Objects with variables that are not known are incomplete by themselves.
_VARIABLES = "substituteFrom"


class GivenObjects(Record):
    """The objects of some files, without any of a context."""

    manifests: Sequence[Manifest]
    sources: Sequence[SourceText] = ()
    context: Sequence[Manifest] = ()


class Build(Record):
    """What is built: `title` says of what, `folder` is that of the kustomization, if it is one. Objects without a
    namespace go to `fallback`. With `filled` Flux has put in the variables of complete objects."""

    title: str
    overlay: Overlay
    folder: str | None = None
    fallback: str | None = None
    filled: bool = False


class Builds:
    """The builds of a run, each made once.

    Without `state` no variables have values; without `repository` nothing is known of what builds the objects of
    Flux and Argo CD.
    """

    def __init__(
        self, state: ObjectsOfRun | None = None, repository: Repository | None = None
    ) -> None:
        self._state = state
        self._repository = repository
        self._files: dict[str, Files] = {}
        self._builders: dict[str, TreeBuilder] = {}
        self._real: dict[str, str] = {}
        self._made: dict[str | BuiltBy, tuple[Build, ...]] = {}

    def of(self, keys: Iterable[str | BuiltBy], most: int) -> Iterator[Build]:
        """What is built of some of the folders, or by objects of Flux and Argo CD."""
        for key in [*keys][:most]:
            yield from self._of_key(key, 0)

    def spent(self) -> list[str]:
        """What was not built because it is too much."""
        every = (each.budget.spent for each in self._files.values())
        return [f"not built, so not judged: {message}" for spent in every for message in spent]

    def files(self, folder: str) -> tuple[Files, str]:
        """The files of the tree that holds a folder, and its top."""
        from dradsl.tree.kustomize.parts.files import Files

        top = top_of(folder)
        if top not in self._files:
            parsed = {} if self._repository is None else self._repository.files
            self._files[top] = Files([top], parsed)
        return self._files[top], top

    def overlay(self, folder: str) -> Overlay:
        """What `kustomize build` makes of a folder."""
        return self._builder(folder).overlay(folder)

    def real(self, name: str) -> str:
        """The real path of a file of the run, by its name."""
        return real_path(name, self._real)

    def folder_of(self, name: str) -> str | None:
        """The real path of the folder that holds a file; None for standard input and the like."""
        return os.path.dirname(self.real(name)) if os.path.isfile(name) else None

    def _builder(self, folder: str) -> TreeBuilder:
        files, top = self.files(folder)
        if top not in self._builders:
            from dradsl.tree.builder import TreeBuilder

            self._builders[top] = TreeBuilder(files)
        return self._builders[top]

    def _of_key(self, key: str | BuiltBy, level: int) -> tuple[Build, ...]:
        found = self._made.get(key)
        if found is None:
            self._made[key] = ()  # for rings
            made = self._of_folder(key) if isinstance(key, str) else self._by(key, level)
            found = self._made[key] = tuple(each for each in made if _is_known(each.overlay))
        return found

    def _of_folder(self, folder: str) -> Iterator[Build]:
        overlay = self.overlay(folder)
        yield Build(shown(folder), replace(overlay, folder=folder), folder)

    def _by(self, by: BuiltBy, level: int) -> Iterator[Build]:
        above = os.path.dirname(by.path)
        files, top = self.files(above)
        title = f"{by.builder.title} of {shown(by.path)}"
        tops = _tops(by)
        for node in self._objects(by, files, level):
            kind = text_of(node.get("kind"))
            if kind == "Kustomization":
                built = self._builder(above).flux(node, tops, self._values)
                yield Build(title, built, filled=node.get("spec", "postBuild") is not None)
                continue
            from dradsl.tree.argo_cd.applications import filled_node

            spec = node.get("spec")
            if kind == "ApplicationSet" and spec is not None:
                spec = spec.get("template", "spec")
                if by.parameters is not None and spec is not None:
                    spec = filled_node(spec, by.parameters)
                    if _has_templates(spec):
                        continue
            source = None if spec is None else _source_of(spec, by.source)
            overlay = (
                None
                if source is None
                else self._builder(above).argo_cd(source, tops[0] if tops else top)
            )
            if overlay is not None:
                yield Build(title, overlay, fallback=by.builder.fallback)

    def _objects(self, by: BuiltBy, files: Files, level: int) -> Iterator[ValueNode]:
        """The object that builds, as it is once it is built itself: one for each build that has it."""
        text = files.text(by.path)
        if text is None or self._repository is None or level > LEVELS_OF_BUILDS:
            return
        document = next((d for d in text.stream.documents if d.index == by.document), None)
        if document is None:
            return
        written = of(document.data, SourcePlace(SourceDocument(by.path, document)))
        for step in by.prefix:
            below = written.items[step] if isinstance(step, int) else written.get(step)
            if below is None:
                return
            written = below
        above = self._repository.built_from_path(by.path)
        if above is None or len(above) > MOST_BUILDS_ABOVE:
            return
        others = [each for each in above if each is not by]
        if not others:
            yield written
        for key in others:
            for build in self._of_key(key, level + 1):
                for one in build.overlay.objects:
                    at = one.node.at
                    if (
                        at is not None
                        and not one.incomplete
                        and at.origin.file == by.path
                        and at.origin.within is None
                        and at.origin.document.index == by.document
                        and at.path == by.prefix
                    ):
                        yield one.node

    @cached_property
    def _values(self) -> VariableSources:
        from dradsl.tree.flux.kustomizations import VariableSources

        state = self._state
        every = () if state is None else (*state.manifests, *state.context)
        maps = [m for m in every if m.kind in ("ConfigMap", "Secret") and _is_object(m)]
        objects = [each.data for each in maps]
        return VariableSources.of_objects([*objects, *self._generated()])

    def _generated(self) -> Iterator[object]:
        """The ConfigMaps and Secrets with variables that kustomizations of the run make under their plain names, each
        kustomization alone; of several of one name it is not known which one is meant."""
        sources = () if self._state is None else self._state.sources
        texts = [each.stream.text for each in sources]
        naming = [text for text in texts if _VARIABLES in text]
        entries: dict[str, list[str]] = {}
        for source in sources if naming else ():
            if is_kustomization(source.name):
                folder = os.path.realpath(os.path.dirname(source.name))
                made = [each for d in source.stream.documents for each in generated(d.data)]
                for name in filter(None, (string_at(each, "name") for each in made)):
                    entries.setdefault(name, []).append(folder)
        for name, folders in entries.items():
            if len(folders) > 1 or not any(name in text for text in naming):
                continue
            for build in self._of_key(folders[0], 0):
                for one in build.overlay.objects:
                    if (
                        text_of(one.node.get("kind")) in ("ConfigMap", "Secret")
                        and text_of(one.node.get("metadata", "name")) == name
                        and one.original_name == name
                    ):
                        yield one.data


def _is_object(manifest: Manifest) -> bool:
    return not manifest.group and not manifest.is_patch and manifest.chart_output is None


def _tops(by: BuiltBy) -> list[str]:
    """The folder that the path of a builder counts from, as the repository has found it."""
    steps = os.path.normpath(by.builder.path.lstrip("/") or ".")
    if steps == ".":
        return [by.folder]
    folder = by.folder.rstrip(os.sep)
    return [folder[: -len(steps)].rstrip(os.sep) or os.sep] if folder.endswith(steps) else []


def _has_templates(spec: ValueNode) -> bool:
    """Whether something in a spec that Argo CD builds from is left of a template."""
    parts = [spec.get("source"), *spec.items_at("sources")]
    found = [
        each.get(name) for each in parts if each is not None for name in ("kustomize", "directory")
    ]
    found.append(spec.get("destination", "namespace"))
    return any("{{" in str(each.plain()) for each in found if each is not None)


def _source_of(spec: ValueNode, number: int) -> ValueNode | None:
    """The source of that number among those with a path, as `builders_in` counts them."""
    every = [spec.get("source"), *spec.items_at("sources")]
    found = [each for each in every if each is not None and text_of(each.get("path"))]
    found = [each for each in found if "{{" not in text_of(each.get("path"))]
    return found[number] if number < len(found) else None


def _is_known(overlay: Overlay) -> bool:
    return overlay.rejected is None and all(
        each.construct == _VARIABLES for each in overlay.unknowns
    )


def shown(path: str) -> str:
    """A path as findings show it."""
    return os.path.relpath(path).replace(os.sep, "/")
