"""The files of a tree while they are rewritten, and what is built of them at each step."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.paths import value_at
from dradsl.tree.kustomize.parts.files import BuildBudget, Files, TextFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.text.documents import Document, Stream
    from dradsl.text.paths import FieldPath
    from dradsl.tree.builder import TreeBuilder

__all__ = ["TreeEdit", "EditedFiles", "Place"]


class Place(Record):
    """A document: of the file at a real path, or document number `inner` of the text at the path
    `text` in it."""

    file: str
    document: int
    text: FieldPath = ()
    inner: int = 0


class EditedFiles(Files):
    """Files as they will be: `texts`, by real paths, take precedence over the files on disk."""

    def __init__(self, disk: Files, texts: Mapping[str, bytes]) -> None:
        super().__init__(())
        self._disk = disk
        self._edited = dict(texts)
        self._read: dict[str, TextFile] = {}
        self._below: dict[str, list[str]] = {}  # the names of the edited files in each folder
        for path in texts:
            self._list(path)

    def _list(self, path: str) -> None:
        folder, name = os.path.split(path)
        self._below.setdefault(folder, []).append(name)
        while (above := os.path.dirname(folder)) not in (folder, *self._below):
            folder = above
            self._below[folder] = []

    def change(self, path: str, text: str) -> None:
        """Give a file another text, or make it."""
        if path not in self._edited:
            self._list(path)
        self._edited[path] = text.encode("utf-8", "surrogatepass")
        self._read.pop(path, None)
        self.shared.clear()

    def is_inside(self, path: str) -> bool:
        return path in self._edited or path in self._below or self._disk.is_inside(path)

    def real(self, path: str) -> str:
        return self._disk.real(path)

    def is_file(self, path: str) -> bool:
        return path in self._edited or self._disk.is_file(path)

    def is_folder(self, path: str) -> bool:
        return path in self._below or self._disk.is_folder(path)

    def walk(self, folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
        for here, below, names in self._disk.walk(folder):
            known = set(names)
            yield here, below, [*names, *(n for n in self._below.get(here, ()) if n not in known)]

    def read(self, path: str) -> bytes | None:
        found = self._edited.get(path)
        return self._disk.read(path) if found is None else found

    def text(self, path: str) -> TextFile | None:
        data = self._edited.get(path)
        if data is None:
            return self._disk.text(path)
        if path not in self._read:
            self._read[path] = TextFile(path, data)
        return self._read[path]


class TreeEdit:
    """The texts of the files of a run, by real paths, changed step by step; `made` are files that are new."""

    def __init__(self, disk: Files, texts: Mapping[str, str]) -> None:
        self._disk = disk
        self.texts = dict(texts)
        self.made: dict[str, str] = {}
        self._streams: dict[str, Stream] = {}
        self._files: EditedFiles | None = None
        self._builder: TreeBuilder | None = None

    def make(self, path: str, text: str) -> None:
        """Give a new file a text."""
        self.made[path] = text
        self._changed(path, text)

    def _changed(self, path: str, text: str) -> None:
        self._streams.pop(path, None)
        if self._files is not None:
            self._files.change(path, text)
        if self._builder is not None:
            self._builder.forget(path)

    def stream(self, path: str) -> Stream:
        """The documents of a file of the run as they are now."""
        found = self._streams.get(path)
        if found is None:
            found = load(self.texts[path].encode("utf-8", "surrogatepass"))
            self._streams[path] = found
        return found

    def builder(self) -> TreeBuilder:
        """What builds the texts as they are now. What several overlays take in is built once."""
        from dradsl.tree.builder import TreeBuilder

        if self._builder is None:
            self._builder = TreeBuilder(self.files())
        self._builder.files.budget = BuildBudget()  # what is built anew was within it before
        return self._builder

    def files(self) -> EditedFiles:
        """The files as they are now."""
        if self._files is None:
            texts = {**self.texts, **self.made}
            self._files = EditedFiles(
                self._disk,
                {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()},
            )
        return self._files

    def exists(self, path: str) -> bool:
        return path in self.texts or path in self.made or os.path.lexists(path)

    def data(self, place: Place) -> object:
        """The data of a document; KeyError if it no longer exists."""
        document = self._document(place)
        if not place.text:
            return document.data
        return _document(_text_at(document.data, place.text), place.inner).data

    def texts_at(self, place: Place, before: Mapping[str, str]) -> tuple[str, str]:
        """The text at a place within a document, as it was in the texts `before`, and as it is."""
        old = _document(before[place.file], place.document).data
        new = self._document(place).data
        return _text_at(old, place.text), _text_at(new, place.text)

    def edit(self, place: Place, operations: Sequence[Operation]) -> None:
        """Make the operations, one after the other, in the text of a document.

        Raises:
            CannotEditError: if the text would not get the data that the operations make.
        """
        if not operations:
            return
        text = self.texts[place.file]
        document = self._document(place)
        if place.text:
            inner = _text_at(document.data, place.text)
            each = _document(inner, place.inner)
            new = inner[: each.start] + edit_text(each.text, [operations]) + inner[each.end :]
            new = new.rstrip("\n") + inner[len(inner.rstrip("\n")) :]
            changed = edit_text(document.text, [[Put(place.text, new)]])
        else:
            changed = edit_text(document.text, [operations])
        self.texts[place.file] = text[: document.start] + changed + text[document.end :]
        self._changed(place.file, self.texts[place.file])

    def _document(self, place: Place) -> Document:
        return _numbered(self.stream(place.file), place.document)


def _document(text: str, index: int) -> Document:
    return _numbered(load(text.encode("utf-8", "surrogatepass")), index)


def _numbered(stream: Stream, index: int) -> Document:
    for document in stream.documents:
        if document.index == index:
            return document
    raise CannotEditError("the document is not there any more")


def _text_at(data: object, path: FieldPath) -> str:
    found = value_at(data, path)
    if not isinstance(found, str):
        raise CannotEditError("there is no text at the place")
    return found
