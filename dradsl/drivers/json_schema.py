"""A stand-in for rpds, which jsonschema is built on, where it has no build for the platform.

rpds is written in Rust. jsonschema keeps a few small tables in its maps, sets and lists; where it
cannot be imported, copies of Python's own containers stand in for them.
"""

from __future__ import annotations

import functools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self

__all__ = ["stand_in_for_rpds"]


@functools.cache
def stand_in_for_rpds() -> None:
    """Make `import jsonschema` possible: to be called before it."""
    try:
        import rpds  # noqa: F401 - whether it can be imported is the question
    except ImportError:
        import sys
        from types import ModuleType

        module = ModuleType("rpds", "Containers of dradsl where rpds has no build.")
        vars(module).update(HashTrieMap=_Map, HashTrieSet=_Set, List=_List)
        sys.modules["rpds"] = module


class _Map(dict[object, object]):
    """A mapping whose changes give a new one."""

    @classmethod
    def convert(cls, value: Any) -> Self:
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Any, value: Any) -> Self:
        return type(self)({**self, key: value})

    def remove(self, key: Any) -> Self:
        copy = type(self)(self)
        del copy[key]
        return copy

    def update(self, *others: Any) -> Self:  # type: ignore[override] # as rpds has it: a new map
        copy = dict(self)
        for other in others:
            copy.update(other)
        return type(self)(copy)

    def __hash__(self) -> int:  # type: ignore[override] # no method changes it, so it can have one
        return hash(frozenset(self.items()))


class _Set(frozenset[object]):
    """A set whose changes give a new one."""

    def insert(self, value: Any) -> Self:
        return type(self)((*self, value))

    def discard(self, value: Any) -> Self:
        return type(self)(each for each in self if each != value)

    def update(self, *others: Iterable[Any]) -> Self:
        return type(self)(self.union(*others))


class _List(tuple[object, ...]):
    """A list that grows at its front."""

    __slots__ = ()

    def push_front(self, value: Any) -> Self:
        return type(self)((value, *self))
