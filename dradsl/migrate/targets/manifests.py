"""Migrating the manifests of a file: every pod planned, then the documents edited, and texts in them that are values of charts.

Argo CD has such texts under `helm.values`, the controller of k3s under `valuesContent`, Flux takes them from ConfigMaps
that a release names. They are edited inside their text, comments kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.cluster.releases import about, read_values, texts_of
from dradsl.migrate.detection.values import is_template_object, objects_of
from dradsl.migrate.edits.operations import (
    Append,
    CannotEditError,
    ObjectPatch,
    Put,
    edit_text,
    object_patch,
)
from dradsl.migrate.places import effective_amounts
from dradsl.migrate.planning.checklist import quota_notes
from dradsl.migrate.planning.rewrite import in_values, items_of, operations_of
from dradsl.migrate.planning.templates import claim_objects
from dradsl.migrate.result import FileMigration, Item, Migrated
from dradsl.records import Record, replace
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.tree.charts.recipes import find, is_values
from dradsl.tree.manifests.manifest import Manifest, manifests_in
from dradsl.tree.values.values import values_of
from dradsl.values.limits import MOST_TRIES_OF_A_DOCUMENT
from dradsl.values.plain import find_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.mapping.resource import Rejection
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.planning.plan import Planner, PodPlan
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.installed import Installed
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = [
    "FileEdits",
    "edit_document",
    "migrate_manifests",
    "migrated",
]


class _Edited(Record):
    """A document after its edits: `text` is None where nothing changed, `added` are new objects
    that are not in it. `failures` say why pods are not among the changes;
    None if all are."""

    text: str | None
    added: tuple[dict[str, object], ...] = ()
    patches: tuple[ObjectPatch, ...] = ()
    failures: Mapping[PodPlan, str] | None = None


class FileEdits:
    """A file whose documents are edited one after the other, with the lines of the report."""

    def __init__(self, source: SourceText, kind: str) -> None:
        self._source, self._kind = source, kind
        self.items: list[Item] = []
        self._added: list[JsonMapping] = []
        self._workloads: list[Migrated] = []
        self._patches: list[ObjectPatch] = []
        self._read: set[tuple[int, FieldPath]] = set()
        self._parts: list[str] = []
        self._position = 0

    def file(self) -> FileMigration:
        """The file after its migration."""
        text = self._source.stream.text
        return FileMigration(
            self._source.name,
            self._kind,
            text,
            "".join(self._parts) + text[self._position :],
            tuple(self.items),
            tuple(self._added),
            tuple(self._workloads),
            patches=tuple(self._patches),
            read=frozenset(self._read),
        )

    def add(self, document: Document, plans: Sequence[PodPlan], edited: _Edited) -> None:
        """Take over a document with the changes of its pods."""
        self._say(plans, edited)
        if edited.text is not None:
            text = self._source.stream.text
            self._parts += (text[self._position : document.start], edited.text)
            self._position = document.end
            self._patches += edited.patches
            self._added += edited.added

    def _say(self, plans: Sequence[PodPlan], edited: _Edited) -> None:
        for plan in plans:
            failure = (edited.failures or {}).get(plan)
            self.items += items_of(plan, failure)
            if edited.text is not None and plan.requests and failure is None:
                self._workloads.append(migrated(plan))

    def with_texts(
        self,
        document: Document,
        planner: Planner,
        obstacle: Callable[[Manifest, PodAt], Rejection | None],
    ) -> tuple[str, list[dict[str, object]]]:
        """The text of a document with the changes in its texts of values, and the new objects for these."""
        text = document.text
        added: list[dict[str, object]] = []
        for manifest, installed in _texts_of_values(self._source, document, planner):
            file, book, within = manifest.source.name, planner.recipes, manifest.within
            own = replace(planner, recipes=replace(book, files={**book.files, file: installed}))
            plans = [own.plan(file, pod, obstacle(manifest, pod)) for pod in own.pods(manifest)]
            if not plans or within is None:
                continue
            edited = edit_document(manifest.document, plans, apart=True)
            if edited.text is not None:
                inner = str(find_at(within.document.data, within.path))
                new = (
                    inner[: manifest.document.start] + edited.text + inner[manifest.document.end :]
                )
                new = new.rstrip("\n") + inner[len(inner.rstrip("\n")) :]
                try:
                    text = edit_text(text, [[Put(within.path, new)]])
                    put = Put(within.path, new)
                    self._patches += _patch_of_holder(
                        manifest.source, within.document, within.path, [put]
                    )
                except CannotEditError as error:
                    why = f"the text within the object cannot be edited: {error}"
                    edited = _Edited(None, failures=dict.fromkeys(plans, why))
            self._say(plans, edited)
            added += edited.added
            self._read.add((document.index, within.path))
        return text, added


def migrate_manifests(
    source: SourceText,
    planner: Planner,
    obstacle: Callable[[Manifest, PodAt], Rejection | None],
    *,
    separate: bool,
) -> FileMigration:
    """Migrate every pod of a file.

    With `separate` new objects are returned and not written into the text. `obstacle` says why a pod of an object cannot be
    migrated in this file, independent of its plan.
    """
    by_document: dict[int, list[PodPlan]] = {}
    notes: list[str] = []
    for manifest in (*objects_of(source), *values_of(source)):
        notes += quota_notes(manifest, planner.catalogue)
        plans = by_document.setdefault(manifest.document.index, [])
        for pod in planner.pods(manifest):
            plans.append(planner.plan(source.name, pod, obstacle(manifest, pod)))
    values = any(is_values(document.data) for document in source.stream.documents)
    edits = FileEdits(source, "values" if values else "manifests")
    for document in source.stream.documents:
        plans = by_document.get(document.index, [])
        text, added = edits.with_texts(document, planner, obstacle)
        edits.add(document, plans, _on_top(document, text, added, plans, apart=separate or values))
    return replace(edits.file(), notes=tuple(dict.fromkeys(notes)))


def _on_top(
    document: Document,
    text: str,
    added: Sequence[JsonObject],
    plans: list[PodPlan],
    *,
    apart: bool,
) -> _Edited:
    """A document with the changes of its pods, on top of a `text` of it with changes and the new objects for these."""
    if text == document.text:
        return edit_document(document, plans, apart=apart)
    (changed,) = load(text.encode("utf-8", "surrogatepass")).documents
    edited = edit_document(changed, plans, apart=apart)
    is_json = text.lstrip()[:1] == "{"
    text = text if edited.text is None else edited.text
    text, left = _with_own(text, added, apart=apart or is_json)
    return replace(edited, text=text, added=(*edited.added, *left))


def edit_document(document: Document, planned: list[PodPlan], *, apart: bool) -> _Edited:
    """A document with the changes of as many of its pods as its text allows."""
    ready = [each for each in planned if each.requests]
    if not ready:
        return _Edited(None)
    edited = _edit_all(document, ready, apart=apart)
    if edited.failures is None or len(ready) == 1:
        return edited
    return _edit_most(document, ready, edited, apart=apart)


def _edit_most(
    document: Document, ready: list[PodPlan], failed: _Edited, *, apart: bool
) -> _Edited:
    """Edit as many pods as the text allows: halves are tried until the pods that fail are found.

    Accepted pods are part of every further attempt, so that the result was made in one attempt.
    If many pods fail, attempts are limited, and the rest is rejected without one.
    """
    accepted: list[PodPlan] = []
    best, reasons = _Edited(None), dict(failed.failures or {})
    attempts = MOST_TRIES_OF_A_DOCUMENT
    waiting = _halves(ready)
    while waiting:
        some = waiting.pop()
        edited = failed
        if attempts:
            attempts -= 1
            edited = _edit_all(document, [*accepted, *some], apart=apart)
        if edited.failures is None:
            accepted, best = [*accepted, *some], edited
        elif len(some) > 1 and attempts:
            waiting += _halves(some)
        else:
            reason = next(iter(edited.failures.values()))
            reasons.update(dict.fromkeys(some, reason))
    done = set(accepted)
    return replace(best, failures={key: why for key, why in reasons.items() if key not in done})


def _halves(pods: list[PodPlan]) -> list[list[PodPlan]]:
    """Both halves, the first one last, since the caller takes the last one first."""
    middle = (len(pods) + 1) // 2
    return [half for half in (pods[middle:], pods[:middle]) if half]


def _edit_all(document: Document, ready: list[PodPlan], *, apart: bool) -> _Edited:
    """The document with the changes of all these pods, or the reason why that is impossible."""
    planned = [(each, claim_objects(each)) for each in ready]
    unique = _unique(
        [
            obj
            for each, objects in planned
            if not each.pod.chart_writes_template and not any(in_values(each.pod, objects))
            for obj in objects
        ]
    )
    groups = [operations_of(each, objects) for each, objects in planned]
    # In a group of their own: they share the mapping or the list around them.
    shared = [made for each, objects in planned for made in in_values(each.pod, objects)]
    # Documents cannot follow JSON, and must not follow the input of a KRM function.
    is_json = document.text.lstrip()[:1] == "{"
    listed = None if apart else _list_of(document.data, is_json)
    if listed is not None:
        groups = [[*group] for group in groups]
        groups.append([Append((listed,), template) for template in unique])
    try:
        text = edit_text(document.text, [*groups, shared])
        for (each, objects), group in zip(planned, groups, strict=False):
            group += in_values(each.pod, objects)
        patches = tuple(_patches(ready, groups[: len(ready)]))
    except CannotEditError as error:
        reason = f"the text cannot be edited safely: {error}"
        return _Edited(None, failures=dict.fromkeys(ready, reason))
    if text == document.text:
        return _Edited(None)  # a chart's own fields, which have it already
    if listed is not None:
        return _Edited(text, (), patches)
    text, left = _with_own(text, unique, apart=apart or is_json)
    return _Edited(text, left, patches)


def _with_own(
    text: str, objects: Sequence[JsonObject], *, apart: bool
) -> tuple[str, tuple[JsonObject, ...]]:
    """A document with new objects behind it, and those that go elsewhere: an object that other workloads name too is not
    in the file of one of them."""
    own = [obj for obj in objects if not apart and obj["kind"] != "ResourceClaim"]
    left = tuple(obj for obj in objects if apart or obj["kind"] == "ResourceClaim")
    newline = "\r\n" if "\r\n" in text else "\n"
    start = "" if not own or text.endswith("\n") else newline  # it may lack its last line end
    blocks = [f"---{newline}{render_block(obj, newline=newline)}{newline}" for obj in own]
    return text + start + "".join(blocks), left


def _list_of(data: object, is_json: bool) -> str | None:
    """The list of a document among which new objects go; None if they follow the document."""
    if is_template_object(data):
        return "objects"
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return None
    return "items" if is_json or data.get("kind") == "ResourceList" else None


def _patches(ready: list[PodPlan], groups: list[list[Operation]]) -> Iterator[ObjectPatch]:
    by_object: dict[FieldPath, tuple[Manifest, list[Operation]]] = {}
    for each, group in zip(ready, groups, strict=True):
        manifest = each.pod.manifest
        by_object.setdefault(manifest.prefix, (manifest, []))[1].extend(group)
    for manifest, operations in by_object.values():
        if manifest.api_version:
            yield object_patch(manifest, operations)
        elif manifest.prefix:  # values within an object: the patch is for the object
            yield from _patch_of_holder(
                manifest.source, manifest.document, manifest.prefix, operations
            )


def _unique(templates: list[JsonObject]) -> list[JsonObject]:
    found: dict[tuple[str | None, str], dict[str, object]] = {}
    for template in templates:
        metadata = template["metadata"]
        found.setdefault((metadata.get("namespace"), metadata["name"]), template)
    return list(found.values())


def migrated(plan: PodPlan) -> Migrated:
    """The pod of a plan with its devices, before and after."""
    after = plan.devices()
    before = effective_amounts(plan.pod.containers)
    manifest = plan.pod.manifest
    return Migrated(
        plan.pod.title,
        manifest.kind,
        manifest.namespace,
        manifest.name,
        plan.pod.path[len(manifest.prefix) :],
        {name: amount for name, amount in before.items() if name in after},
        after,
        tuple(plan.requests.values()),
    )


def _texts_of_values(
    source: SourceText,
    document: Document,
    planner: Planner,
) -> Iterator[tuple[Manifest, Installed]]:
    """The texts of values in a document, with the charts that they are for."""
    for host in manifests_in(source, (document,)):
        for path, text in texts_of(host):
            said = about(host, path, planner.recipes.fetched)
            yield from read_values(source, host, path, text, said)
        if host.kind == "ConfigMap" and not host.group:
            for path, text in find(host.data, "data.*"):
                known = planner.recipes.texts.get((host.name or "", str(path[-1])))
                if known is not None:
                    yield from read_values(source, host, path, text, known)


def _patch_of_holder(
    source: SourceText, document: Document, path: FieldPath, operations: Sequence[Operation]
) -> Iterator[ObjectPatch]:
    """The patch for the object that holds what is at a path; a kustomization without apiVersion is none."""
    hosts = manifests_in(source, (document,))
    host = next((each for each in hosts if path[: len(each.prefix)] == each.prefix), None)
    if host is not None:
        yield object_patch(host, operations)
