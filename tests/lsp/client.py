"""An editor: a real client, in a process of its own for the server, over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from dradsl.lsp.texts.places import Places

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from pathlib import Path

__all__ = ["Editor", "editor", "run"]


class Editor:
    """What a test does, in an editor's words."""

    def __init__(self, client: LanguageClient, encoding: str) -> None:
        self.client = client
        self.encoding = encoding
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self.publications: list[types.PublishDiagnosticsParams] = []
        self.messages: list[str] = []
        self.texts: dict[Path, str] = {}
        self.capabilities = types.ServerCapabilities()
        self._versions: dict[Path, int] = {}

    def open(self, path: Path, text: str | None = None) -> None:
        """Open a file, perhaps with another text than it has."""
        self.texts[path] = path.read_bytes().decode() if text is None else text
        self._versions[path] = 1
        item = types.TextDocumentItem(path.as_uri(), "yaml", 1, self.texts[path])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def edit(self, path: Path, start: int, end: int, new: str) -> None:
        """Replace the characters from `start` to `end`, told as a range."""
        before = self.texts[path]
        change = types.TextDocumentContentChangePartial(
            Places(before, self.encoding).range(start, end), new
        )
        self.texts[path] = before[:start] + new + before[end:]
        self._versions[path] += 1
        item = types.VersionedTextDocumentIdentifier(self._versions[path], path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(item, [change]))

    def type(self, path: Path, text: str) -> None:
        """Give a file a whole new text."""
        self.edit(path, 0, len(self.texts[path]), text)

    def save(self, path: Path) -> None:
        """Write a file as it is open, and say so."""
        path.write_bytes(self.texts[path].encode())
        item = types.TextDocumentIdentifier(path.as_uri())
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(item))

    def configure(self, settings: object) -> None:
        """Other settings."""
        params = types.DidChangeConfigurationParams({"dradsl": settings})
        self.client.workspace_did_change_configuration(params)

    async def ask(self, method: str, params: object) -> Any:
        """A request of our own."""
        return _plain(await self.client.protocol.send_request_async(method, params))

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Do what an edit says, from the last one to the first."""
        for uri, edits in (edit.changes or {}).items():
            path = next(each for each in self.texts if each.as_uri() == uri)
            for each in sorted(edits, key=lambda one: one.range.start, reverse=True):
                places = Places(self.texts[path], self.encoding)
                start, end = places.offset(each.range.start), places.offset(each.range.end)
                self.edit(path, start, end, each.new_text)

    def close(self, path: Path) -> None:
        """Close a file without saving."""
        item = types.TextDocumentIdentifier(path.as_uri())
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(item))
        del self.texts[path]

    def told(self, path: Path) -> None:
        """Say that a file on the disk is another one."""
        event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def settled(self) -> Any:
        """Wait until all is linted."""
        params = types.ExecuteCommandParams("dradsl.lint")
        return await self.client.workspace_execute_command_async(params)

    def codes(self, path: Path) -> list[object]:
        """The codes that are shown in a file."""
        return [each.code for each in self.diagnostics.get(path.as_uri(), ())]

    def at(self, path: Path, mark: str, within: int = 0) -> dict[str, Any]:
        """The file, and the position so many characters behind the start of `mark`."""
        text = self.texts[path]
        assert mark in text, mark
        position = Places(text, self.encoding).position(text.index(mark) + within)
        return {
            "text_document": types.TextDocumentIdentifier(path.as_uri()),
            "position": position,
        }

    def text(self, range_: types.Range, path: Path) -> str:
        """The characters of a range."""
        text = self.texts.get(path)
        places = Places(path.read_bytes().decode() if text is None else text, self.encoding)
        return places.text[places.offset(range_.start) : places.offset(range_.end)]


@asynccontextmanager
async def editor(
    *folders: Path,
    cwd: Path | None = None,
    encodings: Sequence[str] = ("utf-16",),
    settings: object = None,
    answers: object = None,
    snippets: bool = False,
) -> AsyncIterator[Editor]:
    """An editor with the folders as its workspace, and these settings: sent at the start, or when it is asked."""
    client = LanguageClient("test", "1")
    self = Editor(client, encodings[0])

    def published(params: types.PublishDiagnosticsParams) -> None:
        self.publications.append(params)
        self.diagnostics[params.uri] = list(params.diagnostics)

    def said(params: types.ShowMessageParams) -> None:
        self.messages.append(params.message)

    def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.apply(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    def asked(params: types.ConfigurationParams) -> list[Any]:
        return [answers for _ in params.items]

    client.feature(types.WORKSPACE_APPLY_EDIT)(applied)
    client.feature(types.WORKSPACE_CONFIGURATION)(asked)
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    client.feature(types.WINDOW_SHOW_MESSAGE)(said)
    await client.start_io(sys.executable, "-m", "dradsl", "lsp", cwd=cwd)
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind(each) for each in encodings]
        ),
        workspace=types.WorkspaceClientCapabilities(
            configuration=answers is not None, apply_edit=True
        ),
        text_document=types.TextDocumentClientCapabilities(
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(snippet_support=snippets)
            )
        ),
    )
    result = await client.initialize_async(
        types.InitializeParams(
            capabilities,
            initialization_options=settings,
            workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in folders],
        )
    )
    self.capabilities = result.capabilities
    client.initialized(types.InitializedParams())
    try:
        yield self
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call] # pygls does not say its types


def _plain(value: Any) -> Any:
    """What pygls made an object of, as plain data again."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test to its end."""
    asyncio.run(asyncio.wait_for(test, 120))
