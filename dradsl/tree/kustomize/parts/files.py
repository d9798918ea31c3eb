"""The files of trees, as overlays read them: each once, nothing outside, and objects out of their texts.

Upstream: kustomize api/internal/loader, kyaml kio/byteio_reader.go, api/resource/factory.go.
"""

from __future__ import annotations

import os

from dradsl.text.documents import load
from dradsl.text.files import FileError, is_below
from dradsl.text.splitting import has_marks
from dradsl.tree.files import Tree
from dradsl.tree.kustomize.parts.rewriting import rewritten
from dradsl.tree.nodes import SourceDocument, SourcePlace, ValueNode, of
from dradsl.values import limits
from dradsl.values.limits import LARGEST_BUILT_FILE, MOST_BUILT_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, NoReturn

    from dradsl.text.documents import Stream

__all__ = ["Files", "KustomizeError", "TextFile", "is_remote", "objects_in"]


class KustomizeError(ValueError):
    """Kustomize rejects the build; `at` is the place that says what it rejects, or None."""

    def __init__(self, message: str, at: SourcePlace | None = None) -> None:
        super().__init__(message)
        self.at = at


class TextFile:
    """A file, or a text within one, as documents."""

    __slots__ = ("data", "file", "stream", "within")

    def __init__(
        self,
        file: str,
        data: bytes,
        within: SourcePlace | None = None,
        stream: Stream | None = None,
    ) -> None:
        """`stream` is what the data was parsed to, if it was parsed already."""
        self.file = file
        self.data = data
        self.within = within
        self.stream: Stream = load(data) if stream is None else stream

    def documents(self) -> list[ValueNode]:
        """The documents that hold something.

        Raises:
            KustomizeError: if one is broken.
        """
        problems = [
            each for each in self.stream.all_problems() if each.fatal and each.reason != "separator"
        ]
        if problems:
            reason = problems[0].message
            raise KustomizeError(
                f"{os.path.basename(self.file)}: MalformedYAMLError: {reason}", self.within
            )
        return [
            of(rewritten(document), SourcePlace(SourceDocument(self.file, document, self.within)))
            for document in self.stream.documents
        ]


class BuildBudget:
    """What all builds of one reading of the files may make; `spent` names what was too much."""

    def __init__(self) -> None:
        self.objects = 0
        self.filled = 0
        self.spent: dict[str, None] = {}

    def build(self, objects: int, here: int) -> None:
        """Count the `objects` of a kustomization.

        Raises:
            KustomizeError: if they are too many, or all that were counted.
        """
        self.objects += objects
        if here > limits.MOST_BUILT_HERE:
            self.reject(f"a build makes more than {limits.MOST_BUILT_HERE:,} objects", None)
        if self.objects > limits.MOST_BUILT:
            self.reject(f"all builds make more than {limits.MOST_BUILT:,} objects", None)

    def fill(self, characters: int, at: SourcePlace | None) -> None:
        """Count characters that variables came to.

        Raises:
            KustomizeError: if all that were counted are too many.
        """
        self.filled += characters
        if self.filled > limits.MOST_FILLED_IN_ALL:
            self.reject(
                f"variables make more than {limits.MOST_FILLED_IN_ALL >> 20} MiB in all builds", at
            )

    def reject(self, message: str, at: SourcePlace | None) -> NoReturn:
        """End a build that makes too much.

        Raises:
            KustomizeError: always.
        """
        place = "" if at is None else f"{os.path.relpath(at.origin.file).replace(os.sep, '/')}: "
        self.spent[place + message] = None
        raise KustomizeError(message, at)


