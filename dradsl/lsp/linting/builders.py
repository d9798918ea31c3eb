"""Python modules that build manifests: run as `dradsl build` does, and what it says at their lines.

To build is to run what the user wrote, so nothing here happens unless the editor's settings ask for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile

from lsprotocol import types

from dradsl.diagnostics import Severity, Span
from dradsl.import_path import python_call
from dradsl.lint.report.places import rule_url
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.lsp.texts.places import Places
    from dradsl.values.json_types import JsonMapping

__all__ = ["Builders", "is_builder"]

SECONDS = 30.0
"""How long a module may run."""

_IMPORTS = pattern(r"(?m)^\s*(?:from|import)\s+dradsl\b")
_AT = pattern(r"(?:dradsl build: )?(?P<path>.+?):(?P<line>\d+): (?P<text>.*)")
_NO_APP = " has no App: "
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def is_builder(text: str) -> bool:
    """Whether a module imports dradsl."""
    return _IMPORTS.search(text) is not None


class Builders:
    """Runs modules, one at a time each; `publish` is told the path and the diagnostics of every file concerned."""

    def __init__(
        self,
        publish: Callable[[str, list[types.Diagnostic]], None],
        places: Callable[[str], Places],
    ) -> None:
        self._publish = publish
        self._places = places
        self._running: dict[str, asyncio.Task[None]] = {}
        self._concerned: dict[str, set[str]] = {}

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """The modules that are being built."""
        return list(self._running.values())

    def build(self, path: str, cwd: str) -> None:
        """Build a module; what is being built of an older text of it ends."""
        before = self._running.pop(path, None)
        if before is not None:
            before.cancel()
        task = asyncio.get_running_loop().create_task(self._build(path, cwd))
        self._running[path] = task
        task.add_done_callback(lambda done: self._done(path, done))

    def _done(self, path: str, task: asyncio.Task[None]) -> None:
        if self._running.get(path) is task:
            del self._running[path]

    def forget(self, path: str | None = None) -> None:
        """Take the diagnostics of a module back, or those of all."""
        for one in [path] if path is not None else [*self._concerned, *self._running]:
            task = self._running.pop(one, None)
            if task is not None:
                task.cancel()
            for each in self._concerned.pop(one, ()):
                self._publish(each, [])

    async def _build(self, path: str, cwd: str) -> None:
        with tempfile.TemporaryDirectory(prefix="dradsl-") as folder:
            report = os.path.join(folder, "report.json")
            said = await _run(path, cwd, report)
            try:
                with open(report, encoding="utf-8") as file:
                    findings = json.load(file)["findings"]
            except (OSError, ValueError, KeyError):
                findings = []
        by_path: dict[str, list[types.Diagnostic]] = {path: []}
        for finding in findings:
            at = os.path.join(cwd, str(finding["path"]))
            by_path.setdefault(at, []).append(self._diagnostic(finding, at))
        if not findings:
            for at, diagnostic in self._of_words(path, cwd, said):
                by_path.setdefault(at, []).append(diagnostic)
        before = self._concerned.get(path, set())
        self._concerned[path] = set(by_path)
        for at in sorted(before - set(by_path)):
            self._publish(at, [])
        for at, diagnostics in by_path.items():
            self._publish(at, diagnostics)

    def _diagnostic(self, finding: JsonMapping, path: str) -> types.Diagnostic:
        corners = ("line", "column", "endLine", "endColumn")
        span = Span(*(int(finding[corner]) for corner in corners))
        address = rule_url(str(finding["code"]))
        words = (finding["message"], finding.get("help"), finding.get("why"))
        return types.Diagnostic(
            range=self._places(path).range_of(span),
            message="\n".join(str(each) for each in words if each),
            severity=_SEVERITIES[Severity(finding["severity"])],
            code=str(finding["code"]),
            code_description=None if address is None else types.CodeDescription(address),
            source="dradsl",
        )

    def _of_words(self, path: str, cwd: str, said: str) -> Sequence[tuple[str, types.Diagnostic]]:
        """Why a module could not be built, at the line that the message names."""
        lines = [line for line in said.splitlines() if line.startswith("dradsl build: ")]
        if not lines or _NO_APP in lines[-1] or " note: " in lines[-1]:
            return ()
        found = _AT.fullmatch(lines[-1])
        at, number, text = path, 0, lines[-1].removeprefix("dradsl build: ")
        if found is not None:
            at = os.path.abspath(os.path.join(cwd, found["path"]))
            number, text = int(found["line"]) - 1, found["text"]
        line = types.Range(types.Position(number, 0), types.Position(number, 1000))
        return [(at, types.Diagnostic(line, text, types.DiagnosticSeverity.Error, source="dradsl"))]


async def _run(path: str, cwd: str, report: str) -> str:
    """Run `dradsl build`; what it says on standard error. It ends with the time, or when it is cancelled."""
    from dradsl.programs import ProgramError, ask_later

    words, environment = python_call(cwd)
    call = (*words, "build", path, "--output-format", "json", "--report", report)
    try:
        answer = await ask_later(call, seconds=SECONDS, environment=environment, folder=cwd)
    except ProgramError as error:
        return f"dradsl build: {path}:1: the module {error}"
    return answer.errors.decode("utf-8", "replace")
