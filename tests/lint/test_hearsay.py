"""What hearsay writes: classes, constraints, objects of parameters, and expressions between quotes."""

from __future__ import annotations

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

CONFIG = LintConfig(root=".")
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: CLASS
        count: 2
"""


def told(text: str) -> dict[str, str]:
    """The remedies by code; of several findings of a code the last one."""
    return {each.code: str(each.help) for each in lint_text(text, config=CONFIG).findings}


def test_a_class_that_is_not_there_and_the_one_of_its_driver() -> None:
    assert told(CLAIM.replace("CLASS", "nvidia-a100"))["DRA412"].startswith("write gpu.nvidia.com,")
    assert told(CLAIM.replace("CLASS", "dra.net"))["DRA412"].startswith("add a DeviceClass of")
    assert told(CLAIM.replace("CLASS", "fast"))["DRA412"].startswith("add the DeviceClass to")
    mig = told(CLAIM.replace("CLASS", "nvidia.com/mig-1g.10gb"))["DRA306"]
    assert mig.startswith("write mig.nvidia.com, with selectors: ")
    assert 'profile == "1g.10gb"' in mig


def test_a_constraint_that_no_device_meets() -> None:
    text = CLAIM.replace("CLASS", "gpu.nvidia.com")
    text += "    constraints: [{matchAttribute: gpu.nvidia.com/nvlinkDomain}]\n"
    assert told(text)["DRA201"].startswith(
        "write an attribute that all of these devices have (resource.kubernetes.io/pcieRoot, "
    )
    assert "remove the constraint" in told(text.replace("        count: 2\n", ""))["DRA201"]
    meant = told(text.replace("nvlinkDomain", "productname"))
    assert "remove" not in meant.get("DRA201", "")


def test_between_double_quotes_a_remedy_has_single_ones() -> None:
    selectors = "        selectors: [{cel: {expression: \"device.attributes['model'] == 'x'\"}}]\n"
    text = CLAIM.replace("CLASS", "gpu.nvidia.com") + selectors
    assert told(text)["DRA102"] == "write device.attributes['gpu.nvidia.com'].productName == 'x'"
    block = "        selectors:\n        - cel:\n            expression: device.attributes['model'] == 'x'\n"
    text = CLAIM.replace("CLASS", "gpu.nvidia.com") + block
    assert told(text)["DRA102"] == "write device.attributes[\"gpu.nvidia.com\"].productName == 'x'"


def test_names_and_values_in_a_domain_that_is_wrong() -> None:
    expression = 'device.attributes["nvidia.com"].gpu_model == "H100"'
    text = CLAIM.replace("CLASS", "mine") + (
        f"        selectors:\n        - cel:\n            expression: {expression}\n"
    )
    found = [each.code for each in lint_text(text, config=CONFIG).findings]
    assert [code for code in found if code[:4] == "DRA2"] == ["DRA202", "DRA201", "DRA209"]


PARAMETERS = """\
apiVersion: gpu.resource.nvidia.com/v1alpha1
kind: GpuClaimParameters
metadata: {name: p}
spec: {count: 3, selector: {model: "*A100*", memory: {value: 40Gi}}, sharing: {strategy: MPS}}
---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: c}
spec: {resourceClassName: gpu.nvidia.com, parametersRef: {kind: GpuClaimParameters, name: p}}
"""


def test_an_object_of_parameters_and_the_claim_that_names_it() -> None:
    remedies = told(PARAMETERS)
    assert remedies["DRA801"].startswith("remove the object: write its parameters under config")
    for part in ("count: 3", 'contains("A100")', 'quantity("40Gi")', "sharing: {strategy: MPS}"):
        assert part in remedies["DRA501"]
    unnamed = PARAMETERS.replace("metadata: {name: p}\n", "", 1)  # an excerpt of a page
    assert "DRA801" not in told(unnamed)


def test_what_stands_for_a_field_of_parameters_that_is_none() -> None:
    text = CLAIM.replace("CLASS", "gpu.nvidia.com") + (
        "    config: [{opaque: {driver: gpu.nvidia.com, parameters: {apiVersion: "
        "resource.nvidia.com/v1beta1, kind: GpuConfig, sharing: {strategy: TimeSlicing, replicas: 4}}}}]\n"
    )
    assert told(text)["DRA802"].startswith("remove it: any number of pods that name one")
    assert "mig.nvidia.com" in told(text.replace("TimeSlicing, replicas: 4", "MIG"))["DRA803"]


def test_an_attribute_name_with_a_hyphen_is_told_at_its_place() -> None:
    text = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: net.example.com
  nodeName: node
  pool: {name: node, generation: 1, resourceSliceCount: 1}
  devices:
  - name: nic-0
    attributes:
      net.example.com/link-speed: {int: 1}
"""
    (found,) = [each for each in lint_text(text, config=CONFIG).findings if each.code == "DRA606"]
    assert (found.span.line, found.help) == (11, "write net.example.com/linkSpeed")


def test_what_is_a_capacity_and_read_below_the_attributes() -> None:
    text = (
        CLAIM.replace("CLASS", "gpu.nvidia.com")
        + """\
        selectors:
        - cel:
            expression: device.attributes["gpu.nvidia.com"].memory.capacity.compareTo(quantity("1Gi")) > 0
"""
    )
    assert told(text)["DRA205"].startswith(
        'write device.capacity["gpu.nvidia.com"].memory.compareTo('
    )
