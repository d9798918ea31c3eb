"""Functions an environment declares: names, overloads, and the tables they are written in.

A library is a table with a line per overload:

    name        overload id            signature
    startsWith  starts_with_string     string.(string) -> bool
    size        size_string            (string) -> int

A type before the dot is that of the target of a member call.
"""

from __future__ import annotations

import functools

from dradsl.cel.types import Type, parse_type, split_types
from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Function", "FunctionTable", "Overload"]


class Overload(Record):
    """One signature of a function; `args` has the target first, if it is a member."""

    id: str
    member: bool
    args: tuple[Type, ...]
    result: Type
    params: tuple[str, ...]


class Function(Record):
    """A function: its overloads in upstream's order."""

    name: str
    overloads: tuple[Overload, ...]


class FunctionTable:
    """Functions by name; a function is parsed when it is first looked up."""

    def __init__(self, tables: Iterable[str], without: frozenset[str] = frozenset()) -> None:
        self._lines: dict[str, list[tuple[str, str]]] = {}
        for table in tables:
            for name, overload, signature in _rows(table):
                if overload not in without:
                    self._lines.setdefault(name, []).append((overload, signature))

    @property
    def names(self) -> Iterable[str]:
        """The names of all functions."""
        return self._lines.keys()

    def find(self, name: str) -> Function | None:
        """The function called `name`, None if there is none."""
        lines = self._lines.get(name)
        return _function(name, tuple(lines)) if lines else None


@functools.cache
def _rows(table: str) -> tuple[tuple[str, str, str], ...]:
    rows = []
    for line in table.strip().splitlines():
        if line and not line.startswith("#"):
            name, overload, signature = line.split(None, 2)
            rows.append((name, overload, signature))
    return tuple(rows)


@functools.cache
def _function(name: str, lines: tuple[tuple[str, str], ...]) -> Function:
    return Function(name, tuple([_overload(id_, signature) for id_, signature in lines]))


@functools.cache
def _overload(id_: str, signature: str) -> Overload:
    call, _, result = signature.rpartition(" -> ")
    start = _open(call)
    target, inner = call[:start], call[start + 1 : -1]
    texts = [target[:-1]] if target else []
    if inner.strip():
        texts += split_types(inner)
    args = tuple([parse_type(text) for text in texts])
    result_type = parse_type(result.strip())
    params = dict.fromkeys(name for type_ in (*args, result_type) for name in _params(type_))
    return Overload(id_, bool(target), args, result_type, tuple(params))


def _open(call: str) -> int:
    """Where the argument list of a signature starts: the parenthesis its last one closes."""
    level = 0
    for index in range(len(call) - 1, -1, -1):
        level += (call[index] == ")") - (call[index] == "(")
        if level == 0:
            return index
    raise ValueError(f"no arguments in {call!r}")


def _params(type_: Type) -> Iterator[str]:
    if type_.kind == "param":
        yield type_.name
    for inner in type_.params:
        yield from _params(inner)


_Names = "Mapping[str, Function]"
