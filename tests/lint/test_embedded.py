"""Manifests and values in the strings of a ConfigMap: places, fixes and ignores in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.lint.trees import BAD, GOOD, as_json, lint, places, write

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: jobs, namespace: ml}\ndata:\n"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def block(text: str, by: str = "    ", header: str = "|") -> str:
    lines = "".join(f"{by}{line}" for line in text.splitlines(keepends=True))
    return f"{HEAD}  claim.yaml: {header}\n{lines}"


def only(tmp_path: Path, text: str) -> list[tuple[int, int, str]]:
    write(tmp_path, {"a.yaml": text})
    return [(line, column, code) for _, line, column, code in places("a.yaml")]


@pytest.mark.parametrize("header", ["|", "|-", "|+", "| # a comment", "|2"])
def test_a_block(tmp_path: Path, header: str) -> None:
    by = "    "
    assert only(tmp_path, block(f"---\n{GOOD}---\n{BAD}", by, header)) == [(23, 21, "DRA005")]


def test_a_block_of_windows(tmp_path: Path) -> None:
    assert only(tmp_path, block(BAD).replace("\n", "\r\n")) == [(13, 21, "DRA005")]


@pytest.mark.parametrize("quote", ["json", "single", "folded"])
def test_other_forms(tmp_path: Path, quote: str) -> None:
    inner = '{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "é", "namespace": "ml"}, "spec": {"devics": {}}}'
    inner = inner.replace("é", "e")
    written = {"json": json.dumps(inner), "single": f"'{inner}'", "folded": f">\n    {inner}"}[
        quote
    ]
    text = f"{HEAD}  a: x\n  claim.json: {written}\n"
    found = only(tmp_path, text)
    line, column, code = found[0]
    assert code == "DRA005"
    assert text.splitlines()[line - 1][column - 1 :].lstrip('\\"').startswith("devics")
    # An edit of what the string stands for is none of the string.
    assert all(one["fix"] is None for one in as_json("a.yaml")["findings"])
    lint("--fix", "--unsafe-fixes", "a.yaml")
    assert (tmp_path / "a.yaml").read_text() == text


def test_fixes(tmp_path: Path) -> None:
    flat = GOOD.replace("exactly: {deviceClassName: gpu.nvidia.com}", "deviceClassName: x")
    write(tmp_path, {"a.yaml": block(flat)})
    lint("--fix", "a.yaml")
    nested = GOOD.replace(" {deviceClassName: gpu.nvidia.com}", "\n        deviceClassName: x")
    assert (tmp_path / "a.yaml").read_text() == block(nested)


def test_ignores(tmp_path: Path) -> None:
    text = block(BAD.replace("    - name", "    # dradsl: ignore[DRA005]\n    - name"))
    above = block(BAD.replace("      exactly", "      # dradsl: ignore[DRA005]\n      exactly"))
    assert only(tmp_path, text) != []
    assert only(tmp_path, above) == []


def test_objects_within_one_map_know_each_other(tmp_path: Path) -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec:\n  containers:\n"
        "  - {name: c, image: x, resources: {claims: [{name: g, request: gpus}]}}\n"
        "  resourceClaims: [{name: g, resourceClaimName: gpu}]\n"
    )
    assert [(line, code) for line, _, code in only(tmp_path, block(f"{GOOD}---\n{pod}"))] == [
        (20, "DRA414")
    ]


@pytest.mark.parametrize(
    "inner",
    [
        "kind: ResourceClaim\nspec: {devices: 7}\n",
        "apiVersion: resource.k8s.io/v1\nspec: {devics: 7}\n",
        "apiVersion: {{ .x }}\nkind: {{ .y }}\n",
        "#!/bin/sh\nkubectl apply -f - <<EOF\napiVersion: v1\nkind: [Pod\nEOF\n",
        "claims: {a: 1, a: 2}\n",
        "a: [\n",
    ],
)
def test_what_is_no_whole_object(tmp_path: Path, inner: str) -> None:
    text = block(inner).replace("claim.yaml", "run.sh" if inner.startswith("#!") else "claim.yaml")
    assert only(tmp_path, text) == []


def test_what_is_broken(tmp_path: Path) -> None:
    broken = BAD.replace("metadata: {", "metadata: [")
    assert {code for *_, code in only(tmp_path, block(broken))} == {"DRA001"}
    twice = GOOD.replace("kind: ResourceClaim\n", "kind: ResourceClaim\nkind: ResourceClaim\n")
    assert only(tmp_path, block(twice)) == [(8, 5, "DRA002")]


def test_maps_in_a_list_and_shared_strings(tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"
        "  metadata: {name: a}\n  data:\n    a.yaml: &a |\n"
    )
    text += "".join(f"      {line}\n" for line in BAD.splitlines())
    text += "    b.yaml: *a\n"
    assert only(tmp_path, text) == [(16, 23, "DRA005")]


def test_other_maps(tmp_path: Path) -> None:
    secret = block(BAD).replace("ConfigMap", "Secret")
    other = block(BAD).replace("apiVersion: v1", "apiVersion: example.com/v1", 1)
    odd = "apiVersion: v1\nkind: ConfigMap\ndata: [apiVersion, kind]\n"
    for text in (secret, other, odd):
        assert only(tmp_path, text) == []


def test_values_for_a_chart(tmp_path: Path) -> None:
    """What a chart drops is said of values in a ConfigMap as of a file of values."""
    values = (
        "image: {repository: registry.example.com/vllm}\ngpuModels: [NVIDIA-L4]\n"
        "resources:\n  limits: {cpu: 4}\n  claims:\n  - name: gpu\n"
    )
    write(tmp_path, {"values.yaml": values, "map.yaml": block(values).replace("claim.", "values.")})
    assert places("values.yaml") == [("values.yaml", 5, 3, "DRA908")]
    assert places("map.yaml") == [("map.yaml", 10, 7, "DRA908")]
    assert places(".") == [*places("map.yaml"), *places("values.yaml")]
