"""`attribute.includes(value)`: whether a scalar equals, or a list holds, the value.

In 1.36 it belongs to dynamic-resource-allocation `cel/compile.go` and rejects long lists; from
1.37 on it is in apiserver `pkg/cel/library/lists.go`, without that bound.
"""

from __future__ import annotations

from dradsl.cel.runtime.operations import equal
from dradsl.cel.runtime.values import CelRuntimeError, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS"]

_LIMIT = 48


def _same(left: Value, right: Value) -> bool:
    if left is None:
        return right is None
    try:
        return equal(left, right)
    except CelRuntimeError:
        return False


def _includes(target: Value, wanted: Value) -> bool:
    if isinstance(target, list | tuple):
        return any(_same(element, wanted) for element in target)
    return _same(target, wanted)


def _includes_bounded(target: Value, wanted: Value) -> bool:
    if not isinstance(target, list | tuple):
        return _same(target, wanted)
    for position, element in enumerate(target):
        if position >= _LIMIT:
            raise CelRuntimeError(
                f"'includes' function cannot be applied to lists longer than {_LIMIT} values"
            )
        if _same(element, wanted):
            return True
    return False


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "dra_includes_dyn_dyn": _includes_bounded,
    "list_includes_dyn_dyn": _includes,
}
