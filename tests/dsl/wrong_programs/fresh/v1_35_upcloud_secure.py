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
            "metadata": {"name": "dra-example"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "dra-example"}},
                "template": {
                    "metadata": {"labels": {"app": "dra-example"}},
                    "spec": {
                        "containers": [
                            {
                                "name": "cuda",
                                "image": "nvidia/cuda:12.4.1-base-ubuntu22.04",
                                "command": ["bash", "-lc", "nvidia-smi"],
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
