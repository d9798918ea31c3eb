"""Migrating the manifests of a file: every pod planned, then the documents edited."""

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
from dradsl.migrate.places import effective_amounts, value_in
from dradsl.migrate.planning.quotas_and_observers import quota_notes
from dradsl.migrate.planning.rewrite import in_values, items_of, operations_of
from dradsl.migrate.planning.templates import claim_object
from dradsl.migrate.result import FileMigration, Item, Migrated
from dradsl.records import dataclass, replace
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.tree.charts.installed import Installed, fetched_in, installed_by
from dradsl.tree.charts.recipes import find, is_values
from dradsl.tree.manifests.manifest import Manifest, manifests_in, manifests_of
from dradsl.tree.values.values import values_of
from dradsl.values.limits import MOST_TRIES_OF_A_DOCUMENT
from dradsl.values.plain import mappings_at, string_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.mapping.resource import Rejection
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.planning.plan import Planned, Planner, PodPlan
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonObject

__all__ = [
    "TextValues",
    "ValuesOf",
    "edit_document",
    "migrate_manifests",
    "migrated",
    "releases_of",
]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A document whose texts of values were edited: its `text`, the lines of the report, new objects, the pods
    with claims, the paths of the texts that were `read`, and `patches` that put the new texts in."""

    text: str
    items: tuple[Item, ...] = ()
    added: tuple[dict[str, object], ...] = ()
    workloads: tuple[Migrated, ...] = ()
    read: frozenset[FieldPath] = frozenset()
    patches: tuple[ObjectPatch, ...] = ()


@dataclass(frozen=True, slots=True)
class _Edited:
    """A document after its edits: `text` is None where nothing changed, `added` are new objects
    that are not in it. `failures` say why pods are not among the changes;
    None if all are."""

    text: str | None
    added: tuple[dict[str, object], ...] = ()
    patches: tuple[ObjectPatch, ...] = ()
    failures: Mapping[Planned, str] | None = None


def migrate_manifests(
    source: SourceText,
    planner: Planner,
    *,
    separate: bool = False,
    obstacle: Callable[[Manifest, PodAt], Rejection | None] = lambda _, __: None,
    texts: Callable[[SourceText, Document], TextEdit | None] = lambda _, __: None,
) -> FileMigration:
    """Migrate every pod of a file.

    With `separate` new objects
    are returned and not written into the text. `obstacle` says why a pod of an object cannot be
    migrated in this file, independent of its plan. `texts` edits the texts within a document.
    """
    by_document: dict[int, list[Planned]] = {}
    notes: list[str] = []
    for manifest in (*objects_of(source), *values_of(source)):
        notes += quota_notes(manifest, planner.catalogue)
        planned = by_document.setdefault(manifest.document.index, [])
        for pod in planner.pods(manifest):
            planned.append(planner.plan(source.name, pod, obstacle(manifest, pod)))
    stream = source.stream
    values = any(is_values(document.data) for document in stream.documents)
    apart = separate or values
    parts: list[str] = []
    items: list[Item] = []
    added: list[Mapping[str, object]] = []
    workloads: list[Migrated] = []
    patches: list[ObjectPatch] = []
    read: set[tuple[int, FieldPath]] = set()
    position = 0
    for document in stream.documents:
        planned = by_document.get(document.index, [])
        inner = texts(source, document)
        if inner is not None:
            items += inner.items
            workloads += inner.workloads
            patches += inner.patches
            read |= {(document.index, path) for path in inner.read}
        edited = _with_texts(document, inner, planned, apart=apart)
        for each in planned:
            failure = (edited.failures or {}).get(each)
            items += items_of(each.plan, each.decisions, failure)
            if edited.text is not None and each.plan.requests and failure is None:
                workloads.append(migrated(each.plan))
        if edited.text is None:
            continue
        parts += (stream.text[position : document.start], edited.text)
        position = document.end
        patches += edited.patches
        added += edited.added
    text = "".join(parts) + stream.text[position:]
    return FileMigration(
        source.name,
        "values" if values else "manifests",
        stream.text,
        text,
        tuple(items),
        tuple(added),
        tuple(workloads),
        patches=tuple(patches),
        notes=tuple(dict.fromkeys(notes)),
        read=frozenset(read),
    )


def _with_texts(
    document: Document, inner: TextEdit | None, planned: list[Planned], *, apart: bool
) -> _Edited:
    """A document with the changes of its pods, on top of those in its texts."""
    if inner is None or inner.text == document.text:
        return edit_document(document, planned, apart=apart)
    (changed,) = load(inner.text.encode("utf-8", "surrogatepass")).documents
    edited = edit_document(changed, planned, apart=apart)
    text = inner.text if edited.text is None else edited.text
    text, left = _with_own(text, inner.added, apart=apart or inner.text.lstrip()[:1] == "{")
    return replace(edited, text=text, added=(*edited.added, *left))


def edit_document(document: Document, planned: list[Planned], *, apart: bool) -> _Edited:
    """A document with the changes of as many of its pods as its text allows."""
    ready = [each for each in planned if each.plan.requests]
    if not ready:
        return _Edited(None)
    edited = _edit_all(document, ready, apart=apart)
    if edited.failures is None or len(ready) == 1:
        return edited
    return _edit_most(document, ready, edited, apart=apart)


def _edit_most(
    document: Document, ready: list[Planned], failed: _Edited, *, apart: bool
) -> _Edited:
    """Edit as many pods as the text allows: halves are tried until the pods that fail are found.

    Accepted pods are part of every further attempt, so that the result was made in one attempt.
    If many pods fail, attempts are limited, and the rest is rejected without one.
    """
    accepted: list[Planned] = []
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


def _halves(pods: list[Planned]) -> list[list[Planned]]:
    """Both halves, the first one last, since the caller takes the last one first."""
    middle = (len(pods) + 1) // 2
    return [half for half in (pods[middle:], pods[:middle]) if half]


def _edit_all(document: Document, ready: list[Planned], *, apart: bool) -> _Edited:
    """The document with the changes of all these pods, or the reason why that is impossible."""
    templates = [claim_object(each.plan, each.decisions) for each in ready]
    planned = list(zip(ready, templates, strict=True))
    unique = _unique(
        [
            template
            for each, template in planned
            if not each.plan.pod.chart_writes_template
            and not any(in_values(each.plan.pod, template))
        ]
    )
    groups = [operations_of(each.plan, template, each.decisions) for each, template in planned]
    # In a group of their own: they share the mapping or the list around them.
    shared = [made for each, template in planned for made in in_values(each.plan.pod, template)]
    # Documents cannot follow JSON, and must not follow the input of a KRM function.
    is_json = document.text.lstrip()[:1] == "{"
    listed = None if apart else _list_of(document.data, is_json)
    if listed is not None:
        groups = [[*group] for group in groups]
        groups.append([Append((listed,), template) for template in unique])
    try:
        text = edit_text(document.text, [*groups, shared])
        for (each, template), group in zip(planned, groups, strict=False):
            group += in_values(each.plan.pod, template)
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
    return (_followed(text, own) if own else text), left


def _list_of(data: object, is_json: bool) -> str | None:
    """The list of a document among which new objects go; None if they follow the document."""
    if is_template_object(data):
        return "objects"
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return None
    return "items" if is_json or data.get("kind") == "ResourceList" else None


def _patches(ready: list[Planned], groups: list[list[Operation]]) -> Iterator[ObjectPatch]:
    by_object: dict[FieldPath, tuple[Manifest, list[Operation]]] = {}
    for each, group in zip(ready, groups, strict=True):
        manifest = each.plan.pod.manifest
        by_object.setdefault(manifest.prefix, (manifest, []))[1].extend(group)
    for manifest, operations in by_object.values():
        if manifest.api_version:
            yield object_patch(manifest, operations)
        elif manifest.prefix:  # values within an object: the patch is for the object
            holder = _holder(manifest)
            if holder is not None:
                yield object_patch(holder, operations)


def _holder(values: Manifest) -> Manifest | None:
    """The object with the values; a kustomization without apiVersion is none."""
    found = (
        each
        for each in manifests_of(values.source)
        if each.document is values.document and values.prefix[: len(each.prefix)] == each.prefix
    )
    return next(found, None)


def _unique(templates: list[JsonObject]) -> list[JsonObject]:
    found: dict[tuple[str | None, str], dict[str, object]] = {}
    for template in templates:
        metadata = template["metadata"]
        found.setdefault((metadata.get("namespace"), metadata["name"]), template)
    return list(found.values())


def _followed(text: str, templates: list[dict[str, object]]) -> str:
    """A document with new ones behind it; it may lack its last line end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    start = "" if text.endswith("\n") else newline
    blocks = [
        f"---{newline}{render_block(template, newline=newline)}{newline}" for template in templates
    ]
    return text + start + "".join(blocks)


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
        tuple(request.target for request in plan.requests),
    )


