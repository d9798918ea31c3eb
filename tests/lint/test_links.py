"""Links out of the tree are not read where they are found, only where the call names them."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.tree.inputs.sources import find_inputs

if TYPE_CHECKING:
    from pathlib import Path

# Whatever a command quotes of it is a word that stands nowhere else.
HIDDEN = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: SECRET}
spec: {devices: {requests: [{name: r, deviceClassname: SECRET, tokenSECRET: 1}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: SECRET-pod}
spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: SECRET}}}]}
--- SECRET
[SECRET
"""
FINE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine}\n"
FOLDER_RUNS = (
    "lint --isolated .",
    "lint --isolated --output-format sarif .",
    "lint --isolated --fix --unsafe-fixes .",
    "lint --isolated --fix --diff .",
    "lint --isolated ./*.yaml",
    "lint --isolated **/*.yaml",
    "lint --isolated --context . sub/fine.yaml",
    "lint --isolated --since . sub/fine.yaml",
    "convert .",
    "convert --diff .",
    "migrate --scan .",
    "migrate --diff .",
    "migrate .",
    "record .",
    "simulate --slices . sub/fine.yaml",
    "simulate --slices sub/slice.yaml .",
    "schema infer .",
    "schema check .",
    "schema check gpu.nvidia.com --against gpu.nvidia.com --context .",
)
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d.example.com, nodeName: node-1, pool: {name: node-1, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / "fine.yaml").write_text(FINE)
    (tree / "sub" / "slice.yaml").write_text(SLICE)
    monkeypatch.chdir(tree)
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)
    return tree


def run(call: str) -> Result:
    name, *words = call.split()
    command = importlib.import_module(f"dradsl.cli.{name}").command
    return CliRunner().invoke(command, words, catch_exceptions=False)


@pytest.mark.parametrize("place", ["outside", "other repository", ".git"])
@pytest.mark.parametrize("call", FOLDER_RUNS)
def test_nothing_of_what_a_found_link_leads_to_is_said(call: str, place: str, tree: Path) -> None:
    folder = tree / ".git" if place == ".git" else tree.parent / "out"
    folder.mkdir()
    if place == "other repository":
        (folder / ".git").mkdir()
    (folder / "secret").write_text(HIDDEN)
    (folder / "secret.yaml").write_text(HIDDEN)
    (tree / "link.yaml").symlink_to(folder / "secret")
    (tree / "folder").symlink_to(folder)
    (tree / "chart").mkdir()
    (tree / "chart" / "templates").symlink_to(folder)
    (folder / "x.tpl").write_text(HIDDEN)
    result = run(call)
    assert "SECRET" not in result.output
    assert result.exit_code in (0, 1, 2, 3)
    assert (folder / "secret").read_text() == HIDDEN
    assert "link.yaml" in result.output or "sarif" in call or "**" in call, result.output


def test_a_skipped_link_is_said_and_counted(tree: Path) -> None:
    (tree.parent / "out.yaml").write_text(HIDDEN)
    (tree / "link.yaml").symlink_to("../out.yaml")
    text = run("lint --isolated .")
    assert text.exit_code == 0
    assert (
        "skipped 1 file (a link out of the tree: name the file itself to have it read): link.yaml"
        in text.output
    )
    found = json.loads(run("lint --isolated --output-format json .").stdout)
    assert found["summary"]["skipped"] == 1
    assert found["summary"]["files"] == 2


@pytest.mark.parametrize("call", ["lint --isolated", "convert", "migrate --scan"])
def test_what_the_call_names_may_be_a_link_anywhere(call: str, tree: Path) -> None:
    (tree.parent / "out").mkdir()
    (tree.parent / "out" / "a.yaml").write_text(HIDDEN)
    (tree / "link.yaml").symlink_to("../out/a.yaml")
    (tree / "folder").symlink_to("../out")
    for named in ("link.yaml", "folder", "link.yaml .", ". link.yaml"):
        assert "SECRET" in run(f"{call} {named}").output


def test_links_within_the_work_tree_are_read(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / "link.yaml").symlink_to("sub/fine.yaml")
    (tree / "sub" / "up.yaml").symlink_to("../common.yaml")
    (tree / "common.yaml").write_text(FINE)
    assert [each.name for each in find_inputs(["sub"]) if not each.outside] == [
        "sub/fine.yaml",
        "sub/slice.yaml",
        "sub/up.yaml",
    ]
    assert not any(each.outside for each in find_inputs(["."]))
    # Names that only look like it.
    (tree / ".github").mkdir()
    (tree / ".github" / "a.git.yaml").write_text(FINE)
    assert not any(each.outside for each in find_inputs(["."]))
