"""Readers for the parts of a recipe's file: each checks a value, and gives it in the form that records hold.

Raises:
    ShapeError: by every reader, for a value of another shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dradsl.tree.charts.installed import is_before
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Reader: TypeAlias = Callable[[object, str], Any]

__all__ = [
    "ShapeError",
    "filled_by",
    "items",
    "mapping",
    "object_path",
    "pairs",
    "record",
    "text",
    "version",
]


class ShapeError(ValueError):
    """A value that is not what its key holds. The message names the key."""


def text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise ShapeError(f"{place} is a text")
    return value


def _number(value: object, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ShapeError(f"{place} is a whole number")
    return value


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise ShapeError(f"{place} is true or false")
    return value


def version(value: object, place: str) -> str:
    """A version of a chart."""
    found = value if isinstance(value, str) else ""
    try:
        is_before(found, "0.0.0")
    except ValueError:
        raise ShapeError(f"{place} is a version such as 1.2.3") from None
    return found


def object_path(value: object, place: str) -> str:
    """A path with the name of an object in it."""
    if not isinstance(value, str) or "{name}" not in value:
        raise ShapeError(f"{place} is a path with {{name}}")
    return value


_PLACEHOLDER = pattern(r"\{([A-Za-z-]+)\}")


def filled_by(*names: str) -> Reader:
    """Anything whose placeholders are among the names. Others would not be replaced."""

    def read(value: object, place: str) -> object:
        if isinstance(value, Mapping):
            for key, item in value.items():
                read(str(key), place)
                read(item, f"{place}.{key}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                read(item, f"{place}[{index}]")
        elif isinstance(value, str):
            for name in _PLACEHOLDER.findall(value):
                if name not in names:
                    known = ", ".join(f"{{{each}}}" for each in names)
                    raise ShapeError(f"{place}: there is no {{{name}}} (but {known})")
        return value

    return read


def items(read: Reader) -> Reader:
    """A list, as a tuple."""

    def of(value: object, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ShapeError(f"{place} is a list")
        return tuple([read(item, f"{place}[{index}]") for index, item in enumerate(value)])

    return of


def pairs(read: Reader) -> Reader:
    """A mapping of any keys, as pairs."""

    def of(value: object, place: str) -> tuple[tuple[str, Any], ...]:
        if not isinstance(value, Mapping):
            raise ShapeError(f"{place} is a mapping")
        return tuple([(key, read(item, f"{place}.{key}")) for key, item in value.items()])

    return of


def mapping(known: Mapping[str, Reader], *must: str) -> Reader:
    """A mapping with known keys, of which some `must` be there. The result has `_` in the place of `-`."""

    def of(value: object, place: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ShapeError(f"{place or 'a recipe'} is a mapping")
        within = f"{place}." if place else ""
        for key in must:
            if key not in value:
                raise ShapeError(f"{within}{key} is missing")
        found: dict[str, Any] = {}
        for key, item in value.items():
            if key not in known:
                raise ShapeError(f"{within}{key}: there is no such key (but {', '.join(known)})")
            found[key.replace("-", "_")] = known[key](item, f"{within}{key}")
        return found

    return of


def record(made: Callable[..., Any], *must: str, **special: Reader) -> Reader:
    """A record: its fields are the keys of the mapping, and their types say what these hold, except for `special` ones."""
    known = {
        name.rstrip("_").replace("_", "-"): special.get(name) or _OF_TYPE[written]
        for name, written in made.__annotations__.items()
    }
    read = mapping(known, *must)

    def of(value: object, place: str) -> Any:
        found = read(value, place)
        if "while" in found:
            found["while_"] = found.pop("while")
        return made(**found)

    return of


_TEXTS = items(text)
# By the annotations of records.
_OF_TYPE: Mapping[str, Reader] = {
    "str": text,
    "str | None": text,
    "int | None": _number,
    "bool": _flag,
    "tuple[str, ...]": _TEXTS,
    "Mapping[str, str]": lambda value, place: dict(pairs(text)(value, place)),
    "tuple[tuple[str, str], ...]": pairs(text),
    "tuple[tuple[str, tuple[object, ...]], ...]": pairs(items(lambda value, _: value)),
}
