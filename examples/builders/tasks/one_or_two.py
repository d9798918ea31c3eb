"""One H100, or else two A100: the scheduler takes the first alternative that a node has."""

from dradsl import (
    App,
    FirstAvailable,
    KubernetesObject,
    PodClaim,
    Request,
    ResourceClaimTemplate,
)
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

h100 = Request("h100", gpu, select=gpu.productName.startswith("NVIDIA H100"))
a100 = Request("a100", gpu, count=2, select=gpu.productName.startswith("NVIDIA A100"))
either = app.add(
    ResourceClaimTemplate(
        "either", namespace="serving", requests=[FirstAvailable("gpu", h100, a100)]
    )
)

pod = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "server", "namespace": "serving"},
    "spec": {"containers": [{"name": "main", "image": "registry.example.com/server:1"}]},
}
app.add(KubernetesObject(PodClaim("gpu", either).attach(pod)))
