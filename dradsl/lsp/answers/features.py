"""The questions an editor asks about a place, and who answers them."""

from __future__ import annotations

import asyncio
import contextlib
import os
from functools import partial

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dradsl.lint.input.manifests import manifests_of
from dradsl.lint.settings.config import LintConfig
from dradsl.lsp.answers import actions, completion, hints, hover, migration, navigation, tokens
from dradsl.lsp.answers.devices import RecordedDevices
from dradsl.lsp.answers.gathering import can_be_placed
from dradsl.lsp.answers.hints import Costs
from dradsl.lsp.answers.knowledge import Knowledge
from dradsl.lsp.answers.lookups import ahead_of, lookup_at
from dradsl.lsp.answers.names import CLAIM, CLASS, REQUEST, TEMPLATE, Names
from dradsl.lsp.answers.words import about_rule
from dradsl.lsp.fleet.asking import LateError
from dradsl.lsp.fleet.listing import inventory_of
from dradsl.lsp.fleet.words import about_placed, late
from dradsl.lsp.texts.cursor import cel_at, cursor_at, source_of
from dradsl.lsp.texts.outline import rows_around
from dradsl.lsp.texts.places import Places
from dradsl.lsp.texts.uris import path_of, uri_of
from dradsl.text.documents import load
from dradsl.text.paths import value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lsp.answers.devices import Found
    from dradsl.lsp.answers.names import Mention
    from dradsl.lsp.fleet.recorded import Recorded
    from dradsl.lsp.linting.engine import Engine
    from dradsl.lsp.texts.buffers import Buffer
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.text.documents import Stream
    from dradsl.values.json_types import JsonObject

    Inventory = Sequence[Mapping[str, object]]

__all__ = ["MIGRATE", "Features"]

MIGRATE = "dradsl.migrate"
"""The command that gives the pods of a file claims: `[uri]`."""

MIGRATION_SECONDS = 60.0
WARM_SECONDS = 60.0
_MOST_KNOWLEDGE = 6
_AT_ONCE = 50


