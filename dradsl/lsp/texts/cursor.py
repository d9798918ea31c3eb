"""What is at an offset of a text that can be read: the object, the field, and within a selector the CEL."""

from __future__ import annotations

from dradsl.records import dataclass
from dradsl.text.characters import character_ranges
from dradsl.text.nodes import MappingNode, ScalarNode, SequenceNode
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, manifest_at, manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.text.documents import Stream
    from dradsl.text.nodes import Node
    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["Cel", "Cursor", "cel_at", "cel_texts", "cursor_at", "source_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Cursor:
    """An object, the path in it, and whether the key is meant; `start` and `end` are offsets in the file."""

    manifest: Manifest
    path: FieldPath
    on_key: bool
    node: ScalarNode
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Cel:
    """A selector with the cursor at `at` of its text; `ranges` are the places of its characters in the file."""

    manifest: Manifest
    path: FieldPath
    node: ScalarNode
    text: str
    at: int
    ranges: tuple[tuple[int, int], ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the file of a part of the text."""
        if not self.ranges:
            return self.node.start, self.node.end
        first = self.ranges[start][0] if start < len(self.ranges) else self.ranges[-1][1]
        last = self.ranges[end - 1][1] if 0 < end <= len(self.ranges) else first
        return first, max(first, last)


def source_of(path: str, stream: Stream) -> SourceText:
    """The file as the readers of objects take it."""
    return SourceText(path, stream)


def _objects_of(path: str, stream: Stream) -> Iterator[Manifest]:
    """The objects of a file, those in values too."""
    source = source_of(path, stream)
    yield from manifests_of(source)
    for document in stream.documents if source.holds_values else ():
        from dradsl.tree.charts.values_objects import objects_in

        for prefix, data in objects_in(document.data):
            found = manifest_at(source, document, prefix, data) if prefix else None
            if found is not None:
                yield found


def cursor_at(path: str, stream: Stream, offset: int) -> Cursor | None:
    """The scalar at an offset; None between them and where nothing can be read."""
    for manifest in _objects_of(path, stream):
        document = manifest.document
        if not document.start <= offset <= document.end:
            continue
        node = manifest.node
        if node.start <= offset <= node.end:
            found = _descend(node, offset, ())
            if found is not None:
                fields, on_key, scalar = found
                return Cursor(manifest, fields, on_key, scalar, scalar.start, scalar.end)
    return None


def _descend(node: Node, offset: int, path: FieldPath) -> tuple[FieldPath, bool, ScalarNode] | None:
    if isinstance(node, ScalarNode):
        return (path, False, node) if node.start <= offset <= node.end else None
    if isinstance(node, MappingNode):
        for entry in node.entries:
            if entry.merged or entry.alias is not None:
                continue
            if entry.key.start <= offset <= entry.key.end:
                return (*path, entry.name), True, entry.key
            value = entry.value
            if value.start <= offset <= value.end:
                return _descend(value, offset, (*path, entry.name))
        return None
    for index, item in enumerate(node.items):
        if node.aliases[index] is None and item.start <= offset <= item.end:
            return _descend(item, offset, (*path, index))
    return None


def _is_selector(manifest: Manifest, path: FieldPath) -> bool:
    return manifest.group == RESOURCE_GROUP and path[-2:] == ("cel", "expression")


def cel_at(path: str, stream: Stream, offset: int) -> Cel | None:
    """The selector in which an offset stands, or behind whose last character it stands."""
    cursor = cursor_at(path, stream, offset)
    if cursor is None:
        before = stream.text[:offset]
        end = len(before.rstrip(" "))
        found = cel_at(path, stream, end) if 0 < end < offset else None
        if found is None or found.text[found.at :].strip():
            return None
        text = found.text[: found.at] + before[end:]
        return Cel(found.manifest, found.path, found.node, text, len(text), found.ranges)
    if cursor.on_key or not _is_selector(cursor.manifest, cursor.path):
        return None
    return _cel(cursor.manifest, cursor.path, cursor.node, offset)


def _cel(manifest: Manifest, path: FieldPath, node: ScalarNode, offset: int) -> Cel:
    ranges = tuple(character_ranges(node) or ())
    at = sum(1 for _, end in ranges if end <= offset)
    return Cel(manifest, path, node, node.text, at, ranges)


def cel_texts(path: str, stream: Stream) -> Iterator[Cel]:
    """Every selector of a file."""
    for manifest in _objects_of(path, stream):
        if manifest.group == RESOURCE_GROUP and "cel" in manifest.document.text:
            for fields, node in _scalars(manifest.node, ()):
                if _is_selector(manifest, fields):
                    yield _cel(manifest, fields, node, node.start)


def _scalars(node: Node, path: FieldPath) -> Iterator[tuple[FieldPath, ScalarNode]]:
    if isinstance(node, ScalarNode):
        yield path, node
    elif isinstance(node, MappingNode):
        for entry in node.entries:
            if not entry.merged and entry.alias is None:
                yield from _scalars(entry.value, (*path, entry.name))
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            if node.aliases[index] is None:
                yield from _scalars(item, (*path, index))
