"""Claims attached to pods of every kind, ComputeDomains, and the objects of other tools."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import dradsl
from dradsl import (
    App,
    ComputeDomain,
    DeviceClass,
    Fleet,
    KubernetesObject,
    ManifestError,
    PodClaim,
    Request,
    ResourceClaimTemplate,
    from_dict,
)
from dradsl.devices.nvidia import channel, gpu

TEMPLATE = ResourceClaimTemplate(
    "t", namespace="ml", requests=[gpus := Request("gpus", gpu), Request("one", gpu)]
)
CLAIM = PodClaim("devices", TEMPLATE)
SPEC = {
    "initContainers": [{"name": "init", "image": "i"}],
    "containers": [
        {"name": "a", "image": "i", "resources": {"limits": {"cpu": 1}}},
        {"name": "b", "image": "i"},
    ],
}
ENTRY = [{"name": "devices", "resourceClaimTemplateName": "t"}]


def pod_of(spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ml"},
        "spec": spec,
    }


def workload(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    inner: dict[str, Any] = {"template": {"metadata": {}, "spec": spec}}
    if kind == "CronJob":
        inner = {"jobTemplate": {"spec": inner}}
    return {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "w"}, "spec": inner}


def spec_of(data: Any) -> Any:
    while "containers" not in data:
        data = data.get("jobTemplate") or data.get("template") or data["spec"]
    return data


@pytest.mark.parametrize(
    "pod",
    [
        SPEC,
        pod_of(SPEC),
        *(workload(kind, SPEC) for kind in ("Deployment", "Job", "CronJob", "JobSet")),
    ],
    ids=lambda pod: str(pod.get("kind")),
)
def test_plain_pods(pod: dict[str, Any]) -> None:
    before = copy.deepcopy(pod)
    made = CLAIM.attach(pod)
    assert pod == before  # a copy is changed
    spec = spec_of(made)
    assert spec["resourceClaims"] == ENTRY
    assert [one["resources"]["claims"] for one in spec["containers"]] == [[{"name": "devices"}]] * 2
    assert spec["containers"][0]["resources"]["limits"] == {"cpu": 1}
    assert "resources" not in spec["initContainers"][0]
    # A second time changes nothing.
    assert CLAIM.attach(made) == made

    some = spec_of(CLAIM.attach(pod, "b", "init", request=gpus))
    use = {"claims": [{"name": "devices", "request": "gpus"}]}
    assert [one.get("resources") for one in some["containers"]] == [{"limits": {"cpu": 1}}, use]
    assert some["initContainers"][0]["resources"] == use


def test_objects_of_the_dsl() -> None:
    app = App(for_release="1.36")
    app.add(TEMPLATE)
    app.add(CLAIM.attach(KubernetesObject(pod_of(SPEC)), "a"))
    assert app.lint().ok
    assert dradsl.simulate(app, Fleet.of(gpu, count=2)).pod("ml/p").fits


@pytest.mark.parametrize(
    ("pod", "containers", "message"),
    [
        (pod_of(SPEC), ("c",), "has no container called c (its containers: a, b, init)"),
        ({"kind": "ConfigMap"}, (), "dict holds no pod"),
        ({**SPEC, "resourceClaims": [{"name": "devices"}]}, (), "another claim called devices"),
    ],
)
def test_pods_that_cannot_be_used(pod: Any, containers: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the message is looked at
        CLAIM.attach(pod, *containers)
    assert message in str(raised.value)


def test_a_result_that_nothing_takes() -> None:
    pod = pod_of(SPEC)
    with pytest.raises(
        ValueError, match=r"returns a copy with the claim devices.*write pod = claim\.attach"
    ):
        CLAIM.attach(pod)
    with pytest.raises(ValueError, match="returns a copy"):
        CLAIM.attach(pod, "a", request=None)
    assert CLAIM.attach(pod) != pod
    _ = CLAIM.attach(pod)
    assert [CLAIM.attach(each) for each in (pod,)]
    assert (lambda each: CLAIM.attach(each))(pod)
    assert eval("CLAIM.attach(pod)", {"CLAIM": CLAIM, "pod": pod})


# --- the official client: its models, in small; tests/real has the real ones ---


class _Model:
    attribute_map: ClassVar[dict[str, str]]

    def __init__(self, **given: Any) -> None:
        for name in self.attribute_map:
            setattr(self, name, given.get(name))

    @property
    def openapi_types(self) -> dict[str, str]:
        return self.attribute_map


class V1Container(_Model):
    attribute_map: ClassVar = {"name": "name", "image": "image", "resources": "resources"}


class V1PodSpec(_Model):
    attribute_map: ClassVar = {"containers": "containers", "resource_claims": "resourceClaims"}


class V1Pod(_Model):
    attribute_map: ClassVar = {"api_version": "apiVersion", "kind": "kind", "spec": "spec"}


def test_models_of_the_client_become_plain_data() -> None:
    spec = V1PodSpec(containers=[V1Container(name="a", image="i")])
    obj = KubernetesObject(V1Pod(api_version="v1", kind="Pod", spec=spec))  # type: ignore[arg-type] # a stand-in for the client's class
    assert obj.to_dict() == {
        "apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a", "image": "i"}]}
    }  # fmt: skip
    with pytest.raises(ManifestError, match="apiVersion, a string; the client leaves it out"):
        KubernetesObject(V1Pod(spec=spec))  # type: ignore[arg-type] # a stand-in for the client's class
    with pytest.raises(TypeError, match="a pod is a dict"):
        CLAIM.attach(SimpleNamespace(spec=1))


# --- ComputeDomain ---


def test_compute_domains() -> None:
    domain = ComputeDomain("nvl", namespace="ml", num_nodes=2)
    assert domain.to_dict() == {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": {"name": "nvl", "namespace": "ml"},
        "spec": {"numNodes": 2, "channel": {"resourceClaimTemplate": {"name": "nvl-channel"}}},
    }
    assert from_dict(domain.to_dict()) == domain
    app = App(for_release="1.36")
    app.add(domain)
    app.add(KubernetesObject(PodClaim("imex", domain).attach(pod_of(SPEC))))
    assert app.lint().ok, str(app.lint())
    assert dradsl.simulate(app, Fleet.of(channel, attributes={channel.id: 0})).fits
    named = ComputeDomain("nvl", channel_template="mine", allocation_mode="All")
    assert PodClaim("imex", named).to_dict()["resourceClaimTemplateName"] == "mine"
    with pytest.raises(ValueError, match="at least 0"):
        ComputeDomain("nvl", num_nodes=-1)
    with pytest.raises(ValueError, match="not among the requests"):
        PodClaim("imex", domain).container(gpus)


def test_a_class_object_is_still_one() -> None:
    with pytest.raises(TypeError, match="a pod names a claim or a template"):
        PodClaim("p", DeviceClass("c"))  # type: ignore[arg-type] # what is to be rejected
