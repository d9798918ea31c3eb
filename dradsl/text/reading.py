"""One chunk of a stream to data: composed, converted, and every complaint put in its place."""

from __future__ import annotations

import re

from dradsl.records import dataclass
from dradsl.text.compose import RawNode, TooDeepError, compose, may_hold_aliases
from dradsl.text.plain import Complaint, convert
from dradsl.text.pyyaml import yaml
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ReadDocument", "compose_document", "read_chunk"]

_END_MARKER = pattern(r"^\.\.\.(?=[ \t\r\n]|\Z)[^\n]*\n(?P<rest>(?s:.*))", re.MULTILINE)
_CONTENT = pattern(r"^[ \t]*[^\s#].*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document found in a chunk: its place in the chunk, data, and complaints."""

    start: int
    end: int
    data: object
    complaints: tuple[Complaint, ...]


def read_chunk(chunk: str, max_depth: int, max_nodes: int) -> Sequence[ReadDocument]:
    """The documents of a chunk: none if it holds nothing, several only for JSON set end to end."""
    try:
        root = compose(chunk, max_depth)
    except yaml.YAMLError as error:
        return tuple(_read_unparsable(chunk, error, max_depth, max_nodes))
    except TooDeepError as error:
        return (_broken(chunk, _too_deep(error, max_depth)),)
    reading = _convert(chunk, 0, len(chunk), root, max_depth, max_nodes)
    return () if reading is None else (reading,)


def compose_document(text: str, max_depth: int) -> RawNode | None:
    """The nodes of a document that `read_chunk` has read before, None if it holds nothing."""
    try:
        return compose(text, max_depth)
    except yaml.YAMLError:
        from dradsl.text.json_text import compose_json

        return next((root for _, _, root in compose_json(text, max_depth)), None)


def _convert(
    chunk: str, start: int, end: int, root: RawNode | None, max_depth: int, max_nodes: int
) -> ReadDocument | None:
    if root is None:
        return None
    question = _question_in_flow(chunk, root) if "?" in chunk else None
    if question is not None:
        return _broken(chunk, question)
    try:
        data, complaints = convert(root, max_depth, max_nodes, may_hold_aliases(chunk))
    except TooDeepError as error:
        return _broken(chunk, _too_deep(error, max_depth))
    if "\n..." in chunk or chunk.startswith("..."):
        complaints += tuple(_content_after_end(chunk))
    if data is None and not complaints:
        # An explicit null: kubectl passes it over.
        return None
    return ReadDocument(start, end, data, complaints)


def _question_in_flow(chunk: str, root: RawNode) -> Complaint | None:
    """An unquoted `?` within `{}` or `[]`: go-yaml takes it for a key indicator, libyaml does not.

    scannerc.go, yaml_parser_scan_plain_scalar.
    """
    pending = [(root, "")]
    while pending:
        node, closing = pending.pop()
        if node.__class__ is yaml.ScalarNode:
            if closing and "?" in node.value and node.style == "":
                offset = chunk.find("?", node.start_mark.index)
                problem = f"did not find expected ',' or '{closing}'"
                message = "an unquoted ? within {} or [] begins a key; put the text in quotes"
                upstream = f"error converting YAML to JSON: yaml: {problem}"
                return Complaint("yaml-syntax", message, offset, offset + 1, upstream)
        elif node.__class__ is yaml.MappingNode:
            closing = "}" if node.flow_style else ""
            pending += [(child, closing) for pair in reversed(node.value) for child in pair[::-1]]
        elif node.__class__ is yaml.SequenceNode:
            closing = "]" if node.flow_style else ""
            pending += [(child, closing) for child in reversed(node.value)]
    return None


def _broken(chunk: str, complaint: Complaint) -> ReadDocument:
    return ReadDocument(0, len(chunk), None, (complaint,))


def _too_deep(error: TooDeepError, max_depth: int) -> Complaint:
    message = f"nested more than {max_depth} levels deep"
    return Complaint("too-deep", message, error.offset, error.offset + 1)


def _read_unparsable(
    chunk: str, error: yaml.YAMLError, max_depth: int, max_nodes: int
) -> Iterator[ReadDocument]:
    """JSON that is no YAML (several objects, surrogate pairs), or one complaint."""
    if chunk.lstrip()[:1] == "{":
        from dradsl.text.json_text import JsonError, compose_json

        try:
            composed = list(compose_json(chunk, max_depth))
        except (JsonError, TooDeepError):
            composed = []
        if composed:
            for start, end, root in composed:
                reading = _convert(chunk, start, end, root, max_depth, max_nodes)
                if reading is not None:
                    yield reading
            return
    yield _broken(chunk, _syntax_complaint(chunk, error))


def _syntax_complaint(chunk: str, error: yaml.YAMLError) -> Complaint:
    if isinstance(error, yaml.reader.ReaderError):
        offset = _character_offset(chunk, error.position)
        message = f"character U+{_code(error.character):04X} is not allowed: {error.reason}"
        upstream = f"error converting YAML to JSON: yaml: {error.reason}"
        return Complaint("encoding", message, offset, offset + 1, upstream)
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem is None:
        return Complaint("yaml-syntax", str(error), 0, 0)
    mark = error.problem_mark or error.context_mark
    offset = min(mark.index, len(chunk)) if mark is not None else 0
    upstream = f"error converting YAML to JSON: yaml: {_upstream_line(error)}{error.problem}"
    tab = _tab_in_indentation(chunk, offset)
    if tab is not None:
        message = "a tab indents this line; YAML allows only spaces there"
        return Complaint("tab-indent", message, tab, tab + 1, upstream)
    message, context = error.problem, None
    if error.context and error.context_mark is not None:
        message, context = f"{message} {error.context}", error.context_mark.index
        if error.context in ("while scanning a simple key", "while scanning a quoted scalar"):
            offset, context = (
                context,
                None,
            )  # the line that is no key, the quotes that nothing closes
    end = offset + 1 if offset < len(chunk) and chunk[offset] not in "\r\n" else offset
    return Complaint("yaml-syntax", message, offset, end, upstream, context=context)


def _upstream_line(error: yaml.MarkedYAMLError) -> str:
    """The line that go-yaml names, counted in the chunk (parser.fail in its decode.go)."""
    line = 0
    if isinstance(error, yaml.composer.ComposerError):
        return ""
    if error.problem_mark is not None and error.problem_mark.line != 0:
        line = error.problem_mark.line + isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark is not None:
        line = error.context_mark.line
    return f"line {line}: " if line else ""


def _tab_in_indentation(chunk: str, offset: int) -> int | None:
    start = chunk.rfind("\n", 0, offset) + 1
    for index in range(start, len(chunk)):
        if chunk[index] == "\t":
            return index
        if chunk[index] != " ":
            return None
    return None


def _content_after_end(chunk: str) -> Iterator[Complaint]:
    """Text after a line `...`: the reader never sees it."""
    marker = _END_MARKER.search(chunk)
    rest = marker and _CONTENT.search(chunk, marker.start("rest"))
    if rest:
        message = "after the document's end marker `...` nothing is read up to the next `---`"
        yield Complaint("content-after-end", message, rest.start(), rest.end(), fatal=False)


def _character_offset(chunk: str, position: int) -> int:
    return len(chunk.encode("utf-8", "surrogatepass")[:position].decode("utf-8", "ignore"))


def _code(character: object) -> int:
    return ord(character) if isinstance(character, str) else int(str(character))
