"""How a run ends that is stopped, runs out of space or memory, or is handed odd names."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: x}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: d}]}}]
  resourceClaims: [{name: d, resourceClaimName: x}]
"""
FIXABLE = CLAIM.replace("deviceClassName", "deviceClassname")
SLICES = "---\n".join(
    f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s{number}}}
spec:
  driver: gpu.nvidia.com
  nodeName: n{number}
  pool: {{name: n{number}, generation: 1, resourceSliceCount: 1}}
  devices: [{{name: gpu-0}}]
"""
    for number in range(30)
)
MODULE = """\
from dradsl import App, Request, ResourceClaim

app = App()
for number in range(40):
    app.add(ResourceClaim(f"claim-{number}", requests=[Request("r", "no.such.class")]))
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def dradsl(*words: str, limit: tuple[int, int] | None = None) -> subprocess.CompletedProcess[str]:
    """A run in a process of its own, with a limit of the system's if one is given."""

    def prepare() -> None:
        if limit is not None:
            resource.setrlimit(limit[0], (limit[1], limit[1]))

    return subprocess.run(
        [sys.executable, "-m", "dradsl", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=prepare,
        env={
            **{key: value for key, value in os.environ.items() if key != "DRADSL_DEBUG"},
            # CPython 3.11 takes bytecode that the limit cuts short for whole, and every later run fails on it.
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )


# Stops where the first new file is brought to the disk, and says so.
# A caller such as nohup may have signals ignored, which a program inherits: here they are not.
HELD = """\
import os, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
def held(handle):
    print("here", flush=True)
    for _ in range(600):  # a signal just before a sleep does not end it
        time.sleep(0.1)
os.fsync = held
sys.argv = ["dradsl", *sys.argv[1:]]
from dradsl.cli import start
start()
"""


@pytest.mark.parametrize(
    ("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130), ("twice", 143)]
)
def test_signals(name: str, code: int, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.yaml").write_text(FIXABLE)
    command = [sys.executable, "-c", HELD, "lint", "--isolated", "--fix", "--unsafe-fixes", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"here\n"
        assert len(list(tmp_path.iterdir())) == 4
        run.send_signal(signal.SIGTERM if name == "twice" else getattr(signal, name))
        if name == "twice":  # as `timeout` does
            run.send_signal(signal.SIGTERM)
        _, errors = run.communicate(timeout=30)
    assert run.returncode == code, errors
    assert b"Traceback" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.yaml", "1.yaml", "2.yaml"]
    assert {path.read_text() for path in tmp_path.iterdir()} == {FIXABLE}


def test_a_second_signal_does_not_disturb_the_first(tmp_path: Path) -> None:
    """`timeout` sends two: one to the process, one to its group."""
    script = (
        "import os, signal\nfrom dradsl.cli.stopping import Stopped, listen\nlisten()\n"
        "try:\n    os.kill(os.getpid(), signal.SIGTERM)\nexcept Stopped as stopped:\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "    print('cleaned up', stopped.exit_code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"cleaned up 143\n"


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    """`nohup dradsl ...` goes on when the terminal is closed."""
    (tmp_path / "a.yaml").write_text(CLAIM)
    script = (
        "import os, signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from dradsl.cli.stopping import listen\nlisten()\n"
        "os.kill(os.getpid(), signal.SIGHUP)\nprint('still here')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"still here\n"


FULL = (
    "lint --isolated a.yaml --slices s.yaml --output-format json --output out",
    "lint --isolated a.yaml --baseline out --write",
    "record s.yaml -o out",
    "simulate a.yaml --slices s.yaml --output-format json --output out",
    "build module.py --output-format json --report out",
    "schema infer s.yaml --force -o out",
    "schema infer s.yaml -o known",
    "to-python a.yaml -o out",
)


OLD = {"out": "old\n", "known": "driver: gpu.nvidia.com\ndeviceTypes: {}\n"}


@pytest.mark.parametrize("call", FULL, ids=lambda call: call.split()[0])
def test_no_space(call: str, tmp_path: Path) -> None:
    """The old file stays whole, and nothing is left beside it."""
    (tmp_path / "a.yaml").write_text(
        "---\n".join(CLAIM.replace("name: x", f"name: X{n}") for n in range(9))
    )
    (tmp_path / "s.yaml").write_text(SLICES)
    (tmp_path / "module.py").write_text(MODULE)
    for name in OLD:
        (tmp_path / name).write_text(OLD[name])
    before = sorted(path.name for path in tmp_path.iterdir())
    done = dradsl(*call.split(), limit=(resource.RLIMIT_FSIZE, 64))
    assert done.returncode == 2, done
    assert "out: File too large" in done.stderr or "known: File too large" in done.stderr
    assert "internal error" not in done.stderr
    assert {name: (tmp_path / name).read_text() for name in OLD} == OLD
    after = sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__")
    assert after == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("call", ["lint --isolated a.yaml", "convert a.yaml", "rule"])
def test_no_space_on_standard_output(call: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CLAIM)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dradsl", *call.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "internal error" not in done.stderr


RECORDINGS = (
    "simulate a.yaml --slices s.yaml",
    "record s.yaml",
    "schema infer s.yaml",
    "cel eval --slices s.yaml true",
    "lint --isolated a.yaml --slices s.yaml",
)


@pytest.mark.parametrize("call", RECORDINGS, ids=lambda call: call.split()[0])
def test_a_small_recording_needs_little_memory(call: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{CLAIM}---\n{POD}")
    (tmp_path / "s.yaml").write_text(SLICES)
    done = dradsl(*call.split(), limit=(resource.RLIMIT_AS, 512 * 1024**2))
    assert "MemoryError" not in done.stderr
    assert done.returncode in (0, 1), done


PIPES = (
    "simulate a.yaml --slices p.yaml",
    "simulate p.yaml --slices s.yaml",
    "record p.yaml",
    "schema check p.yaml",
    "schema infer p.yaml",
    "schema infer s.yaml -o p.yaml",
    "schema check p.yaml --against gpu.nvidia.com",
    "schema check gpu.nvidia.com --against gpu.nvidia.com --context p.yaml",
    "schema check gpu.nvidia.com --against p.yaml",
    "schema export --as python p.yaml",
    "cel eval --slices p.yaml true",
    "lint --isolated a.yaml --slices p.yaml",
    "lint --isolated a.yaml --baseline p.yaml",
    "lint --isolated a.yaml --driver-schema p.yaml",
    "lint --isolated a.yaml --context p.yaml",
    "lint --isolated p.yaml",
    "lint a.yaml --config p.yaml",
    "convert p.yaml",
    "to-python p.yaml",
    "migrate --scan p.yaml",
    "migrate --scan a.yaml --answers p.yaml",
    "migrate --scan a.yaml --set recipes=p.yaml",
    "migrate --scan a.yaml --slices p.yaml",
)


@pytest.mark.parametrize("call", PIPES)
def test_pipes_are_not_waited_for(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell's `<(...)` is one: it is rejected, also where something would come."""
    import importlib

    from click.testing import CliRunner

    (tmp_path / "a.yaml").write_text(CLAIM)
    (tmp_path / "s.yaml").write_text(SLICES)
    os.mkfifo(tmp_path / "p.yaml")
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)
    name, *words = call.split()
    command = importlib.import_module(f"dradsl.cli.{name.replace('-', '_')}").command
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert "p.yaml" in result.output
    assert "is not a regular file" in result.output or "no such file" in result.output
    rejected_whole = call not in (
        "lint --isolated p.yaml",
        "lint --isolated a.yaml --context p.yaml",
        "convert p.yaml",
        "migrate --scan p.yaml",
    )
    assert result.exit_code == 2 or not rejected_whole or "--context p.yaml" in call


# --- names ---


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("lint --isolated", "--baseline=x.yaml"),
        ("lint --isolated", "--ignore=ALL"),
        ("lint", "-q"),
        ("lint --isolated", "--exit-zero"),
        ("migrate --check", "--report=x.yaml"),
        ("convert --check", "--to=v1beta1"),
        ("to-python", "--output=x.yaml"),
        ("simulate --slices s.yaml", "--output=x.yaml"),
        ("record", "--output=x.yaml"),
    ],
)
def test_a_file_name_is_no_option(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FIXABLE)
    (tmp_path / "s.yaml").write_text(SLICES)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = dradsl(*command.split(), name)
    assert done.returncode == 2
    assert name in done.stderr
    assert "put -- before" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_behind_two_dashes_all_are_names(tmp_path: Path) -> None:
    name = "--baseline=x.yaml"
    (tmp_path / name).write_text(FIXABLE)
    done = dradsl("lint", "--isolated", "--", name)
    assert done.returncode == 1
    assert f"{name}:4" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_hooks_part_options_from_names() -> None:
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        assert hook["args"] == ["--"], hook["id"]
