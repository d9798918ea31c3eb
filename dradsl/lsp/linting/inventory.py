"""Recorded objects in files, read again only when a file changes: a recording may be large."""

from __future__ import annotations

import os

from dradsl.lint.view.recorded import RecordedObjects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.text.files import StrPath

__all__ = ["Inventories"]

_Marks = tuple[tuple[str, int, int, int], ...]


class Inventories:
    """The objects of recordings by the paths that name them. The same files give the same tuple."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[_Marks, RecordedObjects]] = {}

    def read(self, paths: Sequence[StrPath]) -> RecordedObjects:
        """The objects in files and folders.

        Raises:
            RecordingError: for what cannot be read.
        """
        from dradsl.recordings import find_recordings, read_recording

        key = tuple(os.path.abspath(path) for path in paths)
        files = [file for path in paths for file in find_recordings(path)]
        marks = []
        for file in files:
            try:
                status = os.stat(file)
            except OSError:
                marks.append((str(file), 0, 0, 0))  # the reader says why
                continue
            marks.append((str(file), status.st_mtime_ns, status.st_size, status.st_ino))
        found = self._known.get(key)
        if found is None or found[0] != tuple(marks):
            objects = RecordedObjects(each for file in files for each in read_recording(file))
            found = self._known[key] = (tuple(marks), objects)
        return found[1]

    def holds(self, path: str) -> bool:
        """Whether a file is one of those that were read, or lies in a folder of them."""
        return any(
            path == each or path.startswith(each.rstrip("/") + "/")
            for key in self._known
            for each in key
        )
