"""A tree rewritten, step by step from the inside out, and the builds of both sides compared.

The requests are taken out of every patch. Then, where a folder is built, each object that a patch concerns is
compared with what it must become: what is missing is written into the last such patch. So a patch says no more
than the object it meets needs, whatever its base brings. In the end all is built and compared; what fails is refused
with all that is built of the same places.
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
    migrated; if there are any, the texts are of no use. `placed` are the files whose new objects are among
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
    became others by that. Patches at places that are `refused` stay as they are. `added` are new objects that stand in none of these files, by the
    file that needs them. `groups` are groups of pods that lost amounts, by their place, with those of their
    pods, `read` the texts within documents that were edited. `faults` are what else is wrong with a build;
    `check` is called now and then.
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
