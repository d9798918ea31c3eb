"""What is said of a toleration without a key, to who watches over devices and to who works with them."""

from __future__ import annotations

import pytest

from dradsl.lint.engine.run import lint_text

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: monitoring}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.intel.com
        allocationMode: All
        adminAccess: {watches}
        tolerations: [{toleration}]
"""


@pytest.mark.parametrize(
    ("watches", "toleration", "remedy"),
    [
        # The taints of this driver have no value; that of a DeviceTaintRule may have one.
        ("true", "{effect: NoExecute}", "write operator: Exists"),
        ("false", "{effect: NoExecute}", "name the key of the taint"),
        # With a value Exists is not valid.
        ("true", "{effect: NoExecute, value: Broken}", "name the key of the taint"),
    ],
)
def test_who_watches_over_devices_is_told_to_tolerate_every_value(
    watches: str, toleration: str, remedy: str
) -> None:
    text = CLAIM.format(watches=watches, toleration=toleration)
    found = [each for each in lint_text(text).findings if each.code == "DRA325"]
    assert [each.help for each in found] == [remedy]


def test_what_is_then_written_is_right() -> None:
    text = CLAIM.format(watches="true", toleration="{effect: NoExecute, operator: Exists}")
    codes = [each.code for each in lint_text(text).findings]
    assert not {"DRA325", "DRA327"} & set(codes)
