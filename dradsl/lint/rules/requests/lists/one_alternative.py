"""What a constraint or a configuration says of one alternative, and not of its siblings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.lint.view.view import ClaimView, RequestView
from dradsl.values.plain import list_at

__all__ = ["left_out", "names_of"]


def names_of(item: object) -> tuple[str, ...]:
    """The requests and alternatives that a constraint or a configuration names."""
    return tuple(each for each in list_at(item, "requests") if isinstance(each, str))


def left_out(claim: ClaimView, named: tuple[str, ...]) -> Iterator[tuple[int, str, RequestView]]:
    """Each name of an alternative (its index), with one sibling that is not named, a like one first."""
    alternatives: dict[str, list[RequestView]] = {}
    for request in claim.bodies():
        if request.parent is not None:
            alternatives.setdefault(request.parent, []).append(request)
    told: set[str] = set()
    for index, name in enumerate(named):
        parent, slash, own = name.partition("/")
        if not slash or parent in named or parent in told:
            continue
        told.add(parent)
        siblings = alternatives.get(parent, [])
        this = next((each for each in siblings if each.name == own), None)
        others = [each for each in siblings if each.reference not in named]
        if this is not None and others:
            yield index, name, min(others, key=lambda each: not _alike(each.body, this.body))


def _alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.get("deviceClassName") == other.get("deviceClassName")
