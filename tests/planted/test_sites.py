"""A site is correct text: what is planted in it is the only mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.planted.sites import sites

if TYPE_CHECKING:
    from pathlib import Path

RENDERED = """\
---
# Source: web/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: main
          image: registry.example.com/web:1
          resources:
            LIMITS
"""


@pytest.mark.parametrize(("limits", "found"), [("limits: {cpu: 1}", 1), ("{}", 0)])
def test_a_rendered_workload(limits: str, found: int, tmp_path: Path) -> None:
    """Helm writes an empty mapping below its key; lines put between the two would be no YAML."""
    (tmp_path / "web.yaml").write_text(RENDERED.replace("LIMITS", limits), "utf-8")
    assert len(sites(tmp_path, "workload")) == found
