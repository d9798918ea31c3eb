"""Which types go together: assignability with type variables, as cel-go `checker/types.go` has it."""

from __future__ import annotations

from dradsl.cel.types import DYN, Type, type_param

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Substitutions", "most_general"]

_NULLABLE = frozenset({"opaque", "struct", "any", "duration", "timestamp"})


class Substitutions:
    """What the type variables of one check stand for.

    A failed assignment leaves no trace: changes are logged and taken back.
    """

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}
        self._log: list[tuple[str, Type | None]] = []
        self._counter = 0

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

    def apply(self, type_: Type, *, to_dyn: bool = False) -> Type:
        """The type with variables replaced by what they stand for; free ones by dyn if asked."""
        while type_.kind == "param" and type_.name in self._bound:
            type_ = self._bound[type_.name]
        if type_.kind == "param":
            return DYN if to_dyn else type_
        if not type_.params:
            return type_
        params = tuple([self.apply(param, to_dyn=to_dyn) for param in type_.params])
        return Type(type_.kind, type_.name, params, type_.nullable)

    # -- assignment ----------------------------------------------------------------------

    def assign(self, first: Type, second: Type) -> bool:
        """Whether `first` may be used where `second` is wanted; binds variables if so."""
        mark = len(self._log)
        if self._assign(first, second):
            return True
        self._undo(mark)
        return False

    def assign_all(self, first: Sequence[Type], second: Sequence[Type]) -> bool:
        mark = len(self._log)
        if self._assign_all(first, second):
            return True
        self._undo(mark)
        return False

    def _assign_all(self, first: Sequence[Type], second: Sequence[Type]) -> bool:
        if len(first) != len(second):
            return False
        return all(self._assign(one, other) for one, other in zip(first, second, strict=True))

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
            return (
                first.kind == second.kind
                and first.name == second.name
                and self._assign_all(first.params, second.params)
            )
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
        if variable == within:
            return False
        if within.kind == "param":
            bound = self._bound.get(within.name)
            return bound is None or self._free_of(variable, bound)
        return all(self._free_of(variable, param) for param in within.params)

    def _bind(self, variable: Type, type_: Type) -> None:
        self._log.append((variable.name, self._bound.get(variable.name)))
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
    if first.is_dyn or first.kind == "param":
        return True
    if second.is_dyn or second.kind == "param" or first.kind != second.kind:
        return False
    if first.kind == "opaque" and (
        first.name != second.name or len(first.params) != len(second.params)
    ):
        return False
    if first.kind in ("opaque", "list", "map"):
        pairs = zip(first.params, second.params, strict=True)
        return all(_less_specific(one, other) for one, other in pairs)
    if first.kind == "type":
        return True
    return first == second
