"""Uses in files that only Kustomize reads: kustomizations, and files that they name as patches; and in texts within YAML.

A use in a text is found with its line, and not judged: what reads such a text decides what becomes of it: a script,
Kustomize, a controller with its own types. Values of charts that are a text are read elsewhere (`targets/manifests.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.cluster.releases import values_of_charts
from dradsl.migrate.detection.texts import (
    device_keys,
    is_condition,
    only_figures,
    text_uses,
    texts_in,
)
from dradsl.migrate.kustomize.tree import RENAMED
from dradsl.migrate.mapping.resource import BY_CLASS, Rejection
from dradsl.migrate.planning.plan import reject_plan
from dradsl.migrate.result import FileMigration, Item, Outcome
from dradsl.migrate.targets.manifests import FileEdits, edit_document
from dradsl.records import replace
from dradsl.text.documents import expand_list
from dradsl.text.nodes import ScalarNode
from dradsl.text.paths import format_path, locate
from dradsl.tree.charts.recipes import is_suite
from dradsl.tree.kustomize.kustomization import is_json_patch, is_kustomization
from dradsl.tree.manifests.manifest import manifests_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dradsl.diagnostics import Span
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.texts import TextUse
    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.planning.plan import Planner, PodPlan
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["requests_in_texts", "scan_kustomization", "scan_patches"]

_CHART = (
    "these values are for a chart that Kustomize renders: the claim template that they would have to "
    "name must come by the build as well"
)
_KEY = "what is here is part of a kustomization, which decides what is built"
_PATCH = "this is a JSON patch: what it makes of its target is known only when Kustomize builds it"


def scan_kustomization(
    source: SourceText,
    planner: Planner,
    tree: KustomizationTree,
    *,
    edited: bool = False,
) -> FileMigration:
    """The uses in a kustomization: values of its charts, which are migrated if it can be `edited`, and keys
    anywhere else, rejected. New objects are returned, since the kustomization must include them."""
    folders = tree.own_folder(source.name)
    routes = tree.routes(folders)
    renamed = tree.renames(folders)
    edits = FileEdits(source, "kustomization")
    for document in source.stream.documents:
        seen: set[tuple[str | int, ...]] = set()
        plans: list[PodPlan] = []
        for values in values_of_charts(source, document):
            for pod in planner.pods(values):
                plan = planner.plan(source.name, pod)
                if not edited or (renamed and plan.requests):
                    why = RENAMED if edited else _CHART
                    plan = reject_plan(plan, Rejection(why, routes=routes))
                plans.append(plan)
                seen |= {use.use.path for use in plan.uses}
        edits.add(document, plans, edit_document(document, plans, apart=True))
        other = Rejection(_KEY, routes=routes)
        edits.items += _by_key(source, document, planner.catalogue, other, "kustomization", seen)
    return replace(edits.file(), workloads=(), patches=())  # these are seen in what is built


def scan_patches(
    source: SourceText,
    catalogue: Catalogue,
    tree: KustomizationTree,
    named: Rejection | None = None,
    known: tuple[Item, ...] = (),
) -> Iterator[Item]:
    """The uses in JSON patches, and in all documents of a file that a kustomization names as a patch, if it is `named`;
    `known` are those in pods."""
    rejection = named or Rejection(_PATCH, routes=tree.routes(tree.patching(source.name)))
    places = {(item.span.line, item.span.column) for item in known}
    titles = {(m.document.index, m.prefix): m.title for m in manifests_of(source)}
    for document in source.stream.documents:
        is_json = is_json_patch(document.data)
        title = titles.get((document.index, ()), "JSON patch" if is_json else "patch")
        if is_json or named is not None:
            for item in _by_key(source, document, catalogue, rejection, title, set()):
                if (item.span.line, item.span.column) not in places:
                    yield item


def _by_key(
    source: SourceText,
    document: Document,
    catalogue: Catalogue,
    rejection: Rejection,
    title: str,
    seen: set[tuple[str | int, ...]],
) -> Iterator[Item]:
    for path, before in device_keys(document.data, catalogue):
        if path not in seen and document.root is not None:
            found = locate(document.root, path)
            yield Item(
                source.name,
                found.key_span or found.best_span,
                title,
                format_path(path[:-1]) or "the document",
                before,
                Outcome.REJECTED,
                rejection.reason,
                routes=rejection.routes,
            )


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
    *BY_CLASS,
)


def requests_in_texts(
    source: SourceText,
    catalogue: Catalogue,
    tree: KustomizationTree,
    *,
    read: Collection[tuple[int, FieldPath]] = (),
) -> Iterator[Item]:
    """The requests in the texts of a file's documents, except in texts that were `read` as values."""
    if source.name.endswith(".schema.json"):
        return  # it describes values
    is_built = is_kustomization(source.name)
    folders = tree.own_folder(source.name) if is_built else tree.patching(source.name)
    built = tree.routes(folders)
    objects = {(m.document.index, m.prefix): m for m in manifests_of(source)}
    for document in source.stream.documents:
        for prefix, data in expand_list(document.data):
            manifest = objects.get((document.index, prefix))
            if is_suite(data) or (manifest is not None and manifest.kind in _NO_REQUESTS):
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
