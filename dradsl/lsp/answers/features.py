"""The questions an editor asks about a place, and who answers them."""

from __future__ import annotations

import os

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dradsl.lint.settings.config import LintConfig
from dradsl.lsp.answers import actions, completion, hover, navigation
from dradsl.lsp.answers.knowledge import Knowledge
from dradsl.lsp.answers.names import CLASS, Names
from dradsl.lsp.answers.words import about_rule
from dradsl.lsp.texts.cursor import cel_at, cursor_at
from dradsl.lsp.texts.outline import rows_around
from dradsl.lsp.texts.places import Places
from dradsl.lsp.texts.uris import path_of, uri_of
from dradsl.text.documents import load
from dradsl.text.paths import value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from dradsl.lsp.answers.names import Mention
    from dradsl.lsp.linting.engine import Engine
    from dradsl.lsp.texts.buffers import Buffer
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.text.documents import Stream

__all__ = ["Features"]


class Features:
    """Answers with the texts of the engine; names of a text that cannot be read now are those it last had."""

    METHODS: ClassVar[Sequence[tuple[str, str, object]]] = (
        (
            types.TEXT_DOCUMENT_COMPLETION,
            "completion",
            types.CompletionOptions(trigger_characters=[".", '"', "'", "[", " ", "/"]),
        ),
        (types.TEXT_DOCUMENT_HOVER, "hover", None),
        (
            types.TEXT_DOCUMENT_CODE_ACTION,
            "code_actions",
            types.CodeActionOptions(
                [
                    types.CodeActionKind.QuickFix,
                    types.CodeActionKind.RefactorRewrite,
                    actions.FIX_ALL,
                ]
            ),
        ),
        (types.TEXT_DOCUMENT_DEFINITION, "definition", None),
        (types.TEXT_DOCUMENT_REFERENCES, "references", None),
        (types.TEXT_DOCUMENT_PREPARE_RENAME, "prepare_rename", None),
        (types.TEXT_DOCUMENT_RENAME, "rename", types.RenameOptions(prepare_provider=True)),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "symbols", None),
        (types.TEXT_DOCUMENT_FORMATTING, "formatting", None),
    )

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names = Names()
        self._knowledge: tuple[LintConfig, Knowledge] | None = None

    # What is known.

    def _buffer(self, uri: str) -> Buffer | None:
        path = path_of(uri)
        return None if path is None else self._engine.buffers.open.get(path)

    def _stream(self, buffer: Buffer) -> Stream:
        """The text as it is now."""
        data = buffer.text.encode("utf-8", "surrogatepass")
        return self._engine.buffers.parse(buffer.path, data)

    def _places(self, buffer: Buffer) -> Places:
        return Places(buffer.text, self._engine.encoding)

    def _known(self, path: str) -> Knowledge:
        project = self._engine.project_of(path)
        try:
            config = LintConfig(root=os.path.dirname(path))
            if project is not None:
                config = project.config_of(path)
            if self._knowledge is None or self._knowledge[0] is not config:
                self._knowledge = (config, Knowledge(config))
        except (ValueError, OSError):
            # The mistake is shown in the configuration.
            if self._knowledge is None:
                config = LintConfig(root=os.path.dirname(path))
                self._knowledge = (config, Knowledge(config))
        return self._knowledge[1]

    def _mentions(self, path: str, *, now: bool = False) -> list[Mention]:
        """The names in the project of a file; with `now` open texts as they are, readable or not."""
        project = self._engine.project_of(path)
        files: dict[str, Stream] = {}
        if project is not None and project.work is not None:
            for source in (*project.work.context, *project.work.sources):
                files[os.path.abspath(source.name)] = source.stream
        for each, buffer in self._engine.buffers.open.items():
            if project is None or project.holds(each):
                stream = self._stream(buffer) if now else buffer.known
                if stream is not None:
                    files[each] = stream
        return self._names.all(files)

    def _near(self, cel: Cel, knowledge: Knowledge) -> str | None:
        """The driver that a selector is about: that of the class beside it."""
        try:
            holder = value_at(cel.manifest.data, cel.path[:-4])
        except (KeyError, IndexError, TypeError):
            return None
        name = holder.get("deviceClassName") if isinstance(holder, dict) else None
        return knowledge.driver_of_class(name)

    # Answers.

    def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """What may be written here."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        places = self._places(buffer)
        offset = places.offset(params.position)
        knowledge = self._known(buffer.path)
        items: list[types.CompletionItem] = []
        word = ""
        cel = cel_at(buffer.path, self._stream(buffer), offset) or _written(buffer, offset)
        if cel is not None:
            found = completion.in_cel(cel, knowledge, self._near(cel, knowledge))
            if found is not None:
                ahead, rows = found
                word = ahead.word
                items = [completion.item_of(row) for row in rows]
        else:
            mentions = self._mentions(buffer.path)
            word, items = completion.in_yaml(buffer.text, offset, knowledge, mentions)
        where = places.range(offset - len(word), offset)
        for number, item in enumerate(items):
            item.text_edit = types.TextEdit(where, item.insert_text or item.label)
            item.filter_text = item.insert_text or item.label
            item.sort_text = f"{number:05}"
        return types.CompletionList(is_incomplete=False, items=items)

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What stands here means."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        places, stream = self._places(buffer), self._stream(buffer)
        offset = places.offset(params.position)
        knowledge = self._known(buffer.path)
        parts, where = self._meaning(buffer, stream, offset, places, knowledge)
        seen: set[str] = set()
        for finding in self._engine.findings.get(buffer.path, ()):
            at = places.range_of(finding.span)
            within = at.start <= params.position <= at.end
            if within and finding.code not in seen:
                seen.add(finding.code)
                text = about_rule(finding.code)
                if text is not None:
                    parts.append(text)
        if not parts:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts))
        return types.Hover(content, where)

    def _meaning(
        self, buffer: Buffer, stream: Stream, offset: int, places: Places, knowledge: Knowledge
    ) -> tuple[list[str], types.Range | None]:
        cel = cel_at(buffer.path, stream, offset)
        if cel is not None:
            found = hover.of_cel(cel, knowledge, self._near(cel, knowledge))
            if found is None:
                return [], None
            text, start, end = found
            return [text], places.range(*cel.place(start, end))
        cursor = cursor_at(buffer.path, stream, offset)
        if cursor is None:
            text_of = _field_of_line(buffer, offset, knowledge)
            return ([text_of], None) if text_of else ([], None)
        where = places.range(cursor.start, cursor.end)
        if cursor.on_key:
            about = hover.of_field(cursor, knowledge)
        else:
            about = hover.of_value(cursor, knowledge)
            if about is None and cursor.path[-1:] == ("deviceClassName",):
                about = hover.of_name(cursor.node.text, CLASS, knowledge)
        return ([about], where) if about else ([], None)

    def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """What can be done about what is found here."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        places, stream = self._places(buffer), self._stream(buffer)
        if stream.text != buffer.text:
            return None  # a byte order mark: places are others
        at = (places.offset(params.range.start), places.offset(params.range.end))
        findings = self._engine.current(buffer)
        only = (
            None if params.context.only is None else [str(_value(k)) for k in params.context.only]
        )
        return actions.actions(
            buffer, stream, findings, at, places, params.context.diagnostics, only
        )

    def _mention(
        self, document: types.TextDocumentIdentifier, position: types.Position
    ) -> Mention | None:
        """The name at a place."""
        buffer = self._buffer(document.uri)
        if buffer is None:
            return None
        offset = self._places(buffer).offset(position)
        return navigation.mention_at(buffer.path, self._stream(buffer), offset)

    def _location(self, mention: Mention) -> types.Location:
        path = os.path.abspath(mention.manifest.path)
        places = Places(mention.manifest.source.stream.text, self._engine.encoding)
        return types.Location(self._uri(path), places.range_of(mention.span))

    def _uri(self, path: str) -> str:
        buffer = self._engine.buffers.open.get(path)
        return uri_of(path) if buffer is None else buffer.uri

    def definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        """Where the thing that is named here gets its name."""
        mention = self._mention(params.text_document, params.position)
        if mention is None:
            return None
        path = os.path.abspath(mention.manifest.path)
        every = self._mentions(path)
        found = [self._location(each) for each in navigation.definitions(mention, every)]
        if not found:
            shipped = navigation.in_driver_schema(mention, self._known(path))
            found = [] if shipped is None else [shipped]
        return found

    def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Where the thing that is named here is named."""
        mention = self._mention(params.text_document, params.position)
        if mention is None:
            return None
        every = self._mentions(os.path.abspath(mention.manifest.path))
        with_definition = params.context.include_declaration
        return [
            self._location(each)
            for each in navigation.references(mention, every)
            if with_definition or not each.defines
        ]

    def prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        """Whether the thing that is named here can get another name."""
        mention = self._mention(params.text_document, params.position)
        if mention is None or mention.kind not in navigation.RENAMED:
            return None
        return self._location(mention).range

    def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Give a claim, template or request another name, in all files."""
        mention = self._mention(params.text_document, params.position)
        if mention is None or mention.kind not in navigation.RENAMED:
            return None
        path = os.path.abspath(mention.manifest.path)
        every = self._mentions(path, now=True)
        try:
            return navigation.renamed(
                mention, params.new_name, every, self._engine.places, self._uri
            )
        except ValueError as error:
            raise JsonRpcInvalidParams(str(error)) from error

    def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        """The objects of a file."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        return navigation.symbols(buffer.path, self._stream(buffer), self._places(buffer))

    def formatting(self, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        """The selectors of a file in the form of `dradsl cel fmt`."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        return actions.formatted(buffer.path, self._stream(buffer), self._places(buffer))


def _value(kind: object) -> object:
    return getattr(kind, "value", kind)


def _field_of_line(buffer: Buffer, offset: int, knowledge: Knowledge) -> str | None:
    """The field of a line of a text that cannot be read."""
    rows, start = rows_around(buffer.text, offset)
    number = buffer.text.count("\n", start, offset)
    top = {str(row.path[0]): row.value.strip() for row in rows if len(row.path) == 1}
    row = next((row for row in rows if row.line == number), None)
    group, _, version = top.get("apiVersion", "").partition("/")
    if row is None or group != "resource.k8s.io":
        return None
    return hover.of_path(top.get("kind", ""), version, row.path, knowledge)


def _written(buffer: Buffer, offset: int) -> Cel | None:
    """The selector at a place of a text that cannot be read: its document, ended behind the cursor's line."""
    rows, start = rows_around(buffer.text, offset)
    if not any(row.path[-2:] == ("cel", "expression") for row in rows):
        return None
    end = buffer.text.find("\n", offset)
    text = buffer.text[start : len(buffer.text) if end < 0 else end]
    stream = load(text.encode("utf-8", "surrogatepass"))
    return cel_at(buffer.path, stream, offset - start)
