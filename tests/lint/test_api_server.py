"""What the linter makes of the API server's rejections, where the type or the parser decides."""

from __future__ import annotations

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        {}
"""


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("count: many", 'count must be a whole number, but is text ("many")'),
        ("adminAccess: maybe", 'adminAccess must be true or false, but is text ("maybe")'),
        ("selectors: none", 'selectors must be a list, but is text ("none")'),
        ("capacity: 3", "capacity must be a mapping, but is a number (3)"),
        # Text with a type of its own in Go: a resource.DeviceAllocationMode.
        ("allocationMode: 3", "allocationMode must be text, but is a number (3)"),
        ("tolerations: [{operator: true}]", "operator must be text, but is a boolean (true)"),
    ],
)
def test_a_wrong_type_is_named_as_yaml_has_it(field: str, message: str) -> None:
    assert [f.message for f in lint_text(CLAIM.format(field)).findings] == [message]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("device.driver ==", "DRA101"),
        # Rejected by the parser as well, though upstream does not call these syntax errors.
        ("device.driver == package", "DRA101"),
        ("has(1)", "DRA101"),
        ("99999999999999999999 > 1", "DRA101"),
        ("device.nothing == 1", "DRA102"),
        ("device.driver", "DRA103"),
    ],
)
def test_the_stage_that_rejects_an_expression_gives_the_code(expression: str, code: str) -> None:
    selector = f"selectors: [{{cel: {{expression: '{expression}'}}}}]"
    assert [f.code for f in lint_text(CLAIM.format(selector)).findings] == [code]


STORED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml, uid: 1a}}
spec:
  devices:
    requests: [{{name: gpu, exactly: {{deviceClassName: gpu.example.com}}}}]
status:
  allocation: {{devices: {{results: [{{request: gpu, driver: d.io, pool: p, device: a{result}}}]}}}}
  devices: [{{driver: d.io, pool: p, device: a{device}}}]
"""
_NAME = "must consist of lower case alphanumeric characters"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            STORED.format(result="", device=", networkData: {ips: [nowhere]}"),
            '"nowhere" is not an address: must be a valid address in CIDR form',
        ),
        # What is in brackets there is the user's own.
        (
            STORED.format(result=f', shareID: "x (e.g. y{"z" * 36}"', device=""),
            f'"x (e.g. y{"z" * 36}" is not a share ID: '
            'error validating uid: invalid urn prefix: "x (e.g. y"',
        ),
        (
            CLAIM.format("").replace("name: gpu", "name: a_b"),
            f"\"a_b\" is not a legal name: a lowercase RFC 1123 label {_NAME} or '-', and must "
            "start and end with an alphanumeric character",
        ),
        (
            CLAIM.format("").replace("namespace: ml", 'labels: {"a_b/c": d}, namespace: ml'),
            f'"a_b/c" is not a legal key: prefix part a lowercase RFC 1123 subdomain {_NAME}, '
            "'-' or '.', and must start and end with an alphanumeric character",
        ),
    ],
)
def test_formats_are_told_without_examples(text: str, message: str) -> None:
    config = LintConfig(root=".", kube_version=("1.36",))
    assert message in [f.message for f in lint_text(text, config=config).findings]
