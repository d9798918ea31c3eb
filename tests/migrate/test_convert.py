"""Conversion between API versions: comments stay, meaning stays, what cannot be is rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import assume, given, strategies as st

from dradsl.kube.fields.conversion import to_v1
from dradsl.lint.engine.run import lint_text
from dradsl.migrate.convert import Conversion, convert
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = """\
# a claim
apiVersion: resource.k8s.io/v1beta1   # old
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests:
    - name: gpu  # the gpu
      deviceClassName: gpu.nvidia.com
      # two of them
      count: 2
    - {name: nic, deviceClassName: dra.net}
"""


def converted(text: str, version: str = "v1") -> Conversion:
    return convert(SourceText("a.yaml", load(text.encode())), version)


def test_flat_requests_move_under_exactly_with_their_comments() -> None:
    result = converted(CLAIM)
    assert result.text == CLAIM.replace("v1beta1", "v1").replace(
        """\
      deviceClassName: gpu.nvidia.com
      # two of them
      count: 2
    - {name: nic, deviceClassName: dra.net}
""",
        """\
      exactly:
        deviceClassName: gpu.nvidia.com
        # two of them
        count: 2
    - {name: nic, exactly: {deviceClassName: dra.net}}
""",
    )
    assert result.rewritten == ("ResourceClaim a",)


def test_and_back_again_to_the_byte() -> None:
    assert converted(converted(CLAIM).text, "v1beta1").text == CLAIM


def test_twice_changes_nothing_more() -> None:
    once = converted(CLAIM).text
    assert converted(once).text == once


def test_unset_node_fields_of_v1beta1_go() -> None:
    text = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: ""
  allNodes: true
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    basic:
      # what it is
      attributes:
        model: {string: x}
"""
    assert converted(text).text == text.replace("v1beta1", "v1").replace(
        '  nodeName: ""\n', ""
    ).replace(
        """\
    basic:
      # what it is
      attributes:
        model: {string: x}
""",
        """\
    # what it is
    attributes:
      model: {string: x}
""",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "apiVersion: resource.k8s.io/v1alpha1\nkind: ResourceClaim\nmetadata: {name: a}\n",
            "ResourceClaim of v1alpha1 has no place in v1",
        ),
        (
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\n"
            "spec: {resourceClassName: gpu, parametersRef: {kind: GpuParameters, name: b}}\n",
            "parametersRef of v1alpha2 has no place in v1",
        ),
        (
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a}\n"
            "spec: {devices: {requests: [{name: b, count: 2, exactly: {deviceClassName: c}}]}}\n",
            "a request has fields beside exactly",
        ),
        (
            "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourcePoolStatusRequest\n",
            "not in resource.k8s.io/v1",
        ),
        (
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nspec: {devices: 3}\n",
            "would not mean the same",
        ),
    ],
)
def test_rejected_with_a_reason(text: str, reason: str) -> None:
    result = converted(text)
    assert result.text == text
    assert [reason in rejected.reason for rejected in result.rejected] == [True]


def test_other_objects_stay_untouched() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n" + CLAIM
    assert converted(text).text.startswith("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n")


_NAMES = st.text("abcdefg", min_size=1, max_size=4)
_REQUEST = st.fixed_dictionaries(
    {"name": _NAMES, "deviceClassName": _NAMES},
    optional={
        "count": st.integers(1, 9),
        "allocationMode": st.just("All"),
        "adminAccess": st.booleans(),
        "selectors": st.lists(
            st.builds(lambda text: {"cel": {"expression": text}}, st.text(max_size=20)), max_size=2
        ),
    },
)


@given(st.lists(_REQUEST, min_size=1, max_size=3), st.booleans())
def test_any_claim_means_the_same_in_v1(requests: list[dict[str, object]], flow: bool) -> None:
    import io

    from ruamel.yaml import YAML

    obj = {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": "a"},
        "spec": {"devices": {"requests": requests}},
    }
    out = io.StringIO()
    writer = YAML()
    writer.default_flow_style = flow
    writer.dump(obj, out)
    # ruamel writes some texts so that the API server's reader takes them otherwise: `:0` bare in
    # flow style, U+0085 unescaped.
    assume(load(out.getvalue().encode()).documents[0].data == obj)
    result = converted(out.getvalue())
    assert not result.rejected
    again = load(result.text.encode()).documents[0].data
    assert again == {**to_v1(obj), "apiVersion": "resource.k8s.io/v1"}


