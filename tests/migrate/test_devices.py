"""Devices that no limit of a container asks for: of machines, by annotations."""

from __future__ import annotations

import pytest

from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, only, run

MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm}
spec:
  template:
    spec:
      domain:
        devices:
          gpus:
          - name: gpu1
            deviceName: nvidia.com/GA102GL_A10
          hostDevices:
          - name: nic
            deviceName: example.com/nic
"""


def test_a_machine_asks_for_the_class_of_its_device() -> None:
    items = list(run(MACHINE).items())
    assert {item.outcome for item in items} == {Outcome.REJECTED}
    assert any("--set class=nvidia.com/GA102GL_A10=CLASS" in route for route in items[0].routes)


def test_a_machine_names_claim_and_request() -> None:
    classes = {
        "nvidia.com/GA102GL_A10": "vfio.gpu.nvidia.com",
        "example.com/nic": "nic.example.com",
    }
    migration = run(MACHINE, answers={"class": classes})
    assert {item.outcome for item in migration.items()} == {Outcome.TRANSLATED}
    machine, template = data_of(migration.files[0].text)
    spec = machine["spec"]["template"]["spec"]
    name = template["metadata"]["name"]
    assert spec["resourceClaims"] == [{"name": "devices", "resourceClaimTemplateName": name}]
    (gpu,), (nic,) = spec["domain"]["devices"]["gpus"], spec["domain"]["devices"]["hostDevices"]
    wanted = [each["name"] for each in template["spec"]["spec"]["devices"]["requests"]]
    assert gpu == {"name": "gpu1", "claimName": "devices", "requestName": wanted[0]}
    assert nic == {"name": "nic", "claimName": "devices", "requestName": wanted[1]}
    assert any("GPUsWithDRA" in note for note in next(iter(migration.items())).notes)


@pytest.mark.parametrize("key", ["gpu-fraction", "gpu-memory"])
def test_a_part_of_a_gpu_by_annotation_is_rejected(key: str) -> None:
    text = (
        f'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {{{key}: "0.5"}}\n'
        "spec:\n  schedulerName: kai-scheduler\n  containers: [{name: c, image: i}]\n"
    )
    item = only(run(text))
    assert item.outcome is Outcome.REJECTED
    assert "KAI's scheduler" in item.reason
    assert item.span.line == 5


def test_the_name_that_kubernetes_removed_is_said_with_the_way_that_works() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: i\n"
        "    resources:\n      limits:\n        alpha.kubernetes.io/nvidia-gpu: 2\n"
    )
    item = only(run(text))
    assert item.outcome is Outcome.REJECTED
    assert "1.11" in item.reason
    name, given = "alpha.kubernetes.io/nvidia-gpu", "gpu.nvidia.com"
    assert any(f"--set class={name}={given}" in route for route in item.routes)
    migration = run(text, answers={"class": {name: given}})
    assert only(migration).outcome is Outcome.TRANSLATED
    pod, template = data_of(migration.files[0].text)
    assert "limits" not in pod["spec"]["containers"][0]["resources"]
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {"deviceClassName": given, "count": 2}
