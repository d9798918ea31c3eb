"""A tree rewritten, step by step from the inside out, and the builds of both sides compared.

First the requests are removed from every patch. Then each object that a patch changes in a build is compared with
the planned object, and what is missing is written into the last such patch. So a patch has only what its object
needs, whatever the base contains. At the end everything is built and compared. What fails is rejected, together with
everything that is built of the same places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.overlays.bases import place_added, prepare_bases
from dradsl.migrate.overlays.drafts import TreeEdit
from dradsl.migrate.overlays.patching import complete, strip
from dradsl.migrate.overlays.proving import prove_builds
from dradsl.migrate.overlays.rewrite_state import FileEdits, RewriteState
from dradsl.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.mapping.targets import Rejection
    from dradsl.migrate.options import Options
    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.original import OriginalTree
    from dradsl.migrate.result import BuildPair, Item

__all__ = ["RewrittenTree", "rewrite"]


@dataclass(frozen=True, slots=True)
class RewrittenTree:
    """What became of a tree: `texts` of its files that changed and `made` those that are new, by real paths.

    `translated` are the lines of the report for the uses in patches. `rejected` are places that cannot be
    migrated; if there are any, the texts must not be used. `placed` are the files whose new objects are among
    those in `made`. `sides` are what was built and compared, of `folders`.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)
    translated: Mapping[Place, tuple[Item, ...]] = field(default_factory=dict)
    rejected: Mapping[Place, Rejection] = field(default_factory=dict)
    placed: frozenset[str] = frozenset()
    sides: tuple[BuildPair, ...] = ()
    folders: tuple[str, ...] = ()


def rewrite(
    before: OriginalTree, edits: FileEdits, rejected: Mapping[Place, Rejection], options: Options
) -> RewrittenTree:
    """Rewrite the patches of a tree, so that they fit the edits of its files.

    Patches at places that are `rejected` stay as they are.
    """
    draft = TreeEdit(before.disk, edits.texts)
    state = RewriteState(before, draft, edits, rejected, options)
    folders = state.folders()
    for folder in folders:
        state.link(folder)
    state.lost_everywhere(folders)
    prepare_bases(state)
    place_added(state)
    strip(state, folders)
    for folder in folders:
        options.deadline.check()
        complete(state, folder)
    sides = {} if state.failed else prove_builds(state, folders)
    state.spread()
    return RewrittenTree(
        {path: text for path, text in draft.texts.items() if text != before.texts[path]},
        dict(draft.made),
        {place: tuple(items) for place, items in state.translated.items()},
        dict(state.failed),
        frozenset(state.placed),
        tuple(side for made in sides.values() for side in made),
        tuple(sides),
    )
