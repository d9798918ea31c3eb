"""GPUs of two nodes that share memory over NVLink: each pod gets four, and a channel."""

from dradsl import (
    App,
    ComputeDomain,
    KubernetesObject,
    PodClaim,
    Request,
    ResourceClaimTemplate,
)
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

domain = app.add(ComputeDomain("nvl", namespace="ml", num_nodes=2))
gpus = app.add(
    ResourceClaimTemplate("four-gpus", namespace="ml", requests=[Request("gpus", gpu, count=4)])
)

job = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "training", "namespace": "ml"},
    "spec": {
        "parallelism": 2,
        "completions": 2,
        "completionMode": "Indexed",
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "trainer", "image": "registry.example.com/trainer:1"}],
            }
        },
    },
}
job = PodClaim("gpus", gpus).attach(job)
job = PodClaim("channel", domain).attach(job)
app.add(KubernetesObject(job))
