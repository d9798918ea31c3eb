"""Where findings lead back to: origins of rendered objects, paths from the top of the repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.lint.trees import BAD, GOOD, as_json, lint, write

if TYPE_CHECKING:
    from pathlib import Path

TWICE = GOOD.replace("kind:", "kind: x\nkind:")
HALF = GOOD.replace("apiVersion: resource.k8s.io/v1", "")
RENDERED = f"""\
---
# Source: mychart/templates/claim.yaml
{BAD}---
# Source: mychart/templates/twice.yaml
{TWICE}---
# Source: mychart/templates/half.yaml
{HALF}"""
FORMATS = ("text", "concise", "json", "sarif", "junit", "github", "gitlab")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_template_is_named() -> None:
    found = as_json("-", stdin=RENDERED)["findings"]
    assert [(one["code"], one["origin"]) for one in found] == [
        ("DRA005", "mychart/templates/claim.yaml"),
        ("DRA002", "mychart/templates/twice.yaml"),
        ("DRA007", "mychart/templates/half.yaml"),
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_in_all_formats(form: str) -> None:
    result = lint("-", "--output-format", form, stdin=RENDERED)
    for name in ("claim", "twice", "half"):
        assert f"mychart/templates/{name}.yaml" in result.stdout


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("path: base/claim.yaml\n", "base/claim.yaml"),
        (
            "path: base/claim.yaml\nrepo: https://example.com/x\nref: v1\n",
            "base/claim.yaml of https://example.com/x@v1",
        ),
        ("repo: https://example.com/x\npath: a.yaml\n", "a.yaml of https://example.com/x"),
        (
            "configuredIn: overlay/kustomization.yaml\nconfiguredBy:\n  kind: X\n  path: no\n",
            "overlay/kustomization.yaml",
        ),
        ("path:\n", None),
        ("- a\n", None),
        ("", None),
        ("path: " + "x" * 10_000, "x" * 1024),
    ],
)
def test_the_annotation_of_kustomize(annotation: str, expected: str | None) -> None:
    data = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "a", "annotations": {"config.kubernetes.io/origin": annotation}},
        "spec": {"devics": 1},
    }
    (one,) = as_json("-", stdin=json.dumps(data))["findings"]
    assert one["origin"] == expected


def paths(form: str, text: str) -> set[str]:
    """The files that a report in a form for code hosts names."""
    if form == "github":
        return {line.partition("file=")[2].partition(",")[0] for line in text.splitlines()} - {""}
    report = json.loads(text)
    if form == "gitlab":
        return {one["location"]["path"] for one in report}
    results = report["runs"][0]["results"]
    return {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results}


@pytest.mark.parametrize("form", ["github", "gitlab", "sarif"])
def test_paths_from_the_top_of_the_repository(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"repo/argo/deep/a.yaml": BAD, "repo/b.yaml": BAD})
    monkeypatch.chdir(tmp_path / "repo" / "argo")
    call = ("--output-format", form, ".", "../b.yaml")
    assert paths(form, lint(*call).stdout) == {
        "deep/a.yaml",
        str(tmp_path / "repo" / "b.yaml"),
    } or (form == "sarif")
    (tmp_path / "repo" / ".git").mkdir()
    assert paths(form, lint(*call).stdout) == {"argo/deep/a.yaml", "b.yaml"}
    # What people read names files as they did.
    assert "\ndeep/a.yaml:8:17: " in f"\n{lint('.').stdout}"
    assert as_json(".")["findings"][0]["path"] == "deep/a.yaml"
