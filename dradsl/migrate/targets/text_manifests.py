"""Manifests that are a text within an object: edited inside their text if the reader of the text is known.

If it is not known, each use is refused with the edits to make by hand.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from dradsl.lint.input.manifests import EnclosingText, manifests_in
from dradsl.lint.input.sources import SourceText
from dradsl.migrate.cluster.walk import at
from dradsl.migrate.detection.texts import text_uses, texts_in
from dradsl.migrate.detection.values import all_pods
from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.mapping.resource import Refusal
from dradsl.migrate.planning.lines import lines_of
from dradsl.migrate.planning.plan import plan_pod, refuse_plan
from dradsl.migrate.planning.rewrite import items_of
from dradsl.migrate.targets.manifests import Planned, TextEdit, edit_document, migrated
from dradsl.migrate.targets.text_values import text_patches
from dradsl.records import dataclass, replace
from dradsl.repository.kustomization import is_json_patch
from dradsl.text.documents import load
from dradsl.text.paths import format_path
from dradsl.text.render import render_block
from dradsl.values.digits import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.input.manifests import Manifest
    from dradsl.migrate.detection.consumers import Consumers
    from dradsl.migrate.detection.recipes import RecipeBook
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.result import Item
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath

__all__ = ["TextManifests"]

_UNKNOWN = (
    "what reads this text is not known: it may drop the fields of claims, or edit the text before it makes objects of "
    "it"
)
_OPEN = "the namespace of this text is put in later, and the claim template belongs there"


@dataclass(frozen=True, slots=True)
class TextManifests:
    """The texts of manifests in the files of a run, and what becomes of them."""

    decide: Callable[[str, str], Decisions]
    evidence: Evidence
    catalogue: Catalogue
    book: RecipeBook
    consumers: Consumers
    obstacle: Callable[[Manifest, PodAt], Refusal | None]

    def edited(
        self, source: SourceText, document: Document, made: TextEdit | None
    ) -> TextEdit | None:
        """A document whose texts of manifests were migrated, on top of what was `made` of it; None if no text holds a
        request."""
        result = made or TextEdit(document.text)
        for host in manifests_in(source, (document,)):
            if host.kind == "CustomResourceDefinition":
                continue
            for path, text in texts_in(host.data):
                full = (*host.prefix, *path)
                if "\n" not in text or full in result.read or "kind:" not in text:
                    continue
                if any(str(part).startswith("patches") for part in path[:-1]):
                    continue  # a patch of Flux or Argo CD
                if any(use.asks for use in text_uses(text, self.catalogue)):
                    result = self._one(host, path, text, result)
        return result if result.read else None

    def _one(self, host: Manifest, path: FieldPath, text: str, made: TextEdit) -> TextEdit:
        """What becomes of one text: as it was if it holds anything else than objects with pods."""
        documents = load(text.encode("utf-8", "surrogatepass")).documents
        if not documents or any(d.problems for d in documents):
            return made
        within = EnclosingText(host.document, (*host.prefix, *path))
        by_document: dict[int, list[Planned]] = {}
        for inner in manifests_in(host.source, documents, within):
            if inner.namespace is None and self.consumers.of(host, path) is not None:
                inner = replace(inner, namespace=host.namespace)
            for pod in all_pods(inner, self.catalogue, self.book):
                planned = self._planned(host, path, inner, pod)
                by_document.setdefault(inner.document.index, []).append(planned)
        if not by_document:
            return made
        new, position = [], 0
        items: list[Item] = []
        failures: dict[Planned, str] = {}
        added: list[dict[str, object]] = []
        for document in documents:
            planned_here = by_document.get(document.index, [])
            edited = edit_document(document, planned_here, apart=True)
            failures |= edited.failures or {}
            if edited.text is not None:
                new += [text[position : document.start], edited.text]
                position = document.end
                added += edited.added
        planned_all = [each for found in by_document.values() for each in found]
        result, patches = made.text, made.patches
        if new:
            whole = "".join(new) + text[position:]
            whole = whole.rstrip("\n") + text[len(text.rstrip("\n")) :]
            try:
                result = edit_text(result, [[Put(within.path, whole)]])
                patches = (*patches, *text_patches(planned_all[0].plan.pod.manifest, whole))
            except CannotEditError as error:
                reason = f"the text within the object cannot be edited: {error}"
                failures, added = dict.fromkeys(planned_all, reason), []
        for each in planned_all:
            where = f"{each.plan.pod.title}, in {format_path(path)} of {host.title}"
            made_of = items_of(each.plan, each.decisions, failures.get(each))
            items += [replace(item, object=where) for item in made_of]
        done = [p for p in planned_all if p.plan.requests and p not in failures]
        return replace(
            made,
            text=result,
            items=(*made.items, *items),
            added=(*made.added, *added),
            workloads=(*made.workloads, *(migrated(each.plan) for each in done)),
            read=made.read | {within.path},
            patches=patches,
        )

    def by_hand(self, host: Manifest, text: str, target: Mapping[str, object]) -> str | None:
        """What to write in the place of a patch on what a chart renders, as far as one patch shows it."""
        for document in load(text.encode("utf-8", "surrogatepass")).documents:
            is_json = is_json_patch(document.data)
            data = _patched(document.data, target) if is_json else document.data
            stream = load((render_block(data) + "\n").encode("utf-8", "surrogatepass"))
            source = SourceText(host.path, stream)
            for inner in manifests_in(source, stream.documents):
                inner = replace(inner, namespace=inner.namespace or _target_namespace(host))
                for pod in all_pods(inner, self.catalogue, self.book):
                    decisions = self.decide(host.path, pod.title)
                    plan = plan_pod(pod, decisions, self.evidence, self.catalogue)
                    lines = lines_of(plan, decisions, merge=not is_json, pointers=is_json)
                    if lines is not None:
                        return lines
        return None

    def _planned(self, host: Manifest, path: FieldPath, inner: Manifest, pod: PodAt) -> Planned:
        decisions = self.decide(host.path, pod.title)
        plan = plan_pod(pod, decisions, self.evidence, self.catalogue)
        refusal = self.obstacle(host, pod)
        if refusal is None and self.consumers.of(host, path) is None:
            refusal = Refusal(_UNKNOWN)
        if refusal is None and any(mark in (inner.namespace or "") for mark in ("{{", "${", "$(")):
            refusal = Refusal(_OPEN)
        if refusal is not None:
            lines = lines_of(plan, decisions)
            asked = next(
                (u.result.question for u in plan.uses if isinstance(u.result, Refusal)), None
            )
            ways = (f"by hand: {lines}",) if lines is not None else ()
            if asked is not None:
                ways = (f"with an answer to --{asked} the edits to make by hand stand here",)
            plan = refuse_plan(plan, replace(refusal, routes=refusal.routes or ways))
        return Planned(plan, decisions)


def _target_namespace(host: Manifest) -> str | None:
    found = at(host.data, "spec", "targetNamespace")
    return found if isinstance(found, str) else host.namespace


def _patched(operations: Any, target: Mapping[str, object]) -> dict[str, object]:
    """An object of which no more is known than what the operations of a JSON patch add to it."""
    kind = str(target.get("kind") or "Deployment")
    group = "batch/v1" if kind in ("Job", "CronJob") else "v1" if kind == "Pod" else "apps/v1"
    metadata = {"name": str(target.get("name") or kind.lower())}
    made: dict[str, object] = {"apiVersion": group, "kind": kind, "metadata": metadata}
    for each in operations:
        steps = [
            step.replace("~1", "/").replace("~0", "~") for step in str(each["path"]).split("/")[1:]
        ]
        if each.get("op") not in ("add", "replace") or "containers" not in steps[:-1]:
            continue
        here: Any = made
        for step, below in itertools.pairwise(steps):
            if isinstance(here, list):
                number = whole_number(step) or 0
                number = number if 0 <= number < _MOST_CONTAINERS else 0
                here += [{"name": f"c{len(here) + i}"} for i in range(number + 1 - len(here))]
                here = here[number]
            else:
                here = here.setdefault(step, [] if below.isdecimal() or below == "-" else {})
        if isinstance(here, dict):
            here[steps[-1]] = each.get("value")
    return made


_MOST_CONTAINERS = 50
