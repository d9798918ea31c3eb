"""Two H100 behind one PCIe root for a training job; each pod gets a pair of its own."""

from dradsl import (
    App,
    DeviceClass,
    KubernetesObject,
    PodClaim,
    Request,
    ResourceClaimTemplate,
    same,
)
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

h100 = app.add(DeviceClass("h100", select=gpu & (gpu.productName == "NVIDIA H100 80GB HBM3")))

pair = app.add(
    ResourceClaimTemplate(
        "training-pair",
        namespace="ml",
        # The card publishes less than 80Gi: 70Gi tells it from the 40 and 64 GB parts.
        requests=[gpus := Request("gpus", h100, count=2, select=gpu.memory >= "70Gi")],
        constraints=[same(gpu.pcieRoot, gpus)],
    )
)

devices = PodClaim("gpus", pair)

app.add(
    KubernetesObject(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "training", "namespace": "ml"},
            "spec": {
                "template": {
                    "spec": {
                        "restartPolicy": "Never",
                        "containers": [
                            {
                                "name": "trainer",
                                "image": "registry.example.com/trainer:1",
                                "resources": {"claims": [devices.container()]},
                            }
                        ],
                        "resourceClaims": [devices.to_dict()],
                    }
                }
            },
        }
    )
)
