"""Which overload of a function a call runs, decided by the types of its arguments.

What the checker has settled is not asked again; where an argument is dynamic its value is
looked at, as cel-go `common/decls/decls.go` does.
"""

from __future__ import annotations

from dradsl.cel.library.standard import UNGUARDED
from dradsl.cel.runtime.operations import no_overload, type_name
from dradsl.cel.runtime.values import Uint, value_of_key
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.cel.checker.functions import Function, Overload
    from dradsl.cel.runtime.values import Value
    from dradsl.cel.types import Type

__all__ = ["resolve"]


def resolve(
    function: Function, chosen: Sequence[str], bodies: Mapping[str, Callable[..., Value]]
) -> Callable[..., Value]:
    """A Python function of the arguments that does what the call does."""
    if len(chosen) != 1 or chosen[0] not in bodies:
        return _dispatching(function, bodies)
    overload = next(o for o in function.overloads if o.id == chosen[0])
    body = bodies[overload.id]
    if function.name in UNGUARDED:
        return body
    return _guarded(function.name, overload, body)


# Types whose values are of one Python class.
_CLASSES: Mapping[str, type] = {
    "bool": bool,
    "int": int,
    "uint": Uint,
    "double": float,
    "string": str,
    "bytes": bytes,
    "kubernetes.Quantity": Quantity,
    "kubernetes.Semver": Semver,
}


def _guarded(name: str, overload: Overload, body: Callable[..., Value]) -> Callable[..., Value]:
    """The body behind a look at its arguments: static types promise nothing where `any` and
    `dyn` have come in."""
    types = overload.args

    def careful(*args: Value) -> Value:
        for value, type_ in zip(args, types, strict=True):
            if not is_instance(value, type_):
                raise no_overload(name, *args)
        return body(*args)

    classes = [_CLASSES.get(type_.name) for type_ in types]
    if None in classes or not 1 <= len(classes) <= 2:
        return careful
    first = classes[0]
    if len(classes) == 1:
        return lambda one: body(one) if type(one) is first else careful(one)
    second = classes[1]

    def two(one: Value, other: Value) -> Value:
        if type(one) is first and type(other) is second:
            return body(one, other)
        return careful(one, other)

    return two


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
