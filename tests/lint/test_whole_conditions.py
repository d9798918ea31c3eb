"""The remedy of a mistake in a selector is the whole condition: pasted in its place, nothing is left to find."""

from __future__ import annotations

import pytest

from dradsl.lint.engine.run import lint_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.diagnostics import Finding

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {name}}}
spec:
  devices:
    requests:
    - name: one
      exactly:
        deviceClassName: {of}
        selectors:
{selectors}
"""
IN_HOUSE = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: fpga}
spec:
  selectors: [{cel: {expression: 'device.driver == "fpga.acme.io"'}}]
---
"""
NVIDIA = 'device.attributes["gpu.nvidia.com"]'
PRODUCT = f"{NVIDIA}.productName"
MEMORY = 'device.capacity["gpu.nvidia.com"].memory'


def found(of: str, *expressions: str, name: str = "c", before: str = "") -> list[Finding]:
    selectors = "\n".join(
        f"        - cel:\n            expression: |-\n              {each}" for each in expressions
    )
    text = before + CLAIM.format(of=of, selectors=selectors, name=name)
    return [*lint_text(text).findings]


@pytest.mark.parametrize(
    ("of", "text", "condition"),
    [
        ("gpu.nvidia.com", f'{NVIDIA}.model == "A100"', f'{PRODUCT}.startsWith("NVIDIA A100")'),
        ("gpu.nvidia.com", f'{PRODUCT} == "NVIDIA H100"', f'{PRODUCT}.contains("H100")'),
        ("gpu.nvidia.com", f'{PRODUCT} != "A100-40GB"', f'!({PRODUCT}.contains("A100") && {PRODUCT}.contains("40GB"))'),
        ("gpu.nvidia.com", f'{PRODUCT} in ["T4", "H100"]', f'({PRODUCT} == "Tesla T4" || {PRODUCT}.contains("H100"))'),
        ("gpu.nvidia.com", f'{PRODUCT} == "H100-SXM5-80GB"', f'{PRODUCT} == "NVIDIA H100 80GB HBM3"'),
        ("gpu.nvidia.com", f'{PRODUCT}.matches("^H100.*")', f'{PRODUCT}.matches("H100.*")'),
        ("gpu.nvidia.com", f'{PRODUCT}.lowerAscii().startsWith("rtx")', f'{PRODUCT}.lowerAscii().contains("rtx")'),
        ("gpu.nvidia.com", f'{PRODUCT} == "Hopper"', f'{NVIDIA}.architecture == "Hopper"'),
        ("gpu.nvidia.com", f'{NVIDIA}.architecture == "H100"', f'{PRODUCT}.contains("H100")'),
        ("gpu.nvidia.com", f'"H100" in {PRODUCT}', f'{PRODUCT}.contains("H100")'),
        ("gpu.nvidia.com", f"{NVIDIA}.cudaVersion >= 12.4", f'{NVIDIA}.cudaDriverVersion.compareTo(semver("12.4.0")) >= 0'),
        ("gpu.nvidia.com", f'{NVIDIA}.gpuMemoryGB.compareTo(quantity("40Gi")) >= 0', f'{MEMORY}.compareTo(quantity("40Gi")) >= 0'),
        ("gpu.nvidia.com", 'device.attributes["://nvidia.com"].architecture == "Hopper"', f'{NVIDIA}.architecture == "Hopper"'),
        ("gpu.nvidia.com", f'{PRODUCT} contains "H100"', f'{PRODUCT}.contains("H100")'),
        ("gpu.nvidia.com", f'{PRODUCT} =~ "H100"', f'{PRODUCT}.matches("H100")'),
        ("gpu.nvidia.com", f'{MEMORY} > quantity("40GB")', f'{MEMORY}.compareTo(quantity("40G")) > 0'),
        ("gpu.nvidia.com", f'{NVIDIA}.type in "gpu,mig"', f'{NVIDIA}.type in ["gpu", "mig"]'),
        ("dra.net", 'device.attributes["dra.net"].rdma == 1', 'device.attributes["dra.net"].rdma == true'),
        ("dra.cpu", 'device.attributes["dra.cpu"].coreType == "performance"', 'device.attributes["dra.cpu"].coreType == "p-core"'),
        ("gpu.intel.com", 'device.attributes["gpu.intel.com"].healthy == true', 'device.attributes["gpu.intel.com"].health == "Healthy"'),
        ("fpga", 'device.attributes["family"] == "agilex"', 'device.attributes["fpga.acme.io"].family == "agilex"'),
        ("fpga", 'device.attributes["acme.io/fpga"].family == "agilex"', 'device.attributes["fpga.acme.io"].family == "agilex"'),
        ("fpga", '50g < device.attributes["memory"]', 'device.capacity["fpga.acme.io"].memory.compareTo(quantity("50Gi")) > 0'),
        ("fpga", 'device.attributes["luts"] >= quantity("1k")', 'device.capacity["fpga.acme.io"].luts.compareTo(quantity("1k")) >= 0'),
    ],
)  # fmt: skip
def test_the_condition_is_written_out_and_right(of: str, text: str, condition: str) -> None:
    before = IN_HOUSE if of == "fpga" else ""
    helps = [each.help for each in found(of, text, before=before) if each.severity.value != "info"]
    assert f"write {condition}" in helps
    assert set(helps) == {f"write {condition}"}
    left = found(of, condition, before=before)
    assert [
        str(each) for each in left if each.code < "DRA300" and each.severity.value != "info"
    ] == []


