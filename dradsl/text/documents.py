"""The bytes of a file to positioned documents, one broken document not hiding the others.

The stream is split as kubectl splits it (apimachinery pkg/util/yaml, `YAMLReader`): at lines that
start with `---`, before any YAML is parsed.
"""

from __future__ import annotations

import gc

from dradsl.diagnostics import Span
from dradsl.records import cached, dataclass, field, replace
from dradsl.text.compose import may_hold_aliases
from dradsl.text.decoding import DecodedText, DecodingError, decode, encode, undecodable
from dradsl.text.files import MANIFEST_BYTES, SETTINGS_BYTES
from dradsl.text.lines import Lines
from dradsl.text.plain import Complaint
from dradsl.text.reading import ReadDocument, compose_document, read_chunk
from dradsl.text.splitting import is_template, source_comment, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.text.nodes import Node
    from dradsl.text.splitting import Chunk

__all__ = [
    "DEFAULT_LIMITS",
    "SCHEMA_LIMITS",
    "SETTINGS_LIMITS",
    "Document",
    "Limits",
    "Stream",
    "TextProblem",
    "expand_list",
    "load",
    "read_parts",
]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost: its bytes and signs (colons, commas and line ends, so about the nodes),
    the characters and signs of a document, its levels, and the nodes that aliases expand to: none
    at all means no aliases.

    The API server takes requests of 3 MiB; a document of a million signs needs 500 MB here, a file
    of eight million in many documents that have nothing in common 1.6 GB: so 60 MiB of small claims pass.
    """

    max_bytes: int = MANIFEST_BYTES
    max_file_separators: int = 8_000_000
    max_document: int = 16 * 1024 * 1024
    max_separators: int = 1_000_000
    max_depth: int = 128
    max_nodes: int = 4_000_000


DEFAULT_LIMITS = Limits()

_LONG = 256 * 1024  # characters of a stream that is worth it to compare its documents

SETTINGS_LIMITS = Limits(
    max_bytes=SETTINGS_BYTES,
    max_document=SETTINGS_BYTES,
    max_separators=20_000,
    max_depth=32,
    max_nodes=0,
)
"""For what people write for dradsl itself: configuration and answers."""

SCHEMA_LIMITS = Limits(
    max_bytes=SETTINGS_BYTES,
    max_document=SETTINGS_BYTES,
    max_separators=100_000,
    max_depth=32,
    max_nodes=100_000,
)
"""For driver schemas and recipes, which name parts once and use them again."""


@dataclass(frozen=True, slots=True)
class TextProblem:
    """What is wrong with a stream or document as text.

    `reason` is one of: too-large, binary, encoding (of streams, encoding of documents too),
    separator, yaml-syntax, tab-indent, too-deep, alias, alias-bomb, alias-loop, duplicate-key,
    repeated-key (a duplicate with an equal value),
    invalid-key, merge-value, unreadable-scalar, content-after-end. `upstream` is what kubectl
    prints, `related` the first key of a duplicate. If `fatal`, the document has no data.
    """

    reason: str
    message: str
    span: Span
    upstream: str | None = None
    related: Span | None = None
    fatal: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document of a stream: `data` is what the API server would get, None if it is broken.

    `index` counts documents that hold something, from 0; `start` and `end` are offsets in the
    stream's text without the separator lines. `source_comment` is the path that `helm template`
    writes above a document (`# Source: chart/templates/x.yaml`). `masked` says that it is YAML only
    after `${...}` in it has been replaced. Do not change `data`: copy it.
    """

    index: int
    start: int
    end: int
    data: object
    problems: tuple[TextProblem, ...]
    source_comment: str | None
    lines: Lines = field(repr=False)
    max_depth: int = field(repr=False, default=DEFAULT_LIMITS.max_depth)
    masked: bool = False

    @cached
    def root(self) -> Node | None:
        """The document's nodes; None if it is broken. Built when first asked for."""
        if any(problem.fatal for problem in self.problems):
            return None
        # Composed again rather than kept: most documents are never asked for their nodes.
        from dradsl.text.masking import mask
        from dradsl.text.tree import build_tree

        text = (mask(self.text) or self.text) if self.masked else self.text
        raw = compose_document(text, self.max_depth)
        if raw is None:
            return None
        return build_tree(
            raw, self.start, self.lines, aliases=may_hold_aliases(text), masked=self.masked
        )

    @property
    def text(self) -> str:
        """The document as written."""
        return self.lines.text[self.start : self.end]

    @property
    def span(self) -> Span:
        """Where the document stands, without blank lines and comments around its content."""
        root = self.root
        return root.span if root else self.lines.span(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """A file's text and documents. `problems` are those of the stream alone.

    Offsets and columns count code points of `text`, which is without byte order mark.
    `is_template` says that this is the source of a template, not YAML. `splitter` finds the parts
    of the text in which documents stand. `variables` says that `${...}` was taken for a text where
    the text is no YAML otherwise.
    """

    text: str = field(repr=False)
    lines: Lines = field(repr=False)
    documents: tuple[Document, ...]
    problems: tuple[TextProblem, ...]
    is_template: bool
    encoding: str = "utf-8"
    splitter: Callable[[str], Iterator[Chunk]] = field(repr=False, default=split)
    variables: bool = False

    @property
    def is_page(self) -> bool:
        """Whether documents are in parts of the text only, as in a Markdown file."""
        return self.splitter is not split

    def reread(self, text: str) -> Stream:
        """The stream that the same file gives with the content `text`."""
        return load(self.encode(text), splitter=self.splitter, variables=self.variables)

    def encode(self, text: str) -> bytes:
        """`text` as bytes in the encoding of the file, with its byte order mark if it has one."""
        return encode(text, self.encoding)

    def all_problems(self) -> Iterator[TextProblem]:
        """The problems of the stream and of all documents."""
        yield from self.problems
        for document in self.documents:
            yield from document.problems


def load(
    data: bytes,
    limits: Limits = DEFAULT_LIMITS,
    splitter: Callable[[str], Iterator[Chunk]] = split,
    *,
    variables: bool = False,
    parts_once: bool = False,
) -> Stream:
    """The documents in `data`, which may be YAML or JSON. Never raises for what it contains.

    `splitter` finds the parts in which they stand, where the file as a whole is no YAML. With
    `variables` a document that is no YAML is read once more with each `${...}` taken for a text. With
    `parts_once` equal parts of a long stream are one value, also within one document: a deep copy of it has them
    so as well, and what is changed in one place changes in the other.
    """
    try:
        decoded = decode(data, limits.max_bytes)
    except DecodingError as error:
        lines = Lines("")
        problem = TextProblem(error.reason, str(error), Span.point(1, 1))
        return Stream("", lines, (), (problem,), is_template=False)
    # Counted before anything is built of it.
    signs = _signs(decoded.text, limits.max_file_separators)
    if signs > limits.max_file_separators:
        message = f"file is too large: it has {signs} colons, commas and lines; the limit is {limits.max_file_separators}"
        problem = TextProblem("too-large", message, Span.point(1, 1))
        return Stream("", Lines(""), (), (problem,), is_template=False)
    with _CollectorPaused():
        return _read(
            decoded,
            Lines(decoded.text),
            limits,
            splitter,
            variables=variables,
            parts_once=parts_once,
        )


def _signs(text: str, most: int) -> int:
    """How many colons, commas and lines a text has; 0 if it is too short to have more than `most`."""
    if len(text) <= most:
        return 0
    return text.count("\n") + text.count(":") + text.count(",")


class _CollectorPaused:
    """Nodes hold no cycles, but a million of them make the collector run again and again."""

    __slots__ = ("_enabled",)

    def __enter__(self) -> None:
        self._enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            gc.enable()


def expand_list(data: object) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """The objects in `data` with their paths: itself, or the items of a `kind: List`.

    What has a list under `items` is a list (apimachinery `Unstructured.IsList`), nested ones too.
    """
    if not (isinstance(data, dict) and "items" in data):
        yield (), data
        return
    pending: list[tuple[tuple[str | int, ...], object]] = [((), data)]
    while pending:
        path, value = pending.pop()
        items = value.get("items") if isinstance(value, dict) else None
        if isinstance(items, list):
            found = [((*path, "items", index), item) for index, item in enumerate(items)]
            pending += reversed(found)
        else:
            yield path, value


def _read(
    decoded: DecodedText,
    lines: Lines,
    limits: Limits,
    splitter: Callable[[str], Iterator[Chunk]],
    *,
    variables: bool,
    parts_once: bool = False,
) -> Stream:
    text = decoded.text
    problems: list[TextProblem] = []
    interner = None
    if len(text) > _LONG:
        from dradsl.text.interning import WORTH_SHARING, Interner

        interner = Interner(parts=parts_once)
    documents: list[Document] = []
    for chunk in splitter(text):
        if chunk.separator is not None:
            problems.append(_separator_problem(chunk.separator, lines))
        for document in _documents(
            chunk, lines, len(documents), decoded.damaged, limits, variables=variables
        ):
            # Aliases may stand for very much more than is written.
            if (
                interner is not None
                and document.end - document.start <= WORTH_SHARING
                and not may_hold_aliases(document.text)
            ):
                interner.intern(document.data)
            documents.append(document)
    broken = [document.text for document in documents if document.data is None]
    template = is_template(text, broken)
    return Stream(
        text,
        lines,
        tuple(documents),
        tuple(problems),
        template,
        decoded.encoding,
        splitter,
        variables,
    )


def _documents(
    chunk: Chunk,
    lines: Lines,
    index: int,
    damaged: bool,
    limits: Limits,
    *,
    variables: bool = False,
) -> Iterator[Document]:
    text, base = lines.text, chunk.start
    readings = _read_chunk(text[base : chunk.end], damaged, limits)
    masked = None
    if variables and any(reading.data is None for reading in readings):
        masked = _read_masked(text[base : chunk.end], damaged, limits)
    for number, reading in enumerate(readings if masked is None else masked, index):
        start, end = base + reading.start, base + reading.end
        complaints = reading.complaints
        found = tuple([_problem(each, base, lines) for each in complaints]) if complaints else ()
        source = source_comment(text, base, chunk.end)
        yield Document(
            number,
            start,
            end,
            reading.data,
            found,
            source,
            lines,
            limits.max_depth,
            masked is not None,
        )


def read_parts(chunks: Iterable[Chunk], lines: Lines, index: int) -> Iterator[Document]:
    """The documents in parts of a text, such as manifests within a ConfigMap.

    All of them have the `index` of the document in which they stand.
    """
    with _CollectorPaused():
        for chunk in chunks:
            for document in _documents(chunk, lines, index, False, DEFAULT_LIMITS):
                yield document if document.index == index else replace(document, index=index)


def _read_masked(chunk: str, damaged: bool, limits: Limits) -> list[ReadDocument] | None:
    """The documents of a chunk with its variables taken for text; None if that does not help."""
    from dradsl.text.masking import mask, unmasked

    masked = mask(chunk)
    readings = () if masked is None else _read_chunk(masked, damaged, limits)
    if not readings or any(reading.data is None for reading in readings):
        return None
    return [replace(reading, data=unmasked(reading.data)) for reading in readings]


def _read_chunk(chunk: str, damaged: bool, limits: Limits) -> Sequence[ReadDocument]:
    if len(chunk) > limits.max_document:
        message = f"document has {len(chunk)} characters; the limit is {limits.max_document}"
        return (ReadDocument(0, len(chunk), None, (Complaint("too-large", message, 0, 0),)),)
    signs = _signs(chunk, limits.max_separators)
    if signs > limits.max_separators:
        message = f"document is too large: it has {signs} colons, commas and lines; the limit is {limits.max_separators}"
        return (ReadDocument(0, len(chunk), None, (Complaint("too-large", message, 0, 0),)),)
    bad = undecodable(chunk) if damaged else None
    if bad is not None:
        message = f"byte 0x{ord(chunk[bad]) - 0xDC00:02X} is not valid UTF-8"
        complaint = Complaint("encoding", message, bad, bad + 1, "yaml: invalid UTF-8")
        return (ReadDocument(0, len(chunk), None, (complaint,)),)
    return read_chunk(chunk, limits.max_depth, limits.max_nodes)


def _separator_problem(place: tuple[int, int], lines: Lines) -> TextProblem:
    rest = lines.text[place[0] + 3 : place[1]].strip()
    return TextProblem(
        "separator",
        "only a comment may follow the document separator `---` on its line",
        lines.span(*place),
        f"invalid Yaml document separator: {rest}",
    )


def _problem(complaint: Complaint, base: int, lines: Lines) -> TextProblem:
    related = complaint.related
    message = complaint.message
    if complaint.context is not None:
        message += f" that begins on line {lines.position(base + complaint.context)[0]}"
    return TextProblem(
        complaint.reason,
        message,
        lines.span(base + complaint.start, base + complaint.end),
        complaint.upstream,
        lines.span(base + related[0], base + related[1]) if related else None,
        complaint.fatal,
    )