class Features:
    """Answers with the texts of the engine; names of a text that cannot be read now are those it last had."""

    METHODS: ClassVar[Sequence[tuple[str, str, object]]] = (
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
        (
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
            "semantic_tokens",
            types.SemanticTokensRegistrationOptions(tokens.LEGEND, full=True),
        ),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, "semantic_tokens", tokens.LEGEND),
    )
    SLOW: ClassVar[Sequence[tuple[str, str, object]]] = (
        (
            types.TEXT_DOCUMENT_COMPLETION,
            "completion",
            types.CompletionOptions(trigger_characters=[".", '"', "'", "[", " ", "/"]),
        ),
        (types.TEXT_DOCUMENT_HOVER, "hover", None),
        (types.TEXT_DOCUMENT_INLAY_HINT, "inlay_hints", types.InlayHintOptions()),
        ("dradsl/inventory", "inventory", None),
        ("dradsl/claims", "claims", None),
        ("dradsl/why", "why", None),
    )
    """Those that may wait for the recorded devices: the editor can cancel them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names = Names()
        self.devices = RecordedDevices()
        self._knowledge: list[tuple[object, Inventory, Knowledge]] = []
        self._preparing: dict[object, asyncio.Task[None]] = {}
        self._costs: Costs | None = None

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
        config, inventory = LintConfig(root=os.path.dirname(path)), self._inventory(path)
        # What is wrong with a configuration is shown there.
        with contextlib.suppress(ValueError, OSError):
            if project is not None:
                config = project.config_of(path)
        try:
            return self._knowledge_of(config, inventory)
        except (ValueError, OSError):
            return self._knowledge_of(LintConfig(root=os.path.dirname(path)), inventory)

    def _knowledge_of(self, config: LintConfig, inventory: Inventory) -> Knowledge:
        """What is known by a configuration: the same as before if nothing is another."""
        key = (
            config.kube_version,
            tuple(sorted(config.feature_gates.items())),
            tuple(sorted(config.driver_versions.items())),
            # The files of the user's own schemas may have changed since.
            config if config.driver_schema else None,
        )
        for each in self._knowledge:
            if each[0] == key and each[1] is inventory:
                return each[2]
        if not inventory:
            return self._remember(key, inventory, Knowledge(config))
        self._prepare(key, config, inventory)
        return self._knowledge_of(config, ())

    def _remember(self, key: object, inventory: Inventory, found: Knowledge) -> Knowledge:
        self._knowledge = [(key, inventory, found), *self._knowledge[: _MOST_KNOWLEDGE - 1]]
        return found

    def _prepare(self, key: object, config: LintConfig, inventory: Inventory) -> None:
        """Find out beside the editor's messages what recorded objects show; a fleet may be large."""
        mark = (id(inventory), key)
        if mark in self._preparing:
            return

        async def prepare() -> None:
            try:
                work = partial(_knowledge, config, inventory)
                found = await self.devices.asker.ask(work, WARM_SECONDS)
                self._remember(key, inventory, found)
            except (LateError, ValueError, OSError):
                pass  # what is wrong is shown by lint
            finally:
                del self._preparing[mark]

        self._preparing[mark] = asyncio.get_running_loop().create_task(prepare())

    def _inventory(self, path: str) -> Inventory:
        """The recorded objects for a file."""
        project = self._engine.project_of(path)
        return () if project is None or project.work is None else project.work.inventory

    def _recorded(self, path: str, knowledge: Knowledge) -> Recorded | None:
        return self.devices.recorded(self._inventory(path), knowledge)

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

    async def warm(self) -> None:
        """Read the recorded devices before somebody asks for them."""
        for root in list(self._engine.projects):
            recorded = self._recorded(root, self._known(os.path.join(root, "x")))
            while self._preparing:
                await asyncio.wait(list(self._preparing.values()))
            if recorded is not None:
                with contextlib.suppress(LateError):
                    await self.devices.asker.ask(partial(_read, recorded), WARM_SECONDS)

    # Answers.

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
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
            ahead = ahead_of(cel.text, cel.at)
            if ahead is not None:
                recorded = self._recorded(buffer.path, knowledge)
                seen = [] if recorded is None else await self.devices.values(recorded, ahead.way)
                rows = completion.in_cel(ahead, knowledge, self._near(cel, knowledge), seen)
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

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What stands here means."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        places, stream = self._places(buffer), self._stream(buffer)
        offset = places.offset(params.position)
        knowledge = self._known(buffer.path)
        parts, where = self._meaning(buffer, stream, offset, places, knowledge)
        parts += await self._shown(buffer, stream, offset, knowledge)
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

    async def _shown(
        self, buffer: Buffer, stream: Stream, offset: int, knowledge: Knowledge
    ) -> list[str]:
        """What recorded devices say of a place: values, devices that match, whether it fits."""
        recorded = self._recorded(buffer.path, knowledge)
        if recorded is None:
            return []
        devices, seconds = self.devices, self._engine.settings.seconds
        cel = cel_at(buffer.path, stream, offset)
        if cel is not None:
            found = lookup_at(cel.text, cel.at)
            values = None
            if found is not None and found.call is None:
                values = await devices.about_values(recorded, found.way, seconds)
            mentions = self._mentions(buffer.path)
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
        mentions = self._mentions(buffer.path)
        manifest = cursor.manifest
        if cursor.path in (("kind",), ("metadata", "name")):
            return (manifest if can_be_placed(manifest) else None), mentions
        named = navigation.mention_at(buffer.path, stream, offset)
        if named is None or named.kind not in (CLAIM, TEMPLATE) or named.defines:
            return None, mentions
        found = navigation.definitions(named, mentions)
        return (found[0].manifest if found else None), mentions

    async def inlay_hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        """What selectors cost, and how many recorded devices match."""
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        if buffer.is_long:
            return None
        places, stream = self._places(buffer), self._stream(buffer)
        if stream.text != buffer.text:
            return None
        settings, knowledge = self._engine.settings, self._known(buffer.path)
        at = (places.offset(params.range.start), places.offset(params.range.end))
        cels = list(hints.selectors_within(buffer.path, stream, at))
        found: list[Found | None] = [None] * len(cels)
        recorded = self._recorded(buffer.path, knowledge)
        if cels and recorded is not None and settings.match_hints:
            mentions = self._mentions(buffer.path)
            with contextlib.suppress(LateError):
                found = await self.devices.matches(
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
        buffer = self._buffer(params.text_document.uri)
        if buffer is None:
            return None
        if buffer.is_long:
            return None
        places, stream = self._places(buffer), self._stream(buffer)
        if stream.text != buffer.text:
            return None
        within = None
        if isinstance(params, types.SemanticTokensRangeParams):
            within = (places.offset(params.range.start), places.offset(params.range.end))
        return tokens.tokens(buffer.path, stream, places, within)

    # Lists, for trees.

    async def inventory(self, _params: object) -> list[JsonObject]:
        """The recorded devices of each folder; `devices` are null where they took too long."""
        result = []
        for root, project in self._engine.projects.items():
            recorded = self._recorded(root, self._known(os.path.join(root, "x")))
            if recorded is None or not project.is_folder:
                continue
            try:
                work = partial(_listed, recorded)
                drivers = await self.devices.asker.ask(work, 10 * self._engine.settings.seconds)
            except LateError:
                drivers = None
            row = {"uri": uri_of(root), "name": os.path.basename(root), "drivers": drivers}
            result.append({**row, "whole": not recorded.cut})
        return result

    async def claims(self, _params: object) -> list[JsonObject]:
        """The claims and templates of each folder, with what uses them."""
        found: dict[tuple[object, ...], dict[str, object]] = {}
        for root in self._engine.projects:
            mentions = self._mentions(root)
            uses: dict[object, list[Mention]] = {}
            requests: dict[object, list[str]] = {}
            for each in mentions:
                if each.kind == REQUEST and each.defines:
                    requests.setdefault(each.scope, []).append(each.name)
                elif each.kind in (CLAIM, TEMPLATE) and not each.defines:
                    uses.setdefault(each.key, []).append(each)
            for each in mentions:
                # Folders may hold each other.
                if each.kind in (CLAIM, TEMPLATE) and each.defines:
                    place = (os.path.abspath(each.manifest.path), *each.manifest.key[1:])
                    if place not in found:
                        if len(found) % _AT_ONCE == 0:
                            await asyncio.sleep(0)  # others are answered between
                        named = requests.get((each.kind, each.scope, each.name), [])
                        found[place] = self._claim(each, named, uses.get(each.key, []))
        return list(found.values())

    def _claim(
        self, claim: Mention, requests: Sequence[str], uses: Sequence[Mention]
    ) -> dict[str, object]:
        """A claim or template for a list."""
        used_by = [
            {"kind": one.manifest.kind, "name": one.manifest.name, **self._at(one)} for one in uses
        ]
        return {
            "kind": claim.kind,
            "name": claim.name,
            "namespace": claim.manifest.namespace,
            **self._at(claim),
            "requests": list(requests),
            "usedBy": used_by,
        }

    def _at(self, mention: Mention) -> dict[str, object]:
        place = self._location(mention)
        return {"uri": place.uri, "range": _plain(place.range)}

    async def why(self, params: object) -> dict[str, object] | None:
        """Whether the claim, template or pod at `{uri, position}` fits the recorded devices, and why not.

        None where no such object stands; without recorded devices `answer` is null.
        """
        given = _fields(params)
        uri, place = given.get("uri"), _fields(given.get("position"))
        path = path_of(str(uri)) if uri else None
        if path is None:
            return None
        text, stream = self._engine.places(path), self._known_stream(path)
        position = types.Position(int(place.get("line", 0)), int(place.get("character", 0)))
        manifest = _object_at(path, stream, text.offset(position)) if stream else None
        if manifest is None:
            return None
        knowledge, title = self._known(path), f"{manifest.kind} {manifest.name}"
        recorded = self._recorded(path, knowledge)
        if recorded is None:
            words = "No recorded devices: name some with `slices`, in the configuration or in the settings."
            return {"title": title, "answer": None, "text": words}
        seconds = 10 * self._engine.settings.seconds
        mentions = self._mentions(path)
        try:
            found = await self.devices.placed(manifest, mentions, knowledge, recorded, seconds)
        except LateError:
            return {"title": title, "answer": None, "text": late(seconds)}
        if found is None:
            return None
        counts = {"fitting": found.fitting, "nodes": found.nodes}
        return {"title": title, "answer": found.answer, **counts, "text": about_placed(found)}

    def _known_stream(self, path: str) -> Stream | None:
        """The text of a file as it could last be read."""
        buffer = self._engine.buffers.open.get(path)
        if buffer is not None:
            return buffer.known
        try:
            return self._engine.buffers.parse(path, self._engine.buffers.content_of(path))
        except (ValueError, OSError):
            return None

    async def migrate(self, uri: str) -> tuple[types.WorkspaceEdit | None, str]:
        """The edit that gives the pods of a file claims, where that is proven; else why there is none."""
        buffer = self._buffer(uri)
        if buffer is None:
            return None, "the file is not open"
        places, stream = self._places(buffer), self._stream(buffer)
        knowledge, inventory = self._known(buffer.path), self._inventory(buffer.path)
        if stream.text != buffer.text:
            return None, "the file begins with a byte order mark"
        work = partial(migration.migrated, buffer.path, stream, knowledge, inventory)
        try:
            found = await self.devices.asker.ask(work, MIGRATION_SECONDS)
        except LateError:
            return None, f"it took more than {MIGRATION_SECONDS:g} s"
        if self._buffer(uri) is not buffer:
            return None, "the text was changed meanwhile"
        if found.text is None:
            return None, found.reason
        edits = migration.line_edits(buffer.text, found.text, places)
        return types.WorkspaceEdit(changes={buffer.uri: edits}), found.reason

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
        found = actions.actions(
            buffer, stream, findings, at, places, params.context.diagnostics, only
        )
        drivers = self._known(buffer.path).drivers
        wanted = only is None or any("refactor.rewrite".startswith(each) for each in only)
        uses = migration.uses_at(buffer.path, stream, at, drivers) if wanted else ()
        if uses:
            title = f"Migrate {', '.join(uses)} of this file to claims"
            command = types.Command(title, MIGRATE, arguments=[buffer.uri])
            kind = types.CodeActionKind.RefactorRewrite
            found.append(types.CodeAction(title, kind, command=command))
        return found

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


def _knowledge(config: LintConfig, inventory: Inventory, _deadline: object) -> Knowledge:
    return Knowledge(config, inventory)


def _read(recorded: Recorded, _deadline: object) -> int:
    return len(recorded.devices)


def _listed(recorded: Recorded, _deadline: object) -> list[dict[str, object]] | None:
    return inventory_of(recorded)


def _plain(range_: types.Range) -> dict[str, object]:
    ends = (("start", range_.start), ("end", range_.end))
    return {name: {"line": at.line, "character": at.character} for name, at in ends}


def _fields(params: object) -> JsonObject:
    """The members of what a client sends with a request of ours."""
    if isinstance(params, dict):
        return params
    as_dict = getattr(params, "_asdict", None)
    return {} if as_dict is None else dict(as_dict())


def _object_at(path: str, stream: Stream, offset: int) -> Manifest | None:
    """The object around an offset, if it can be placed."""
    for manifest in manifests_of(source_of(path, stream)):
        if manifest.document.start <= offset <= manifest.document.end and can_be_placed(manifest):
            return manifest
    return None


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
