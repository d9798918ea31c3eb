"""Records of a cluster and excerpts on pages: what was cut off them is no mistake; and objects run together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from tests.lint.trees import places, write

if TYPE_CHECKING:
    from pathlib import Path

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: node-1-gpu.example.com-abcde
{marks}  ownerReferences:
  - apiVersion: v1
    kind: Node
    name: node-1
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool:
    name: node-1
    generation: 1
    resourceSliceCount: 1
  devices:
  - name: gpu-0
"""
EXCERPT = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: node-1-gpu.example.com-abcde
spec:
{head}  devices:
  - name: gpu-0
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: ml
{marks}spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
status:
  reservedFor:
  - resource: pods
    name: a
    uid: b
"""
OBJECT = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: {name}
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com"
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(tmp_path: Path, text: str, name: str = "a.yaml") -> list[tuple[int, str]]:
    write(tmp_path, {name: text})
    return [(line, code) for _, line, _, code in places(name)]


MARKS = (
    "  creationTimestamp: '2026-07-06T13:16:19Z'\n",
    "  resourceVersion: '12'\n",
    "  generateName: gpu-\n",
)


@pytest.mark.parametrize("marks", MARKS)
def test_a_record_needs_no_uids(tmp_path: Path, marks: str) -> None:
    assert said(tmp_path, SLICE.format(marks=marks)) == []


OWNER = "  ownerReferences: [{apiVersion: v1, kind: Pod, name: a, controller: true}]\n"


@pytest.mark.parametrize("marks", MARKS)
def test_a_claim_may_be_applied_again(tmp_path: Path, marks: str) -> None:
    text = CLAIM.format(marks=marks + OWNER)
    assert said(tmp_path, text) == [(7, "DRA011")]
    found = lint_text(text, config=LintConfig(root=".")).findings
    assert [each.severity.value for each in found] == ["info"]
    assert said(tmp_path, page(CLAIM.format(marks=marks + OWNER)), "a.md") == []


def test_a_manifest_needs_them(tmp_path: Path) -> None:
    assert said(tmp_path, SLICE.format(marks="  creationTimestamp: null\n")) == [(7, "DRA011")]


@pytest.mark.parametrize("marks", MARKS)
def test_the_status_of_a_record_stays(tmp_path: Path, marks: str) -> None:
    assert said(tmp_path, CLAIM.format(marks=marks)) == []


def test_the_status_of_a_manifest_does_not(tmp_path: Path) -> None:
    assert [code for _, code in said(tmp_path, CLAIM.format(marks=""))] == ["DRA012"]


def page(text: str) -> str:
    return f"# Slices\n\n```yaml\n{text}```\n"


def test_a_page_shows_the_devices_of_a_slice(tmp_path: Path) -> None:
    assert said(tmp_path, page(EXCERPT.format(head="")), "a.md") == []


def test_a_slice_with_a_driver_is_whole(tmp_path: Path) -> None:
    head = "  driver: gpu.example.com\n"
    assert said(tmp_path, page(EXCERPT.format(head=head)), "a.md") != []


def test_a_file_holds_whole_slices(tmp_path: Path) -> None:
    assert said(tmp_path, EXCERPT.format(head="")) != []


def test_objects_run_together_are_said_once_each(tmp_path: Path) -> None:
    text = OBJECT.format(name="a") + OBJECT.format(name="b") + OBJECT.format(name="c")
    assert said(tmp_path, text) == [(9, "DRA002"), (17, "DRA002")]


def twice(tmp_path: Path, text: str) -> list[int]:
    return [line for line, code in said(tmp_path, text) if code == "DRA002"]


def test_keys_below_are_said_beside(tmp_path: Path) -> None:
    text = OBJECT.format(name="a") + OBJECT.format(name="b") + "  selectors: []\n"
    assert twice(tmp_path, text) == [9, 17]


def test_a_key_twice_is_a_key_twice(tmp_path: Path) -> None:
    text = OBJECT.format(name="a") + "kind: DeviceClass\nspec: {}\n"
    assert twice(tmp_path, text) == [9, 10]


POOL = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: {name}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool:
    name: node-1
    generation: 1
    resourceSliceCount: 2
  devices:
  - name: {name}
"""


def test_a_slice_of_the_wrong_shape_is_there(tmp_path: Path) -> None:
    good, wrong = POOL.format(name="a"), POOL.format(name="b") + "    capacity: {x: '16'}\n"
    assert [code for _, code in said(tmp_path, good)] == ["DRA618"]
    assert [code for _, code in said(tmp_path, good + "---\n" + wrong)] == ["DRA006"]


def test_what_stands_a_level_too_high_is_not_missing(tmp_path: Path) -> None:
    text = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: ml
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
      exactly:
        count: 2
"""
    assert said(tmp_path, text) == [(10, "DRA505")]


def test_a_block_that_is_indented_as_a_whole(tmp_path: Path) -> None:
    objects = OBJECT.format(name="a") + "---\n" + OBJECT.format(name="b").replace("expr", "exqr")
    indented = "".join(f"    {line}" for line in objects.splitlines(keepends=True))
    assert said(tmp_path, page(indented), "a.md") == [(20, "DRA005")]


def test_a_line_of_dots_may_have_a_comment(tmp_path: Path) -> None:
    text = POOL.format(name="a").replace("  - name: a", "  - ...   # one for each device")
    assert said(tmp_path, page(text), "a.md") == []


def test_a_slice_of_an_unknown_version_has_no_requests() -> None:
    text = POOL.format(name="a").replace("k8s.io/v1", "k8s.io/v1alpha4")
    found, *others = lint_text(text, config=LintConfig(root=".")).findings
    assert found.code == "DRA501"
    assert all(each.code != "DRA501" for each in others)
    assert "an attribute is a mapping" in str(found.help)
    assert "request" not in str(found.help)
