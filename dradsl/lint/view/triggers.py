"""Trigger words, which the objects of a run hold: a rule that mentions others has nothing to find there.

A rule's module may say so by `WORDS`: each item has to be there, of a tuple in it one. The generator copies
that into the table of checks, so that the module is not even loaded. A word is a key, a text or a number that is a
value, a kind, a group, or one of the names below. What is looked at is the data, not the text: so escapes,
aliases, and objects that are built or made count for what they are.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set as AbstractSet
    from typing import Protocol, TypeAlias

    from dradsl.lint.view.view import Run

    Word: TypeAlias = str | int
    Triggers: TypeAlias = Sequence[Sequence[Word]]

    class AnyWords(Protocol):
        """Words of a run, as far as one may ask for them."""

        def isdisjoint(self, words: Iterable[object], /) -> bool: ...


__all__ = [
    "BUILT",
    "CUSTOM",
    "PLAIN_GROUPS",
    "QUALIFIED",
    "RECORDED",
    "VALUES",
    "hold",
    "words_of",
]

BUILT = "(built by a kustomization)"
CUSTOM = "(object of a group that is not of Kubernetes itself)"
QUALIFIED = "/"
"""A key with a domain, as those of extended resources; the domain with its slash is a word, too."""
RECORDED = "(recorded objects)"
VALUES = "(document that is not an object, as the values of a chart)"

# Groups of workloads and of claims, as DRA908 has them.
PLAIN_GROUPS = frozenset({"", "apps", "batch", "resource.k8s.io"})
# With more values to look at than that, loading some modules in vain costs less.
_WORTH_IT = 2_000
_VALUES = 4  # that each object has, at least


def hold(words: AnyWords | None, needed: Triggers) -> bool:
    """Whether the words of a run, None if it may hold any, are such that a rule which needs some can find anything."""
    return words is None or not any(words.isdisjoint(some) for some in needed)


def words_of(run: Run) -> AbstractSet[object] | None:
    """The words of all that rules may look at in a run; None if it is large: it may hold any."""
    found: set[object] = set()
    data: list[object] = []
    manifests = (*run.reported, *run.index.every())
    if len(manifests) * _VALUES > _WORTH_IT:
        return None
    for manifest in manifests:
        data.append(manifest.data)
        found |= {manifest.kind, manifest.group}
        context = manifest.build_context
        if manifest.group not in PLAIN_GROUPS:
            found.add(CUSTOM)
        if context.origin is not None or context.unpatched is not None:
            found.add(BUILT)
    for source in run.sources:
        for document in source.stream.documents:
            whole = document.data
            if isinstance(whole, dict):
                data.append(whole)
                if "apiVersion" not in whole or "kind" not in whole:
                    found.add(VALUES)
    if run.inventory:
        found.add(RECORDED)
    return found if _collect(data, found) else None


def _collect(pending: list[object], found: set[object]) -> bool:
    """Put the words of some data into `found`; False if there is too much of it."""
    seen: set[int] = set()
    values = 0
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            found.update(value)
            for key in value:
                if "/" in str(key):
                    found |= {QUALIFIED, str(key).partition("/")[0] + "/"}
            if "image" in value:
                # As lint.rules.ecosystem.versions reads it.
                found.add(
                    str(value["image"]).partition("@")[0].rpartition("/")[2].partition(":")[0]
                )
            items: Iterable[object] = value.values()
        else:
            items = value if isinstance(value, list) else ()
        for item in items:
            if isinstance(item, dict | list):
                pending.append(item)
            else:
                found.add(item)
            values += 1
        if values > _WORTH_IT:
            return False
    return True
