"""DRA006: quotes that `--fix` sets and takes away."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
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
    found = lint_text(text, "a.yaml", LintConfig(root=Path())).findings
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
        ("count", '"four"', "4"),
        ("count", '"many"', '"many"'),
        ("count", "true", "true"),
        ("admin", '"yes"', '"yes"'),
        ("admin", "1", "1"),
    ],
)
def test_quotes(field: str, written: str, meant: str) -> None:
    wanted = CLAIM.format(**{"name": "a", "count": "1", "admin": "false", field: meant})
    assert fixed(**{field: written}) == wanted


@pytest.mark.parametrize(
    ("field", "written", "meant", "sure"),
    [
        ("capacity", '"16"', '{value: "16"}', True),
        ("capacity", "16", '{value: "16"}', True),
        ("capacity", "80Gi", "{value: 80Gi}", True),
        ("capacity", "many", None, False),
        ("attributes", "4", "{int: 4}", True),
        ("attributes", "true", "{bool: true}", True),
        ("attributes", "ampere", "{string: ampere}", True),
        ("attributes", '"1.2.3"', "{string: 1.2.3}", False),  # or a version
        ("attributes", "1.5", None, False),
    ],
)
def test_values_of_devices(field: str, written: str, meant: str | None, sure: bool) -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n"
        "  driver: d.example.com\n  nodeName: node-1\n"
        "  pool: {name: node-1, generation: 1, resourceSliceCount: 1}\n"
        f"  devices: [{{name: a, {field}: {{x: {written}}}}}]\n"
    )
    fixes = [each.fix for each in lint_text(text, "a.yaml", LintConfig(root=Path())).findings]
    if meant is None:
        assert fixes == [None]
        return
    assert fixes[0] is not None
    assert apply(text, fixes[0].edits) == text.replace(f"x: {written}", f"x: {meant}")
    assert (fixes[0].applicability == "safe") is sure