def test_command_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from dradsl.cli.convert import command

    file = tmp_path / "a.yaml"
    file.write_text(CLAIM, encoding="utf-8")
    runner = CliRunner()
    assert runner.invoke(command, [str(file), "--check"]).exit_code == 1
    assert file.read_text(encoding="utf-8") == CLAIM
    assert runner.invoke(command, [str(file)]).stdout == converted(CLAIM).text
    (tmp_path / "b.yaml").write_text("---\n" + CLAIM)
    (tmp_path / "c.yaml").write_text(CLAIM.rstrip())
    (tmp_path / "d.yaml").write_text(CLAIM)
    for name, text in (
        ("e", "kind: Pod\napiVersion: v1\nmetadata: {name: e}\n"),
        ("f", converted(CLAIM).text),
    ):
        (tmp_path / f"{name}.yaml").write_text(text)  # nothing changes: not printed beside others
        assert runner.invoke(command, [str(tmp_path / f"{name}.yaml")]).stdout == text
    several = runner.invoke(command, [str(tmp_path)]).stdout
    assert [one.problems for one in load(several.encode()).documents] == [()] * 4
    for name in "bcdef":
        (tmp_path / f"{name}.yaml").unlink()
    assert (
        "+apiVersion: resource.k8s.io/v1 " in runner.invoke(command, [str(file), "--diff"]).stdout
    )
    assert runner.invoke(command, [str(file), "--write"]).exit_code == 0
    assert runner.invoke(command, ["-", "--write"], input=CLAIM).exit_code == 2
    assert file.read_text(encoding="utf-8") == converted(CLAIM).text
    assert runner.invoke(command, [str(file), "--check"]).exit_code == 0
    assert runner.invoke(command, [str(tmp_path / "none.yaml")]).exit_code == 2


@pytest.mark.parametrize("command_line", [(), ("--diff",), ("--check",), ("--write",)])
def test_what_cannot_be_read_is_told_and_left(
    command_line: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from dradsl.cli.convert import command

    data = b"apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: \xff}\nspec: {}\n"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_bytes(data)
    result = CliRunner().invoke(command, [*command_line, "a.yaml"], catch_exceptions=False)
    assert result.exit_code == 1
    assert "a.yaml:3:18: cannot be read: byte 0xFF" in result.stderr
    assert (tmp_path / "a.yaml").read_bytes() == data
    if not command_line:
        assert result.stdout_bytes == data


def test_written_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from dradsl.cli.convert import command

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(
        "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n"
    )
    runner = CliRunner()
    assert runner.invoke(command, ["--write", "."]).stderr == "wrote a.yaml\n"
    assert runner.invoke(command, ["--write", "."]).stderr == ""


V1 = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: a}
spec:
  spec:
    devices:
      requests:
      - name: device
        exactly:
          deviceClassName: gpu.example.com
"""
# What lint sends to `convert`: claims of v1alpha2, and the shape of v1 under an older version.
SENT = [
    """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimTemplate
metadata: {name: a}
spec:
  spec:
    resourceClassName: gpu.example.com
    allocationMode: WaitForFirstConsumer
""",
    V1.replace("/v1", "/v1beta1"),
    V1.replace("/v1", "/v1beta2"),
    V1.replace("/v1", "/v1alpha3"),
]


@pytest.mark.parametrize("text", SENT)
def test_what_lint_sends_here(text: str) -> None:
    (sent,) = {each.code for each in lint_text(text).findings} & {"DRA501", "DRA502"}
    assert sent
    conversion = convert(SourceText("a.yaml", load(text.encode())))
    assert conversion.text == V1
    assert not conversion.rejected
    assert not lint_text(conversion.text).findings


def test_requests_of_both_shapes_under_v1beta1() -> None:
    text = V1.replace("/v1", "/v1beta1") + "      - {name: b, deviceClassName: gpu.example.com}\n"
    conversion = convert(SourceText("a.yaml", load(text.encode())))
    flat = "      - {name: b, exactly: {deviceClassName: gpu.example.com}}\n"
    assert conversion.text == V1 + flat


def test_devices_in_the_shape_of_v1_under_v1beta1() -> None:
    text = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: a}}
"""
    conversion = convert(SourceText("a.yaml", load(text.replace("/v1", "/v1beta1").encode())))
    assert conversion.text == text


def test_a_class_of_the_first_design_is_written_in_v1() -> None:
    result = converted(
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: a} # mine\n"
        "driverName: gpu.example.com\n"
    )
    found = yaml.safe_load(result.text)
    assert (found["apiVersion"], found["kind"]) == ("resource.k8s.io/v1", "DeviceClass")
    expression = 'device.driver == "gpu.example.com"'
    assert found["spec"] == {"selectors": [{"cel": {"expression": expression}}]}
    assert "# mine" in result.text and not result.rejected
