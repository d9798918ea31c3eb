"""Requests for devices in texts within YAML: found with their line, and not judged.

What reads such a text decides what becomes of it: a script, Kustomize, a controller with its own types.
Values of charts that are a text are read elsewhere (`targets/text_values.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.detection.texts import is_condition, only_figures, text_uses, texts_in
from dradsl.migrate.result import Item, Outcome
from dradsl.text.documents import expand_list
from dradsl.text.nodes import ScalarNode
from dradsl.text.paths import format_path, locate
from dradsl.tree.kustomize.kustomization import is_json_patch, is_kustomization
from dradsl.tree.manifests.manifest import manifests_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dradsl.diagnostics import Span
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.texts import TextUse
    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["requests_in_texts"]

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
_REASON = "found, not judged: this is a text, and what reads it decides what becomes of the request"
_ROUTES = (
    "what is made of it (kustomize build, helm template) can be piped to dradsl migrate -",
    "a manifest, a values file or valuesObject instead of the text can be migrated",
)


def requests_in_texts(
    source: SourceText,
    catalogue: Catalogue,
    tree: KustomizationTree,
    *,
    by_class: bool = False,
    read: Collection[tuple[int, FieldPath]] = (),
) -> Iterator[Item]:
    """The requests in the texts of a file's documents, except in texts that were `read` as values."""
    if source.name.endswith(".schema.json"):
        return  # it describes values
    is_built = is_kustomization(source.name)
    folders = tree.own_folder(source.name) if is_built else tree.patching(source.name)
    built = tree.routes(folders, by_class=by_class)
    objects = {(m.document.index, m.prefix): m for m in manifests_of(source)}
    for document in source.stream.documents:
        for prefix, data in expand_list(document.data):
            manifest = objects.get((document.index, prefix))
            if manifest is not None and manifest.kind in _NO_REQUESTS:
                continue
            for path, text in texts_in(data):
                full = (*prefix, *path)
                asking = [use for use in text_uses(text, catalogue) if use.asks]
                if (
                    not asking
                    or (document.index, full) in read
                    or (manifest is not None and is_condition(manifest.group, path))
                    or only_figures(text, len(asking), catalogue)
                ):
                    continue
                title = _title(source, manifest, data)
                routes = built if is_built or folders or is_json_patch(data) else _ROUTES
                for use, span in zip(asking, _spans(document, full, asking), strict=True):
                    yield Item(
                        source.name, span, title, format_path(path), use.text, Outcome.REJECTED, _REASON, routes=routes
                    )  # fmt: skip


def _title(source: SourceText, manifest: Manifest | None, data: object) -> str:
    if is_kustomization(source.name):
        return "kustomization"
    if manifest is not None:
        return manifest.title
    return "JSON patch" if is_json_patch(data) else "values"


def _spans(document: Document, path: FieldPath, uses: Sequence[TextUse]) -> Iterator[Span]:
    """The places of uses in a text, with their lines in the file."""
    from dradsl.text.characters import character_ranges

    if document.root is None:
        raise ValueError("a document that cannot be read has no places")
    found = locate(document.root, path)
    node = found.node
    scalar = node if found.exact and isinstance(node, ScalarNode) else None
    ranges = character_ranges(scalar) if scalar is not None else None
    for use in uses:
        if scalar is None or not ranges:
            yield found.key_span or found.best_span
        else:
            yield scalar.lines.span(ranges[use.start][0], ranges[use.end - 1][1])
