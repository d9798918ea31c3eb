"""One cause, one finding: slices of another shape, labels of a namespace; and examples on pages that stand alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: %s}
spec:
  driver: gpu.acme.io
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: %s
    capacity: %s
"""
CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: %s}
spec:
  extendedResourceName: acme.io/gpu
  selectors: [{cel: {expression: device.driver == "gpu.acme.io"}}]
"""
ADMIN = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: %s%s}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}}]}}
"""


def found(folder: Path, text: str, *options: str, name: str = "x.yaml") -> list[Any]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    call = ["--isolated", "--output-format", "json", *options, str(path)]
    findings: list[Any] = json.loads(CliRunner().invoke(command, call).stdout)["findings"]
    return findings


def codes(findings: list[Any]) -> list[str]:
    return [each["code"] for each in findings]


def page(*blocks: str) -> str:
    return "".join(f"Some words.\n\n```yaml\n{block}```\n\n" for block in blocks)


def test_a_slice_of_another_shape_is_one_finding(tmp_path: Path) -> None:
    text = SLICE % ("s", "{model: X, index: 3, uuid: GPU-1}", "{memory: 80Gi, cores: 4}")
    (one,) = found(tmp_path, text)
    assert one["code"] == "DRA006"
    assert "4 more attributes and capacities" in one["message"]


def test_its_fix_mends_all_of_it(tmp_path: Path) -> None:
    text = SLICE % ("s", "{model: X, index: 3}", "{memory: 80Gi}")
    assert found(tmp_path, text, "--fix") == []
    fixed = (tmp_path / "x.yaml").read_text(encoding="utf-8")
    assert "{model: {string: X}, index: {int: 3}}" in fixed
    assert "{memory: {value: 80Gi}}" in fixed


def test_one_of_another_shape_is_said_as_before(tmp_path: Path) -> None:
    (one,) = found(tmp_path, SLICE % ("s", "{model: X, index: {int: 3}}", "{}"))
    assert "more" not in one["message"]


def test_blocks_of_a_page_are_no_pool(tmp_path: Path) -> None:
    slices = [SLICE % (name, "{}", "{}") for name in "st"]
    assert "DRA617" in codes(found(tmp_path, "---\n".join(slices)))
    assert "DRA617" in codes(found(tmp_path, page("---\n".join(slices)), name="x.md"))
    assert found(tmp_path, page(*slices), name="x.md") == []


def test_blocks_of_a_page_are_no_second_class(tmp_path: Path) -> None:
    classes = [CLASS % name for name in ("a.acme.io", "b.acme.io")]
    assert "DRA902" in codes(found(tmp_path, "---\n".join(classes)))
    assert "DRA902" in codes(found(tmp_path, page("---\n".join(classes)), name="x.md"))
    assert "DRA902" not in codes(found(tmp_path, page(*classes), name="x.md"))


@pytest.mark.parametrize("name", ["x.yaml", "x.md"])
def test_a_page_leaves_selectors_out(tmp_path: Path, name: str) -> None:
    text = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"
    said = codes(found(tmp_path, page(text) if name == "x.md" else text, name=name))
    assert said == ([] if name == "x.md" else ["DRA337"])


def test_a_label_is_asked_for_once(tmp_path: Path) -> None:
    text = "---\n".join(ADMIN % (name, ", namespace: ml") for name in "ab")
    assert codes(found(tmp_path, text)) == ["DRA324"]
    assert codes(found(tmp_path, ADMIN % ("a", ""))) == []


def test_what_some_cluster_has_taken_is_no_error(tmp_path: Path) -> None:
    text = SLICE % ("s", "{roots: {strings: [a, b]}, others: {strings: [a]}}", "{}")
    assert {(x["code"], x["severity"]) for x in found(tmp_path, text)} == {("DRA503", "error")}
    (one,) = found(tmp_path, page(text), name="x.md")
    assert (one["code"], one["severity"]) == ("DRA503", "info")
    (one,) = found(tmp_path, text.replace("name: s}", "name: s, uid: u1}"))
    assert one["severity"] == "info"


@pytest.mark.parametrize(("attribute", "number"), [("coreType", 0), ("numCPUs", 0), ("core", 2)])
def test_an_option_of_the_driver_chooses_the_devices(
    tmp_path: Path, attribute: str, number: int
) -> None:
    text = f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: a
      exactly:
        deviceClassName: dra.cpu
        selectors: [{{cel: {{expression: 'device.attributes["dra.cpu"].{attribute} == "x"'}}}}]
"""
    loud = [
        x
        for x in found(tmp_path, text.replace('"x"', "1" if attribute == "numCPUs" else '"p-core"'))
        if x["severity"] != "info"
    ]
    assert len(loud) == number


OWNED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: %s
  ownerReferences: [{apiVersion: v1, kind: Node, name: %s, uid: %s, controller: true}]
spec:
  driver: gpu.acme.io
  nodeName: %s
  pool: {name: %s, generation: %d, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
---
"""


def owned(name: str, node: str, uid: str, generation: int = 1) -> str:
    return OWNED % (name, node, uid, node, node, generation)


def test_nodes_of_two_clusters_are_not_taken_for_one(tmp_path: Path) -> None:
    claim = (ADMIN % ("c", "")).replace(", adminAccess: true", "")
    (tmp_path / "x.yaml").write_text(claim, encoding="utf-8")
    dump = tmp_path / "dump.yaml"

    def run(text: str) -> tuple[int, str]:
        dump.write_text(text, encoding="utf-8")
        call = ["--isolated", "--slices", str(dump), str(tmp_path / "x.yaml")]
        result = CliRunner().invoke(command, call)
        return result.exit_code, result.output

    code, output = run(owned("a", "n1", "u1") + owned("b", "n1", "u2", 7))
    assert code == 2
    assert 'node "n1" is recorded with two uids' in output
    code, _ = run(owned("a", "n1", "u1") + owned("b", "n2", "u2"))
    assert code != 2


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ('device.attributes["gpu.nvidia.com"].type == "gpu"', []),
        ('device.attributes["gpu.nvidia.com"].type != "mig"', ["DRA211"]),
        (
            'device.attributes["gpu.nvidia.com"].type == "gpu" || device.attributes["gpu.nvidia.com"].type != "gpu"',
            ["DRA211"],
        ),
    ],
)
def test_an_alternative_that_is_never_reached_means_no_type(
    tmp_path: Path, selector: str, said: list[str]
) -> None:
    claim = (ADMIN % ("c", "")).replace(
        "adminAccess: true", f"selectors: [{{cel: {{expression: '{selector}'}}}}]"
    )
    assert codes(found(tmp_path, claim)) == said
