"""Selectors as people write them, which the devices of a recorded node meet: none is called an error.

Defensive clauses, several vendors in one selector, alternatives, negations: each is evaluated on the recorded
devices first, and then linted below two classes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from dradsl.cli.cel import command
from dradsl.lint.engine.run import lint_text

SLICES = Path(__file__).parents[2] / "examples/inventory/gpu.nvidia.com-eks-p4d-a100-full-gpu"
A = 'device.attributes["gpu.nvidia.com"]'
C = 'device.capacity["gpu.nvidia.com"]'
AMD = 'device.attributes["gpu.amd.com"]'
STANDARD = 'device.attributes["resource.kubernetes.io"]'

SELECTORS = [
    f'{A}.type != "mig"',
    f'!({A}.type == "mig")',
    f'!({A}.type in ["mig", "vfio"])',
    f'{A}.type == "gpu"',
    f'{A}.type in ["gpu", "mig"]',
    f'{A}.type == "mig" || {A}.productName.contains("A100")',
    f'{A}.productName.contains("A100") || {A}.type == "mig"',
    f'{A}.type == "mig" ? {A}.profile == "1g.5gb" : true',
    f'{A}.type != "mig" || {A}.profile == "1g.5gb"',
    f'cel.bind(a, {A}, a.type != "mig" && a.architecture == "Ampere")',
    f'["mig", "vfio"].all(t, {A}.type != t)',
    f'!["mig", "vfio"].exists(t, {A}.type == t)',
    f'({A}.type == "vfio") == false',
    f'({A}.type == "gpu") == true',
    f"has({AMD}.productName) || has({A}.productName)",
    f"!has({AMD}.productName)",
    f'{AMD}.?productName.orValue("x") == "x"',
    f'{AMD}.?productName.orValue("") != "" || {A}.?productName.orValue("") != ""',
    f"has({AMD}.type) ? {AMD}.type == 'amdgpu' : {A}.type == 'gpu'",
    f"!has({A}.vram)",
    f"{A}.?vram.hasValue() == false",
    f'{A}.?profile.orValue("none") == "none"',
    f"!has({A}.profile)",
    f'!has({A}.profile) || {A}.profile == "1g.5gb"',
    'device.driver != "nvidia.com"',
    'device.driver in ["gpu.nvidia.com", "nvidia.com"]',
    'device.driver == "gpu.nvidia.com"',
    'device.driver != "gpu.amd.com"',
    'device.driver.endsWith("nvidia.com")',
    'device.driver.startsWith("gpu.")',
    'device.driver == "gpu.nvidia.com" || device.driver == "gpu.amd.com"',
    f'device.driver == "gpu.amd.com" ? {AMD}.type == "amdgpu" : true',
    f'{A}.productName != "T4"',
    f'{A}.productName != "Tesla T4"',
    f'!({A}.productName in ["Tesla T4", "NVIDIA L4"])',
    f'{A}.productName.startsWith("NVIDIA")',
    f'{A}.productName.contains("A100")',
    f'{A}.productName.lowerAscii().contains("a100")',
    f'{A}.productName.lowerAscii().matches("^.*a100.*$")',
    f'{A}.productName.matches("A100|H100")',
    f'{A}.productName.split(" ")[0] == "NVIDIA"',
    f'{A}.productName.split("-").size() > 1',
    f'{A}.productName.contains("H100") || {A}.productName.contains("A100")',
    f'["H100", "A100"].exists(m, {A}.productName.contains(m))',
    f'{A}.architecture == "Ampere"',
    f'{A}.architecture in ["Ampere", "Hopper", "Blackwell"]',
    f'{A}.architecture != "Turing"',
    f'!({A}.architecture in ["Kepler", "Maxwell", "Pascal"])',
    f'{A}.architecture == "Hopper" || {A}.architecture == "Ampere"',
    f'{A}.brand != "GeForce"',
    f'{A}.cudaComputeCapability.isGreaterThan(semver("7.5.0"))',
    f'{A}.cudaComputeCapability.compareTo(semver("8.0.0")) >= 0',
    f'!{A}.cudaComputeCapability.isLessThan(semver("8.0.0"))',
    f'{A}.driverVersion.isGreaterThan(semver("470.0.0"))',
    f'{C}.memory.compareTo(quantity("16Gi")) >= 0',
    f'{C}.memory.isGreaterThan(quantity("16Gi"))',
    f'!{C}.memory.isLessThan(quantity("16Gi"))',
    f'{C}.memory.compareTo(quantity("32G")) > 0',
    f'has({C}.memory) && {C}.memory.compareTo(quantity("16Gi")) >= 0',
    f'{C}.?memory.orValue(quantity("0")).compareTo(quantity("16Gi")) >= 0',
    f'{A}.type == "mig" || {C}.memory.compareTo(quantity("16Gi")) >= 0',
    f'{A}.uuid != "GPU-00000000-0000-0000-0000-000000000000"',
    f'{STANDARD}.?pcieRoot.orValue("") != "pci0000:ff"',
    f'has({STANDARD}.pcieRoot) || has({A}.uuid)',
    f'"gpu.nvidia.com" in device.attributes && {A}.type == "gpu"',
    f'{A}.type == "gpu" && !({A}.productName.contains("T4") || {A}.productName.contains("L4"))',
    "device.allowMultipleAllocations == true || device.allowMultipleAllocations == false",
]  # fmt: skip

CLASSES = {
    "of-a-type": f'device.driver == "gpu.nvidia.com" && {A}.type == "gpu"',
    "of-a-driver": 'device.driver == "gpu.nvidia.com"',
}


@pytest.mark.parametrize("selector", SELECTORS)
def test_what_a_recorded_device_meets_is_no_error(selector: str) -> None:
    evaluated = CliRunner().invoke(command, ["eval", selector, "--slices", str(SLICES)])
    assert evaluated.exit_code == 0, evaluated.output
    objects = []
    for name, expression in CLASSES.items():
        objects.append(f"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: {name}}}
spec: {{selectors: [{{cel: {{expression: '{expression}'}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {name}, namespace: ml}}
spec:
  devices:
    requests:
    - name: a
      exactly:
        deviceClassName: {name}
        selectors:
        - cel:
            expression: |-
              {selector}
""")
    found = lint_text("---\n".join(objects), "claims.yaml").findings
    errors = [f"{each.code} {each.message}" for each in found if str(each.severity) == "error"]
    assert not errors


def test_there_are_as_many_as_were_tried() -> None:
    assert len(SELECTORS) == len(set(SELECTORS)) == 67
