"""The tree as it is: what is built of each folder, and what the objects must become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.texts import names_device
from dradsl.migrate.edits.operations import CannotEditError, on_data
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.compare import Expected, identity
from dradsl.migrate.overlays.controllers import build_controller, build_folder, documents_of
from dradsl.migrate.overlays.drafts import Place, TreeEdit
from dradsl.migrate.planning.rewrite import in_values, items_of, operations_of
from dradsl.migrate.planning.templates import claim_objects
from dradsl.migrate.targets.manifests import migrated
from dradsl.records import cached, dataclass, field, replace
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.tree.flux.kustomizations import VariableSources
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import Manifest
from dradsl.tree.values.values import is_installer, values_of
from dradsl.values.plain import find_at, string_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.overlays.controllers import Controller
    from dradsl.migrate.overlays.patch_index import DevicePatch, PatchIndex
    from dradsl.migrate.planning.plan import Planner
    from dradsl.migrate.result import Item, Migrated
    from dradsl.text.paths import FieldPath
    from dradsl.tree.builder import TreeBuilder
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay

__all__ = ["OriginalTree", "base_of", "expected_of", "manifest_of"]


def expected_of(manifest: Manifest, planner: Planner) -> Expected:
    """What an object must become; decisions are those for the file that it names."""
    file = manifest.path
    data: Any = manifest.data
    items: list[Item] = []
    templates: list[dict[str, object]] = []
    paths: list[FieldPath] = []
    workloads: list[Migrated] = []
    if not is_installer(data):
        if not any(True for _ in planner.pods(manifest)):
            return Expected(data)
    elif not (
        names_device(data, planner.catalogue) or planner.decide(file, manifest.title).classes
    ):
        return Expected(data)
    manifest = _with_document(manifest)
    inner = (replace(each, name=manifest.name) for each in values_of(manifest.source))
    for pod in (pod for each in (manifest, *inner) for pod in planner.pods(each)):
        plan = planner.plan(file, pod)
        if plan.rejected:
            rejection = next(u.result for u in plan.uses if isinstance(u.result, Rejection))
            return Expected(data, rejection=rejection)
        items += items_of(plan)
        if not plan.requests:
            continue
        made = claim_objects(plan)
        placed = [*in_values(pod, made)]
        try:
            data = on_data(data, [*operations_of(plan, made), *placed])
        except CannotEditError as error:
            return Expected(data, rejection=Rejection(f"the object cannot be changed: {error}"))
        if not pod.chart_writes_template and not placed:
            templates += made
        paths.append(pod.path)
        workloads.append(migrated(plan))
    return Expected(data, tuple(templates), tuple(items), tuple(paths), tuple(workloads))


def manifest_of(built: BuiltObject, file: str, namespace: str | None) -> Manifest | None:
    """A built object in the form of a written one, under its original name."""
    data: Any = built.data
    if not isinstance(data, dict):
        return None
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str)):
        return None
    source = SourceText(file, _NOTHING)
    return Manifest(
        source=source,
        document=_NOTHING.documents[0],
        prefix=(),
        data=data,
        api_version=api_version,
        group=api_version.partition("/")[0] if "/" in api_version else "",
        kind=kind,
        namespace=namespace,
        name=built.original_name or None,
    )


_NOTHING = load(b"{}")


def _with_document(manifest: Manifest) -> Manifest:
    """The object with a text, so that its fields have positions."""
    text = render_block(manifest.data) + "\n"
    stream = load(text.encode("utf-8", "surrogatepass"))
    source = SourceText(manifest.path, stream)
    return replace(manifest, source=source, document=stream.documents[0])


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

    def overlay(self, folder: str) -> Overlay:
        """What is built of a folder, or by an object of Flux or Argo CD, with its variables as they are."""
        if folder not in self._overlays:
            controllers = self.found.controllers
            self._overlays[folder] = build_folder(self._builder, folder, controllers)
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
            self._concerning[key] = tuple(
                patch
                for patch in patches
                if bare and any(change.reaches(bare) for change in patch.changes)
            )
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
        written = find_at(at.origin.document.data, at.path)
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
