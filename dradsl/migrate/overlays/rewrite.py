"""A tree rewritten, step by step from the inside out, and the builds of both sides compared.

First the requests are removed from every patch. Then each object that a patch changes in a build is compared with
the planned object, and what is missing is written into the last such patch. So a patch has only what its object
needs, whatever the base contains. At the end everything is built and compared. What fails is refused, together with
everything that is built of the same places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.overlays.bases import place_added, prepare_bases
from dradsl.migrate.overlays.drafts import Draft
from dradsl.migrate.overlays.patching import complete, strip
from dradsl.migrate.overlays.proving import prove_builds
from dradsl.migrate.overlays.work import Work
from dradsl.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.migrate.mapping.targets import Refusal
    from dradsl.migrate.overlays.before import Before
    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.work import Side
    from dradsl.migrate.planning.gangs import GroupWithoutAmounts
    from dradsl.migrate.result import Item
    from dradsl.text.paths import FieldPath

__all__ = ["Rewritten", "rewrite"]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of a tree: `texts` of its files that changed and `made` those that are new, by real paths.

    `translated` are the lines of the report for the uses in patches. `refused` are places that cannot be
    migrated; if there are any, the texts must not be used. `placed` are the files whose new objects are among
    those in `made`. `sides` are what was built and compared, of `folders`.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)
    translated: Mapping[Place, tuple[Item, ...]] = field(default_factory=dict)
    refused: Mapping[Place, Refusal] = field(default_factory=dict)
    placed: frozenset[str] = frozenset()
    sides: tuple[Side, ...] = ()
    folders: tuple[str, ...] = ()


def rewrite(
    before: Before,
    texts: Mapping[str, str],
    changed: frozenset[Place],
    refused: Mapping[Place, Refusal],
    added: Mapping[str, Sequence[Mapping[str, object]]],
    groups: Mapping[Place, tuple[GroupWithoutAmounts, tuple[Place, ...]]],
    read: Mapping[str, frozenset[tuple[int, FieldPath]]],
    faults: Callable[[Side], Sequence[str]],
    check: Callable[[], None],
) -> Rewritten:
    """Rewrite the patches of a tree.

    `texts` are the files of the run after the objects in them were migrated, `changed` the documents that
    this changed. Patches at places that are `refused` stay as they are. `added` are new objects that are in none of these files, by the
    file that needs them. `groups` are groups of pods that lost amounts, by their place, with those of their
    pods, `read` the texts within documents that were edited. `faults` are other errors of a build;
    `check` is called from time to time.
    """
    draft = Draft(before.disk, texts)
    work = Work(before, draft, changed, refused, added, groups, read, faults, check)
    folders = work.folders()
    work.links += [(place, *members) for place, (_, members) in groups.items()]
    for folder in folders:
        work.link(folder)
    work.lost_everywhere(folders)
    prepare_bases(work)
    place_added(work)
    strip(work, folders)
    for folder in folders:
        check()
        complete(work, folder)
    sides = {} if work.failed else prove_builds(work, folders)
    work.spread()
    return Rewritten(
        {path: text for path, text in draft.texts.items() if text != before.texts[path]},
        dict(draft.made),
        {place: tuple(items) for place, items in work.translated.items()},
        dict(work.failed),
        frozenset(work.placed),
        tuple(side for made in sides.values() for side in made),
        tuple(sides),
    )
