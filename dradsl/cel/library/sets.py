"""Sets of list elements (cel-go `ext/sets.go`)."""

from __future__ import annotations

from dradsl.cel.runtime.operations import contains
from dradsl.cel.runtime.work_limit import bound_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.cel.runtime.values import Value

__all__ = ["FUNCTIONS"]


def _contains(whole: Sequence[Value], part: Sequence[Value]) -> bool:
    bound_pairs(len(whole), len(part))
    return all(contains(element, whole) for element in part)


def _intersects(left: Sequence[Value], right: Sequence[Value]) -> bool:
    bound_pairs(len(left), len(right))
    return any(contains(element, right) for element in left)


FUNCTIONS = {
    "list_sets_contains_list": _contains,
    "list_sets_equivalent_list": lambda a, b: _contains(a, b) and _contains(b, a),
    "list_sets_intersects_list": _intersects,
}
