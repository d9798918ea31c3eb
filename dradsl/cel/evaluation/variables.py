"""Where the variables of an expression are in a frame: one slot each, also for those of macros."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Variables"]


class Variables:
    """The slots of one compilation: those of the environment's variables first.

    `width` is the number of slots that a frame needs. `lazy` are the slots of names that `cel.bind`
    gave, whose values are computed when first used.
    """

    __slots__ = ("_given", "_scopes", "lazy", "width")

    def __init__(self, names: Iterable[str]) -> None:
        self._given = {name: index for index, name in enumerate(names)}
        self._scopes: list[tuple[str, int]] = []
        self.width = len(self._given)
        self.lazy: frozenset[int] = frozenset()

    def declare(self, name: str) -> int:
        """A new slot for a variable, visible until `forget`."""
        slot = self.width
        self.width += 1
        self._scopes.append((name, slot))
        return slot

    def forget(self, count: int = 1) -> None:
        """Hide the `count` variables that were declared last."""
        del self._scopes[-count:]

    def slot_of(self, name: str) -> int | None:
        """The slot of the innermost variable of that name; None if there is none."""
        for known, slot in reversed(self._scopes):
            if known == name:
                return slot
        return self._given.get(name)
