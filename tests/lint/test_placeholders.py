"""Names that stand for any driver are judged by the example driver's schema only where it is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dradsl import lint
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

DRIVER = "gpu.example.com"
CLAIM: Any = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "c", "namespace": "ml"},
    "spec": {
        "devices": {
            "requests": [
                {
                    "name": "a",
                    "exactly": {
                        "deviceClassName": DRIVER,
                        "selectors": [
                            {"cel": {"expression": f'device.attributes["{DRIVER}"].modle == "x"'}}
                        ],
                    },
                }
            ]
        }
    },
}


def device_class(text: str, **metadata: Any) -> Any:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": DRIVER, **metadata},
        "spec": {"selectors": [{"cel": {"expression": text}}]},
    }


def slice_with(attributes: Any) -> Any:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": DRIVER,
            "nodeName": "n",
            "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "d", "attributes": attributes}],
        },
    }


OTHER = device_class(f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].type == "gpu"')
SHIPPED = device_class(f"device.driver == '{DRIVER}'")
CHARTED = device_class(
    f'device.driver == "{DRIVER}" && true',
    labels={"helm.sh/chart": "dra-example-driver-0.4.0"},
)
PUBLISHED = slice_with(
    {
        "index": {"int": 0},
        "uuid": {"string": "gpu-1"},
        "model": {"string": "LATEST-GPU-MODEL"},
        "driverVersion": {"version": "1.0.0"},
    }
)


@pytest.mark.parametrize(
    ("beside", "versions", "codes"),
    [
        ([], {}, set()),
        ([OTHER], {}, set()),
        ([OTHER, slice_with({"type": {"string": "gpu"}})], {}, set()),
        ([SHIPPED], {}, {"DRA201", "DRA209"}),
        ([CHARTED], {}, {"DRA201", "DRA209"}),
        ([OTHER, PUBLISHED], {}, {"DRA201", "DRA209"}),
        ([], {DRIVER: "v0.4"}, {"DRA201", "DRA209"}),
    ],
)
def test_what_shows_that_the_example_driver_is_meant(
    beside: list[Any], versions: dict[str, str], codes: set[str]
) -> None:
    text = yaml.safe_dump_all([CLAIM, *beside], sort_keys=False)
    config = LintConfig(root=str(Path.cwd()), driver_versions=versions)
    found = lint_text(text, config=config).findings
    assert {each.code for each in found if each.code.startswith("DRA20")} == codes


TO_FILL_IN = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: NAME
  containers: [{name: c, image: <your image>, resources: {claims: [{name: gpu}]}}]
"""


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("<resource-claim-template-name>", []),
        ('"<NAME>" # of the template', []),
        ("<>", ["DRA404"]),
        ("a<b>", ["DRA404"]),
    ],
)
def test_what_a_reader_fills_in_is_not_known(name: str, codes: list[str]) -> None:
    report = lint_text(TO_FILL_IN.replace("NAME", name), "a.yaml", LintConfig(root=Path()))
    assert [each.code for each in report.findings] == codes


@pytest.mark.parametrize("shown", [False, True])
def test_a_page_is_judged_by_what_it_shows_itself(shown: bool, tmp_path: Path) -> None:
    """A page about classes may use the name for any driver, whatever another file installs."""
    (tmp_path / "class.yaml").write_text(yaml.safe_dump(SHIPPED), "utf-8")
    blocks = [CLAIM, SHIPPED] if shown else [CLAIM]
    page = "".join(f"```yaml\n{yaml.safe_dump(each)}```\n\n" for each in blocks)
    (tmp_path / "page.md").write_text(page, "utf-8")
    found = [each.code for each in lint(tmp_path / "class.yaml", tmp_path / "page.md").findings]
    assert ("DRA201" in found) == shown