def test_each_condition_is_right_beside_the_others_once_they_are_right() -> None:
    amd = 'device.attributes["gpu.amd.com"]'
    text = f'{amd}.type == "partition" && {amd}.partitionProfile == "CPX_NPS4"'
    written = [each.help for each in found("gpu.amd.com", text) if each.code == "DRA209"]
    assert written == [
        f'write {amd}.type == "amdgpu-partition"',
        f'write has({amd}.partitionProfile) && {amd}.partitionProfile == "cpx_nps4"',
    ]


def test_selectors_of_one_list_that_exclude_each_other_are_joined() -> None:
    hopper, ampere = (f'{NVIDIA}.architecture == "{each}"' for each in ("Hopper", "Ampere"))
    (one,) = found("gpu.nvidia.com", hopper, ampere)
    assert (one.code, one.severity.value) == ("DRA212", "error")
    assert str(one.help).endswith(f': {NVIDIA}.architecture in ["Hopper", "Ampere"]')
    (one,) = found("gpu.nvidia.com", hopper, f'{NVIDIA}.architecture.startsWith("A")')
    assert (one.code, "selector 1 of this list" in one.message) == ("DRA212", True)
    assert found("gpu.nvidia.com", hopper, f'{PRODUCT}.contains("H100")') == []


def test_each_condition_that_the_class_excludes_is_named() -> None:
    text = f'{NVIDIA}.type == "mig" && {PRODUCT}.contains("H100")'
    (one,) = found("gpu.nvidia.com", text)
    assert one.code == "DRA213"


def test_the_class_of_the_devices_that_a_condition_is_about() -> None:
    (one,) = found(
        "gpu.nvidia.com", 'device.attributes["gpu.amd.com"].productName.contains("MI300X")'
    )
    assert one.help == "write deviceClassName: gpu.amd.com, whose devices have it"
    (one,) = found(
        "gpu.nvidia.com", 'device.attributes["gpu.amd.com"].productName.contains("H100")'
    )
    assert one.help == f'write {PRODUCT}.contains("H100")'


@pytest.mark.parametrize(
    ("name", "said"),
    [("h100-mig-7g.80gb", "7g.80gb"), ("a-2g-20gb", "2g.20gb"), ("a100-40gb", None)],
)
def test_a_profile_in_a_name_means_another_class(name: str, said: str | None) -> None:
    told = found("gpu.nvidia.com", f'{PRODUCT}.contains("H100")', name=name)
    assert [each.severity.value for each in told] == ["info"] * (said is not None)
    for each in told:
        assert "write deviceClassName: mig.nvidia.com" in str(each.help)
        assert f'{NVIDIA}.profile == "{said}"' in str(each.help)
    assert found("mig.nvidia.com", f'{NVIDIA}.profile == "{said or "1g.5gb"}"', name=name) == []


def test_a_product_is_kept_beside_its_profile() -> None:
    (one,) = found("gpu.nvidia.com", f'{PRODUCT} == "NVIDIA A100-SXM4-40GB MIG 1g.5gb"')
    assert str(one.help).startswith("write deviceClassName: mig.nvidia.com, with the condition ")
    condition = str(one.help).partition("the condition ")[2]
    assert condition == f'{PRODUCT} == "NVIDIA A100-SXM4-40GB" && {NVIDIA}.profile == "1g.5gb"'
    assert found("mig.nvidia.com", condition) == []


def test_what_may_be_is_no_mistake() -> None:
    for text in (
        f'{PRODUCT}.contains("H100")',
        f'{PRODUCT} == "NVIDIA A100-SXM-64GB"',
        f'{PRODUCT} == "NVIDIA Z900"',
        f'{NVIDIA}.architecture in ["Hopper", "Blackwell"]',
        f'!({PRODUCT}.startsWith("NVIDIA A100"))',
    ):
        assert found("gpu.nvidia.com", text) == [], text
