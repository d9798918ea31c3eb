"""The texts that an editor has open, and the files on the disk around them, each parsed once."""

from __future__ import annotations

import os

from dradsl.lint.input.reading import load_named
from dradsl.records import dataclass
from dradsl.text.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.text.documents import Stream

__all__ = ["Buffer", "Buffers"]

_LONG = 512 * 1024
"""Characters of a text that is not read between two keystrokes."""


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """An open text: as the editor has it, and the last one that could be read as a whole."""

    uri: str
    path: str
    text: str
    version: int | None
    known: Stream | None = None

    @property
    def is_long(self) -> bool:
        """Whether nothing is asked of the text that an editor asks by itself after each keystroke."""
        return len(self.text) > _LONG


class Buffers:
    """Open texts by path, which go before the files; what is on the disk is read again when it changes."""

    def __init__(self) -> None:
        self.open: dict[str, Buffer] = {}
        self._disk: dict[str, tuple[tuple[int, int, int], bytes]] = {}
        self._parsed: dict[str, tuple[bytes, Stream]] = {}

    def put(self, uri: str, path: str, text: str, version: int | None) -> Buffer:
        """Take a text that was opened or changed."""
        before = self.open.get(path)
        known = None if before is None else before.known
        if len(text) <= _LONG:
            stream = self.parse(path, text.encode("utf-8", "surrogatepass"))
            if known is None or all(document.data is not None for document in stream.documents):
                known = stream
        buffer = self.open[path] = Buffer(uri, path, text, version, known)
        return buffer

    def close(self, path: str) -> None:
        """Forget a text: the file counts again."""
        self.open.pop(path, None)
        self._parsed.pop(path, None)

    def content_of(self, path: str) -> bytes:
        """The bytes of a file as the editor has it, else as the disk has it.

        Raises:
            FileError: if it cannot be read.
        """
        buffer = self.open.get(os.path.abspath(path))
        if buffer is not None:
            return buffer.text.encode("utf-8", "surrogatepass")
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return read_bytes(path)  # says why
        mark = (status.st_mtime_ns, status.st_size, status.st_ino)
        found = self._disk.get(path)
        if found is None or found[0] != mark:
            found = self._disk[path] = (mark, read_bytes(path))
        return found[1]

    def parse(self, name: str, data: bytes) -> Stream:
        """The documents of a file; the same ones as before if the bytes are the same."""
        found = self._parsed.get(name)
        if found is None or found[0] != data:
            found = self._parsed[name] = (data, load_named(name, data))
        return found[1]

    def keep(self, names: set[str]) -> None:
        """Forget all files but these, and the open ones."""
        for table in (self._disk, self._parsed):
            for name in [name for name in table if name not in names and name not in self.open]:
                del table[name]
