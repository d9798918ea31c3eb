"""Plain data made unchangeable, and changeable again: dicts, lists and JSON's scalars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

if TYPE_CHECKING:
    from typing import Self

__all__ = ["MARKS", "FrozenDict", "Open", "freeze", "thaw"]

K = TypeVar("K")
V = TypeVar("V")

# More than any YAML document may have.
_MAX_DEPTH = 150


# While templates are written: the mark of each value that they leave open, and what fills it in.
MARKS: ContextVar[dict[str, tuple[str, str]] | None] = ContextVar("MARKS", default=None)


class Open:
    """A value that a template leaves open, with what fills it in and its JSON schema: the default to all else."""

    plain: ClassVar[type]
    how: ClassVar[str] = "toJson"
    template: str
    rules: dict[str, object]

    def __new__(cls, default: Any, template: str, rules: dict[str, object] | None = None) -> Self:
        made: Self = super().__new__(cls, default)  # type: ignore[call-arg]
        made.template, made.rules = template, {} if rules is None else rules
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[object, str, dict[str, object]]]:
        return type(self), (type(self).plain(self), self.template, self.rules)


class FrozenDict(dict[K, V]):
    """A dict that cannot be changed, and that can be pickled."""

    __slots__ = ()

    def _unchangeable(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("objects cannot be changed: build another")

    if not TYPE_CHECKING:
        __setitem__ = __delitem__ = __ior__ = _unchangeable
        clear = pop = popitem = setdefault = update = _unchangeable

    def __reduce__(self) -> tuple[type[FrozenDict[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)


def freeze(value: object, what: str, depth: int = 0) -> Any:
    """A copy of `value` that cannot be changed.

    Raises:
        TypeError: for what JSON cannot hold.
        ValueError: for text that is no Unicode, and for data that holds itself or is nested more
            than 150 deep.
    """
    if depth > _MAX_DEPTH:
        raise ValueError(f"{what} is nested more than {_MAX_DEPTH} deep, or holds itself")
    if isinstance(value, str):
        return _whole(value, what)
    if value is None or isinstance(value, bool | int | Open):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{what} holds {value}, which JSON has no number for")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{what} has the key {key!r}, which is no string")
        return FrozenDict({_whole(k, what): freeze(v, what, depth + 1) for k, v in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return tuple(freeze(item, what, depth + 1) for item in value)
    raise TypeError(
        f"{what} holds {value!r} of type {type(value).__name__}, which is no plain data"
    )


def _whole(text: str, what: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{what} holds {text!r} with half a character (a lone surrogate)")
    return text


def thaw(value: Any, *, keep: bool = False) -> Any:
    """Frozen data as dicts and lists again; `keep` leaves open what a template leaves open."""
    if isinstance(value, Open) and not isinstance(value, str):
        if keep or MARKS.get() is not None:
            return value
        value = type(value).plain(value)
    if isinstance(value, Mapping):
        return {key: thaw(item, keep=keep) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item, keep=keep) for item in value]
    return value
