from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

gpu_claim_template = app.add(
    ResourceClaimTemplate(
        "gpu-claim-template",
        namespace="gpu-test1",
        requests=[Request("single-gpu", gpu, count=1, allocation_mode="ExactCount")],
    )
)
single_gpu = PodClaim("single-gpu", gpu_claim_template)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "dra-gpu-example", "namespace": "gpu-test1"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "dra-gpu-example"}},
                "template": {
                    "metadata": {"labels": {"app": "dra-gpu-example"}},
                    "spec": {
                        "containers": [
                            {
                                "name": "ctr",
                                "image": "ubuntu:22.04",
                                "command": ["bash", "-c"],
                                "args": [
                                    "while [ 1 ]; do date; echo $(nvidia-smi -L || echo Waiting...); sleep 60; done"
                                ],
                                "resources": {"claims": [single_gpu.container()]},
                                "securityContext": {
                                    "allowPrivilegeEscalation": False,
                                    "capabilities": {"drop": ["ALL"]},
                                    "runAsNonRoot": True,
                                    "runAsUser": 1000,
                                    "seccompProfile": {"type": "RuntimeDefault"},
                                },
                            }
                        ],
                        "resourceClaims": [single_gpu.to_dict()],
                        "tolerations": [
                            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                        ],
                    },
                },
            },
        }
    )
)
