"""Values on their way through a build: trees that never change, in which each part knows where it was written.

A part that nothing has touched is the plain data of its document, whatever its size. A change makes new
nodes on the way to it alone, so overlays share what they do not change.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from dradsl.text.documents import Document
from dradsl.text.nodes import MappingNode, Node as TextNode, SequenceNode
from dradsl.text.paths import FieldPath
from dradsl.text.scalars import ScalarError, resolve

__all__ = [
    "OLD_WORDS",
    "KustomizeError",
    "SourceDocument",
    "SourcePlace",
    "ValueNode",
    "mapping",
    "of",
    "placed",
    "scalar",
    "sequence",
    "text_of",
]


class KustomizeError(ValueError):
    """Kustomize rejects the build; `at` is the place that says what it rejects, or None."""

    def __init__(self, message: str, at: SourcePlace | None = None) -> None:
        super().__init__(message)
        self.at = at


@contextlib.contextmanager
def placed(at: SourcePlace | None, before: str = "") -> Iterator[None]:
    """Give an error that has no place this one, and a text before its message."""
    try:
        yield
    except KustomizeError as error:
        error.at = error.at or at
        error.args = (f"{before}{error}",)
        raise


class SourceDocument:
    """A document that values come from: of the file at the real path `file`.

    A document that stands as a text within another one has the place of that text in `within`.
    """

    __slots__ = ("document", "file", "within")

    def __init__(self, file: str, document: Document, within: SourcePlace | None = None) -> None:
        self.file = file
        self.document = document
        self.within = within


class SourcePlace:
    """Where a value was written: a document, and the way to the value in it."""

    __slots__ = ("above", "key", "origin")

    def __init__(
        self, origin: SourceDocument, above: SourcePlace | None = None, key: str | int = ""
    ) -> None:
        self.origin = origin
        self.above = above
        self.key = key

    def to(self, *keys: str | int) -> SourcePlace:
        """The place of what is below."""
        at = self
        for key in keys:
            at = SourcePlace(self.origin, at, key)
        return at

    @property
    def path(self) -> FieldPath:
        """The way from the top of the document."""
        keys: list[str | int] = []
        at: SourcePlace | None = self
        while at is not None and at.above is not None:
            keys.append(at.key)
            at = at.above
        return tuple(reversed(keys))

    def written(self) -> TextNode | None:
        """The positioned node; None if the document has none there."""
        node = self.origin.document.root
        for key in self.path:
            if isinstance(node, MappingNode):
                node = node.get(str(key))
            elif isinstance(node, SequenceNode) and isinstance(key, int) and key < len(node.items):
                node = node.items[key]
            else:
                return None
        return node


_UNSET = object()

_TAGS: Mapping[type, str] = {str: "str", bool: "bool", int: "int", float: "float"}


class ValueNode:
    """A mapping, a sequence or a scalar.

    A scalar has its `text`, and the `tag` that says what the text means: `str`, `int`, `float`, `bool`,
    `null`, or "" where the text itself says it. `keep` is a null that a merge leaves alone.
    """

    __slots__ = ("_data", "_kids", "_quoted", "_tag", "_text", "at", "keep")

    def __init__(
        self,
        data: object,
        at: SourcePlace | None,
        kids: dict[str, ValueNode] | list[ValueNode] | None = None,
        text: str | None = None,
        tag: str | None = None,
        *,
        quoted: bool | None = None,
    ) -> None:
        self._data = data
        self._kids = kids
        self._text = text
        self._tag = tag
        self._quoted = quoted
        self.at = at
        self.keep = False

    # Kinds

    @property
    def is_map(self) -> bool:
        return isinstance(self._kids, dict) or isinstance(self._data, dict)

    @property
    def is_seq(self) -> bool:
        return isinstance(self._kids, list) or isinstance(self._data, list)

    @property
    def is_scalar(self) -> bool:
        return not (self.is_map or self.is_seq)

    @property
    def is_null(self) -> bool:
        return self.is_scalar and self.tag == "null"

    @property
    def is_empty(self) -> bool:
        """Null, or a mapping or sequence of nothing."""
        if self.is_scalar:
            return self.tag == "null"
        return not (self._kids if self._kids is not None else self._data)

    # What is below

    @property
    def fields(self) -> Mapping[str, ValueNode]:
        """The entries of a mapping; of anything else none."""
        if self._kids is None and isinstance(self._data, dict):
            at = self.at
            self._kids = {
                key: ValueNode(value, at.to(key) if at is not None else None)
                for key, value in self._data.items()
            }
        return self._kids if isinstance(self._kids, dict) else {}

    @property
    def items(self) -> Sequence[ValueNode]:
        """The items of a sequence; of anything else none."""
        if self._kids is None and isinstance(self._data, list):
            at = self.at
            self._kids = [
                ValueNode(value, at.to(index) if at is not None else None)
                for index, value in enumerate(self._data)
            ]
        return self._kids if isinstance(self._kids, list) else ()

    def get(self, *names: str) -> ValueNode | None:
        """What is under a name, or a way of names."""
        node: ValueNode | None = self
        for name in names:
            if node is None or not node.is_map:
                return None
            node = node.fields.get(name)
        return node

    def with_field(self, name: str, value: ValueNode | None) -> ValueNode:
        """This mapping with another value under a name; None takes the name out."""
        fields = dict(self.fields)
        if value is None:
            if name not in fields:
                return self
            del fields[name]
        else:
            if fields.get(name) is value:
                return self
            fields[name] = value
        return mapping(fields, self.at)

    def with_items(self, items: list[ValueNode]) -> ValueNode:
        """This sequence with other items."""
        same = all(a is b for a, b in zip(items, self.items, strict=True))
        return self if same else sequence(items, self.at)

    # Scalars

    @property
    def text(self) -> str:
        """The characters of a scalar; nothing for anything else."""
        if self._text is None:
            self._text = "" if not self.is_scalar else _text(self._data, self.at)
        return self._text

    @property
    def tag(self) -> str:
        if self._tag is None:
            data = self._data
            self._tag = "null" if data is None else _TAGS.get(data.__class__, "")
        return self._tag

    @property
    def quoted(self) -> bool:
        """Whether the scalar is in quotes or a block, which makes a string of any text."""
        if self._quoted is None:
            written = self.at.written() if self.at is not None else None
            style = getattr(written, "style", "")
            self._quoted = bool(style)
        return self._quoted

    def quoted_as(self, tag: str) -> bool:
        """Whether the quotes stay where another scalar takes this one's place; asked where it matters."""
        return bool(self._quoted) if tag == "str" else self.quoted

    def items_at(self, *names: str) -> list[ValueNode]:
        """The items of the sequence there; none where there is no sequence."""
        found = self.get(*names)
        return [] if found is None else [*found.items]

    def is_true(self, *names: str) -> bool:
        """Whether `true` is there."""
        found = self.get(*names)
        return found is not None and found.plain() is True

    def plain(self) -> object:
        """The value as plain data, as Kustomize writes it. Do not change it."""
        if self._data is _UNSET:
            kids = self._kids
            if isinstance(kids, dict):
                self._data = {key: kid.plain() for key, kid in kids.items()}
            elif isinstance(kids, list):
                self._data = [kid.plain() for kid in kids]
            else:
                self._data = _value(self.text, self.tag, quoted=bool(self._quoted))
        return self._data


