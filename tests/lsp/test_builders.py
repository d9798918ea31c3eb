"""Python modules that build manifests: nothing is run unless a setting says so; then findings stand at their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tests.lsp.client import editor, run

if TYPE_CHECKING:
    from pathlib import Path

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
