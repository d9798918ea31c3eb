"""How much a single step may compute, where upstream's cost says little of the work.

Upstream counts a concatenation of lists as one, whatever their length, and a comparison of
nested lists by the length of the outer ones. No selector that is meant seriously comes near
these bounds.
"""

from __future__ import annotations

from dradsl.cel.runtime.values import CelPanicError, Key, Optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.runtime.values import Value

__all__ = ["bound_pairs", "bound_size", "bound_tree"]

_SIZE = 10_000_000
_WALK = 200_000
_PAIRS = 20_000_000

_CONTAINERS = (list, tuple, dict, Optional)


def bound_size(count: int) -> None:
    """Stops a value that is about to have `count` elements or code points.

    Raises:
        CelPanicError: which no `||` swallows.
    """
    if count > _SIZE:
        raise CelPanicError(f"a value of more than {_SIZE} elements")


def bound_pairs(left: int, right: int) -> None:
    """Stops the comparison of each of `left` elements with each of `right`.

    Where upstream counts these, they exceed the cost limit by far.
    """
    if left * right > _PAIRS:
        raise CelPanicError("operation cancelled: actual cost limit exceeded")


def bound_tree(value: Value) -> None:
    """Stops a walk over nested lists, maps and optionals that share their parts many times."""
    if not isinstance(value, _CONTAINERS):
        return
    count = 0
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, Optional):
            children = [here.value]
        else:
            children = list(here.values() if isinstance(here, dict) else here)
            if isinstance(here, dict):
                children += [key.value for key in here if type(key) is Key]
        count += len(children)
        if count > _WALK:
            raise CelPanicError(f"nested values of more than {_WALK} elements")
        stack.extend([child for child in children if isinstance(child, _CONTAINERS)])
