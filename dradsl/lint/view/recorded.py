"""Recorded objects that several runs look at: what is worked out of them alone is worked out once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from typing import Any, Self

__all__ = ["RecordedObjects"]


class RecordedObjects(tuple["Mapping[str, object]", ...]):  # noqa: SLOT001 - a tuple cannot have slots
    """The objects of recordings, as they were read; `kept` is what runs have worked out of them."""

    kept: dict[Hashable, Any]

    def __new__(cls, objects: Iterable[Mapping[str, object]] = ()) -> Self:
        """The objects, of which nothing is known yet."""
        self = super().__new__(cls, objects)
        self.kept = {}
        return self
