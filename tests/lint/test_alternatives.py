"""What a selector of an alternative (`firstAvailable`) may do that one of `exactly` may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.diagnostics import Severity
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
      {}
"""
BODY = """deviceClassName: gpu.example.com, selectors: [{{cel: {{expression: {}}}}}]"""
OTHER = "{name: small, deviceClassName: gpu.example.com}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('device.attributes["gpu.example.com"].model == "BLEEDING-EDGE-GPU"', "DRA209"),
        ('device.driver == "gpu.example.com" && device.driver == "dra.net"', "DRA212"),
    ],
)
def test_an_alternative_may_match_nothing(text: str, code: str) -> None:
    body = BODY.format(f"'{text}'")
    exactly = CLAIM.format(f"exactly: {{{body}}}")
    either = CLAIM.format(f"firstAvailable: [{{name: big, {body}}}, {OTHER}]")
    meant = LintConfig(root=str(Path.cwd()), driver_versions={"gpu.example.com": "v0.4"})
    found = [
        {f.code: f.severity for f in lint_text(each, config=meant).findings}.get(code)
        for each in (exactly, either)
    ]
    assert found == [Severity.ERROR, Severity.INFO]
