"""A value that a script puts in before it applies the file is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig


@pytest.mark.parametrize(
    ("written", "unknown"),
    [
        ("$$GPU_PER_WORKER", True),
        ('"$$GPU_PER_WORKER" # a script puts it in', True),
        ("'$$N2'", True),
        ("$GPU_PER_WORKER", False),
        ("$$gpu", False),
        ("$$GPU-1", False),
        ("x$$GPU", False),
        ("$$", False),
        ("__GPU_PER_WORKER__", True),
        ("'__N2__' # a script puts it in", True),
        ("__gpus__", False),
        ("x__GPUS__", False),
        ("__GPUS__8", False),
    ],
)
@pytest.mark.parametrize("field", ["limits", "requests"])
def test_a_value_of_two_dollars_and_a_name_or_a_name_between_lines_is_not_known(
    written: str, unknown: bool, field: str
) -> None:
    text = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers:
  - name: c
    image: i
    resources:
      {field}:
        amd.com/gpu: {written}
"""
    found = [one.code for one in lint_text(text, "a.yaml", LintConfig(root=Path())).findings]
    assert ("DRA006" in found) is not unknown
