"""The objects of a long stream, and their index: made when somebody asks for them, and let go.

What is kept of an object are a few numbers: its document, its kind, and a hash of its name. While anybody
holds an object, whoever asks for it gets the same one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from itertools import chain
from weakref import WeakValueDictionary

from dradsl.lint.input.manifests import Manifest, manifest_at, manifests_in
from dradsl.lint.view.index import ObjectIndex
from dradsl.records import cached, dataclass
from dradsl.text.packed import NUMBER, PLACE, PackedDocuments, row_of
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any

    from dradsl.lint.input.sources import SourceText
    from dradsl.text.documents import Document

__all__ = ["LongIndex", "LongObjects", "Picked", "long_objects"]

# What makes letters of others in a text.
_ESCAPE = pattern(r"\\[xuU/\r\n]")

_RECENT = 500  # names that were looked up last
_HELD = 256  # objects that were asked for last, which are not let go


def long_objects(source: SourceText) -> LongObjects | None:
    """The objects of a source whose documents are packed; None of another one."""
    documents = source.stream.documents
    return LongObjects(source, documents) if isinstance(documents, PackedDocuments) else None


class LongObjects(Sequence["Manifest"]):
    """The objects of a long stream in order, and others after them."""

    __slots__ = (
        "_alive",
        "_documents",
        "_held",
        "_kept",
        "_kind_of",
        "_kinds",
        "_places",
        "_rows",
        "_said",
        "_source",
        "_unsorted",
        "_with_escapes",
    )

    def __init__(self, source: SourceText, documents: PackedDocuments[Document]) -> None:
        self._source = source
        self._documents = documents
        self._alive: WeakValueDictionary[int, Manifest] = WeakValueDictionary()
        self._held: deque[Manifest] = deque(maxlen=_HELD)
        self._kept: list[Manifest] = []
        # The number of the document, or, below zero, that of an object that is kept.
        self._places = array("i")
        self._kinds = documents.kinds()  # API version and kind, with their numbers
        self._kind_of = array("I")
        self._rows: Sequence[int] = ()
        self._unsorted: list[int] = []
        self._with_escapes: array[int] | None = None
        self._said: dict[str, bool] = {}
        for number in range(len(documents)):
            if documents.is_packed(number):
                self._unsorted.append(documents.rows[number] | len(self._places))
                self._places.append(number)
                self._kind_of.append(documents.kind_of[number])
            else:
                self.extend(manifests_in(source, (documents[number],)))

    def extend(self, manifests: Iterable[Manifest]) -> None:
        """Put objects after all others, which stay as they are."""
        for manifest in manifests:
            self.append(manifest)

    def append(self, manifest: Manifest) -> None:
        """Put an object after all others."""
        self._kept.append(manifest)
        row = row_of(manifest.kind, manifest.name, manifest.namespace)
        self._unsorted.append(row | len(self._places))
        self._places.append(-len(self._kept))
        key = manifest.api_version, manifest.kind
        self._kind_of.append(self._kinds.setdefault(key, len(self._kinds)))

    def seal(self) -> None:
        """Sort what was put in, so that it can be looked up."""
        self._unsorted.sort()
        self._rows = array("Q", self._unsorted)
        self._unsorted.clear()

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple([self._object(n) for n in range(*index.indices(len(self)))])
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        return self._object(number)

    def __iter__(self) -> Iterator[Manifest]:
        return map(self._object, range(len(self)))

    def _object(self, number: int) -> Manifest:
        place = self._places[number]
        if place < 0:
            return self._kept[-place - 1]
        found = self._alive.get(number)
        if found is None:
            document = self._documents[place]
            made = manifest_at(self._source, document, (), document.data)
            assert made is not None  # noqa: S101 - it was one when it was packed
            found = self._alive[number] = made
        self._held.append(found)
        return found

    def unpacked(self) -> tuple[Manifest, ...]:
        """All objects at once, with equal parts kept once."""
        from dradsl.text.compose import may_hold_aliases
        from dradsl.text.sharing import LARGEST, Sharing

        sharing = Sharing(parts=True)
        manifests = tuple(self)
        for manifest in manifests:
            document = manifest.document
            small = document.end - document.start <= LARGEST
            if small and not may_hold_aliases(document.text):
                sharing.share(document.data)
        return manifests

    def expect(self, words: Iterable[str]) -> None:
        """Say which texts will be asked for: to look for them together is faster."""
        written = self._source.stream.text
        missing = []
        for word in words:
            if word not in self._said:
                self._said[word] = word in written
                if not self._said[word]:
                    missing.append(word)
        others: Iterator[object] = iter(())
        if missing:
            others = chain(
                (each.data for each in self._kept),
                (self._documents[number].data for number in self._escaped()),
            )
        for data in others:
            said = "\n".join(_texts(data))
            for word in [each for each in missing if each in said]:
                self._said[word] = True
                missing.remove(word)

    def may_say(self, text: str) -> bool:
        """Whether a text may stand in the objects: as it is, or where something stands for letters of others."""
        if text not in self._said:
            self.expect((text,))
        return self._said[text]

    def _escaped(self) -> Sequence[int]:
        """The documents that may have texts which do not stand in the file."""
        if self._with_escapes is None:
            self._with_escapes = array("I")
            documents, text = self._documents, self._source.stream.text
            found = _ESCAPE.search(text)
            while found and len(documents):
                number = documents.at(found.start())
                self._with_escapes.append(number)
                found = _ESCAPE.search(text, max(documents.end(number), found.end()))
        return self._with_escapes

    def versions(self) -> Iterable[str]:
        """The API versions of all objects."""
        return dict.fromkeys(version for version, _ in self._kinds)

    def kinds(self) -> Iterable[str]:
        """The kinds, each once, in the order of their first objects."""
        return dict.fromkeys(kind for _, kind in self._kinds)

    def of_kind(self, kind: str) -> Picked:
        """The objects of a kind, in order."""
        wanted = {n for (_, each), n in self._kinds.items() if each == kind}
        return Picked(
            self, array("I", [n for n, each in enumerate(self._kind_of) if each in wanted])
        )

    def of_other_groups(self, groups: Collection[str]) -> Picked:
        """The objects but for those of some groups, in order."""
        wanted = {
            number
            for (version, _), number in self._kinds.items()
            if (version.partition("/")[0] if "/" in version else "") not in groups
        }
        return Picked(
            self, array("I", [n for n, each in enumerate(self._kind_of) if each in wanted])
        )

    def named(self, kind: str, name: str) -> Picked:
        """The objects of a kind and name, in order."""
        first = row_of(kind, name, None) >> (NUMBER + PLACE)
        return self._between(first, NUMBER + PLACE, None, kind, name)

    def named_in(self, kind: str, name: str, namespace: str | None) -> Picked:
        """Those of a namespace, None for those of which it is not known."""
        first = row_of(kind, name, namespace) >> NUMBER
        return self._between(first, NUMBER, lambda each: each.namespace == namespace, kind, name)

    def _between(
        self, key: int, bits: int, fits: Callable[[Manifest], bool] | None, kind: str, name: str
    ) -> Picked:
        rows = self._rows
        numbers = []
        at = bisect_left(rows, key << bits)
        while at < len(rows) and rows[at] >> bits == key:
            number = rows[at] & ((1 << NUMBER) - 1)
            found = self._object(number)
            if found.kind == kind and found.name == name and (fits is None or fits(found)):
                numbers.append(number)
            at += 1
        return Picked(self, array("I", sorted(numbers)))


class Picked(Sequence["Manifest"]):
    """Some of the objects, by their numbers."""

    __slots__ = ("_numbers", "_objects")

    def __init__(self, objects: LongObjects, numbers: Sequence[int]) -> None:
        self._objects = objects
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple([self._objects[n] for n in self._numbers[index]])
        return self._objects[self._numbers[index]]

    def __iter__(self) -> Iterator[Manifest]:
        return map(self._objects.__getitem__, self._numbers)


def _texts(data: Any) -> Iterator[str]:
    """The keys and texts in some data."""
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending += value.keys()
            pending += value.values()
        elif isinstance(value, list):
            pending += value


@dataclass(frozen=True, slots=True)
class LongIndex(ObjectIndex):
    """The index of a long stream, in which nothing is a patch and no name has unknown parts."""

    objects: LongObjects = None  # type: ignore[assignment]  # it is always given

    @cached
    def _known(self) -> dict[tuple[str | None, ...], Sequence[Manifest]]:
        """What was looked up: of which there are several, and some of the others."""
        return {}

    @cached
    def _recent(self) -> dict[tuple[str | None, ...], Sequence[Manifest]]:
        return {}

    def may_say(self, text: str) -> bool:
        return self.objects.may_say(text)

    def where(self, asked: Callable[[Manifest], bool]) -> Sequence[Manifest]:
        if asked not in self._chosen:
            self._chosen[asked] = tuple(filter(asked, self.every()))
        return self._chosen[asked]

    def every(self) -> Iterator[Manifest]:
        for kind in self.objects.kinds():
            yield from self.kind(kind)

    def kind(self, kind: str) -> Sequence[Manifest]:
        key = (kind,)
        if key not in self._known:
            self._known[key] = self.objects.of_kind(kind)
        return self._known[key]

    def named(self, kind: str, name: str) -> Sequence[Manifest]:
        return self._found((kind, name), lambda: self.objects.named(kind, name))

    def _in_namespace(self, kind: str, name: str, namespace: str | None) -> Sequence[Manifest]:
        if namespace == "":
            return self.named(kind, name)
        return self._found(
            (kind, name, namespace), lambda: self.objects.named_in(kind, name, namespace)
        )

    def _found(
        self, key: tuple[str | None, ...], find: Callable[[], Sequence[Manifest]]
    ) -> Sequence[Manifest]:
        found = self._recent.get(key)
        if found is None:
            found = self._known.get(key)
        if found is None:
            found = find()
            if len(found) > 1:
                self._known[key] = found
                return found
            found = tuple(found)
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            self._recent[key] = found
        return found
