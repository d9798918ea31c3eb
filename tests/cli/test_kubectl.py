"""`dradsl record --from-cluster` starts kubectl and nothing else, and survives whatever that is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.record import command

SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "n",
        "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0"}],
    },
}
LIST = json.dumps({"apiVersion": "v1", "kind": "List", "items": [SLICE]})


@pytest.fixture(autouse=True)
def _in_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path / "tree")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def record(*words: str) -> Result:
    return CliRunner().invoke(command, ["--from-cluster", *words], catch_exceptions=False)


def answering(trace: Path | None = None) -> str:
    said = f'printf "%s\\n" "$*" >> {trace}\n' if trace else ""
    return f"{said}cat <<'END'\n{LIST}\nEND"


def test_kubectl_is_asked_for_lists_only(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    program(tmp_path / "bin" / "kubectl", answering(trace))
    result = record("--context", "-x")
    assert result.exit_code == 0, result.output
    calls = trace.read_text().splitlines()
    assert len(calls) == 5
    assert {call.split()[0] for call in calls} == {"get"}
    assert all(call.endswith(" --all-namespaces -o json --context=-x") for call in calls)


@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_a_kubectl_of_the_working_directory_is_not_taken(
    entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    for folder in (Path.cwd(), Path.cwd() / "bin"):
        program(folder / "kubectl", f"touch {trap}; exit 1")
    program(tmp_path / "bin" / "kubectl", answering())
    monkeypatch.setenv("PATH", f"{entry}:{tmp_path / 'bin'}:/usr/bin:/bin")
    assert record().exit_code == 0
    monkeypatch.setenv("PATH", entry)
    result = record()
    assert result.exit_code == 2
    assert "kubectl is not found on the PATH" in result.stderr
    assert not trap.exists()
    # What the call names by a path is what the user means.
    record("--kubectl", "./kubectl")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    record("--kubectl", "./kubectl")
    assert trap.exists()


@pytest.mark.parametrize("kind", ["resourceslices", "nodes"])
def test_errors_are_one_line_without_controls(kind: str, tmp_path: Path) -> None:
    said = r"printf '\033[31mred\007\n::error::x\n\342\200\256back' >&2"
    program(
        tmp_path / "bin" / "kubectl",
        f'if [ "$2" = {kind} ]; then {said}; exit 1; fi\n{answering()}',
    )
    result = record()
    assert result.exit_code == (2 if kind == "resourceslices" else 0)
    (line,) = [each for each in result.stderr.splitlines() if "red" in each]
    assert "red" in line
    assert "; ::error::x; " in line
    assert not any(ord(character) < 32 or character == "\u202e" for character in line)


def test_errors_without_end_are_cut_off(tmp_path: Path) -> None:
    flood = "head -c 300000 /dev/zero | tr '\\0' x >&2; exit 1"
    program(tmp_path / "bin" / "kubectl", flood)
    result = record()
    assert result.exit_code == 2
    assert 1000 < len(result.stderr) < 1500


def test_output_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dradsl.recordings.MAX_BYTES", 100_000)
    program(tmp_path / "bin" / "kubectl", "exec cat /dev/zero")
    result = record()
    assert result.exit_code == 2
    assert "kubectl get resourceslices: prints" in result.stderr
    assert "the limit is 100000" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exit 3", "ended with exit code 3 and said nothing"),
        ("echo '{'", "kubectl get resourceslices: "),
        ("printf 'a: \\033[31m\\n'", "kubectl get resourceslices: "),
        ("cat", "no ResourceSlice in the input"),  # it gets no input to wait for
    ],
)
def test_other_answers(text: str, said: str, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "kubectl", text)
    result = record()
    assert result.exit_code == 2
    assert said in result.stderr
    assert "\x1b" not in result.output


def test_words_that_no_program_takes() -> None:
    result = record("--kubectl", "/a\0b")
    assert result.exit_code == 2
    assert "cannot be started" in result.stderr
    assert "\0" not in result.stderr
