"""`dradsl record --from-cluster` starts kubectl and nothing else, and survives whatever that is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
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
    result = record("--kube-context", "-x")
    assert result.exit_code == 0, result.output
    calls = trace.read_text().splitlines()
    assert len(calls) == 6
    assert calls[0] == "get --context=-x --raw /version?limit=500"
    assert all(call.startswith("get --context=-x --raw /api") for call in calls[1:])
    assert all(call.endswith("?limit=500") for call in calls[1:])


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
    # What the user names by a path is what is meant.
    monkeypatch.setenv("DRADSL_KUBECTL", "./kubectl")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    record()
    assert trap.exists()


@pytest.mark.parametrize("kind", ["resourceslices", "nodes"])
def test_errors_are_one_line_without_controls(kind: str, tmp_path: Path) -> None:
    said = r"printf '\033[31mred\007\n::error::x\n\342\200\256back' >&2"
    program(
        tmp_path / "bin" / "kubectl",
        f'case "$3" in */{kind}?*) {said}; exit 1;; esac\n{answering()}',
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
    assert "kubectl get: prints" in result.stderr
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


def test_a_context_that_no_program_takes(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "kubectl", answering())
    result = record("--kube-context", "a\0b")
    assert result.exit_code == 2
    assert "cannot be started" in result.stderr
    assert "\0" not in result.stderr


def test_a_program_of_the_environment_that_cannot_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRADSL_KUBECTL", str(tmp_path))
    result = record()
    assert result.exit_code == 2
    assert "cannot be started" in result.stderr


LOG = "".join(
    f'E1123 12:00:0{number}.123456   {number}123 memcache.go:265] "Unhandled Error" err="couldn\'t get current server '
    'API group list: Get \\"http://localhost:8080/api?timeout=32s\\": dial tcp 127.0.0.1:8080: connect: rejected"\n'
    for number in range(5)
)
REASONS = [
    "The connection to the server localhost:8080 was rejected - did you specify the right host or port?",
    "Unable to connect to the server: dial tcp: lookup api.example.com: no such host",
    "Unable to connect to the server: getting credentials: exec: executable aws not found",
    "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority",
    'error: context "nope" does not exist',
    'error: cluster "nope" does not exist',
    "error: You must be logged in to the server (Unauthorized)",
    "error: no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
    'error: error loading config file "/home/me/.kube/config": yaml: line 2: mapping values are not allowed',
    "error: stat /nope: no such file or directory",
]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("log", ["", LOG])
@pytest.mark.parametrize(
    "call", ["why", "devices", "devices --by claim", "record", "simulate pod.yaml"]
)
def test_a_cluster_that_is_not_reached(call: str, log: str, reason: str, tmp_path: Path) -> None:
    """One line with the reason and the next step; kubectl is not asked for the other kinds."""
    (Path.cwd() / "pod.yaml").write_text("{apiVersion: v1, kind: Pod, metadata: {name: a}}\n")
    (tmp_path / "said").write_text(f"{log}{reason}\n")
    trace = tmp_path / "trace"
    said = tmp_path / "said"
    program(tmp_path / "bin" / "kubectl", f'echo "$@" >> {trace}\ncat {said} >&2\nexit 1')
    words = [*call.split(), "--from-cluster"]
    result = CliRunner().invoke(group_of(_COMMANDS), words, catch_exceptions=False)
    assert result.exit_code == 2
    assert len(trace.read_text().splitlines()) == 1
    lines = [line for line in result.stderr.splitlines() if not line.startswith("reads with ")]
    (line,) = lines
    end = "" if reason.endswith("?") else "."
    assert line.removeprefix("Error: ") == (
        f"kubectl cannot reach the cluster: {reason}{end} `kubectl config get-contexts` lists your contexts; "
        "choose one with --kube-context"
    )


def test_no_kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    result = CliRunner().invoke(group_of(_COMMANDS), ["why", "--from-cluster"])
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "Error: kubectl is not found on the PATH: install it, name it in DRADSL_KUBECTL, or read a dump"
    )


def test_the_log_of_kubectl_is_left_out_of_other_errors(tmp_path: Path) -> None:
    """A kind that the cluster does not have, or that nobody may read, is said for that kind alone."""
    forbidden = "Error from server (Forbidden): nodes is forbidden: User cannot list"
    (tmp_path / "said").write_text(f"{LOG}{forbidden}\n")
    text = f'case "$3" in */nodes?*) cat {tmp_path / "said"} >&2; exit 1;; esac\n{answering()}'
    program(tmp_path / "bin" / "kubectl", text)
    result = record()
    assert result.exit_code == 0
    assert f"nodes: {forbidden}" in result.stderr
    assert "memcache.go" not in result.stderr
