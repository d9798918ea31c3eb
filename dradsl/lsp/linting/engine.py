"""When what is linted: the changed text at once, the folder when typing pauses; newer texts stop older work.

All linting happens in one thread beside the editor's messages.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from dradsl.lint.settings.problems import ConfigError
from dradsl.lsp.linting.diagnostics import config_diagnostic, diagnostic_of
from dradsl.lsp.linting.inventory import Inventories
from dradsl.lsp.linting.project import Project, Stoppable
from dradsl.lsp.linting.settings import Settings
from dradsl.lsp.texts.buffers import Buffer, Buffers
from dradsl.lsp.texts.places import Places
from dradsl.lsp.texts.uris import uri_of
from dradsl.tree.inputs.sources import UsageProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from lsprotocol import types

    from dradsl.diagnostics import Finding
    from dradsl.lint.report.model import Report

    T = TypeVar("T")

__all__ = ["Engine"]

PAUSE = 0.3
"""Seconds without a change before the whole folder is looked at."""


class Engine:
    """The projects of an editor, and what was found in them last.

    `publish` is told the address, the version and the diagnostics of a file, `say` what went wrong.
    """

    def __init__(
        self,
        publish: Callable[[str, int | None, list[types.Diagnostic]], None],
        say: Callable[[str], None],
    ) -> None:
        self.buffers = Buffers()
        self.projects: dict[str, Project] = {}
        self.findings: dict[str, tuple[Finding, ...]] = {}
        self.texts: dict[str, str] = {}
        self.encoding = "utf-16"
        self.takes_snippets = False
        self.settings = Settings()
        self.linted: Callable[[], None] = lambda: None
        """What is called once a whole project was looked at."""
        self._inventories = Inventories()
        self._publish = publish
        self._say = say
        self._thread = ThreadPoolExecutor(1, "lint")
        self._changed: dict[str, None] = {}
        self._stale: dict[str, None] = {}
        self._published: set[str] = set()
        self._told: dict[str, Buffer] = {}
        self._running: Stoppable | None = None
        self._problems: dict[str, str] = {}
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # What the editor says.

    def start(self) -> None:
        """Begin to work; needs a running loop."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    def stop(self) -> None:
        """End all work."""
        if self._running is not None:
            self._running.stop()
        if self._task is not None:
            self._task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def add_folder(self, path: str) -> None:
        """A folder of the workspace."""
        if path not in self.projects:
            for alone in [root for root in self.projects if root.startswith(path + "/")]:
                if not self.projects[alone].is_folder:
                    self.remove(alone)
            self._add(path)
            self._stale_now(path)

    def _add(self, path: str) -> Project:
        project = self.projects[path] = Project(
            path, self.buffers, settings=self.settings, inventories=self._inventories
        )
        return project

    def configure(self, settings: Settings) -> None:
        """The editor has other settings."""
        if settings == self.settings:
            return
        self.settings = settings
        for root, project in self.projects.items():
            project.settings = settings
            self._stale_now(root)

    def remove(self, root: str) -> None:
        """A folder that is no longer of the workspace."""
        project = self.projects.pop(root, None)
        if project is not None:
            for path in [path for path in self._published if project.holds(path)]:
                if self.project_of(path) is None:
                    self._tell(path, ())

    def changed(self, path: str) -> None:
        """A text was opened or changed."""
        project = self.project_of(path)
        if project is None:
            project = self._add(path)
        self._changed.pop(path, None)
        self._changed[path] = None
        self._stale_now(project.root)

    def closed(self, path: str) -> None:
        """A text was closed: the file counts again."""
        self._changed.pop(path, None)
        project = self.projects.get(path)
        if project is not None and not project.is_folder:
            self.remove(path)
            return
        self.disk_changed(path)

    def disk_changed(self, path: str) -> None:
        """A file, perhaps a configuration, is another one."""
        recorded = self._inventories.holds(path)
        for root, project in self.projects.items():
            above = os.path.dirname(root).startswith(os.path.dirname(path))
            if recorded or above or project.holds(path):
                self._stale_now(root)

    def project_of(self, path: str) -> Project | None:
        """The innermost project that holds a file."""
        found = [project for project in self.projects.values() if project.holds(path)]
        return max(found, key=lambda project: len(project.root), default=None)

    def current(self, buffer: Buffer) -> tuple[Finding, ...]:
        """What was found in the very text of a buffer; nothing if it was changed since."""
        if self._told.get(buffer.path) is not buffer:
            return ()
        return self.findings.get(buffer.path, ())

    async def settled(self) -> None:
        """Wait until everything that was said is worked through."""
        await self._settled.wait()

    def places(self, path: str) -> Places:
        """The text of a file as it is now."""
        buffer = self.buffers.open.get(path)
        if buffer is not None:
            return Places(buffer.text, self.encoding)
        text = self.texts.get(path)
        if text is None:
            try:
                data = self.buffers.content_of(path)
                text = self.buffers.parse(path, data).text
            except OSError:
                text = ""
        return Places(text, self.encoding)

    # The work.

    def _stale_now(self, root: str) -> None:
        self._stale[root] = None
        self._settled.clear()
        if self._running is not None:
            self._running.stop()
        self._wake.set()

    async def _work(self) -> None:
        while True:
            try:
                await self._next()
            except Exception as error:  # noqa: BLE001 - the server goes on, and says so
                self._say(f"dradsl: internal error: {type(error).__name__}: {error}")

    async def _next(self) -> None:
        """Wait for what is to be done, and do it."""
        while True:
            if not self._changed and not self._stale:
                self._settled.set()
            await self._wake.wait()
            self._wake.clear()
            while self._changed:
                path = next(reversed(self._changed))
                del self._changed[path]
                await self._one(path)
            try:
                await asyncio.wait_for(self._wake.wait(), PAUSE)
                continue
            except TimeoutError:
                pass
            while self._stale and not self._wake.is_set():
                root = next(iter(self._stale))
                del self._stale[root]
                if not await self._all(root):
                    self._stale[root] = None

    async def _run(self, root: str, work: Callable[[], T]) -> T | None:
        """The result of work in the thread; None if it could not be done, which is said once."""
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(self._thread, work)
        except ConfigError as error:
            self._trouble(root, error)
        except (UsageProblem, ValueError, OSError) as error:
            self._trouble(root, ConfigError(None, str(error)))
        except Exception as error:  # noqa: BLE001 - the server goes on, and says so
            name = type(error).__name__
            self._trouble(root, ConfigError(None, f"internal error: {name}: {error}"))
        else:
            return result
        return None

    async def _one(self, path: str) -> None:
        buffer, project = self.buffers.open.get(path), self.project_of(path)
        if buffer is None or project is None or project.root not in self.projects:
            return
        found = await self._run(project.root, lambda: project.lint_one(path))
        if found is not None and self.buffers.open.get(path) is buffer:
            self._tell(path, found)

    async def _all(self, root: str) -> bool:
        """Look at a whole project; False if a newer text came in between."""
        project = self.projects.get(root)
        if project is None:
            return True
        texts = {path: buffer for path, buffer in self.buffers.open.items() if project.holds(path)}
        running = self._running = Stoppable()
        report = await self._run(root, lambda: project.lint_all(running))
        self._running = None
        if running.is_over or any(self.buffers.open.get(p) is not b for p, b in texts.items()):
            return False
        if report is not None and root in self.projects:
            self._all_well(root)
            self._tell_all(project, report)
            self.linted()
        return True

    def _tell_all(self, project: Project, report: Report) -> None:
        by_path: dict[str, list[Finding]] = {}
        for finding in report.findings:
            by_path.setdefault(os.path.abspath(finding.path), []).append(finding)
        self.texts = {
            **{path: text for path, text in self.texts.items() if not project.holds(path)},
            **{os.path.abspath(path): report.sources.get(path, "") for path in report.sources},
        }
        # A folder within another one of the workspace has its own say.
        gone = {path for path in self._published if self.project_of(path) is project}
        for path in sorted(gone | set(by_path)):
            if self.project_of(path) is project:
                self._tell(path, tuple(by_path.get(path, ())))

    def _tell(self, path: str, findings: Iterable[Finding]) -> None:
        found = self.findings[path] = tuple(findings)
        known: dict[str, Places] = {}

        def places_of(name: str) -> Places:
            name = os.path.abspath(name)
            if name not in known:
                known[name] = self.places(name)
            return known[name]

        if found:
            self._published.add(path)
        elif path in self._published and path not in self.buffers.open:
            self._published.discard(path)
            del self.findings[path]
        buffer = self.buffers.open.get(path)
        if buffer is None:
            self._told.pop(path, None)
        else:
            self._told[path] = buffer
        uri = uri_of(path) if buffer is None else buffer.uri
        diagnostics = [diagnostic_of(each, places_of) for each in found]
        self._publish(uri, None if buffer is None else buffer.version, diagnostics)

    def _trouble(self, root: str, error: ConfigError) -> None:
        """Say what is wrong with a configuration, once, and show it there."""
        if error.path is not None:
            path = os.path.abspath(os.fspath(error.path))
            self._published.add(path)
            self._publish(uri_of(path), None, [config_diagnostic(error)])
        if self._problems.get(root) != str(error):
            self._problems[root] = str(error)
            self._say(f"dradsl: {error}")

    def _all_well(self, root: str) -> None:
        if self._problems.pop(root, None) is not None:
            for name in ("pyproject.toml", ".dradsl.yaml"):
                for path in [p for p in self._published if os.path.basename(p) == name]:
                    if path not in self.findings:
                        self._published.discard(path)
                        self._publish(uri_of(path), None, [])
