"""Recorded objects that several runs look at: what is worked out of them alone is worked out once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from typing import Any, Self

    from dradsl.drivers.schema.catalogue import Catalogue

__all__ = ["RecordedObjects"]


class RecordedObjects(tuple["Mapping[str, object]", ...]):  # noqa: SLOT001 - a tuple cannot have slots
    """The objects of recordings, as they were read; `kept` is what runs have worked out of them."""

    kept: dict[Hashable, Any]

    def __new__(cls, objects: Iterable[Mapping[str, object]] = ()) -> Self:
        """The objects, of which nothing is known yet."""
        self = super().__new__(cls, objects)
        self.kept = {}
        return self

    @staticmethod
    def key_of_sharpened(versions: Mapping[str, str], hidden: tuple[str, ...]) -> Hashable:
        """Under what the shipped schemas are kept as the objects show them, without the hidden ones."""
        return "sharpened", tuple(sorted(versions.items())), hidden

    def sharpened_for(self, versions: Mapping[str, str]) -> Catalogue | None:
        """The shipped schemas as the objects show them, whichever are hidden; None if no run has asked yet."""
        wanted = self.key_of_sharpened(versions, ())
        for key, made in list(self.kept.items()):
            if isinstance(key, tuple) and isinstance(wanted, tuple) and key[:2] == wanted[:2]:
                found: Catalogue = made
                return found
        return None
