from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

single_gpu = app.add(
    ResourceClaimTemplate(
        "single-gpu", namespace="dra-gpu-share-test", requests=[Request("gpu", gpu, count=1)]
    )
)
shared_gpu = PodClaim("shared-gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": "dra-gpu-share-test",
                "name": "pod",
                "labels": {"app": "pod"},
            },
            "spec": {
                "containers": [
                    {
                        "name": "ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpu.container()]},
                    },
                    {
                        "name": "ctr1",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpu.container()]},
                    },
                ],
                "resourceClaims": [shared_gpu.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
