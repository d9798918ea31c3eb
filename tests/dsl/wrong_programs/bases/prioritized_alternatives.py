from dradsl import App, FirstAvailable, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.example import gpu

app = App()

# pod0: fallback. The first two subrequests match no device, so the request is
# satisfied by the third, "older-gpu".
prioritized_gpu = app.add(
    ResourceClaimTemplate(
        "prioritized-gpu",
        namespace="prioritized-alternatives",
        requests=[
            FirstAvailable(
                "gpu",
                Request(
                    "bleeding-edge-gpu",
                    gpu,
                    select="device.attributes['gpu.example.com'].model == 'BLEEDING-EDGE-GPU'",
                ),
                Request("huge-gpu", gpu, select=gpu.memory >= "1Ti"),
                Request("older-gpu", gpu),
            )
        ],
    )
)
# pod1: preference. Both subrequests match, so the scheduler chooses the
# higher-priority one, "latest-gpu".
preferred_gpu = app.add(
    ResourceClaimTemplate(
        "preferred-gpu",
        namespace="prioritized-alternatives",
        requests=[
            FirstAvailable(
                "gpu",
                Request("latest-gpu", gpu, select=gpu.model == "LATEST-GPU-MODEL"),
                Request("older-gpu", gpu),
            )
        ],
    )
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "prioritized-alternatives"}}
    )
)
gpu_devices = PodClaim("gpu", prioritized_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": "prioritized-alternatives",
                "name": "pod0",
                "labels": {"app": "pod"},
            },
            "spec": {
                "containers": [
                    {
                        "name": "ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpu_devices.container()]},
                    }
                ],
                "resourceClaims": [gpu_devices.to_dict()],
            },
        }
    )
)
gpu_devices_2 = PodClaim("gpu", preferred_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": "prioritized-alternatives",
                "name": "pod1",
                "labels": {"app": "pod"},
            },
            "spec": {
                "containers": [
                    {
                        "name": "ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpu_devices_2.container()]},
                    }
                ],
                "resourceClaims": [gpu_devices_2.to_dict()],
            },
        }
    )
)
