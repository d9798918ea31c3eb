"""DRA006: quotes that `--fix` sets and takes away."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import Config
from dradsl.text.edits import apply

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: gpu, namespace: ml}}
spec:
  devices:
    requests:
    - name: {name}
      exactly: {{deviceClassName: gpu.example.com, count: {count}, adminAccess: {admin}}}
"""


def fixed(**values: str) -> str:
    text = CLAIM.format(**{"name": "a", "count": "1", "admin": "false", **values})
    found = lint_text(text, "a.yaml", Config(root=Path())).findings
    fixes = [one.fix for one in found if one.code == "DRA006" and one.fix is not None]
    return apply(text, [edit for fix in fixes for edit in fix.edits])


@pytest.mark.parametrize(
    ("field", "written", "meant"),
    [
        ("name", "yes", '"yes"'),
        ("name", "0x1F", '"0x1F"'),
        ("name", "1.50", '"1.50"'),
        ("count", "'4'", "4"),
        ("count", '"-1"', "-1"),
        ("admin", "'true'", "true"),
        # What can be read in two ways, or what others refer to, is left to a person.
        ("name", "null", "null"),
        ("name", "&x yes", "&x yes"),
        ("count", '"04"', '"04"'),
        ("count", '"four"', '"four"'),
        ("count", "true", "true"),
        ("admin", '"yes"', '"yes"'),
        ("admin", "1", "1"),
    ],
)
def test_quotes(field: str, written: str, meant: str) -> None:
    wanted = CLAIM.format(**{"name": "a", "count": "1", "admin": "false", field: meant})
    assert fixed(**{field: written}) == wanted
