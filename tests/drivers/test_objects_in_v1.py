"""Claims and classes of earlier and mixed shapes in that of v1: what was meant, what has no place, and what never breaks."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from dradsl.drivers.rewriting.objects import as_v1, in_pod
from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import newest_release
from dradsl.text.documents import load
from dradsl.text.edits import apply

DRIVERS = shipped_catalogue()
MEMORY = 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0'


def read(kind: str, spec: str, version: str = "v1") -> Any:
    return as_v1(
        {"apiVersion": f"resource.k8s.io/{version}", "kind": kind, "spec": yaml.safe_load(spec)},
        DRIVERS,
    )


@pytest.mark.parametrize(
    ("spec", "request_", "left"),
    [
        ("{resourceClassName: nvidia.com/gpu}", {"deviceClassName": "gpu.nvidia.com"}, []),
        ("{requests: [{class: gpu.nvidia.com, count: '2'}]}", {"deviceClassName": "gpu.nvidia.com", "count": 2}, []),
        ("{devices: {requests: [{deviceClassName: a, request: {count: 2}}]}}", {"deviceClassName": "a", "count": 2}, []),
        ("{deviceClassName: a, allocationMode: all}", {"deviceClassName": "a", "allocationMode": "All"}, []),
        ("{resourceClassName: a, parametersRef: {name: b, kind: c}}", {"deviceClassName": "a"}, ["parametersRef"]),
        ("{resourceClassName: a, allocationMode: Immediate}", {"deviceClassName": "a"}, ["allocationMode"]),
        ("{deviceClassName: gpu.nvidia.com, criteria: {memory: {min: 40Gi}}}", {"deviceClassName": "gpu.nvidia.com", "selectors": [MEMORY]}, []),
        ("{requests: [{driver: gpu.nvidia.com, memory: 40GB}]}", {"deviceClassName": "gpu.nvidia.com", "selectors": [MEMORY]}, []),
        ("{deviceClassName: gpu.nvidia.com, capacity: {memory: 40GB}}", {"deviceClassName": "gpu.nvidia.com", "capacity": {"requests": {"memory": "40Gi"}}}, []),
        ("{deviceClassName: gpu.nvidia.com, parameters: {minMemory: 40Gi, locality: rack}}", {"deviceClassName": "gpu.nvidia.com", "selectors": [MEMORY]}, ["locality"]),
        ("{deviceClassName: nvidia-gpu, selectors: [device.memory >= '40Gi']}", {"deviceClassName": "nvidia-gpu", "selectors": [MEMORY]}, []),
        ("{deviceClassName: x, selectors: [{expression: 'device.driver == \"x\"'}]}", {"deviceClassName": "x", "selectors": ['device.driver == "x"']}, []),
        ("{deviceClassName: x, selectors: [{driver: acme.example, model: A1}]}", {"deviceClassName": "x", "selectors": ['device.driver == "acme.example"', 'device.attributes["acme.example"].model == "A1"']}, []),
        (
            "{devices: [{deviceClass: tpu.google.com, selector: {matchExpressions: [{key: type, operator: In, values: [v5e]}]}}]}",
            {"deviceClassName": "tpu.google.com", "selectors": ['device.attributes["tpu.google.com"].tpuGen == "v5litepod"']},
            [],
        ),
        (
            "{deviceClassName: tpu.google.com, matchExpressions: [{key: type, operator: In, values: [v5e, v6e]}]}",
            {"deviceClassName": "tpu.google.com", "selectors": ['(device.attributes["tpu.google.com"].tpuGen == "v5litepod" || device.attributes["tpu.google.com"].tpuGen == "v6e")']},
            [],
        ),
        (
            "{deviceClassName: tpu.google.com, matchExpressions: [{key: type, operator: NotIn, values: [v5e]}]}",
            {"deviceClassName": "tpu.google.com", "selectors": ['device.attributes["tpu.google.com"].tpuGen != "v5litepod"']},
            [],
        ),
        (
            "{resourceClassName: gpu.nvidia.com, selector: {computeCapability: {majorMinorVersion: {min: '8.0'}}}}",
            {"deviceClassName": "gpu.nvidia.com", "selectors": ['device.attributes["gpu.nvidia.com"].cudaComputeCapability.compareTo(semver("8.0.0")) >= 0']},
            [],
        ),
        ("{resourceClassName: a, devices: 2}", {"deviceClassName": "a", "count": 2}, []),
        ("{driver: nvidia, count: 1}", {"deviceClassName": "gpu.nvidia.com", "count": 1}, []),
    ],
)  # fmt: skip
def test_what_a_request_becomes(spec: str, request_: dict[str, Any], left: list[str]) -> None:
    found = read("ResourceClaim", spec)
    (written,) = found.spec["devices"]["requests"]
    texts = [each["cel"]["expression"] for each in written["exactly"].pop("selectors", ())]
    assert {**written["exactly"], **({"selectors": texts} if texts else {})} == request_
    assert [each[-1] for each in found.left] == left


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        (
            "{driverName: gpu-driver.nvidia.com}",
            [
                'device.driver == "gpu.nvidia.com"',
                'device.attributes["gpu.nvidia.com"].type == "gpu"',
            ],
        ),
        ("{driverName: rdma.network.nvidia.com}", ['device.driver == "rdma.network.nvidia.com"']),
        (
            "{driver: nvidia, parameters: {migProfile: 1g.10gb}}",
            [
                'device.driver == "gpu.nvidia.com"',
                'device.attributes["gpu.nvidia.com"].type == "mig"',
                'device.attributes["gpu.nvidia.com"].profile == "1g.10gb"',
            ],
        ),
    ],
)
def test_what_a_class_becomes(spec: str, texts: list[str]) -> None:
    found = read("DeviceClass", spec)
    assert [each["cel"]["expression"] for each in found.spec["selectors"]] == texts


def test_alternatives_constraints_and_config_are_at_their_places() -> None:
    found = read(
        "ResourceClaimTemplate",
        """
