"""What is known of the open texts and of the project of each: streams, names, configuration, recorded devices."""

from __future__ import annotations

import asyncio
import contextlib
import os
from functools import partial

from lsprotocol import types

from dradsl.lint.engine.certainty.templates import plain_streams
from dradsl.lint.engine.textual import has_plain_parts
from dradsl.lint.settings.config import LintConfig
from dradsl.lsp.fleet.asking import LateError
from dradsl.lsp.texts.places import Places
from dradsl.lsp.texts.uris import path_of, uri_of
from dradsl.lsp.workspace.devices import RecordedDevices
from dradsl.lsp.workspace.driver_info import DriverInfo
from dradsl.lsp.workspace.index import Names
from dradsl.records import replace
from dradsl.text.paths import value_at
from dradsl.tree.charts.values_objects import with_open_texts
from dradsl.tree.inputs.sources import SourceText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.lsp.fleet.recorded import Recorded
    from dradsl.lsp.linting.engine import Engine
    from dradsl.lsp.texts.buffers import Buffer
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.workspace.index import Mention
    from dradsl.text.documents import Stream

    Inventory = Sequence[Mapping[str, object]]

__all__ = ["EditorState"]

_WARM_SECONDS = 60.0
_KEPT_KNOWLEDGE = 6


class EditorState:
    """What is known of the texts of the engine; names of a text that cannot be read now are those it last had."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.devices = RecordedDevices()
        self._names = Names()
        self._knowledge: list[tuple[object, Inventory, DriverInfo]] = []
        self._preparing: dict[object, asyncio.Task[None]] = {}

    def buffer(self, uri: str) -> Buffer | None:
        """The open text at a URI; None for a file that is not open."""
        path = path_of(uri)
        return None if path is None else self.engine.buffers.open.get(path)

    def stream(self, buffer: Buffer) -> Stream:
        """The text as it is now."""
        data = buffer.text.encode("utf-8", "surrogatepass")
        stream = self.engine.buffers.parse(buffer.path, data)
        if stream.is_template and has_plain_parts(SourceText(buffer.path, stream)):
            return next((made for made, _ in plain_streams(stream)), stream)
        text = self.open_text(buffer)
        if text != buffer.text:
            opened = next((made for made, _ in plain_streams(replace(stream, text=text))), stream)
            return opened if opened.documents else stream
        return stream

    def open_text(self, buffer: Buffer) -> str:
        """The text, of values with the objects in their texts as parts of the YAML."""
        stream = buffer.known
        if stream is None or not SourceText(buffer.path, stream).holds_values:
            return buffer.text
        return with_open_texts(buffer.text)

    def places(self, buffer: Buffer) -> Places:
        """Places of a text as the editor counts them."""
        return Places(buffer.text, self.engine.encoding)

    def knowledge(self, path: str) -> DriverInfo:
        """What the configuration of a file knows."""
        project = self.engine.project_of(path)
        config, inventory = LintConfig(root=os.path.dirname(path)), self.inventory(path)
        # What is wrong with a configuration is shown there.
        with contextlib.suppress(ValueError, OSError):
            if project is not None:
                config = project.config_of(path)
        try:
            return self._knowledge_of(config, inventory)
        except (ValueError, OSError):
            return self._knowledge_of(LintConfig(root=os.path.dirname(path)), inventory)

    def _knowledge_of(self, config: LintConfig, inventory: Inventory) -> DriverInfo:
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
            return self._remember(key, inventory, DriverInfo(config))
        self._prepare(key, config, inventory)
        return self._knowledge_of(config, ())

    def _remember(self, key: object, inventory: Inventory, found: DriverInfo) -> DriverInfo:
        self._knowledge = [(key, inventory, found), *self._knowledge[: _KEPT_KNOWLEDGE - 1]]
        return found

    def _prepare(self, key: object, config: LintConfig, inventory: Inventory) -> None:
        """Find out beside the editor's messages what recorded objects show; a fleet may be large."""
        mark = (id(inventory), key)
        if mark in self._preparing:
            return

        async def prepare() -> None:
            try:
                work = partial(_knowledge, config, inventory)
                found = await self.devices.asker.ask(work, _WARM_SECONDS)
                self._remember(key, inventory, found)
            except (LateError, ValueError, OSError):
                pass  # what is wrong is shown by lint
            finally:
                del self._preparing[mark]

        self._preparing[mark] = asyncio.get_running_loop().create_task(prepare())

    def inventory(self, path: str) -> Inventory:
        """The recorded objects for a file."""
        project = self.engine.project_of(path)
        return () if project is None or project.work is None else project.work.inventory

    def recorded(self, path: str, knowledge: DriverInfo) -> Recorded | None:
        """The recorded devices for a file, by what is known of it."""
        return self.devices.recorded(self.inventory(path), knowledge)

    def mentions(self, path: str, *, now: bool = False) -> list[Mention]:
        """The names in the project of a file; with `now` open texts as they are, readable or not."""
        project = self.engine.project_of(path)
        files: dict[str, Stream] = {}
        if project is not None and project.work is not None:
            for source in (*project.work.context, *project.work.sources):
                files[os.path.abspath(source.name)] = source.stream
        for each, buffer in self.engine.buffers.open.items():
            if project is None or project.holds(each):
                stream = self.stream(buffer) if now else buffer.known
                if stream is not None:
                    files[each] = stream
        return self._names.all(files)

    def driver_near(self, cel: Cel, knowledge: DriverInfo) -> str | None:
        """The driver that a selector is about: that of the class beside it."""
        try:
            holder = value_at(cel.manifest.data, cel.path[:-4])
        except (KeyError, IndexError, TypeError):
            return None
        name = holder.get("deviceClassName") if isinstance(holder, dict) else None
        return knowledge.driver_of_class(name)

    async def warm(self) -> None:
        """Read the recorded devices before they are asked for."""
        for root in list(self.engine.projects):
            recorded = self.recorded(root, self.knowledge(os.path.join(root, "x")))
            while self._preparing:
                await asyncio.wait(list(self._preparing.values()))
            if recorded is not None:
                with contextlib.suppress(LateError):
                    await self.devices.asker.ask(partial(_read, recorded), _WARM_SECONDS)

    def readable(self, path: str) -> Stream | None:
        """The text of a file as it could last be read."""
        buffer = self.engine.buffers.open.get(path)
        if buffer is not None:
            return buffer.known
        try:
            return self.engine.buffers.parse(path, self.engine.buffers.content_of(path))
        except (ValueError, OSError):
            return None

    def location(self, mention: Mention) -> types.Location:
        """Where a name stands."""
        path = os.path.abspath(mention.manifest.path)
        places = Places(mention.manifest.source.stream.text, self.engine.encoding)
        return types.Location(self.uri(path), places.range_of(mention.span))

    def uri(self, path: str) -> str:
        """The URI of a file, as the editor writes it if the file is open."""
        buffer = self.engine.buffers.open.get(path)
        return uri_of(path) if buffer is None else buffer.uri


def _knowledge(config: LintConfig, inventory: Inventory, _deadline: object) -> DriverInfo:
    return DriverInfo(config, inventory)


def _read(recorded: Recorded, _deadline: object) -> int:
    return len(recorded.devices)
