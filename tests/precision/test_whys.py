"""Why something hurts is true of the very thing: selectors fail, constraints and capacities pass over."""

from __future__ import annotations

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.report.text import reason_of

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: a
      exactly:
        deviceClassName: {name}
        {body}
    {constraint}
"""
NVIDIA = 'device.attributes["gpu.nvidia.com"]'


def selector(text: str) -> str:
    return f"selectors: [{{cel: {{expression: '{text}'}}}}]"


PASSED_OVER = "passe"  # passes over, passed over
MISLEADS = "does not select what it names"
FAILS = "makes the selector fail"
IDLE = "changes nothing"


@pytest.mark.parametrize(
    ("name", "body", "constraint", "code", "why"),
    [
        (
            "gpu.nvidia.com",
            selector(f'{NVIDIA}.modl == "a"'),
            "",
            "DRA201",
            "gives up on the whole pod",
        ),
        ("gpu.nvidia.com", selector(f"!has({NVIDIA}.modl)"), "", "DRA201", MISLEADS),
        (
            "gpu.nvidia.com",
            selector(f'{NVIDIA}.brand == "Nvidia" || {NVIDIA}.modl == 1'),
            "",
            "DRA201",
            FAILS,
        ),
        ("gpu.nvidia.com", selector(f'{NVIDIA}.type in ["foo", "gpu"]'), "", "DRA209", IDLE),
        ("gpu.nvidia.com", selector(f'{NVIDIA}.productName != "T4"'), "", "DRA209", MISLEADS),
        (
            "gpu.nvidia.com",
            "count: 2",
            "constraints: [{matchAttribute: resource.kubernetes.io/pcieroot}]",
            "DRA201",
            PASSED_OVER,
        ),
        (
            "gpu.nvidia.com",
            "count: 2",
            "constraints: [{matchAttribute: gpu.nvidia.com/memory}]",
            "DRA205",
            PASSED_OVER,
        ),
        (
            "hami-core-gpu.project-hami.io",
            "capacity: {requests: {memoory: 10Gi}}",
            "",
            "DRA204",
            PASSED_OVER,
        ),
    ],
)
def test_why(name: str, body: str, constraint: str, code: str, why: str) -> None:
    text = CLAIM.format(name=name, body=body, constraint=constraint)
    found = {each.code: each for each in lint_text(text).findings}
    assert code in found, found
    given = found[code].why or reason_of(code)
    assert given is not None
    assert why in given
    assert ("run-time error" in given) == (why == "gives up on the whole pod")
