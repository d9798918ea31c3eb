"""The files of trees, as overlays read them: each once, nothing outside, and objects out of their texts.

Upstream: kustomize api/internal/loader, kyaml kio/byteio_reader.go, api/resource/factory.go.
"""

from __future__ import annotations

import os
from itertools import pairwise

from dradsl.text.documents import Document, Stream, load
from dradsl.text.files import FileError, is_below
from dradsl.text.nodes import MappingNode, Node, ScalarNode, SequenceNode
from dradsl.text.splitting import has_marks
from dradsl.tree.files import Tree
from dradsl.tree.nodes import OLD_WORDS, KustomizeError, SourceDocument, SourcePlace, ValueNode, of
from dradsl.values import limits
from dradsl.values.limits import LARGEST_BUILT_FILE, MOST_BUILT_BYTES
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, NoReturn


__all__ = ["Files", "KustomizeError", "TextFile", "is_remote", "objects_in"]


# Texts as go-yaml v3 reads and writes them, where it differs from what the API server reads: `yes` and `on` are texts
# there. A folded block (`>`) gets one more line end before a line that is indented, since the emitter looks at the
# beginning of the text in place of what follows (yaml_emitter_write_folded_scalar).

_WORD = r"(?:[yY]|[nN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF)"
_USED = pattern(
    rf"(?m)[:\-,\[{{][ \t]*{_WORD}[ \t]*(?:$|#|,|\]|\}}|:[ \t\n])|^[ \t]*{_WORD}[ \t]*:"
)
_FOLDED = pattern(r"(?m)[:\-][ \t]+>[-+0-9]*[ \t]*(?:#.*)?$")


def _rewritten(document: Document) -> object:
    """The data of a document as Kustomize gives it out."""
    text = document.text
    if _USED.search(text) is None and (_FOLDED.search(text) is None):
        return document.data
    root = document.root
    return document.data if root is None else _data(root)


def _data(node: Node) -> object:
    if isinstance(node, MappingNode):
        made = {}
        for entry in node.entries:
            name = entry.name
            if name in ("true", "false") and entry.key.text in OLD_WORDS:
                name = entry.key.text
            made[name] = _data(entry.value)
        return made
    if isinstance(node, SequenceNode):
        return [_data(item) for item in node.items]
    return _scalar(node)


def _scalar(node: ScalarNode) -> object:
    value = node.value
    if isinstance(value, bool) and node.style == "" and node.tag is None and node.text in OLD_WORDS:
        return node.text
    if node.style == ">" and isinstance(value, str) and ("\n " in value or "\n\t" in value):
        return folded(value)
    return value


def folded(text: str) -> str:
    """What a folded block says after it was written once more."""
    first = text.lstrip("\n")[:1]
    if first in ("", " ", "\t"):
        return text
    lines = text.split("\n")
    made = [lines[0]]
    for before, line in pairwise(lines):
        # One more where a run of line ends begins behind a line that is not indented.
        if before and before[0] not in " \t" and line[:1] in (" ", "\t"):
            made.append("")
        made.append(line)
    return "\n".join(made)


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
            of(_rewritten(document), SourcePlace(SourceDocument(self.file, document, self.within)))
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
