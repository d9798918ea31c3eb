"""`--timeout` ends a command whatever it is doing, also work that never asks for the time."""

from __future__ import annotations

import itertools
import signal
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
from dradsl.lint.engine.session import Session
from dradsl.values import deadline
from dradsl.values.deadline import Deadline, TimeIsUp

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: d, attributes: {kind: {string: x}}}]
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x}}]}}
"""
LOOP = "[1,2,3,4,5,6,7,8,9,0]"
LONG = (
    "device.driver != '' && " + "".join(f"{LOOP}.all(x{i}, " for i in range(9)) + "true" + ")" * 9
)
PODS = f"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: x}}
spec: {{selectors: [{{cel: {{expression: "device.driver != ''"}}}}]}}
---
{CLAIM}---
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: default}}
spec:
  resourceClaims: [{{name: c, resourceClaimName: c}}]
  containers: [{{name: c, image: i, resources: {{claims: [{{name: c}}]}}}}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(deadline, "_GRACE", 0.01)
    for name, text in {"s": SLICE, "c": CLAIM, "p": PODS}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "app.py").write_text("while True:\n    pass\n")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(group_of(_COMMANDS), words, catch_exceptions=False)


def endless(*_: Any, **__: Any) -> Any:
    for _number in itertools.count():
        pass


@pytest.mark.parametrize(
    ("call", "inside"),
    [
        ("lint --isolated c.yaml", "dradsl.lint.input.reading.load"),
        ("lint --isolated c.yaml", "dradsl.lint.engine.run.read_state"),
        ("simulate p.yaml --slices s.yaml", "dradsl.recordings.read_recording"),
        ("why pod/p p.yaml s.yaml", "dradsl.why.examine.examine"),
        ("devices s.yaml", "dradsl.why.ledger.device_rows"),
        ("devices --by claim c.yaml s.yaml", "dradsl.why.ledger.claim_rows"),
        ("migrate --write p.yaml", "dradsl.migrate.run.migrate"),
        ("convert --write c.yaml", "dradsl.migrate.convert.convert"),
        ("record s.yaml -o out.yaml", "dradsl.allocator.inventory.sanitise.Sanitiser"),
        ("schema infer s.yaml -o out.yaml", "dradsl.drivers.schema.infer.infer_plain"),
        ("schema check s.yaml", "dradsl.drivers.schema.recorded.recorded_devices"),
        (
            "schema check gpu.nvidia.com@v25.8 --against v25.3 --context p.yaml",
            "dradsl.drivers.judge.compare.broken_selectors",
        ),
        ("to-python c.yaml -o out.py", "dradsl.dsl.generate.to_python.to_python"),
        ("cel fmt 1==1", "dradsl.cel.syntax.printer.format_expression"),
        ("cel check 1==1", "dradsl.kube.server.api_server.ApiServer"),
        ("cel explain 1==1", "dradsl.cel.dra.compile_selector"),
    ],
)
def test_a_loop_that_asks_for_no_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, inside: str
) -> None:
    run("lint", "--isolated", "s.yaml")  # so that everything is imported
    __import__(inside.rpartition(".")[0])
    monkeypatch.setattr(inside, endless)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = run(*call.split(), "--timeout", "0.3")
    assert result.exit_code == 2
    assert "the time limit of 0.3 s was reached" in result.stderr
    assert "not finished: " in result.stderr or "not looked at: " in result.stderr
    assert "All good" not in result.stdout
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_module_that_never_ends(folder: Path) -> None:
    result = run("build", "app.py", "-o", "out", "--timeout", "0.3")
    assert result.exit_code == 2
    assert "not finished: the build; nothing was written" in result.stderr
    assert not (folder / "out").exists()


def test_an_evaluation_is_interrupted() -> None:
    words = ("cel", "eval", LONG, "--slices", "s.yaml")
    assert run(*words).exit_code == 1  # its cost ends it, after much more than what follows
    result = run(*words, "--timeout", "0.05")
    assert result.exit_code == 2
    assert "not finished: dradsl cel eval" in result.stderr


def test_what_comes_before_the_end_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that were done before have their findings; the line names what was not looked at."""
    from dradsl.lint.engine import examine
    from dradsl.lint.rules.api_server import api_server_findings

    done = api_server_findings
    seen: list[object] = []

    def second_never_ends(run: Any, manifest: Any) -> Any:
        seen.append(manifest)
        return endless() if len(seen) == 2 else done(run, manifest)

    monkeypatch.setattr(examine, "api_server_findings", second_never_ends)
    result = run("lint", "--isolated", "--timeout", "1", "c.yaml", "p.yaml")
    assert result.exit_code == 2
    assert "not looked at: 3 objects, rules on several objects" in result.stderr


def test_pods_that_were_placed_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.simulate.attempts import Simulation

    monkeypatch.setattr(Simulation, "place", endless)
    result = run("simulate", "p.yaml", "--slices", "s.yaml", "--timeout", "0.5")
    assert result.exit_code == 2
    assert "not looked at: 1 pods" in result.stderr or "not finished" in result.stderr


def test_what_takes_an_interruption_is_interrupted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_AGAIN", 0.05)
    taken: list[str] = []
    with Deadline.after(0.05).enforced():
        while len(taken) < 3:
            try:
                endless()
            except TimeIsUp as end:
                taken.append(str(end))
    assert taken == ["the time limit of 0.05 s was reached"] * 3


def test_a_call_without_configuration_has_a_limit() -> None:
    assert Session((".",), isolated=True).config().timeout == 300
    assert Session((".",), isolated=True, overrides={"timeout": "1h"}).config().timeout == 3600
    assert Session((".",)).config().timeout is None