@dataclass(frozen=True, slots=True)
class ValuesOf:
    """A release that takes its values from a ConfigMap."""

    title: str
    namespace: str | None
    installed: Installed


def releases_of(sources: Sequence[SourceText]) -> dict[tuple[str, str], ValuesOf]:
    """The releases of Flux that take values from ConfigMaps, by name and key of these."""
    found: dict[tuple[str, str], ValuesOf] = {}
    wanted = [source for source in sources if "valuesFrom" in source.stream.text]
    fetched = fetched_in(m.data for source in sources if wanted for m in manifests_of(source))
    for source in wanted:
        for manifest in manifests_of(source):
            if f"{manifest.kind}.{manifest.group}" != "HelmRelease.helm.toolkit.fluxcd.io":
                continue
            made = ValuesOf(
                f"values of {manifest.kind}",
                string_at(manifest.data, "spec", "targetNamespace") or manifest.namespace,
                installed_by(manifest.data, ("spec", "values"), fetched),
            )
            for reference in mappings_at(manifest.data, "spec", "valuesFrom"):
                if reference.get("kind") == "ConfigMap":
                    key = str(reference.get("valuesKey") or "values.yaml")
                    found[str(reference.get("name")), key] = made
    return found


@dataclass(frozen=True, slots=True)
class TextValues:
    """The texts of values in the files of a run, and what becomes of them."""

    planner: Planner
    releases: Mapping[tuple[str, str], ValuesOf]
    obstacle: Callable[[Manifest, PodAt], Rejection | None]

    def edited(self, source: SourceText, document: Document) -> TextEdit | None:
        """A document whose texts of values were migrated; None if none holds a request."""
        text = document.text
        made = TextEdit(text)
        for values in self._values(source, document):
            outcome = self._one(values, made)
            if outcome is not None:
                made = outcome
        return made if made.read else None

    def _one(self, values: tuple[Manifest, Installed], made: TextEdit) -> TextEdit | None:
        manifest, installed = values
        file, book = manifest.source.name, self.planner.recipes
        book = replace(book, files={**book.files, file: installed})
        planner = replace(self.planner, recipes=book)
        planned = [
            planner.plan(file, pod, self.obstacle(manifest, pod)) for pod in planner.pods(manifest)
        ]
        within = manifest.within
        if not planned or within is None:
            return None
        edited = edit_document(manifest.document, planned, apart=True)
        items: list[Item] = []
        failures = dict(edited.failures or {})
        text, patches = made.text, made.patches
        if edited.text is not None:
            inner = str(value_in(within.document.data, within.path))
            document = manifest.document
            new = inner[: document.start] + edited.text + inner[document.end :]
            new = new.rstrip("\n") + inner[len(inner.rstrip("\n")) :]
            try:
                text = edit_text(text, [[Put(within.path, new)]])
                patches = (*patches, *text_patches(manifest, new))
            except CannotEditError as error:
                failures = dict.fromkeys(
                    planned, f"the text within the object cannot be edited: {error}"
                )
                edited = replace(edited, text=None, added=())
        for each in planned:
            items += items_of(each.plan, each.decisions, failures.get(each))
        done = [
            p for p in planned if edited.text is not None and p.plan.requests and p not in failures
        ]
        return replace(
            made,
            text=text,
            items=(*made.items, *items),
            added=(*made.added, *edited.added),
            workloads=(*made.workloads, *(migrated(each.plan) for each in done)),
            read=made.read | {within.path},
            patches=patches,
        )

    def _values(
        self, source: SourceText, document: Document
    ) -> Iterator[tuple[Manifest, Installed]]:
        for host in manifests_in(source, (document,)):
            for path, text in texts_of(host):
                yield from read_values(
                    source, host, path, text, about(host, path, self.planner.recipes.fetched)
                )
            if host.kind == "ConfigMap" and not host.group:
                for path, text in find(host.data, "data.*"):
                    release = self.releases.get((host.name or "", str(path[-1])))
                    if release is not None:
                        said = (release.title, release.namespace, release.installed)
                        yield from read_values(source, host, path, text, said)


def text_patches(inner: Manifest, text: str) -> Iterator[ObjectPatch]:
    """The patch that replaces the text that contains `inner` with a new one."""
    within = inner.within
    if within is not None:
        hosts = manifests_in(inner.source, (within.document,))
        host = next((h for h in hosts if within.path[: len(h.prefix)] == h.prefix), None)
        if host is not None:
            yield object_patch(host, [Put(within.path, text)])
