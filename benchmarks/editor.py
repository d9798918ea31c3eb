"""The language server on a folder of 1,000 files: from a keystroke to the diagnostics of the file, by a real client.

The clock on the wall is what a person waits for; on a shared machine it measures the neighbours too. So the
processor time of the server is printed beside it, where the system tells it (Linux).
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from benchmarks.lint import TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_FILES = 1000
_TIMES = 25


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for n in range(_FILES):
            team = folder / f"team-{n % 7}"
            team.mkdir(exist_ok=True)
            text = TEMPLATE.format(n=n, team=n % 7, count=2, size=40 + n % 9, request=f"gpu-{n}")
            (team / f"{n}.yaml").write_text(text)
        asyncio.run(_measure(folder))


async def _measure(folder: Path) -> None:
    client = LanguageClient("benchmark", "1")
    told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: told.put_nowait(params))
    await client.start_io(sys.executable, "-m", "dradsl", "lsp")
    pid: int = client._server.pid  # type: ignore[union-attr]  # noqa: SLF001
    workspace = [types.WorkspaceFolder(folder.as_uri(), "folder")]
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(), workspace_folders=workspace)
    )
    client.initialized(types.InitializedParams())
    path = folder / "team-3" / "500.yaml"
    uri, text, version = path.as_uri(), path.read_text(), 1
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
    )
    at = text.count("\n", 0, text.index("count:"))

    async def all_linted() -> None:
        await client.workspace_execute_command_async(types.ExecuteCommandParams("dradsl.lint"))

    async def keystroke() -> None:
        nonlocal version
        version += 1
        place = types.Position(at, 10)
        change = types.TextDocumentContentChangePartial(
            types.Range(place, place if version % 2 == 0 else types.Position(at, 11)),
            "x" if version % 2 == 0 else "",
        )
        document = types.VersionedTextDocumentIdentifier(version, uri)
        client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        while True:
            found = await told.get()
            if found.uri == uri and found.version == version:
                return

    async def complete() -> None:
        line = text.count("\n", 0, text.index("deviceClassName"))
        place = types.Position(line, len("          deviceClassName: "))
        document = types.TextDocumentIdentifier(uri)
        await client.text_document_completion_async(types.CompletionParams(document, place))

    async def hover() -> None:
        line = text.count("\n", 0, text.index("productName"))
        column = text.split("\n")[line].index("productName") + 2
        document = types.TextDocumentIdentifier(uri)
        await client.text_document_hover_async(
            types.HoverParams(document, types.Position(line, column))
        )

    print(
        f"\n{_FILES} files                                   wall: median   worst   server's processor time"
    )
    await _print("the folder, for the first time", all_linted, pid, 1)
    await _print("a keystroke, to the diagnostics of the file", keystroke, pid, _TIMES, all_linted)
    await _print("a keystroke, to those of the folder", _both(keystroke, all_linted), pid, 5)
    await complete()
    await _print("completion of a class", complete, pid, _TIMES)
    await _print("hover on an attribute", hover, pid, _TIMES)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]


def _both(
    first: Callable[[], Awaitable[None]], second: Callable[[], Awaitable[None]]
) -> Callable[[], Awaitable[None]]:
    async def both() -> None:
        await first()
        await second()

    return both


async def _print(
    title: str,
    work: Callable[[], Awaitable[None]],
    pid: int,
    times: int,
    between: Callable[[], Awaitable[None]] | None = None,
) -> None:
    walls, used = [], []
    for _ in range(times):
        start, before = time.perf_counter(), _processor_time(pid)
        await work()
        walls.append(time.perf_counter() - start)
        used.append(_processor_time(pid) - before)
        if between is not None:
            await between()
    median, worst, mine = statistics.median(walls), max(walls), statistics.median(used)
    print(f"{title:<46} {median * 1e3:7.0f} ms {worst * 1e3:7.0f} ms {mine * 1e3:10.0f} ms")


def _processor_time(pid: int) -> float:
    """Seconds that a process has used; 0 where the system does not tell."""
    try:
        each = Path(f"/proc/{pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in each) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


if __name__ == "__main__":
    main()
