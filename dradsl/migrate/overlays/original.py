"""The tree as it is: what is built of each folder, and what the objects must become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.overlays.compare import identity
from dradsl.migrate.overlays.controllers import build_controller, documents_of
from dradsl.migrate.overlays.drafts import Place, TreeEdit
from dradsl.migrate.overlays.planned import expected_of, manifest_of
from dradsl.migrate.places import value_in
from dradsl.records import cached, dataclass, field
from dradsl.tree.flux.kustomizations import VariableSources
from dradsl.values.plain import string_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.overlays.controllers import Controller
    from dradsl.migrate.overlays.patch_index import DevicePatch, PatchIndex
    from dradsl.migrate.overlays.planned import Expected
    from dradsl.migrate.planning.planner import Planner
    from dradsl.text.paths import FieldPath
    from dradsl.tree.builder import TreeBuilder
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["OriginalTree", "base_of"]


@dataclass(slots=True)
class OriginalTree:
    """The tree as it is: what is built of it, and what its objects must become. `names` are those of the
    run's files, by real paths."""

    found: PatchIndex
    planner: Planner
    disk: Files
    texts: Mapping[str, str]
    names: Mapping[str, str]
    _overlays: dict[str, Overlay] = field(default_factory=dict)
    _filled: dict[str, Overlay] = field(default_factory=dict)
    _expected: dict[tuple[int, str, str | None], tuple[Manifest, Expected] | None] = field(
        default_factory=dict
    )
    _namespaces: dict[str, dict[tuple[int, FieldPath], str]] = field(default_factory=dict)
    _concerning: dict[tuple[str, int], tuple[DevicePatch, ...]] = field(default_factory=dict)

    @cached
    def sources(self) -> VariableSources:
        """The ConfigMaps and Secrets of the run, from which Flux takes variables."""
        objects = [
            node.plain()
            for path, text in self.texts.items()
            if "kind: ConfigMap" in text or "kind: Secret" in text
            for node in documents_of(self._builder.files.text(path))
        ]
        return VariableSources.of_objects(objects)

    @cached
    def _builder(self) -> TreeBuilder:
        return TreeEdit(self.disk, self.texts).builder()

    @cached
    def builds(self) -> list[str]:
        """The folders that can be built, inner ones first."""
        return self.found.builds()

    def overlay(self, folder: str) -> Overlay:
        """What is built of a folder, or by an object of Flux or Argo CD, with its variables as they are."""
        if folder not in self._overlays:
            controller = self.found.controllers.get(folder)
            if controller is not None:
                built = build_controller(self._builder, controller, None)
            else:
                built = self._builder.overlay(folder)
            self._overlays[folder] = built
        return self._overlays[folder]

    def filled(self, controller: Controller) -> Overlay:
        """What an object of Flux builds, with values in the place of variables."""
        if controller.key not in self._filled:
            built = build_controller(self._builder, controller, self.sources)
            self._filled[controller.key] = built
        return self._filled[controller.key]

    def expected(self, folder: str, built: BuiltObject) -> tuple[Manifest, Expected] | None:
        """An object that a folder builds, and what it must become; None for what is no object of the
        run."""
        file, namespace = self._file(folder, built), self._namespace(folder, built)
        key = (id(built), file, namespace)
        if key not in self._expected:
            made = manifest_of(built, file, namespace)
            self._expected[key] = None if made is None else (made, expected_of(made, self.planner))
        return self._expected[key]

    def concerning(self, folder: str, built: BuiltObject) -> tuple[DevicePatch, ...]:
        """The patches of a folder, and of what it takes in, that may change an object."""
        key = (folder, id(built))
        if key not in self._concerning:
            bare = manifest_of(built, "", None)
            patches = self.found.of(folder) if bare is not None else ()
            self._concerning[key] = tuple(p for p in patches if bare and p.concerns(bare))
        return self._concerning[key]

    def _file(self, folder: str, built: BuiltObject) -> str:
        """The name of the file to which answers refer: the file of the last patch, or of the object."""
        files = [self.names.get(p.place.file) for p in self.concerning(folder, built)]
        base = base_of(built)
        files.append(self.names.get(base.file) if base is not None else None)
        return next((name for name in files if name is not None), "")

    def _namespace(self, folder: str, built: BuiltObject) -> str | None:
        """The namespace that an object has when it comes into a folder. Objects that are added there pass through the
        same builds from there on."""
        at = built.node.at
        for each in self.found.tree.folders.get(folder, ()):
            for path in each.resources:
                if path not in self.found.tree.folders or at is None:
                    continue
                found = self._namespaces_of(path).get((id(at.origin.document), at.path))
                if found is not None:
                    return found or None
        if at is None:
            return identity(built.data)[2] or None
        written = value_in(at.origin.document.data, at.path)
        return string_at(written, "metadata", "namespace")

    def _namespaces_of(self, folder: str) -> Mapping[tuple[int, FieldPath], str]:
        """The namespaces of what a folder builds, by the places where the objects are written."""
        if folder not in self._namespaces:
            found: dict[tuple[int, FieldPath], str] = {}
            for each in self.overlay(folder).objects:
                at = each.node.at
                if at is not None:
                    found.setdefault((id(at.origin.document), at.path), identity(each.data)[2])
            self._namespaces[folder] = found
        return self._namespaces[folder]


def base_of(built: BuiltObject) -> Place | None:
    """The document that an object was written in first."""
    at = built.node.at
    if at is None or at.origin.within is not None:
        return None
    return Place(at.origin.file, at.origin.document.index)
