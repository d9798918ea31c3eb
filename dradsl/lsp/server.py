"""The server on standard input and output: what the editor says is handed to the engine, and its questions answered."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from functools import cached_property

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pygls.protocol.language_server import lsp_method

from dradsl._version import __version__
from dradsl.lsp.answers.features import Features
from dradsl.lsp.answers.own_requests import OwnRequests
from dradsl.lsp.linting.builders import Builders, is_builder
from dradsl.lsp.linting.engine import Engine
from dradsl.lsp.linting.settings import read_settings
from dradsl.lsp.texts.places import apply_changes
from dradsl.lsp.texts.uris import path_of, uri_of
from dradsl.lsp.workspace.editor_state import EditorState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

__all__ = ["run", "serve"]

LINT = "dradsl.lint"
"""The command that waits until everything is linted, and gives the number of findings."""

_WATCHED = (
    "**/*.yaml", "**/*.yml", "**/*.json", "**/*.gz", "**/pyproject.toml", "**/.gitignore",
)  # fmt: skip


_PYTHON = (".py", ".pyi")


class _Protocol(LanguageServerProtocol):
    """Texts are kept by the engine: pygls counts lines as Python does, which editors do not.

    A request whose parameters are not those of its method is answered with InvalidParams: pygls
    alone prints a traceback, and the client waits.
    """

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as its type."""
        method = data.get("method")
        if "jsonrpc" not in data or not isinstance(method, str):
            return super().structure_message(data)
        kind: Any = self.get_message_type(method)
        if kind is None:
            kind = JsonRPCRequestMessage if "id" in data else JsonRPCNotification
            data = {"params": None, **data}
        try:
            return self._converter.structure(data, kind)
        except Exception as error:  # noqa: BLE001 - what a converter raises depends on the type
            said = f"{method}: the parameters are not those of the method"
            if "id" in data:
                answer = JsonRpcInvalidParams(f"{said} ({type(error).__name__})")
                self._send_response(data["id"], None, answer.to_response_error())
            # A message has to come of it: one that nobody listens to.
            return JsonRPCNotification(method=f"$/{said}", jsonrpc=self.VERSION, params=None)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class _Server:
    """What happens on each message."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._python: dict[str, str] = {}
        self._folders: list[str] = []
        self._watches = self._asks = self._refreshes = False
        self._warming: asyncio.Task[None] | None = None

    @cached_property
    def engine(self) -> Engine:
        """What lints; made when it is first needed, since it belongs to the running loop."""
        engine = Engine(self._publish, self._say)
        engine.linted = self._refresh
        return engine

    @cached_property
    def builders(self) -> Builders:
        """What builds Python modules, if the settings allow it."""
        return Builders(self._publish_built, self.engine.places)

    @cached_property
    def features(self) -> Features:
        """What answers questions about a place."""
        return Features(self.state)

    @cached_property
    def own(self) -> OwnRequests:
        """What answers the requests of our extension."""
        return OwnRequests(self.state)

    @cached_property
    def state(self) -> EditorState:
        """What is known of the open texts."""
        return EditorState(self.engine)

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    def _publish_built(self, path: str, diagnostics: list[types.Diagnostic]) -> None:
        self._publish(uri_of(path), None, diagnostics)

    def _say(self, message: str) -> None:
        self._server.window_show_message(
            types.ShowMessageParams(types.MessageType.Warning, message)
        )

    def _refresh(self) -> None:
        """Tell the editor that hints are others."""
        if self._warming is None or self._warming.done():
            self._warming = asyncio.get_running_loop().create_task(self.state.warm())
        if self._refreshes:
            self._server.workspace_inlay_hint_refresh(None)

    # Life cycle.

    def initialize(self, params: types.InitializeParams) -> None:
        """Take the folders of the workspace."""
        uris = [folder.uri for folder in params.workspace_folders or ()]
        if not uris and params.root_uri:
            uris = [params.root_uri]
        paths = (path_of(uri) for uri in uris)
        self._folders = [path for path in paths if path is not None]
        encoding = self._server.workspace.position_encoding
        self.engine.encoding = str(getattr(encoding, "value", encoding) or "utf-16")
        self.engine.takes_snippets = _takes_snippets(params.capabilities)
        workspace = params.capabilities.workspace
        watched = None if workspace is None else workspace.did_change_watched_files
        self._watches = watched is not None and bool(watched.dynamic_registration)
        hints = None if workspace is None else workspace.inlay_hint
        self._refreshes = hints is not None and bool(hints.refresh_support)
        self._asks = workspace is not None and bool(workspace.configuration)
        self._set(_plain(params.initialization_options))

    def _set(self, given: object) -> None:
        """Take settings, and say what cannot be used of them."""
        settings, problems = read_settings(given)
        for problem in problems:
            self._say(f"dradsl: {problem}")
        before = self.engine.settings
        self.engine.configure(settings)
        for path in settings.slices if settings.slices != before.slices else ():
            roots = self.engine.projects or self._folders
            found = [each for root in roots for each in settings.paths(root, (path,))]
            if not any(map(os.path.exists, found or settings.paths(os.getcwd(), (path,)))):
                self._say(f"dradsl: slices: no such file or folder: {path}")
        if settings.build and not before.build:
            for each in self._python:
                self._build(each)
        elif before.build and not settings.build:
            self.builders.forget()

    async def configured(self, params: types.DidChangeConfigurationParams) -> None:
        """The editor has other settings: it sends them, or is asked."""
        given: object = params.settings
        if given is None and self._asks:
            item = types.ConfigurationItem(section="dradsl")
            asked = types.ConfigurationParams([item])
            (given,) = await self._server.workspace_configuration_async(asked)
        self._set(_plain(given))

    def initialized(self, _params: types.InitializedParams) -> None:
        """Begin with the folders, and ask to be told of files that change."""
        self.engine.start()
        for folder in self._folders:
            self.engine.add_folder(folder)
        if self._watches:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            self._server.client_register_capability(
                types.RegistrationParams([types.Registration("watch", method, options)])
            )

    def shutdown(self, _params: object) -> None:
        """Stop the work."""
        if "engine" in vars(self):
            if self._warming is not None:
                self._warming.cancel()
            self.builders.forget()
            self.state.devices.asker.stop()
            self.engine.stop()

    def folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Folders of the workspace come and go."""
        for folder in params.event.removed:
            path = path_of(folder.uri)
            if path is not None:
                self.engine.remove(path)
        for folder in params.event.added:
            path = path_of(folder.uri)
            if path is not None:
                self.engine.add_folder(path)
        for path in self.engine.buffers.open:
            if self.engine.project_of(path) is None:
                self.engine.changed(path)

    # Texts.

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """A text is open in the editor."""
        item = params.text_document
        path = path_of(item.uri)
        if path is not None and path.endswith(_PYTHON):
            self.engine.start()
            self._python[path] = item.text
            self._build(path)
        elif path is not None:
            self.engine.start()
            self.engine.buffers.put(item.uri, path, item.text, item.version)
            self.engine.changed(path)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """A text was changed in the editor."""
        item = params.text_document
        path = path_of(item.uri)
        buffer = None if path is None else self.engine.buffers.open.get(path)
        if path is not None and buffer is not None:
            text = apply_changes(buffer.text, params.content_changes, self.engine.encoding)
            self.engine.buffers.put(item.uri, path, text, item.version)
            self.engine.changed(path)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """A text is no longer open."""
        path = path_of(params.text_document.uri)
        if path is not None and self._python.pop(path, None) is not None:
            self.builders.forget(path)
        elif path is not None:
            self.engine.buffers.close(path)
            self.engine.closed(path)

    def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """A text was saved: it may be a configuration."""
        path = path_of(params.text_document.uri)
        if path is not None and path in self._python:
            self._build(path)
        elif path is not None:
            self.engine.disk_changed(path)

    def _build(self, path: str) -> None:
        """Build a Python module that is open, as it is on the disk, where the settings allow that."""
        if not self.engine.settings.build or not os.path.isfile(path):
            return
        if is_builder(self.engine.places(path).text):
            project = self.engine.project_of(path)
            inside = project is not None and project.is_folder
            self.builders.build(path, project.root if project and inside else os.path.dirname(path))
        else:
            self.builders.forget(path)

    def watched(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files were changed by others."""
        for change in params.changes:
            path = path_of(change.uri)
            if path is not None:
                self.engine.disk_changed(path)

    async def lint(self) -> int:
        """Wait until everything is linted; how many findings there are."""
        await self.engine.settled()
        if self._warming is not None:
            await asyncio.wait([self._warming])
        while self.builders.tasks:
            await asyncio.wait(self.builders.tasks)
        return sum(map(len, self.engine.findings.values()))


def serve() -> LanguageServer:
    """A server that has not been started."""
    server = LanguageServer("dradsl", __version__, protocol_cls=_Protocol)
    each = _Server(server)
    rows: Sequence[tuple[str, Callable[[Any], Any]]] = (
        (types.INITIALIZE, each.initialize),
        (types.INITIALIZED, each.initialized),
        (types.SHUTDOWN, each.shutdown),
        (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, each.folders),
        (types.TEXT_DOCUMENT_DID_OPEN, each.opened),
        (types.TEXT_DOCUMENT_DID_CHANGE, each.changed),
        (types.TEXT_DOCUMENT_DID_CLOSE, each.closed),
        (types.TEXT_DOCUMENT_DID_SAVE, each.saved),
        (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, each.watched),
    )
    for method, handler in rows:

        def told(params: Any, handler: Callable[[Any], Any] = handler) -> None:
            handler(params)

        server.feature(method)(told)
    for method, name, options in Features.METHODS:

        def answer(params: Any, name: str = name) -> Any:
            return getattr(each.features, name)(params)

        server.feature(method, options)(answer)

    later = [(*row, "features") for row in Features.SLOW]
    later += [(*row, "own") for row in OwnRequests.SLOW]
    for method, name, options, who in later:

        async def answer_later(params: Any, name: str = name, who: str = who) -> Any:
            return await getattr(getattr(each, who), name)(params)

        server.feature(method, options)(answer_later)

    async def configured(params: types.DidChangeConfigurationParams) -> None:
        await each.configured(params)

    async def lint() -> int:
        return await each.lint()

    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(configured)
    server.command(LINT)(lint)
    return server


def _takes_snippets(capabilities: types.ClientCapabilities) -> bool:
    document = capabilities.text_document
    completion = None if document is None else document.completion
    item = None if completion is None else completion.completion_item
    return item is not None and bool(item.snippet_support)


def _plain(given: object) -> object:
    """Settings as plain data: pygls makes objects of what it does not know."""
    if isinstance(given, dict):
        return {str(key): _plain(value) for key, value in given.items()}
    if isinstance(given, (list, tuple)) and not hasattr(given, "_asdict"):
        return [_plain(each) for each in given]
    as_dict = getattr(given, "_asdict", None)
    return given if as_dict is None else _plain(dict(as_dict()))


def run() -> None:
    """Serve on standard input and output until the editor says goodbye."""
    # A command that ends collects nothing; this one stays.
    gc.set_threshold(50_000, 20, 50)
    gc.freeze()
    # pygls closes what it writes to; the command line still flushes its own.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        serve().start_io(stdout=output)
