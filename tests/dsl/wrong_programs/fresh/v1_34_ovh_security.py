from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

gpu_claim_template = app.add(
    ResourceClaimTemplate(
        "gpu-claim-template",
        requests=[Request("single-gpu", gpu, count=1, allocation_mode="ExactCount")],
    )
)
single_gpu = PodClaim("single-gpu", gpu_claim_template)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "pytorch-cuda-check"},
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": {"app": "pytorch-cuda-check"}},
                "template": {
                    "metadata": {"labels": {"app": "pytorch-cuda-check"}},
                    "spec": {
                        "containers": [
                            {
                                "name": "pytorch-cuda-check",
                                "image": "nvcr.io/nvidia/pytorch:25.12-py3",
                                "command": ["/bin/sh", "-c"],
                                "args": [
                                    "while true; do\n  python3 -c 'import torch; print(str(torch.cuda.device_count()) + \" GPUs available\")'\n  sleep 30\ndone\n"
                                ],
                                "resources": {"claims": [single_gpu.container()]},
                            }
                        ],
                        "resourceClaims": [single_gpu.to_dict()],
                    },
                },
            },
        }
    )
)
