"""The report's lines for requests in texts within YAML: each with its place in the text, refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.input.manifests import manifests_of
from dradsl.migrate.detection.texts import (
    device_keys,
    is_condition,
    is_figure,
    only_figures,
    text_uses,
    texts_in,
)
from dradsl.migrate.evidence import plugin_configs
from dradsl.migrate.result import Item, Outcome
from dradsl.records import dataclass
from dradsl.repository.kustomization import is_json_patch, is_kustomization, patches_within
from dradsl.text.documents import expand_list
from dradsl.text.nodes import ScalarNode
from dradsl.text.paths import format_path, locate, value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.diagnostics import Span
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.detection.texts import TextUse
    from dradsl.migrate.kustomize.tree import Tree
    from dradsl.text.documents import Document
    from dradsl.text.nodes import Node
    from dradsl.text.paths import FieldPath

    ByHand: TypeAlias = "Callable[[Manifest, str, Mapping[str, object]], str | None]"

__all__ = ["TextFindings", "find_in_texts", "place_of"]

# Kinds that count or describe devices of other objects; names in their texts are no requests.
_NO_REQUESTS = frozenset(
    {
        "ClusterQueue",
        "CustomResourceDefinition",
        "Event",
        "LimitRange",
        "Node",
        "ResourceQuota",
        "ResourceSlice",
    }
)
_CHARTS = frozenset({"HelmChart", "HelmChartConfig", "HelmRelease"})
_ARGO_CD = frozenset({"Application", "ApplicationSet"})
_IN_CHART = "these values are a text within the object, which is not edited"
_PARAMETER = "this is a parameter, which sets one value and cannot add a claim"
_IN_TEXT = "this is a text within the document, which is not edited"
_PATCH = "this is a patch: what it makes of its target is known only when {builder} builds it"
_RENDERED = "this is a patch of what a chart renders: what it makes of its target shows only there"
_OF_BUILD = "this is a text of a kustomization, which decides what is built"
_CLASS = (
    "this is a text, which is not read: whether a DeviceClass answers what it asks for is not told"
)


@dataclass(frozen=True, slots=True)
class TextFindings:
    """Requests in the texts of a file, and sentences on texts that only name a device."""

    items: tuple[Item, ...] = ()
    mentions: tuple[str, ...] = ()


def find_in_texts(
    source: SourceText,
    catalogue: Catalogue,
    tree: Tree,
    *,
    by_class: bool = False,
    read: Collection[tuple[int, FieldPath]] = (),
    by_hand: ByHand = lambda _host, _text, _target: None,
) -> TextFindings:
    """The devices that the texts in a file's documents name, except in texts that were `read` as values or manifests.

    `by_hand` says what to write in the place of a patch of a post-renderer, whose target is given.
    """
    objects = {(m.document.index, m.prefix): m for m in manifests_of(source)}
    items: list[Item] = []
    mentions: list[str] = []
    for document in source.stream.documents:
        for prefix, data in expand_list(document.data):
            manifest = objects.get((document.index, prefix))
            if manifest is not None and manifest.kind in _NO_REQUESTS:
                continue
            for path, found in device_keys(data, catalogue):
                looks = manifest is not None and is_condition(manifest.group, path)
                if looks or is_figure(path):
                    here = _Place(source, document, (*prefix, *path), manifest, data)
                    what = "a condition of a policy" if looks else "a threshold in percent"
                    mentions.append(f"{here.title}, {format_path(path)} ({found}): {what}")
            for path, text in texts_in(data):
                if (document.index, (*prefix, *path)) in read:
                    continue
                uses = list(text_uses(text, catalogue))
                if not uses:
                    continue
                asking = [use for use in uses if use.asks]
                looks = manifest is not None and is_condition(manifest.group, path)
                if looks or (asking and only_figures(text, len(asking), catalogue)):
                    asking = []
                here = _Place(source, document, (*prefix, *path), manifest, data)
                reason, routes = here.why(path, tree, by_class=by_class)
                if manifest is not None and "postRenderers" in path and not by_class:
                    reason, routes = _RENDERED, _post_rendered(manifest, path, text, by_hand)
                for use, span in zip(asking, here.spans(asking), strict=True):
                    items.append(
                        Item(
                            source.name,
                            span,
                            here.title,
                            format_path(path),
                            use.text,
                            Outcome.REFUSED,
                            reason,
                            routes=routes,
                        )
                    )
                configures = any(True for _ in plugin_configs(text))  # read as such
                if not asking and (looks or "\n" in text) and not configures:
                    span = next(here.spans(uses))
                    mentions.append(
                        f"{here.title}, {format_path(path)} names {uses[0].text} "
                        f"({span.line}:{span.column}) in a text that asks for none as far as can be told"
                    )
    return TextFindings(tuple(items), tuple(mentions))


def _post_rendered(host: Manifest, path: FieldPath, text: str, by_hand: ByHand) -> tuple[str, ...]:
    above = value_at(host.data, path[:-1])
    target = above.get("target") if isinstance(above, dict) else None
    lines = by_hand(host, text, target if isinstance(target, dict) else {})
    first = (f"if the chart itself asks for no device there: {lines}",) if lines else ()
    return (
        *first,
        "helm template ... | dradsl migrate --flux DIR - writes the patches for spec.postRenderers, and the claim "
        "templates",
    )


def _root(document: Document) -> Node:
    root = document.root
    if root is None:
        raise ValueError("a document that cannot be read has no places")
    return root


def place_of(document: Document, path: FieldPath, *, on_key: bool = True) -> Span:
    """The position of the value at `path` of a document, or of its key."""
    found = locate(_root(document), path)
    return found.key_span if on_key and found.key_span is not None else found.best_span


@dataclass(frozen=True, slots=True)
class _Place:
    """A text in a file; `path` leads to it from the document's root."""

    source: SourceText
    document: Document
    path: FieldPath
    manifest: Manifest | None
    data: object

    @property
    def title(self) -> str:
        if is_kustomization(self.source.name):
            return "kustomization"
        if self.manifest is not None:
            return self.manifest.title
        return "JSON patch" if is_json_patch(self.data) else "values"

    def spans(self, uses: Sequence[TextUse]) -> Iterator[Span]:
        """The places of uses in the text, with their lines in the file."""
        from dradsl.text.characters import character_ranges

        found = locate(_root(self.document), self.path)
        node = found.node
        scalar = node if found.exact and isinstance(node, ScalarNode) else None
        ranges = character_ranges(scalar) if scalar is not None else None
        for use in uses:
            if scalar is None or not ranges:
                yield found.key_span or found.best_span
            else:
                yield scalar.lines.span(ranges[use.start][0], ranges[use.end - 1][1])

    def why(self, path: FieldPath, tree: Tree, *, by_class: bool) -> tuple[str, tuple[str, ...]]:
        """The reason why the text stays as it is, and the alternatives."""
        name = self.source.name
        kind = self.manifest.kind if self.manifest is not None else ""
        patching = tree.patching(name)
        if is_kustomization(name):
            folders = tree.own_folder(name)
            patch = isinstance(path[0], str) and path[0].startswith("patches")
            reason = _PATCH.format(builder="Kustomize") if patch else _OF_BUILD
            return reason, tree.routes(folders, by_class=by_class)
        if patching or is_json_patch(self.data):
            return _PATCH.format(builder="Kustomize"), tree.routes(patching, by_class=by_class)
        if by_class:
            route = "what is made of the text can be piped to dradsl migrate --strategy extended-resource -"
            return _CLASS, (route,)
        if self.manifest is not None and _is_patch(self.manifest, path):
            builder = "Flux" if "toolkit.fluxcd.io" in self.manifest.group else "Argo CD"
            return _PATCH.format(builder=builder), tree.routes(())
        lines = _lines_instead(path, self.data)
        if lines is not None:
            return _PARAMETER, (lines,)
        if kind in _CHARTS or (kind in _ARGO_CD and "helm" in path):
            return _IN_CHART, ("valuesObject, or a values file, can be migrated",)
        return _IN_TEXT, ("a manifest or values file of its own can be migrated",)


def _lines_instead(path: FieldPath, data: object) -> str | None:
    """What to write in the place of a parameter of a chart."""
    setting = "set" in path and path[:1] == ("releases",)
    if not setting and ("parameters" not in path or "helm" not in path):
        return None
    from dradsl.repository.build.values import ValuesError, set_value
    from dradsl.text.render import render_flow

    at = path.index("set" if setting else "parameters")
    parameter = value_at(data, path[: at + 2])
    values: dict[str, object] = {}
    try:
        set_value(values, str(parameter["name"]), str(parameter.get("value", "")))
    except (KeyError, TypeError, ValuesError):
        return None
    wanted = {"values": [values]} if setting else {"valuesObject": values}
    return f"write these values, which can be migrated: {render_flow(wanted)[1:-1]}"


def _is_patch(manifest: Manifest, path: FieldPath) -> bool:
    """Whether the text is one of the patches by which Flux or Argo CD change what they build."""
    named = any(str(part).startswith("patches") for part in path)
    return named and any(True for _ in patches_within(manifest.kind, manifest.group, manifest.data))
