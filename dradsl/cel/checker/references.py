"""What the names and calls of a checked expression stand for."""

from __future__ import annotations

from dradsl.records import dataclass

__all__ = ["Reference"]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a name or a call stands for.

    For a call, `name` is the function and `overloads` are the ids that may apply; `namespaced`
    if what looks like a target belongs to the name (`optional.of(x)`). For a name, `name` is
    the variable or type; `constant` is its value where it has one.
    """

    name: str
    overloads: tuple[str, ...] = ()
    namespaced: bool = False
    constant: object = None
