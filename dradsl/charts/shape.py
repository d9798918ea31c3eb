"""The shape of a recipe's file, as a table: what keys there are, and what stands under them."""

from __future__ import annotations

from collections.abc import Mapping

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["faults"]


@dataclass(frozen=True, slots=True)
class _Keys:
    """A mapping with these keys, of which some `must` be there."""

    known: Mapping[str, Callable[[object, str], Iterator[str]]]
    must: tuple[str, ...]

    def __call__(self, value: object, place: str) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield f"{place or 'a recipe'} is a mapping"
            return
        within = f"{place}." if place else ""
        for key in self.must:
            if key not in value:
                yield f"{within}{key} is missing"
        for key, item in value.items():
            check = self.known.get(str(key))
            if check is None:
                yield f"{within}{key}: there is no such key (but {', '.join(self.known)})"
            else:
                yield from check(item, f"{within}{key}")


def _text(value: object, place: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{place} is a text"


def _number(value: object, place: str) -> Iterator[str]:
    if not isinstance(value, int) or isinstance(value, bool):
        yield f"{place} is a whole number"


def _flag(value: object, place: str) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f"{place} is true or false"


def _anything(_value: object, _place: str) -> Iterator[str]:
    yield from ()


def _list(check: Callable[[object, str], Iterator[str]]) -> Callable[[object, str], Iterator[str]]:
    def of(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{place} is a list"
            return
        for index, item in enumerate(value):
            yield from check(item, f"{place}[{index}]")

    return of


def _map(check: Callable[[object, str], Iterator[str]]) -> Callable[[object, str], Iterator[str]]:
    def of(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield f"{place} is a mapping"
            return
        for key, item in value.items():
            yield from check(item, f"{place}.{key}")

    return of


_TEXTS = _list(_text)
_WHEN = _map(_list(_anything))

_DROP = _Keys(
    {
        "what": _text,
        "instead": _text,
        "while": _TEXTS,
        "when": _WHEN,
        "having": _TEXTS,
        "unless": _TEXTS,
        "key": _flag,
    },
    ("what", "instead"),
)
_COMPUTED = _Keys(
    {
        "product": _TEXTS,
        "type": _TEXTS,
        "default": _text,
        "resources": _map(_text),
        "overrides": _text,
        "without": _text,
    },
    ("product", "type", "default", "resources"),
)
_AMOUNT = _Keys(
    {"key": _text, "resource": _text, "resource-key": _text, "number": _number},
    ("key", "resource"),
)
_PAIR = _Keys({"limits": _text, "requests": _text}, ("limits", "requests"))
_PLACE = _Keys(
    {
        "at": _text,
        "containers": _TEXTS,
        "resources": _list(_PAIR),
        "amounts": _list(_AMOUNT),
        "counts": _text,
        "computed": _COMPUTED,
        "enabled-by": _TEXTS,
        "unless": _TEXTS,
        "when": _WHEN,
        "blocked": _text,
        "blocked-if": _map(_text),
        "carries-claims": _flag,
        "puts": _map(_anything),
        "own-template": _flag,
        "zero": _TEXTS,
        "tells": _map(_text),
        "tells-for": _TEXTS,
        "claimed-by": _TEXTS,
        "drops": _list(_DROP),
        "pod-fields": _flag,
        "rendered": _flag,
        "notes": _TEXTS,
    },
    ("at",),
)
_RECIPE = _Keys(
    {
        "recipe": _text,
        "title": _text,
        "source": _text,
        "kinds": _TEXTS,
        "values": _TEXTS,
        "pods": _list(_PLACE),
    },
    ("recipe", "title", "source", "pods"),
)


def faults(data: object) -> Iterator[str]:
    """What is wrong with the shape of a recipe, in the words of its keys."""
    yield from _RECIPE(data, "")
