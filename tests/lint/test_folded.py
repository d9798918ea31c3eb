"""Findings that follow from others: below their causes, in every format; and gone or on their own once these are fixed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.catalogue.table import FOLLOWS
from tests.lint.test_rule_examples import PAIRS, lint, params, write

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.lint.pages.documents import RuleDocument
    from maintenance.rule_examples import Example

FIXABLE = params([(document, example) for document, example in PAIRS if example.kind == "bad"])

UNUSED = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  resourceClaims:
  - {name: gpu, resourceClaimTemplateName: one-gpu}
  containers:
  - name: c
    image: i
    resources: {claims: [{name: npu}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-gpu, namespace: ml}
spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.acme.io
  nodeName: node-1
  pol: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
ALTERNATIVES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ml}
spec:
  devices:
    requests:
    - name: a
      firstAvailable:
      - name: big
        exactly: {deviceClassName: gpu.nvidia.com, count: 2}
      - name: small
        exactly: {deviceClassName: gpu.nvidia.com}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimName: one-gpu}]
"""
TEMPLATE = UNUSED.partition("---\n")[2]
OLD = TEMPLATE.replace("/v1\n", "/v1beta1\n").replace(
    "exactly: {deviceClassName: gpu.nvidia.com}", "deviceClassName: gpu.nvidia.com"
)


def report(folder: Path, text: str, output: str = "json", *options: str) -> Any:
    (folder / "x.yaml").write_text(text, encoding="utf-8")
    call = ["--isolated", "--output-format", output, *options, str(folder / "x.yaml")]
    result = CliRunner().invoke(command, call, catch_exceptions=False)
    return result.stdout if output == "text" else json.loads(result.stdout)


@pytest.mark.parametrize(
    ("text", "roots", "folded"),
    [
        # The claim that no container uses is before the name that no claim has.
        (UNUSED, ["DRA403"], ["DRA415"]),
        (SLICE, ["DRA005"], ["DRA601", "DRA612"]),
        (ALTERNATIVES, ["DRA505", "DRA505"], ["DRA303", "DRA303"]),
        (JOB + "---\n" + TEMPLATE, ["DRA411"], ["DRA418"]),
    ],
)
def test_the_cause_alone_is_counted(
    tmp_path: Path, text: str, roots: list[str], folded: list[str]
) -> None:
    found = report(tmp_path, text)
    assert [each["code"] for each in found["findings"]] == roots
    assert sorted(each["code"] for each in found["folded"]) == folded
    summary = found["summary"]
    assert summary["errors"] + summary["warnings"] + summary["infos"] == len(roots)
    causes = {(each["code"], each["path"], each["line"]) for each in found["findings"]}
    by = [each["causedBy"] for each in found["folded"]]
    assert {(each["code"], each["path"], each["line"]) for each in by} <= causes
    written = report(tmp_path, text, "text")
    assert written.count("= follows: ") == len(folded)


def test_what_is_worse_than_its_cause_is_reported_by_itself(tmp_path: Path) -> None:
    """A claim that is only not shown is no cause of a warning."""
    spread = JOB.replace(
        "restartPolicy",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}}]}}\n      restartPolicy",
    ).replace("template:\n", "template:\n    metadata: {labels: {a: b}}\n")
    codes = {each["code"]: each["severity"] for each in report(tmp_path, spread)["findings"]}
    assert codes == {"DRA411": "info", "DRA418": "warning"}
    assert [each["code"] for each in report(tmp_path, JOB)["folded"]] == ["DRA418"]


@pytest.mark.parametrize("output", ["json", "sarif"])
def test_a_mistake_that_is_reported_once_a_file_keeps_its_lines(
    tmp_path: Path, output: str
) -> None:
    text = "---\n".join(OLD.replace("one-gpu", name) for name in ("a", "b", "c"))
    found = report(tmp_path, text, output)
    if output == "json":
        (one,) = (each for each in found["findings"] if each["code"] == "DRA502")
        lines = [one["line"], *(each["line"] for each in found["folded"])]
    else:
        (one,) = found["runs"][0]["results"]
        places = [*one["locations"], *one["relatedLocations"]]
        lines = [each["physicalLocation"]["region"]["startLine"] for each in places]
    assert lines == [1, 6, 11]  # of three documents


def test_a_rule_that_is_off_is_not_folded_either(tmp_path: Path) -> None:
    assert report(tmp_path, UNUSED, "json", "--ignore", "DRA415")["folded"] == []


def test_the_causes_on_the_pages_exist() -> None:
    assert {code for rows in FOLLOWS.values() for code, _ in rows} <= RULES.keys()


def key(finding: dict[str, Any]) -> tuple[str, str]:
    return finding["code"], finding["field"] or ""


@pytest.mark.parametrize(("document", "example"), FIXABLE)
def test_after_the_fix_what_was_folded_is_gone_or_reported(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the causes are fixed, what was folded below them is below nothing any more."""
    arguments = [*write(tmp_path, example), "--output-format", "json"]
    before = json.loads(lint(tmp_path, monkeypatch, arguments).stdout)
    causes = {
        (each["causedBy"]["code"], each["causedBy"]["line"], each["causedBy"]["column"])
        for each in before["folded"]
        if each["code"] != each["causedBy"]["code"]
    }
    fixable = {
        (each["code"], each["line"], each["column"]) for each in before["findings"] if each["fix"]
    }
    if not causes or not causes <= fixable:
        return
    lint(tmp_path, monkeypatch, [*arguments, "--fix", "--unsafe-fixes"])
    after = json.loads(lint(tmp_path, monkeypatch, arguments).stdout)
    assert not {(e["code"], e["line"], e["column"]) for e in after["findings"]} & causes
    known = {key(each) for each in before["findings"]} | {key(each) for each in before["folded"]}
    again = {key(each) for each in after["folded"]} & {key(each) for each in before["folded"]}
    assert not again
    assert {key(each)[0] for each in after["findings"]} <= {code for code, _ in known}
