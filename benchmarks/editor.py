"""The language server on a folder of 1,000 files: from a keystroke to the diagnostics of the file, by a real client.

Then the same folder with a recording of 1,000 nodes with eight devices each: what looks at recorded devices.

The clock on the wall is what a person waits for; on a shared machine it measures the neighbours too. So the
processor time of the server is printed beside it, where the system tells it (Linux).
"""

from __future__ import annotations

import asyncio
import json
import re
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
_SIZE = re.compile(r'quantity\("\d+Gi"\)')
_LONG = 480
"""Times that the template of two documents is in the long file: 500 KB."""
_NODES = 1000
_DEVICES = 8


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for n in range(_FILES):
            team = folder / f"team-{n % 7}"
            team.mkdir(exist_ok=True)
            text = TEMPLATE.format(n=n, team=n % 7, count=2, size=40 + n % 9, request=f"gpu-{n}")
            (team / f"{n}.yaml").write_text(text)
        asyncio.run(_measure(folder))
        asyncio.run(_measure_long(folder / "long.yaml"))
        (folder / "long.yaml").unlink()
        (folder / "fleet").mkdir()
        (folder / "fleet" / "slices.json").write_text(json.dumps(_fleet()))
        (folder / ".dradsl.yaml").write_text("slices: [fleet]\n")
        asyncio.run(_measure_fleet(folder))


def _fleet() -> dict[str, object]:
    """Nodes of two kinds, whose devices are alike but for their names and addresses."""
    return {
        "apiVersion": "v1",
        "kind": "List",
        "items": [_slice(f"node-{number:04}", number) for number in range(_NODES)],
    }


def _slice(node: str, number: int) -> dict[str, object]:
    product, memory = (
        ("NVIDIA H100 80GB HBM3", "81559Mi") if number % 2 else ("NVIDIA A100-SXM4-40GB", "40Gi")
    )
    devices = [
        {
            "name": f"gpu-{each}",
            "attributes": {
                "type": {"string": "gpu"},
                "uuid": {"string": f"GPU-{number}-{each}"},
                "productName": {"string": product},
                "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{each // 4}0"},
            },
            "capacity": {"memory": {"value": memory}},
        }
        for each in range(_DEVICES)
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": node},
        "spec": {
            "driver": "gpu.nvidia.com",
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def _typist(
    client: LanguageClient,
    told: asyncio.Queue[types.PublishDiagnosticsParams],
    uri: str,
    text: str,
) -> Callable[[], Awaitable[None]]:
    """Types a character, or takes it back, and waits for the diagnostics of the file."""
    version = 1
    at = text.count("\n", 0, text.index("count:"))

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

    return keystroke


async def _measure_fleet(folder: Path) -> None:
    client = LanguageClient("benchmark", "1")
    told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: told.put_nowait(params))
    await client.start_io(sys.executable, "-m", "dradsl", "lsp")
    pid: int = client._server.pid  # type: ignore[union-attr]  # noqa: SLF001 - pygls has no other way to the process
    await client.initialize_async(
        types.InitializeParams(
            types.ClientCapabilities(),
            initialization_options={"simulate": {"seconds": 30}},
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "folder")],
        )
    )
    client.initialized(types.InitializedParams())
    path = folder / "team-3" / "500.yaml"
    uri, text, version = path.as_uri(), path.read_text(), 1000
    document = types.TextDocumentIdentifier(uri)
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
    )

    def place(mark: str, within: int) -> types.Position:
        line = text.count("\n", 0, text.index(mark))
        return types.Position(line, text.split("\n")[line].index(mark) + within)

    async def all_linted() -> None:
        await client.workspace_execute_command_async(types.ExecuteCommandParams("dradsl.lint"))

    async def changed() -> None:
        """Another size and name, so that nothing is known of the selector and the claim yet."""
        nonlocal version, text
        version += 1
        new = _SIZE.sub(f'quantity("{10 + version}Gi")', text)
        whole = types.TextDocumentContentChangeWholeDocument(new)
        text = new
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri), [whole]
            )
        )
        await all_linted()

    async def hover(mark: str) -> None:
        await client.text_document_hover_async(types.HoverParams(document, place(mark, 1)))

    async def hints() -> None:
        whole = types.Range(types.Position(0, 0), types.Position(1000, 0))
        await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))

    async def tokens() -> None:
        await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))

    async def complete() -> None:
        at = place('"NVIDIA', 1)
        await client.text_document_completion_async(types.CompletionParams(document, at))

    print(f"\n{_NODES} recorded nodes with {_DEVICES} devices each")
    await _print("the folder and the recording, for the first time", all_linted, pid, 1)
    keystroke = _typist(client, told, uri, text)
    await _print("a keystroke, to the diagnostics of the file", keystroke, pid, 10, all_linted)
    await _print("a changed text, to those of the folder", changed, pid, 5)
    await _print("hover on a selector, for the first time", lambda: hover("memory"), pid, 1)
    await changed()
    await _print("hover on a changed selector", lambda: hover("memory"), pid, 5, changed)
    await _print("hover on an attribute, selector known", lambda: hover("memory"), pid, _TIMES)
    await _print(
        "hover on a changed template: does it fit", lambda: hover("claim-"), pid, 5, changed
    )
    await _print("inlay hints of a changed file", hints, pid, 5, changed)
    await _print("inlay hints", hints, pid, _TIMES)
    await _print("completion of a recorded value", complete, pid, _TIMES)
    await _print("semantic tokens of a file", tokens, pid, _TIMES)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call] # pygls does not say its types


async def _measure_long(path: Path) -> None:
    text = "---\n".join(
        TEMPLATE.format(n=n, team=n % 7, count=2, size=40 + n % 9, request=f"gpu-{n}")
        for n in range(_LONG)
    )
    path.write_text(text)
    client = LanguageClient("benchmark", "1")
    told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: told.put_nowait(params))
    await client.start_io(sys.executable, "-m", "dradsl", "lsp")
    pid: int = client._server.pid  # type: ignore[union-attr]  # noqa: SLF001 - pygls has no other way to the process
    await client.initialize_async(types.InitializeParams(types.ClientCapabilities()))
    client.initialized(types.InitializedParams())
    uri = path.as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
    )

    async def all_linted() -> None:
        await client.workspace_execute_command_async(types.ExecuteCommandParams("dradsl.lint"))

    print(f"\none file of {len(text) // 1000} KB with {2 * _LONG} documents")
    await _print("the file, for the first time", all_linted, pid, 1)
    keystroke = _typist(client, told, uri, text)
    await _print("a keystroke, to the diagnostics of the file", keystroke, pid, 10, all_linted)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call] # pygls does not say its types


async def _measure(folder: Path) -> None:
    client = LanguageClient("benchmark", "1")
    told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: told.put_nowait(params))
    await client.start_io(sys.executable, "-m", "dradsl", "lsp")
    pid: int = client._server.pid  # type: ignore[union-attr]  # noqa: SLF001 - pygls has no other way to the process
    workspace = [types.WorkspaceFolder(folder.as_uri(), "folder")]
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(), workspace_folders=workspace)
    )
    client.initialized(types.InitializedParams())
    path = folder / "team-3" / "500.yaml"
    uri, text = path.as_uri(), path.read_text()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
    )

    async def all_linted() -> None:
        await client.workspace_execute_command_async(types.ExecuteCommandParams("dradsl.lint"))

    keystroke = _typist(client, told, uri, text)

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
    await client.stop()  # type: ignore[no-untyped-call] # pygls does not say its types


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
