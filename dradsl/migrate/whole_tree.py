"""A tree edited as a whole: files, then the patches and builds above them; what does not build as planned is rejected.

First the requests are removed from every patch. Then each object that a patch changes in a build is compared with
the planned object, and what is missing is written into the last such patch. So a patch has only what its object
needs, whatever the base contains. At the end everything is built and compared. What fails is rejected, together with
everything that is built of the same places.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from dradsl.migrate.files import claims_once, migrate_file
from dradsl.migrate.kustomize.tree import real_path
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.claims import place_added, prepare_bases
from dradsl.migrate.overlays.drafts import Place, TreeEdit
from dradsl.migrate.overlays.original import OriginalTree
from dradsl.migrate.overlays.patch_index import find_patches
from dradsl.migrate.overlays.patching import complete, strip
from dradsl.migrate.overlays.proving import prove_builds
from dradsl.migrate.overlays.rewrite_state import RewriteState
from dradsl.migrate.result import EditedTree, FileMigration, Outcome
from dradsl.records import replace
from dradsl.text.paths import locate
from dradsl.tree.kustomize.parts.files import Files
from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
from dradsl.values.limits import MOST_ROUNDS_OF_BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.overlays.patch_index import PatchIndex
    from dradsl.migrate.result import Item
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["migrate_tree"]


def _rewritten(state: RewriteState) -> RewriteState:
    """The state after the patches of its tree were rewritten, so that they fit the edits of the files, and all was built."""
    folders = state.folders()
    for folder in folders:
        state.link(folder)
    prepare_bases(state)
    place_added(state)
    strip(state, folders)
    for folder in folders:
        state.options.deadline.check()
        complete(state, folder)
    if not state.failed:
        prove_builds(state, folders)
    state.spread()
    return state


def migrate_tree(survey: RunEvidence) -> EditedTree:
    """Migrate all files, patches as patches, and build both sides of every kustomization that changes.

    A rejection takes edits back, and other builds may have counted on these, so all is built again without them. Each
    round rejects something that was not rejected; the round before the last rejects all that is left.
    """
    paths = {source.name: real_path(source.name) for source in survey.sources}
    reals = {name: path for name, path in paths.items() if path is not None}
    original = _original(survey, reals)
    rejected: dict[Place, Rejection] = {}
    apart = {source.name: migrate_file(source, survey) for source in survey.sources}
    for turn in range(MOST_ROUNDS_OF_BUILDS):
        files, faults = claims_once(tuple(apart.values()), survey)
        edited = {reals[file.path]: file for file in files if file.path in reals}
        changed = frozenset(_changed(edited, survey))
        draft = TreeEdit(original.disk, {path: file.text for path, file in edited.items()})
        done = _rewritten(RewriteState(original, draft, edited, changed, rejected, survey.options))
        if not done.failed:
            break
        failed = done.failed
        if turn == MOST_ROUNDS_OF_BUILDS - 2:
            last = Rejection("what is built of it cannot be proven")
            failed = {**dict.fromkeys((*changed, *original.found.places()), last), **failed}
        fresh = failed.keys() - rejected.keys()
        told = {
            place: each
            if each.routes
            else replace(each, routes=_routes(survey.tree, original.found, place))
            for place, each in failed.items()
        }
        rejected = {**told, **rejected}
        again = {place.file for place in fresh}
        apart |= {
            source.name: migrate_file(source, survey, rejected)
            for source in survey.sources
            if reals.get(source.name) in again
        }
    return _edited(files, faults, done, rejected, survey, reals)


def _original(survey: RunEvidence, reals: Mapping[str, str]) -> OriginalTree:
    around = survey.options.around or SurroundingKustomizations()
    planner, controllers = survey.of_builds, survey.controllers
    found = find_patches(survey.sources, around, survey.tree, planner.catalogue, controllers)
    return OriginalTree(
        found,
        planner,
        Files((*around.roots, *dict.fromkeys(each.top for each in controllers))),
        {reals[s.name]: s.stream.text for s in survey.sources if s.name in reals},
        {path: name for name, path in reals.items()},
    )


def _edited(
    files: tuple[FileMigration, ...],
    faults: tuple[str, ...],
    done: RewriteState,
    rejected: Mapping[Place, Rejection],
    survey: RunEvidence,
    reals: Mapping[str, str],
) -> EditedTree:
    """The files with what was written into patches, and the new files."""
    by_path = {file.path: file for file in files}
    result = [
        _with_patches(source, by_path[source.name], reals.get(source.name), done, rejected)
        for source in survey.sources
    ]
    parts = {
        path
        for folder in done.sides
        for patches in [done.found.of(folder)]
        for path in (*done.found.files_of(folder), *(patch.place.file for patch in patches))
    }
    covered = frozenset(name for name, path in reals.items() if path in parts)
    made = [
        FileMigration(os.path.relpath(path).replace(os.sep, "/"), "claims", "", text)
        for path, text in sorted(done.draft.made.items())
    ]
    sides = tuple(side for each in done.sides.values() for side in each)
    return EditedTree((*result, *made), sides, covered, faults)


def _routes(tree: KustomizationTree, found: PatchIndex, place: Place) -> tuple[str, ...]:
    """Alternatives for the document at a place, by what builds it."""
    owners = found.owners(place)
    folders = [each for each in owners if each not in found.controllers]
    return tree.routes(folders) if folders or not owners else ()


def _changed(edited: Mapping[str, FileMigration], survey: RunEvidence) -> Iterator[Place]:
    """The documents that the migration of the single files changed, those of patches apart."""
    streams = {source.name: source.stream for source in survey.sources}
    for path, file in edited.items():
        if file.kind not in ("manifests", "kustomization", "values") or file.text == file.before:
            continue
        lines = {item.span.line for item in file.items if item.outcome is Outcome.TRANSLATED}
        stream = streams[file.path]
        for document in () if survey.tree.patching(file.path) else stream.documents:
            first = stream.lines.position(document.start)[0]
            last = stream.lines.position(document.end)[0]
            if any(first <= line <= last for line in lines):
                yield Place(path, document.index)


def _with_patches(
    source: SourceText,
    file: FileMigration,
    path: str | None,
    done: RewriteState,
    rejected: Mapping[Place, Rejection],
) -> FileMigration:
    """A file with the patches in it as they were rewritten, and the lines of the report for them."""
    if path is None:
        return file
    items = list(file.items)
    text = done.draft.texts.get(path, file.text)
    changes: list[tuple[Place, Callable[[Item], Item]]] = [
        (place, partial(_translated, plans=plans, changed=text != file.before))
        for place, plans in done.translated.items()
    ]
    changes += [(place, partial(_rejected, why=why)) for place, why in rejected.items()]
    for place, change in changes:
        if place.file == path:
            ours = _lines_of(source, place)
            items = [
                change(item)
                if item.span.line in ours and item.outcome is Outcome.REJECTED
                else item
                for item in items
            ]
    added = () if path in done.placed else file.added
    return replace(file, text=text, items=tuple(items), added=added)


def _lines_of(source: SourceText, place: Place) -> range:
    """The lines of a document in its file."""
    lines = source.stream.lines
    for document in source.stream.documents:
        if document.index == place.document:
            if place.text and document.root is not None:
                found = locate(document.root, place.text)
                span = found.node.span
                return range(span.line, span.end_line + 1)
            return range(lines.position(document.start)[0], lines.position(document.end)[0] + 1)
    return range(0)


def _rejected(item: Item, why: Rejection) -> Item:
    """The line of a use with the reason why what is built of it is rejected."""
    return replace(item, reason=why.reason, question=why.question, hint=why.hint, routes=why.routes)


def _translated(item: Item, plans: Sequence[Item], *, changed: bool) -> Item:
    """The line of a use in a patch: what the object that is built gets for it."""
    item = replace(item, question=None, hint=None, routes=())
    named = item.before.replace("~1", "/")
    fits = [each for each in plans if each.before.partition(":")[0] in named]
    ours = [each for each in fits if each.outcome is Outcome.TRANSLATED]
    if not fits:
        # The patch removes a request of the base: no request is left.
        return replace(
            item,
            outcome=Outcome.TRANSLATED if changed else Outcome.LEFT,
            reason="it takes a request away, and the object that is built asks for none",
            after="no claim in what is built" if changed else None,
        )
    if not ours:
        return replace(item, outcome=Outcome.LEFT, reason=fits[0].reason)
    best = next((each for each in ours if each.before == item.before), ours[0])
    return replace(
        item,
        outcome=Outcome.TRANSLATED,
        reason=best.reason,
        after=best.after,
        notes=best.notes,
    )
