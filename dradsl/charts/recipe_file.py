"""The shape of a recipe's file, as a table: the keys, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dradsl.charts.installed import is_before
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


def _version(value: object, place: str) -> Iterator[str]:
    try:
        is_before(value if isinstance(value, str) else "", "0.0.0")
    except ValueError:
        yield f"{place} is a version such as 1.2.3"


_PLACEHOLDER = re.compile(r"\{([A-Za-z-]+)\}")


def _filled_by(*names: str) -> Callable[[object, str], Iterator[str]]:
    """Anything whose placeholders are among the names. Others would not be replaced."""

    def check(value: object, place: str) -> Iterator[str]:
        if isinstance(value, Mapping):
            for key, item in value.items():
                yield from check(str(key), place)
                yield from check(item, f"{place}.{key}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from check(item, f"{place}[{index}]")
        elif isinstance(value, str):
            for name in _PLACEHOLDER.findall(value):
                if name not in names:
                    known = ", ".join(f"{{{each}}}" for each in names)
                    yield f"{place}: there is no {{{name}}} (but {known})"

    return check


def _place_of_objects(value: object, place: str) -> Iterator[str]:
    if not isinstance(value, str) or "{name}" not in value:
        yield f"{place} is a path with {{name}}"


def _coherent(check: _Keys) -> Callable[[object, str], Iterator[str]]:
    """A place whose keys can be used together."""

    def of(value: object, place: str) -> Iterator[str]:
        wrong = list(check(value, place))
        yield from wrong
        if wrong or not isinstance(value, Mapping):
            return
        has_containers = bool(value.get("containers") or value.get("init-containers"))
        if not has_containers and any(value.get(k) for k in ("pod", "defaults", "fields")):
            yield f"{place}: pod, defaults and fields go with containers"
        for path in value.get("puts") or ():
            last = str(path).removesuffix("[]").rpartition(".")[2]
            if has_containers and last in ("resourceClaims", "claims"):
                yield (
                    f"{place}.puts.{path}: claims of pods and containers are written by themselves; "
                    "`pod` and `fields` say where"
                )

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
        "init-containers": _TEXTS,
        "pod": _text,
        "defaults": _text,
        "merged": _WHEN,
        "per-node": _WHEN,
        "fields": _map(_text),
        "resources": _list(_PAIR),
        "amounts": _list(_AMOUNT),
        "counts": _text,
        "computed": _COMPUTED,
        "enabled-by": _TEXTS,
        "unless": _TEXTS,
        "when": _WHEN,
        "blocked": _text,
        "blocked-if": _map(_text),
        "needs": _TEXTS,
        "carries-claims": _flag,
        "puts": _filled_by("template"),
        "own-template": _flag,
        "keep-as-zero": _TEXTS,
        "count-fields": _map(_text),
        "count-resources": _TEXTS,
        "claimed-by": _TEXTS,
        "drops": _list(_DROP),
        "pod-fields": _flag,
        "rendered": _flag,
        "notes": _TEXTS,
    },
    ("at",),
)
_SINCE = _Keys({"version": _version, "earlier": _text}, ("version", "earlier"))
_OBJECTS = _Keys(
    {
        "at": _place_of_objects,
        "form": _filled_by("name", "apiVersion", "kind", "spec"),
        "since": _version,
        "before": _version,
        "unless": _TEXTS,
    },
    ("at", "form"),
)
_RECIPE = _Keys(
    {
        "recipe": _text,
        "title": _text,
        "source": _text,
        "kinds": _TEXTS,
        "values": _TEXTS,
        "charts": _TEXTS,
        "rendered": _list(_version),
        "since": _SINCE,
        "objects": _list(_OBJECTS),
        "pods": _list(_coherent(_PLACE)),
    },
    ("recipe", "title", "source", "pods"),
)


def faults(data: object) -> Iterator[str]:
    """What is wrong with the shape of a recipe. The message names its keys."""
    yield from _RECIPE(data, "")
