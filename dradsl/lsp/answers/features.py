"""The questions an editor asks about a place, and who answers them."""

from __future__ import annotations

import contextlib
import os

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dradsl.lsp.answers import actions, chart_values, completion, hover, navigation, recipes
from dradsl.lsp.fleet.asking import LateError
from dradsl.lsp.selectors import hints, tokens
from dradsl.lsp.selectors.hints import Costs
from dradsl.lsp.selectors.lookups import ahead_of, lookup_at
from dradsl.lsp.texts.cursor import cel_at, cursor_at
from dradsl.lsp.texts.outline import rows_around
from dradsl.lsp.texts.places import Places
from dradsl.lsp.workspace.index import CLAIM, CLASS, TEMPLATE
from dradsl.lsp.workspace.markdown import about_rule
from dradsl.lsp.workspace.related_objects import can_be_placed
from dradsl.text.documents import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from dradsl.lsp.texts.buffers import Buffer
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.workspace.devices import Found
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.lsp.workspace.editor_state import EditorState
    from dradsl.lsp.workspace.index import Mention
    from dradsl.text.documents import Stream
    from dradsl.tree.manifests.manifest import Manifest


__all__ = ["Features"]

_TRIGGERS = (".", '"', "'", "[", " ", "/")


class Features:
    """Answers to the requests of the protocol that are about a place or a text."""

    METHODS: ClassVar[Sequence[tuple[str, str, object]]] = (
        (types.TEXT_DOCUMENT_CODE_ACTION, "code_actions", types.CodeActionOptions(actions.KINDS)),
        (types.TEXT_DOCUMENT_DEFINITION, "definition", None),
        (types.TEXT_DOCUMENT_REFERENCES, "references", None),
        (types.TEXT_DOCUMENT_PREPARE_RENAME, "prepare_rename", None),
        (types.TEXT_DOCUMENT_RENAME, "rename", types.RenameOptions(prepare_provider=True)),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "symbols", None),
        (types.TEXT_DOCUMENT_FORMATTING, "formatting", None),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, "semantic_tokens", tokens.FULL),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, "semantic_tokens", tokens.LEGEND),
    )
    SLOW: ClassVar[Sequence[tuple[str, str, object]]] = (
        (types.TEXT_DOCUMENT_COMPLETION, "completion", types.CompletionOptions(_TRIGGERS)),
        (types.TEXT_DOCUMENT_HOVER, "hover", None),
        (types.TEXT_DOCUMENT_INLAY_HINT, "inlay_hints", types.InlayHintOptions()),
    )
    """Those that may wait for the recorded devices: the editor can cancel them."""

    def __init__(self, state: EditorState) -> None:
        self._state = state
        self._costs: Costs | None = None

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """What may be written here."""
        buffer = self._state.buffer(params.text_document.uri)
        if buffer is None:
            return None
        places = self._state.places(buffer)
        offset = places.offset(params.position)
        knowledge = self._state.knowledge(buffer.path)
        items: list[types.CompletionItem] = []
        word = ""
        cel = cel_at(buffer.path, self._state.stream(buffer), offset) or _written(buffer, offset)
        known = chart_values.keys_before(buffer, self._state.engine.buffers, offset)
        if known is not None:
            word, items = known[0], [completion.item_of(row) for row in known[1]]
        elif cel is not None:
            ahead = ahead_of(cel.text, cel.at)
            if ahead is not None:
                recorded = self._state.recorded(buffer.path, knowledge)
                seen = (
                    []
                    if recorded is None
                    else await self._state.devices.values(recorded, ahead.way)
                )
                rows = completion.in_cel(
                    ahead, knowledge, self._state.driver_near(cel, knowledge), seen
                )
                word = ahead.word
                items = [completion.item_of(row) for row in rows]
        else:
            mentions = self._state.mentions(buffer.path)
            snippets = self._state.engine.takes_snippets
            word, items = completion.in_yaml(
                self._state.open_text(buffer), offset, knowledge, mentions, snippets=snippets
            )
        where = places.range(offset - len(word), offset)
        for number, item in enumerate(items):
            item.text_edit = types.TextEdit(where, item.insert_text or item.label)
            item.filter_text = item.label
            item.sort_text = f"{number:05}"
        return types.CompletionList(is_incomplete=False, items=items)

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What is here means."""
        buffer = self._state.buffer(params.text_document.uri)
        if buffer is None:
            return None
        places, stream = self._state.places(buffer), self._state.stream(buffer)
        offset = places.offset(params.position)
        knowledge = self._state.knowledge(buffer.path)
        parts, where = self._meaning(buffer, stream, offset, places, knowledge)
        parts += await self._shown(buffer, stream, offset, knowledge)
        seen: set[str] = set()
        for finding in self._state.engine.findings.get(buffer.path, ()):
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
        self, buffer: Buffer, stream: Stream, offset: int, places: Places, knowledge: DriverInfo
    ) -> tuple[list[str], types.Range | None]:
        of_chart = chart_values.value_at(buffer, self._state.engine.buffers, offset)
        if of_chart is not None:
            return [chart_values.shown(*of_chart)], None
        cel = cel_at(buffer.path, stream, offset)
        if cel is not None:
            found = hover.of_cel(cel, knowledge, self._state.driver_near(cel, knowledge))
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

    async def _shown(
        self, buffer: Buffer, stream: Stream, offset: int, knowledge: DriverInfo
    ) -> list[str]:
        """What recorded devices say of a place: values, devices that match, whether it fits."""
        recorded = self._state.recorded(buffer.path, knowledge)
        if recorded is None:
            return []
        devices, seconds = self._state.devices, self._state.engine.settings.seconds
        cel = cel_at(buffer.path, stream, offset)
        if cel is not None:
            found = lookup_at(cel.text, cel.at)
            values = None
            if found is not None and found.call is None:
                values = await devices.about_values(recorded, found.way, seconds)
            mentions = self._state.mentions(buffer.path)
            matches = await devices.about_matches(cel, mentions, knowledge, recorded, seconds)
            return [text for text in (values, matches) if text]
        manifest, mentions = self._placeable(buffer, stream, offset)
        if manifest is None:
            return []
        text = await devices.about_placed(manifest, mentions, knowledge, recorded, seconds)
        return [text] if text else []

    def _placeable(
        self, buffer: Buffer, stream: Stream, offset: int
    ) -> tuple[Manifest | None, list[Mention]]:
        """The object that can be placed, at its kind or name or where a pod names it; with all names."""
        cursor = cursor_at(buffer.path, stream, offset)
        if cursor is None or cursor.on_key:
            return None, []
        mentions = self._state.mentions(buffer.path)
        manifest = cursor.manifest
        if cursor.path in (("kind",), ("metadata", "name")):
            return (manifest if can_be_placed(manifest) else None), mentions
        named = navigation.mention_at(buffer.path, stream, offset)
        if named is None or named.kind not in (CLAIM, TEMPLATE) or named.defines:
            return None, mentions
        found = navigation.definitions(named, mentions)
        return (found[0].manifest if found else None), mentions

    def _read(
        self, document: types.TextDocumentIdentifier, *, long: bool
    ) -> tuple[Buffer, Places, Stream] | None:
        """An open file, a long one too; none with a byte order mark: its places are others."""
        buffer = self._state.buffer(document.uri)
        if buffer is None or (buffer.is_long and not long):
            return None
        places, stream = self._state.places(buffer), self._state.stream(buffer)
        return (buffer, places, stream) if len(stream.text) == len(buffer.text) else None

    async def inlay_hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        """What selectors cost, and how many recorded devices match."""
        read = self._read(params.text_document, long=False)
        if read is None:
            return None
        buffer, places, stream = read
        settings, knowledge = self._state.engine.settings, self._state.knowledge(buffer.path)
        at = (places.offset(params.range.start), places.offset(params.range.end))
        cels = list(hints.selectors_within(buffer.path, stream, at))
        found: list[Found | None] = [None] * len(cels)
        recorded = self._state.recorded(buffer.path, knowledge)
        if cels and recorded is not None and settings.match_hints:
            mentions = self._state.mentions(buffer.path)
            with contextlib.suppress(LateError):
                found = await self._state.devices.matches(
                    cels, mentions, knowledge, recorded, settings.seconds
                )
        if self._costs is None or self._costs.knowledge is not knowledge:
            self._costs = Costs(knowledge)
        costs = [self._costs.of(cel.text) if settings.cost_hints else None for cel in cels]
        rows = zip(cels, costs, found, strict=True)
        made = [hints.hint(cel, places, cost, matches) for cel, cost, matches in rows]
        return [each for each in made if each is not None]

    def semantic_tokens(
        self, params: types.SemanticTokensParams | types.SemanticTokensRangeParams
    ) -> types.SemanticTokens | None:
        """What the words of selectors are."""
        read = self._read(params.text_document, long=False)
        if read is None:
            return None
        buffer, places, stream = read
        within = None
        if isinstance(params, types.SemanticTokensRangeParams):
            within = (places.offset(params.range.start), places.offset(params.range.end))
        return tokens.tokens(buffer.path, stream, places, within)

    def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """What can be done about what is found here."""
        read = self._read(params.text_document, long=True)
        if read is None:
            return None
        buffer, places, stream = read
        at = (places.offset(params.range.start), places.offset(params.range.end))
        findings = self._state.engine.current(buffer)
        only = params.context.only
        if only is not None:
            only = [str(getattr(kind, "value", kind)) for kind in only]
        found = actions.actions(
            buffer, stream, findings, at, places, params.context.diagnostics, only
        )
        if only is None or "refactor.rewrite.".startswith(tuple(f"{each}." for each in only)):
            knowledge = self._state.knowledge(buffer.path)
            classes = (m.name for m in self._state.mentions(buffer.path) if m.kind == CLASS)
            drivers = {*filter(None, map(knowledge.driver_of_class, classes)), *knowledge.named}
            found += recipes.claim_actions(buffer, stream, at[0], places, knowledge, drivers)
        return found

    def _mention(
        self, document: types.TextDocumentIdentifier, position: types.Position
    ) -> Mention | None:
        """The name at a place."""
        buffer = self._state.buffer(document.uri)
        if buffer is None:
            return None
        offset = self._state.places(buffer).offset(position)
        return navigation.mention_at(buffer.path, self._state.stream(buffer), offset)

    def definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        """Where the thing that is named here gets its name, or its value."""
        if (value := self._chart_value(params)) is not None:
            return [value]
        mention = self._mention(params.text_document, params.position)
        if mention is None:
            return None
        path = os.path.abspath(mention.manifest.path)
        every = self._state.mentions(path)
        found = [self._state.location(each) for each in navigation.definitions(mention, every)]
        if not found:
            shipped = navigation.in_driver_schema(mention, self._state.knowledge(path))
            found = [] if shipped is None else [shipped]
        return found

    def _chart_value(self, params: types.DefinitionParams) -> types.Location | None:
        """Where the value is written that an action of a template is about."""
        buffer = self._state.buffer(params.text_document.uri)
        if buffer is None:
            return None
        offset = self._state.places(buffer).offset(params.position)
        found = chart_values.value_at(buffer, self._state.engine.buffers, offset)
        span = None if found is None else found[0].span(found[1])
        if found is None or span is None:
            return None
        places = Places(found[0].document.lines.text, self._state.engine.encoding)
        return types.Location(
            self._state.uri(os.path.abspath(found[0].path)), places.range_of(span)
        )

    def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Where the thing that is named here is named."""
        mention = self._mention(params.text_document, params.position)
        if mention is None:
            return None
        every = self._state.mentions(os.path.abspath(mention.manifest.path))
        with_definition = params.context.include_declaration
        return [
            self._state.location(each)
            for each in navigation.references(mention, every)
            if with_definition or not each.defines
        ]

    def prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        """Whether the thing that is named here can get another name."""
        mention = self._mention(params.text_document, params.position)
        if mention is None or mention.kind not in navigation.RENAMED:
            return None
        return self._state.location(mention).range

    def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Give a claim, template or request another name, in all files."""
        mention = self._mention(params.text_document, params.position)
        if mention is None or mention.kind not in navigation.RENAMED:
            return None
        path = os.path.abspath(mention.manifest.path)
        every = self._state.mentions(path, now=True)
        try:
            return navigation.renamed(
                mention, params.new_name, every, self._state.engine.places, self._state.uri
            )
        except ValueError as error:
            raise JsonRpcInvalidParams(str(error)) from error

    def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        """The objects of a file."""
        buffer = self._state.buffer(params.text_document.uri)
        if buffer is None:
            return None
        return navigation.symbols(
            buffer.path, self._state.stream(buffer), self._state.places(buffer)
        )

    def formatting(self, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        """The selectors of a file in the form of `dradsl cel fmt`."""
        buffer = self._state.buffer(params.text_document.uri)
        if buffer is None:
            return None
        return actions.formatted(
            buffer.path, self._state.stream(buffer), self._state.places(buffer)
        )


def _field_of_line(buffer: Buffer, offset: int, knowledge: DriverInfo) -> str | None:
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
