"""Numbers of any length in what users write: read, or rejected with a reason, and never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
from dradsl.values.digits import in_natural_order, whole_number

if TYPE_CHECKING:
    from pathlib import Path

LONG = "1" + "0" * 9000


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("7", 7), ("+7", 7), ("-7", -7), ("9" * 19, int("9" * 19)), ("9" * 20, None),
        ("0" * 9000 + "12", 12), (LONG, None), ("-" + LONG, None), ("", None), ("-", None),
        ("+-1", None), ("1.0", None), ("1e3", None), ("²", None), (" 1", None), ("1_000", None),
    ],
)  # fmt: skip
def test_whole_numbers(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_names_in_natural_order() -> None:
    names = ["gpu-10", "gpu-9", "gpu-010", f"gpu-{LONG}", "gpu-²", "gpu", "a1b2", "a1b10"]
    assert sorted(names, key=in_natural_order) == [
        "a1b2", "a1b10", "gpu", "gpu-9", "gpu-10", "gpu-010", f"gpu-{LONG}", "gpu-²"
    ]  # fmt: skip


POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: p
  annotations: {helm.sh/hook: pre-install, helm.sh/hook-weight: "NUMBER"}
spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
SHARING = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: nvidia-device-plugin}
data:
  any: |
    version: v1
    sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: NUMBER}]}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a}
spec:
  source: {repoURL: x, path: apps, kustomize: {replicas: [{name: p, count: "NUMBER"}]}}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-NUMBER}, {name: gpu-1}, {name: gpu-²}]
"""


@pytest.mark.parametrize("number", [LONG, f"'{LONG}'", f"-{LONG}", "0", "²"])
@pytest.mark.parametrize(
    ("files", "call"),
    [
        ({".dradsl.yaml": 'kube-version: "1.NUMBER"', "x.yaml": POD}, "lint ."),
        ({"x.yaml": POD}, "migrate ."),
        ({"x.yaml": POD, "y.yaml": SHARING}, "migrate ."),
        ({"x.yaml": POD, "y.yaml": SHARING.replace("NUMBER", "'NUMBER'")}, "migrate ."),
        ({"apps/x.yaml": POD.replace("NUMBER", "1"), "a.yaml": APPLICATION}, "migrate ."),
        ({"apps/x.yaml": POD.replace("NUMBER", "1"), "a.yaml": APPLICATION}, "lint ."),
        (
            {
                "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.NUMBER.0\n",
                "templates/x.yaml": POD.replace("gpu: 1", "gpu: NUMBER").replace("NUMBER", "1", 1),
            },
            "migrate --set chart-places=write .",
        ),
        ({"s.yaml": SLICE}, "devices s.yaml"),
        ({"s.yaml": SLICE, "x.yaml": POD}, "simulate x.yaml --slices s.yaml --output-format html"),
        ({"s.yaml": SLICE, "x.yaml": POD}, "simulate x.yaml --what-if s.yaml --copies NUMBER"),
    ],
)
def test_a_long_number_is_no_internal_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    call: str,
    number: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("NUMBER", number.strip("'")))
    words = [word.replace("NUMBER", number.strip("'")) for word in call.split()]
    result = CliRunner().invoke(group_of(_COMMANDS), words)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2, 3)
    assert "internal error" not in result.output