def of(data: object, at: SourcePlace | None) -> ValueNode:
    """Plain data that was written at a place."""
    return ValueNode(data, at)


def mapping(fields: dict[str, ValueNode], at: SourcePlace | None) -> ValueNode:
    """A mapping of nodes."""
    return ValueNode(_UNSET, at, fields)


def sequence(items: list[ValueNode], at: SourcePlace | None) -> ValueNode:
    """A sequence of nodes."""
    return ValueNode(_UNSET, at, items)


def scalar(
    text: str, at: SourcePlace | None, tag: str = "str", *, like: ValueNode | None = None
) -> ValueNode:
    """A scalar that a build writes; it keeps the quotes of the one in whose place it stands."""
    # Quotes matter to what is no string: `"1"` that becomes 2 is "2".
    quoted = like is not None and like.is_scalar and like.quoted_as(tag)
    return ValueNode(_UNSET, at, None, text, tag, quoted=quoted)


def text_of(node: ValueNode | None) -> str:
    """The text of a scalar that is there and not null."""
    return "" if node is None or not node.is_scalar or node.tag == "null" else node.text


def _text(data: object, at: SourcePlace | None) -> str:
    if isinstance(data, str):
        return data
    written = at.written() if at is not None else None
    text = getattr(written, "text", None)
    if isinstance(text, str):
        return text
    if data is None:
        return "null"
    if isinstance(data, bool):
        return "true" if data else "false"
    return str(data)


# What only YAML 1.1 takes for a truth value; go-yaml v3, with which Kustomize writes, does not.
OLD_WORDS = frozenset(
    form
    for word in ("y", "n", "yes", "no", "on", "off")
    for form in (word, word.title(), word.upper())
)
_FULL = "tag:yaml.org,2002:"


def _value(text: str, tag: str, *, quoted: bool) -> object:
    if tag == "null":
        return None
    if tag == "str" or quoted or text in OLD_WORDS:
        return text
    try:
        if tag == "":
            return resolve(text) if text else None
        return resolve(text, "", _FULL + tag)
    except ScalarError as error:
        raise KustomizeError(str(error)) from error
