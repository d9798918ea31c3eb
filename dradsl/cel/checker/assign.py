"""Which types go together: assignability with type variables, as cel-go `checker/types.go` has it."""

from __future__ import annotations

from dradsl.cel.types import DYN, Type, every_pair, type_param

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeVar

    Node = TypeVar("Node")

__all__ = ["Substitutions", "most_general"]

_MANY_CHANGES = 10_000
"""After so many, an assignment does not try pairs again that fitted before a variable changed."""

_NULLABLE = frozenset({"opaque", "struct", "any", "duration", "timestamp"})


class Substitutions:
    """What the type variables of one check stand for.

    A failed assignment leaves no trace: changes are logged and taken back.

    Types share parts, so each is looked at once: `_closed` are those known to hold no variable,
    `_fitting` pairs of the assignment at work that fitted, with the length of the log by then.
    """

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}
        self._log: list[tuple[str, Type | None]] = []
        self._counter = 0
        self._closed: dict[int, Type] = {}
        self._fitting: dict[tuple[int, int], int] = {}

    # -- variables -----------------------------------------------------------------------

    def fresh_variable(self) -> Type:
        self._counter += 1
        return type_param(f"_var{self._counter - 1}")

    def fresh(self, params: Sequence[str]) -> Mapping[str, Type]:
        """A new variable for each type parameter of a signature."""
        return {name: self.fresh_variable() for name in params}

    def instance(self, type_: Type, variables: Mapping[str, Type]) -> Type:
        """A signature's type with its parameters replaced by `variables`."""
        if type_.kind == "param":
            return variables.get(type_.name, type_)
        if not type_.params or not variables:
            return type_
        params = tuple([self.instance(param, variables) for param in type_.params])
        return Type(type_.kind, type_.name, params, type_.nullable)

    def apply(self, type_: Type) -> Type:
        """The type with variables replaced by what they stand for."""
        return self._replaced(type_, False, {})

    def apply_to_all(self, types: Mapping[Node, Type]) -> dict[Node, Type]:
        """As `apply`, with dyn for variables that stand for nothing."""
        done: dict[int, Type] = {}
        return {node: self._replaced(type_, True, done) for node, type_ in types.items()}

    def _replaced(self, type_: Type, to_dyn: bool, done: dict[int, Type]) -> Type:
        """`done` holds the results for parts that occur more than once."""
        while type_.kind == "param" and type_.name in self._bound:
            type_ = self._bound[type_.name]
        if type_.kind == "param":
            return DYN if to_dyn else type_
        if not type_.params or id(type_) in self._closed:
            return type_
        found = done.get(id(type_))
        if found is not None:
            return found
        params = tuple([self._replaced(param, to_dyn, done) for param in type_.params])
        if any(new is not old for new, old in zip(params, type_.params, strict=True)):
            result = Type(type_.kind, type_.name, params, type_.nullable)
        else:
            result = type_
        if to_dyn or all(self._is_closed(param) for param in params):
            self._closed[id(result)] = result
        done[id(type_)] = result
        return result

    def _is_closed(self, type_: Type) -> bool:
        return type_.kind != "param" and (not type_.params or id(type_) in self._closed)

    # -- assignment ----------------------------------------------------------------------

    def assign(self, first: Type, second: Type) -> bool:
        """Whether `first` may be used where `second` is expected; binds variables if so."""
        return self.assign_all((first,), (second,))

    def assign_all(self, first: Sequence[Type], second: Sequence[Type]) -> bool:
        mark = len(self._log)
        self._fitting.clear()
        if self._assign_all(first, second):
            return True
        self._undo(mark)
        return False

    def _assign_all(self, first: Sequence[Type], second: Sequence[Type]) -> bool:
        if len(first) != len(second):
            return False
        for one, other in zip(first, second, strict=True):  # noqa: SIM110 - all() takes C stack
            if not self._assign(one, other):
                return False
        return True

    def _assign(self, first: Type, second: Type) -> bool:
        if second.kind == "param":
            valid, bound = self._stands_for(first, second)
            if valid:
                return True
            if bound:
                return False
        if first.kind == "param":
            return self._stands_for(second, first)[0]
        if first.is_dyn_or_error or second.is_dyn_or_error:
            return True
        if first.kind == "null":
            return _takes_null(second)
        if second.kind == "null":
            return _takes_null(first)
        if first.kind in ("opaque", "list", "map"):
            if first.kind != second.kind or first.name != second.name:
                return False
            pair = (id(first), id(second))
            since = self._fitting.get(pair)
            if since is not None and (since == len(self._log) or len(self._log) > _MANY_CHANGES):
                return True  # again, it would change nothing
            fits = self._assign_all(first.params, second.params)
            if fits:
                self._fitting[pair] = len(self._log)
            return fits
        if first.kind == "type":
            return second.kind == "type"
        return second.accepts(first)

    def _stands_for(self, type_: Type, variable: Type) -> tuple[bool, bool]:
        """Whether `variable` may stand for `type_`, and whether it was bound before."""
        if type_ == variable:
            return True, True
        bound = self._bound.get(variable.name)
        if bound is not None:
            if type_ == bound:
                return True, True
            if not self._assign(type_, bound):
                return False, True
            wider = most_general(type_, bound)
            if self._free_of(variable, wider):
                self._bind(variable, wider)
            return True, True
        if self._free_of(variable, type_):
            self._bind(variable, type_)
            return True, False
        return False, False

    def _free_of(self, variable: Type, within: Type) -> bool:
        seen = set()
        stack = [within]
        while stack:
            type_ = stack.pop()
            if type_.kind == "param":
                if type_.name == variable.name:
                    return False
                bound = self._bound.get(type_.name)
                if bound is not None:
                    stack.append(bound)
            elif type_.params and id(type_) not in self._closed and id(type_) not in seen:
                seen.add(id(type_))
                stack.extend(type_.params)
        return True

    def _bind(self, variable: Type, type_: Type) -> None:
        former = self._bound.get(variable.name)
        if former is not type_:
            self._log.append((variable.name, former))
            self._bound[variable.name] = type_

    def _undo(self, mark: int) -> None:
        while len(self._log) > mark:
            name, former = self._log.pop()
            if former is None:
                del self._bound[name]
            else:
                self._bound[name] = former


def _takes_null(type_: Type) -> bool:
    return type_.kind in _NULLABLE or type_.nullable or type_.kind == "null"


def most_general(first: Type, second: Type) -> Type:
    """The less specific of two types that go together."""
    return first if _less_specific(first, second) else second


def _less_specific(first: Type, second: Type) -> bool:
    return every_pair(first, second, _less_specific_here)


def _less_specific_here(first: Type, second: Type) -> bool | None:
    if first.is_dyn or first.kind == "param":
        return True
    if second.is_dyn or second.kind == "param" or first.kind != second.kind:
        return False
    if first.kind == "opaque" and (
        first.name != second.name or len(first.params) != len(second.params)
    ):
        return False
    if first.kind in ("opaque", "list", "map"):
        return None
    if first.kind == "type":
        return True
    return first == second
