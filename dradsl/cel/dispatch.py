"""Which overload of a function a call runs, decided by the types of its arguments.

What the checker has settled is not asked again; where an argument is dynamic its value is
looked at, as cel-go `common/decls/decls.go` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.cel.library.standard import UNGUARDED
from dradsl.cel.runtime import no_overload, type_name
from dradsl.cel.values import value_of_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.cel.functions import Function, Overload
    from dradsl.cel.types import Type
    from dradsl.cel.values import Value

__all__ = ["resolve"]

Implementation = "Callable[..., Value]"


def resolve(
    function: Function,
    chosen: Sequence[str],
    static: Sequence[Type],
    bodies: Mapping[str, Callable[..., Value]],
) -> Callable[..., Value]:
    """A Python function of the arguments that does what the call does."""
    if len(chosen) == 1 and chosen[0] in bodies:
        overload = next(o for o in function.overloads if o.id == chosen[0])
        body = bodies[overload.id]
        needs_look = any(
            not _certain(have, want) for have, want in zip(static, overload.args, strict=True)
        )
        if function.name in UNGUARDED or not needs_look:
            return body
        return _guarded(function.name, overload, body)
    return _dispatching(function, bodies)


def _certain(static: Type, wanted: Type) -> bool:
    """Whether values of the static type always are of the wanted one."""
    if wanted.kind in ("dyn", "any", "param"):
        return True
    if static.kind in ("dyn", "any", "param", "null") or static.nullable:
        return False
    if static.kind in ("list", "map"):
        return all(_certain(s, w) for s, w in zip(static.params, wanted.params, strict=True))
    return True


def _guarded(name: str, overload: Overload, body: Callable[..., Value]) -> Callable[..., Value]:
    types = overload.args

    def call(*args: Value) -> Value:
        for value, type_ in zip(args, types, strict=True):
            if not is_instance(value, type_):
                raise no_overload(name, *args)
        return body(*args)

    return call


def _dispatching(
    function: Function, bodies: Mapping[str, Callable[..., Value]]
) -> Callable[..., Value]:
    candidates = [(o.args, bodies[o.id]) for o in function.overloads if o.id in bodies]
    guards = function.name not in UNGUARDED

    def call(*args: Value) -> Value:
        for types, body in candidates:
            if len(types) == len(args) and (
                not guards or all(is_instance(v, t) for v, t in zip(args, types, strict=True))
            ):
                return body(*args)
        raise no_overload(function.name, *args)

    return call


def is_instance(value: Value, type_: Type) -> bool:
    """Whether a value fits a type; of containers the first entry is looked at."""
    kind = type_.kind
    if kind in ("dyn", "any", "param"):
        return True
    if kind == "list":
        if not isinstance(value, list | tuple):
            return False
        return not value or is_instance(value[0], type_.params[0])
    if kind == "map":
        if not isinstance(value, dict):
            return False
        if not value:
            return True
        key = next(iter(value))
        return is_instance(value_of_key(key), type_.params[0]) and is_instance(
            value[key], type_.params[1]
        )
    return type_name(value) == type_.name
