from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

isolated_gpu = app.add(
    ResourceClaim(
        "isolated-gpu",
        namespace="secure-access-test",
        requests=[Request("gpu", gpu, count=1, allocation_mode="ExactCount")],
    )
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "secure-access-test"}}
    )
)
gpu_devices = PodClaim("gpu", isolated_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "isolation-test", "namespace": "secure-access-test"},
            "spec": {
                "restartPolicy": "Never",
                "securityContext": {
                    "runAsNonRoot": True,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "resourceClaims": [gpu_devices.to_dict()],
                "containers": [
                    {
                        "name": "gpu-test",
                        "image": "nvidia/cuda:12.9.0-base-ubuntu24.04",
                        "command": [
                            "bash",
                            "-c",
                            "echo '=== Visible NVIDIA devices ==='; ls -l /dev/nvidia*; echo; echo '=== nvidia-smi output ==='; nvidia-smi -L; echo; echo '=== GPU count visible to container ==='; nvidia-smi -L | wc -l; echo 'Secure accelerator access test completed'",
                        ],
                        "securityContext": {
                            "allowPrivilegeEscalation": False,
                            "capabilities": {"drop": ["ALL"]},
                        },
                        "resources": {"claims": [gpu_devices.container()]},
                    }
                ],
            },
        }
    )
)
