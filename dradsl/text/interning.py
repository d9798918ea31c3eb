"""Equal parts of the documents of a stream, kept once: most objects of a long one repeat others.

Fields, and where a field is new, what it holds.
"""

from __future__ import annotations

import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["WORTH_SHARING", "Interner"]

WORTH_SHARING = 16 * 1024
"""Characters of a document whose parts are compared with those of others."""

_FLAT = (
    2  # the version of marshal that writes equal values alike, whether they are one object or not
)
_SHARED_BYTES = 4 * 1024  # bytes of a part
_KEPT = 4 * 1024  # parts to compare with
_WORD = 32  # characters of a text that may come again
_TYPE = ("apiVersion", "kind")


class Interner:
    """What was met so far: the fields of objects but for metadata; with `parts` what they hold, too, and short texts."""

    __slots__ = ("_known", "_parts", "_words")

    def __init__(self, *, parts: bool = False) -> None:
        self._parts = parts
        self._known: dict[bytes, Any] = {}
        self._words: dict[str, str] = {}

    def intern(self, data: object) -> None:
        """Put in place of the fields of an object equal ones of objects before it."""
        if data.__class__ is not dict:
            return
        fields: Any = data
        for name, value in fields.items():
            if value.__class__ is str:
                if name in _TYPE:
                    fields[name] = sys.intern(value)
            elif name == "metadata":
                if self._parts:
                    self._intern_parts(value)
            elif value.__class__ is dict:
                fields[name] = self._interned(value)

    def _interned(self, value: Any) -> Any:
        """The equal one that was met before, else this one, made of parts that were met before."""
        try:
            key = marshal.dumps(value, _FLAT)
        except ValueError:  # a value of no plain type
            return value
        known = self._known.get(key)
        if known is not None:
            return known
        if self._parts:
            self._intern_parts(value)
        if len(key) <= _SHARED_BYTES:
            if len(self._known) >= _KEPT:
                self._known.clear()  # those that come often are soon there again
            self._known[key] = value
        return value

    def _intern_parts(self, value: Any) -> None:
        items: Iterable[tuple[Any, Any]] = ()
        if value.__class__ is dict:
            items = value.items()
        elif value.__class__ is list:
            items = enumerate(value)
        for name, item in items:
            if item.__class__ is str:
                if len(item) <= _WORD:
                    value[name] = self._words.setdefault(item, item)
            elif item.__class__ is dict or item.__class__ is list:
                value[name] = self._interned(item)
        if len(self._words) > _KEPT:
            self._words.clear()