class Files:
    """Files below some folders, each read once. `steps` counts what was read and looked at."""

    def __init__(self, roots: Iterable[str], parsed: Mapping[str, Stream] | None = None) -> None:
        """`parsed` are files that were read before, by their real paths."""
        self._parsed = parsed or {}
        self._roots = tuple(os.path.realpath(root) for root in roots)
        self._tree = Tree(self._roots)
        self._texts: dict[str, TextFile | None] = {}
        self._raw: dict[str, bytes | None] = {}
        self._left = MOST_BUILT_BYTES
        self._real: dict[str, str] = {}
        self.steps = 0
        self.budget = BuildBudget()
        self.shared: dict[tuple[str, str, str], Any] = {}  # built alike for several objects

    def is_inside(self, path: str) -> bool:
        """Whether a real path is below the folders."""
        return any(is_below(path, root) for root in self._roots)

    def real(self, path: str) -> str:
        """The real path of a path; nothing is there for what no file can be called."""
        found = self._real.get(path)
        if found is None:
            name = path.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
            found = self._real[path] = os.path.realpath(name)
        return found

    def of_source(self, top: str, path: str) -> str | None:
        """The real path of a path in a source of Flux with the top `top`; None if a link leads out of it.

        Steps up stop at the top, as in upstream's SecureJoin (kustomize-controller 1.6,
        internal/controller/kustomization_controller.go).
        """
        found = self.real(os.path.join(top, os.path.normpath(f"/{path}").lstrip("/")))
        return found if is_below(found, self.real(top)) else None

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder at a path, links followed."""
        return self._tree.is_folder(path)

    def is_file(self, path: str) -> bool:
        """Whether there is a file at a path, links followed."""
        return self._tree.is_file(path)

    def walk(self, folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
        """A folder and those below, each with the names of its folders and files, as `os.walk` gives them."""
        return self._tree.walk(folder)

    def read(self, path: str) -> bytes | None:
        """The bytes at a real path; None if it is outside, missing or cannot be read."""
        if path not in self._raw:
            self.steps += 1
            data = None
            if self._left > 0:
                try:
                    data = self._tree.read(path, LARGEST_BUILT_FILE)
                except (FileError, ValueError):
                    data = None
            self._left -= len(data or b"")
            self._raw[path] = data
        return self._raw[path]

    def text(self, path: str) -> TextFile | None:
        """The file at a real path."""
        if path not in self._texts:
            data = self.read(path)
            stream = self._parsed.get(path)
            if stream is not None and (stream.is_template or has_marks(stream.text)):
                stream = None  # read with variables without quotes, which Kustomize has not
            self._texts[path] = None if data is None else TextFile(path, data, stream=stream)
        return self._texts[path]


def is_remote(text: str) -> bool:
    """Whether an entry names something of another machine: an address, or a repository of git."""
    lowered = text.lower()
    head = lowered.split("/", 1)[0]
    return (
        "://" in lowered
        or lowered.startswith(("git::", "git@", "github.com/", "github.com:", "gh:"))
        or "?ref=" in lowered
        or "_git/" in lowered
        or (".git" in lowered and "." in head and head not in (".", ".."))
    )


def objects_in(text: TextFile) -> list[ValueNode]:
    """The objects in a file, lists taken apart.

    Raises:
        KustomizeError: if Kustomize takes the file for broken.
    """
    documents = [each for each in text.documents() if not each.is_null]
    if len(documents) == 1:
        only = documents[0]
        kind, items = only.get("kind"), only.get("items")
        if kind is not None and kind.text in ("List", "ResourceList") and items is not None:
            documents = list(items.items)
    made: list[ValueNode] = []
    waiting = [each for each in documents if _is_object(each, text)]
    while waiting:
        node = waiting.pop(0)
        kind = node.get("kind")
        items = node.get("items")
        if kind is None or not kind.text.endswith("List") or items is None:
            made.append(node)
            continue
        if items.is_null:
            continue
        if not items.is_seq:
            raise KustomizeError(f"expected array in {kind.text}/items", node.at)
        waiting += [each for each in items.items if _is_object(each, text)]
    return made


def _is_object(node: ValueNode, text: TextFile) -> bool:
    if node.is_empty:
        return False
    name = os.path.basename(text.file)
    if not node.is_map:
        raise KustomizeError(f"{name}: missing Resource metadata", node.at)
    kind = node.get("kind")
    if kind is None or not kind.is_scalar or kind.is_null or not kind.text:
        raise KustomizeError(f"{name}: missing kind in object", node.at)
    if kind.text.endswith("List"):
        return True
    found = node.get("metadata", "name")
    if found is None or not found.is_scalar or found.is_null or not found.text:
        raise KustomizeError(
            f"{name}: missing metadata.name in object of kind {kind.text}", node.at
        )
    return True