metadata: {labels: {a: b}}
requests:
- name: gpu
  anyOf: [{request: {class: gpu.nvidia.com}}, {name: part, deviceClassName: mig.nvidia.com}]
- {name: nic, deviceClassName: dra.net, constraints: [{matchAttribute: a.b/c}], config: {driver: dra.net, parameters: {interface: {name: a}}}}
""",
    )
    devices = found.spec["spec"]["devices"]
    assert found.spec["metadata"] == {"labels": {"a": "b"}}
    assert devices["requests"][0]["firstAvailable"] == [
        {"name": "device", "deviceClassName": "gpu.nvidia.com"},
        {"name": "part", "deviceClassName": "mig.nvidia.com"},
    ]
    assert devices["constraints"] == [{"requests": ["nic"], "matchAttribute": "a.b/c"}]
    opaque = {"driver": "dra.net", "parameters": {"interface": {"name": "a"}}}
    assert devices["config"] == [{"requests": ["nic"], "opaque": opaque}]
    assert found.left == {}


def test_expressions_are_rewritten_in_the_text_and_only_moved_by_the_edits() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}  # mine\n"
        "spec:\n  criteria: [\"device.attributes['model'] == 'a100'\"]\n"
    )
    document = load(text.encode()).documents[0]
    assert isinstance(document.data, dict)
    found = as_v1(document.data, DRIVERS)
    assert found is not None
    assert document.root is not None
    assert 'productName.startsWith("NVIDIA A100")' in found.text((), {})
    written = yaml.safe_load(apply(text, found.edits(document.root)))
    expression = "device.attributes['model'] == 'a100'"
    assert written["spec"] == {"selectors": [{"cel": {"expression": expression}}]}


def test_a_field_of_the_drivers_parameters_goes_into_config() -> None:
    found = read("ResourceClaim", "{deviceClassName: gpu.nvidia.com, sharing: {strategy: MPS}}")
    (config,) = found.spec["devices"]["config"]
    assert config["opaque"]["parameters"]["sharing"] == {"strategy": "MPS"}
    assert config["opaque"]["parameters"]["kind"] == "GpuConfig"


def test_what_has_the_shape_of_v1_stays_as_it_is() -> None:
    text = """
devices:
  requests:
  - name: gpu
    exactly: {deviceClassName: a, count: 2, adminAccess: true, tolerations: [{key: b}], capacity: {requests: {memory: 1Gi}}, derivedAttributes: [{name: c/d, expression: "1"}]}
  - name: nic
    firstAvailable: [{name: one, deviceClassName: a, selectors: [{cel: {expression: 'device.driver == "a"'}}], allocationMode: All}]
  constraints: [{requests: [gpu], matchAttribute: a.b/c}, {distinctAttribute: a.b/c}]
  config: [{requests: [gpu], opaque: {driver: a.b, parameters: {c: d}}}]
"""
    found = read("ResourceClaim", text)
    assert found.spec == found.moved == yaml.safe_load(text)
    assert found.left == {}
    assert found.fields() == {}


def test_the_claim_of_a_pod_is_written_as_a_template() -> None:
    entry = {"name": "gpu", "spec": {"deviceClassName": "gpu.nvidia.com", "locality": "rack"}}
    pod = {"kind": "Pod", "spec": {"resourceClaims": [entry]}}
    text = in_pod(pod, ("spec", "resourceClaims", 0, "spec"), DRIVERS)
    assert text is not None
    assert "{requests: [{name: device, exactly: {deviceClassName: gpu.nvidia.com}}]}" in text
    assert text.endswith("resourceClaimTemplateName: …; locality has no place in it")


VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "a", "a.b == 'c'", "40Gi", "all", "gpu.nvidia.com", "nvidia.com/gpu"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([
        "spec", "devices", "requests", "request", "exactly", "name", "class", "deviceClassName", "selectors", "cel", "expression", "criteria", "count",
        "allocationMode", "capacity", "memory", "parameters", "config", "opaque", "driver", "constraints", "matchAttribute", "firstAvailable", "sharing", "adminAccess", "tolerations",
    ]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(kind=st.sampled_from(["ResourceClaim", "ResourceClaimTemplate", "DeviceClass"]), spec=VALUES)
def test_what_is_written_has_only_fields_of_v1(kind: str, spec: Any) -> None:
    found = as_v1({"apiVersion": "resource.k8s.io/v1beta1", "kind": kind, "spec": spec}, DRIVERS)
    if found is None:
        return
    assert found.text((), {}).startswith("write ")
    release = newest_release()
    written = {"kind": kind, "metadata": {"name": "a"}, **found.fields(moved=False)}
    problems = ApiServer(release, release.features()).create(written).problems
    assert [str(each.error) for each in problems if each.error.reason == "unknown-field"] == []
