"""What all builders are made of: parts that become plain data, and the checks of their fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dradsl.errors import DradslError

if TYPE_CHECKING:
    from typing import Self

    from dradsl.values.json_types import JsonObject


__all__ = [
    "FieldPath",
    "Fragment",
    "Hinting",
    "Items",
    "ManifestError",
    "Plain",
    "check_name",
    "set_field",
    "without_none",
]

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)


class Items(Protocol[K, V]):
    """What has items: a Mapping of a narrower kind of keys is no Mapping to type checkers, and this is."""

    def items(self) -> Iterable[tuple[K, V]]:
        """Keys and values."""


Plain = Mapping[str, Any]
"""Data as JSON has it."""
FieldPath = tuple[str | int, ...]
_LEAST_ALIKE = 0.7  # of difflib's ratio


class ManifestError(DradslError, ValueError):
    """Data that is no Kubernetes object, or not the one that was asked for."""


class Hinting:
    """What says which argument was probably meant by one that does not exist."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __new__(cls, *_: object, **given: object) -> Self:
            # Of the code object: it is asked for each object, and `inspect.signature` takes time.
            code = cls.__init__.__code__
            known = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
            for name in given.keys() - {*known}:
                import difflib

                snake = re.sub(r"([A-Z])", r"_\1", name).lower()
                near = [one for one in known if snake == f"{one}s" or one == f"{snake}s"]
                near += difflib.get_close_matches(snake, known, n=1, cutoff=_LEAST_ALIKE)
                hint = f'; did you mean "{near[0]}"?' if near else f" (it has {', '.join(known)})"
                raise TypeError(f'{cls.__name__}() has no argument "{name}"{hint}')
            return super().__new__(cls)


class Fragment(Hinting):
    """A part of an object, or an object; equal to another if both become the same data."""

    __slots__ = ()

    def to_dict(self) -> JsonObject:
        """What it becomes in the manifest, as plain data."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fragment) or type(self) is not type(other):
            return NotImplemented
        return self is other or self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((type(self), json.dumps(self.to_dict(), sort_keys=True)))

    def __copy__(self) -> Self:
        return self  # nothing in it can change

    def __deepcopy__(self, memo: object) -> Self:
        return self


def check_name(rule: str, name: object, what: str) -> None:
    """Raise unless `name` obeys the rule of that name in `dradsl.values.names`."""
    from dradsl.values import names

    if not isinstance(name, str):
        raise TypeError(f"{what} is a string, not {name!r}")
    problems = getattr(names, rule)(name)
    if problems:
        meant = "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
        hint = f'; did you mean "{meant}"?' if meant and not getattr(names, rule)(meant) else ""
        raise ValueError(f"{what}: {name!r}: {problems[0]}{hint}")


def without_none(data: Plain) -> dict[str, object]:
    """`data` without the entries that are None."""
    return {key: value for key, value in data.items() if value is not None}


def set_field(target: object, name: str, value: object) -> None:
    """Set a field of a frozen dataclass while it is being made."""
    object.__setattr__(target, name, value)
