"""Schemas, answers, recipes and baselines of any content: exit code 2, a file, a reason, and soon."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: x}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
BOMB = "x:\n- &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"- &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
)
TEXTS = {
    "brackets": "[" * 100_000,
    "braces": "{a: " * 40 + "}" * 40,
    "indentation": "".join(" " * i + "b:\n" for i in range(60)),
    "aliases": BOMB,
    "loop": "a: &a [*a]\n",
    "merged loop": "driver: x\na: &a {<<: *a}\n",
    "signs": "[" + "a," * 200_000 + "]",
    "size": "a" * 1_100_000,
    "tag bool": "driver: !!bool abc\n",
    "tag int": "driver: !!int abc\n",
    "tag timestamp": "driver: !!timestamp abc\n",
    "tag binary": "driver: !!binary '*'\n",
    "tag set": "driver: !!set [a]\n",
    "tag pairs": "driver: !!pairs {a: b}\n",
    "tag python": "driver: !!python/object:os.system {}\n",
    "key": "? [a, b]\n: c\n",
    "number": "driver: x\na: " + "9" * 5000,
    "scalar": "5\n",
    "bytes": "driver: caf\udce9\n",
    "null": "driver: a\0b\n",
}
CALLS = (
    "lint --isolated a.yaml --driver-schema it",
    "schema check gpu.nvidia.com --against it",
    "schema infer s.yaml -o it",
    "schema export --as python it.yaml",
    "migrate --scan a.yaml --answers it",
    "migrate --scan a.yaml --set recipes=it",
    "lint --isolated a.yaml --baseline it",
)


def run(call: str) -> Result:
    name, *words = call.split()
    command = importlib.import_module(f"dradsl.cli.{name}").command
    return CliRunner().invoke(command, words, catch_exceptions=False)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(CLAIM)
    (tmp_path / "s.yaml").write_text(SLICE)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.replace(" ", "_"))
@pytest.mark.parametrize("kind", TEXTS)
def test_any_content(call: str, kind: str, tmp_path: Path) -> None:
    for name in ("it", "it.yaml"):
        (tmp_path / name).write_bytes(TEXTS[kind].encode("utf-8", "surrogateescape"))
    result = run(call)
    assert result.exit_code == 2
    assert "it" in result.stderr
    assert len(result.stderr) < 1200


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"version": 1, "findings": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"version": 1, "findings": [' + '{"code": 1}]}',
        '{"version": ' + "9" * 5000 + "}",
        '"\\ud800"',
    ],
    ids=lambda text: text[:40],
)
def test_baselines(text: str, tmp_path: Path) -> None:
    (tmp_path / "it").write_text(text)
    result = run("lint --isolated a.yaml --baseline it")
    assert result.exit_code == 2
    assert "it: " in result.stderr


def test_where_it_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "it").write_text("driver: x\na:\n  - " + "[" * 40 + "]" * 40)
    assert "it: line 3: nested more than 32 levels" in run("schema check it --against x").stderr
    (tmp_path / "it").write_text("version: 1\nanswers: &a {sharing: exclusive}\nworkloads: [*a]\n")
    assert "it:3: an alias is not allowed here" in run("migrate --scan a.yaml --answers it").stderr


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_to_python_reads_what_lint_reads(encoding: str, tmp_path: Path) -> None:
    from dradsl.cli.to_python import command

    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    (tmp_path / "u.yaml").write_bytes(mark + CLAIM.encode(encoding))
    result = CliRunner().invoke(command, ["u.yaml"], catch_exceptions=False)
    assert result.exit_code == 0
    assert 'ResourceClaim("x"' in result.stdout
    (tmp_path / "u.yaml").write_bytes(b"\xff\xfe" + b"a\0b")
    result = CliRunner().invoke(command, ["u.yaml"], catch_exceptions=False)
    assert result.exit_code == 2
    assert "u.yaml: no valid UTF-16" in result.stderr


def test_simulate_reads_streams_of_json(tmp_path: Path) -> None:
    claims = [{"name": "c", "resourceClaimName": "x"}]
    containers = [{"name": "c", "image": "x", "resources": {"claims": [{"name": "c"}]}}]
    spec = {"resourceClaims": claims, "containers": containers}
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        for name in ("first", "second")
    ]
    (tmp_path / "j.yaml").write_text("\n---\n".join([*map(json.dumps, pods), CLAIM]))
    result = run("simulate j.yaml --slices s.yaml")
    assert result.exit_code in (0, 1), result.output
    assert "first" in result.stdout
    assert "second" in result.stdout
