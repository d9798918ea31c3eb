"""A Deployment of the official Kubernetes client (`pip install kubernetes`) that gets a GPU for each pod."""

from kubernetes import client

from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

one = app.add(ResourceClaimTemplate("one-gpu", namespace="ml", requests=[Request("gpu", gpu)]))
deployment = client.V1Deployment(
    api_version="apps/v1",
    kind="Deployment",
    metadata=client.V1ObjectMeta(name="server", namespace="ml"),
    spec=client.V1DeploymentSpec(
        replicas=2,
        selector=client.V1LabelSelector(match_labels={"app": "server"}),
        template=client.V1PodTemplateSpec(
            metadata=client.V1ObjectMeta(labels={"app": "server"}),
            spec=client.V1PodSpec(
                containers=[client.V1Container(name="main", image="registry.example.com/server:1")]
            ),
        ),
    ),
)
app.add(KubernetesObject(PodClaim("gpu", one).attach(deployment)))
