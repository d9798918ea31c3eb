"""Python modules that build manifests: nothing is run unless a setting says so; then findings are at their lines."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types

from dradsl.programs import ProgramError, ask_later
from tests.lsp.client import editor, run

MODULE = """\
from pathlib import Path
from dradsl import App, Request, ResourceClaim, raw_cel
from dradsl.devices.nvidia import gpu

Path(__file__).with_suffix(".ran").touch()
app = App()
app.add(
    ResourceClaim(
        "x",
        requests=[Request("gpu", gpu, select=raw_cel('device.attributes["gpu.nvidia.com"].architectur == "Hopper"'))],
    )
)
"""
BUILD = {"python": {"build": True}}


def test_nothing_is_run_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    path.write_text(MODULE)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            ed.save(path)
            await ed.settled()
            assert not path.with_suffix(".ran").exists()
            assert ed.codes(path) == []
            ed.configure(BUILD)
            await ed.settled()
            assert path.with_suffix(".ran").exists()
            assert ed.codes(path) == ["DRA201"]
            ed.configure({})
            await ed.settled()
            assert ed.codes(path) == []

    run(test())


def test_findings_at_their_lines(tmp_path: Path) -> None:
    """Those of the module, and of modules that it imports; they follow what is saved."""
    path, other = tmp_path / "app.py", tmp_path / "parts.py"
    path.write_text(MODULE)

    async def test() -> None:
        async with editor(tmp_path, settings=BUILD) as ed:
            ed.open(path)
            await ed.settled()
            (found,) = ed.diagnostics[path.as_uri()]
            assert found.severity is types.DiagnosticSeverity.Error
            assert ed.text(found.range, path).startswith("raw_cel(")
            ed.type(path, MODULE.replace("architectur ", "architecture "))
            ed.save(path)
            await ed.settled()
            assert ed.codes(path) == []
            other.write_text(MODULE.replace("app = App()", "").replace("app.add(", "claim = ("))
            ed.type(
                path,
                "from dradsl import App\nfrom parts import claim\napp = App()\napp.add(claim)\n",
            )
            ed.save(path)
            await ed.settled()
            assert ed.codes(other) == ["DRA201"]
            ed.close(path)
            await ed.settled()
            assert ed.codes(other) == []

    run(test())


def test_modules_that_cannot_be_built(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    path.write_text("from dradsl import App\nprint('noise')\napp = App()\nx = 1 / 0\n")

    async def test() -> None:
        async with editor(tmp_path, settings=BUILD) as ed:
            ed.open(path)
            await ed.settled()
            (found,) = ed.diagnostics[path.as_uri()]
            assert found.range.start.line == 3
            assert found.message == "ZeroDivisionError: division by zero"
            ed.type(path, "import dradsl\ndef f(:\n")
            ed.save(path)
            await ed.settled()
            (found,) = ed.diagnostics[path.as_uri()]
            assert found.range.start.line == 1
            # A module of parts has no app, and one without dradsl is not even run.
            ed.type(path, "import dradsl\n")
            ed.save(path)
            await ed.settled()
            assert ed.diagnostics[path.as_uri()] == []
            ran = path.with_suffix(".ran")
            ed.type(path, f"open({str(ran)!r}, 'w')\n1 / 0\n")
            ed.save(path)
            await ed.settled()
            assert ed.diagnostics[path.as_uri()] == []
            assert not ran.exists()

    run(test())


CHILD = """\
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""


def alive(number: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        status = Path(f"/proc/{number}/stat").read_text()
        return status.rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="asks /proc which processes run")
@pytest.mark.parametrize("late", [True, False])
def test_a_module_ends_with_all_that_it_started(tmp_path: Path, late: bool) -> None:
    """When its time is over, and when it is no longer wanted."""
    told = tmp_path / "told"

    async def test() -> None:
        words = (sys.executable, "-c", CHILD, str(told))
        task = asyncio.ensure_future(
            ask_later(words, seconds=3 if late else 600, folder=str(tmp_path))
        )
        while not (told.exists() and len(told.read_text().split()) == 2):
            await asyncio.sleep(0.05)
        if not late:
            task.cancel()
        with pytest.raises(ProgramError if late else asyncio.CancelledError):
            await task

    asyncio.run(test())
    numbers = [int(each) for each in told.read_text().split()]
    end = time.monotonic() + 20
    while any(map(alive, numbers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(alive, numbers))


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="cannot be started"):
        asyncio.run(ask_later((str(tmp_path / "none"),), seconds=5, folder=str(tmp_path)))
    answer = asyncio.run(
        ask_later(
            (sys.executable, "-c", "import sys; sys.stderr.write('x' * 10**6); sys.exit(3)"),
            seconds=60,
            folder=str(tmp_path),
        )
    )
    assert answer.code == 3
    assert 0 < len(answer.errors) <= 1 << 16
