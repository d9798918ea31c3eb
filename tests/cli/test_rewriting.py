"""Commands that rewrite files: nothing of anybody is lost, and one failure stops no other file."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

if TYPE_CHECKING:
    from pathlib import Path

OLD = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: x}
spec: {devices: {requests: [{name: r, deviceClassName: gpu.nvidia.com}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: y}
spec: {devices: {requests: [{name: r, exactly: {deviceClassname: gpu.nvidia.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
CALLS = (
    "lint --isolated --fix --unsafe-fixes .",
    "convert --write --to v1 .",
    "migrate --write .",
)
SHORT_CALLS = [pytest.param(call, id=" ".join(call.split()[:3])) for call in CALLS]


@pytest.fixture(autouse=True)
def _in_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def run(call: str) -> Result:
    name, *words = call.split()
    command = importlib.import_module(f"dradsl.cli.{name}").command
    return CliRunner().invoke(command, words, catch_exceptions=False)


@pytest.mark.parametrize("call", SHORT_CALLS)
def test_an_edit_made_meanwhile_stays(
    call: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files are read first: while the first one is written, somebody edits the second."""
    for name in ("a.yaml", "b.yaml", "c.yaml"):
        (tree / name).write_text(OLD)
    sync = os.fsync

    def meanwhile(handle: int) -> None:
        theirs = tree / "b.yaml"
        if theirs.read_text() == OLD:
            theirs.write_text(f"{OLD}# theirs\n")
        sync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    result = run(call)
    assert result.exit_code == 2
    assert "b.yaml: was changed since it was read" in result.stderr
    assert (tree / "b.yaml").read_text() == f"{OLD}# theirs\n"
    assert (tree / "a.yaml").read_text() != OLD
    assert (tree / "c.yaml").read_text() != OLD
    assert not [path.name for path in tree.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("call", SHORT_CALLS)
def test_a_link_brings_in_no_file_from_outside(call: str, tree: Path) -> None:
    victim = tree.parent / "victim.yaml"
    victim.write_text(OLD)
    (tree / "a-link.yaml").symlink_to(victim)
    (tree / "b.yaml").write_text(OLD)
    result = run(call)
    assert result.exit_code != 2
    assert "a-link.yaml" in result.output
    assert "a link out of the tree" in result.output
    assert victim.read_text() == OLD
    assert (tree / "a-link.yaml").is_symlink()
    assert (tree / "b.yaml").read_text() != OLD
    # What the call names is read anywhere; behind a link nothing outside is written: a shell expands `*.yaml` too.
    named = run(call.replace(" .", " a-link.yaml"))
    assert named.exit_code == 2
    assert "a-link.yaml: leads by a link outside" in named.output
    assert victim.read_text() == OLD
    assert "outside" not in run(call.replace(" .", f" {victim}")).output
    assert victim.read_text() != OLD


@pytest.mark.parametrize("call", SHORT_CALLS)
def test_a_link_within_the_tree(call: str, tree: Path) -> None:
    (tree / "data").mkdir()
    (tree / "data" / "real.yml").write_text(OLD)
    (tree / "a.yaml").symlink_to("data/real.yml")
    assert run(call).exit_code != 2
    assert (tree / "data" / "real.yml").read_text() != OLD
    assert (tree / "a.yaml").is_symlink()


@pytest.mark.parametrize("call", SHORT_CALLS)
def test_long_names(call: str, tree: Path) -> None:
    # Migration puts claims beside it, whose file needs a longer name.
    name = f"{'l' * (230 if call.startswith('migrate') else 250)}.yaml"
    for each in (name, "z.yaml"):
        (tree / each).write_text(OLD)
    assert run(call).exit_code != 2
    assert (tree / name).read_text() == (tree / "z.yaml").read_text() != OLD


@pytest.mark.parametrize("call", SHORT_CALLS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_encoding_stays(call: str, encoding: str, tree: Path) -> None:
    """Also between the rounds of fixes."""
    path = tree / "a.yaml"
    path.write_bytes(OLD.replace("name: p", "name: p  # é").encode(encoding))
    mark = path.read_bytes()[:2]
    assert run(call).exit_code != 2
    text = path.read_bytes().decode(encoding)
    assert path.read_bytes()[:2] == mark
    assert "# é" in text
    assert text != OLD


@pytest.mark.parametrize("byte", [b"\xe9", b"\xff", b"\xc3", b"\xed\xa0\x80"])
@pytest.mark.parametrize("call", [*SHORT_CALLS, "lint --isolated --fix --unsafe-fixes --diff ."])
def test_a_bad_byte_in_another_document(call: str, byte: bytes, tree: Path) -> None:
    comment = b"# dradsl: ignore[DRA301]\n"
    for number, text in enumerate(
        (b"a: x", comment + b"a: x", b"a: 1\n---\n" + comment + b"b: [x")
    ):
        (tree / f"{number}.yaml").write_bytes(OLD.encode() + b"---\n" + text + byte + b"\n")
    (tree / "good.yaml").write_text(OLD)
    result = run(call)
    assert "internal error" not in result.output
    assert (tree / "good.yaml").read_text() != OLD or "--diff" in call
    for number in range(3):
        assert byte in (tree / f"{number}.yaml").read_bytes()


def test_a_bad_byte_beside_an_ignore_comment(tree: Path) -> None:
    (tree / "bad.yaml").write_bytes(
        b"apiVersion: v1\nkind: X\n---\n# dradsl: ignore[DRA301]\nclaims: caf\xe9\n"
    )
    (tree / "other.yaml").write_text(OLD)
    result = run("lint --isolated .")
    assert result.exit_code == 1
    assert "bad.yaml:5:12: DRA003" in result.stdout
    assert "other.yaml:9" in result.stdout
