"""JSON read piece by piece: the items of a Kubernetes list are handed out one at a time.

A recording of 10,000 nodes is one list; as a whole it takes ten times the memory of what a
simulation keeps of it.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


__all__ = ["NotJsonError", "TooManyItemsError", "json_values"]

_SPACE = re.compile(r"[ \t\r\n]*")
_SEPARATORS = re.compile(r"(?:^---[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)[ \t\r\n]*)+", re.MULTILINE)


class NotJsonError(ValueError):
    """A text is no JSON; `begin` is where the document begins that is none, None if it was read in part."""

    def __init__(self, message: str, begin: int | None) -> None:
        super().__init__(message)
        self.begin = begin


class TooManyItemsError(Exception):
    """A list has more items than are to be read."""


def json_values(text: str, most: int) -> Iterator[Any]:
    """The values in `text`, one after the other; of an object with `items` first these.

    Items that are whole objects (they have `apiVersion` and `kind`) are handed out by themselves as
    soon as they are read; the object comes last, with the items that are left. Between two values a
    line `---` may stand, as in a stream of YAML. At most `most` items of a list are left for the object.

    Raises:
        TooManyItemsError: at the first item beyond.
        NotJsonError: where `text` is no JSON; what came before was handed out.
    """
    reader = _JsonValueReader(text, most)
    reader.skip_separators()
    document = True
    while reader.at < len(text):
        begin, read = reader.at, False
        try:
            for value in reader.object() if reader.sees("{") else [reader.value()]:
                read = True
                yield value
        except (ValueError, RecursionError) as error:
            raise NotJsonError(str(error), begin if document and not read else None) from error
        document = reader.skip_separators()


class _JsonValueReader:
    """A place in a text, and what can be read there. White space behind it is always skipped."""

    def __init__(self, text: str, most: int) -> None:
        self._text = text
        self._most = most
        self._decode = json.JSONDecoder().raw_decode
        self.at = 0

    def skip(self) -> None:
        found = _SPACE.match(self._text, self.at)
        self.at = found.end() if found is not None else self.at

    def skip_separators(self) -> bool:
        """White space and the separators of documents; whether there was one of these."""
        self.skip()
        found = _SEPARATORS.match(self._text, self.at)
        self.at = found.end() if found is not None else self.at
        return found is not None

    def sees(self, token: str) -> bool:
        return self._text.startswith(token, self.at)

    def take(self, token: str) -> None:
        if not self.sees(token):
            raise json.JSONDecodeError(f"Expecting {token!r}", self._text, self.at)
        self.at += 1
        self.skip()

    def value(self) -> Any:
        value, self.at = self._decode(self._text, self.at)
        self.skip()
        return value

    def object(self) -> Iterator[Any]:
        """The items of a list and then the rest of it, or an object as it is."""
        members: dict[str, object] = {}
        for key in self._elements("{", "}"):
            if not isinstance(key, str):
                raise json.JSONDecodeError("Expecting a name", self._text, self.at)
            self.take(":")
            if key == "items" and self.sees("[") and _may_be_list(members):
                rest: list[Any] = []
                members[key] = rest
                for item in self._elements("[", "]"):
                    if isinstance(item, dict) and "apiVersion" in item and "kind" in item:
                        yield item
                    elif len(rest) >= self._most:
                        raise TooManyItemsError
                    else:
                        rest.append(item)
            else:
                members[key] = self.value()
        yield members

    def _elements(self, opening: str, closing: str) -> Iterator[Any]:
        """What is between brackets, up to a colon or comma each."""
        self.take(opening)
        if not self.sees(closing):
            yield self.value()
            while not self.sees(closing):
                self.take(",")
                yield self.value()
        self.take(closing)


def _may_be_list(members: dict[str, object]) -> bool:
    """Whether an object is a list as far as is known: its kind may come after its items."""
    return str(members.get("kind", "List")).endswith("List")
