"""Charts among the files of a run that get a switch for claims: the files with it, and the report for the files without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.result import BY_RECIPE, Outcome
from dradsl.records import dataclass, field, replace
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.chart.switches import CountSaid, Switched
    from dradsl.migrate.result import FileMigration, Item, Migration

__all__ = ["ChartPlaces"]


@dataclass(frozen=True, slots=True)
class ChartPlaces:
    """The charts that get a switch, by their folders, and what is said of their counts, by file."""

    charts: Mapping[str, Switched] = field(default_factory=dict)
    said: Mapping[str, tuple[CountSaid, ...]] = field(default_factory=dict)

    def given(self, sources: Sequence[SourceText]) -> list[SourceText]:
        """The files as they are with the places and switches, new files too."""
        texts = self.texts
        made = [
            replace(each, stream=each.stream.reread(texts[each.name]))
            if each.name in texts
            else each
            for each in sources
        ]
        known = {each.name for each in sources}
        return made + [
            SourceText(name, load(text.encode()))
            for name, text in texts.items()
            if name not in known
        ]

    @property
    def keys(self) -> dict[str, str]:
        """The keys of the values that turn claims on, by the folders of the charts."""
        return {folder: each.key for folder, each in self.charts.items()}

    @property
    def texts(self) -> dict[str, str]:
        """The files that are right only together because of a switch, with their texts."""
        return {name: t for each in self.charts.values() for name, t in each.texts.items()}

    def failed(self, migration: Migration) -> dict[str, str]:
        """The charts whose switch was taken back because of a fault, with the reason."""
        after = {file.path: file for file in migration.files}
        return {
            folder: next(iter(migration.faults), "the proof failed")
            for folder, each in self.charts.items()
            for name in each.texts
            if name in after and after[name].text == after[name].before
        }

    def told(
        self, files: Iterable[FileMigration], sources: Sequence[SourceText]
    ) -> tuple[FileMigration, ...]:
        """The files, with the switches among their changes."""
        if not self.said:
            return tuple(files)
        before = {each.name: each.stream.text for each in sources}
        switched = self.texts.keys()
        made = []
        for file in files:
            if file.path in switched:
                file = replace(file, before=before.get(file.path, ""))
            said = self.said.get(file.path)
            if said is not None and file.kind != "template":
                file = replace(file, items=tuple(_with_requests(file, said)))
            elif said is not None:
                file = replace(file, items=tuple(_with_counts(file, said, before[file.path])))
            elif file.path in switched and file.path not in before:
                file = replace(file, items=(), notes=())
            made.append(file)
        return tuple(made)


def _with_requests(file: FileMigration, said: Sequence[CountSaid]) -> Iterator[Item]:
    """The uses in values, with what becomes of those that the chart turns into claims."""
    proven = {(item.span.line, item.span.column) for item in file.items if item.proven}
    left: list[CountSaid] = []
    for item in file.items:
        count = next((each for each in said if _is_about(each, item)), None)
        if count is None:
            yield item
        elif count.after is None and item.outcome is Outcome.LEFT:
            left.append(count)
            yield item
        elif count.question == "chart-places":  # what the templates lack is said there
            yield replace(item, question=count.question)
    for each in said:
        if each.item is not None and each.question != "chart-places" and each not in left:
            done = (each.item.span.line, each.item.span.column) in proven
            yield _told(each.item, each, proven=done)


def _is_about(count: CountSaid, item: Item) -> bool:
    at = item.span.line - 1
    return at in (count.now, count.line) and item.before.startswith(count.resource)


def _told(item: Item, count: CountSaid, *, proven: bool) -> Item:
    """The line of the report for a use, with what is said of its count."""
    if count.off:
        return replace(item, outcome=Outcome.LEFT, reason=count.reason, routes=(), about="setting")
    if count.after is None:
        routes = tuple(each for each in item.routes if "chart-places=" not in each)
        return replace(item, reason=count.reason, question=count.question, routes=routes)
    doubt = None if proven else BY_RECIPE
    return replace(
        item, outcome=Outcome.TRANSLATED, reason="", after=count.after, notes=count.notes, routes=(),
        proven=proven, doubt=doubt,
    )  # fmt: skip


def _with_counts(file: FileMigration, said: Sequence[CountSaid], before: str) -> Iterator[Item]:
    """The uses in a template as they were before it changed, with what becomes of its counts."""
    from dradsl.migrate.detection.unjudged import scan_template

    source = SourceText(file.path, load(before.encode("utf-8", "surrogatepass")))
    by_line = {each.line: each for each in said}
    known = {(item.span.line, item.span.column) for item in file.items if item.proven}
    yield from (item for item in file.items if item.about == "unknown")
    for item in scan_template(source, shipped_catalogue()).items:
        count = by_line.get(item.span.line - 1)
        if count is None:
            yield item
        else:
            yield _told(item, count, proven=(item.span.line, item.span.column) in known)
