from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.example import gpu

app = App()

single_gpu_cel = app.add(
    ResourceClaimTemplate(
        "single-gpu-cel",
        namespace="cel-selector",
        requests=[
            Request("gpu", gpu, select=[gpu.model == "LATEST-GPU-MODEL", gpu.memory >= "4Gi"])
        ],
    )
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cel-selector"}}
    )
)
gpu_devices = PodClaim("gpu", single_gpu_cel)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "cel-selector", "name": "pod0", "labels": {"app": "pod"}},
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
