"""Patches as objects: those that stand as texts in what builds others, and the operations of JSON patches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from dradsl.text.documents import Document, expand_list, load
from dradsl.text.paths import FieldPath, value_at
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.kustomize.kustomization import is_kustomization, patch_texts
from dradsl.tree.kustomize.patch_reach import PatchTarget, operations_in, target_of
from dradsl.tree.manifests.manifest import EnclosingText, Manifest, manifests_in
from dradsl.values.limits import MOST_TARGETS
from dradsl.values.plain import mapping_at

__all__ = ["json_patches", "patches_in_texts"]


def patches_in_texts(source: SourceText) -> Iterator[Manifest]:
    """The patches of objects that stand as texts in kustomizations, and in objects of Flux and Argo CD."""
    for within, _, documents in _texts_in(source):
        yield from manifests_in(source, documents, within)


def json_patches(
    sources: Iterable[SourceText],
    objects: Iterable[Manifest],
    targets_of: Callable[[str], Sequence[Mapping[str, object]]],
) -> Iterator[Manifest]:
    """What the operations of JSON patches write, where it is known of what kind their targets are.

    `objects` say which version a kind has. `targets_of` gives the targets for which kustomizations list a
    file.
    """
    known: dict[str, dict[tuple[str, str, str | None], None]] = {}
    for each in objects:
        if each.chart_output is None:
            known.setdefault(each.kind, {})[each.api_version, each.kind, each.name] = None

    def target(given: Mapping[str, object]) -> PatchTarget | None:
        return target_of(given, known.get(str(given.get("kind")), ()))

    for source in sources:
        for within, given, documents in _texts_in(source):
            for document in documents:
                if isinstance(document.data, list):
                    yield from _operations(source, document, target(given), within)
        for document in source.stream.documents:
            if isinstance(document.data, list):
                targets = targets_of(source.name)[:MOST_TARGETS]
                found = {target(each) for each in targets}
                if len(found) == 1 and len(targets) < MOST_TARGETS:
                    yield from _operations(source, document, found.pop(), None)


def _operations(
    source: SourceText, document: Document, target: PatchTarget | None, within: EnclosingText | None
) -> Iterator[Manifest]:
    if target is None:
        return
    for operation in operations_in(document.data):
        yield Manifest(
            source=source,
            document=document,
            prefix=(),
            data=operation.data(target),
            api_version=target.api_version,
            group=target.api_version.rpartition("/")[0],
            kind=target.kind,
            namespace=None,
            name=target.name,
            within=within,
            operation=operation,
        )


def _texts_in(
    source: SourceText,
) -> Iterator[tuple[EnclosingText, Mapping[str, object], Sequence[Document]]]:
    """The texts of patches in a file: where each stands, its target, and its documents."""
    name = source.name.replace("\\", "/").rpartition("/")[2]
    own = is_kustomization(name)
    for document in source.stream.documents:
        for prefix, data in expand_list(document.data):
            kind, version = "", ""
            if isinstance(data, dict) and not own:
                kind, version = str(data.get("kind")), str(data.get("apiVersion"))
                if kind not in _WITH_PATCHES:
                    continue
            for path, text in patch_texts(data, kind, version.partition("/")[0]):
                inner = load(text.encode("utf-8", "surrogatepass"), variables=True)
                within = EnclosingText(document, (*prefix, *path))
                yield within, _target(data, path), inner.documents


def _target(data: object, path: FieldPath) -> Mapping[str, object]:
    """The target beside the text of a patch."""
    return mapping_at(value_at(data, path[:-1]), "target")


_WITH_PATCHES = frozenset({"Kustomization", "Application", "ApplicationSet"})
