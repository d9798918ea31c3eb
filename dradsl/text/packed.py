"""The documents of a long stream, kept packed: each is made again when somebody asks for it.

A document takes several kilobytes as a dict of dicts, and a stream may hold hundreds of thousands. Here it
takes a few numbers and its share of a block, compressed, of what `marshal` writes. What is not one plain object
(it is broken, is a list, or the reader complains of it) is kept as it is.
"""

from __future__ import annotations

import marshal
from array import array
from bisect import bisect_right
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any, Protocol, TypeVar

    from dradsl.text.lines import Lines

    class Packable(Protocol):
        """What is asked of a document: see `documents.Document`."""

        @property
        def start(self) -> int: ...
        @property
        def end(self) -> int: ...
        @property
        def data(self) -> object: ...
        @property
        def problems(self) -> Sequence[object]: ...
        @property
        def source_comment(self) -> str | None: ...
        @property
        def masked(self) -> bool: ...

    Document = TypeVar("Document", bound=Packable)

__all__ = ["NUMBER", "PLACE", "PackedDocuments", "row_of"]

NUMBER = 26
"""Bits of an object's number in its row of an index, which come last."""
PLACE = 12
"""Bits of the hash of its namespace, which come before."""


_BLOCK = 48 * 1024  # bytes of a block before it is compressed
_LARGEST = 256 * 1024  # bytes of a document; a larger one is kept as it is
_OPEN = 12  # blocks that are kept unpacked
_WITH_REFERENCES = 4  # the version of marshal that writes equal texts of one data once


class PackedDocuments(Sequence["Document"]):
    """Documents by their numbers. Who asks twice for one may get two that are equal.

    For those that are packed `kind_of` has the number of API version and kind, in `kinds`, and `rows` what
    an index of objects needs: see `row_of`.
    """

    __slots__ = (
        "_at",
        "_blocks",
        "_comments",
        "_depth",
        "_ends",
        "_first",
        "_kept",
        "_kinds",
        "_known",
        "_lines",
        "_make",
        "_open",
        "_pending",
        "_size",
        "_sources",
        "_starts",
        "kind_of",
        "rows",
    )

    def __init__(self, lines: Lines, max_depth: int, make: Callable[..., Document]) -> None:
        self._lines = lines
        self._depth = max_depth
        self._make = make
        self._starts = array("I")
        self._ends = array("I")
        self._at = array("I")  # where the document begins in its block
        self._first = array("I")  # the number of the first document in each block
        self._blocks: list[bytes] = []
        self._pending: list[bytes] = []
        self._size = 0
        self._kept: dict[int, Document] = {}
        self._sources = array("I")  # the number of the source comment
        self._comments: list[str | None] = []
        self._known: dict[str | None, int] = {}
        self._open: dict[int, bytes] = {}
        self._kinds: dict[tuple[str, str], int] = {}
        self.kind_of = array("I")
        self.rows = array("Q")

    def append(self, document: Document) -> None:
        """Put a document at the end."""
        data: Any = document.data
        packed = _pack(data) if _is_plain(document) else None
        self._starts.append(document.start)
        self._ends.append(document.end)
        self._at.append(self._size)
        comment = document.source_comment
        number = self._known.get(comment)
        if number is None:
            number = self._known[comment] = len(self._comments)
            self._comments.append(comment)
        self._sources.append(number)
        if packed is None:
            self._kept[len(self._starts) - 1] = document
            self.kind_of.append(0)
            self.rows.append(0)
            return
        api_version, kind = data["apiVersion"], data["kind"]
        number = self._kinds.get((api_version, kind))
        if number is None:
            number = self._kinds[api_version, kind] = len(self._kinds)
        self.kind_of.append(number)
        metadata = data.get("metadata")
        if metadata.__class__ is dict:
            name = metadata.get("name")
            if name.__class__ is not str or not name:
                name = metadata.get("generateName")
            namespace = metadata.get("namespace")
            self.rows.append(row_of(kind, name, namespace))
        else:
            self.rows.append(0)
        self._pending.append(packed)
        self._size += len(packed)
        if self._size > _BLOCK:
            self.seal()

    def seal(self) -> None:
        """Compress what was put in since the last time."""
        import zlib

        if self._pending:
            self._blocks.append(zlib.compress(b"".join(self._pending), 1))
            self._pending.clear()
            self._size = 0
            self._first.append(len(self._starts))

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple([self._document(n) for n in range(*index.indices(len(self)))])
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        return self._document(number)

    def __iter__(self) -> Iterator[Document]:
        return map(self._document, range(len(self)))

    def kept(self) -> Iterable[Document]:
        """The documents that are not packed, in order."""
        return self._kept.values()

    def kinds(self) -> dict[tuple[str, str], int]:
        """The API versions and kinds of what is packed, with their numbers."""
        return dict(self._kinds)

    def of_kinds(self, kinds: Collection[str]) -> Iterator[Document]:
        """The documents that may hold an object of one of the kinds, in order."""
        wanted = {number for (_, kind), number in self._kinds.items() if kind in kinds}
        for number, each in enumerate(self.kind_of):
            if each in wanted or number in self._kept:
                yield self._document(number)

    def at(self, offset: int) -> int:
        """The number of the document at an offset of the text, or of the last one before."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def end(self, number: int) -> int:
        """Where a document ends in the text."""
        return int(self._ends[number])

    def is_packed(self, number: int) -> bool:
        return number not in self._kept

    def data(self, number: int) -> Any:
        """The data of a document that is packed."""
        block = bisect_right(self._first, number)
        opened = self._open.get(block)
        if opened is None:
            opened = self._unpacked(block)
        return marshal.loads(memoryview(opened)[self._at[number] :])  # noqa: S302 - our own bytes

    def _unpacked(self, block: int) -> bytes:
        import zlib

        if len(self._open) >= _OPEN:
            del self._open[next(iter(self._open))]
        opened = self._open[block] = zlib.decompress(self._blocks[block])
        return opened

    def _document(self, number: int) -> Document:
        kept = self._kept.get(number)
        if kept is not None:
            return kept
        return self._make(
            number,
            self._starts[number],
            self._ends[number],
            self.data(number),
            (),
            self._comments[self._sources[number]],
            self._lines,
            self._depth,
        )


def row_of(kind: str, name: object, namespace: object) -> int:
    """Where an object of a name stands in an index: by hashes of its kind and name, and of its namespace.

    A name that is no text stands anywhere.
    """
    if name.__class__ is not str:
        name = None
    if namespace.__class__ is not str or not namespace:
        namespace = None
    first = hash((kind, name)) & _FIRST
    return (first << PLACE | hash(namespace) & _SECOND) << NUMBER


_FIRST = (1 << (64 - NUMBER - PLACE)) - 1
_SECOND = (1 << PLACE) - 1


def _is_plain(document: Packable) -> bool:
    data = document.data
    return (
        data.__class__ is dict
        and not document.problems
        and not document.masked
        and isinstance(data, dict)
        and "items" not in data
        and isinstance(version := data.get("apiVersion"), str)
        and isinstance(kind := data.get("kind"), str)
        and bool(version and kind)
    )


def _pack(data: Any) -> bytes | None:
    try:
        packed = marshal.dumps(data, _WITH_REFERENCES)
    except ValueError:  # a value of no plain type
        return None
    return packed if len(packed) <= _LARGEST else None
