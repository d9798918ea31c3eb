"""A tree migrated in rounds: what fails is refused, and the rest is done again, until everything builds as planned."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.migrate.mapping.resource import Refusal
from dradsl.migrate.overlays.before import Before
from dradsl.migrate.overlays.drafts import Place
from dradsl.migrate.overlays.found import find_patches
from dradsl.migrate.overlays.rewrite import Rewritten, rewrite
from dradsl.migrate.result import FileMigration, Outcome
from dradsl.records import dataclass, field, replace
from dradsl.text.paths import locate
from dradsl.tree.kustomize.parts.files import Files
from dradsl.values.limits import MOST_ROUNDS_OF_BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.overlays.controllers import Controller
    from dradsl.migrate.overlays.found import Found
    from dradsl.migrate.overlays.planned import Planner
    from dradsl.migrate.overlays.work import Side
    from dradsl.migrate.planning.gangs import GroupWithoutAmounts
    from dradsl.migrate.result import Item
    from dradsl.text.documents import Stream
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations

__all__ = ["Built", "Settled", "migrate_tree"]


@dataclass(frozen=True, slots=True)
class Settled:
    """Files after the changes that concern several of them; `faults` are what is impossible."""

    files: tuple[FileMigration, ...]
    faults: tuple[str, ...] = ()
    groups: tuple[GroupWithoutAmounts, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """The files of a run after migration, and after them the new files; `sides` are the builds that prove
    it, `covered` the names of the files that are parts of them. `groups` are those of pods whose amounts changed."""

    files: tuple[FileMigration, ...]
    sides: tuple[Side, ...] = ()
    covered: frozenset[str] = field(default_factory=frozenset)
    faults: tuple[str, ...] = ()
    groups: tuple[GroupWithoutAmounts, ...] = ()

    @property
    def together(self) -> frozenset[str]:
        """The names of the files that changed and are built together."""
        return frozenset(
            file.path
            for file in self.files
            if file.changed and (file.path in self.covered or file.kind == "claims")
        )


def migrate_tree(
    sources: Sequence[SourceText],
    tree: KustomizationTree,
    around: SurroundingKustomizations,
    controllers: Sequence[Controller],
    outside: Mapping[str, Stream],
    planner: Planner,
    migrate_file: Callable[[SourceText, Mapping[Place, Refusal]], FileMigration],
    settle: Callable[[tuple[FileMigration, ...]], Settled],
    faults: Callable[[Side], Sequence[str]],
    check: Callable[[], None],
) -> Built:
    """Migrate all files, patches as patches, and build both sides of every kustomization that changes.

    `settle` makes the changes that concern several files: groups of pods, and new objects that several files need. `faults` are other new errors of a build.
    """
    found = find_patches(sources, around, tree, planner.catalogue, controllers, outside)
    reals = {
        source.name: os.path.realpath(source.name)
        for source in sources
        if not source.name.startswith("<") and "\0" not in source.name
    }
    by_path = {reals[source.name]: source for source in sources if source.name in reals}
    texts = {path: source.stream.text for path, source in by_path.items()}
    before = Before(
        found,
        planner,
        Files((*around.roots, *dict.fromkeys(each.top for each in controllers))),
        texts,
        {path: s.name for path, s in by_path.items()},
    )
    refused: dict[Place, Refusal] = {}
    apart = {source.name: migrate_file(source, refused) for source in sources}
    done = Rewritten()
    for turn in range(MOST_ROUNDS_OF_BUILDS):
        settled = settle(tuple(apart.values()))
        files = {file.path: file for file in settled.files}
        changed = frozenset(
            place
            for name, path in reals.items()
            if tree.patching(name) == ()
            for place in _changed(by_path[path], path, files[name])
        )
        added = {reals[f.path]: f.added for f in settled.files if f.added and f.path in reals}
        now = {path: files[source.name].text for path, source in by_path.items()}
        groups = dict(_groups(settled.groups, reals))
        read = {reals[f.path]: f.read for f in settled.files if f.read and f.path in reals}
        done = rewrite(before, now, changed, refused, added, groups, read, faults, check)
        if not done.refused:
            break
        failed = dict(done.refused)
        if turn == MOST_ROUNDS_OF_BUILDS - 2:  # more rounds are not likely to help
            last = Refusal("what is built of it cannot be proven")
            every = (*changed, *(p.place for each in found.patches.values() for p in each))
            failed = {**dict.fromkeys(every, last), **failed}
        failed = {
            place: refusal
            if refusal.routes
            else replace(refusal, routes=_routes(tree, found, place))
            for place, refusal in failed.items()
        }
        fresh = {place for place in failed if place not in refused}
        refused = {**failed, **refused}
        for path in {place.file for place in fresh if place.file in by_path}:
            source = by_path[path]
            apart[source.name] = migrate_file(source, refused)
    result = [
        _with_patches(source, files[source.name], reals.get(source.name), done, refused)
        for source in sources
    ]
    parts = {path for folder in done.folders for path in _parts(found, folder)}
    covered = {name for name, path in reals.items() if path in parts}
    made = [
        FileMigration(os.path.relpath(path).replace(os.sep, "/"), "claims", "", text)
        for path, text in sorted(done.made.items())
    ]
    return Built((*result, *made), done.sides, frozenset(covered), settled.faults, settled.groups)


def _groups(
    groups: Sequence[GroupWithoutAmounts], reals: Mapping[str, str]
) -> Iterator[tuple[Place, tuple[GroupWithoutAmounts, tuple[Place, ...]]]]:
    """The groups that lost amounts, by their place, with the places of their members."""
    for group in groups:
        own, number = group.manifest.path, group.manifest.document.index
        if own in reals:
            members = (Place(reals[f], n) for f, n in group.places if f in reals)
            yield Place(reals[own], number), (group, tuple(members))


def _routes(tree: KustomizationTree, found: Found, place: Place) -> tuple[str, ...]:
    """Alternatives for the document at a place, by what builds it."""
    owners = found.owners(place)
    controlled = [found.controllers[each].route for each in owners if each in found.controllers]
    folders = [each for each in owners if each not in found.controllers]
    named = tree.routes(folders) if folders or not controlled else ()
    return (*named, *dict.fromkeys(controlled))


def _parts(found: Found, folder: str) -> Iterator[str]:
    """The files of which a folder is built, by real paths."""
    for inner in found.inside(folder):
        yield inner
        if inner in found.files:
            yield found.files[inner]
        yield from found.generated.get(inner, ())
    yield from (patch.place.file for patch in found.of(folder))


def _changed(source: SourceText, path: str, file: FileMigration) -> Iterator[Place]:
    """The documents of a file that its migration changed."""
    if file.kind not in ("manifests", "kustomization", "values") or file.text == file.before:
        return
    lines = {item.span.line for item in file.items if item.outcome is Outcome.TRANSLATED}
    for document in source.stream.documents:
        first = source.stream.lines.position(document.start)[0]
        last = source.stream.lines.position(document.end)[0]
        if any(first <= line <= last for line in lines):
            yield Place(path, document.index)


def _with_patches(
    source: SourceText,
    file: FileMigration,
    path: str | None,
    done: Rewritten,
    refused: Mapping[Place, Refusal],
) -> FileMigration:
    """A file with the patches in it as they were rewritten, and the lines of the report for them."""
    if path is None:
        return file
    items = list(file.items)
    text = done.texts.get(path, file.text)
    for place, plans in done.translated.items():
        if place.file == path:
            ours = _lines_of(source, place)
            items = [
                _translated(item, plans, changed=text != file.before)
                if item.span.line in ours and item.outcome is Outcome.REFUSED
                else item
                for item in items
            ]
    for place, refusal in refused.items():
        if place.file == path:
            ours = _lines_of(source, place)
            items = [
                replace(
                    item,
                    reason=refusal.reason,
                    question=refusal.question,
                    hint=refusal.hint,
                    routes=refusal.routes,
                )
                if item.span.line in ours and item.outcome is Outcome.REFUSED
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


def _translated(item: Item, plans: tuple[Item, ...], *, changed: bool) -> Item:
    """The line of a use in a patch: what the object that is built gets for it."""
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
            question=None,
            hint=None,
            routes=(),
        )
    if not ours:
        return replace(
            item, outcome=Outcome.LEFT, reason=fits[0].reason, question=None, hint=None, routes=()
        )
    best = next((each for each in ours if each.before == item.before), ours[0])
    return replace(
        item,
        outcome=Outcome.TRANSLATED,
        reason=best.reason,
        after=best.after,
        notes=best.notes,
        question=None,
        hint=None,
        routes=(),
    )
