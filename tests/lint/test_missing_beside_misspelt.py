"""What is missing beside a misspelt field is reported with it, unless the misspelt field is what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.text.edits import apply

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: a}}
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ml}
spec:
  devices:
    requests:
    - name: r
      exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}
    constraints:
    - requests: [r]
      matchAttribute: resource.kubernetes.io/pcieRoot
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec:
  spec:
    devices:
      requests:
      - name: r
        exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimName: c
  containers:
  - {name: c, image: i, resources: {claims: [{name: gpu}]}}
"""


def found(text: str) -> set[tuple[str, str]]:
    findings = lint_text(text, "a.yaml", LintConfig(root=Path())).findings
    return {(one.code, one.message) for one in findings if one.severity == "error"}


def fixed(text: str) -> str:
    (misspelt,) = [
        one
        for one in lint_text(text, "a.yaml", LintConfig(root=Path())).findings
        if one.code == "DRA005"
    ]
    assert misspelt.fix is not None
    assert misspelt.fix.applicability == "unsafe"
    return apply(text, misspelt.fix.edits)


@pytest.mark.parametrize(
    ("text", "right", "misspelt", "code"),
    [
        (SLICE, "  pool:", "  poool:", "DRA602"),
        (SLICE, "  driver:", "  drivr:", "DRA602"),
        (SLICE, "  devices:", "  devicess:", "DRA602"),
        (SLICE, "    attributes:", "    atributes:", "DRA602"),
        (SLICE, "{string:", "{strng:", "DRA602"),
        (SLICE, "generation:", "generatoin:", "DRA602"),
        (CLAIM.replace("deviceClassName: gpu.nvidia.com, ", ""), "allocationMode", "alocationMode", "DRA303"),
        (CLAIM.replace("      matchAttribute: resource.kubernetes.io/pcieRoot\n", ""), "- requests:", "- reqests:", "DRA309"),
        (CLAIM.replace("      exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}\n", ""), "- name: r", "- nme: r", "DRA301"),
        (TEMPLATE.replace("deviceClassName: gpu.nvidia.com, ", ""), "allocationMode", "allocationmode", "DRA303"),
        (POD.replace("    resourceClaimName: c\n", ""), "- name: gpu", "- nmae: gpu", "DRA401"),
    ],
)  # fmt: skip
def test_what_the_fix_leaves_missing_is_known_before(
    text: str, right: str, misspelt: str, code: str
) -> None:
    wrong = text.replace(right, misspelt, 1)
    assert wrong != text
    assert fixed(wrong) == text
    left = found(text)
    assert code in {of for of, _ in left}
    assert left <= found(wrong)


@pytest.mark.parametrize(
    ("text", "right", "misspelt"),
    [
        (SLICE.replace("  pool:", "  nodeName: node-1\n  pool:"), "nodeName:", "nodeNam:"),
        (SLICE.replace("  pool:", "  allNodes: true\n  pool:"), "allNodes:", "allnodes:"),
        (CLAIM, "exactly:", "exactlly:"),
        (CLAIM, "deviceClassName:", "deviceClasName:"),
        (CLAIM, "matchAttribute:", "matchAtribute:"),
        (TEMPLATE, "exactly:", "exacty:"),
        (POD, "resourceClaimName:", "resourceClaimNam:"),
    ],
)
def test_the_misspelt_field_itself_is_not_missing(text: str, right: str, misspelt: str) -> None:
    wrong = text.replace(right, misspelt, 1)
    assert {code for code, _ in found(wrong)} == {"DRA005"}
    assert not [one for one in found(fixed(wrong)) if one[0] == "DRA005"]


def test_two_misspelt_fields() -> None:
    wrong = SLICE.replace("pool:", "poool:").replace("attributes:", "atributes:")
    assert found(SLICE) <= found(wrong)


def test_below_a_guess_nothing_is_judged() -> None:
    """What the misspelt field holds is only known once its name is."""
    wrong = CLAIM.replace(
        "exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}", "exactlly: {}"
    )
    assert {code for code, _ in found(wrong)} == {"DRA005"}
