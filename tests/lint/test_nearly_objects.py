"""Documents that are nearly objects are findings; values, patches and files of other tools are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lint.trees import GOOD, as_json, lint, places

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    image: x
    resources:
      claims: [{name: g}]
  resourceClaims:
  - name: g
    resourceClaimName: gpu
"""
PLAIN = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x}]}\n"
)
MISSED = "DRA411"  # the claim is in no file: an info that is of no interest here


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(text: str, name: str = "a.yaml") -> list[tuple[str, str]]:
    return [
        (one["code"], one["message"])
        for one in as_json("-", "--stdin-filename", name, stdin=text)["findings"]
        if one["code"] != MISSED
    ]


def fixed(text: str) -> str:
    """What `--fix --unsafe-fixes` makes of a text, and that nothing is left to find."""
    path = Path("fixed.yaml")
    path.write_text(text)
    lint("--fix", "--unsafe-fixes", str(path))
    after = path.read_text()
    assert found(after) == []
    return after


NO_VERSION = ("DRA007", "apiVersion is missing")
NO_KIND = ("DRA007", "kind is missing")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (POD.replace("apiVersion: v1\n", ""), NO_VERSION),
        (PLAIN.replace("apiVersion: v1\n", ""), NO_VERSION),
        (PLAIN.replace("v1", "''", 1), NO_VERSION),
        (GOOD.replace("apiVersion: resource.k8s.io/v1\n", ""), NO_VERSION),
        (POD.replace("kind: Pod\n", ""), NO_KIND),
        (GOOD.replace("kind: ResourceClaim\n", ""), NO_KIND),
        (POD.replace("apiV", "apiv"), ("DRA005", 'unknown field "apiversion"')),
        (POD.replace("kind", "Kind"), ("DRA005", 'unknown field "Kind"')),
        (GOOD.replace("apiV", "ApiV"), ("DRA005", 'unknown field "ApiVersion"')),
        (
            POD.replace("kind: Pod", "kind: [Pod]"),
            ("DRA006", "kind is text, not a list"),
        ),
        (POD.replace("resourceC", "resourcec", 1), ("DRA005", 'unknown field "resourceclaims"')),
        (POD.replace("claims:", "Claims:", 1), ("DRA005", 'unknown field "Claims"')),
        (POD.replace("resourceClaimN", "resourceclaimn"), ("DRA005", 'unknown field "resourceclaimname"')),
        (
            GOOD.replace("resource.k8s", "resources.k8s"),
            ("DRA501", "ResourceClaim is a kind of resource.k8s.io, not of resources.k8s.io/v1"),
        ),
        (
            GOOD.replace("resource.k8s.io/v1", "resource.k8s.io"),
            ("DRA501", "apiVersion names a group without a version"),
        ),
        (
            GOOD.replace("resource.k8s.io/v1", "v1"),
            ("DRA501", "ResourceClaim is a kind of resource.k8s.io, not of v1"),
        ),
        (
            GOOD.replace("resource.k8s.io/v1", "apps/v1"),
            ("DRA501", "ResourceClaim is a kind of resource.k8s.io, not of apps/v1"),
        ),
        (
            json.dumps([{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}]),
            ("DRA007", "apiVersion and kind are missing: the document is a list of 1 object"),
        ),
        (
            "a: {apiVersion: v1, kind: Service}\nb: {apiVersion: resource.k8s.io/v1, kind: DeviceClass}\n",
            ("DRA007", "apiVersion and kind are missing: the document is a mapping of 2 objects"),
        ),
    ],
)  # fmt: skip
def test_findings(text: str, expected: tuple[str, str]) -> None:
    assert expected in found(text)
    assert lint("-", stdin=text).exit_code == 1


@pytest.mark.parametrize(("kind", "version"), [("Pod", "v1"), ("Deployment", "apps/v1")])
def test_kinds_of_other_groups_are_told_theirs(kind: str, version: str) -> None:
    text = f"apiVersion: resource.k8s.io/v1\nkind: {kind}\nmetadata: {{name: a}}\n"
    assert f"help: write apiVersion: {version}\n" in lint("-", stdin=text).stdout


CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "a"},
    "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]},
}


