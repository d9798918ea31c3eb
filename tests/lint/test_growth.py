"""The work of a run grows about as its input does: each kind of list is made twice as long."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.lint.engine.run import lint_text
from tests.counting import growth

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 2.2
"""Where `growth` is 2 for work that grows as its input does, and 4 for work that grows as its square."""

REQUEST = {"name": "r", "exactly": {"deviceClassName": "gpu.nvidia.com"}}


def claim(**devices: Any) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"devices": {"requests": [REQUEST], **devices}},
    }


def exactly(**fields: Any) -> dict[str, Any]:
    body = {"deviceClassName": "gpu.nvidia.com", **fields}
    return claim(requests=[{"name": "r", "exactly": body}])


def metadata(**fields: Any) -> dict[str, Any]:
    return {**claim(), "metadata": {"name": "c", "namespace": "default", **fields}}


def pod(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "x"}], **spec},
    }


def container(**fields: Any) -> dict[str, Any]:
    claims = [{"name": "c", "resourceClaimName": "x"}]
    return pod(resourceClaims=claims, containers=[{"name": "c", "image": "x", **fields}])


def device_class(name: str = "c.example.com", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": spec,
    }


def resource_slice(**fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": "gpu.nvidia.com",
            "nodeName": "n",
            "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
            **fields,
        },
    }


def device(**fields: Any) -> dict[str, Any]:
    return resource_slice(devices=[{"name": "d", **fields}])


def quota(**hard: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": hard},
    }


def group(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha3",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"},
        "spec": spec,
    }


def gang(**spec: Any) -> dict[str, Any]:
    return {**group(**spec), "kind": "Workload"}


def of_group(n: int) -> list[dict[str, Any]]:
    return [{"name": f"c{i}", "resourceClaimName": f"x{i}"} for i in range(n)]


def selector(text: str) -> dict[str, Any]:
    return {"cel": {"expression": text}}


# Each gives the objects of a file in which one list, or the file itself, is `n` long.
LISTS: dict[str, Callable[[int], list[dict[str, Any]]]] = {
    "requests": lambda n: [claim(requests=[{**REQUEST, "name": f"r{i}"} for i in range(n)])],
    "equal requests": lambda n: [claim(requests=[REQUEST] * n)],
    "alternatives": lambda n: [
        claim(
            requests=[
                {
                    "name": "r",
                    "firstAvailable": [
                        {"name": f"a{i}", "deviceClassName": f"c{i}"} for i in range(n)
                    ],
                }
            ]
        )
    ],
    "selectors": lambda n: [exactly(selectors=[selector(f"device.driver == 'd{i}'") for i in range(n)])],
    "selectors of a class": lambda n: [
        device_class(selectors=[selector(f"device.driver == 'd{i}'") for i in range(n)]),
        exactly(deviceClassName="c.example.com"),
    ],
    "tolerations": lambda n: [exactly(tolerations=[{"key": f"k{i}", "operator": "X"} for i in range(n)])],
    "constraints": lambda n: [
        claim(constraints=[{"requests": [f"x{i}"], "matchAttribute": "a/b"} for i in range(n)])
    ],
    "requests of a constraint": lambda n: [
        claim(constraints=[{"requests": [f"x{i}" for i in range(n)], "matchAttribute": "a/b"}])
    ],
    "configs": lambda n: [
        claim(config=[{"opaque": {"driver": "d.example.com", "parameters": {"n": i}}} for i in range(n)])
    ],
    "unknown fields": lambda n: [exactly(**{f"nothing{i}": i for i in range(n)})],
    "known fields of other levels": lambda n: [{**claim(), **{f"selectors{i}": [] for i in range(n)}}],
    "labels": lambda n: [metadata(labels={f"a b{i}": "x y" for i in range(n)})],
    "annotations": lambda n: [metadata(annotations={f"k{i}": i for i in range(n)})],
    "finalizers": lambda n: [metadata(finalizers=[f"f{i}" for i in range(n)])],
    "devices": lambda n: [resource_slice(devices=[{"name": f"d{i}"} for i in range(n)])],
    "equal devices": lambda n: [resource_slice(devices=[{"name": "d"}] * n)],
    "attributes": lambda n: [device(attributes={f"a{i}": {"string": "x"} for i in range(n)})],
    "capacity": lambda n: [device(capacity={f"a{i}": {"value": "x"} for i in range(n)})],
    "taints": lambda n: [device(taints=[{"key": f"k{i}", "effect": "X"} for i in range(n)])],
    "valid values": lambda n: [
        device(
            capacity={
                "m": {
                    "value": "1",
                    "requestPolicy": {"default": "1", "validValues": [str(i) for i in range(n)]},
                }
            }
        )
    ],
    "counters": lambda n: [
        resource_slice(
            sharedCounters=[{"name": "s", "counters": {f"c{i}": {"value": "1"} for i in range(n)}}]
        )
    ],
    "claims of a pod": lambda n: [
        pod(resourceClaims=[{"name": f"c{i}", "resourceClaimName": f"x{i}"} for i in range(n)])
    ],
    "equal claims of a pod": lambda n: [
        pod(resourceClaims=[{"name": "c", "resourceClaimName": "x"}] * n)
    ],
    "containers": lambda n: [
        pod(
            resourceClaims=[{"name": "c", "resourceClaimName": "x"}],
            containers=[
                {
                    "name": f"c{i}",
                    "image": "x",
                    "resources": {"claims": [{"name": "d"}], "limits": {"nvidia.com/gpu": 1}},
                    "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}],
                }
                for i in range(n)
            ],
        )
    ],
    "claims of a container": lambda n: [
        container(resources={"claims": [{"name": "c", "request": f"r{i}"} for i in range(n)]})
    ],
    "unknown claims of a container": lambda n: [
        container(resources={"claims": [{"name": f"d{i}"} for i in range(n)]})
    ],
    "limits": lambda n: [container(resources={"limits": {f"nvidia.com/x{i}": "y" for i in range(n)}})],
    "environment": lambda n: [
        container(
            resources={"claims": [{"name": "c"}]},
            env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}] * n,
        )
    ],
    "node selector": lambda n: [pod(nodeSelector={f"nvidia.com/gpu.x{i}": "y" for i in range(n)})],
    "init containers": lambda n: [
        pod(
            resourceClaims=[{"name": "c", "resourceClaimName": "x"}],
            initContainers=[
                {"name": f"i{i}", "image": "x", "resources": {"claims": [{"name": "c"}]}}
                for i in range(n)
            ],
        )
    ],
    "tolerations of a pod": lambda n: [
        pod(tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists"} for _ in range(n)])
    ],
    "terms of a pod's affinity": lambda n: [
        pod(
            affinity={
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "nvidia.com/gpu.x", "operator": "Exists"}]}
                        ]
                        * n
                    }
                }
            }
        )
    ],
    "claims in a pod's status": lambda n: [
        {
            **pod(
                resourceClaims=[
                    {"name": f"c{i}", "resourceClaimTemplateName": "x"} for i in range(n)
                ]
            ),
            "status": {
                "resourceClaimStatuses": [
                    {"name": f"c{i}", "resourceClaimName": f"x{i}"} for i in range(n)
                ]
            },
        }
    ],
    "claims of containers, each of another": lambda n: [
        pod(
            resourceClaims=[{"name": f"c{i}", "resourceClaimName": f"x{i}"} for i in range(n)],
            containers=[
                {"name": f"k{i}", "image": "x", "resources": {"claims": [{"name": f"c{i}"}]}}
                for i in range(n)
            ],
        )
    ],
    "constraints, each of another request": lambda n: [
        claim(
            requests=[{**REQUEST, "name": f"r{i}"} for i in range(n)],
            constraints=[{"requests": [f"r{i}"], "matchAttribute": "a/b"} for i in range(n)],
            config=[
                {"requests": [f"r{i}"], "opaque": {"driver": "d.example.com", "parameters": {}}}
                for i in range(n)
            ],
        )
    ],
    "devices that consume counters": lambda n: [
        resource_slice(
            devices=[
                {
                    "name": f"d{i}",
                    "consumesCounters": [
                        {"counterSet": f"s{i}", "counters": {"c": {"value": "1"}}}
                    ],
                }
                for i in range(n)
            ],
        ),
        resource_slice(
            sharedCounters=[
                {"name": f"s{i}", "counters": {"c": {"value": "1"}}} for i in range(n)
            ]
        ),
    ],
    "claims of a group": lambda n: [group(resourceClaims=of_group(n))],
    "templates of groups": lambda n: [
        gang(podGroupTemplates=[{"name": f"t{i}", "resourceClaims": of_group(1)} for i in range(n)])
    ],
    "composite templates of groups": lambda n: [
        gang(
            compositePodGroupTemplates=[
                {"name": f"t{i}", "podGroupTemplates": [{"name": "a", "resourceClaims": of_group(1)}]}
                for i in range(n)
            ]
        )
    ],
    "groups and their pods": lambda n: [
        each
        for i in range(n)
        for each in (
            {**group(resourceClaims=of_group(1)), "metadata": {"name": f"g{i}", "namespace": "default"}},
            pod(schedulingGroup={"podGroupName": f"g{i}"}, resourceClaims=of_group(1)),
        )
    ],
    "limits of a quota": lambda n: [claim(), quota(**{f"requests.nvidia.com/mig-{i}": 1 for i in range(n)})],
    # the objects of a file
    "slices of a pool": lambda n: [
        {**resource_slice(devices=[{"name": f"d{i}"}]), "metadata": {"name": f"s{i}"}}
        for i in range(n)
    ],
    "pods of one name": lambda n: [pod(resourceClaims=of_group(1))] * n,
    "templates and their pods": lambda n: [
        each
        for i in range(n)
        for each in (
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaimTemplate",
                "metadata": {"name": f"t{i}", "namespace": "default"},
                "spec": {"spec": claim()["spec"]},
            },
            pod(resourceClaims=[{"name": "c", "resourceClaimTemplateName": f"t{i}"}]),
        )
    ],
    "classes and requests of their resources": lambda n: [
        each
        for i in range(n)
        for each in (
            device_class(f"c{i}.example.com", extendedResourceName=f"example.com/x{i}"),
            container(resources={"limits": {f"example.com/x{i}": 1}}),
        )
    ],
    "namespaces": lambda n: [
        each
        for i in range(n)
        for each in (
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{i}"}},
            {**exactly(adminAccess=True), "metadata": {"name": "c", "namespace": f"n{i}"}},
        )
    ],
    "claims": lambda n: [{**claim(), "metadata": {"name": f"c{i}"}} for i in range(n)],
    "equal objects": lambda n: [exactly(selectors=[selector("device.driver")])] * n,
    "pods": lambda n: [
        pod(resourceClaims=[{"name": "c", "resourceClaimName": f"x{i}"}]) for i in range(n)
    ],
    "classes": lambda n: [
        device_class(f"c{i}.example.com", extendedResourceName="example.com/x") for i in range(n)
    ],
    "classes that are asked for and not there": lambda n: [
        each
        for i in range(n)
        for each in (device_class(f"a{i}.example.com"), exactly(deviceClassName=f"a{i}.example.org"))
    ],
    "quotas": lambda n: [
        each for i in range(n) for each in ({**claim(), "metadata": {"name": f"c{i}"}}, quota())
    ],
    "claims that are asked for and not there": lambda n: [
        each
        for i in range(n)
        for each in (
            {**claim(), "metadata": {"name": f"a{i}"}},
            pod(resourceClaims=[{"name": "c", "resourceClaimName": f"b{i}"}]),
        )
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_twice_the_list_is_twice_the_work(name: str) -> None:
    def text(count: int) -> str:
        return "---\n".join(yaml.safe_dump(each) for each in LISTS[name](count))

    assert growth(text, lint_text, 50) < MOST


TEXTS: dict[str, Callable[[int], str]] = {
    "ignores that hide nothing": lambda n: "a: 1\n" + "# dradsl: ignore[DRA301]\n" * n,
    "ignores above one line": lambda n: (
        "# dradsl: ignore[DRA005]\n" * n + json.dumps({**claim(), "nothing": 1})
    ),
    "ignores of many codes": lambda n: "".join(f"# dradsl: ignore[nothing{i}]\n" for i in range(n)),
    "ignores and findings": lambda n: (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: x}\n"
        "nothing: 1  # dradsl: ignore[DRA005]\n---\n" * n
    ),
    "comments in an expression": lambda n: (
        "a: |\n" + "  // dradsl: ignore[DRA301]\n" * n
    ),
    "line ends": lambda n: "\n" * 100 * n,
    "separators": lambda n: "---\n" * n,
    "equal keys": lambda n: "a: 1\n" * n,
    "tabs": lambda n: "a:\n" + "\t- b\n" * n,
    "brackets": lambda n: "[]\n" * n,
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    assert growth(TEXTS[name], lint_text, 100) < MOST
