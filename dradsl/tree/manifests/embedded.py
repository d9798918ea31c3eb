"""Manifests and values within ConfigMaps: documents in the strings of `data`, at their place in the file.

A block of text (`claim.yaml: |`) is read where it stands, with its indentation, so that places and
fixes hold in the file. A string in another form is read as the text that it stands for; its places
are those of the file, and nothing in it is fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dradsl.records import Record
from dradsl.text import mentions
from dradsl.text.documents import Document, read_parts
from dradsl.text.lines import MappedLines
from dradsl.text.nodes import ScalarNode
from dradsl.text.paths import locate
from dradsl.text.splitting import holds_template_signs, split, split_indented
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import Manifest, manifests_in
from dradsl.values.limits import LONGEST_MAPPED

__all__ = ["Embedded", "embedded_in", "manifests_embedded"]

_ENDINGS = (".yaml", ".yml", ".json")


class Embedded(Record):
    """A document in a ConfigMap: under which key it stands, and in whose object."""

    key: str
    host: Manifest
    document: Document

    @property
    def is_file(self) -> bool:
        """Whether the key is the name of a file of YAML or JSON."""
        return self.key.endswith(_ENDINGS)

    @property
    def is_whole(self) -> bool:
        """Whether the document says what object it is, or was meant to."""
        if self.document.data is not None:
            return any(True for _ in manifests_in(self.host.source, (self.document,)))
        lines = self.document.text.split("\n")
        says = {line.strip().partition(":")[0] for line in lines}
        return {"apiVersion", "kind"} <= says and not holds_template_signs(self.document.text)


def embedded_in(source: SourceText) -> tuple[Embedded, ...]:
    """The documents in ConfigMaps that hold objects, or may be values of a chart."""
    if "ConfigMap" not in source.stream.text:
        return ()
    return tuple(_found(manifests_in(source, source.stream.documents)))


def manifests_embedded(embedded: Iterable[Embedded]) -> Iterator[Manifest]:
    """The objects in documents within ConfigMaps."""
    for each in embedded:
        yield from manifests_in(each.host.source, (each.document,))


def _found(hosts: Iterable[Manifest]) -> Iterator[Embedded]:
    seen: set[int] = set()
    for host in hosts:
        data = host.data.get("data")
        if host.kind != "ConfigMap" or host.group or not isinstance(data, dict):
            continue
        for key, value in data.items():
            if not isinstance(key, str) or not isinstance(value, str):
                continue
            if ("apiVersion" in value and "kind" in value) or mentions.CLAIM_VALUES.is_in(value):
                scalar = _scalar(host, key)
                if scalar is not None and scalar.start not in seen:
                    seen.add(scalar.start)
                    for document in _documents(scalar, host.document.index):
                        yield Embedded(key, host, document)


def _scalar(host: Manifest, key: str) -> ScalarNode | None:
    root = host.document.root
    if root is None:
        return None
    found = locate(root, (*host.prefix, "data", key))
    return found.node if found.exact and isinstance(found.node, ScalarNode) else None


def _documents(scalar: ScalarNode, index: int) -> Iterator[Document]:
    block = _block(scalar) if scalar.style == "|" else None
    if block is not None:
        start, width = block
        chunks = split_indented(scalar.lines.text, start, scalar.end, width)
        yield from read_parts(chunks, scalar.lines, index)
        return
    from dradsl.text.characters import character_ranges

    ranges = character_ranges(scalar) if len(scalar.text) <= LONGEST_MAPPED else None
    if ranges:
        lines = MappedLines(scalar.text, scalar.lines, ranges)
        yield from read_parts(split(scalar.text), lines, index)


def _block(scalar: ScalarNode) -> tuple[int, int] | None:
    """Where the content of a literal block begins, and its indentation.

    None if the lines of the file are not the lines of the string, indented.
    """
    text = scalar.lines.text
    start = text.find("\n", scalar.start, scalar.end) + 1
    if not start:
        return None
    written = [line.removesuffix("\r") for line in text[start : scalar.end].split("\n")]
    first = next((line for line in written if line.strip()), "")
    inner = next((line for line in scalar.text.split("\n") if line.strip()), "")
    width = len(first) - len(inner)
    if width < 0 or any(line.strip() and line[:width].strip(" ") for line in written):
        return None
    same = "\n".join(line[width:] for line in written).strip() == scalar.text.strip()
    return (start, width) if same else None
