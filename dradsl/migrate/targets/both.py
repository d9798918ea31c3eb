"""One plan of both strategies: claims where the form allows them, and DeviceClasses for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.result import Outcome
from dradsl.migrate.targets.extended import collected
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dradsl.migrate.result import FileMigration, Item

__all__ = ["with_classes"]

_Pod = "list[tuple[Item, dict[str, object] | None]]"


def with_classes(
    files: Iterable[FileMigration],
    by_class: Callable[[str], Iterable[Any]],
    may_share: Callable[[str, str], bool],
) -> Iterator[FileMigration]:
    """The files with classes for the pods whose form has no place for claims. `by_class` gives the pods of a
    file, by its name, as the other strategy has them; `may_share` says whether two files may go to one cluster.

    A pod for which a question is open waits for the answer: it may get claims then.
    """
    made: dict[str, list[str]] = {}
    for file in files:
        refused = {_key(item) for item in file.items if item.outcome is Outcome.REFUSED}
        yield _with_classes(file, by_class(file.path), made, may_share) if refused else file


def _with_classes(
    file: FileMigration,
    pods: Iterable[Any],
    made: dict[str, list[str]],
    may_share: Callable[[str, str], bool],
) -> FileMigration:
    by_key = {_key(item): item for item in file.items}
    answered: dict[object, Item] = {}
    added: list[dict[str, object]] = []
    for pod in pods:
        uses = [(by_key.get(_key(item)), item) for item, _ in pod]
        if not all(old is not None and _may_change(old, new) for old, new in uses):
            for old, new in uses:
                if old is not None and _has_no_place(old) and new.outcome is Outcome.REFUSED:
                    answered[_key(old)] = _refused_twice(old, new)
            continue
        if not any(new.outcome is Outcome.TRANSLATED for _, new in uses):
            continue
        added += collected(pod, made, file.path, may_share)
        for old, new in uses:
            if old is not None and new.outcome is Outcome.TRANSLATED:
                why = f"by its class, no claim in the pod: {old.reason}"
                answered[_key(old)] = replace(new, notes=(why, *new.notes))
    if not answered:
        return file
    items = tuple(answered.get(_key(item), item) for item in file.items)
    return replace(file, items=items, added=(*file.added, *added))


def _may_change(old: Item, new: Item) -> bool:
    """Whether a use that claims cannot have is answered by a class, or stays with its plugin either way."""
    if old.outcome is Outcome.LEFT:
        return new.outcome is Outcome.LEFT
    return _has_no_place(old) and new.outcome is not Outcome.REFUSED


def _has_no_place(item: Item) -> bool:
    """Whether the form of a use has no place for claims, whatever is answered."""
    return item.outcome is Outcome.REFUSED and item.question is None


def _refused_twice(old: Item, new: Item) -> Item:
    """A use that can have neither claims nor, until a question is answered, a class."""
    routes = tuple(each for each in old.routes if not each.startswith("--strategy "))
    reason = f"{old.reason}; nor can a DeviceClass answer it: {new.reason}"
    return replace(old, reason=reason, question=new.question, routes=routes)


def _key(item: Item) -> tuple[object, ...]:
    return item.span.line, item.span.column, item.object, item.before
