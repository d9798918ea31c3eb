"""The official Kubernetes client, Pulumi's SDK with its mocks, and cdk8s: run where they are installed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

import dradsl
from dradsl import App, Fleet, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

if TYPE_CHECKING:
    from pathlib import Path

GPUS = Request("gpus", gpu)
ENTRY = {"name": "d", "resourceClaimTemplateName": "t"}
USE = {"name": "d", "request": "gpus"}


def made() -> tuple[App, PodClaim]:
    app = App(for_release="1.36")
    metadata = {"finalizers": ["x.example.com/y"]}
    template = ResourceClaimTemplate("t", namespace="ml", metadata=metadata, requests=[GPUS])
    return app, PodClaim("d", app.add(template))


def test_the_kubernetes_client() -> None:
    client = pytest.importorskip("kubernetes.client")
    containers = [client.V1Container(name=name, image="i") for name in "ab"]
    spec = client.V1PodSpec(containers=containers)
    template = client.V1PodTemplateSpec(spec=spec)
    metadata = client.V1ObjectMeta(name="p", namespace="ml")
    selector = client.V1LabelSelector(match_labels={"a": "b"})
    job = client.V1JobSpec(template=template)
    app, claim = made()
    for kind, one in {
        "Pod": client.V1Pod(spec=spec),
        "Deployment": client.V1Deployment(
            spec=client.V1DeploymentSpec(selector=selector, template=template)
        ),
        "CronJob": client.V1CronJob(
            spec=client.V1CronJobSpec(
                schedule="* * * * *", job_template=client.V1JobTemplateSpec(spec=job)
            )
        ),
    }.items():
        one.api_version, one.kind, one.metadata = "v1", kind, metadata
        data = client.ApiClient().sanitize_for_serialization(claim.attach(one, "b", request=GPUS))
        text = str(data)
        assert str(ENTRY) in text.replace(
            "{'resourceClaimTemplateName': 't', 'name': 'd'}", str(ENTRY)
        )
        assert KubernetesObject(claim.attach(one, "b", request=GPUS)).to_dict() == data
    assert spec.resource_claims is None  # a copy was changed
    pod = client.V1Pod(api_version="v1", kind="Pod", metadata=metadata, spec=spec)
    app.add(KubernetesObject(claim.attach(pod)))
    assert app.lint().ok
    assert dradsl.simulate(app, Fleet.of(gpu)).fits


def test_pulumi_with_mocks() -> None:
    pulumi: Any = pytest.importorskip("pulumi")
    k8s = pytest.importorskip("pulumi_kubernetes")
    from dradsl.integrations.pulumi import attach, resources

    seen: dict[str, Any] = {}

    base: Any = pulumi.runtime.Mocks

    class Mocks(base):  # type: ignore[misc] # its base is known when pulumi is there
        def new_resource(self, args: Any) -> Any:
            seen[args.name] = args.inputs
            return [args.name, args.inputs]

        def call(self, args: Any) -> Any:
            return {}

    pulumi.runtime.set_mocks(Mocks())
    app, claim = made()

    def program() -> None:
        resources(app)
        containers = [k8s.core.v1.ContainerArgs(name="a", image="i")]
        spec = attach(k8s.core.v1.PodSpecArgs(containers=containers), claim, "a", request=GPUS)
        k8s.core.v1.Pod("typed", spec=spec)
        k8s.core.v1.Pod("plain", spec=claim.attach({"containers": [{"name": "a"}]}, request=GPUS))

    pulumi.runtime.test(program)()
    assert seen["resourceclaimtemplate-ml-t"]["spec"] == app.to_dicts()[0]["spec"]
    for name in ("typed", "plain"):
        spec = seen[name]["spec"]
        assert spec["resourceClaims"] == [ENTRY]
        assert spec["containers"][0]["resources"]["claims"] == [USE]


def test_cdk8s(tmp_path: Path) -> None:
    if shutil.which("node") is None:  # its import starts node
        pytest.skip("cdk8s needs node, which is not installed")
    cdk8s = pytest.importorskip("cdk8s")
    from dradsl.integrations.cdk8s import add, attach

    app, claim = made()
    cdk = cdk8s.App(outdir=str(tmp_path))
    chart = cdk8s.Chart(cdk, "dra")
    add(chart, app)
    pod = cdk8s.ApiObject(chart, "pod", api_version="v1", kind="Pod")
    spec = {"containers": [{"name": "c", "image": "i"}]}
    pod.add_json_patch(cdk8s.JsonPatch.add("/spec", spec))
    attach(pod, claim, "c", request=GPUS)
    cdk.synth()
    template, attached = dradsl.from_yaml((tmp_path / "dra.k8s.yaml").read_text("utf-8"))
    assert template.to_dict() == app.to_dicts()[0]
    assert attached.to_dict()["spec"]["resourceClaims"] == [ENTRY]
    assert attached.to_dict()["spec"]["containers"][0]["resources"] == {"claims": [USE]}
