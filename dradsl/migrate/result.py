"""What a migration did and left undone, as values for the reports."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Literal

from dradsl.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.diagnostics import Span
    from dradsl.migrate.edits.operations import ObjectPatch
    from dradsl.migrate.mapping.resource import Target
    from dradsl.text.paths import FieldPath
    from dradsl.tree.kustomize.parts.outcome import BuiltObject
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "BY_RECIPE",
    "BuildPair",
    "EditedTree",
    "FileMigration",
    "Item",
    "Migrated",
    "Migration",
    "Outcome",
]


class Outcome(enum.StrEnum):
    """What happened to one use. `LEFT` stays with its device plugin, and no question is open."""

    TRANSLATED = "translated"
    REJECTED = "rejected"
    LEFT = "left"


class Item(Record):
    """One use: where it is, what it was, what became of it and why.

    `object` names the workload, `where` the container or field in it. `question` is the id of the
    open question, `routes` are alternatives. `doubt` says why a translated use is not proven; `proven` says
    that a program of the caller rendered both sides. `about` is "setting" for what asks for no device: a setting of
    the device plugin, a count that is turned off. It is "unknown" for what may ask for any device. `against` are answers to
    the question that contradict what the owner wrote, each with the place.
    """

    path: str
    span: Span
    object: str
    where: str
    before: str
    outcome: Outcome
    reason: str
    after: str | None = None
    notes: tuple[str, ...] = ()
    question: str | None = None
    hint: str | None = None
    routes: tuple[str, ...] = ()
    doubt: str | None = None
    proven: bool = False
    about: Literal["use", "unknown", "setting"] = "use"
    against: tuple[tuple[str, str], ...] = ()


BY_RECIPE = "by recipe, not rendered"
"""The doubt about values: a recipe says what the chart makes of them, but no test rendered this version of the chart."""


class Migrated(Record):
    """A pod that got claims: the devices of each of its pods before and after, by the extended
    resource's name. `path` leads from the object to its pod spec."""

    title: str
    kind: str
    namespace: str | None
    name: str | None
    path: FieldPath
    before: Mapping[str, int]
    after: Mapping[str, int]
    targets: tuple[Target, ...]


class FileMigration(Record):
    """A file after migration.

    `kind` is "manifests", "values", "template", "operator", "kustomization", or "claims" for a file that
    is new. `added` are objects that are not
    in `text` but belong in a file of their own. `patches` make the same changes as the text edits.
    `read` are the texts, by document and path, that were read as values of charts.
    """

    path: str
    kind: str
    before: str = field(repr=False)
    text: str = field(repr=False)
    items: tuple[Item, ...] = ()
    added: tuple[JsonMapping, ...] = ()
    workloads: tuple[Migrated, ...] = ()
    notes: tuple[str, ...] = ()
    patches: tuple[ObjectPatch, ...] = ()
    read: frozenset[tuple[int, FieldPath]] = frozenset()

    @property
    def changed(self) -> bool:
        return self.text != self.before or bool(self.added)


class BuildPair(Record):
    """What was built before and after, by the name of its folder, and the pods that got claims. `folder` is its real
    path, where nothing but a kustomization builds it."""

    name: str
    before: tuple[BuiltObject, ...]
    after: tuple[BuiltObject, ...]
    workloads: tuple[Migrated, ...]
    folder: str | None = None

    @property
    def migrated(self) -> int:
        return len({(each.kind, each.namespace, each.name) for each in self.workloads})


class EditedTree(Record):
    """The files of a run after migration, and after them the new files; `sides` are the builds that prove
    it, `covered` the names of the files that are parts of them. `faults` are what is impossible."""

    files: tuple[FileMigration, ...]
    sides: tuple[BuildPair, ...] = ()
    covered: frozenset[str] = field(default_factory=frozenset)
    faults: tuple[str, ...] = ()

    @property
    def together(self) -> frozenset[str]:
        """The names of the files that changed and are built together."""
        return frozenset(
            file.path
            for file in self.files
            if file.changed and (file.path in self.covered or file.kind == "claims")
        )


class Migration(Record):
    """A run: its files in the order of reading, and the sentences that prove the result sound.

    `faults` are proofs that failed: the result must not be used then. `checks` are results for files that are
    only parts of a build of Kustomize, checked without that build. `failed` are the files, not among `files`,
    for which dradsl itself failed, and how. If no use is found, `names` says where devices are named. `together`
    are the names of files that are built together, and are right only together. `form` says what is to be written.
    `unread` files could not be read. `next_steps` are the commands that lead on.
    """

    files: tuple[FileMigration, ...]
    strategy: str = "claims"
    evidence: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    failed: tuple[tuple[str, Exception], ...] = ()
    checklist: tuple[str, ...] = ()
    together: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    form: str = "files"
    unread: int = 0
    next_steps: tuple[str, ...] = ()

    def items(self) -> Iterator[Item]:
        for file in self.files:
            yield from file.items

    def count(self, outcome: Outcome) -> int:
        return sum(item.outcome is outcome for item in self.items())

    @property
    def changed(self) -> bool:
        return any(file.changed for file in self.files)

    @property
    def open(self) -> bool:
        """Whether something was rejected, is not proven, or a proof failed."""
        doubted = any(
            item.doubt is not None for file in self.files if file.changed for item in file.items
        )
        return self.count(Outcome.REJECTED) > 0 or doubted or bool(self.faults)

    @property
    def empty(self) -> bool:
        """Whether nothing in the files names a device."""
        return not self.names and not any(file.items for file in self.files)
