"""`--each-file`: what is said of a file does not depend on the others of the call."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.lint.trees import BAD, GOOD, as_json, lint, write

if TYPE_CHECKING:
    from collections.abc import Sequence

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: NAMESPACE}
spec: {spec: {devices: {requests: [{name: REQUEST, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: b}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: g, request: full}]}}]
  resourceClaims: [{name: g, resourceClaimTemplateName: gpu}]
"""
FILES = {
    "a/claim.yaml": TEMPLATE.replace("NAMESPACE", "a").replace("REQUEST", "full"),
    "b/claim.yaml": TEMPLATE.replace("NAMESPACE", "b").replace("REQUEST", "mig"),
    "b/pod.yaml": POD,
    "bad.yaml": BAD,
    "twice.yaml": GOOD + "---\n" + GOOD,
    "settings.json": "{ // no JSON\n}",
    "gone.yaml": "apiVersion: v1\nkind: X\na: [\n",
}


@pytest.fixture(autouse=True)
def _in_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)


def call_of_the_hook() -> list[str]:
    hooks: list[dict[str, Any]] = yaml.safe_load(HOOKS.read_text("utf-8"))
    (hook,) = [hook for hook in hooks if hook["id"] == "dradsl-lint"]
    assert hook["require_serial"]
    program, command, *words = str(hook["entry"]).split()
    assert (program, command) == ("dradsl", "lint")
    return words


def said(names: Sequence[str]) -> list[dict[str, Any]]:
    findings: list[dict[str, Any]] = as_json(*call_of_the_hook(), *names)["findings"]
    return findings


def test_no_finding_depends_on_the_batch() -> None:
    alone = {name: said([name]) for name in FILES}
    assert {name for name, found in alone.items() if found} == {"bad.yaml", "gone.yaml"}
    for number in (2, 3, len(FILES)):
        for batch in itertools.islice(itertools.combinations(FILES, number), 12):
            assert said(batch) == [one for name in sorted(batch) for one in alone[name]]


def test_without_it_files_are_looked_into_for_each_other() -> None:
    codes = {one["code"] for one in as_json("a/claim.yaml", "b/pod.yaml")["findings"]}
    assert "DRA416" in codes


def test_one_summary() -> None:
    result = lint("--each-file", *FILES)
    assert result.stdout.count(" in 6 files (7 documents)\n") == 1
    assert "settings.json" not in result.stdout
    assert result.exit_code == 1


def test_files_that_cannot_be_read_count_once() -> None:
    Path("link.yaml").symlink_to("nowhere")
    summary = as_json("--each-file", "link.yaml", "bad.yaml")["summary"]
    assert (summary["files"], summary["errors"]) == (2, 2)


def test_fixes() -> None:
    flat = GOOD.replace("exactly: {deviceClassName: gpu.nvidia.com}", "deviceClassName: x")
    Path("bad.yaml").write_text(flat)
    lint("--each-file", "--fix", "bad.yaml", "b/pod.yaml")
    assert "exactly:" in Path("bad.yaml").read_text()


def test_an_earlier_state_is_of_all_files() -> None:
    result = lint("--each-file", "--since", ".", "bad.yaml")
    assert result.exit_code == 2
    assert "cannot be used together" in result.stderr
