"""`on` and `yes`: booleans for kubectl, texts for Kustomize (asked of Kustomize 5.7.1, which writes "on" and "yes")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lint.trees import as_json, write

if TYPE_CHECKING:
    from pathlib import Path

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: c
    image: x
    args: [WORD]
    resources: {limits: {nvidia.com/gpu: 1}}
"""


@pytest.mark.parametrize("word", ["on", "Off", "YES", "no"])
def test_words_of_yaml_1_1_in_a_kustomization(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pod = POD.replace("WORD", word)
    kustomization = "resources: [pod.yaml]\n"
    write(tmp_path, {"a/pod.yaml": pod, "b/pod.yaml": pod, "b/kustomization.yaml": kustomization})
    found = as_json(".")["findings"]
    assert [(one["path"], one["code"], one["severity"]) for one in found] == [
        ("a/pod.yaml", "DRA006", "error"),
        ("b/pod.yaml", "DRA006", "info"),
    ]
    assert "Kustomize reads it as text" in found[1]["help"]


def test_other_booleans_stay_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pod = POD.replace("WORD", "true")
    write(tmp_path, {"pod.yaml": pod, "kustomization.yaml": "resources: [pod.yaml]\n"})
    assert [one["severity"] for one in as_json(".")["findings"]] == ["error"]