@pytest.mark.parametrize(
    "text",
    [
        POD.replace("apiVersion: v1\n", ""),
        POD.replace("apiVersion: v1\n", "").replace("\n", "\r\n"),
        POD.replace("apiV", "apiv"),
        POD.replace("kind", "Kind").replace("apiV", "apiv"),
        POD.replace("resourceC", "resourcec").replace("claims: [", "Claims: [").replace("image", "Image"),
        "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: x}]}}\n",
        '{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}',
        GOOD.replace("resource.k8s.io/v1", "v1"),
        GOOD.replace("resource.k8s.io", '"resources.k8s.io').replace("v1\n", 'v1"\n'),
        "".join(f"{'- ' if not n else '  '}{line}\n" for n, line in enumerate(POD.splitlines())),
        json.dumps([CLASS]),
    ],
)  # fmt: skip
def test_one_edit_mends_it(text: str) -> None:
    assert found(text)
    after = fixed(text)
    if text.startswith(("[", '{"')):
        assert json.loads(after)


def test_objects_in_a_list_are_checked_too() -> None:
    item = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"nonsense": 1}}
    for data in ([item], {"claim": item}):
        codes = [code for code, _ in found(json.dumps(data))]
        assert "DRA005" in codes
        assert "DRA007" in codes
    (place,) = [
        one for one in places("-", stdin=json.dumps([item], indent=1)) if one[3] == "DRA005"
    ]
    assert place[1:3] == (6, 4)


def test_a_group_that_may_exist_is_a_guess() -> None:
    text = GOOD.replace("resource.k8s.io", "resource.k8s.com")
    (one,) = as_json("-", stdin=text)["findings"]
    assert (one["code"], one["severity"]) == ("DRA501", "info")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("values.yaml", "kind: Deployment\nmetadata: {}\nreplicas: 1\n"),
        ("values.yaml", "kind: DaemonSet\nspec: {x: 1}\n"),
        ("values.yaml", "Kind: Deployment\napiversion: apps/v1\n"),
        ("values.yaml", "pod: {resourceclaims: []}\nextra: [{apiVersion: v1, kind: Pod}]\n"),
        ("kustomization.yaml", "resources: [a.yaml]\npatches:\n- target: {kind: Pod}\n  path: b.yaml\n"),
        ("kustomization.yaml", "kind: Kustomization\nmetadata: {name: x}\nspec: {}\n"),
        ("patch.yaml", "- op: add\n  path: /spec/resourceClaims\n  value: [{name: g}]\n"),
        ("Chart.yaml", "apiVersion: v2\nname: x\nkubeVersion: '>1'\n"),
        ("mkdocs.yml", "site_name: ResourceClaim\nnav: []\n"),
        ("docker-compose.yml", "services: {a: {image: x, deploy: {resources: {}}}}\n"),
        ("ci.yaml", "on: push\njobs: {a: {steps: [{run: 'kind: Pod'}]}}\n"),
        ("openapi.json", '{"openapi": "3", "definitions": {"a": {"kind": "Pod", "apiVersion": "v1"}}}'),
        ("values-gpu.yaml", f"claim: {json.dumps(CLASS)}\n"),
        ("list.json", '[{"apiVersion": "v1", "kind": "Service"}]'),
        ("map.json", '{"a": {"apiVersion": "v1", "kind": "Service"}}'),
        ("list.json", '[{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}, 7]'),
        ("a.yaml", "apiVersion: authentication.liqo.io/v1beta1\nkind: ResourceSlice\nspec: {}\n"),
        ("a.yaml", "apiVersion: example.com/v1\nkind: DeviceClass\nspec: {restartpolicy: x}\n"),
        ("a.yaml", PLAIN.replace("image", "Image")),  # no claims: none of our business
        ("a.yaml", POD.replace("v1\nkind: Pod", "example.com/v1\nkind: Job").replace("image", "Image")),
        ("a.yaml", "[]\n"),
        ("a.yaml", "{}\n"),
        ("a.yaml", "7\n"),
        ("a.yaml", "1: {apiVersion: v1}\n"),
    ],
)  # fmt: skip
def test_what_is_none(name: str, text: str) -> None:
    assert found(text, name) == []
