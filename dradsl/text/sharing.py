"""Equal parts of the documents of a stream, kept once: most objects of a long one repeat others."""

from __future__ import annotations

import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Sharing"]

_FLAT = (
    2  # the version of marshal that writes equal values alike, whether they are one object or not
)
_LARGEST = 4 * 1024  # bytes of a part
_MOST = 4 * 1024  # parts to compare with
_TYPE = ("apiVersion", "kind")


class Sharing:
    """What was met so far: the fields of objects, but for metadata, and the texts of their types."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[bytes, Any] = {}

    def share(self, data: object) -> None:
        """Put in place of the fields of an object equal ones of objects before it."""
        if data.__class__ is not dict:
            return
        fields: Any = data
        for name, value in fields.items():
            if value.__class__ is str:
                if name in _TYPE:
                    fields[name] = sys.intern(value)
            elif value.__class__ is dict and name != "metadata":
                fields[name] = self._shared(value)

    def _shared(self, value: dict[str, Any]) -> dict[str, Any]:
        try:
            key = marshal.dumps(value, _FLAT)
        except ValueError:  # a value of no plain type
            return value
        if len(key) > _LARGEST:
            return value
        if len(self._known) >= _MOST:
            self._known.clear()  # those that come often are soon there again
        found: dict[str, Any] = self._known.setdefault(key, value)
        return found
