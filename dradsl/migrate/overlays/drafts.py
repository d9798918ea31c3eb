"""The files of a tree while they are rewritten, and what is built of them at each step."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text, on_data
from dradsl.records import dataclass
from dradsl.repository.build.parts.files import Files, TextFile
from dradsl.text.documents import load
from dradsl.text.paths import value_at
from dradsl.text.render import render_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.repository.build.overlays.overlay import OverlayBuilder
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath

__all__ = ["Draft", "EditedFiles", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
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
        self._edited = texts
        self._read: dict[str, TextFile] = {}
        self._folders = {above for path in texts for above in _above(os.path.dirname(path))}

    def is_inside(self, path: str) -> bool:
        return path in self._edited or path in self._folders or self._disk.is_inside(path)

    def real(self, path: str) -> str:
        return self._disk.real(path)

    def is_file(self, path: str) -> bool:
        return path in self._edited or self._disk.is_file(path)

    def is_folder(self, path: str) -> bool:
        return path in self._folders or self._disk.is_folder(path)

    def walk(self, folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
        for here, below, names in self._disk.walk(folder):
            new = [os.path.basename(path) for path in self._edited if os.path.dirname(path) == here]
            yield here, below, [*names, *(name for name in new if name not in names)]

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


def _above(folder: str) -> list[str]:
    found = []
    while os.path.dirname(folder) != folder:
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


class Draft:
    """The texts of the files of a run, by real paths, changed step by step; `made` are files that are new."""

    def __init__(self, disk: Files, texts: Mapping[str, str]) -> None:
        self._disk = disk
        self.texts = dict(texts)
        self.made: dict[str, str] = {}

    def copy(self) -> Draft:
        draft = Draft(self._disk, self.texts)
        draft.made = dict(self.made)
        return draft

    def builder(self) -> OverlayBuilder:
        """What builds overlays of the texts as they are now."""
        from dradsl.repository.build.overlays.overlay import OverlayBuilder

        return OverlayBuilder(self.files())

    def files(self) -> EditedFiles:
        texts = {**self.texts, **self.made}
        return EditedFiles(
            self._disk,
            {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()},
        )

    def exists(self, path: str) -> bool:
        return path in self.texts or path in self.made or os.path.lexists(path)

    def data(self, place: Place) -> object:
        """The data of a document; KeyError if it no longer exists."""
        return self._inner(place).data

    def texts_at(self, place: Place, before: Mapping[str, str]) -> tuple[str, str]:
        """The text at a place within a document, as it was in the texts `before`, and as it is."""
        old = _document(before[place.file], place.document).data
        new = _document(self.texts[place.file], place.document).data
        return _text_at(old, place.text), _text_at(new, place.text)

    def edit(self, place: Place, operations: Sequence[Operation]) -> None:
        """Make the operations, one after the other, in the text of a document.

        Raises:
            CannotEditError: if the text would not get the data that the operations make.
        """
        if not operations:
            return
        text = self.texts[place.file]
        document = _document(text, place.document)
        if place.text:
            inner = _text_at(document.data, place.text)
            each = _document(inner, place.inner)
            new = inner[: each.start] + _edited(each, operations, is_json=False) + inner[each.end :]
            new = new.rstrip("\n") + inner[len(inner.rstrip("\n")) :]
            changed = edit_text(document.text, [[Put(place.text, new)]])
        else:
            changed = _edited(document, operations, is_json=place.file.endswith(".json"))
        self.texts[place.file] = text[: document.start] + changed + text[document.end :]

    def _inner(self, place: Place) -> Document:
        document = _document(self.texts[place.file], place.document)
        if not place.text:
            return document
        return _document(_text_at(document.data, place.text), place.inner)


def _edited(document: Document, operations: Sequence[Operation], *, is_json: bool) -> str:
    """A document after operations. JSON holds no comments, so a list in JSON with an unusual layout is written
    anew, and as YAML if it is within a text."""
    try:
        return edit_text(document.text, [operations])
    except CannotEditError:
        if not document.text.lstrip().startswith("["):
            raise
    wanted = on_data(document.data, operations)
    new = json.dumps(wanted, indent=2) if is_json else render_block(wanted)
    return new + ("\n" if document.text.endswith("\n") else "")


def _document(text: str, index: int) -> Document:
    for document in load(text.encode("utf-8", "surrogatepass")).documents:
        if document.index == index:
            return document
    raise CannotEditError("the document is not there any more")


def _text_at(data: object, path: FieldPath) -> str:
    found = value_at(data, path)
    if not isinstance(found, str):
        raise CannotEditError("there is no text at the place")
    return found
