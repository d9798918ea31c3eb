"""A name that no device has: whether that ends in an error depends on the guard, and the reason says which."""

from __future__ import annotations

import pytest

from dradsl.lint import lint_text

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: a
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors: [{{cel: {{expression: {text!r}}}}}]
"""
GPU = 'device.attributes["gpu.nvidia.com"]'


@pytest.mark.parametrize("name", ["index", "memoryy"])
def test_guarded(name: str) -> None:
    text = f"has({GPU}.{name}) && {GPU}.{name} == 0"
    finding, *_ = lint_text(CLAIM.format(text=text)).findings
    assert finding.why is not None
    assert finding.why.startswith("no device passes this selector, and no error says so")
    assert finding.upstream is None


@pytest.mark.parametrize("name", ["index", "memoryy"])
def test_not_guarded(name: str) -> None:
    (finding,) = lint_text(CLAIM.format(text=f"{GPU}.{name} == 0")).findings
    assert finding.why is None  # that of the rule's document
    assert finding.upstream == f"CEL runtime error: no such key: {name}"
