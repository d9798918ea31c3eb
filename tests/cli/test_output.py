"""Output under any locale: a report never fails on a character that cannot be shown."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

WRONG = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: ml
  annotations: {owner: "Jürgen 日本"}
spec:
  devices:
    requests:
    - {name: "grüße 日本", exactly: {deviceClassName: gpu.nvidia.com}}
"""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "gitlab"])
def test_any_encoding(tmp_path: Path, encoding: str, form: str) -> None:
    (tmp_path / "claim.yaml").write_text(WRONG, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "dradsl", "lint", "--isolated", "--output-format", form],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert result.returncode == 1, result.stderr
    assert result.stderr == b""
    assert "DRA306" in result.stdout.decode("utf-8")
