"""The steps of one kustomization: generators, then transformers in their order.

Upstream: kustomize api/internal/target/kusttarget_configplugin.go.
"""

from __future__ import annotations

from functools import partial

from dradsl.tree.kustomize.overlays.patches import (
    apply_json,
    apply_merges,
    apply_patch,
    read_operations,
)
from dradsl.tree.kustomize.overlays.transformers import (
    add_labels,
    rename,
    set_image,
    set_namespace,
    set_replicas,
)
from dradsl.tree.kustomize.parts.files import TextFile, objects_in
from dradsl.tree.kustomize.parts.outcome import BuildState, UnsupportedConstruct
from dradsl.tree.kustomize.parts.resources import (
    GroupVersionKind,
)
from dradsl.tree.kustomize.parts.select import Selector, read_selector
from dradsl.tree.kustomize.parts.specs import (
    FieldSpec,
    merged_specs,
    read_spec,
)
from dradsl.tree.nodes import KustomizeError, SourcePlace, ValueNode, placed, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dradsl.tree.kustomize.parts.outcome import Host

__all__ = ["Steps"]

_METADATA_LABELS = FieldSpec(GroupVersionKind(), "metadata/labels", True)


class Steps:
    """The steps of a kustomization on the objects so far."""

    def __init__(self, builder: Host, state: BuildState, node: ValueNode, folder: str) -> None:
        self.builder = builder
        self.state = state
        self.node = node
        self.folder = folder

    def at(self, *path: str | int) -> SourcePlace | None:
        return None if self.node.at is None else self.node.at.to(*path)

    def items(self, name: str) -> Iterable[ValueNode]:
        return [each for each in self.node.items_at(name) if not each.is_null]

    def text(self, name: str) -> str:
        return text_of(self.node.get(name))

    def unknown(
        self, construct: str, message: str, at: SourcePlace | None, *, changes: bool
    ) -> None:
        self.state.unknowns.append(UnsupportedConstruct(construct, message, at, changes))
        if changes:
            for each in self.state.resources:
                each.incomplete = True
        self.state.hidden = True

    @property
    def unseen(self) -> Callable[[SourcePlace | None], None] | None:
        """What to do with a patch or a source that finds nothing; None to reject."""
        if not self.state.hidden:
            return None

        def note(at: SourcePlace | None) -> None:
            self.state.unknowns.append(
                UnsupportedConstruct(
                    "target", "what this is about may be among objects that are not seen", at
                )
            )

        return note

    # Generators

    def generate(self) -> None:
        """The generators, in the order of Kustomize."""
        options = self.node.get("generatorOptions")
        shared = options.plain() if options is not None else None
        for name, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
            for each in self.items(name):
                self.make(kind, each, shared if isinstance(shared, dict) else None)
        for each in (*self.items("helmCharts"), *self.items("helmChartInflationGenerator")):
            chart = text_of(each.get("name")) or text_of(each.get("chartName"))
            self.unknown("helmCharts", f"the chart {chart} is not rendered", each.at, changes=False)
        for each in self.items("generators"):
            self.unknown("generators", "generators of files are not run", each.at, changes=False)

    def make(self, kind: str, args: ValueNode, options: Mapping[str, object] | None) -> None:
        from dradsl.tree.kustomize.overlays.generators import generate, merge_generated

        new = generate(kind, args, options, self.read)
        resources = self.state.resources
        now = new.id
        found = [
            index
            for index, each in enumerate(resources)
            if any(now.equals(own) for own in each.ids())
        ]
        if len(found) > 1:
            raise KustomizeError(
                f"found multiple objects that could accept merge of {now.name}", args.at
            )
        changes = new.behavior in ("merge", "replace")
        if not found:
            if changes and not self.state.hidden:
                raise KustomizeError(
                    f"id {now.name} does not exist; cannot merge or replace", args.at
                )
            if changes:
                message = f"{now.name} merges into an object that is not seen"
                self.state.unknowns.append(UnsupportedConstruct("generator", message, args.at))
            new.incomplete = changes
            self.state.append(new, args.at)
            return
        if not changes:
            raise KustomizeError(
                f"id {now.name} exists; behavior must be merge or replace", args.at
            )
        old = resources[found[0]]
        self.state.index = None
        resources[found[0]] = merge_generated(old, new, replace=new.behavior == "replace")

    def read(self, text: str, at: SourcePlace | None) -> bytes:
        path = self.builder.path_of(text, self.folder, at)
        data = self.builder.files.read(path)
        if data is None:
            raise KustomizeError(f"{text}: no such file or directory", at)
        self.state.files.add(path)
        return data

    def load(self, text: str, at: SourcePlace | None) -> TextFile:
        """A file that an entry names."""
        loaded = self.builder.load(text, self.folder, at)
        self.state.files.add(loaded.file)
        return loaded

    def inline(self, node: ValueNode) -> TextFile:
        file = node.at.origin.file if node.at is not None else ""
        return TextFile(file, node.text.encode("utf-8", "surrogatepass"), node.at)

    # Transformers

    def transform(self) -> None:
        """The transformers, in the order of Kustomize."""
        self.guarded(self.merge_patches)
        for each in self.items("patches"):
            self.guarded(partial(self.patch, each))
        config = self.state.config
        namespace = self.text("namespace")
        if namespace:
            self.guarded(
                lambda: set_namespace(
                    self.state.resources, namespace, config.of("namespace"), self.at("namespace")
                )
            )
        for field, suffix in (("namePrefix", False), ("nameSuffix", True)):
            text = self.text(field)
            if text:
                self.guarded(
                    partial(
                        rename,
                        self.state.resources,
                        text,
                        config.of(field),
                        self.at(field),
                        suffix=suffix,
                    )
                )
        self.guarded(self.labels)
        for each in self.items("patchesJson6902"):
            self.guarded(partial(self.json_patch, each))
        for each in self.items("replicas"):
            self.guarded(partial(self.replicas, each))
        for each in (*self.items("images"), *self.items("imageTags")):
            self.guarded(partial(self.image, each))
        self.guarded(lambda: self.replacements(self.items("replacements")))
        for each in self.items("transformers"):
            self.unknown("transformers", "transformers of files are not run", each.at, changes=True)
        for each in self.items("validators"):
            self.state.unknowns.append(
                UnsupportedConstruct("validators", "validators are not run", each.at)
            )

    def guarded(self, step: Callable[[], None]) -> None:
        with placed(self.node.at):
            step()
        resources = self.state.resources
        self.state.index = None
        if any(each.node.is_empty for each in resources):
            resources[:] = [each for each in resources if not each.node.is_empty]

    def merge_patches(self) -> None:
        patches: list[ValueNode] = []
        for entry in self.items("patchesStrategicMerge"):
            found: list[ValueNode] | None = None
            if "\n" in entry.text or ":" in entry.text:
                try:
                    found = objects_in(self.inline(entry))
                except KustomizeError:
                    found = None
            patches += found or objects_in(self.load(entry.text, entry.at))
        apply_merges(
            self.state.resources,
            patches,
            self.at("patchesStrategicMerge"),
            self.unseen,
        )

    def target(self, node: ValueNode | None) -> Selector | None:
        return None if node is None or node.is_null else read_selector(node.plain())

    def patch(self, entry: ValueNode) -> None:
        path, inline = text_of(entry.get("path")), entry.get("patch")
        has_text = inline is not None and bool(inline.text.strip())
        if bool(path) == has_text:
            raise KustomizeError(
                "patch and path can't be set at the same time"
                if path
                else "must specify one of patch and path",
                entry.at,
            )
        text = self.load(path, entry.at) if path else self.inline(inline or entry)
        options = entry.get("options")
        flags = options.plain() if options is not None else None
        given = flags if isinstance(flags, dict) else {}
        apply_patch(
            self.state.resources,
            text,
            self.target(entry.get("target")),
            entry.at,
            may_rename=given.get("allowNameChange") is True,
            may_change_kind=given.get("allowKindChange") is True,
            unseen=self.unseen,
        )

    def json_patch(self, entry: ValueNode) -> None:
        path, inline = text_of(entry.get("path")), entry.get("patch")
        target = self.target(entry.get("target"))
        if target is None or not target.name:
            raise KustomizeError("must specify the target name", entry.at)
        if not path and inline is None:
            raise KustomizeError("empty file path and empty jsonOp", entry.at)
        text = self.load(path, entry.at) if path else self.inline(inline or entry)
        operations = read_operations(text)
        if not operations:
            raise KustomizeError("patch appears to be empty", entry.at)
        for resource in [each for each in self.state.resources if target.takes(each)]:
            apply_json(resource, operations, entry.at)

    def labels(self) -> None:
        config = self.state.config
        for entry in self.items("labels"):
            specs = tuple(read_spec(each.plain()) for each in entry.items_at("fields"))
            specs = merged_specs(specs, config.of("labels"))
            if entry.is_true("includeSelectors"):
                specs = merged_specs(specs, config.of("commonLabels"))
            else:
                if entry.is_true("includeTemplates"):
                    specs = merged_specs(specs, config.of("templateLabels"))
                if entry.is_true("includeVolumeClaimTemplates"):
                    specs = merged_specs(specs, config.of("volumeClaimTemplateLabels"))
                specs = merged_specs(specs, [_METADATA_LABELS])
            add_labels(self.state.resources, _pairs(entry.get("pairs")), specs)
        add_labels(
            self.state.resources, _pairs(self.node.get("commonLabels")), config.of("commonLabels")
        )
        add_labels(
            self.state.resources,
            _pairs(self.node.get("commonAnnotations")),
            config.of("commonAnnotations"),
        )

    def replicas(self, entry: ValueNode) -> None:
        count = entry.get("count")
        number = count.plain() if count is not None else 0
        name = text_of(entry.get("name"))
        found = set_replicas(
            self.state.resources,
            name,
            number if isinstance(number, int) else 0,
            self.state.config.of("replicas"),
            entry.at,
        )
        if not found and self.unseen is None:
            raise KustomizeError(f"resource with name {name} does not match a config of replicas")
        if not found and self.unseen is not None:
            self.unseen(entry.at)

    def image(self, entry: ValueNode) -> None:
        words = {name: text_of(each) for name, each in entry.fields.items()}
        set_image(self.state.resources, words, self.state.config.of("images"), entry.at)

    def replacements(self, entries: Iterable[ValueNode]) -> None:
        from dradsl.tree.kustomize.overlays.replacing import read_replacement, replace_values

        every: list[ValueNode] = []
        for entry in entries:
            path = text_of(entry.get("path"))
            if not path:
                every.append(entry)
                continue
            if entry.get("source") is not None or entry.get("targets") is not None:
                raise KustomizeError("cannot specify both path and inline replacement", entry.at)
            for document in self.load(path, entry.at).documents()[:1]:
                every += document.items if document.is_seq else [document]
        for each in every:
            left = replace_values(self.state.resources, read_replacement(each), self.unseen)
            for resource, path, at in left:
                resource.incomplete = True
                self.state.unknowns.append(
                    UnsupportedConstruct(
                        "replacements",
                        f"{path} leads into a text that holds data, which is not written anew",
                        at,
                        changes=True,
                    )
                )


def _pairs(node: ValueNode | None) -> dict[str, tuple[str, SourcePlace | None]]:
    if node is None:
        return {}
    return {
        name: ("" if each.is_null else each.text, each.at) for name, each in node.fields.items()
    }
